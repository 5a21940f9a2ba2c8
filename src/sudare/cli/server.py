"""`sudare server`: run a contest with teams, from invitations to published standings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import READ, InputFolder, OutputFolder
from sudare.cli.frame import (
    EXIT_ANSWER_NO,
    JsonOption,
    SeedOption,
    guarded,
    guarded_server,
    note,
    note_written,
    show_json,
    shown_progress,
    spoken,
)
from sudare.errors import OptionNotUsable
from sudare.messages import message
from sudare.report.terminal import console

if TYPE_CHECKING:
    from sudare.web.operation.check import Finding
    from sudare.web.operation.log import Log
    from sudare.web.settings import ServerSettings
    from sudare.web.storage.database import Database


FolderArgument = Annotated[Path, InputFolder(), typer.Argument(metavar="DIR")]
OutArgument = Annotated[Path, OutputFolder(), typer.Argument(metavar="OUT")]
LoginArgument = Annotated[str, typer.Argument(metavar="NAME")]
HostOption = Annotated[str | None, typer.Option(metavar="ADDRESS")]
PortOption = Annotated[int | None, typer.Option(metavar="N")]


@guarded
def init(
    folder: Annotated[Path, OutputFolder(), typer.Argument(metavar="DIR")],
    database: Annotated[str, typer.Option(metavar="URL")] = "",
    public_url: Annotated[str, typer.Option(metavar="URL")] = "http://127.0.0.1:8000",
    admin: Annotated[str, typer.Option(metavar="NAME")] = "admin",
) -> None:
    """Make the folder of a server: settings, database, files, and an account that may make contests."""
    from sudare.sources.result_folders import filling
    from sudare.web.settings import ServerSettings, write_settings
    from sudare.web.storage.files import FileStore
    from sudare.web.storage.private import owner_only

    with owner_only(), filling(folder):
        settings = ServerSettings(folder, database=database, public_url=public_url)
        path = write_settings(settings)
        FileStore(settings.files).make()
        link = _add_user(settings, admin, admin=True)
    note("notes.server_made", path=path, folder=folder)
    console().print(spoken()("notes.choose_password", name=admin, link=link), soft_wrap=True)


@guarded_server
def run(folder: FolderArgument, host: HostOption = None, port: PortOption = None) -> None:
    """Serve pages and API and work on jobs, on one machine."""
    from sudare.web.serve import run_both

    settings = _private_settings(folder, host, port)
    _tell_serving(settings)
    run_both(settings)


@guarded_server
def web(folder: FolderArgument, host: HostOption = None, port: PortOption = None) -> None:
    """Serve pages and API only; workers run elsewhere, with the same folder and database."""
    from sudare.web.serve import run_web

    settings = _private_settings(folder, host, port)
    _tell_serving(settings)
    run_web(settings)


@guarded_server
def worker(folder: FolderArgument) -> None:
    """Work on jobs only; as many workers as you like share a PostgreSQL database and the folder."""
    from sudare.web.serve import run_worker

    run_worker(_private_settings(folder))


@guarded
def contests(folder: FolderArgument, json: JsonOption = False) -> None:
    """List the contests of a server."""
    from sudare.web.storage.archive import list_contests

    with _open(_settings(folder)) as database, database.reading() as session:
        found = list_contests(session)
    if json:
        show_json("contests", {"contests": [{"id": identity, "name": name} for identity, name in found]})
        return
    for identity, name in found:
        console().print(f"{identity}  {name}")


@guarded
def export(
    folder: FolderArgument,
    contest: Annotated[str, typer.Argument(metavar="CONTEST")],
    out: OutArgument,
) -> None:
    """Write a contest into a folder: its files with hashes, standings, the audit log, and the published pages."""
    from sudare.web.storage.archive import export_contest
    from sudare.web.storage.files import FileStore

    settings = _settings(folder)
    with _open(settings) as database:
        export_contest(database, FileStore(settings.files), contest, out)
    note("notes.exported", path=out, page=out / "site" / "index.html")


@guarded
def backup(folder: FolderArgument, out: OutArgument) -> None:
    """Copy settings, database and files while the server runs."""
    from sudare.web.storage.archive import back_up

    copied = back_up(_settings(folder), out)
    note("notes.backed_up", path=out, count=copied)


@guarded
def check(
    folder: FolderArgument,
    stopped: Annotated[bool, typer.Option("--stopped")] = False,
    hashes: Annotated[bool, typer.Option("--hashes")] = False,
    json: JsonOption = False,
) -> None:
    """Say what is wrong with an installation; exit code 3 if something is."""
    from sudare.web.operation.check import check_server, verdict

    findings = check_server(folder, stopped=stopped, hashes=hashes)
    found = verdict(findings)
    if json:
        _show_check_as_json(findings, found)
    else:
        _show_check(folder, findings, found)
    if found == "failed":
        raise typer.Exit(EXIT_ANSWER_NO)


def _show_check_as_json(findings: list[Finding], found: str) -> None:
    texts = spoken()
    told = [
        {"part": finding.part, "status": finding.status, "key": finding.text.key, "text": texts.say(finding.text),
         "hint": texts.say(finding.hint) if finding.hint else None}
        for finding in findings
    ]  # fmt: skip
    show_json("server-check", {"verdict": found, "findings": told})


def _show_check(folder: Path, findings: list[Finding], found: str) -> None:
    texts, out = spoken(), console()
    out.print(texts("server_check.title", folder=folder), style="bold")
    styles = {"failed": "bold red", "warning": "yellow"}
    for finding in findings:
        part, status = texts(f"server_check.part.{finding.part}"), texts(f"server_check.{finding.status}")
        style = styles.get(finding.status, "")
        line = texts("server_check.line", part=part, status=status, text=texts.say(finding.text))
        out.print(line, style=style, soft_wrap=True)
        if finding.hint:
            out.print(f"  {texts.say(finding.hint)}", soft_wrap=True)
    out.print(texts(f"server_check.verdict_{found}"), style=styles.get(found, "bold"))


@guarded
def services(
    folder: FolderArgument,
    out: OutArgument,
    user: Annotated[str, typer.Option(metavar="NAME")] = "sudare",
    certificate: Annotated[Path | None, READ, typer.Option(metavar="FILE")] = None,
    key: Annotated[Path | None, READ, typer.Option(metavar="FILE")] = None,
) -> None:
    """Write units of systemd and configurations of nginx and Caddy for a server."""
    from sudare.web.operation.unit_files import write_unit_files

    for path in write_unit_files(_settings(folder), out, user=user, certificate=certificate, key=key):
        note_written(path)


@guarded
def demo(
    folder: Annotated[Path, OutputFolder(), typer.Argument(metavar="DIR")] = Path("sudare-server-demo"),
    seed: SeedOption = 0,
) -> None:
    """Fill a new server with a synthetic contest: five teams, three rounds, attacks and results."""
    from sudare.sources.result_folders import filling
    from sudare.web.demo import fill
    from sudare.web.settings import ServerSettings, write_settings
    from sudare.web.storage.files import FileStore
    from sudare.web.storage.private import owner_only

    with owner_only(), filling(folder):
        settings = ServerSettings(folder)
        write_settings(settings)
        files = FileStore(settings.files)
        files.make()
        with shown_progress() as progress, _open(settings) as database:
            progress(message("progress.filling_contest"), 0, 1)
            made = fill(settings, database, files, seed=seed)
    names = ", ".join((made.organizer, *made.teams))
    note("notes.server_demo", folder=folder)
    console().print(spoken()("notes.log_in_as", names=names, password=made.password), soft_wrap=True)


@guarded
def add(
    folder: FolderArgument,
    name: LoginArgument,
    can_create_contests: Annotated[bool, typer.Option("--can-create-contests")] = False,
) -> None:
    """Add an account and print the link with which its password is chosen."""
    settings = _settings(folder)
    console().print(_add_user(settings, name, admin=can_create_contests), soft_wrap=True)


@guarded
def list_users(folder: FolderArgument, json: JsonOption = False) -> None:
    """List the accounts."""
    from sqlalchemy import select

    from sudare.web.storage.people import User

    with _open(_settings(folder)) as database, database.reading() as session:
        found = session.scalars(select(User).order_by(User.login)).all()
    if json:
        show_json(
            "users",
            {"users": [{"login": user.login, "admin": user.admin, "disabled": user.disabled} for user in found]},
        )
        return
    for user in found:
        console().print(f"{user.login}{' (admin)' if user.admin else ''}")


@guarded
def reset(folder: FolderArgument, name: LoginArgument) -> None:
    """Print a link with which a user chooses a new password."""
    from sqlalchemy import select

    from sudare.web.game.accounts import make_reset
    from sudare.web.storage.people import User

    settings = _settings(folder)
    with _open(settings) as database, database.writing() as session:
        user = session.scalars(select(User).where(User.login == name.casefold())).first()
        if user is None:
            raise OptionNotUsable("errors.usage.no_user", name=name, folder=folder)
        token = make_reset(session, None, settings, user)
    console().print(f"{settings.public_url.rstrip('/')}/resets/{token}", soft_wrap=True)


def _settings(folder: Path, host: str | None = None, port: int | None = None) -> ServerSettings:
    from dataclasses import replace

    from sudare.web.settings import load_settings

    found = load_settings(folder)
    return replace(found, host=host or found.host, port=port or found.port)


def _private_settings(folder: Path, host: str | None = None, port: int | None = None) -> ServerSettings:
    from sudare.web.storage.private import check_private

    found = _settings(folder, host, port)
    check_private(found)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        if found.log_format == "json":
            _log(found).warning("runs_as_root", "")
        else:
            note("notes.runs_as_root")
    return found


def _tell_serving(settings: ServerSettings) -> None:
    if settings.log_format == "json":
        _log(settings).info("serving", host=settings.host, port=settings.port)
    else:
        note("notes.serving", url=settings.public_url, host=settings.host, port=settings.port)


def _log(settings: ServerSettings) -> Log:
    from sudare.web.operation.log import Log

    return Log(settings.log_format, settings.log_level)


@contextmanager
def _open(settings: ServerSettings) -> Iterator[Database]:
    from sudare.web.storage.database import Database

    database = Database(settings.database_url)
    try:
        database.migrate()
        yield database
    finally:
        database.close()


def _add_user(settings: ServerSettings, name: str, *, admin: bool) -> str:
    """Add a user with a password that nobody knows and return the link with which one is chosen."""
    from sudare.web.game.accounts import add_user, make_reset
    from sudare.web.http.security import new_token

    with _open(settings) as database, database.writing() as session:
        user = add_user(session, name, new_token(), admin=admin)
        token = make_reset(session, None, settings, user)
    return f"{settings.public_url.rstrip('/')}/resets/{token}"
