"""The wheels of a release, made by tools/make_wheels.py from fake programs."""

from __future__ import annotations

import hashlib
import importlib
import os
import pathlib
import stat
import struct
import subprocess
import sys
import tarfile
import venv
import zipfile
from typing import Any

import pytest
from conftest import ROOT

import sc2bridge

LINUX = b"\x7fELF\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.29\0"
MACOS = struct.pack("<8I", 0xFEEDFACF, 0, 0, 0, 2, 0, 0, 0) + struct.pack("<6I", 1, 8, 0x32, 16, 1, 0xE0000)


@pytest.fixture
def make_wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = importlib.import_module("make_wheels")
    monkeypatch.setattr(module, "DIST", tmp_path / "dist")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return module


def test_a_wheel_names_the_systems_of_its_program(make_wheels: Any) -> None:
    single = LINUX.replace(b"GLIBC_2.29", b"DOTNET_BUNDLE_EXTRACT_BASE_DIR")
    assert make_wheels.platform_of("linux-x64", [LINUX]) == "manylinux_2_29_x86_64"
    assert make_wheels.platform_of("linux-arm64", [single]) == "manylinux_2_27_aarch64"
    assert make_wheels.platform_of("osx-arm64", [MACOS]) == "macosx_14_0_arm64"
    assert make_wheels.platform_of("win-x64", [b"MZ"]) == "win_amd64"


def test_a_wheel_names_the_systems_of_both_its_program_and_its_library(make_wheels: Any) -> None:
    newer = LINUX.replace(b"GLIBC_2.29", b"GLIBC_2.31")
    assert make_wheels.platform_of("linux-x64", [LINUX, newer]) == "manylinux_2_31_x86_64"
    assert (
        make_wheels.platform_of("osx-arm64", [MACOS, MACOS.replace(b"\0\0\x0e\0", b"\0\0\x0c\0")])
        == "macosx_14_0_arm64"
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="installs the wheel for Linux")
def test_a_wheel_installs_and_removes_the_program_and_is_the_same_each_time(
    make_wheels: Any, tmp_path: pathlib.Path
) -> None:
    pytest.importorskip("wheel", reason="setuptools makes wheels with it")
    script = b'#!/bin/sh\necho "$@"\nexit 0\n' + LINUX
    for rid, name, program in (
        ("linux-x64", "sc2bridge", script),
        ("win-x64", "sc2bridge.exe", b"MZ"),
        ("osx-arm64", "sc2bridge", MACOS),
    ):
        file = tmp_path / "dist/bin" / rid / name
        file.parent.mkdir(parents=True)
        file.write_bytes(program)
        (file.parent / make_wheels.NOTICES).write_bytes(b"of the runtime")
    library = tmp_path / "dist/lib/linux-x64/libsc2bridge.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(LINUX)

    def make() -> dict[str, str]:
        assert make_wheels.main() == 0
        made = (file for file in (tmp_path / "dist").iterdir() if file.is_file())
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in made}

    first = make()
    version = sc2bridge.__version__
    assert sorted(first) == [
        *(f"sc2bridge-{version}-{rid}.tar.gz" for rid in ("linux-x64", "osx-arm64")),
        *(
            f"sc2bridge-{version}-py3-none-{tag}.whl"
            for tag in ("any", "macosx_14_0_arm64", "manylinux_2_29_x86_64", "win_amd64")
        ),
        f"sc2bridge-{version}-win-x64.tar.gz",
        f"sc2bridge-{version}.tar.gz",
    ]
    assert make() == first, "they depend on when, or on where, they are made"

    with tarfile.open(tmp_path / f"dist/sc2bridge-{version}-linux-x64.tar.gz") as archive:
        member = archive.getmember(f"sc2bridge-{version}-linux-x64/sc2bridge")
        assert member.size == len(script) and member.mode & stat.S_IXUSR
    with zipfile.ZipFile(tmp_path / f"dist/sc2bridge-{version}-py3-none-macosx_14_0_arm64.whl") as wheel:
        for name in ("LICENSE", "THIRD-PARTY-NOTICES.md", "DOTNET-THIRD-PARTY-NOTICES.txt"):
            assert wheel.read(f"sc2bridge-{version}.dist-info/{name}")
    scenarios = sorted(file.name for file in (ROOT / "scenarios").glob("*.json"))
    for name in [name for name in first if name.endswith(".whl") or name == f"sc2bridge-{version}.tar.gz"]:
        if name.endswith(".whl"):
            with zipfile.ZipFile(tmp_path / "dist" / name) as wheel:
                packed = wheel.namelist()
        else:
            with tarfile.open(tmp_path / "dist" / name) as sdist:
                packed = sdist.getnames()
        assert scenarios == sorted(file.rpartition("/")[2] for file in packed if "sc2bridge/scenarios/" in file)
    venv.create(tmp_path / "there", with_pip=True)
    python = tmp_path / "there/bin/python"
    files = set((tmp_path / "there").rglob("*sc2bridge*"))
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    subprocess.run(
        [*pip, "install", "--no-deps", *(tmp_path / "dist").glob("*x86_64.whl")], check=True, env=environment
    )
    program = tmp_path / "there/bin/sc2bridge"
    assert program.read_bytes() == script and program.stat().st_mode & stat.S_IXUSR
    (found,) = (tmp_path / "there").glob("lib/python3*/site-packages/sc2bridge/libsc2bridge.so")
    assert found.read_bytes() == LINUX
    subprocess.run([*pip, "uninstall", "--yes", "sc2bridge"], check=True, env=environment)
    assert set((tmp_path / "there").rglob("*sc2bridge*")) == files
