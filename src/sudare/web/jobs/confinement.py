"""What the process of a job gives up before it reads a file: privileges, the environment, the network, the file system.

Each measure is taken where the system offers it; none is needed for a job to work. Linux only:

- no new privileges (prctl) and no capabilities of root (capset);
- seccomp: no sockets, programs, signals to others, tracing, mounts, namespaces or keys;
- Landlock: of files, those of the system, of Python and of the job are read; only the job's folder and that of compiled
  kernels are written.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
import struct
import sys
from collections.abc import Collection, Iterator, MutableMapping
from pathlib import Path
from typing import Literal, get_args

from sudare.kernels.store import folder as kernel_folder

Measure = Literal["privileges", "capabilities", "calls", "files"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

# What a job needs of the environment; passwords, tokens and addresses of databases are not among it.
ENVIRONMENT = {
    "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV", "XDG_CACHE_HOME",
    "SUDARE_CACHE_DIR", "SUDARE_LANG",
}  # fmt: skip
ENVIRONMENT_STARTS = ("LC_", "PYTHON", "NUMBA_", "OMP_", "MKL_", "OPENBLAS_", "COVERAGE_")

_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_CAPABILITIES_VERSION = 0x20080522
# Root reads files of other users by this one.
_OVERRIDE = 1 << 1

# Numbers of system calls that no job makes: for x86-64 and for ARM64.
_DENIED: dict[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        (
            41, 42, 43, 49, 50, 288,  # socket, connect, accept, bind, listen, accept4
            59, 322, 62, 200, 129, 101, 310, 311,  # execve, execveat, kill, tkill, sigqueue, ptrace, others' memory
            165, 166, 155, 161, 272, 308, 428, 429, 430, 442,  # mounts, roots, namespaces
            321, 298, 323, 425, 248, 249, 250, 424, 434, 438, 304,  # programs of the kernel, keys, handles
            175, 313, 176, 246, 320, 169, 167, 168,  # modules, other kernels, swap
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            198, 203, 202, 200, 201, 242,
            221, 281, 129, 130, 138, 117, 270, 271,
            40, 39, 41, 51, 97, 268, 428, 429, 430, 442,
            280, 241, 282, 425, 217, 218, 219, 424, 434, 438, 265,
            105, 273, 106, 104, 294, 142, 224, 225,
        ),
    ),
}  # fmt: skip
_OTHER_NUMBERS = 0x40000000  # those of x32, which would pass by the list

_CREATE_RULES, _ADD_RULE, _RESTRICT = 444, 445, 446
# Rights of Landlock by the version that knows them: the last is that of cutting files.
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}
_READ, _FILE_RIGHTS = 0b1101, 0b111 | 1 << 14  # execute, read files and folders; what a rule of a file may have
_TCP = 0b11


def confine(files: Collection[str], folder: Path) -> set[Measure]:
    """Give up whatever a job that reads some files and writes into a folder does not need; return what could be."""
    prune_environment(os.environ)
    os.environ["TMPDIR"] = str(folder)
    if not sys.platform.startswith("linux"):
        return set()
    libc = ctypes.CDLL(None, use_errno=True)
    taken: set[Measure] = set()
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        taken.add("privileges")
    if _restrict_files(libc, files, folder):
        taken.add("files")
    if _drop_capabilities(libc, [*files, str(folder)]):
        taken.add("capabilities")
    if "privileges" in taken and _deny_calls(libc):
        taken.add("calls")
    return taken


def prune_environment(environment: MutableMapping[str, str]) -> None:
    """Take away what a job does not need of an environment."""
    for name in list(environment):
        if name not in ENVIRONMENT and not name.startswith(ENVIRONMENT_STARTS):
            del environment[name]


def _drop_capabilities(libc: ctypes.CDLL, files: list[str]) -> bool:
    own = all(Path(path).stat().st_uid == os.geteuid() for path in files if Path(path).exists())
    kept = 0 if own else _OVERRIDE
    head = struct.pack("Ii", _CAPABILITIES_VERSION, 0)
    return bool(libc.capset(head, struct.pack("6I", kept, kept, 0, 0, 0, 0)) == 0)


def _deny_calls(libc: ctypes.CDLL) -> bool:
    """Answer calls that no job makes as not permitted, by a program of the kernel's packet filter."""
    known = _DENIED.get(platform.machine())
    if known is None:
        return False
    architecture, numbers = known
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    denied, allowed = 0x00050000 | errno.EPERM, 0x7FFF0000
    # A jump passes over a number of lines; the last line denies. The architecture is at 4, the number of the call at 0.
    end = len(numbers) + 5
    program = [(load, 0, 0, 4), (equal, 0, end - 2, architecture), (load, 0, 0, 0)]
    program.append((at_least, end - 4, 0, _OTHER_NUMBERS))
    program += [(equal, end - 1 - line, 0, number) for line, number in enumerate(numbers, start=4)]
    program += [(answer, 0, 0, allowed), (answer, 0, 0, denied)]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    held = ctypes.create_string_buffer(code, len(code))
    given = struct.pack("HxxxxxxP", len(program), ctypes.addressof(held))
    return bool(libc.prctl(_SET_SECCOMP, _FILTER, given, 0, 0) == 0)


def _restrict_files(libc: ctypes.CDLL, files: Collection[str], folder: Path) -> bool:
    version = libc.syscall(_CREATE_RULES, None, 0, 1)
    if version < 1:
        return False
    rights = _RIGHTS[min(version, max(_RIGHTS))]
    given = struct.pack("QQ", rights, _TCP) if version >= 4 else struct.pack("Q", rights)
    rules = libc.syscall(_CREATE_RULES, given, len(given), 0)
    if rules < 0:
        return False
    try:
        for path in {*_system(), *files}:
            _allow(libc, rules, path, _READ & rights)
        for path in ("/dev/null", "/dev/zero"):
            _allow(libc, rules, path, (_READ | 1 << 1) & rights)
        for path in (str(folder), str(kernel_folder())):
            _allow(libc, rules, path, rights)
        return bool(libc.syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _system() -> Iterator[str]:
    """Yield what programs read: the system, Python and its packages."""
    yield from ("/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", "/sys", "/dev/urandom", "/dev/random")
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix)
    yield from (path for path in sys.path if path and Path(path).is_absolute())


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    """Allow what is done below a path; one that is not there needs no rule."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            rights &= _FILE_RIGHTS
        libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, handle), 0)
    finally:
        os.close(handle)
