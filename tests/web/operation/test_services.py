"""Units of systemd and configurations of nginx and Caddy: checked by these programs, and started before a server."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.web.operation.check import check_server
from sudare.web.operation.unit_files import NAMES, write_unit_files
from sudare.web.settings import SETTINGS_FILE, ServerSettings, write_settings
from sudare.web.storage.models import AuditAddress, AuditEntry
from tests.web.conftest import Masters, RunningServer, csrf, free_port, make_contest, new_settings, wait_for_port
from tests.web.operation.test_check import wrong
from tests.web.operation.test_monitoring import let_sign
from tests.web.small_contest import PASSWORD, anonymized

run = CliRunner()
slow = pytest.mark.slow


def needed(program: str) -> str:
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    if not found:
        pytest.skip(f"{program} is not installed")
    return found


def test_files_are_fitted_to_the_settings(tmp_path: Path) -> None:
    settings = ServerSettings(tmp_path / "a cup%", host="::1", port=8123, public_url="https://cup.example")
    write_unit_files(settings, tmp_path / "out", user="contest")
    texts = {name: (tmp_path / "out" / name).read_text() for name in NAMES}
    unit, nginx, caddy = texts["sudare.service"], texts["nginx.conf"], texts["Caddyfile"]
    folder = f'"{tmp_path}/a cup%%"'
    assert f"server run {folder}\n" in unit
    assert f"ReadWritePaths={folder}\n" in unit
    assert "User=contest\n" in unit
    assert "proxy_pass http://[::1]:8123;" in nginx
    assert "return 301 https://cup.example$request_uri;" in nginx
    assert "client_max_body_size 50065536;" in nginx
    assert "ssl_certificate /etc/letsencrypt/live/cup.example/fullchain.pem;" in nginx
    assert "\nhttps://cup.example {\n" in caddy
    assert "reverse_proxy http://[::1]:8123" in caddy
    assert all("{%" not in text and "{{" not in text for text in texts.values())


def test_the_command_writes_them_and_tells_what_it_needs(tmp_path: Path) -> None:
    folder = str(tmp_path / "cup")
    assert run.invoke(app, ["server", "init", folder, "--public-url", "http://cup.example:8080"]).exit_code == 0
    done = run.invoke(app, ["server", "services", folder, str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(NAMES)
    assert "listen 8080;" in (tmp_path / "out" / "nginx.conf").read_text()
    assert "ssl" not in (tmp_path / "out" / "nginx.conf").read_text()
    (tmp_path / "key.pem").write_text("x")
    done = run.invoke(app, ["server", "services", folder, str(tmp_path / "o"), "--key", str(tmp_path / "key.pem")])
    assert (done.exit_code, "--certificate" in done.stderr) == (2, True)
    assert not (tmp_path / "o").exists()


@slow
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    program = needed("systemd-analyze")
    folder = tmp_path / "cup"
    folder.mkdir()
    write_unit_files(ServerSettings(folder), tmp_path / "out", user="root")
    units = [str(tmp_path / "out" / name) for name in NAMES if name.endswith(".service")]
    units[2:] = [units[2].replace("@", "@1")]
    shutil.copy(tmp_path / "out" / "sudare-worker@.service", units[2])
    done = subprocess.run([program, "verify", *units], capture_output=True, text=True)
    told = [line for line in done.stderr.splitlines() if "sudare" in line]
    assert (done.returncode, told) == (0, [])
    # It does tell what it does not know.
    Path(units[0]).write_text(Path(units[0]).read_text().replace("[Service]\n", "[Service]\nNoNewPrivilege=yes\n"))
    done = subprocess.run([program, "verify", units[0]], capture_output=True, text=True)
    assert "NoNewPrivilege" in done.stderr


@slow
def test_what_a_unit_starts_becomes_ready_and_ends_when_it_is_told_to(tmp_path: Path, masters: Masters) -> None:
    settings = new_settings(tmp_path / "server")
    masters.copy_tables(settings).close()
    write_unit_files(settings, tmp_path / "out", user="root")
    unit = (tmp_path / "out" / "sudare.service").read_text()
    command = re.search("^ExecStart=(.*)$", unit, re.MULTILINE)
    assert command
    process = subprocess.Popen(shlex.split(command[1]), stderr=subprocess.DEVNULL)
    try:
        wait_for_port(settings.port)
        for _ in range(200):
            if httpx.get(f"{settings.public_url}/ready").status_code == 200:
                break
            time.sleep(0.1)
        assert wrong(check_server(settings.folder)) == {}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    assert process.returncode in (0, -signal.SIGTERM)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate of localhost that is trusted where it is named."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    extensions = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([needed("openssl"), *words.split(), *extensions], check=True, capture_output=True)
    return certificate, key


@contextmanager
def nginx(site: Path, folder: Path) -> Iterator[None]:
    program = needed("nginx")
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.geteuid() == 0 else ""
    main = f"{user}daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\n{temporary}include {site};\n}}\n"
    (folder / "main.conf").write_text(main)
    words = [program, "-p", str(folder), "-c", str(folder / "main.conf"), "-e", str(folder / "error.log")]
    subprocess.run([*words, "-t", "-q"], check=True)
    yield from running_program(words)


@contextmanager
def caddy(site: Path, folder: Path) -> Iterator[None]:
    program = needed("caddy")
    main = folder / "Caddyfile"
    main.write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\nimport {site}\n")
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    adapted = [program, "validate", "--config", str(main), "--adapter", "caddyfile"]
    subprocess.run(adapted, check=True, capture_output=True, env=environment)
    words = [program, "run", "--config", str(main), "--adapter", "caddyfile"]
    yield from running_program(words, environment)


def running_program(words: list[str], environment: dict[str, str] | None = None) -> Iterator[None]:
    process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


@slow
@pytest.mark.parametrize("front", [nginx, caddy], ids=["nginx", "caddy"])
def test_a_server_behind_it_is_reached_as_if_it_had_a_certificate_itself(
    front: object, tmp_path: Path, masters: Masters, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(front.__name__)  # type: ignore[attr-defined]
    certificate, key = make_certificate(tmp_path)
    port = free_port()
    made = new_settings(tmp_path / "server")
    settings = replace(made, public_url=f"https://localhost:{port}", max_upload_bytes=3_000_000)
    (settings.folder / SETTINGS_FILE).unlink()
    write_settings(settings)
    small = make_contest(settings, masters.copy_tables(settings))
    let_sign(small.database)
    site, *_ = [
        path
        for path in write_unit_files(settings, tmp_path / "out", user="x", certificate=certificate, key=key)
        if path.name.lower().startswith(front.__name__)  # type: ignore[attr-defined]
    ]
    folder = tmp_path / "front"
    folder.mkdir()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    running = RunningServer(settings)
    running.start("web")
    try:
        with front(site, folder), httpx.Client(base_url=settings.public_url, timeout=30) as client:  # type: ignore[operator]
            wait_for_port(port)
            assert wrong(check_server(settings.folder)) == {}
            arrived = client.get("/health").json()
            assert arrived == {"status": "ok", "scheme": "https", "host": f"localhost:{port}", "passed_on": True}
            assert client.get("/metrics").status_code == 404

            # A stranger says to be somebody else; the address in the audit log is the one seen.
            form = {"csrf": csrf(client.get("/login")), "login": "blue", "next": "/"}
            same_site = {"Origin": settings.public_url}
            wrong_one = {**same_site, "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
            refused = client.post("/login", data={**form, "password": "wrong password"}, headers=wrong_one)
            assert refused.status_code == 403
            with small.database.reading() as session:
                entry = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
                assert entry and entry.action == "log_in_failed"
                seen = session.scalars(select(AuditAddress.address).where(AuditAddress.entry_id == entry.id)).one()
            assert seen in ("127.0.0.1", "::1")

            entered = client.post("/login", data={**form, "password": PASSWORD}, headers=same_site)
            assert (entered.status_code, entered.headers["location"]) == (303, "/")
            cookie = entered.headers["set-cookie"]
            assert cookie.startswith("__Host-sudare_session=") and "Secure" in cookie
            assert "blue" in client.get("/account").text

            # Uploads: what is allowed arrives, what is larger is refused.
            api = {"Authorization": f"Bearer {small.token('blue', 'read', 'submit')}"}
            address = f"/api/v1/rounds/{small.round}/submissions"
            assert client.post(address, content=anonymized(), headers=api).status_code == 201
            assert client.post(address, content=b"1" * 2_900_000, headers=api).status_code == 201
            # Caddy is still sending when the server has refused; nginx knows the bound itself.
            refusals = (413,) if front is nginx else (413, 502)
            assert client.post(address, content=b"1" * 3_100_000, headers=api).status_code in refusals
            assert client.post(address, content=b"1" * 9_000_000, headers=api).status_code in refusals
    finally:
        running.stop()
        small.database.close()


@slow
def test_without_the_header_lines_the_check_says_which_is_missing(
    tmp_path: Path, masters: Masters, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("nginx")
    certificate, key = make_certificate(tmp_path)
    port = free_port()
    settings = replace(new_settings(tmp_path / "server"), public_url=f"https://localhost:{port}")
    (settings.folder / SETTINGS_FILE).unlink()
    write_settings(settings)
    database = masters.copy_tables(settings)
    let_sign(database)
    database.close()
    write_unit_files(settings, tmp_path / "out", user="x", certificate=certificate, key=key)
    site = tmp_path / "out" / "nginx.conf"
    whole = site.read_text()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    running = RunningServer(settings)
    running.start("web")
    try:
        for line, expected in (
            ("X-Forwarded-Proto", "scheme_lost"),
            ("Host", "host_lost"),
            ("X-Forwarded-For", "address_lost"),
        ):
            site.write_text(re.sub(rf"proxy_set_header {line} .*", "", whole))
            folder = tmp_path / line
            folder.mkdir()
            with nginx(site, folder):
                wait_for_port(port)
                assert wrong(check_server(settings.folder)) == {expected: "failed"}
    finally:
        running.stop()
