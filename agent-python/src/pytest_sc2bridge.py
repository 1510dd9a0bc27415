"""Tests of agents against recordings, for pytest: no bridge, no game.

    @pytest.mark.recording("matches/cinder.mcap")
    def test_warns_of_the_attack(sc2bridge_recording):
        assert sc2bridge_recording.play(Scout, to_loop=4032).agent.warnings == [3980]

The fixture `sc2bridge_recording` is the open `sc2bridge.Recording` that the mark names, by a path from the test's own folder, or
else the one of the ini option `sc2bridge_recording`, by a path from the ini file's.

It stands beside the package, so that pytest, which loads plugins wherever they are installed, does not load all of it
for tests that have nothing to do with it.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sc2bridge import Recording


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "sc2bridge_recording",
        "the recording that tests with the fixture `sc2bridge_recording` are given",
        type="paths",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "recording(file): the recording that the fixture `sc2bridge_recording` opens, from the test's folder",
    )


@pytest.fixture
def sc2bridge_recording(request: pytest.FixtureRequest) -> Iterator[Recording]:
    """The open recording that `@pytest.mark.recording(file)` names, or the ini option `sc2bridge_recording`."""
    import sc2bridge

    opened, problem = None, ""
    try:
        opened = sc2bridge.open_recording(_file(request))
    except (OSError, sc2bridge.RecordingError) as error:
        problem = str(error)
    if opened is None:  # Not within the except: the error would be shown again, as what this came of.
        pytest.fail(problem, pytrace=False)
    with opened:
        yield opened


def _file(request: pytest.FixtureRequest) -> pathlib.Path:
    mark = request.node.get_closest_marker("recording")
    if mark is not None:
        if len(mark.args) != 1 or mark.kwargs:
            pytest.fail('mark it with one file: @pytest.mark.recording("match.mcap")', pytrace=False)
        return pathlib.Path(request.node.path.parent, mark.args[0])
    named: list[pathlib.Path] = request.config.getini("sc2bridge_recording")
    if len(named) != 1:
        pytest.fail(
            'the fixture `sc2bridge_recording` needs a file: @pytest.mark.recording("match.mcap"), or sc2bridge_recording in the'
            " ini file",
            pytrace=False,
        )
    return named[0]
