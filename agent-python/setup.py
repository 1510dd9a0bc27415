"""What pyproject.toml cannot say: a package that lacks what the bridge's build makes is not built."""

import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py


class Complete(build_py):
    """Fails where the descriptor set is missing, without which the package cannot be imported."""

    def run(self) -> None:
        descriptors = pathlib.Path(__file__).parent / "src" / "sc2bridge" / "_descriptors.binpb"
        if not descriptors.is_file():
            raise SystemExit(
                f"{descriptors} is missing: the build of the bridge makes it from proto/. Run ./sc2bridge at the"
                " repository's root, or `dotnet build bridge-csharp/src/Sc2Bridge.Protocol`, then build this again."
            )
        super().run()


setup(cmdclass={"build_py": Complete})
