"""Loaded by the process that jobs are forked from: the whole library, with every kernel used once.

A kernel that has not been compiled yet takes seconds, most jobs a tenth of one.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from sudare.web.jobs import work

ORIGINAL = "1,2011/1/1,a,1.50,1\n2,2011/1/2,b,2.50,2\n"
ANONYMIZED = "8,[2011/1/1;2011/1/2],{a;b},[1;3],1\n9,*,b,2.50,[1;2]\n"


def warm_up() -> None:
    """Do one job of each kind on two rows."""
    with TemporaryDirectory() as name:
        original, anonymized, guesses = (Path(name) / part for part in ("t", "a", "g"))
        original.write_text(ORIGINAL, encoding="ascii")
        anonymized.write_text(ANONYMIZED, encoding="ascii")
        guesses.write_text("8,1\n", encoding="ascii")
        files = {"rules": "pwscup2018", "original": str(original)}
        work.check_original({**files, "path": str(original)})
        work.check_anonymized({**files, "path": str(anonymized)})
        work.preview_attacks({**files, "path": str(anonymized)})
        work.publish_finals({**files, "folder": name, "finals": {"p": str(anonymized)}})
        work.check_guesses({**files, "path": str(guesses), "published": str(Path(name) / "p.csv")})
        attacked = {"team": "a", "path": str(anonymized), "guesses": {"b": str(guesses)}}
        work.evaluate_round({**files, "finals": [attacked]})


warm_up()
