// SPDX-License-Identifier: Apache-2.0
//! Random kernels.

use gpurf_trace::Workload;

use crate::streams::{header, kernel, Line, ALL};

/// A [`Line`] that owns its parts.
struct Owned {
    opcode: &'static str,
    destination: Option<u8>,
    sources: Vec<u8>,
    mask: u32,
    addresses: Vec<u64>,
}

impl Owned {
    fn as_line(&self) -> Line<'_> {
        (self.opcode, self.destination, &self.sources, self.mask, &self.addresses)
    }

    fn control(opcode: &'static str) -> Owned {
        Owned { opcode, destination: None, sources: vec![], mask: ALL, addresses: vec![] }
    }
}

/// Random instructions for many warps: all units, memory spaces, masks, barriers.
pub fn random_workload(seed: u64) -> Workload {
    let mut state = seed;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let opcodes = [
        "IADD3",
        "FFMA",
        "DFMA",
        "MUFU.RCP",
        "HMMA.1688.F32",
        "HMMA.16816.F32",
        "BRA",
        "LDG.E",
        "STG.E",
        "LDS",
        "IMAD.WIDE",
    ];
    let barriers = random(4);
    let mut blocks = Vec::new();
    for _ in 0..1 + random(5) {
        let mut warps = Vec::new();
        for _ in 0..5 {
            let mut lines = Vec::new();
            for _ in 0..=barriers {
                for _ in 0..random(60) {
                    let opcode = opcodes[random(opcodes.len() as u64) as usize];
                    let even = |number: u64| (2 * number) as u8;
                    let mut source = || even(random(12));
                    let sources = match opcode {
                        "BRA" => vec![],
                        "LDG.E" | "LDS" => vec![source()],
                        "STG.E" | "IADD3" | "MUFU.RCP" => vec![source(), source()],
                        _ => vec![source(), source(), source()],
                    };
                    let destination = (!matches!(opcode, "BRA" | "STG.E")).then(|| even(random(12)));
                    let mask = [ALL, 0, 0x0f0f_0001][random(3) as usize];
                    let memory = matches!(opcode, "LDG.E" | "STG.E" | "LDS");
                    let lanes = if memory { mask.count_ones() } else { 0 };
                    let addresses = (0..lanes).map(|_| 4 * random(2000)).collect();
                    lines.push(Owned { opcode, destination, sources, mask, addresses });
                }
                lines.push(Owned::control("BAR.SYNC"));
            }
            lines.push(Owned::control("EXIT"));
            warps.push(lines);
        }
        blocks.push(warps);
    }
    let borrowed: Vec<Vec<Vec<Line>>> = blocks
        .iter()
        .map(|warps| warps.iter().map(|lines| lines.iter().map(Owned::as_line).collect()).collect())
        .collect();
    kernel(header(160), &borrowed)
}
