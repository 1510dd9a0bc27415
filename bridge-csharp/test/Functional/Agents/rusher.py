"""Plays Zerg: a pool and two more hatcheries, zerglings from every larva, and all of them at the enemy until nothing of
it is left.

Writes what it did in the folder that COLLECT names.
"""

import json
import os
import pathlib
import sys
from collections import Counter

import numpy as np

from sc2bridge import Agent, Frame
from sc2bridge.s2clientprotocol import sc2api_pb2

HATCHERIES = (86, 100, 101)
DRONE, ZERGLING, OVERLORD, LARVA, POOL = 104, 105, 106, 151, 89
MOVE, ATTACK, TRAIN_DRONE, TRAIN_ZERGLING, TRAIN_OVERLORD = 16, 23, 1342, 1343, 1344
BUILD_HATCHERY, BUILD_POOL = 1152, 1155


def command(ability, tags, at=None):
    action = sc2api_pb2.Action()
    order = action.action_raw.unit_command
    order.ability_id = ability
    order.unit_tags.extend(int(tag) for tag in tags)
    if at is not None:
        order.target_world_space_pos.x, order.target_world_space_pos.y = float(at[0]), float(at[1])
    return action


class Rusher(Agent):
    can_act = True

    def __init__(self) -> None:
        self._told = pathlib.Path(os.environ["COLLECT"]) / f"{sys.argv[sys.argv.index('--name') + 1]}.json"
        self._results: Counter = Counter()
        self._sent = 0
        self._scout = None
        self._moved = 0.0
        self._asked = -1000
        self._found = False

    def on_start(self, match) -> None:
        self._me = next(player.player_id for player in match.players if player.kind == "agent")
        self._enemy = np.array([(at.x, at.y) for at in match.game_info.start_raw.start_locations])[0]

    def on_step(self, frame: Frame) -> None:
        self._results.update(one.result for one in frame.outcomes)
        if self._scout is None or frame.step % 4 == 0:
            self._act(frame)

    def _act(self, frame: Frame) -> None:
        own, common = frame.units.own, frame.observation.observation.player_common
        kinds = own.unit_type
        larvae = list(own.tag[kinds == LARVA])
        pool = own.build_progress[kinds == POOL]
        minerals, room = common.minerals, common.food_cap - common.food_used
        eggs = sum(own.orders.ability_id == TRAIN_OVERLORD)
        actions = []
        overlords = kinds == OVERLORD
        if self._scout is None:
            self._scout, self._from = own.tag[overlords][0], own.pos[overlords][0]
            actions.append(command(MOVE, [self._scout], self._enemy))
        elif self._scout in own.tag:
            self._moved = float(np.linalg.norm(own.pos[own.tag == self._scout][0] - self._from))
        halls = own.pos[np.isin(kinds, HATCHERIES)]
        ability, price = (BUILD_POOL, 200) if not len(pool) else (BUILD_HATCHERY, 300)
        if minerals >= price and len(halls) < 3 and frame.game_loop > self._asked + 200:
            self._asked = frame.game_loop
            place = self._place(ability, halls[0])
            if place is not None:
                actions.append(command(ability, own.tag[kinds == DRONE][:1], place))
                minerals -= price
        while larvae:
            if room + 8 * eggs < 2 and common.food_cap < 200:
                ability, price, eggs = TRAIN_OVERLORD, 100, eggs + 1
            elif len(pool) and pool[0] == 1:
                ability, price, room = TRAIN_ZERGLING, 50, room - 1
            elif sum(kinds == DRONE) < 16 and minerals >= 100 or not len(pool) and sum(kinds == DRONE) < 14:
                ability, price, room = TRAIN_DRONE, 50, room - 1
            else:
                break
            minerals -= price
            if minerals < 0:
                break
            actions.append(command(ability, [larvae.pop()]))
        army = own.tag[kinds == ZERGLING]
        if len(army) >= 20 and frame.step % 80 == 0:
            actions += self._attack(frame, army)
        if actions:
            self._sent += len(actions)
            self.act(actions)

    def _attack(self, frame: Frame, army):
        enemies = frame.units.enemies
        if len(enemies):
            self._found = True
            return [command(ATTACK, army, enemies.pos[0][:2])]
        if not self._found:
            return [command(ATTACK, army, self._enemy)]
        # The last enemy buildings may be anywhere: each unit searches another place.
        angles, ways = frame.step + np.arange(len(army)) * 2.4, 4 + np.arange(len(army)) % 8 * 4
        places = self._enemy + np.stack([np.cos(angles), np.sin(angles)], axis=1) * ways[:, None]
        return [command(ATTACK, [tag], place) for tag, place in zip(army, places)]

    def _place(self, ability, home):
        asked = sc2api_pb2.Request()
        for dx, dy in ((0, 8), (0, -8), (8, 0), (-8, 0), (6, 6), (-6, -6), (6, -6), (-6, 6), (0, 6), (0, -6)):
            query = asked.query.placements.add(ability_id=ability)
            query.target_pos.x, query.target_pos.y = float(home[0] + dx), float(home[1] + dy)
        answers = self.bridge.request(asked, perspective=self._me).query.placements
        for query, answer in zip(asked.query.placements, answers):
            if answer.result == 1:
                return query.target_pos.x, query.target_pos.y
        return None

    def on_end(self, end) -> None:
        self._results.update(one.result for one in self.player.outcomes)
        won = {one.player_id: one.result for one in end.results}.get(self._me)
        said = {"sent": self._sent, "results": self._results, "won": won, "moved": self._moved}
        self._told.write_text(json.dumps(said))
