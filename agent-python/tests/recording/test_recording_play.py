"""Agents played through recordings, by hand and with the fixture."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from conftest import ROOT
from recording_case import Case, Written, observation, whole

import sc2bridge
from sc2bridge.s2clientprotocol import query_pb2, sc2api_pb2


def pathing(distance: int) -> sc2api_pb2.Request:
    query = query_pb2.RequestQuery()
    query.pathing.add().end_pos.x = distance
    return sc2api_pb2.Request(query=query)


def answer(distance: float) -> sc2api_pb2.Response:
    response = sc2api_pb2.Response(id=9)
    response.query.pathing.add(distance=distance)
    return response


class Scout(sc2bridge.Agent):
    """Records its calls, and queries a path at some steps."""

    asks_at: tuple[int, ...] = ()

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.ways: list[float] = []

    def on_start(self, match: Any) -> None:
        self.heard.append(match.description)

    def on_step(self, frame: Any) -> None:
        self.heard.append((frame.step, frame.game_loop, bytes(frame.raw), frame.skipped))
        if frame.step in self.asks_at:
            assert self.bridge is not None
            self.ways.append(self.bridge.request(pathing(5)).query.pathing[0].distance)

    def on_end(self, end: Any) -> None:
        self.heard.append(end)


@pytest.fixture(scope="module")
def written() -> Written:
    others = {2: sc2api_pb2.ResponseGameInfo(map_name="as player 2 knows it")}
    case = Case(chunk_bytes=6000, perspectives=(0, 2), step_size=2, others_game_info=others)
    for step in range(50):
        case.step(step)
        if step in (10, 30):
            request = pathing(5)
            request.id = step
            case.request(step=step, agent="scout", request=request, response=answer(step + 0.5))
        if step == 20:
            case.request(step=step, agent="scout", request=pathing(6), refusal="not now")
            case.request(step=step, agent="scout", perspective=2, request=pathing(7), response=answer(7))
    return case.close()


@pytest.fixture
def match(written: Written, tmp_path: pathlib.Path) -> Any:
    path = tmp_path / "match.mcap"
    path.write_bytes(written.data)
    with sc2bridge.open_recording(path) as recording:
        yield recording


def test_an_agent_receives_a_whole_recording(match: Any, written: Written) -> None:
    played = match.play(Scout)
    assert played.agent.heard == [
        written.description,
        *((step, loop, data, None) for step, loop, data in written.frames[0]),
        written.end,
    ]
    assert played.frames == 50 and played.last.step == 49 and played.end == written.end and played.queries == []


def test_an_agent_receives_a_part_of_a_recording(match: Any, written: Written) -> None:
    scout = Scout()
    played = match.play(scout, from_loop=21, to_loop=40, perspective=2)
    assert played.agent is scout
    assert [step for step, *_ in scout.heard[1:-1]] == list(range(11, 21))
    assert scout.heard[1][2] == written.frames[2][11][2]
    assert (played.end.reason, played.end.step, played.end.game_loop) == ("stopped", 20, 40)
    assert scout.heard[-1] is played.end
    # The game reported the match to it.
    assert scout.heard[0].game_info.map_name == "as player 2 knows it"
    assert scout.heard[0] == match.describe(2).description and match.describe(2).player_id == 2
    assert match.describe(2) != match.describe() == match.describe(0) == match.match
    assert match.describe(2).data == match.match.data
    with pytest.raises(LookupError, match="perspective 1 was not recorded: choose 0, 2"):
        match.describe(1)
    # To the last frame is to the end.
    assert match.play(Scout, to_loop=98).end == written.end


def test_an_agents_actions_are_recorded(match: Any) -> None:
    class Acting(Scout):
        can_act = True

        def on_start(self, match: Any) -> None:
            self.chat_send("hello")

        def on_step(self, frame: Any) -> None:
            if frame.step % 20 == 3:
                self.act([sc2api_pb2.Action()] * 2)
                self.command(frame.units[0], 7)
            if frame.step in (4, 5, 6):
                self.debug.text_screen(str(frame.step // 5))

        def on_end(self, end: Any) -> None:
            with pytest.raises(ValueError, match="an agent can only act after it receives a frame"):
                self.act([])

    played = match.play(Acting)
    assert [(one.step, one.game_loop, len(one.actions)) for one in played.actions] == [
        (0, 0, 1),
        *((step, 2 * step, actions) for step in (3, 23, 43) for actions in (2, 1)),
    ]
    assert [(one.step, [text.text for text in one.drawing.text]) for one in played.drawings] == [
        (4, ["0"]),
        (5, ["1"]),
        (7, []),
    ]


def test_a_missing_loop_or_perspective_is_an_error(match: Any) -> None:
    with pytest.raises(LookupError, match="loop 4032: the last frame is of loop 98"):
        match.play(Scout, to_loop=4032)
    with pytest.raises(LookupError, match="perspective 1 was not recorded"):
        match.play(Scout, perspective=1)


def test_queries_are_answered_as_in_the_match(match: Any) -> None:
    class Asking(Scout):
        asks_at = (0, 10, 20, 21, 49)

    played = match.play(Asking)
    assert played.agent.ways == [10.5, 10.5, 10.5, 30.5, 30.5]
    assert [(query.step, query.game_loop, query.recorded_step) for query in played.queries] == [
        (0, 0, 10),
        (10, 20, 10),
        (20, 40, 10),
        (21, 42, 30),
        (49, 98, 30),
    ]
    assert played.queries[1].request == pathing(5) and played.queries[1].response == answer(10.5)


def test_queries_without_a_recorded_answer_are_errors(match: Any) -> None:
    class Curious(sc2bridge.Agent):
        def __init__(self) -> None:
            self.said: list[str] = []

        def on_start(self, match: Any) -> None:
            assert self.bridge is not None
            with pytest.raises(sc2bridge.BridgeError, match="perspective 1 was not recorded"):
                self.bridge.describe(perspective=1)
            assert self.bridge.describe(perspective=2).game_info.map_name == "as player 2 knows it"
            short = self.bridge.describe(without_game_info=True, without_data=True)
            assert isinstance(short, sc2bridge.Match) and short.end is None and match.end is None
            assert short.map_name == match.map_name and not short.HasField("data") and match.HasField("data")
            for request, perspective in ((pathing(8), 0), (pathing(6), 0), (pathing(7), 0)):
                with pytest.raises(sc2bridge.BridgeError) as error:
                    self.bridge.request(request, perspective=perspective)
                self.said.append(str(error.value))
            assert self.bridge.request(pathing(7), perspective=2) == answer(7)

    played = match.play(Curious, to_loop=0)
    first, second, third = played.agent.said
    assert "match.mcap has no answer to this query: no agent sent the same one within 448 steps of step 0" in first
    assert second == "the request was also refused in the match: not now (FAILED_PRECONDITION)" and "no answer" in third
    assert [(query.step, query.recorded_step) for query in played.queries] == [
        (None, None),
        (None, 20),
        (None, None),
        (None, 20),
    ]


def test_an_answer_from_another_time_is_not_used(tmp_path: pathlib.Path) -> None:
    case = Case(chunk_bytes=6000)
    for step in range(1000):
        if step % 50 == 0:
            case.step(step)
        if step in (500, 999):
            case.request(step=step, request=pathing(5), response=answer(step))
    path = tmp_path / "match.mcap"
    path.write_bytes(case.close().data)

    class Asking(Scout):
        def on_step(self, frame: Any) -> None:
            assert self.bridge is not None
            try:
                self.ways.append(self.bridge.request(pathing(5)).query.pathing[0].distance)
            except sc2bridge.BridgeError:
                self.ways.append(-1)

    with sc2bridge.open_recording(path) as recording:
        # For steps 52 to 749 the first answer is nearest, from 750 on the second.
        assert recording.play(Asking).agent.ways == [-1, -1] + [500] * 13 + [999] * 5


def test_an_agents_exceptions_pass_through(match: Any) -> None:
    class Failing(sc2bridge.Agent):
        def on_step(self, frame: Any) -> None:
            raise ZeroDivisionError(frame.step)

    with pytest.raises(ZeroDivisionError, match="0"):
        match.play(Failing)


def test_a_cut_recording_plays_to_its_end_and_raises_an_error(written: Written, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.mcap"
    path.write_bytes(written.data[: written.chunk_ends[2]])
    with sc2bridge.open_recording(path) as recording:
        last = written.frames_up_to[2][0] - 1
        assert recording.play(Scout, to_loop=2 * last).end.reason == "stopped"
        scout = Scout()
        with pytest.raises(sc2bridge.RecordingError, match="is cut off"):
            recording.play(scout)
        assert scout.heard[-1][0] == last


# ---- the fixture -----------------------------------------------------------------------------------------------------

AGENT = """
import sc2bridge

