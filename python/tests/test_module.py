"""Hardware modules cycle by cycle, against what plain Python says of them."""

import random
import shutil

import gpurf
import pytest

SLOTS = 7


def verilator():
    return pytest.param("verilator", marks=pytest.mark.skipif(not shutil.which("verilator"), reason="no Verilator"))


ENGINES = ["model", "rtl", verilator()]


@pytest.mark.parametrize("name", gpurf.modules())
def test_every_module_has_ports_and_runs(name):
    known = gpurf.modules()[name]
    small = {"width": 32} if "width" in known["parameters"] else {}
    module = gpurf.Module(name, parameters=small)
    assert module.title == known["title"] and set(module.parameters) == set(known["parameters"])
    assert module.inputs and module.outputs
    for port in module.inputs + module.outputs:
        assert port.doc and port.width > 0 and (port.length is None or port.length > 0), port
    outputs = module.step()
    assert list(outputs) == [port.name for port in module.outputs]
    for port in module.outputs:
        values = outputs[port.name] if port.length else [outputs[port.name]]
        assert len(values) == (port.length or 1) and all(0 <= value < 1 << port.width for value in values)
    assert module.cycles == 1


def test_widths_are_those_of_the_verilog():
    module = gpurf.Module("ccu", parameters={"width": 32, "entries": 16})
    widths = {port.name: (port.width, port.length) for port in module.inputs}
    assert widths["s_data"] == (32, None) and widths["source_register"] == (8, SLOTS) and widths["issue"] == (1, None)
    assert module.parameters["entries"] == "16" and "e16" in module.verilog()


@pytest.mark.parametrize("engine", ENGINES)
def test_order_of_use_is_that_of_a_list(engine):
    module = gpurf.Module("lru_order", engine=engine)
    (touch,) = (port for port in module.inputs if port.name == "touch")
    entries = touch.length or touch.width
    draw = random.Random(1)
    order = None
    for _ in range(200):
        entry = draw.randrange(entries)
        touched = [place == entry for place in range(entries)] if touch.length else 1 << entry
        # As many as were used more recently.
        rank = [bin(newer).count("1") for newer in module.step(touch=touched)["newer"]]
        assert sorted(rank) == list(range(entries))
        if order is not None:
            assert [order.index(place) for place in range(entries)] == rank
        order = sorted(range(entries), key=rank.__getitem__)
        order.remove(entry)
        order.insert(0, entry)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_collector_gives_operands_of_program_order(engine):
    collector = gpurf.Module("ccu", engine=engine, parameters={"width": 32})
    draw = random.Random(7)
    values = {(warp, register): draw.getrandbits(32) for warp in range(2) for register in range(12)}
    before, hits = None, 0
    for _ in range(60):
        warp = before if before is not None and draw.random() < 0.8 else draw.randrange(2)
        sources = {slot: draw.randrange(12) for slot in range(SLOTS) if draw.random() < 0.5}
        near = [draw.random() < 0.5 for _ in range(SLOTS)]
        outputs = collector.step(
            issue=1,
            warp=warp,
            source_valid=[slot in sources for slot in range(SLOTS)],
            source_register=[sources.get(slot, 0) for slot in range(SLOTS)],
            source_near=near,
            random=draw.getrandbits(8),
        )
        hit, requested = ([slot for slot in range(SLOTS) if outputs[name][slot]] for name in ("hit", "request"))
        assert warp == before or not hit, "another warp's values"
        assert {sources[slot] for slot in hit + requested} == set(sources.values())
        hits += len(hit)
        before = warp
        for slot in requested:
            assert not collector.step(s_valid=1, s_slot=slot, s_data=values[warp, sources[slot]])["ready"]
        outputs = collector.step(dispatch=1)
        assert outputs["ready"]
        for slot, register in sources.items():
            assert outputs["operand_data"][slot] == values[warp, register]
    assert hits > 20, f"{hits} hits show nothing"


@pytest.mark.parametrize("engine", ENGINES)
def test_values_are_as_wide_as_a_register_of_a_warp(engine):
    collector = gpurf.Module("ocu", engine=engine)
    value = random.Random(3).getrandbits(1024) | 1 << 1023
    first = [1] + [0] * (SLOTS - 1)
    collector.step(issue=1, source_valid=first, source_register=[5] * SLOTS)
    collector.step(s_valid=1, s_slot=0, s_data=value)
    assert collector.step()["operand_data"][0] == value


def test_settle_leaves_the_clock_alone_and_reset_begins_anew():
    module = gpurf.Module("lru_order", engine="rtl")
    fresh = module.settle()
    assert module.settle({"touch": [0] * 7 + [1]}) == fresh and module.cycles == 0
    module.step({"touch": [0] * 7 + [1]})
    assert module.settle() != fresh and module.cycles == 1
    module.reset()
    assert module.settle() == fresh and module.cycles == 0


@pytest.mark.parametrize(
    "arguments, parts",
    [
        ({"name": "cuc"}, ["cuc", "ccu"]),
        ({"name": "ccu", "engine": "vhdl"}, ["engine vhdl", "verilator"]),
        ({"name": "ccu", "engine": "netlist"}, ["netlist", "gpurf testbench"]),
        ({"name": "ccu", "parameters": {"entries": 5}}, ["entries=5", "4, 8 or 16"]),
        ({"name": "ccu", "parameters": {"entry": 8}}, ["`entry`; did you mean entries?"]),
        ({"name": "arbiter", "parameters": {"entries": 16}}, ["entries", "arbiter", "banks"]),
        ({"name": "ccu", "parameters": {"entries": 4}}, ["slots", "set"]),
    ],
)
def test_what_cannot_be_opened_says_what_can(arguments, parts):
    with pytest.raises(gpurf.Error) as raised:
        gpurf.Module(**arguments)
    message = str(raised.value)
    assert "\n" not in message and all(part in message for part in parts), message


@pytest.mark.parametrize(
    "inputs, parts",
    [
        ({"isue": 1}, ["isue", "issue"]),
        ({"issue": 2}, ["issue=2", "1 bit"]),
        ({"warp": -1}, ["warp=-1"]),
        ({"s_data": 1 << 32}, ["s_data", "32 bits"]),
        ({"warp": "three"}, ["warp=three"]),
        ({"source_register": 5}, ["source_register=5", "list of 7"]),
        ({"source_register": [1, 2]}, ["source_register", "list of 7"]),
        ({"source_register": [0, 256, 0, 0, 0, 0, 0]}, ["source_register[1]=256", "8 bits"]),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(inputs, parts):
    module = gpurf.Module("ccu", engine="rtl", parameters={"width": 32})
    with pytest.raises(gpurf.Error) as raised:
        module.step(inputs)
    message = str(raised.value)
    assert "\n" not in message and all(part in message for part in parts), message
    assert module.cycles == 0


def test_a_waveform_of_the_inside_has_its_events(tmp_path):
    file = tmp_path / "ccu.vcd"
    sources = {"source_valid": [1] + [0] * (SLOTS - 1), "source_register": [5] + [0] * (SLOTS - 1)}
    with gpurf.Module("ccu", engine="rtl", parameters={"width": 32}, waveform=file) as module:
        module.step(issue=1, warp=3, **sources)
        assert not file.exists()
    text = file.read_text()
    assert "smiss_R5 " in text and " entry_tag[1] " in text
