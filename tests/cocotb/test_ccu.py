"""A caching collector unit against a register file that is a dictionary.

Instructions of two warps read random registers. What the collector asks for arrives in random order, and results are written
meanwhile, into the collector or past it. At dispatch every operand must be what program order says.
"""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

SLOTS = 7
REGISTERS = 12
INSTRUCTIONS = 400
INPUTS = """number issue flush warp unit payload source_valid source_register source_near random s_valid s_slot s_data d_valid
d_register d_near d_data filtered filtered_register dispatch""".split()


class Collector:
    """The ports, one clock cycle at a time."""

    def __init__(self, dut):
        self.dut = dut

    async def cycle(self, **inputs):
        """Sets inputs, zero if they are not named; what the outputs are before the clock's edge."""
        for name in INPUTS:
            getattr(self.dut, name).value = inputs.get(name, 0)
        await ReadOnly()
        outputs = {
            name: int(getattr(self.dut, name).value)
            for name in "request hit occupied ready operand_valid operand_data".split()
        }
        await RisingEdge(self.dut.clock)
        await FallingEdge(self.dut.clock)
        return outputs

    async def reset(self):
        self.dut.reset.value = 1
        await FallingEdge(self.dut.clock)
        await self.cycle()
        self.dut.reset.value = 0


def bits(number):
    return [slot for slot in range(SLOTS) if number >> slot & 1]


def result(draw, values, warp, sources):
    """A result of the warp, as inputs: never of a register that the instruction reads, as a scoreboard has it."""
    free = [register for register in range(REGISTERS) if register not in sources]
    if draw.random() < 0.5 or not free:
        return {}
    register = draw.choice(free)
    values[warp, register] = draw.getrandbits(32)
    if draw.random() < 0.5:
        return {"filtered": 1, "filtered_register": register}
    return {"d_valid": 1, "d_register": register, "d_near": draw.getrandbits(1), "d_data": values[warp, register]}


@cocotb.test()
async def operands_are_those_of_program_order(dut):
    draw = random.Random(7)
    Clock(dut.clock, 2, "ns").start()
    collector = Collector(dut)
    await collector.reset()
    values = {(warp, register): draw.getrandbits(32) for warp in range(2) for register in range(REGISTERS)}
    before, hits = None, 0
    for number in range(INSTRUCTIONS):
        warp = before if before is not None and draw.random() < 0.8 else draw.randrange(2)
        slots = [slot for slot in range(SLOTS) if draw.random() < 0.5]
        sources = {slot: draw.randrange(REGISTERS) for slot in slots}
        outputs = await collector.cycle(
            issue=1,
            warp=warp,
            source_valid=sum(1 << slot for slot in slots),
            source_register=sum(register << 8 * slot for slot, register in sources.items()),
            source_near=draw.getrandbits(SLOTS),
            random=draw.getrandbits(8),
        )
        hit, requested = bits(outputs["hit"]), bits(outputs["request"])
        assert set(hit + requested) <= set(slots) and not set(hit) & set(requested)
        assert warp == before or not hit, "another warp's values"
        found = {sources[slot] for slot in hit + requested}
        assert found == set(sources.values()), f"instruction {number}: a source is neither there nor asked for"
        assert len({sources[slot] for slot in requested}) == len(requested), "a register is asked for twice"
        hits += len(hit)
        before = warp

        draw.shuffle(requested)
        while requested:
            inputs = result(draw, values, warp, sources.values())
            if draw.random() < 0.7:
                slot = requested.pop()
                inputs |= {"s_valid": 1, "s_slot": slot, "s_data": values[warp, sources[slot]]}
            outputs = await collector.cycle(**inputs)
            assert not outputs["ready"] and outputs["occupied"]
        outputs = await collector.cycle(dispatch=1)
        assert outputs["ready"], f"instruction {number} is not ready"
        assert bits(outputs["operand_valid"]) == slots
        for slot, register in sources.items():
            data = outputs["operand_data"] >> 32 * slot & 0xFFFF_FFFF
            assert data == values[warp, register], f"instruction {number}: slot {slot} has a stale R{register}"
        if draw.random() < 0.5:
            await collector.cycle(**result(draw, values, warp, []))
    assert hits > INSTRUCTIONS / 2, f"{hits} hits show nothing"