class Counter(sc2bridge.Agent):
    units = 0

    def on_step(self, frame):
        self.units = len(frame.units)
"""

MARKED = """
import pytest
from counter import Counter

@pytest.mark.recording("data/match.mcap")
def test_counts(sc2bridge_recording):
    assert sc2bridge_recording.play(Counter, to_loop=40).agent.units == 12
"""

UNMARKED = """
from counter import Counter

def test_counts(sc2bridge_recording):
    assert sc2bridge_recording.play(Counter, to_loop=40).agent.units == 12
"""


def run_pytest(folder: pathlib.Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'agent-python' / 'src'}{os.pathsep}{folder}",
        # If a file is rewritten within the same second with the same size, Python would use the old bytecode.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "pytest_sc2bridge", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


@pytest.fixture
def project(written: Written, tmp_path: pathlib.Path) -> pathlib.Path:
    """A bot author's: an agent, a folder of tests, a recording."""
    (tmp_path / "counter.py").write_text(AGENT)
    (tmp_path / "tests" / "data").mkdir(parents=True)
    (tmp_path / "tests" / "data" / "match.mcap").write_bytes(written.data)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    return tmp_path


def test_a_marked_test_gets_its_recording(project: pathlib.Path) -> None:
    (project / "tests" / "test_counter.py").write_text(MARKED)
    assert "1 passed" in run_pytest(project)
    (project / "tests" / "test_counter.py").write_text(MARKED.replace("== 12", "== 13"))
    said = run_pytest(project)
    assert "1 failed" in said and "assert 12 == 13" in said


