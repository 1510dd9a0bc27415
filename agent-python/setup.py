"""Refuses to build a package without the files that the build of the bridge generates. pyproject.toml cannot express that."""

import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py


class Complete(build_py):
    """Fails if the descriptor set is missing, without which the package cannot be imported, or the enums of ids."""

    def run(self) -> None:
        for name, project in (("_descriptors.binpb", "Sc2Bridge.Protocol"), ("ids.py", "Sc2Bridge.Simulator")):
            made = pathlib.Path(__file__).parent / "src" / "sc2bridge" / name
            if not made.is_file():
                raise SystemExit(
                    f"{made} is missing: the build of the bridge makes it. Run ./sc2bridge at the"
                    f" repository's root, or `dotnet build bridge-csharp/src/{project}`, then build this again."
                )
        super().run()


setup(cmdclass={"build_py": Complete})
