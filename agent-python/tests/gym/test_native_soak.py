"""Half an hour of 24 matches in one process: memory, threads, and the end of the process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.usefixtures("native")]

MINUTES, RESETS = 15, 5_000  # for each of two environments
PROGRAM = f"""
import json, os, time
import gymnasium, numpy as np
import sc2bridge.gym
from sc2bridge import library

def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def threads():
    return len(os.listdir("/proc/self/task"))

library.load()
random, found, before = np.random.default_rng(1), [], threads()
for what in ({{"scenario": "3m", "opponent": "computer:terran:VeryHard"}},
             {{"map_name": "Cinder Fortress", "opponent": "computer:zerg:CheatInsane"}}):
    envs = gymnasium.make_vec("sc2bridge/Match-v0", 24, backend="native", actions="multi_discrete", **what)
    begun, resets, sizes = time.monotonic(), 0, []
    while resets < {RESETS} or time.monotonic() - begun < {MINUTES} * 60:
        masks = envs.reset(seed=resets)[1]["action_mask"]
        resets += 24
        for _ in range(200):
            *_, ended, _, infos = envs.step((random.random(masks.shape, np.float32) * masks).argmax(2))
            masks = infos["action_mask"]
            resets += int(ended.sum())
        sizes.append(memory())
    envs.close()
    end = time.monotonic() + 10
    while threads() > before and time.monotonic() < end:
        time.sleep(0.01)  # The system removes ended threads later.
    found.append({{"resets": resets, "sizes": sizes, "threads": threads()}})
print(json.dumps({{"before": before, "environments": found}}))
"""


@pytest.mark.timeout(4 * MINUTES * 60)
def test_memory_and_threads_stay_the_same_for_half_an_hour() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=3 * MINUTES * 60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    report = json.loads(ended.stdout)
    for each in report["environments"]:
        sizes = each.pop("sizes")
        tenth = max(1, len(sizes) // 10)
        early, late = sum(sizes[tenth : 2 * tenth]) / tenth, sum(sizes[-tenth:]) / tenth
        print(f"{each}, {early / 1e6:.1f} MB early, {late / 1e6:.1f} MB late")
        assert late < early * 1.05, sizes
        assert each["threads"] <= report["before"], each
