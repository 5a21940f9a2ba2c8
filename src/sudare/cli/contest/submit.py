"""`sudare submit`: hand in through a contest server's API, and wait for the outcome."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.files import READ
from sudare.cli.frame import EXIT_BAD_INPUT, JsonOption, guarded, note, show_json
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.report.terminal import console

if TYPE_CHECKING:
    import httpx

TOKEN_VARIABLE = "SUDARE_TOKEN"
SHOWN_ERRORS = 10
ASK_SECONDS = 0.5


@guarded
def submit(
    server: Annotated[str, typer.Argument(metavar="URL", help="The address of the contest server.")],
    file: Annotated[
        Path, READ, typer.Argument(metavar="FILE", help="The anonymized history, or guesses with --target.")
    ],
    round: Annotated[
        str | None, typer.Option("--round", metavar="NAME", help="The round. The only open one if not given.")
    ] = None,
    target: Annotated[
        int | None, typer.Option(metavar="N", help="Hand in guesses on the target of this number.")
    ] = None,
    comment: Annotated[str, typer.Option("--note", metavar="TEXT", help="A note for your team.")] = "",
    final: Annotated[bool, typer.Option("--final", help="Choose it as the final one if it is valid.")] = False,
    wait: Annotated[int, typer.Option(metavar="SECONDS", help="How long to wait for the outcome.")] = 300,
    json: JsonOption = False,
) -> None:
    """Hand in an anonymized history or guesses and show what the server found.

    The token of your team, from the page of your account, is read from the environment: SUDARE_TOKEN. Exit code 2: the
    file breaks the rules.
    """
    if not file.is_file():
        raise SourceNotReadable(f"There is no file {file}.\nHint: name the file to hand in.")
    with _Client(server) as client:
        found = client.round(round, "anonymization" if target is None else "reidentification")
        path = f"/rounds/{found['id']}/submissions" if target is None else client.guess_path(found["id"], target)
        kept = client.send(path, file, comment if target is None else "")
        note(f"Handed in: {kept['size']:,} bytes, SHA-256 {kept['sha256']}")
        outcome = client.wait(f"/{'submissions' if target is None else 'guesses'}/{kept['id']}", wait)
        if final and target is None and outcome["status"] == "valid":
            outcome = client.ask("PUT", f"/submissions/{kept['id']}/final")
    _show(outcome, as_json=json)


def _show(outcome: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json("submission", outcome)
    else:
        result = outcome["result"] or {}
        utility = f", U = {outcome['utility']:.6f}" if outcome.get("utility") is not None else ""
        chosen = ", final" if outcome.get("final") else ""
        console().print(f"Number {outcome['number']}: {outcome['status']}{utility}{chosen}")
        for error in result.get("errors", {}).get("en", [])[:SHOWN_ERRORS]:
            console().print(f"  row {error['row']:,}, cell {error['cell']}: {error['message']}")
        if result.get("total_errors", 0) > SHOWN_ERRORS:
            console().print(f"  ... errors in all: {result['total_errors']:,}")
    if outcome["status"] != "valid":
        raise typer.Exit(EXIT_BAD_INPUT)


class _Client:
    """Speaks with the API of one server."""

    def __init__(self, server: str) -> None:
        import httpx

        token = os.environ.get(TOKEN_VARIABLE)
        if not token:
            raise OptionNotUsable(
                f"There is no token in {TOKEN_VARIABLE}.\nHint: make one on the page of your account, then export it."
            )
        self._client: httpx.Client = httpx.Client(
            base_url=server.rstrip("/") + "/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60
        )

    def __enter__(self) -> _Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def round(self, name: str | None, phase: str) -> dict[str, Any]:
        """Return the round of a name, or the only one in a phase."""
        rounds: list[dict[str, Any]] = self.ask("GET", "/contest")["rounds"]
        found = [entry for entry in rounds if (entry["name"] == name if name else entry["phase"] == phase)]
        if len(found) != 1:
            names = ", ".join(f"{entry['name']} ({entry['phase']})" for entry in rounds) or "none"
            raise OptionNotUsable(f"Which round is not clear; there are: {names}.\nHint: --round NAME")
        return found[0]

    def guess_path(self, round_id: str, number: int) -> str:
        """Return where guesses on a target go."""
        targets: Any = self.ask("GET", f"/rounds/{round_id}/targets")
        found = next((target for target in targets if target["number"] == number), None)
        if found is None:
            numbers = ", ".join(str(target["number"]) for target in targets if not target["own"]) or "none"
            raise OptionNotUsable(f"There is no target {number}; there are: {numbers}.\nHint: --target N")
        return f"/targets/{found['id']}/guesses"

    def send(self, path: str, file: Path, comment: str) -> dict[str, Any]:
        """Send a file."""
        with file.open("rb") as content:
            parameters = {"note": comment} if comment else {}
            return self.ask("POST", path, content=content, params=parameters, headers={"Content-Type": "text/csv"})

    def wait(self, path: str, seconds: float) -> dict[str, Any]:
        """Return what was handed in as soon as it is checked."""
        end = time.monotonic() + seconds
        while (found := self.ask("GET", path))["status"] == "queued" and time.monotonic() < end:
            time.sleep(ASK_SECONDS)
        return found

    def ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the server's answer, or raise what it says."""
        import httpx

        try:
            response = self._client.request(method, path, **options)
            found: dict[str, Any] = response.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise SourceNotReadable(
                f"{self._client.base_url} does not answer as a contest server: {error}.\nHint: check the address."
            ) from None
        if response.is_error:
            raise OptionNotUsable(f"The server says: {found['error']['message']}\nHint: see the pages of the contest.")
        return found
