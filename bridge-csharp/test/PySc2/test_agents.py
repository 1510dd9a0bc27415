"""PySC2's environment and its own agents play whole episodes on the simulated game."""

from __future__ import annotations

import numpy
import pytest

pytest.importorskip("pysc2", reason="PySC2 is not installed: tools/set-up --test tells why (.setup/pysc2.log)")

from pysc2.agents import base_agent, random_agent, scripted_agent
from pysc2.env import run_loop, sc2_env
from pysc2.lib import actions, features, units
from s2clientprotocol import debug_pb2

FUNCTIONS = actions.FUNCTIONS
RAW = actions.RAW_FUNCTIONS
STEP = 8
MOST_LOOPS = 1200

FEATURES = sc2_env.AgentInterfaceFormat(
    feature_dimensions=sc2_env.Dimensions(screen=84, minimap=64),
    action_space=sc2_env.ActionSpace.FEATURES,
    use_unit_counts=True,
    use_feature_units=True,
    use_camera_position=True,
)
RAW_UNITS = sc2_env.AgentInterfaceFormat(action_space=sc2_env.ActionSpace.RAW, use_raw_units=True)


def play(agent, race: str, interface, most: int, loops: int = MOST_LOOPS) -> sc2_env.SC2Env:
    """Plays a number of steps in several episodes, each limited to a number of game loops."""
    with sc2_env.SC2Env(
        map_name="Simple64",
        players=[sc2_env.Agent(sc2_env.Race[race]), sc2_env.Bot(sc2_env.Race.zerg, sc2_env.Difficulty.very_easy)],
        agent_interface_format=interface,
        step_mul=STEP,
        game_steps_per_episode=loops,
        random_seed=3,
    ) as env:
        run_loop.run_loop([agent], env, most)
        return env


class Watched:
    """Records the functions that an agent called, and the refused ones."""

    def __init__(self) -> None:
        super().__init__()
        self.called: set[str] = set()
        self.last: list[int] = []

    def step(self, obs):
        self.last.append(int(obs.step_type))
        call = super().step(obs)
        self.called.add(FUNCTIONS[int(call.function)].name)
        return call


class Chancer(Watched, random_agent.RandomAgent):
    """PySC2's random agent."""


@pytest.mark.parametrize("race", ["terran", "zerg", "protoss"])
def test_the_random_agent_plays_one_episode_after_the_other(race: str) -> None:
    numpy.random.seed(5)
    agent = Chancer()
    play(agent, race, FEATURES, 320)
    assert agent.steps == 320
    assert agent.episodes >= 2
    assert agent.last.count(2) >= 2, "episodes end, and say so"
    assert len(agent.called) > 12, agent.called


class Shepherd(scripted_agent.MoveToBeacon):
    """PySC2's MoveToBeacon on a map without a beacon: it moves to the mineral fields that it sees instead."""

    def __init__(self) -> None:
        super().__init__()
        self.moves = 0

    def step(self, obs):
        if not len(obs.observation.multi_select) and not len(obs.observation.single_select):
            base_agent.BaseAgent.step(self, obs)
            return FUNCTIONS.select_rect("select", (0, 0), (83, 83))
        call = super().step(obs)
        self.moves += call.function == FUNCTIONS.Move_screen.id
        return call


def test_a_scripted_agent_of_pysc2_moves_what_it_selects_to_what_it_sees() -> None:
    agent = Shepherd()
    play(agent, "terran", FEATURES, 40)
    assert agent.moves > 30


