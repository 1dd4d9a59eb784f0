"""Commands of the tool, run as processes of their own, and the JSON that they write."""

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading

from ._native import Error, arguments

log = logging.getLogger("gpurf")


class CheckFailed(Error):
    """A command ran, and something that it checked does not hold. `results` is what it wrote, if it wrote anything."""

    def __init__(self, message, results=None):
        super().__init__(message)
        self.results = results


def command(*words):
    """Runs a command of the tool, as `command("verilog", "ccu", "--set", "width=32")`, and returns what it prints.

    What it says of its progress goes to the logger `gpurf`. Raises `Error` with the tool's message on unusable input, and
    `CheckFailed` if something that it checked does not hold.
    """
    line = [sys.executable, "-m", "gpurf", *map(_word, words)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = []

    def listen():
        for text in process.stderr:
            said.append(text.rstrip())
            log.info("%s", text.rstrip())

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        printed = process.stdout.read()
        code = process.wait()
    except BaseException:
        # An interrupted cell of a notebook leaves nothing running.
        process.terminate()
        process.wait()
        raise
    listener.join()
    if code == 0:
        return printed
    if code == 1:
        raise CheckFailed(_message(said) or _last_line(printed))
    raise Error(_message(said) or f"the tool ended with {code}: {_last_line(said)}")


def simulate(workload, *, settings=None, **options):
    """Runs an instruction stream through a streaming multiprocessor and returns the JSON of `gpurf sim` as a dictionary.

    `workload` is a built-in workload, a launch file or a trace; `settings` are constants of the machine by name, as
    `{"collectors": 4, "l1.latency": 28}`. Options are those of the command line, with `_` for `-`.
    """
    return _json("sim", [workload], settings, options)


def compare(study, *inputs, settings=None, **options):
    """Runs a study and returns the JSON of `gpurf compare`: of most studies a list with a dictionary for each run.

    `inputs` are workloads, the study's own if there are none; `settings` are constants of the machine by name. With `out`,
    findings, plots and the results of each run stay in a folder, for `read`. Options are those of the command line.
    """
    return _json("compare", [study, *inputs], settings, options)


def _json(name, words, settings, options):
    line = [name, *words]
    for key, value in (settings or {}).items():
        line += ["--set", f"{key}={_word(value)}"]
    for key, value in options.items():
        line += _option(key.replace("_", "-"), value)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")

        def results():
            if not os.path.exists(path):
                return None
            with open(path) as file:
                return json.load(file)

        try:
            command(*line, "--json", path)
        except CheckFailed as failed:
            raise CheckFailed(str(failed), results()) from None
        return results()


def _option(name, value):
    """An option as words: nothing for None and False, its name alone for True, a list separated by commas."""
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{name}"]
    if isinstance(value, (list, tuple)):
        value = ",".join(map(_word, value))
    return [f"--{name}", value]


def _word(value):
    """A value as the command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _message(said):
    """The tool's message, without the usage that may follow it."""
    places = [place for place, text in enumerate(said) if text.startswith("error: ")]
    if not places:
        return ""
    lines = []
    for text in said[places[-1] :]:
        if not text:
            break
        lines.append(text.strip())
    return " ".join(lines)[len("error: ") :]


def _last_line(printed):
    lines = printed.splitlines() if isinstance(printed, str) else printed
    return lines[-1] if lines else ""


def _document(function, name):
    """The options of a command, as its own help has them."""
    rows = [f"    {option}{f' ({default})' if default else ''}: {what}" for option, default, what in arguments(name)]
    function.__doc__ += "\n    The command line:\n\n" + "\n".join(row for row in rows if "--json" not in row) + "\n    "


_document(simulate, "sim")
_document(compare, "compare")
