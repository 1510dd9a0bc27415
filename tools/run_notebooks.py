#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks on this Python, and checks them.

    .venv/bin/python tools/run_notebooks.py [--write] [NAME…]     all of them if none is named

    --write   writes the new output into the files

A notebook passes if each cell runs without an error, and each cell that shows a picture in the file shows one again. The file
must have a picture, at most 12 cells of code, and at most 300 KiB. `tools/set-up --extras gym,data,notebook` installs what they need.
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
MOST_CELLS, MOST_BYTES = 12, 300 << 10
CELL_SECONDS = 1800
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KERNEL = {
    "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "this Python",
    "env": {"PYDEVD_DISABLE_FILE_VALIDATION": "1"},  # Else the debugger of ipykernel prints a warning.
    "language": "python",
}


def cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells of code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def pictures(notebook: nbformat.NotebookNode) -> list[int]:
    """The numbers, from 1, of the cells that show a picture."""
    return [
        number
        for number, cell in enumerate(cells(notebook), 1)
        if any("image/png" in output.get("data", ()) for output in cell.outputs)
    ]


def execute(notebook: nbformat.NotebookNode) -> None:
    """Runs the notebook in an empty folder. Raises CellExecutionError."""
    with tempfile.TemporaryDirectory() as folder:
        # The kernels that are installed on the system may belong to another Python.
        kernel = pathlib.Path(folder, "kernels/this/kernel.json")
        kernel.parent.mkdir(parents=True)
        kernel.write_text(json.dumps(KERNEL))
        os.environ.update(JUPYTER_PATH=folder, IPYTHONDIR=folder)
        client = NotebookClient(notebook, timeout=CELL_SECONDS, kernel_name="this", record_timing=False)
        client.execute(cwd=folder)


def check(path: pathlib.Path, write: bool) -> list[str]:
    """Runs a notebook. Returns what is wrong with it."""
    notebook = nbformat.read(path, 4)
    shown = pictures(notebook)
    began = time.monotonic()
    try:
        execute(notebook)
    except CellExecutionError as error:
        return [str(error)]
    seconds = time.monotonic() - began
    if write:
        shown = pictures(notebook)
        notebook.metadata = METADATA
        nbformat.write(notebook, path)
    count, size = len(cells(notebook)), path.stat().st_size
    wrong = [f"cell {number} shows no picture any more" for number in shown if number not in pictures(notebook)]
    if not shown:
        wrong.append("it shows no picture: run tools/run_notebooks.py --write")
    if count > MOST_CELLS or size > MOST_BYTES:
        wrong.append(f"it has {count} cells of code (at most {MOST_CELLS}) and {size} bytes (at most {MOST_BYTES})")
    print(
        f"{path.stem}: {count} cells of code, {len(shown)} with pictures, {size >> 10} KiB, {seconds:.0f} s", flush=True
    )
    return wrong


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
        for wrong in check(there[name], arguments.write):
            print(f"{name}: {wrong}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