class Opener(base_agent.BaseAgent):
    """Selects, trains, builds, groups and scouts through the screen and the minimap, like a human player."""

    def __init__(self) -> None:
        super().__init__()
        self.workers: list[int] = []
        self.depots = 0
        self.panels: set[str] = set()
        self.groups = 0
        self.cameras: set[tuple[int, int]] = set()
        self.home = None

    def step(self, obs):
        super().step(obs)
        seen = obs.observation
        camera = numpy.argwhere(seen.feature_minimap.camera).mean(axis=0).round().astype(int)[::-1]
        self.home = camera if self.home is None else self.home
        self.workers.append(int(seen.player.food_workers))
        own = seen.feature_screen.player_relative == features.PlayerRelative.SELF
        self.panels |= {panel for panel in ("single_select", "multi_select", "build_queue") if len(seen[panel])}
        self.groups = max(self.groups, int((seen.control_groups[:, 1] > 0).sum()))
        self.depots = max(self.depots, sum(u.unit_type == units.Terran.SupplyDepot for u in seen.feature_units))
        self.cameras.add(tuple(camera))

        def pixels(unit_type):
            return numpy.argwhere(own & (seen.feature_screen.unit_type == unit_type))[:, ::-1]

        halls, workers = pixels(units.Terran.CommandCenter), pixels(units.Terran.SCV)
        plan = self.steps % 10
        if plan == 1 and len(halls):
            return FUNCTIONS.select_point("select", halls[len(halls) // 2])
        if plan in (2, 3) and FUNCTIONS.Train_SCV_quick.id in seen.available_actions:
            return FUNCTIONS.Train_SCV_quick("now")
        if plan == 4 and len(workers):
            return FUNCTIONS.select_point("select", workers[len(workers) // 2])
        if plan == 5 and FUNCTIONS.Build_SupplyDepot_screen.id in seen.available_actions:
            return FUNCTIONS.Build_SupplyDepot_screen("now", numpy.random.randint(10, 74, 2))
        if plan == 6:
            return FUNCTIONS.select_rect("select", (0, 0), (83, 83))
        if plan == 7:
            return FUNCTIONS.select_control_group("set", self.steps % 3)
        if plan == 8:
            return FUNCTIONS.move_camera((20 + self.steps % 20, 40))
        if plan == 9:
            return FUNCTIONS.move_camera(self.home)
        return FUNCTIONS.no_op()


def test_a_scripted_agent_of_ours_builds_by_the_screen() -> None:
    numpy.random.seed(1)
    agent = Opener()
    play(agent, "terran", FEATURES, 149)
    assert max(agent.workers) > 13
    assert agent.depots >= 1
    assert agent.panels == {"single_select", "multi_select", "build_queue"}
    assert agent.groups == 3
    assert len(agent.cameras) > 3


class RawRush(base_agent.BaseAgent):
    """Sends every worker to a visible enemy, or to the enemy's start location, through the raw interface."""

    goal = None

    def step(self, obs):
        super().step(obs)
        seen = obs.observation.raw_units
        own = [u for u in seen if u.alliance == features.PlayerRelative.SELF]
        if self.goal is None:
            # The mineral fields are around the centre of the map. The start locations are on opposite sides of it.
            fields = numpy.mean([(u.x, u.y) for u in seen if u.alliance == features.PlayerRelative.NEUTRAL], axis=0)
            self.goal = (2 * fields - (own[0].x, own[0].y)).round().astype(int)
        workers = [u for u in own if u.unit_type in (units.Terran.SCV, units.Zerg.Drone, units.Protoss.Probe)]
        enemies = [u for u in seen if u.alliance == features.PlayerRelative.ENEMY]
        if not workers:
            return RAW.no_op()
        tags = [u.tag for u in workers]
        if self.steps % 4 and enemies:
            near = min(enemies, key=lambda u: (u.x - workers[0].x) ** 2 + (u.y - workers[0].y) ** 2)
            return RAW.Attack_unit("now", tags, near.tag)
        return RAW.Attack_pt("now", tags, self.goal)


@pytest.mark.parametrize("race", ["zerg", "protoss"])
def test_an_agent_on_raw_units_plays_episodes_to_their_end(race: str) -> None:
    agent = RawRush()
    play(agent, race, RAW_UNITS, 100, loops=400)
    assert (agent.steps, agent.episodes) == (100, 2)


@pytest.mark.parametrize("end, reward", [("DeclareVictory", 1), ("Surrender", -1)])
def test_an_episode_ends_with_the_match_and_its_result(end: str, reward: int) -> None:
    with sc2_env.SC2Env(
        map_name="Simple64",
        players=[sc2_env.Agent(sc2_env.Race.zerg), sc2_env.Bot(sc2_env.Race.terran, sc2_env.Difficulty.very_easy)],
        agent_interface_format=FEATURES,
        step_mul=STEP,
        game_steps_per_episode=0,
    ) as env:
        for _ in range(2):
            env.reset()
            env.step([FUNCTIONS.no_op()])
            over = debug_pb2.DebugEndGame(end_result=debug_pb2.DebugEndGame.EndResult.Value(end))
            env._controllers[0].debug([debug_pb2.DebugCommand(end_game=over)])
            (seen,) = env.step([FUNCTIONS.no_op()])
            assert (seen.last(), seen.reward) == (True, reward)


def test_two_agents_play_each_other() -> None:
    agents = [Chancer(), Chancer()]
    numpy.random.seed(2)
    with sc2_env.SC2Env(
        map_name="Simple64",
        players=[sc2_env.Agent(sc2_env.Race.terran), sc2_env.Agent(sc2_env.Race.protoss)],
        agent_interface_format=FEATURES,
        step_mul=STEP,
        game_steps_per_episode=400,
        random_seed=3,
    ) as env:
        run_loop.run_loop(agents, env, 60)
    assert [agent.steps for agent in agents] == [60, 60]


def test_the_same_seed_gives_the_same_layers() -> None:
    class Keeper(Chancer):
        def __init__(self) -> None:
            super().__init__()
            self.sums: list[int] = []

        def step(self, obs):
            layers = (obs.observation.feature_screen, obs.observation.feature_minimap)
            self.sums.append(hash(tuple(numpy.asarray(layer).tobytes() for layer in layers)))
            return super().step(obs)

    kept = []
    for _ in range(2):
        numpy.random.seed(9)
        kept.append(Keeper())
        play(kept[-1], "zerg", FEATURES, 60)
    assert kept[0].sums == kept[1].sums


def test_rendering_is_refused_with_what_there_is() -> None:
    from pysc2.lib import remote_controller

    interface = sc2_env.AgentInterfaceFormat(rgb_dimensions=sc2_env.Dimensions(screen=84, minimap=64))
    with pytest.raises(remote_controller.RequestError, match="leave render out"):
        play(random_agent.RandomAgent(), "terran", interface, 2)
