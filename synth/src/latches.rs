// SPDX-License-Identifier: Apache-2.0
//! Latches in cells of a library.
//!
//! In Verilog a latch behind a clock gate, [`Latch`](gpurf_hw::cells::Latch), is a register that passes what
//! it is loaded with: cycle by cycle the same. What is synthesized is the clock gate and a latch for each
//! bit.

use std::borrow::Cow;

use anyhow::{Context, Result};

use crate::liberty::Library;

/// How the names of the modules begin; that of another width than the default's names it.
const MODULE: &str = "module latch";

/// The header of such a module, and its width in bits, if the text begins with one.
fn header(module: &str) -> Option<(&str, usize)> {
    let header = &module[..module.find(';')?];
    let name = header["module ".len()..].split([' ', '(']).next()?;
    let is_latch =
        name == "latch" || name.strip_prefix("latch_w").is_some_and(|width| width.parse::<u32>().is_ok());
    let (highest, _) = header.split_once(" d,")?.0.rsplit_once('[')?.1.split_once(':')?;
    is_latch.then_some((name, highest.parse::<usize>().ok()? + 1))
}

/// Returns true if a source has such modules.
pub fn has_latches(source: &str) -> bool {
    source.match_indices(MODULE).any(|(at, _)| header(&source[at..]).is_some())
}

/// A source whose modules of latches consist of cells of the library, where it has such modules; headers of
/// black boxes stay.
///
/// # Errors
/// If the library has no clock gate or no latch.
pub fn in_cells<'a>(source: &'a str, library: &Library) -> Result<Cow<'a, str>> {
    if !has_latches(source) {
        return Ok(Cow::Borrowed(source));
    }
    let without = || {
        format!("library {} has no clock gate, or no latch that is open while its clock is high; --set storage=flip_flops", library.name)
    };
    let (gate, gate_pins) = library.clock_gate().with_context(without)?;
    let (latch, [data, clock, output]) = library.latch().with_context(without)?;
    let test = gate_pins.test.as_ref().map(|pin| format!(", .{pin}(1'b0)")).unwrap_or_default();
    let mut text = String::new();
    let mut rest = source;
    while let Some(begin) = rest.find(MODULE) {
        let (before, module) = rest.split_at(begin);
        let end = module.find("endmodule").map_or(module.len(), |end| end + "endmodule".len());
        text += before;
        let is_black_box = before.trim_end().ends_with("(* blackbox *)");
        text += &match header(module) {
            Some((name, width)) if !is_black_box => format!(
                "module {name}(input wire clock, input wire enable, input wire [{last}:0] d, output wire [{last}:0] q);\n\
                 \x20 wire gated;\n\
                 \x20 {gate} gate (.{}(clock), .{}(enable), .{}(gated){test});\n\
                 \x20 {latch} latch [{last}:0] (.{data}(d), .{clock}(gated), .{output}(q));\n\
                 endmodule",
                gate_pins.clock,
                gate_pins.enable,
                gate_pins.output,
                last = width - 1,
            ),
            _ => module[..end].to_string(),
        };
        rest = &module[end..];
    }
    Ok(Cow::Owned(text + rest))
}
