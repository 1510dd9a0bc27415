#!/usr/bin/env python3
"""Makes the Python packages of a release: a wheel for each program in dist/bin, a wheel without a program, and the sdist. Also
makes an archive of each program.

    tools/make_wheels.py      reads dist/bin/RID and dist/lib/RID, which tools/package makes; writes to dist/

A wheel with a program is the pure wheel with more files: the program, which pip installs next to the interpreter
(<name>.data/scripts), the notices of the .NET runtime, from the program's folder, and the native library, if dist/lib/RID has it. So
one system can make all wheels. Their bytes depend only on the sources, the programs and the libraries, because all times in them are
SOURCE_DATE_EPOCH, which tools/package sets.

It needs a Python with setuptools and wheel, and the files of the Python package that the build of the bridge makes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import package_page

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
LARGEST_WHEEL = 30 << 20
NOTICES = "DOTNET-THIRD-PARTY-NOTICES.txt"

# The oldest glibc that the files of .NET 10 support. A program that is one file contains these files:
# https://github.com/dotnet/core/blob/main/release-notes/10.0/supported-os.md
OLDEST_GLIBC = (2, 27)


def glibc_version_of(program: bytes, is_single_file: bool) -> tuple[int, int]:
    """The glibc that a program needs: the newest version of a symbol that it names."""
    named = {(int(major), int(minor)) for major, minor in re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?=\0|\.)", program)}
    return max(named | {OLDEST_GLIBC} if is_single_file else named)


def macos_version_of(program: bytes) -> tuple[int, int]:
    """The oldest macOS that can run a program: `minos` of LC_BUILD_VERSION (mach-o/loader.h)."""
    count, at = struct.unpack_from("<I", program, 16)[0], 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", program, at)
        if command == 0x32:
            oldest = struct.unpack_from("<I", program, at + 12)[0]
            return oldest >> 16, oldest >> 8 & 0xFF
        at += size
    raise SystemExit("make_wheels: the program for macOS has no LC_BUILD_VERSION: run tools/package osx-arm64")


def platform_of(rid: str, programs: list[bytes]) -> str:
    """The platform tag of a wheel with these programs and libraries:
    https://packaging.python.org/specifications/platform-compatibility-tags."""
    if rid == "win-x64":
        return "win_amd64"
    if rid == "osx-arm64":
        major, minor = max(map(macos_version_of, programs))
        return f"macosx_{major}_{minor}_arm64"
    # Native code contains no files of .NET, and no variable for their folder.
    single = b"\0DOTNET_BUNDLE_EXTRACT_BASE_DIR\0"
    major, minor = max(glibc_version_of(program, is_single_file=single in program) for program in programs)
    return f"manylinux_{major}_{minor}_{'x86_64' if rid == 'linux-x64' else 'aarch64'}"


