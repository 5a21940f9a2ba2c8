"""Compiled kernels on disk: one file per kernel and argument types, found by a hash of what it was made from.

The name of a file has a digest of the sources that the kernel needs, of the compiler and of the processor. So a file
serves every environment in which these are the same, and no upgrade of anything else makes it useless. A file that is
not whole, or that something else wrote, counts as missing: it is compiled again and replaced.

A wheel carries kernels for any processor of its kind (`PACKAGED`, made by hatch_build.py). All others are compiled for
the processor of the machine and kept in the user's folder.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import inspect
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import TypedDict

from llvmlite import binding

try:
    import fcntl
except ImportError:  # not on Windows, where two processes may compile the same
    fcntl = None  # type: ignore[assignment]

from sudare.kernels.kinds import Kind, as_kind

# Names of the two functions in a file.
CALL, RELEASE = "sudare_call", "sudare_release"
FOLDER = "SUDARE_CACHE_DIR"
PACKAGED = Path(__file__).with_name("compiled")
# How numba is told to compile for any processor, and what it says of that processor.
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
# The modules beside this one that decide what is in a file: how kernels are compiled, and how arguments are laid out.
MAKERS = ("compiling.py", "kinds.py", "store.py")


class Head(TypedDict):
    """What the first line of a file says of the machine code below it."""

    kernel: str
    given: tuple[Kind, ...]
    returned: Kind
    seconds: float
    digest: str


def find(function: FunctionType, given: tuple[Kind, ...]) -> tuple[Kind, bytes] | None:
    """Return the kind of the result and the machine code of a kernel, if it has been compiled."""
    for place in (PACKAGED / _name(function, given, tuple(GENERIC.values())), path(function, given)):
        try:
            head, code = read(place)
            return as_kind(head["returned"]), code
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def read(path: Path) -> tuple[Head, bytes]:
    """Return the head and the machine code in a file; ValueError if the file is not as it was written."""
    line, _, code = path.read_bytes().partition(b"\n")
    head: Head = json.loads(line)
    if head["digest"] != hashlib.sha256(code).hexdigest():
        raise ValueError(f"{path.name} is damaged")
    return head, code


def keep(function: FunctionType, given: tuple[Kind, ...], returned: Kind, code: bytes, seconds: float) -> None:
    """Keep the machine code of a kernel, and how long it took to compile."""
    whole = path(function, given)
    head: Head = {
        "kernel": f"{function.__module__}.{function.__name__}",
        "given": given,
        "returned": returned,
        "seconds": seconds,
        "digest": hashlib.sha256(code).hexdigest(),
    }
    with tempfile.NamedTemporaryFile(dir=whole.parent, prefix=".", delete=False) as file:
        file.write(json.dumps(head).encode() + b"\n" + code)
    Path(file.name).replace(whole)


@contextmanager
def locked(function: FunctionType, given: tuple[Kind, ...]) -> Iterator[None]:
    """Let one process at a time compile a kernel."""
    place = path(function, given)
    with (place.parent / f".{place.name}.lock").open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            Path(file.name).unlink(missing_ok=True)


def path(function: FunctionType, given: tuple[Kind, ...]) -> Path:
    """Return where a kernel is kept that is compiled for the processor of this machine."""
    return folder() / _name(function, given, _processor())


def _name(function: FunctionType, given: tuple[Kind, ...], processor: tuple[str, ...]) -> str:
    made_of = (*_environment(), *processor, json.dumps(given), _sources(function.__module__))
    digest = hashlib.sha256("\n".join(made_of).encode()).hexdigest()
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}-{digest[:32]}"


@functools.cache
def folder() -> Path:
    """Return the folder of compiled kernels: the user's, or one of this process alone where that cannot be had."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    chosen = Path(os.environ.get(FOLDER) or home / "sudare" / "kernels")
    try:
        chosen.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(chosen, os.W_OK) and _is_ours(chosen):
            return chosen
    except OSError:
        pass
    return _own_folder()


def _is_ours(folder: Path) -> bool:
    """Tell whether nobody else can put code into a folder."""
    if sys.platform == "win32":
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _own_folder() -> Path:
    made = tempfile.mkdtemp(prefix="sudare-kernels-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


@functools.cache
def _sources(module: str) -> str:
    """Return the sources of a module of kernels and of all that it imports from others, constants included."""
    found, left = dict[str, str](), [module]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = _source(name)
            left += re.findall(r"^from (sudare\.kernels\.(?:entry|\w+\.\w+)) import", found[name], re.MULTILINE)
    return "\n".join(found[name] for name in sorted(found))


@functools.cache
def _source(module: str) -> str:
    return inspect.getsource(sys.modules[module])


@functools.cache
def _environment() -> tuple[str, ...]:
    """Return what machine code depends on beside the sources and the processor."""
    return (
        *(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in MAKERS),
        *(f"{name} {version(name)}" for name in ("numba", "llvmlite")),
        str(sys.implementation.cache_tag),
        binding.get_process_triple(),
    )


@functools.cache
def _processor() -> tuple[str, ...]:
    """Return the name and the features of the processor that numba compiles for."""
    name, features = (os.environ.get(variable) for variable in GENERIC)
    return (
        binding.get_host_cpu_name() if name is None else name,
        binding.get_host_cpu_features().flatten() if features is None else features,
    )
