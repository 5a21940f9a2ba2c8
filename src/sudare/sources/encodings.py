"""The encoding of a text: UTF-8, Japanese encodings, or what the user says.

Bytes do not say their encoding. Much text of Western Europe is valid in cp932 too, as other text ("Málaga" would be
"M疝aga"), so an encoding of Japanese is taken only where what it makes of the file looks like Japanese. Where that is
not clear, a guess serves nobody: the owner is asked, and shown what each candidate makes of the text.
"""

from __future__ import annotations

import codecs
import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import Joined, Message, message
from sudare.showing import dataclass

CHUNK_BYTES = 1 << 20
# How much text that is not ASCII is looked at to tell whether it is Japanese.
SAMPLE_CHUNKS = 4
JAPANESE = ("cp932", "euc_jp", "iso2022_jp")
# What is shown to those who are asked, the frequent first.
CANDIDATES = (
    "cp1252", "cp932", "euc_jp", "cp1251", "cp1250", "gb18030", "big5", "cp949", "cp1254", "cp1253", "cp1255", "cp1256",
    "cp874", "cp850",
)  # fmt: skip
SHOWN_READINGS = 6
SHOWN_LETTERS = 30
# How much of a text is looked at to tell how well it reads.
READ_LETTERS = 100_000
# For one letter in a place where Japanese is not expected there are this many where it is.
_EXPECTED = 3
# Of running Japanese about half of the letters are kana.
_LEAST_KANA = 0.05
_ESCAPE = "\x1b$"

# What files of other kinds begin with, and what they are called.
MAGIC = {
    b"PK\x03\x04": message("errors.encodings.kind.zip"),
    b"\x1f\x8b": message("errors.encodings.kind.gzip"),
    b"PAR1": message("errors.encodings.kind.parquet"),
    b"%PDF": message("errors.encodings.kind.pdf"),
    b"\x89PNG": message("errors.encodings.kind.picture"),
    b"\xd0\xcf\x11\xe0": message("errors.encodings.kind.office"),
    b"SQLite format": message("errors.encodings.kind.database"),
}

