"""Executes kernel_to_plot.ipynb from beginning to end and keeps its plot: run.py [--out FOLDER], docs if none is named."""

import argparse
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent
ROOT = EXAMPLES.parents[1]

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder for the plot and its numbers")
os.environ["GPURF_PLOTS"] = str(parser.parse_args().out.resolve())
notebook = nbformat.read(EXAMPLES / "kernel_to_plot.ipynb", as_version=4)
NotebookClient(notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": ROOT}}).execute()