def copy_sources(folder: pathlib.Path) -> pathlib.Path:
    """Copies the tracked sources of the package, the files that the build of the bridge makes, and the notices."""
    tracked = subprocess.run(
        ["git", "ls-files", "agent-python"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    package = ROOT / "agent-python"
    made = [package / "src/sc2bridge/_descriptors.binpb", package / "src/sc2bridge/ids.py"]
    made += [*package.glob("src/sc2bridge/**/*_pb2.pyi"), *package.glob("src/sc2bridge/scenarios/*.json")]
    for file in [ROOT / name for name in tracked if name and not name.startswith("agent-python/tests/")] + made:
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    shutil.copyfile(ROOT / "THIRD-PARTY-NOTICES.md", folder / "agent-python/THIRD-PARTY-NOTICES.md")
    readme = folder / "agent-python/README.md"
    readme.write_bytes(package_page.with_absolute_links(readme.read_text("utf-8"), "agent-python/README.md").encode())
    return folder / "agent-python"


def build(kind: str, package: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    """Builds a package with setuptools. kind: `sdist` or `wheel`. Returns the built file."""
    hook = f"import sys, setuptools.build_meta as b; print('made', b.build_{kind}(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", hook, str(out)], cwd=package, capture_output=True, text=True)
    made = re.search(r"^made (.*)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or made is None:
        raise SystemExit(f"make_wheels: setuptools failed on the {kind}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return out / made[1]


def write_wheel(files: dict[str, bytes], programs: set[str], out: pathlib.Path, when: int) -> None:
    """Writes a wheel with these files: https://packaging.python.org/specifications/binary-distribution-format."""
    about = next(name.partition("/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
    rows = []
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    files = {**files, f"{about}/RECORD": "".join([*rows, f"{about}/RECORD,,\n"]).encode()}
    at = time.gmtime(max(when, 315532800))[:6]  # The earliest time in a zip file is 1980.
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, at)
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, content, compresslevel=9)


def write_tar(files: dict[str, bytes], programs: set[str], out: pathlib.Path, when: int) -> None:
    """Writes an archive without the user and the time of its making. when: the time of all files in it."""
    with gzip.GzipFile(out, "wb", mtime=when) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, content in sorted(files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(content), when, 0o755 if name in programs else 0o644
                archive.addfile(entry, io.BytesIO(content))


def write_sdist(made: pathlib.Path, out: pathlib.Path, when: int) -> None:
    """Writes the files of an sdist to an archive that is the same each time."""
    with tarfile.open(made) as archive:
        contents = {member.name: archive.extractfile(member) for member in archive.getmembers() if member.isfile()}
        write_tar({name: file.read() for name, file in contents.items() if file}, set(), out, when)


def write_program(program: pathlib.Path, version: str, when: int) -> pathlib.Path:
    """Writes an archive of a program with its licence and notices."""
    folder = f"sc2bridge-{version}-{program.parent.name}"
    files = {f"{folder}/{file.name}": file.read_bytes() for file in program.parent.iterdir()}
    write_tar(files, {f"{folder}/{program.name}"}, DIST / f"{folder}.tar.gz", when)
    return DIST / f"{folder}.tar.gz"


def main() -> int:
    if "SOURCE_DATE_EPOCH" not in os.environ:
        raise SystemExit("make_wheels: SOURCE_DATE_EPOCH is not set: run tools/package, or set it to a Unix time")
    when = int(os.environ["SOURCE_DATE_EPOCH"])
    programs = sorted((DIST / "bin").glob("*/sc2bridge*"))
    too_large = []
    for old in (*DIST.glob("sc2bridge-*.whl"), *DIST.glob("sc2bridge-*.tar.gz")):
        old.unlink()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        package = copy_sources(folder)
        sdist = build("sdist", package, folder)
        write_sdist(sdist, DIST / sdist.name, when)
        pure = build("wheel", package, folder)
        with zipfile.ZipFile(pure) as archive:
            files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}
        about = next(name.partition(".dist-info/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
        wheel_file = f"{about}.dist-info/WHEEL"
        write_wheel(files, set(), DIST / pure.name, when)
        made = [DIST / sdist.name, DIST / pure.name]
        for file in programs:
            program, rid = file.read_bytes(), file.parent.name
            libraries = {f"sc2bridge/{found.name}": found.read_bytes() for found in (DIST / "lib" / rid).glob("*")}
            platform = platform_of(rid, [program, *libraries.values()])
            program_path = f"{about}.data/scripts/{file.name}"
            tagged = files[wheel_file].replace(b"Root-Is-Purelib: true", b"Root-Is-Purelib: false")
            all_files = {
                **files,
                **libraries,
                wheel_file: tagged.replace(b"Tag: py3-none-any", f"Tag: py3-none-{platform}".encode()),
                program_path: program,
                f"{about}.dist-info/{NOTICES}": (file.parent / NOTICES).read_bytes(),
            }
            target = DIST / f"{about}-py3-none-{platform}.whl"
            write_wheel(all_files, {program_path}, target, when)
            made += [target, write_program(file, about.partition("-")[2], when)]
    for file in made:
        print(f"{file.name}: {file.stat().st_size / 2**20:.1f} MiB")
        too_large += [file.name] if file.stat().st_size > LARGEST_WHEEL else []
    if too_large:
        print(f"make_wheels: over the limit of {LARGEST_WHEEL >> 20} MiB: {', '.join(too_large)}", file=sys.stderr)
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
