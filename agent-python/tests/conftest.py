from __future__ import annotations

import contextlib
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import Any, Callable

import pytest
from certificates import Certificates
from fake_bridge import GrpcBridge, Match, SharedMemoryBridge, WebSocketBridge
from hypothesis import HealthCheck, settings

# A busy machine does not fail a test. Neither does a made-up case that is too large: another one takes its place. tools/test --all makes up all cases, other runs a fifth of them.
settings.register_profile(
    "sc2bridge",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=100 if os.environ.get("SC2BRIDGE_TEST_CASES") == "all" else 20,
)
settings.load_profile("sc2bridge")

ROOT = pathlib.Path(__file__).resolve().parents[2]


_SHARED_MEMORY = pytest.param(
    "shm", marks=pytest.mark.skipif(not sys.platform.startswith("linux"), reason="shared memory is for Linux")
)


@pytest.fixture(params=["grpc", "grpc+unix", "json", "proto", _SHARED_MEMORY])
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
        elif request.param == "shm":
            with SharedMemoryBridge(match) as memory:
                yield memory.url
        else:
            with WebSocketBridge(match) as socket:
                yield f"{socket.url}?encoding={request.param}"

    return open_bridge


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Most of mypy's time goes to the types of Python and of the package."""
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture(scope="session")
def native() -> Any:
    """The native library. Skips a test if the library is not built."""
    library = pytest.importorskip("sc2bridge.library", reason="numpy is not installed")
    try:
        return library.load()
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


def shared_folder() -> pathlib.Path:
    """The folder of real messages next to the repository. Without it the test is skipped."""
    folder = pathlib.Path(os.environ.get("SC2BRIDGE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent (set SC2BRIDGE_SHARED)")
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("real")


@pytest.fixture
def shared() -> pathlib.Path:
    return shared_folder()


def protobuf_folders(version: str) -> list[pathlib.Path]:
    """What to put on the path for a protobuf other than the installed one."""
    if version == "installed":
        return []
    folder = pathlib.Path(sys.prefix) / f"protobuf-{version}"
    if not folder.is_dir():
        pytest.skip(f"no {folder}: tools/set-up --test makes it")
    return [folder]
