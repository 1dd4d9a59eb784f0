"""Simulations and studies: what Python gets is what the command line writes."""

import json
from pathlib import Path

import gpurf
import pytest

EXAMPLES = Path(__file__).parents[2] / "docs/examples"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return folder, gpurf.compare("malekeh", "nn", "bfs", designs=["malekeh-gto", "bow"], out=folder, threads=1)


def test_a_simulation_is_the_json_of_the_command():
    line = ["sim", "nn", "--design", "malekeh", "--set", "sthld=0", "--set", "l1.latency=40", "--cycles", 3000]
    settings = {"sthld": 0, "l1.latency": 40}
    statistics = gpurf.simulate("nn", design="malekeh", settings=settings, cycles=3000)
    assert statistics == json.loads(gpurf.command(*line, "--json", "-"))
    assert statistics["design"] == "malekeh" and statistics["cycles"] == 3000
    assert statistics["config"]["l1"]["latency"] == 40
    assert statistics["hit_ratio"] == pytest.approx(statistics["hits"] / statistics["operand_reads"])


def test_a_launch_file_runs():
    statistics = gpurf.simulate(EXAMPLES / "stencil.toml", design="baseline")
    assert [kernel["name"] for kernel in statistics["kernels"]] == ["stencil"]


def test_a_folder_has_what_the_study_returned(study):
    folder, runs = study
    kept = gpurf.read(folder)
    assert {(run["workload"], run["label"]) for run in runs} == {
        (workload, label) for workload in ("nn", "bfs") for label in ("baseline", "malekeh-gto", "bow")
    }
    # In a list each object names the version; in a folder its file does.
    returned = [{key: value for key, value in run.items() if key != "version"} for run in runs]
    assert sorted(map(json.dumps, kept["runs"])) == sorted(map(json.dumps, returned)) and len(runs) == 6
    assert kept["study"]["name"] == "malekeh" and kept["study"]["inputs"] == ["nn", "bfs"]
    assert kept["study"]["command"].startswith("gpurf compare malekeh nn bfs --designs malekeh-gto,bow")


def test_frames_have_a_row_for_each_run(study):
    pandas = pytest.importorskip("pandas")
    folder, runs = study
    frame = gpurf.frame(runs)
    assert len(frame) == 6 and (frame["counters.hits"] <= frame["counters.operand_reads"]).all()
    baseline = frame[frame["label"] == "baseline"].set_index("workload")["ipc"]
    gains = gpurf.plot_frame(gpurf.read(folder)["study"], "ipc")
    for row in frame[frame["label"] == "bow"].itertuples():
        change = 100 * (row.ipc / baseline[row.workload] - 1)
        assert gains.loc[row.workload, "bow"] == pytest.approx(change)
    assert isinstance(gpurf.frame(gpurf.simulate("nn")), pandas.DataFrame)


@pytest.mark.parametrize(
    "call, parts",
    [
        (lambda: gpurf.simulate("ssgemm"), ["ssgemm", "neither a built-in workload"]),
        (lambda: gpurf.simulate("nn", design="malekhe"), ["--design malekhe"]),
        (lambda: gpurf.simulate("nn", settings={"colour": 1}), ["colour"]),
        (lambda: gpurf.simulate("nn", colour=1), ["--colour"]),
        (lambda: gpurf.compare("malecke"), ["malecke", "malekeh"]),
        (lambda: gpurf.read("nowhere"), ["nowhere", "study.json", "gpurf compare"]),
    ],
)
def test_errors_are_those_of_the_command_line(call, parts):
    with pytest.raises(gpurf.Error) as raised:
        call()
    message = str(raised.value)
    assert not isinstance(raised.value, gpurf.CheckFailed)
    assert "\n" not in message and all(part in message for part in parts), message


def test_a_wrong_answer_is_a_check_that_failed(tmp_path):
    for name in ("stencil.toml", "stencil.sass"):
        (tmp_path / name).write_text((EXAMPLES / name).read_text())
    launch = tmp_path / "stencil.toml"
    launch.write_text(launch.read_text().replace("start = 257", "start = 258"))
    with pytest.raises(gpurf.CheckFailed, match="mean"):
        gpurf.simulate(launch)


def test_a_damaged_result_is_named(study, tmp_path):
    folder, _ = study
    (tmp_path / "study.json").write_text((folder / "study.json").read_text()[:100])
    with pytest.raises(gpurf.Error, match="study.json: it is damaged"):
        gpurf.read(tmp_path)


def test_names_are_those_of_the_registries():
    assert "sgemm" in gpurf.WORKLOADS and "malekeh" in gpurf.DESIGNS and "finereg" in gpurf.STUDIES
    assert gpurf.parameters()["entries"]["default"] == "8"
    for option in ("--design", "--cycles", "--set"):
        assert option in gpurf.simulate.__doc__
    assert "--designs" in gpurf.compare.__doc__
