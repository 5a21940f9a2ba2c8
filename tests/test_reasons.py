"""Reasons of the system and of parsers, in the reader's language."""

from __future__ import annotations

import errno
import os
import tomllib

import pytest

from sudare.messages import Message, Texts
from sudare.messages.reasons import reason_of


def said(error: Exception) -> tuple[str, str]:
    reason = reason_of(error)
    assert isinstance(reason, Message)
    return Texts("en").say(reason), Texts("ja").say(reason)


def toml_error(text: str) -> tomllib.TOMLDecodeError:
    with pytest.raises(tomllib.TOMLDecodeError) as found:
        tomllib.loads(text)
    return found.value


@pytest.mark.parametrize(
    ("number", "english", "japanese"),
    [
        (errno.EACCES, "permission denied", "権限がありません"),
        (errno.ENOSPC, "no space left on the disk", "ディスクの空き容量がありません"),
        (errno.EISDIR, "it is a folder", "フォルダーです"),
    ],
)
def test_errors_of_the_system_have_texts(number: int, english: str, japanese: str) -> None:
    assert said(OSError(number, os.strerror(number))) == (english, japanese)


def test_text_that_is_not_utf8_and_wrong_toml_have_texts() -> None:
    with pytest.raises(UnicodeDecodeError) as found:
        b"\xff".decode()
    assert said(found.value) == ("it is not text in UTF-8", "UTF-8 のテキストではありません")
    assert said(toml_error("a = 1\nb = = 2")) == (
        "syntax error in line 2, column 5",
        "2 行 5 文字目に構文の誤りがあります",
    )
    assert said(toml_error("a")) == ("syntax error at the end of the file", "ファイルの末尾に構文の誤りがあります")


def test_what_has_no_text_speaks_for_itself() -> None:
    assert reason_of(OSError(errno.ELOOP, "Too many levels of symbolic links")) == "Too many levels of symbolic links"
    assert reason_of(OSError("odd")) == "odd"