_KANA = re.compile("[ぁ-んァ-ヶー]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
# Words in half-width kana: no small letter or mark comes first, and marks follow letters that take them. Capitals of
# Europe, Latin or Cyrillic, are the same bytes, so that such words say nothing of the encoding.
_HALF_WIDTH = re.compile(r"([ｦｱ-ﾝ][ｧ-ｰ]*|[ｳｶ-ﾄﾊ-ﾎ]ﾞ[ｧ-ｰ]*|[ﾊ-ﾎ]ﾟ[ｧ-ｰ]*)+")
_WORD = re.compile(r"[^\W\d_]+")
# Scripts that are written together.
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH", "FULLWIDTH", "HANGUL")
# Of a long word in Latin letters at least this part is ASCII.
_LEAST_ASCII = 1 / 3
# Characters of cp932 whose bytes are, in cp1252, a quote or dash before a letter or another one: 't, "", --.
_WESTERN = re.compile(rb"[\x82\x84\x88-\x9f][\x40-\x7e]|[\x91-\x97][\x85\x91-\x97]")
# Bytes that are not characters in Japanese, but that Python accepts.
_NO_LETTERS = re.compile("[\x80\xa0\ue000-\uf8ff]")


@dataclass(frozen=True, slots=True)
class FoundText:
    """In which encoding a whole file can be read, and the SHA-256 of its bytes, found in the same pass."""

    encoding: str
    sha256: str


def find_text(path: Path, *, encoding: str | None = None, choosable: bool = True, name: str | None = None) -> FoundText:
    """Return the encoding in which the whole file can be read, and its hash; a given encoding is only checked.

    Found are UTF-8, UTF-16 with its mark, and cp932, EUC-JP and ISO-2022-JP where the text is Japanese. For any other
    the error shows candidates; it advises to name the encoding if that is `choosable`. `name` is what the file
    is called.
    """
    said = name or str(path)
    with path.open("rb") as file:
        start = file.read(16)
    kind = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    if kind:
        raise SourceNotReadable("errors.encodings.not_text", name=said, kind=kind)
    if encoding is not None:
        return _check_given(path, encoding, said)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _check_given(path, "utf-16", said)
    plain = _read_through(path, "utf-8")
    if plain.error is None:
        return FoundText("utf-8", plain.sha256)
    passes = {name: _read_through(path, name) for name in JAPANESE}
    likely = [name for name, found in passes.items() if found.error is None and _is_japanese(path, name)]
    if len(likely) == 1 and (likely[0] != "euc_jp" or _has_kana(path, "euc_jp")):
        return FoundText(likely[0], passes[likely[0]].sha256)
    raise _question(path, likely, said, choosable=choosable)


def read_text(path: Path, *, encoding: str | None = None) -> str:
    """Return the text of a small file, in the encoding that was given or is found; line ends stay as they are."""
    found = find_text(path, encoding=encoding, choosable=False)
    return path.read_bytes().decode(with_mark(found.encoding))


def with_mark(encoding: str) -> str:
    """Return the encoding that also takes the mark some programs put before UTF-8."""
    return "utf-8-sig" if encoding == "utf-8" else encoding


def recode(path: Path, encoding: str, target: Path) -> None:
    """Write a copy of a text file in UTF-8."""
    with (
        path.open(encoding=encoding, newline="") as old,
        target.open("w", encoding="utf-8", newline="") as new,
    ):
        while text := old.read(CHUNK_BYTES):
            new.write(text)


def _check_given(path: Path, encoding: str, said: str) -> FoundText:
    name = _text_encoding(encoding)
    if name is None:
        raise OptionNotUsable("errors.encodings.unknown", encoding=encoding)
    found = _read_through(path, name)
    if found.error:
        raise SourceNotReadable("errors.encodings.not_as_given", name=said, encoding=encoding, reason=found.error)
    return FoundText(name, found.sha256)


def _text_encoding(encoding: str) -> str | None:
    """Return Python's name of an encoding, None if it is not one of text, such as hex and zlib."""
    try:
        "a".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class _Pass:
    """What one reading of a file says: why it is not text in an encoding, None if all of it is; then its SHA-256."""

    error: Message | None
    sha256: str = ""


def _read_through(path: Path, encoding: str) -> _Pass:
    """Read a whole file in an encoding, up to the first error."""
    decoder = codecs.getincrementaldecoder(encoding)()
    digest, position = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                return _Pass(message("errors.encodings.reason.byte", byte=position + error.start))
            except UnicodeError as error:
                return _Pass(message("errors.encodings.reason.decoder", reason=str(error)))
            if "\0" in text:
                return _Pass(message("errors.encodings.reason.nul", byte=position))
            if _ESCAPE in text and not encoding.startswith("iso2022"):
                return _Pass(message("errors.encodings.reason.escape", byte=position))
            digest.update(chunk)
            position += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeError:
        return _Pass(message("errors.encodings.reason.end"))
    return _Pass(None, digest.hexdigest())


def _samples(path: Path, encoding: str) -> Iterator[str]:
    """Yield the first parts of a text that are not ASCII alone."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    left = SAMPLE_CHUNKS
    with path.open("rb") as file:
        while left and (chunk := file.read(CHUNK_BYTES)):
            text = decoder.decode(chunk)
            if not text.isascii():
                left -= 1
                yield text


def _is_japanese(path: Path, encoding: str) -> bool:
    """Tell whether a file that is valid in an encoding of Japanese is plausible Japanese.

    Letters count in runs that are not ASCII. Text of Western Europe read as cp932 has an accented letter and the letter
    after it as one Chinese character, a rare one in the middle of a Latin word; curly quotes make frequent ones, but
    there too. So a run counts as Japanese if it has several frequent characters, or is not part of a Latin word and has
    one that quotes and dashes could not be. Words in half-width kana count neither way: a text of them alone may be one
    in European capitals.
    """
    western = _read_through(path, "cp1252").error is None
    expected = strange = 0
    for text in _samples(path, encoding):
        if _NO_LETTERS.search(text):
            return False
        for found in _NOT_ASCII.finditer(text):
            run = found.group()
            beside = text[max(found.start() - 1, 0) : found.start()] + text[found.end() : found.end() + 1]
            in_word = any(letter.isalpha() for letter in beside)
            if _HALF_WIDTH.fullmatch(run) and not in_word:
                continue
            if _looks_japanese(run, encoding, western=western, in_word=in_word):
                expected += len(run)
            else:
                strange += len(run)
    return expected > 0 and expected >= _EXPECTED * strange


def _has_kana(path: Path, encoding: str) -> bool:
    """Tell whether a text has kana as Japanese has them: Chinese and Korean are valid in EUC-JP too, and have none."""
    runs = "".join("".join(_NOT_ASCII.findall(text)) for text in _samples(path, encoding))
    return len(_KANA.findall(runs)) >= _LEAST_KANA * len(runs)


def _looks_japanese(run: str, encoding: str, *, western: bool, in_word: bool) -> bool:
    common = {letter for letter in run if letter in _frequent()}
    often = 2 * sum(letter in common for letter in run) >= len(run)
    if often and len(common) > 1:
        return True
    if in_word:
        return False
    if often and common and (encoding == "cp932" or len(run) == 1):
        return not western or not all(_WESTERN.fullmatch(letter.encode(encoding)) for letter in common)
    return False


@functools.cache
def _frequent() -> frozenset[str]:
    """Return punctuation, full-width letters, kana and the frequent Chinese characters: rows 1-5, 13, 16-47 of JIS."""
    rows = (*range(1, 6), 13, *range(16, 48))
    cells = (bytes((0xA0 + row, 0xA0 + cell)) for row in rows for cell in range(1, 95))
    return frozenset("".join(pair.decode("euc_jis_2004" if pair[0] == 0xAD else "euc_jp", "ignore") for pair in cells))


def _question(path: Path, likely: Sequence[str], said: str, *, choosable: bool) -> SourceNotReadable:
    """Return what asks the owner of a text: what some encodings make of its first part that is not ASCII."""
    candidates = dict.fromkeys((*likely, *CANDIDATES))
    readable = [name for name in candidates if _read_through(path, name).error is None]
    readings: dict[str, list[str]] = {}
    for name in sorted(readable, key=lambda name: (name not in likely, -_plausible(path, name))):
        readings.setdefault(_shown(path, name), []).append(name)
    shown = [f"  {', '.join(names)}: {text}" for text, names in readings.items() if text.isprintable()]
    if not shown:
        reason = _read_through(path, "utf-8").error
        return SourceNotReadable("errors.encodings.not_utf8", name=said, reason=reason)
    listed = Joined(shown[:SHOWN_READINGS], "lines")
    if choosable:
        return SourceNotReadable("errors.encodings.not_clear", name=said, readings=listed)
    return SourceNotReadable("errors.encodings.save_as_utf8", name=said, readings=listed)


def _plausible(path: Path, encoding: str) -> float:
    """Return which part of the letters that are not ASCII stand in words of one script and of one case.

    In a wrong encoding letters become signs, letters of another script, or capitals in the middle of a word.
    """
    text = next(_samples(path, encoding), "")[:READ_LETTERS]
    in_words = sum(_strange_letters(word) for word in _WORD.findall(text) if _is_word(word))
    return in_words / max(_strange_letters(text), 1)


def _strange_letters(text: str) -> int:
    return sum(map(len, _NOT_ASCII.findall(text)))


def _is_word(word: str) -> bool:
    """Tell whether letters could be a word: of one script, in one case but for the first."""
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in word}
    if not scripts <= set(_EAST_ASIAN) and len(scripts) > 1:
        return False
    ascii_letters = sum(map(str.isascii, word))
    if scripts == {"LATIN"} and len(word) > 3 and ascii_letters < _LEAST_ASCII * len(word):
        return False
    return word == word.lower() or word == word.upper() or word[1:] == word[1:].lower()


def _shown(path: Path, encoding: str) -> str:
    """Return the first cell that is not ASCII, or the part of it around that."""
    text = next(_samples(path, encoding), "")
    found = _NOT_ASCII.search(text)
    at = found.start() if found else 0
    before = re.search(r"[^\r\n,;|\t\"]*\Z", text[max(at - SHOWN_LETTERS // 2, 0) : at])
    after = re.match(r"[^\r\n,;|\t\"]*", text[at : at + SHOWN_LETTERS])
    return (before.group() if before else "") + (after.group() if after else "")
