"""GPU register-file hardware from research papers: simulated inside a streaming multiprocessor, and cycle by cycle.

    statistics = gpurf.simulate("sgemm", design="malekeh")
    runs = gpurf.compare("malekeh", "bfs", "nn", designs=["malekeh", "bow"], out="out/malekeh")
    folder = gpurf.read("out/malekeh")
    collector = gpurf.Module("ccu", engine="rtl", parameters={"width": 32})
    outputs = collector.step(issue=1, warp=3)

Names, options and ports are those of the tool; `WORKLOADS`, `DESIGNS`, `STUDIES`, `modules()` and `parameters()` list them.
"""

from ._native import DESIGNS, STUDIES, WORKLOADS, Error, Module, Port, __version__, modules, parameters
from .commands import CheckFailed, command, compare, simulate
from .results import frame, plot_frame, read

__all__ = [
    "DESIGNS",
    "STUDIES",
    "WORKLOADS",
    "CheckFailed",
    "Error",
    "Module",
    "Port",
    "__version__",
    "command",
    "compare",
    "frame",
    "modules",
    "parameters",
    "plot_frame",
    "read",
    "simulate",
]
