// SPDX-License-Identifier: Apache-2.0
//! Reasons that keep a kernel from being run, and what to do about each.

use gpurf_trace::RegisterId;

/// Every message names the kernel and the place.
#[derive(Debug, thiserror::Error)]
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
pub enum SmError {
    #[error("{design} cannot run on this machine: {reason}")]
    Refused { design: String, reason: &'static str },

    #[error(transparent)]
    Trace(#[from] gpurf_trace::Error),

    #[error(
        "kernel `{kernel}`, pc 0x{pc:04x}: `{opcode}` names {register}, and the kernel has {registers} registers per \
         thread; correct `nregs` in the trace's header"
    )]
    RegisterBeyond { kernel: String, pc: u32, opcode: String, register: RegisterId, registers: usize },

    #[error(
        "kernel `{kernel}`, pc 0x{pc:04x}: `{opcode}` cannot run on control bits: {reason}; give the listing of its cubin \
         with --control, or run +dependences=scoreboard"
    )]
    Control { kernel: String, pc: u32, opcode: String, reason: &'static str },

    #[error(
        "{design} has no collectors, and runs with `{key}={value}` alone; set that, or choose another design"
    )]
    Window { design: String, key: &'static str, value: &'static str },

    #[error(
        "{design} has collectors, which read operands at no fixed time, and `{key}={value}` counts from an instruction's \
         issue; set `{key}={other}`, or choose `modern`"
    )]
    Collectors { design: String, key: &'static str, value: &'static str, other: &'static str },

    #[error(
        "{design}: results take {latencies} different times, and a bank has ports for {ports} in a cycle; raise \
         `result_ports`, or set latencies of `fixed` alike"
    )]
    ResultPorts { design: String, latencies: usize, ports: usize },

    #[error("the hardware of {design} has room for {warps} warps in a sub-core; set `sm.warps` to {of_sm} at most")]
    TooManyWarps { design: String, warps: usize, of_sm: usize },

    #[error("kernel `{kernel}`: a thread block needs {needed} {resource}, and the SM has {available}; raise `{key}` or leave this kernel out")]
    BlockTooLarge { kernel: String, resource: &'static str, needed: u64, available: u64, key: &'static str },

    #[error("the PCRF's {pcrf} registers leave none of the register file's {registers} to active CTAs; lower `pcrf_entries` or raise `sm.registers`")]
    NoActiveRegisters { pcrf: usize, registers: usize },

    #[error("kernel `{kernel}`, thread block {block:?}: warp {warp} is named, and a block has {warps} warps; correct `block dim` in the trace's header")]
    WarpBeyond { kernel: String, block: [u32; 3], warp: u32, warps: usize },

    #[error("kernel `{kernel}`: its trace holds {blocks} thread blocks and its grid {grid}, so that it is not known what a sample stands for; simulate it whole")]
    PartOfGrid { kernel: String, blocks: u64, grid: u64 },

    #[error("the state of the run cannot be taken up: {0}")]
    State(#[from] std::io::Error),

    #[error("kernel `{kernel}`, cycle {cycle}: nothing has moved for {cycles} cycles: {reason}")]
    Stuck { kernel: String, cycle: u64, cycles: u64, reason: &'static str },
}
