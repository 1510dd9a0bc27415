"""Tests of tools/measure.py: each page has the tables of its raw files."""

from __future__ import annotations

import json
import pathlib
import re
import sys
from typing import Any

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import measured_tables
from measured_tables import PAGE, RAW, README, ROOT

MACHINE = {"processor": "P", "cores": 2, "system": "S", "dotnet": "10.0.1", "python": "3.11.7"}
MEASURED = {
    "commit": "0123456789abcdef",
    "date": "2026-01-02",
    "command": "bench x",
    "machine": MACHINE,
    "load_at_start": 0.1,
    "load_at_end": 1.9,
}


def raws(**rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {part: {**MEASURED, "rows": rows[part]} if part in rows else None for part in measured_tables.PARTS}


def transport(mode: str, compression: str, rate: float, subscribers: int, *rounds: float) -> dict[str, Any]:
    return {
        "mode": mode,
        "content": "observation",
        "compression": compression,
        "rate": rate,
        "subscribers": subscribers,
        "rounds": [
            {
                "parsed_p50_us": each * 1000,
                "parsed_p99_us": each * 2000,
                "megabytes_per_second": each,
                "sender_cpu": each / 100,
                "agent_cpu": each / 50,
            }
            for each in rounds
        ],
    }


@pytest.mark.parametrize("page", [PAGE, README], ids=lambda page: page.parent.name)
def test_a_page_has_the_tables_of_its_raw_files(page: pathlib.Path) -> None:
    text = page.read_text()
    assert measured_tables.BLOCK.search(text)
    assert measured_tables.render(text, measured_tables.read(RAW)) == text, "run tools/measure.py --render"


def test_every_raw_file_is_named_by_a_page() -> None:
    folder = ROOT / "docs/measurements"
    pages = list(ROOT.glob("docs/**/*.md"))
    named = {
        (page.parent / link).resolve()
        for page in pages
        for link in re.findall(r"\]\(([^)#]*raw/[^)#]+)\)", page.read_text())
    }
    assert [path for path in folder.glob("**/raw/*") if path not in named] == []


def test_the_pages_have_at_most_6000_words() -> None:
    assert sum(len(page.read_text().split()) for page in (ROOT / "docs/measurements").glob("**/*.md")) <= 6000


def test_cells_are_medians_at_both_rates() -> None:
    rows = [transport("grpc", "none", rate, 1, *rounds) for rate, rounds in ((16, (1, 9, 2)), (22.4, (3, 4, 50)))]
    lines = measured_tables.transports(raws(transports=rows)["transports"])
    assert lines[2:] == ["| gRPC | observation | none | 2.0/4.0 | 4.0/8.0 | 16/32 | 2.0/4.0 | 4.0/8.0 |"]


def test_a_core_serves_as_many_as_fit_next_to_the_first() -> None:
    made = raws(
        transports=[transport("binary", "none", 22.4, 1, 2.0), transport("binary", "none", 22.4, 64, 8.3)],
        matches=[{"rounds": [{"bridge_cpu": 0.025, "p50_us": 400, "p99_us": 900}]}],
        broker=[
            {
                "matches": count,
                "readers": 1,
                "rounds": [{"broker_cpu": cpu, "own_cpu": cpu, "p50_us": 1e3, "p99_us": 2e3}],
            }
            for count, cpu in ((1, 0.02), (21, 0.22))
        ],
    )
    lines = measured_tables.capacity(made)
    assert "| agents of a match, binary WebSocket | 64 | bridge | 0.10 | 980 | 8.3, 17 |" in lines
    assert "| agents of a match, gRPC | 64 | bridge | not measured | – | – |" in lines
    assert "| matches with an agent each, binary WebSocket | 1 | bridge | 2.5 | 40 | 0.40, 0.90 |" in lines
    assert "| matches with a reader each, RabbitMQ | 21 | broker | 1.0 | 100 | 1.0, 2.0 |" in lines
    assert "| readers of a match, RabbitMQ | – | broker | not measured | – | – |" in lines


def test_a_ratio_is_taken_within_each_round_and_a_missing_peer_is_named() -> None:
    rates = {"python-sc2": (100, 200), "env+units+multi_discrete": (200, 600)}
    rows = [
        {"way": way, "rounds": [{"per_second": each, "python_cpu_us": 364, "bridge_cpu_us": 0} for each in rounds]}
        for way, rounds in rates.items()
    ]
    lines = measured_tables.steps(raws(environments=rows))
    assert lines[2] == "| environment | `Match-v0`, `multi_discrete` | 400 | 2.50 | not measured | 364 | 0 | – |"
    assert "| environment | PySC2, raw units | not measured | – | – | – | – | – |" in lines


@pytest.mark.parametrize("fact", ["commit", "load_at_start", "machine"])
def test_a_raw_file_must_name_its_commit_machine_and_load(tmp_path: pathlib.Path, fact: str) -> None:
    (tmp_path / "broker.json").write_text(json.dumps({key: value for key, value in MEASURED.items() if key != fact}))
    with pytest.raises(ValueError, match="processor" if fact == "machine" else fact):
        measured_tables.read(tmp_path)


def test_a_table_names_the_commit_of_each_raw_file() -> None:
    block = "<!-- capacity: tools/measure.py writes this -->\nold\n<!-- end of capacity -->"
    text = measured_tables.render(block, raws(matches=[{"rounds": [{"bridge_cpu": 0.5, "p50_us": 1, "p99_us": 1}]}]))
    assert re.search(r"Commit 01234567, 2026-01-02; P, 2 cores, S, .*raw/matches.json\) \(load 0.1–1.9\)", text)
    assert "old" not in text and text.endswith("<!-- end of capacity -->")
