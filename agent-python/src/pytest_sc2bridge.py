"""A plugin for pytest: tests agents with recordings, without a bridge and a game.

    @pytest.mark.recording("matches/cinder.mcap")
    def test_warns_of_the_attack(sc2bridge_recording):
        assert sc2bridge_recording.play(Scout, to_loop=4032).agent.warnings == [3980]

The fixture `sc2bridge_recording` opens the recording of the mark; the path is relative to the test's folder. Without a
mark, it opens the recording of the ini option `sc2bridge_recording`; the path is relative to the ini file.

This is a separate module, because pytest loads every installed plugin, and must not load the whole package.
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
        "the recording for tests with the fixture `sc2bridge_recording` and without a mark",
        type="paths",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "recording(file): the recording that the fixture `sc2bridge_recording` opens, relative to the test's folder",
    )


@pytest.fixture
def sc2bridge_recording(request: pytest.FixtureRequest) -> Iterator[Recording]:
    """The open recording that `@pytest.mark.recording(file)` names, or the ini option `sc2bridge_recording`."""
    import sc2bridge

    opened, problem = None, ""
    try:
        opened = sc2bridge.open_recording(_recording_path(request))
    except (OSError, sc2bridge.RecordingError) as error:
        problem = str(error)
    if opened is None:  # Outside of the except block, so that pytest shows the error once.
        pytest.fail(problem, pytrace=False)
    with opened:
        yield opened


def _recording_path(request: pytest.FixtureRequest) -> pathlib.Path:
    mark = request.node.get_closest_marker("recording")
    if mark is not None:
        if len(mark.args) != 1 or mark.kwargs:
            pytest.fail('mark it with one file: @pytest.mark.recording("match.mcap")', pytrace=False)
        return pathlib.Path(request.node.path.parent, mark.args[0])
    ini_paths: list[pathlib.Path] = request.config.getini("sc2bridge_recording")
    if len(ini_paths) != 1:
        pytest.fail(
            'the fixture `sc2bridge_recording` needs a file: @pytest.mark.recording("match.mcap"), or'
            " sc2bridge_recording in the ini file",
            pytrace=False,
        )
    return ini_paths[0]
