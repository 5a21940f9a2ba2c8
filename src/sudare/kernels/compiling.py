"""Compiling kernels to machine code with numba, in a separate process.

numba makes every function that a kernel calls ready to be called from Python too: it optimizes it, with all that it
calls in turn, translates it, and wraps it. For the kernels here that was three quarters of the time. In this process
inner functions are linked only, and one optimization sees the whole kernel; what Python calls is a single function that
takes and gives slots (see kinds.py), so that calling it needs no numba.
"""

from __future__ import annotations

import importlib
import json
import select
import sys
import time
from collections.abc import Callable, Sequence
from types import FunctionType

import numpy as np
from llvmlite import ir
from numba import _dynfunc, njit, types
from numba.core import cgutils, codegen, compiler, registry, targetconfig
from numba.core.base import BaseContext
from numba.core.dispatcher import Dispatcher
from numba.core.extending import overload
from numba.core.funcdesc import FunctionDescriptor
from numba.core.runtime import nrtdynmod
from numba.core.typing import BaseContext as TypingContext, Signature
from numba.np import arrayobj, numpy_support

from sudare.kernels import kinds, store
from sudare.kernels.entry import INLINED, INNER, is_inner, plain
from sudare.kernels.kinds import Kind

SLOT = ir.IntType(64)
# A server has all it needs compiled soon after its start.
IDLE_SECONDS = 60
OPTIONS = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
SCALARS = {
    kinds.INTEGER: types.int64,
    kinds.UNSIGNED: types.uint64,
    kinds.FLOAT: types.float64,
    kinds.TRUTH: types.boolean,
}


