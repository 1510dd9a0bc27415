"""How `fights` evaluates its matches and rounds."""

from __future__ import annotations

from sc2bridge_bench import fights


def test_ties_and_undecided_fights_are_not_in_the_share() -> None:
    pairs = [("own", "own")] * 18 + [("enemy", "enemy"), ("own", "enemy"), (None, "own"), ("own", None), (None, None)]
    rounds = [{"fights": 100, "seconds": 0.5, "processor_seconds": seconds} for seconds in (0.05, 0.1, 0.2)]
    report = {
        "winners": [{"foreseen": foreseen, "winner": winner} for foreseen, winner in pairs],
        "seconds": 20,
        "rounds": {"simulate": rounds},
    }
    lines = fights.table(report).splitlines()
    assert lines[0] == "23 matches: 19 right, 1 wrong (95.0 % of 20 right), 1 undecided after 20 s, 2 ties of the match"
    assert lines[-1] == "| `simulate` | 1,000 (500–2,000) | 200 (200–200) |"


def test_each_side_has_ten_units_of_types_that_can_fight_alone() -> None:
    for player in fights.scenario()["players"]:
        assert sum(group["count"] for group in player["units"]) == 10
        assert all(set(group["except"]) < set(group["type"]) for group in player["units"])
