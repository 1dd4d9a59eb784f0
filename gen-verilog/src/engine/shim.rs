// SPDX-License-Identifier: Apache-2.0
//! The C++ between packed words and Verilator's ports.

use super::harness::{Harness, Wire, MODULE};

/// Name of the class that Verilator generates.
pub const CLASS: &str = "Model";

/// The harness module: the design under names that C++ and Verilator leave alone.
pub fn verilog(harness: &Harness) -> String {
    let port =
        |direction: &str, wire: &Wire| format!(",\n  {direction} wire [{}:0] {}", wire.width - 1, wire.name);
    let inputs: String = harness.inputs.iter().map(|wire| port("input", wire)).collect();
    let outputs: String = harness.outputs.iter().map(|wire| port("output", wire)).collect();
    let (top, connections) = (&harness.hierarchy.top, harness.connections());
    format!(
        "module {MODULE} (\n  input wire clock,\n  input wire reset{inputs}{outputs}\n);\n\
         \x20 {top} dut (\n{connections}\n  );\nendmodule\n"
    )
}

/// Functions with C linkage that make, drive and read a model; all ports in one call each way.
pub fn source(harness: &Harness) -> String {
    let drives: String = harness.inputs.iter().map(drive).collect();
    let samples: String = harness.outputs.iter().map(sample).collect();
    format!(
        r#"#include "{CLASS}.h"
#include "verilated.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

struct Instance {{
    VerilatedContext context;
    {CLASS} top;
    Instance() : top(&context) {{
        // A broken contract is printed; the answer is compared all the same.
        context.fatalOnError(false);
        top.clock = 0;
        top.reset = 1;
    }}
    ~Instance() {{ top.final(); }}
}};

EXPORT Instance* gpurf_create() {{ return new Instance; }}

EXPORT void gpurf_destroy(Instance* instance) {{ delete instance; }}

EXPORT void gpurf_reset(Instance* instance, uint32_t level) {{ instance->top.reset = level; }}

EXPORT void gpurf_settle(Instance* instance, const uint32_t* in, uint32_t* out) {{
    {CLASS}& top = instance->top;
{drives}    top.clock = 0;
    top.eval();
{samples}}}

EXPORT void gpurf_tick(Instance* instance) {{
    instance->top.clock = 1;
    instance->top.eval();
}}
"#
    )
}

/// Copies packed words to a port. Bits above a narrow port's width are dropped, as Verilator demands;
/// wider ports are whole words.
fn drive(wire: &Wire) -> String {
    let Wire { name, width, first_word: word, .. } = wire;
    match width {
        1..=32 => format!("    top.{name} = in[{word}] & {:#x}u;\n", u32::MAX >> (32 - width)),
        33..=64 => {
            let high = word + 1;
            format!("    top.{name} = ((uint64_t)in[{high}] << 32) | in[{word}];\n")
        }
        _ => {
            let words = width / 32;
            format!("    for (int i = 0; i < {words}; i++) top.{name}[i] = in[{word} + i];\n")
        }
    }
}

fn sample(wire: &Wire) -> String {
    let Wire { name, width, first_word: word, .. } = wire;
    match width {
        1..=32 => format!("    out[{word}] = top.{name};\n"),
        33..=64 => {
            let high = word + 1;
            format!("    out[{word}] = (uint32_t)top.{name};\n    out[{high}] = top.{name} >> 32;\n")
        }
        _ => {
            let words = width / 32;
            format!("    for (int i = 0; i < {words}; i++) out[{word} + i] = top.{name}[i];\n")
        }
    }
}
