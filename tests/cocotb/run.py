"""Runs a cocotb test on exported Verilog under Icarus: run.py TEST TOP FOLDER, where FOLDER holds TOP.f."""

import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner


def main(test, top, folder):
    folder = Path(folder)
    sources = [folder / line for line in (folder / f"{top}.f").read_text().split() if line.endswith(".v")]
    runner = get_runner("icarus")
    runner.build(sources=sources, hdl_toplevel=top, build_dir=folder / "build", timescale=("1ns", "1ps"))
    sys.path.insert(0, str(Path(__file__).parent))
    results = runner.test(hdl_toplevel=top, test_module=test, test_dir=folder / "build")
    count, failed = get_results(results)
    print(f"{count} tests, {failed} failed")
    return 1 if failed or not count else 0


sys.exit(main(*sys.argv[1:]))
