"""Tests of tools/check_budgets.py: counts may not be over their budgets, and budgets can only be lowered."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_budgets

HARD = "They are told."  # It has one hard phrase, on purpose.


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A repository with one document and one source file, and with budgets that equal their counts."""
    monkeypatch.setattr(check_budgets, "ROOT", tmp_path)
    for words in (["init", "-q"], ["config", "user.email", "a@b.c"], ["config", "user.name", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    (tmp_path / "tools").mkdir()
    (tmp_path / "page.md").write_text(HARD + "\n")
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.cs").write_text("// plain\npublic class A\n{\n\n}\n")
    commit(tmp_path)
    assert run(monkeypatch, "--lower") == 0
    commit(tmp_path)
    return tmp_path


def commit(folder: pathlib.Path) -> None:
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-q", "-m", "x"], cwd=folder, check=True)


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["check_budgets.py", *words])
    return check_budgets.main()


def test_counts_within_their_budgets_pass(project: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch) == 0


def test_a_sentence_over_budget_fails(
    project: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "page.md").write_text(f"{HARD}\n{HARD}\n")
    assert run(monkeypatch) == 1
    assert "page.md: 2 phrases, and its budget is 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "added, kind",
    [("int one;\n", "lines"), ("public enum B { }\n", "public types"), ("//\n" * 400, "long files")],
)
def test_more_code_than_budgeted_fails(
    project: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    added: str,
    kind: str,
) -> None:
    (project / "code/a.cs").write_text((project / "code/a.cs").read_text() + added)
    assert run(monkeypatch) == 1
    assert f" {kind}, and its budget is" in capsys.readouterr().out


def test_a_budget_that_was_raised_fails(
    project: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    budgets = project / "tools/budgets.tsv"
    budgets.write_text(budgets.read_text().replace("page.md\t1", "page.md\t9"))
    assert run(monkeypatch) == 1
    commit(project)  # The command also fails after a commit.
    assert run(monkeypatch) == 1
    assert "the budget of page.md for phrases was 1" in capsys.readouterr().out


def test_a_new_folder_needs_a_budget_and_a_missing_budget_counts_as_0(
    project: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "more").mkdir()
    (project / "more/a.cs").write_text("int one;\n")
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)
    assert run(monkeypatch) == 1
    assert "more: 1 lines, and its budget is 0" in capsys.readouterr().out
    assert run(monkeypatch, "--lower") == 0
    budgets = project / "tools/budgets.tsv"
    budgets.write_text("".join(line for line in budgets.read_text().splitlines(True) if not line.startswith("code")))
    assert run(monkeypatch) == 1


def test_a_grant_counts_on_top_of_the_budget(project: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "code/a.cs").write_text((project / "code/a.cs").read_text() + "int one;\n")
    assert run(monkeypatch) == 1
    (project / "tools/budget_grants.tsv").write_text("# date\n2026-11-26\tlines\tcode\t1\ta feature\n")
    assert run(monkeypatch) == 0


def test_lower_writes_the_lower_counts(project: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "page.md").write_text("Plain words.\n")
    assert run(monkeypatch, "--lower") == 0
    commit(project)
    (project / "page.md").write_text(HARD + "\n")
    assert run(monkeypatch) == 1


@pytest.mark.parametrize(
    "path, text, hits",
    [
        ("a.md", f"{HARD} `{HARD}`\n```\n{HARD}\n```\n", 1),
        ("a.cs", f'int told = 1; // {HARD}\nSay("{HARD}");', 2),
        ("a.py", f'"""{HARD}"""\ntold = 1  # {HARD}\n', 2),
        ("a.ts", f"/* {HARD} */ const a = `{HARD} ${{b}}`;", 2),
    ],
)
def test_phrases_are_counted_in_documents_comments_and_messages(path: str, text: str, hits: int) -> None:
    assert len(check_budgets.find_phrases(path, text)[0]) == hits


@pytest.mark.parametrize(
    "path, text, lines",
    [
        ("a.cs", '// one\n\n/* two\nthree */\nvar a = "// no comment";\n', 1),
        ("a.py", '"""Docstring\nof two lines."""\n\n# comment\na = """text\nof two"""\n', 2),
        ("tools/a", "#!/bin/sh\necho 'a # b'\n", 1),
    ],
)
def test_code_lines_leave_out_comments_and_blank_lines(path: str, text: str, lines: int) -> None:
    assert check_budgets.code_lines(path, text) == lines
