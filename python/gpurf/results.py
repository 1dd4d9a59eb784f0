"""Results as they lie in folders, and as data frames."""

import json
from pathlib import Path

from ._native import Error


def read(folder):
    """What `gpurf compare --out` left in a folder, as a dictionary.

    `study` has the findings, the plots' data and the command line; `runs` a dictionary for each run that is kept, in the
    order of their names. Other JSON files of the folder stand under their own names.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*.json"))
    if not (folder / "study.json").is_file():
        raise Error(f"{folder}: there is no study.json; `gpurf compare STUDY --out {folder}` writes it")
    results = {file.stem: _load(file) for file in files}
    kept = [_load(file)["outcome"] for file in sorted(folder.glob("results/*.json"))]
    # A workload that a design has no room for leaves a result without an outcome.
    results["runs"] = [run for run in kept if run is not None]
    return results


def _load(file):
    try:
        return json.loads(file.read_text())
    except ValueError as error:
        raise Error(f"{file}: it is damaged ({error}); run the study again, which makes it anew") from None


def frame(rows, *, sep="."):
    """A data frame with a row for each dictionary and a column for each number, named by its place: `counters.hits`.

    Takes what `compare` returns, the `runs` of `read`, and the lists in what `simulate` returns, as `intervals` and
    `kernels`; a single dictionary is a frame of one row. Needs pandas.
    """
    return _pandas().json_normalize([rows] if isinstance(rows, dict) else list(rows), sep=sep)


def plot_frame(study, file):
    """The data behind a plot of a study, by the name of its file: the `study` of `read` and, for example, `ipc`.

    Bars have a row for each workload and a column for each design; of lines and points each point has a row.
    """
    known = {plot["file"]: plot["drawing"] for plot in study["plots"]}
    if file not in known:
        raise Error(f"the study {study['name']} has no plot {file}; it has {', '.join(known)}")
    ((kind, drawing),) = known[file].items()
    pandas = _pandas()
    if kind == "bars":
        columns = {series["label"]: dict(map(tuple, series["values"])) for series in drawing}
        return pandas.DataFrame(columns).rename_axis("workload")
    rows = []
    for group in drawing[{"lines": "lines", "scatter": "groups"}[kind]]:
        for point in group["points"]:
            # Points of a line are pairs, others have names.
            x, y = (point["x"], point["y"]) if kind == "scatter" else point
            name = {"point": point["name"]} if kind == "scatter" else {}
            rows.append({"name": group["name"], **name, drawing["x"]: x, drawing["y"]: y})
    return pandas.DataFrame(rows)


def _pandas():
    try:
        import pandas
    except ImportError:
        raise Error("data frames need pandas; install it with `pip install pandas`") from None
    return pandas
