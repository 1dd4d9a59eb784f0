// SPDX-License-Identifier: Apache-2.0
//! The kernel around a window: `frame.cu`, compiled once for each architecture, with the window written over
//! its marks.

use gpurf_sim::modern::ClockedInstruction;
use gpurf_trace::Control;
use object::{Object, ObjectSection};

use crate::encode::Encoding;

/// An architecture that runs windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The name, such as `sm_80`.
    pub name: &'static str,
    /// The compute capability of the first GPU that has it; those of the same number before the point with a
    /// higher one behind it run its code.
    pub capability: (u32, u32),
    /// Cycles for which an FP32 instruction keeps the input of its unit: a sub-core has 16 lanes, or 32.
    pub fp32_initiation: u32,
    /// `frame.cu` as NVIDIA's compiler has it.
    frame: &'static [u8],
}

/// An architecture with the frame that bears its name.
macro_rules! architecture {
    ($name:literal, $capability:expr, $fp32_initiation:literal) => {
        Architecture {
            name: $name,
            capability: $capability,
            fp32_initiation: $fp32_initiation,
            frame: include_bytes!(concat!("frame.", $name, ".cubin")),
        }
    };
}

impl Architecture {
    pub const ALL: [Architecture; 5] = [
        architecture!("sm_75", (7, 5), 2),
        architecture!("sm_80", (8, 0), 2),
        architecture!("sm_86", (8, 6), 1),
        architecture!("sm_89", (8, 9), 1),
        architecture!("sm_90", (9, 0), 1),
    ];

    /// The newest whose code a GPU of this compute capability runs.
    pub fn of((major, minor): (u32, u32)) -> Option<Architecture> {
        let runs = |one: &Architecture| one.capability.0 == major && one.capability.1 <= minor;
        Architecture::ALL.into_iter().rev().find(runs)
    }
}

/// The kernel, and where the window comes to lie.
#[derive(Clone, Debug)]
pub struct Frame {
    cubin: Vec<u8>,
    /// Where the marks begin.
    marks: usize,
    /// Where the instruction lies that gives the cycles.
    vote: usize,
}

/// Bytes of an instruction.
const BYTES: usize = 16;
/// Instructions that are written over.
const MARKS: usize = 32;
/// Pauses among them that let the pipeline run dry before the clock is read.
const BEFORE: usize = 4;
/// The first register of the window: those below are the compiler's.
const FIRST: u8 = 32;
/// Registers of the two clocks, counted from the window's first, apart from all that a window may name.
const CLOCKS: [u8; 2] = [32, 34];

const PMTRIG: u64 = 0x801;
const VOTE: u64 = 0x806;

impl Frame {
    pub fn of(architecture: Architecture) -> Frame {
        let cubin = architecture.frame.to_vec();
        let file = object::File::parse(architecture.frame).expect("the compiler's file");
        let section = file.section_by_name(".text.window").expect("the kernel's code");
        let (start, length) = section.file_range().expect("it lies in the file");
        let (start, end) = (start as usize, (start + length) as usize);
        let find = |opcode: u64, from: usize| {
            let mut places = (from..end).step_by(BYTES);
            places.find(|&place| Encoding::read(&cubin[place..]).opcode() == opcode).expect("it is there")
        };
        let marks = find(PMTRIG, start);
        let vote = find(VOTE, marks);
        Frame { marks, vote, cubin }
    }

    /// The cubin with a window between two reads of the clock, all with stall count 1. Kernel `window` takes
    /// an address for the cycles of each run, the number of runs, and zero.
    pub fn with(&self, code: &[ClockedInstruction]) -> Vec<u8> {
        let plain = Control::PLAIN.with_stall(1);
        let clock = CLOCKS.map(|register| {
            let clock = ClockedInstruction { destination: Some(register), ..ClockedInstruction::CLOCK };
            Encoding::of(&clock, FIRST, plain)
        });
        let mut instructions = vec![Encoding::PAUSE; BEFORE];
        instructions.push(clock[0]);
        instructions.extend(code.iter().map(|instruction| Encoding::of(instruction, FIRST, plain)));
        instructions.push(clock[1]);
        instructions.resize(MARKS, Encoding::PAUSE);
        let mut cubin = self.cubin.clone();
        for (place, instruction) in instructions.iter().enumerate() {
            instruction.write(&mut cubin[self.marks + BYTES * place..]);
        }
        let to = Encoding::read(&cubin[self.vote..]).destination();
        let [earlier, later] = CLOCKS.map(|register| FIRST + register);
        Encoding::difference(to, later, earlier).write(&mut cubin[self.vote..]);
        cubin
    }
}
