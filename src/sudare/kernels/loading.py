"""Calling compiled kernels: llvmlite links them, ctypes calls them, without Python's lock."""

from __future__ import annotations

import atexit
import ctypes
import functools
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from pathlib import Path
from types import FunctionType, ModuleType

from llvmlite import binding

from sudare import interruption
from sudare.kernels import store
from sudare.kernels.kinds import Kind, add_slots, value_of, width

_lock = threading.Lock()
_SERVE = "import sys; sys.path[:] = sys.argv[1:]; from sudare.kernels.compiling import serve; serve()"


def load(function: FunctionType, given: tuple[Kind, ...]) -> Callable[[tuple[object, ...]], object]:
    """Return a kernel that is called with a tuple of arguments of these kinds."""
    with _lock:
        found = store.find(function, given)
        if found is None:
            with store.locked(function, given):  # others wait instead of compiling the same
                found = store.find(function, given)
                if found is None:
                    _compile(function, given)
                    found = store.find(function, given)
        if found is None:
            raise RuntimeError(f"{function.__module__}.{function.__name__} was compiled, but not kept")
        return _Compiled(*found)


class _Compiled:
    """A kernel as machine code."""

    def __init__(self, returned: Kind, code: bytes) -> None:
        _add_symbols()
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target().create_target_machine())
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        address = self._engine.get_function_address
        self._call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(address(store.CALL))
        # With the lock of Python: references are counted by one thread at a time.
        self._release_block = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(address(store.RELEASE))
        self._returned, self._width = returned, max(1, width(returned))

    def __call__(self, arguments: tuple[object, ...]) -> object:
        given: list[int] = []
        add_slots(arguments, given)
        found = (ctypes.c_int64 * self._width)()
        if self._call((ctypes.c_int64 * len(given))(*given), found):
            raise _raised(found[0])
        return value_of(self._returned, iter(found), arguments, self._release)

    def _release(self, block: int) -> None:
        """Release memory; whoever holds this method holds the machine code too."""
        self._release_block(block)


class _Raised(ctypes.Structure):
    """How numba writes down an exception: class, arguments and place, pickled."""

    _fields_ = (("pickled", ctypes.c_void_p), ("length", ctypes.c_int32))


def _raised(address: int) -> BaseException:
    if not address:
        return RuntimeError("a kernel failed")
    note = _Raised.from_address(address)
    class_, arguments, _ = pickle.loads(ctypes.string_at(note.pickled, note.length))  # noqa: S301
    raised: BaseException = class_(*(arguments or ()))
    return raised


@functools.cache
def _target() -> binding.Target:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


@functools.cache
def _add_symbols() -> None:
    """Make known what machine code calls: memory and arithmetic, in two modules of numba that are written in C.

    They are loaded without the rest of numba, which takes longer to import than most commands work.
    """
    for folder, name, prefix in (("core/runtime", "_nrt_python", "NRT_"), ("", "_helperlib", "numba_")):
        for symbol, address in _extension(folder, name).c_helpers.items():
            binding.add_symbol(symbol if symbol.startswith("_") else prefix + symbol, address)


def _extension(folder: str, name: str) -> ModuleType:
    numba = importlib.util.find_spec("numba")
    places = [str(Path(place, folder)) for place in (numba and numba.submodule_search_locations) or ()]
    found = PathFinder.find_spec(name, places)
    if found is None or found.origin is None:
        raise ImportError(f"numba has no {name}; install a version of numba that sudare names in its dependencies")
    # Under its full name, so that numba, if somebody imports it later, finds the module initialized.
    whole = ".".join(("numba", *Path(folder).parts, name))
    loader = ExtensionFileLoader(whole, found.origin)
    module = importlib.util.module_from_spec(ModuleSpec(whole, loader, origin=found.origin))
    loader.exec_module(module)
    return module


class Compiler:
    """A process that compiles; it ends with this one, or when it has had nothing to do for a while."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def compile(self, function: FunctionType, given: tuple[Kind, ...]) -> None:
        """Have a kernel compiled and kept."""
        question = json.dumps((function.__module__, function.__name__, given)).encode()
        # Asked a second time, it is a new process: the first may just have ended.
        answer = self._ask(question) or self._ask(question)
        why = json.loads(answer) if answer else "the process ended"
        if why:
            raise RuntimeError(f"{function.__module__}.{function.__name__} cannot be compiled: {why}")

    def _ask(self, question: bytes) -> bytes:
        """Return what the process answers to a line; nothing if it has ended."""
        self._process = self._process or self._start()
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None and answered is not None  # noqa: S101
        with suppress(BrokenPipeError):
            asked.write(question + b"\n")
            asked.flush()
        answer = answered.readline()
        if not answer:
            self.end()
            interruption.safe_point()
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        atexit.register(self.end)
        interruption.watch(self)
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-I", "-c", _SERVE, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what it has to say it answers
            env={**os.environ, store.FOLDER: str(store.folder())},
            start_new_session=True,  # Ctrl-C is for this process, which ends it
        )

    def interrupt(self) -> None:
        """Let whoever waits for the process go on; but a kernel that an answer needs to be returned is compiled."""
        process = self._process
        if process and interruption.is_asked():
            process.kill()

    def end(self) -> None:
        """End the process, if there is one."""
        atexit.unregister(self.end)
        process, self._process = self._process, None
        if process is None:
            return
        # First of all: another thread may be waiting for an answer, and pipes cannot be closed meanwhile.
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


# One for each process: after a fork the pipes belong to the parent.
_compilers: dict[int, Compiler] = {}


def _compile(function: FunctionType, given: tuple[Kind, ...]) -> None:
    _compilers.setdefault(os.getpid(), Compiler()).compile(function, given)
