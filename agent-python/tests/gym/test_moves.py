"""The end points of a unit's moves, without a game."""

from __future__ import annotations

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

from sc2bridge.gym.actions import _MOVES, _values_after_moves


@pytest.mark.parametrize("shape", [(5, 7), (3, 3), (2, 2), (1, 4)])
def test_a_move_ends_two_cells_further_or_beyond_the_edge(shape: tuple[int, int]) -> None:
    cells = np.random.default_rng(1).random(shape) < 0.5
    for move, (dx, dy) in enumerate(_MOVES.astype(int)):
        moved = _values_after_moves(cells)[..., move]
        for y, x in np.ndindex(shape):
            inside = 0 <= y + dy < shape[0] and 0 <= x + dx < shape[1]
            assert moved[y, x] == (inside and cells[y + dy, x + dx])
