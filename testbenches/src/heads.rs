// SPDX-License-Identifier: Apache-2.0
//! Instructions that warps offer to an issue stage, alone or within a sub-core.

use gpurf_blocks::Parameters;

use crate::crowd::Crowd;
use crate::{spread, Random};

/// The next instruction of a warp.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub unit: u32,
    pub payload: u32,
    pub sources: Vec<Option<(u32, bool)>>,
    pub destinations: Vec<Option<u32>>,
    pub flush: bool,
}

impl Head {
    /// The value at the ports of one of its places, sources or destinations. A place that is not used shows
    /// the value of another: it is of no meaning, and whatever takes it for used finds a register that is.
    pub fn shown<T: Copy + Default>(&self, places: &[Option<T>], place: usize) -> T {
        let used = || places.iter().flatten().copied();
        let other = || used().nth((place + (self.payload >> 16) as usize) % used().count().max(1));
        places[place].or_else(other).unwrap_or_default()
    }
}

/// Where the registers of warps lie. It is drawn again for each run, so that rows and numbers use all bits.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    parameters: Parameters,
    turn: usize,
}

impl Places {
    pub fn draw(parameters: Parameters, random: &mut Random) -> Self {
        Places { parameters, turn: random.below(256) }
    }

    /// The lowest register that a warp's instructions name, which lives in the bank of register 0. Warps that
    /// lend each other rows name the same.
    pub fn lowest(&self, warp: usize) -> u32 {
        let warp = if self.parameters.lenders > 0 { 0 } else { warp };
        let most = (256 - registers(&self.parameters).max(16)) / 4;
        (spread(warp + self.turn, 8) as usize % (most + 1) * 4) as u32
    }

    /// First row of a warp's registers. Warps have half of a bank's rows, and for each bit of a row's number
    /// there are two that lie as far from each other.
    pub fn base(&self, warp: usize) -> u32 {
        let Parameters { rows, warps, banks, .. } = self.parameters;
        let of_warp = registers(&self.parameters) / banks;
        let is_power = |block: &usize| block.count_ones() <= 1;
        let powers = (0..=warps).filter(is_power);
        let mut blocks = powers.chain((0..warps).filter(|block| !is_power(block)));
        let block = blocks.nth((warp + self.turn) % warps).expect("one for each");
        let row = block * of_warp + self.turn % (rows / 2 - of_warp + 1);
        (row as u32).wrapping_sub(self.lowest(warp) / banks as u32) % 256
    }
}

/// Registers that the banks hold for a warp.
pub fn registers(parameters: &Parameters) -> usize {
    let of_warp = parameters.rows / parameters.warps;
    (of_warp - of_warp / 2).max(1) * parameters.banks
}

/// The warp in whose row a register of a warp lies. Where warps lend each other rows, two of them exchange
/// those of every other pair of registers.
pub fn lender(parameters: &Parameters, warp: u32, register: u32) -> u32 {
    let other = warp ^ 1;
    let exchanges = parameters.lenders > 0 && register & 2 != 0 && (other as usize) < parameters.warps;
    if exchanges {
        other
    } else {
        warp
    }
}

/// How long an allocation waits: mostly one of the values that mean something.
fn sthld(random: &mut Random) -> u32 {
    let any = random.below(32) as u32;
    random.pick(&[0, 1, 3, 31, any])
}

/// A name for an instruction, another for each serial number, that uses all bits.
pub fn payload(serial: u32) -> u32 {
    serial.wrapping_mul(0x9e37_79b1)
}

/// A random next instruction for each warp, replaced when it issues.
pub struct Heads {
    pub parameters: Parameters,
    pub serial: u32,
    pub heads: Vec<Head>,
    /// Instructions that come now are for one bank.
    pub crowd: Crowd,
    /// It stands for so long that allocations wait for all of it.
    pub sthld: u32,
    /// Known when the run has begun.
    places: Option<Places>,
}

impl Heads {
    pub fn new(parameters: Parameters) -> Self {
        let (heads, crowd) = (vec![], Crowd::new(parameters.banks));
        Heads { parameters, serial: 0, heads, crowd, sthld: 0, places: None }
    }

    fn places(&self) -> Places {
        self.places.expect("the run has begun")
    }

    pub fn base(&self, warp: usize) -> u32 {
        self.places().base(warp)
    }

    pub fn lowest(&self, warp: usize) -> u32 {
        self.places().lowest(warp)
    }

    /// Registers that the banks hold for a warp.
    pub fn registers(&self) -> usize {
        registers(&self.parameters)
    }

    pub fn renew(&mut self, warp: usize, random: &mut Random) {
        let registers = self.registers();
        let lowest = self.lowest(warp);
        let range = random.pick(&[6, 12, registers]).min(registers);
        let sources = random.below(self.parameters.slots + 1);
        let unit = random.below(8) as u32;
        let mut source = |slot| {
            let source = (lowest + random.below(range) as u32, random.percent(60));
            match self.crowd.source(warp as u32, slot, registers) {
                Some(register) => Some((lowest + register, source.1)),
                None => (random.below(self.parameters.slots) < sources).then_some(source),
            }
        };
        let sources = (0..self.parameters.slots).map(&mut source).collect();
        let count = random.below(self.parameters.destinations + 1);
        let mut destinations: Vec<Option<u32>> = vec![None; self.parameters.destinations];
        let first = lowest + random.below(12) as u32;
        for (offset, destination) in destinations.iter_mut().take(count).enumerate() {
            *destination = Some(first + offset as u32);
        }
        let flush = random.percent(10);
        self.heads[warp] = Head { unit, payload: payload(self.serial), sources, destinations, flush };
        self.serial += 1;
    }

    /// The instructions at the start of a run, and what changes now and then.
    pub fn advance(&mut self, random: &mut Random) {
        if random.below(200) == 0 {
            self.sthld = sthld(random);
        }
        if self.heads.is_empty() {
            self.places = Some(Places::draw(self.parameters, random));
            self.heads = vec![Head::default(); self.parameters.warps];
            (0..self.parameters.warps).for_each(|warp| self.renew(warp, random));
        }
    }
}

/// Writes heads into the ports of either module, which name them alike.
macro_rules! present {
    ($heads:expr, $inputs:expr) => {
        $inputs.sthld = $heads.sthld;
        for (warp, head) in $heads.heads.iter().enumerate() {
            $inputs.head_unit[warp] = head.unit;
            $inputs.head_payload[warp] = head.payload;
            $inputs.head_base[warp] = $heads.base(warp);
            for (slot, &source) in head.sources.iter().enumerate() {
                let place = $heads.parameters.slots * warp + slot;
                $inputs.head_source_valid[place] = source.is_some();
                ($inputs.head_source_register[place], $inputs.head_source_near[place]) =
                    head.shown(&head.sources, slot);
            }
            for (number, &destination) in head.destinations.iter().enumerate() {
                let place = $heads.parameters.destinations * warp + number;
                $inputs.head_destination_valid[place] = destination.is_some();
                $inputs.head_destination_register[place] = head.shown(&head.destinations, number);
            }
            $inputs.head_flush[warp] = head.flush;
        }
    };
}
pub(crate) use present;