def test_a_test_gets_the_recording_of_the_ini_file(project: pathlib.Path) -> None:
    (project / "tests" / "test_counter.py").write_text(UNMARKED)
    said = run_pytest(project)
    assert "1 error" in said and 'needs a file: @pytest.mark.recording("match.mcap"), or sc2bridge_recording' in said
    with open(project / "pytest.ini", "a") as ini:
        ini.write("sc2bridge_recording = tests/data/match.mcap\n")
    assert "1 passed" in run_pytest(project)
    assert "1 passed" in run_pytest(project, "tests/test_counter.py::test_counts", "--rootdir", str(project / "tests"))


def test_a_missing_recording_is_one_clear_error(project: pathlib.Path) -> None:
    test = project / "tests" / "test_counter.py"
    test.write_text(MARKED.replace("match.mcap", "none.mcap"))
    said = run_pytest(project)
    assert "1 error" in said and "No such file or directory" in said and "none.mcap" in said and "Traceback" not in said
    test.write_text(MARKED.replace("data/match.mcap", "test_counter.py"))
    assert "test_counter.py is not a recording" in run_pytest(project)
    test.write_text(MARKED.replace('("data/match.mcap")', ""))
    assert "mark it with one file" in run_pytest(project)


def test_the_plugin_alone_loads_nothing_of_the_package(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_other.py").write_text("import sys\n\ndef test(): assert 'sc2bridge' not in sys.modules\n")
    assert "1 passed" in run_pytest(tmp_path)


def test_frames_of_a_played_match_have_units(match: Any) -> None:
    assert match.play(Scout, to_loop=6).last.observation == observation(6, 0)
