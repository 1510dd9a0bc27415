"""Tests of .github: what runs on github.com is pinned, has few permissions, and names files that exist."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="python3-yaml is missing")

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gate_steps

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / ".github/actions").glob("*/action.yml"))
WRITES = {
    "pages": {"pages", "id-token"},
    "release": {"contents", "id-token", "attestations"},
    "registry": {"packages", "id-token", "attestations"},
    **dict.fromkeys(("testpypi", "pypi", "npm", "nuget"), {"id-token"}),
}
"""The permissions to write of each job. All other jobs may only read."""


def name_of(file: pathlib.Path) -> str:
    return file.relative_to(ROOT / ".github").as_posix()


def jobs_of(file: pathlib.Path) -> dict[str, Any]:
    return dict(yaml.safe_load(file.read_text())["jobs"])


def steps_of(file: pathlib.Path) -> list[dict[str, Any]]:
    content = yaml.safe_load(file.read_text())
    jobs = content["jobs"].values() if "jobs" in content else [content["runs"]]
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("file", [*WORKFLOWS, *ACTIONS], ids=name_of)
def test_an_action_is_named_by_its_commit_and_by_its_version_in_a_comment(file: pathlib.Path) -> None:
    used = [line.partition("uses:")[2].strip() for line in file.read_text().splitlines() if "uses:" in line]
    assert used or file.parent.name == "live-page"
    for action in used:
        if action.startswith("./"):
            assert (ROOT / action / "action.yml").is_file(), action
        else:
            assert re.fullmatch(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_an_action_has_the_same_commit_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for file in [*WORKFLOWS, *ACTIONS]:
        for action, pin in re.findall(r"uses: ([\w./-]+)@(.*)", file.read_text()):
            pins.setdefault(action, set()).add(pin)
    assert len(pins) > 5 and {action: found for action, found in pins.items() if len(found) > 1} == {}


@pytest.mark.parametrize("file", WORKFLOWS, ids=name_of)
def test_a_job_has_a_time_limit_and_only_the_permissions_that_it_needs(file: pathlib.Path) -> None:
    assert yaml.safe_load(file.read_text())["permissions"] == {}, "jobs inherit these permissions"
    for name, job in jobs_of(file).items():
        permissions = job["permissions"]
        writes = {scope for scope, level in permissions.items() if level != "read"}
        assert writes == WRITES.get(name, set()) and set(permissions) <= writes | {"contents"}, name
        assert job["timeout-minutes"] <= 180, name


def test_only_pull_requests_cancel_earlier_runs() -> None:
    for file in WORKFLOWS:
        cancels = yaml.safe_load(file.read_text())["concurrency"]["cancel-in-progress"]
        assert cancels is False or cancels == "${{ github.event_name == 'pull_request' }}", file.name


def test_a_rehearsal_of_the_release_publishes_only_to_testpypi_and_only_on_request() -> None:
    jobs = jobs_of(ROOT / ".github/workflows/release.yml")
    assert jobs["release"]["if"] == "github.event_name == 'push'"
    assert jobs["testpypi"]["if"] == "github.event_name == 'workflow_dispatch' && inputs.testpypi"
    for name in set(WRITES) - {"release", "testpypi"}:
        assert "release" in jobs[name]["needs"], f"{name} must wait for the job release, which a rehearsal leaves out"
        assert "if" not in jobs[name], name
    for name, job in jobs.items():
        if name not in WRITES:
            assert "if" not in job, f"a rehearsal must run {name}"
            assert not re.search(r"docker push|gh release|nuget push|npm publish (?!--dry-run)", str(job)), name


def test_a_release_uses_no_cache() -> None:
    for step in steps_of(ROOT / ".github/workflows/release.yml"):
        if step.get("uses") == "./.github/actions/set-up":
            assert step["with"]["cache"] == "false"
        assert "cache" not in step.get("with", {}) or step["with"]["cache"] == "false"


def test_the_files_that_steps_name_exist() -> None:
    scripts = "\n".join(step.get("run", "") for file in [*WORKFLOWS, *ACTIONS] for step in steps_of(file))
    named = set(re.findall(r"(?<![\w./~$\\-])(?:tools|agent-js|agent-python|bridge-csharp)/[\w./-]+", scripts))
    assert {"tools/test", "tools/package", "tools/fresh-machine"} < named
    for path in named:
        assert "/bin/" in path or (ROOT / path).exists() or list(ROOT.glob(f"{path}*")), f"{path} does not exist"


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is missing")
def test_shellcheck_finds_nothing_in_the_scripts_of_steps(tmp_path: pathlib.Path) -> None:
    scripts = []
    for file in [*WORKFLOWS, *ACTIONS]:
        for number, step in enumerate(steps_of(file)):
            if "run" in step and step.get("shell", "bash") == "bash":
                script = tmp_path / f"{file.parent.name}-{file.stem}-{number}.sh"
                text = re.sub(r"\$\{\{.*?\}\}", "expression", step["run"])
                script.write_text(f"#!/usr/bin/env bash\nset -e\n{text}\n")
                scripts.append(str(script))
    assert len(scripts) > 20
    # SC2194: an expression of GitHub looks like a constant here.
    done = subprocess.run(["shellcheck", "-e", "SC2015,SC2194", *scripts], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


def test_shell_scripts_are_found_by_their_first_line() -> None:
    assert {"sc2bridge", "tools/package", ".ci/run"} < set(gate_steps.shell_scripts())
    assert "tools/test" not in gate_steps.shell_scripts()


LISTED = subprocess.run(["git", "ls-files", "*package.json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
PACKAGES = [ROOT / name for name in LISTED.stdout.split()]


@pytest.mark.parametrize("file", PACKAGES, ids=lambda path: path.parent.name)
def test_npm_scripts_run_in_every_shell(file: pathlib.Path) -> None:
    for name, script in json.loads(file.read_text()).get("scripts", {}).items():
        for command in re.split(r"&&|\|\|", script):
            first = command.split()[0]
            assert first in {"node", "npm", "tsc", "vite", "buf"}, f"{name}: is '{first}' a command of one shell?"
            assert not re.search(r"['$`;|<>]", command), f"{name}: shells read this differently: {command}"
            if "*" in command:  # Node expands these patterns itself from Node 21 on. Other programs do not.
                assert first == "node" and "--test" in command, f"{name}: cmd expands no patterns: {command}"
