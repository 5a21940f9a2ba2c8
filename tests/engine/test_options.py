import pytest

from sudare.engine.options import bytes_of
from sudare.errors import OptionNotUsable


@pytest.mark.parametrize(
    ("text", "expected"), [("512", 512), ("1KB", 1024), ("500MB", 500 << 20), ("1.5GiB", 3 << 29), ("2g", 2 << 30)]
)
def test_sizes_are_read(text: str, expected: int) -> None:
    assert bytes_of(text) == expected


@pytest.mark.parametrize("text", ["plenty", "", "0GB", "-1GB", "2XB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(OptionNotUsable, match="2GB"):
        bytes_of(text)
