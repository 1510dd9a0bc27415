"""Message classes, made at import from the descriptor set that the build puts beside this file.

Generated code would tie the package to one release of protobuf; descriptors work from 3.20 on, whichever of protobuf's
engines (upb, C++, Python) is underneath.

Where a package `s2clientprotocol` is installed whose descriptors are the same as ours, its modules *are* ours, so that
a message may be passed between this package and python-sc2, PySC2 and whatever else uses it. Where it differs, or
cannot be imported, our messages live in a descriptor pool of their own, and the two do not touch. To import it here
first is what makes the order of the imports in a program immaterial.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from types import ModuleType
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, symbol_database
from google.protobuf.internal import enum_type_wrapper

_GAME = "s2clientprotocol/"
_modules: dict[str, ModuleType] = {}
_pools: list[tuple[Any, bool]] = []
"""The one pool that the package's messages are in, and whether it is its own."""


def publish(package: str, folder: str) -> None:
    """Makes each .proto file below a folder importable as a `_pb2` module of a package."""
    parent = sys.modules[package]
    for path, module in _modules.items():
        if path.startswith(folder):
            name = _module_name(path[len(folder) :])
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__ is None:  # By which pickle finds it.
                    value.__module__ = f"{package}.{name}"
            sys.modules[f"{package}.{name}"] = module
            setattr(parent, name, module)


def define(file: Any) -> ModuleType:
    """The module of one more file, a FileDescriptorProto, beside the others."""
    ((pool, own),) = _pools
    pool.AddSerializedFile(file.SerializeToString())
    return _module(pool, file.name, own)


def _load() -> None:
    try:
        data = pathlib.Path(__file__).with_name("_descriptors.binpb").read_bytes()
    except FileNotFoundError:
        raise ImportError(
            "sc2bridge: _descriptors.binpb is missing: the build makes it from proto/. Run ./sc2bridge, or "
            "`dotnet build bridge-csharp/src/Sc2Bridge.Protocol`, then import again."
        ) from None
    files = descriptor_pb2.FileDescriptorSet.FromString(data).file
    installed = _installed([file for file in files if file.name.startswith(_GAME)])
    pool = descriptor_pool.Default() if installed else descriptor_pool.DescriptorPool()
    _pools.append((pool, not installed))
    for file in files:
        if installed and file.name.startswith(_GAME):
            _modules[file.name] = installed[file.name]
        else:
            pool.AddSerializedFile(file.SerializeToString())
            _modules[file.name] = _module(pool, file.name, own=not installed)


def _installed(files: list[Any]) -> dict[str, ModuleType] | None:
    """The modules of an installed s2clientprotocol; None where there is none, or one that differs."""
    modules = {}
    for file in files:
        try:
            module = importlib.import_module(_module_name(file.name.replace("/", ".")))
            other = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        except Exception:  # Code generated for another protobuf fails at import in many ways.
            return None
        if _essence(other) != _essence(file):
            return None
        modules[file.name] = module
    return modules


def _essence(file: Any) -> Any:
    """A file's descriptor without what compilers add or leave out as they please."""
    copy = descriptor_pb2.FileDescriptorProto()
    copy.CopyFrom(file)
    copy.ClearField("source_code_info")
    copy.ClearField("options")
    if copy.syntax == "proto2":
        copy.ClearField("syntax")
    messages = list(copy.message_type)
    while messages:
        message = messages.pop()
        messages.extend(message.nested_type)
        for field in message.field:
            field.ClearField("json_name")
    return copy


def _module_name(path: str) -> str:
    return path[: -len(".proto")] + "_pb2"


def _module(pool: Any, path: str, own: bool) -> ModuleType:
    """What protoc's generated module would offer: messages, enums and the enums' values."""
    file = pool.FindFileByName(path)
    module = ModuleType(_module_name(path.replace("/", ".")), f"The messages of {path}.")
    module.DESCRIPTOR = file  # type: ignore[attr-defined]
    for name, message in file.message_types_by_name.items():
        setattr(module, name, _message_class(pool, message, own))
    for name, enum in file.enum_types_by_name.items():
        setattr(module, name, enum_type_wrapper.EnumTypeWrapper(enum))
        for value in enum.values:
            setattr(module, value.name, value.number)
    return module


_factories: dict[int, Any] = {}


def _message_class(pool: Any, message: Any, own: bool) -> Any:
    if hasattr(message_factory, "GetMessageClass"):  # Since protobuf 4.22.
        return message_factory.GetMessageClass(message)
    if own:
        factory = _factories.setdefault(id(pool), message_factory.MessageFactory(pool))
        return factory.GetPrototype(message)
    # Generated code registers its classes here: asking elsewhere would make second ones.
    return symbol_database.Default().GetPrototype(message)


_load()
