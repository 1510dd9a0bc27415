import pytest
from pysc2.agents import random_agent
from pysc2.env import run_loop, sc2_env
Races = sc2_env.Race
@pytest.mark.parametrize("race", ["terran","zerg","protoss"])
def test_random(race):
    with sc2_env.SC2Env(map_name="Simple64", players=[sc2_env.Agent(Races[race]), sc2_env.Bot(Races.zerg, sc2_env.Difficulty.very_easy)],
        agent_interface_format=sc2_env.AgentInterfaceFormat(feature_dimensions=sc2_env.Dimensions(screen=84, minimap=64), use_unit_counts=True, use_feature_units=True),
        step_mul=8, game_steps_per_episode=2000, random_seed=3) as env:
        agent = random_agent.RandomAgent()
        run_loop.run_loop([agent], env, 600)
    print(agent.steps, agent.episodes)
