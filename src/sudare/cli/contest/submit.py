"""`sudare contest submit`: hand in through a contest server's API, and wait for the outcome."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.files import READ
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, guarded, note, show_json, spoken
from sudare.cli.settings import Settings
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.report.terminal import console
from sudare.sources.local.names import not_found

if TYPE_CHECKING:
    import httpx

TOKEN_VARIABLE = "SUDARE_TOKEN"
SHOWN_ERRORS = 10
ASK_SECONDS = 0.5


@guarded
def submit(
    server: Annotated[str, typer.Argument(metavar="URL")],
    file: Annotated[Path, READ, typer.Argument(metavar="FILE")],
    round: Annotated[str | None, typer.Option("--round", metavar="NAME")] = None,
    target: Annotated[int | None, typer.Option(metavar="N")] = None,
    comment: Annotated[str, typer.Option("--note", metavar="TEXT")] = "",
    final: Annotated[bool, typer.Option("--final")] = False,
    wait: Annotated[int, typer.Option(metavar="SECONDS")] = 300,
    json: JsonOption = False,
) -> None:
    """Hand in an anonymized history or guesses and show what the server found."""
    if not file.is_file():
        raise not_found(file)
    with _Client(server) as client:
        found = client.round(round, "anonymization" if target is None else "reidentification")
        path = f"/rounds/{found['id']}/submissions" if target is None else client.guess_path(found["id"], target)
        kept = client.send(path, file, comment if target is None else "")
        note("notes.handed_in", count=kept["size"], sha256=kept["sha256"])
        outcome = client.wait(f"/{'submissions' if target is None else 'guesses'}/{kept['id']}", wait)
        if final and target is None and outcome["status"] == "valid":
            outcome = client.ask("PUT", f"/submissions/{kept['id']}/final")
    _show(outcome, as_json=json)


def _show(outcome: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json("submission", outcome)
    else:
        _print(outcome)
    if outcome["status"] != "valid":
        raise typer.Exit(EXIT_ANSWER_NO)


def _print(outcome: dict[str, Any]) -> None:
    texts, result = spoken(), outcome["result"] or {}
    status = texts(f"web.status.{outcome['status']}")
    parts = [texts("submit.outcome", number=outcome["number"], status=status)]
    if outcome.get("utility") is not None:
        parts.append(texts("submit.utility", utility=outcome["utility"]))
    if outcome.get("final"):
        parts.append(texts("submit.final"))
    console().print(texts("list.comma").join(parts))
    for error in result.get("errors", {}).get(Settings.language, [])[:SHOWN_ERRORS]:
        console().print(texts("submit.error", row=error["row"], cell=error["cell"], message=error["message"]))
    if result.get("total_errors", 0) > SHOWN_ERRORS:
        console().print(texts("submit.errors", count=result["total_errors"]))


class _Client:
    """Speaks with the API of one server."""

    def __init__(self, server: str) -> None:
        import httpx

        token = os.environ.get(TOKEN_VARIABLE)
        if not token:
            raise OptionNotUsable("errors.submit.no_token", variable=TOKEN_VARIABLE)
        self._client: httpx.Client = httpx.Client(
            base_url=server.rstrip("/") + "/api/v1",
            timeout=60,
            headers={"Authorization": f"Bearer {token}", "Accept-Language": Settings.language},
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
            names = ", ".join(f"{entry['name']} ({entry['phase']})" for entry in rounds) or "-"
            raise OptionNotUsable("errors.submit.which_round", names=names)
        return found[0]

    def guess_path(self, round_id: str, number: int) -> str:
        """Return where guesses on a target go."""
        targets: Any = self.ask("GET", f"/rounds/{round_id}/targets")
        found = next((target for target in targets if target["number"] == number), None)
        if found is None:
            numbers = ", ".join(str(target["number"]) for target in targets if not target["own"]) or "-"
            raise OptionNotUsable("errors.submit.no_target", number=number, numbers=numbers)
        return f"/targets/{found['id']}/guesses"

    def send(self, path: str, file: Path, comment: str) -> dict[str, Any]:
        """Send a file."""
        with file.open("rb") as content:
            parameters = {"note": comment} if comment else {}
            return self.ask("POST", path, content=content, params=parameters, headers={"Content-Type": "text/csv"})

    def wait(self, path: str, seconds: float) -> dict[str, Any]:
        """Return what was handed in as soon as it is checked; it is kept, so a server that is away is waited for."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = self.ask("GET", path)
            except SourceNotReadable:
                if time.monotonic() >= end:
                    raise
            else:
                if found["status"] != "queued" or time.monotonic() >= end:
                    return found
            time.sleep(ASK_SECONDS)

    def ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the server's answer, or raise what it says."""
        import httpx

        try:
            response = self._client.request(method, path, **options)
            found: dict[str, Any] = response.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise SourceNotReadable("errors.submit.no_server", address=self._client.base_url, why=str(error)) from None
        if response.is_error:
            raise OptionNotUsable("errors.submit.refused", said=found["error"]["message"])
        return found
