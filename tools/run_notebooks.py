#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks with this Python, and checks them.

    .venv/bin/python tools/run_notebooks.py [--write] [NAME…]     without NAME: all notebooks

    --write   writes the new output into the files

A notebook passes if each cell runs without an error, and each cell that shows a picture in the file shows a picture again. The
file must have a picture, at most 12 cells of code, and at most 300 KiB. `tools/set-up --extras gym,data,notebook` installs the
packages that notebooks need.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = pathlib.Path(__file__).resolve().parent.parent / "docs/notebooks"
MAX_CELLS, MAX_BYTES = 12, 300 << 10
CELL_SECONDS = 1800
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KERNEL = {
    "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "this Python",
    "env": {"PYDEVD_DISABLE_FILE_VALIDATION": "1"},  # Without it, the debugger of ipykernel prints a warning.
    "language": "python",
}


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells of a notebook that contain code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def picture_cells(notebook: nbformat.NotebookNode) -> list[int]:
    """The numbers of the cells of code that show a picture, from 1."""
    return [
        number
        for number, cell in enumerate(code_cells(notebook), 1)
        if any("image/png" in output.get("data", ()) for output in cell.outputs)
    ]


def execute(notebook: nbformat.NotebookNode) -> None:
    """Runs a notebook in an empty folder. Raises CellExecutionError."""
    with tempfile.TemporaryDirectory() as folder:
        # Uses a kernel of this Python. Kernels that are installed on the system can belong to another Python.
        kernel = pathlib.Path(folder, "kernels/this/kernel.json")
        kernel.parent.mkdir(parents=True)
        kernel.write_text(json.dumps(KERNEL))
        os.environ.update(JUPYTER_PATH=folder, IPYTHONDIR=folder)
        client = NotebookClient(notebook, timeout=CELL_SECONDS, kernel_name="this", record_timing=False)
        client.execute(cwd=folder)


def check(path: pathlib.Path, write: bool) -> list[str]:
    """Runs a notebook. Returns its problems."""
    notebook = nbformat.read(path, 4)
    shown = picture_cells(notebook)
    began = time.monotonic()
    try:
        execute(notebook)
    except CellExecutionError as error:
        return [str(error)]
    seconds = time.monotonic() - began
    if write:
        shown = picture_cells(notebook)
        notebook.metadata = METADATA
        nbformat.write(notebook, path)
    count, size = len(code_cells(notebook)), path.stat().st_size
    problems = [f"cell {number} no longer shows a picture" for number in shown if number not in picture_cells(notebook)]
    if not shown:
        problems.append("it shows no picture in the file: run tools/run_notebooks.py --write")
    if count > MAX_CELLS or size > MAX_BYTES:
        problems.append(f"it has {count} cells of code (at most {MAX_CELLS}) and {size} bytes (at most {MAX_BYTES})")
    print(
        f"{path.stem}: {count} cells of code, {len(shown)} with pictures, {size >> 10} KiB, {seconds:.0f} s", flush=True
    )
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    there = {path.stem: path for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    for name in arguments.names:
        if name not in there:
            parser.error(f"unknown notebook '{name}': expected {', '.join(there)}")
    failed = 0
    for name in arguments.names or there:
        for problem in check(there[name], arguments.write):
            print(f"{name}: {problem}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
