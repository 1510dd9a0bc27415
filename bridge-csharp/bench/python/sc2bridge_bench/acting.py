"""A client of `bench acting`: observes, acts and steps, again and again, as fast as the game lets it.

All clients do the same in a step: they parse the observation (JSON to a dict, columns to arrays), command eight of
their units, and step.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from typing import Any, Iterable, List

from sc2bridge_bench.libraries import versions

COMMANDS, MOVE = 8, 16


class Phases:
    """Counts steps, and reads the next order when one is done. The first step starts the first order."""

    def __init__(self) -> None:
        self._left = self._warm_up = self._steps = 0
        self._began = self._cpu_began = 0

    def step(self) -> bool:
        """Call after receiving an observation. False if there are no more orders."""
        if self._left == 0:
            if self._steps:
                seconds = (time.monotonic_ns() - self._began) / 1e9
                cpu_us = (time.process_time_ns() - self._cpu_began) / self._steps / 1000
                print(json.dumps({"result": {"per_second": self._steps / seconds, "cpu_us": cpu_us}}), flush=True)
            line = sys.stdin.readline()
            if not line:
                return False
            order = json.loads(line)
            self._steps, self._warm_up = order["steps"], order["warm_up"]
            self._left = self._steps + self._warm_up
        if self._left == self._steps:
            self._began, self._cpu_began = time.monotonic_ns(), time.process_time_ns()
        self._left -= 1
        return True


def commands(kinds: Any, tags: Iterable[int], step: int) -> List[Any]:
    """Each unit is sent a little further than the step before."""
    actions = []
    for number, tag in enumerate(tags):
        action = kinds.Action()
        order = action.action_raw.unit_command
        order.ability_id = MOVE
        order.unit_tags.append(tag)
        order.target_world_space_pos.x = 40 + step % 60
        order.target_world_space_pos.y = 40 + number
        actions.append(action)
    return actions


def check(results: List[int], said: Any) -> None:
    if len(results) != COMMANDS:
        raise ValueError(f"{len(results)} results of {COMMANDS} commands: {said}")


def own(observation: Any) -> List[int]:
    """The first units of player 1; by owner, as the observations may be an observer's."""
    tags = []
    for unit in observation.observation.raw_data.units:
        if unit.owner == 1:
            tags.append(unit.tag)
            if len(tags) == COMMANDS:
                break
    return tags


async def connected(session: Any, url: str) -> Any:
    """The game may still be starting."""
    import aiohttp

    until = time.monotonic() + 60
    while True:
        try:
            return await session.ws_connect(url, max_msg_size=0)
        except aiohttp.ClientError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.05)


async def python_sc2(address: str, proxied: bool) -> None:
    """Its own client, on a game of its own or on the bridge's proxy, whose match is there."""
    import aiohttp
    from loguru import logger
    from s2clientprotocol import sc2api_pb2 as api
    from sc2.client import Client

    logger.remove()
    async with aiohttp.ClientSession() as session:
        async with await connected(session, f"ws://{address}/sc2api") as socket:
            client = Client(socket)
            if not proxied:
                create = api.RequestCreateGame(
                    local_map=api.LocalMap(map_path="CinderFortressLE.SC2Map"), random_seed=1
                )
                create.player_setup.add(type=api.Participant)
                create.player_setup.add(type=api.Computer, race=2, difficulty=1)
                await client._execute(create_game=create)
            join = api.RequestJoinGame(race=1, options=api.InterfaceOptions(raw=True, score=True))
            await client._execute(join_game=join)
            hello("burnysc2", "aiohttp")
            phases = Phases()
            step = 0
            while True:
                observed = (await client.observation()).observation
                if not phases.step():
                    return
                acted = await client._execute(action=api.RequestAction(actions=commands(api, own(observed), step)))
                check(acted.action.result, acted.error)
                await client.step(1)
                step += 1


def act_upon(api: Any, frame: Any) -> List[Any]:
    """An agent's work for one frame. It also checks the outcomes of the previous step."""
    if frame.content == "columns":
        tags: Iterable[int] = (int(tag) for tag in frame.units.of_owner(1).tag[:COMMANDS])
    elif frame.encoding == "json":
        units = frame.json["observation"]["rawData"]["units"]
        tags = itertools.islice((int(unit["tag"]) for unit in units if unit["owner"] == 1), COMMANDS)
    else:
        tags = own(frame.observation)
    if frame.outcomes:
        check([outcome.result for outcome in frame.outcomes], frame.outcomes[0].refusal)
    return commands(api, tags, frame.step)


def bridge(url: str, encoding: str, content: str, compression: str) -> None:
    import sc2bridge
    from sc2bridge.s2clientprotocol import sc2api_pb2 as api

    with sc2bridge.connect(url, encoding_of(encoding), compression) as connection:
        hello(library(encoding))
        phases = Phases()
        frames = connection.subscribe("lockstep", can_act=True, content=content, agent="benchmark")
        for frame in frames:
            if not phases.step():
                return
            frames.act(act_upon(api, frame))


async def bridge_asyncio(url: str, encoding: str, content: str, compression: str) -> None:
    import sc2bridge
    from sc2bridge.s2clientprotocol import sc2api_pb2 as api

    async with await sc2bridge.aconnect(url, encoding_of(encoding), compression) as connection:
        hello(library(encoding))
        phases = Phases()
        frames = await connection.subscribe("lockstep", can_act=True, content=content, agent="benchmark")
        async for frame in frames:
            if not phases.step():
                return
            await frames.act(act_upon(api, frame))


def encoding_of(way: str) -> Any:
    return way if way in ("json", "proto") else None


def library(way: str) -> str:
    return {"grpc": "grpcio", "shm": "numpy"}.get(way, "websockets")


def hello(*libraries: str) -> None:
    print(json.dumps({"client": versions(*libraries)}), flush=True)


def main(way: str, address: str) -> None:
    encoding, *more = way.split("+")
    content = "columns" if "columns" in more else "observation"
    compression = "group-zstd" if "group-zstd" in more else "none"
    if encoding == "python-sc2":
        asyncio.run(python_sc2(address, "proxy" in more))
    elif "asyncio" in more:
        asyncio.run(bridge_asyncio(address, encoding, content, compression))
    else:
        bridge(address, encoding, content, compression)