class _Library(codegen.JITCodeLibrary):
    """What is compiled for one function: linked with what it calls, and left as it is."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def machine_code(self, exported: set[str]) -> bytes:
        """Return the object file of the library, optimized as a whole."""
        self._ensure_finalized()
        for value in (*self._final_module.functions, *self._final_module.global_variables):
            if not value.is_declaration and value.name not in exported:
                value.linkage = "internal"
        self._optimize_final_module()
        self._final_module.verify()
        machine: bytes = self._codegen._tm.emit_object(self._final_module)
        return machine


def _refuse_shapes(source: object, target: object) -> None:
    """Raise that an array does not fit where it is assigned."""


@overload(_refuse_shapes)
def _refuse_any_shapes(source: object, target: object) -> Callable[[object, object], None]:  # noqa: ARG001
    def refuse(source: object, target: object) -> None:  # noqa: ARG001
        raise ValueError("an array is assigned to a part of another one that is not as large")

    return refuse


def _define_counting(module: ir.Module, operation: str, ordering: str) -> ir.Function:  # noqa: ARG001
    """Add the function that adds 1 to, or subtracts it from, the references to a block of memory; it returns how many.

    numba locks each step against other threads, which takes a tenth of the time of some kernels. Here no two threads
    count the references to one block: those to arrays that Python hands over are not counted, others are the kernel's
    own until it returns them, and Python releases them one after another (loading.py).
    """
    function = ir.Function(module, ir.FunctionType(SLOT, [SLOT.as_pointer()]), f"nrt_atomic_{operation}")
    builder = ir.IRBuilder(function.append_basic_block())
    references = getattr(builder, operation)(builder.load(function.args[0]), ir.Constant(SLOT, 1))
    builder.store(references, function.args[0])
    builder.ret(references)
    return function


def prepare() -> None:
    """Make numba compile no more than a kernel needs."""
    target = registry.cpu_target.target_context
    target._internal_codegen._library_class = _Library
    target.get_executable = _known_by
    # numba's own message has both shapes in it; to compile what writes them takes longer than most kernels.
    arrayobj.raise_with_shape_context = _refuse_shapes
    nrtdynmod._define_atomic_inc_dec = _define_counting
    types.BaseFunction.get_call_type = _remembered(types.BaseFunction.get_call_type)


Find = Callable[[types.BaseFunction, TypingContext, Sequence[types.Type], dict[str, types.Type]], Signature]


def _remembered(find: Find) -> Find:
    """Return a way to find the signature of a call that finds each once; numba tries all it knows each time."""
    known: dict[tuple[object, ...], Signature] = {}

    def look_up(
        function: types.BaseFunction,
        context: TypingContext,
        arguments: Sequence[types.Type],
        named: dict[str, types.Type],
    ) -> Signature:
        flags = targetconfig.ConfigStack.top_or_none()
        key = (function, tuple(arguments), tuple(named.items()), str(flags and flags._values))
        if key not in known:
            known[key] = find(function, context, arguments, named)
        return known[key]

    return look_up


def serve() -> None:
    """Compile what is asked for, line by line, until nobody asks any more."""
    prepare()
    # Whoever asks waits for the answer, so that no line is left in a buffer.
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0] and (line := sys.stdin.readline()):
        module, name, read = json.loads(line)
        given = kinds.as_kinds(read)
        function = plain(getattr(importlib.import_module(module), name))
        try:
            begun = time.process_time()
            store.keep(function, given, *compiled(function, given), time.process_time() - begun)
            answer = ""
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)  # noqa: T201


def _known_by(library: _Library, description: FunctionDescriptor, environment: object) -> object:
    """Return what numba knows a compiled function by; nobody calls it here."""
    return _dynfunc.make_function(description.lookup_module(), description.qualname, "", 0, environment, (library,))


def compiled(function: FunctionType, given: tuple[Kind, ...]) -> tuple[Kind, bytes]:
    """Return the kind of the result and the machine code of a kernel for arguments of these kinds."""
    typing, target = registry.cpu_target.typing_context, registry.cpu_target.target_context
    target.refresh()
    typing.refresh()
    flags = compiler.Flags()
    registry.cpu_target.options.parse_as_flags(flags, {"nopython": True, **OPTIONS})
    flags.no_compile = True
    result = compiler.compile_extra(
        typing, target, _with_inner_functions(function), tuple(map(_type, given)), None, flags, {}
    )
    returned = _kind(result.signature.return_type)
    _add_way_in(compiler._make_subtarget(target, flags), result)
    return returned, result.library.machine_code({store.CALL, store.RELEASE})


_namespaces: dict[str, dict[str, object]] = {}


def _namespace(module: str) -> dict[str, object]:
    """Return the names of a module, where inner functions are compiled as they are needed."""
    if module not in _namespaces:
        names = _namespaces[module] = dict(vars(sys.modules[module]))
        for name, value in list(names.items()):
            if is_inner(value):
                names[name] = _inner(value)
    return _namespaces[module]


_inner_functions: dict[FunctionType, Dispatcher] = {}


def _inner(function: FunctionType) -> Dispatcher:
    made = _with_inner_functions(function)  # makes all inner functions of its module, too
    if function not in _inner_functions:
        inlined = getattr(function, INNER) == INLINED
        _inner_functions[function] = njit(forceinline=inlined, **OPTIONS)(made)
    return _inner_functions[function]


def _with_inner_functions(function: FunctionType) -> FunctionType:
    made = FunctionType(function.__code__, _namespace(function.__module__), function.__name__, function.__defaults__)
    made.__module__ = function.__module__
    return made


def _type(kind: Kind) -> types.Type:
    if isinstance(kind, str):
        return types.NumPyRandomGeneratorType("rng") if kind == kinds.RANDOM else SCALARS[kind]
    if kind[0] == kinds.ARRAY:
        return types.Array(numpy_support.from_dtype(np.dtype(kind[1])), kind[2], kind[3])
    members = list(map(_type, kind[2:]))
    return types.NamedTuple(members, kinds.named(kind[1])) if kind[1] else types.Tuple(members)


def _kind(type_: types.Type) -> Kind:
    if isinstance(type_, types.Array):
        return (kinds.ARRAY, numpy_support.as_dtype(type_.dtype).str, type_.ndim, "A")
    if isinstance(type_, types.NamedTuple | types.NamedUniTuple):
        class_ = type_.instance_class
        return kinds.tuple_kind(f"{class_.__module__}:{class_.__qualname__}", map(_kind, type_.types))
    if isinstance(type_, types.BaseTuple):
        return kinds.tuple_kind("", map(_kind, type_.types))
    if isinstance(type_, types.Integer):
        return kinds.INTEGER if type_.signed or type_.bitwidth < 64 else kinds.UNSIGNED
    if isinstance(type_, types.Float):
        return kinds.FLOAT
    return {types.boolean: kinds.TRUTH, types.none: kinds.NOTHING}[type_]


def _add_way_in(target: BaseContext, result: compiler.CompileResult) -> None:
    """Add the function that is called with slots, and the one that releases the memory of an array."""
    module = target.create_module("way-in")
    callee = ir.Function(
        module,
        target.call_conv.get_function_type(result.fndesc.restype, result.fndesc.argtypes),
        result.fndesc.llvm_func_name,
    )
    way_in = ir.Function(module, ir.FunctionType(ir.IntType(32), [SLOT.as_pointer()] * 2), store.CALL)
    builder = ir.IRBuilder(way_in.append_basic_block("entry"))
    slots = _Slots(builder, way_in.args[0])
    arguments = [_taken(target, builder, type_, slots) for type_ in result.fndesc.argtypes]
    status, value = target.call_conv.call_function(
        builder, callee, result.fndesc.restype, result.fndesc.argtypes, arguments
    )
    with builder.if_then(status.is_error, likely=False):
        raised = builder.select(status.is_user_exc, builder.ptrtoint(status.excinfoptr, SLOT), ir.Constant(SLOT, 0))
        _Slots(builder, way_in.args[1]).put(raised)
        builder.ret(ir.Constant(ir.IntType(32), 1))
    _give(target, builder, result.fndesc.restype, value, _Slots(builder, way_in.args[1]))
    builder.ret(ir.Constant(ir.IntType(32), 0))
    _add_release(target, module)
    result.library.add_ir_module(module)


def _add_release(target: BaseContext, module: ir.Module) -> None:
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [SLOT]), store.RELEASE)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    block = types.MemInfoPointer(types.voidptr)
    target.nrt.decref(builder, block, builder.inttoptr(function.args[0], target.get_value_type(block)))
    builder.ret_void()


class _Slots:
    """Slots one after another."""

    def __init__(self, builder: ir.IRBuilder, first: ir.Value) -> None:
        self._builder, self._first, self._next = builder, first, 0

    def _place(self) -> ir.Value:
        place = self._builder.gep(self._first, [ir.Constant(SLOT, self._next)])
        self._next += 1
        return place

    def take(self) -> ir.Value:
        return self._builder.load(self._place())

    def put(self, value: ir.Value) -> None:
        self._builder.store(value, self._place())


def _taken(target: BaseContext, builder: ir.IRBuilder, type_: types.Type, slots: _Slots) -> ir.Value:
    """Make an argument of its slots."""
    if isinstance(type_, types.Array):
        array = target.make_array(type_)(target, builder)
        data = builder.inttoptr(slots.take(), array.data.type)
        shape = [slots.take() for _ in range(type_.ndim)]
        strides = [slots.take() for _ in range(type_.ndim)]
        itemsize = ir.Constant(SLOT, target.get_abi_sizeof(target.get_data_type(type_.dtype)))
        arrayobj.populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
        return array._getvalue()
    if isinstance(type_, types.BaseTuple):
        return target.make_tuple(builder, type_, [_taken(target, builder, member, slots) for member in type_.types])
    if isinstance(type_, types.NumPyRandomGeneratorType):
        return _random(target, builder, type_, slots)
    slot = slots.take()
    if isinstance(type_, types.Float):
        return builder.bitcast(slot, ir.DoubleType())
    return builder.trunc(slot, ir.IntType(1)) if type_ == types.boolean else slot


def _random(target: BaseContext, builder: ir.IRBuilder, type_: types.Type, slots: _Slots) -> ir.Value:
    random = cgutils.create_struct_proxy(type_)(target, builder)
    bits = cgutils.create_struct_proxy(types.NumPyRandomBitGeneratorType("bit_generator"))(target, builder)
    bits.parent = cgutils.get_null_value(bits.parent.type)
    for name in ("state_address", "state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double"):
        setattr(bits, name, slots.take())
    bits.bit_generator = slots.take()
    random.bit_generator = bits._getvalue()
    random.meminfo = cgutils.get_null_value(random.meminfo.type)
    random.parent = cgutils.get_null_value(random.parent.type)
    return random._getvalue()


def _give(target: BaseContext, builder: ir.IRBuilder, type_: types.Type, value: ir.Value, slots: _Slots) -> None:
    """Write a result into slots; whoever takes it has to release its memory."""
    if isinstance(type_, types.Array):
        array = target.make_array(type_)(target, builder, value)
        for address in (array.meminfo, array.data):
            slots.put(builder.ptrtoint(address, SLOT))
        for number in (*cgutils.unpack_tuple(builder, array.shape), *cgutils.unpack_tuple(builder, array.strides)):
            slots.put(number)
    elif isinstance(type_, types.BaseTuple):
        for place, member in enumerate(type_.types):
            _give(target, builder, member, builder.extract_value(value, place), slots)
    elif isinstance(type_, types.Float):
        slots.put(builder.bitcast(target.cast(builder, value, type_, types.float64), SLOT))
    elif type_ == types.boolean:
        slots.put(builder.zext(value, SLOT))
    elif isinstance(type_, types.Integer):
        slots.put(target.cast(builder, value, type_, types.int64))
