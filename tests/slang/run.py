"""Reads exported Verilog with slang and prints what it says: run.py TOP FOLDER, where FOLDER holds TOP.f."""

import os
import sys

import pyslang


def main(top, folder):
    os.chdir(folder)
    with open(f"{top}.f") as files:
        sources = files.read()
    driver = pyslang.driver.Driver() if hasattr(pyslang, "driver") else pyslang.Driver()
    driver.addStandardArgs()
    # Slang sees a latch in whatever a loop assigns, if the loop's variable is declared before it, as Verilog has it.
    # Yosys and Verilator look for latches.
    options = "-Wextra -Wno-inferred-latch"
    read = driver.parseCommandLine(f"slang {options} --top {top} {sources}".replace("\n", " "))
    if not (read and driver.processOptions() and driver.parseAllSources()):
        return 1
    return 0 if driver.runFullCompilation(True) else 1


sys.exit(main(*sys.argv[1:]))
