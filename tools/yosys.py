"""The command line of Yosys, as far as gpurf needs it, on the `pyosys` package.

`tools/setup` installs it as `.venv/bin/yosys` where Yosys itself cannot be installed.
"""

import argparse
import os
import subprocess
import sys

import pyosys
from pyosys import libyosys

RUN = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for command in sys.argv[1:]:
    libyosys.run_pass(command, design)
"""


def command(file):
    """What Yosys does with a file named on its command line."""
    return f"script {file}" if file.endswith(".ys") else f"read_verilog -sv {file}"


def main():
    parser = argparse.ArgumentParser(prog="yosys")
    parser.add_argument("-V", action="store_true", help="print the version")
    parser.add_argument("-Q", action="store_true", help="no banner (there is none)")
    parser.add_argument("-T", action="store_true", help="no footer (there is none)")
    parser.add_argument("-q", action="store_true", help="print only warnings and errors")
    parser.add_argument("-l", metavar="FILE", help="write the log to this file")
    parser.add_argument("-s", metavar="FILE", action="append", default=[], help="run this script")
    parser.add_argument("-p", metavar="COMMANDS", action="append", default=[], help="run these commands")
    parser.add_argument("files", nargs="*", help="scripts and Verilog files")
    options = parser.parse_args()
    if options.V:
        print(libyosys.yosys_maybe_version())
        return 0

    commands = [command(file) for file in options.files]
    commands += [f"script {file}" for file in options.s] + options.p
    # In a process of its own: an error of Yosys ends the process, and its log goes to standard output.
    run = [sys.executable, "-c", RUN, *commands]
    # Scripts call ABC too, which the package has beside itself.
    paths = [os.environ.get("PATH", os.defpath), os.path.dirname(pyosys.__file__)]
    environment = os.environ | {"PATH": os.pathsep.join(paths)}
    process = subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log = open(options.l, "w") if options.l else None
    for line in process.stdout:
        if log:
            log.write(line)
        if not options.q:
            sys.stdout.write(line)
        elif line.startswith(("ERROR", "Warning")):
            sys.stderr.write(line)
    return process.wait()


sys.exit(main())
