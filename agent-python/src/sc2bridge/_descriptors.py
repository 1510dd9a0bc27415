"""Creates the message classes at import, from the descriptor set that the build puts into this folder.

Generated code would only work with some releases of protobuf. Descriptors work with each release from 3.20 on, and with
each implementation of protobuf (upb, C++, Python).

If an installed package `s2clientprotocol` has the same descriptors, this package uses the modules of
`s2clientprotocol`. Then a message can be passed between this package, python-sc2, PySC2 and other users of
`s2clientprotocol`. If `s2clientprotocol` differs or cannot be imported, this package's messages are in a separate
descriptor pool. This module imports `s2clientprotocol` itself, so that the order of imports in a program does not
matter.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from types import ModuleType
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, symbol_database
from google.protobuf.internal import enum_type_wrapper

_GAME_FOLDER = "s2clientprotocol/"
_module_by_path: dict[str, ModuleType] = {}
_pool_entries: list[tuple[Any, bool]] = []
"""The only entry has the descriptor pool of this package's messages, and whether only this package uses the pool."""


def add_submodules(package: str, folder: str) -> None:
    """Makes each .proto file in a folder importable as a submodule `…_pb2` of a package."""
    parent = sys.modules[package]
    for path, module in _module_by_path.items():
        if path.startswith(folder):
            name = _module_name(path[len(folder) :])
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__ is None:  # pickle needs the module's name.
                    value.__module__ = f"{package}.{name}"
            sys.modules[f"{package}.{name}"] = module
            setattr(parent, name, module)


def add_file(file: Any) -> ModuleType:
    """Adds a FileDescriptorProto to the pool. Returns a module with its messages."""
    ((pool, is_private),) = _pool_entries
    pool.AddSerializedFile(file.SerializeToString())
    return _create_module(pool, file.name, is_private)


def _load_descriptors() -> None:
    try:
        data = pathlib.Path(__file__).with_name("_descriptors.binpb").read_bytes()
    except FileNotFoundError:
        raise ImportError(
            "sc2bridge: _descriptors.binpb is missing: the build creates it from proto/. Run ./sc2bridge, or "
            "`dotnet build bridge-csharp/src/Sc2Bridge.Protocol`, then import again."
        ) from None
    files = descriptor_pb2.FileDescriptorSet.FromString(data).file
    installed = _installed_modules([file for file in files if file.name.startswith(_GAME_FOLDER)])
    pool = descriptor_pool.Default() if installed else descriptor_pool.DescriptorPool()
    _pool_entries.append((pool, not installed))
    for file in files:
        if installed and file.name.startswith(_GAME_FOLDER):
            _module_by_path[file.name] = installed[file.name]
        else:
            pool.AddSerializedFile(file.SerializeToString())
            _module_by_path[file.name] = _create_module(pool, file.name, is_private=not installed)


def _installed_modules(files: list[Any]) -> dict[str, ModuleType] | None:
    """The modules of the installed package s2clientprotocol; None if it is not installed or its descriptors differ."""
    modules = {}
    for file in files:
        try:
            module = importlib.import_module(_module_name(file.name.replace("/", ".")))
            installed_file = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        except Exception:  # Code for another release of protobuf raises various errors.
            return None
        if _comparable_copy(installed_file) != _comparable_copy(file):
            return None
        modules[file.name] = module
    return modules


def _comparable_copy(file: Any) -> Any:
    """A copy of a file's descriptor without the parts that differ between compilers."""
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


def _create_module(pool: Any, path: str, is_private: bool) -> ModuleType:
    """Creates a module with the contents that protoc would generate: messages, enums and the enums' values."""
    file = pool.FindFileByName(path)
    module = ModuleType(_module_name(path.replace("/", ".")), f"The messages of {path}.")
    module.DESCRIPTOR = file  # type: ignore[attr-defined]
    for name, message in file.message_types_by_name.items():
        setattr(module, name, _message_class(pool, message, is_private))
    for name, enum in file.enum_types_by_name.items():
        setattr(module, name, enum_type_wrapper.EnumTypeWrapper(enum))
        for value in enum.values:
            setattr(module, value.name, value.number)
    return module


_factory_by_pool: dict[int, Any] = {}


def _message_class(pool: Any, message: Any, is_private: bool) -> Any:
    if hasattr(message_factory, "GetMessageClass"):  # Since protobuf 4.22.
        return message_factory.GetMessageClass(message)
    if is_private:
        factory = _factory_by_pool.setdefault(id(pool), message_factory.MessageFactory(pool))
        return factory.GetPrototype(message)
    # Generated code registers its classes in the symbol database. A MessageFactory would create the classes again.
    return symbol_database.Default().GetPrototype(message)


_load_descriptors()
