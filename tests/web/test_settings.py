"""The settings of a server's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.web.settings import ServerSettings, load_settings, write_settings


def test_settings_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = ServerSettings(tmp_path, public_url='https://"quoted"\\', port=9000)
    write_settings(written)
    assert load_settings(tmp_path) == written
    with pytest.raises(OptionNotUsable, match="already exists"):
        write_settings(written)


def test_the_database_is_in_the_folder_unless_said_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDARE_DATABASE", raising=False)
    assert ServerSettings(tmp_path).database_url == f"sqlite:///{tmp_path}/server.sqlite"
    assert ServerSettings(tmp_path, database="postgresql+psycopg://h/d").database_url == "postgresql+psycopg://h/d"
    monkeypatch.setenv("SUDARE_DATABASE", "postgresql+psycopg://u:p@h/d")
    assert ServerSettings(tmp_path).database_url == "postgresql+psycopg://u:p@h/d"


@pytest.mark.parametrize("text", ["colour = 1", "port = 'x'", "port = 0", "port ="])
def test_bad_settings_are_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises((OptionNotUsable, SourceNotReadable), match="Hint: "):
        load_settings(tmp_path)


def test_a_folder_without_settings_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match="sudare server init"):
        load_settings(tmp_path)
