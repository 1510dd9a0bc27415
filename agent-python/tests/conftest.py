from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import zipfile
from collections.abc import Iterator
from typing import Any, Callable

import pytest
from fake_bridge import GrpcBridge, Match, WebSocketBridge
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("sc2bridge", deadline=None)
settings.load_profile("sc2bridge")

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(params=["grpc", "grpc+unix", "json", "proto"])
def open_bridge(request: Any, tmp_path: pathlib.Path) -> Callable[[Match], Any]:
    """Opens a fake bridge for a match, over each transport and encoding, and gives its address."""

    @contextlib.contextmanager
    def open_bridge(match: Match) -> Iterator[str]:
        if request.param == "grpc":
            with GrpcBridge(match) as bridge:
                yield bridge.url
        elif request.param == "grpc+unix":
            with GrpcBridge(match, f"unix:{tmp_path}/b") as bridge:
                yield bridge.url
        else:
            with WebSocketBridge(match) as socket:
                yield f"{socket.url}?encoding={request.param}"

    return open_bridge


def shared_folder() -> pathlib.Path:
    """The folder of real messages and wheels beside the repository; the test that asks is skipped without it."""
    folder = pathlib.Path(os.environ.get("SC2BRIDGE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent (set SC2BRIDGE_SHARED)")
    return folder


@pytest.fixture
def shared() -> pathlib.Path:
    return shared_folder()


def unpack(wheel: pathlib.Path, folder: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def find(shared: pathlib.Path, name: str) -> pathlib.Path:
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    found = [
        wheel
        for folder in ("wheels", "wheels/older-protobuf")
        for wheel in sorted((shared / folder).glob(f"{name}-*.whl"))
        if any(mark in wheel.name for mark in ("-py3-", "py2.py3", "abi3", tag))
    ]
    if not found:
        pytest.skip(f"no wheel of {name} in {shared}")
    return found[0]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: Any) -> Any:
    """Gives a folder that holds an unpacked wheel."""
    unpacked: dict[str, pathlib.Path] = {}

    def wheels(name: str) -> list[pathlib.Path]:
        if name == "protobuf-installed":
            return []
        if name not in unpacked:
            wheel = find(shared_folder(), name)
            unpacked[name] = tmp_path_factory.mktemp(name)
            unpack(wheel, unpacked[name])
        return [unpacked[name]]

    return wheels
