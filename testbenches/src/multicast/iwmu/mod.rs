// SPDX-License-Identifier: Apache-2.0
//! Testbench of the inter-warp multicasting unit, with a checker: every load that is taken reaches shared
//! memory exactly once, as its own warp and register from its address, in order and never early.

mod scenarios;

use std::collections::VecDeque;

use gpurf_blocks::ports::{IwmuIn, IwmuOut};
use gpurf_blocks::{Parameters, SUB_CORES};
use gpurf_hw::multicast::Iwmu;

use crate::{register, spread, Engine, Random, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for Iwmu<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::Iwmu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(IwmuStimulus::new(parameters.lrt_entries))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::all()
    }
}

register!(Iwmu<V, A>);

const SM_WARPS: usize = 64;
/// More cycles than a table can take to let everything go once nothing stands in the way: a search of 48 rows
/// for each release, and all that was waiting.
const PATIENCE: u64 = 20_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Request {
    release: bool,
    warp: u32,
    address: u32,
    source: u32,
    destination: u32,
}

/// The stage of the stimulus, by what it does to the table.
enum Stage {
    /// It fills: most entries in use so far, and cycles since there were fewer.
    Fills { most: u64, cycles: u64 },
    /// It has just filled.
    Full,
    /// It empties in another way, for so many more cycles.
    Empties { left: u64 },
    /// All warps are released: those that have yet to be, and for how long this has gone on.
    Drains { releases: VecDeque<u32>, cycles: u64 },
    /// Whatever comes.
    Any,
}

impl Stage {
    fn fills() -> Self {
        Stage::Fills { most: 0, cycles: 0 }
    }

    fn drains() -> Self {
        Stage::Drains { releases: (0..SM_WARPS as u32).collect(), cycles: 0 }
    }
}

/// Counts of events.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    loads: u64,
    multicasts: u64,
    inserted: u64,
    repeats: u64,
    barriers: u64,
    aged: u64,
    rejected: u64,
    drained: u64,
    /// Most entries in use at once.
    most: u64,
}

/// First as many different loads as come, so that the table fills as far as it can: to its last entry, unless
/// entries leave by age before. From all over the table entries then leave in one of the ways in which they
/// can: with a partner, with their warp, before the same load again, or by age. Then loads of few or many
/// warps and tiles, and such as have to do with one that waits, scoreboards and a shared memory that are slow
/// or fast. Every so often no more loads come, all warps are released and nothing stands in the way: then all
/// must come out, and mostly the table fills again.
struct IwmuStimulus {
    offered: [Option<Request>; SUB_CORES],
    warps: usize,
    tiles: usize,
    registers: usize,
    related: usize,
    /// Among a hundred loads that have to do with one that waits, the number that are the same load again.
    repeats: usize,
    pressure: usize,
    enable: usize,
    ready: usize,
    releases: usize,
    entries: usize,
    stage: Stage,
    /// Loads that were taken and have not left, in their order.
    waiting: Vec<Request>,
    /// Warps and registers that were free when asked about.
    freed: Vec<(u32, u32)>,
    /// A load that shared memory has not taken yet.
    standing: Option<IwmuOut>,
    counts: Counts,
}

impl IwmuStimulus {
    fn new(entries: usize) -> Self {
        IwmuStimulus {
            offered: [None; SUB_CORES],
            warps: SM_WARPS,
            tiles: 4096,
            registers: 256,
            related: 0,
            repeats: 0,
            pressure: 100,
            enable: 100,
            ready: 100,
            releases: 0,
            entries,
            stage: Stage::fills(),
            waiting: vec![],
            freed: vec![],
            standing: None,
            counts: Counts::default(),
        }
    }

    fn new_phase(&mut self, random: &mut Random) {
        self.warps = random.pick(&[4, 8, 64]);
        self.tiles = random.pick(&[2, 16, 4096]);
        self.registers = random.pick(&[1, 4, 256]);
        self.related = random.pick(&[0, 30, 80]);
        self.repeats = random.pick(&[0, 30]);
        self.pressure = random.pick(&[5, 50, 100]);
        self.enable = random.pick(&[5, 50, 100]);
        self.ready = random.pick(&[5, 50, 100]);
        self.releases = 1;
        if random.percent(30) {
            self.all_different();
        }
    }

    /// As many different loads as come, with nothing in their way.
    fn all_different(&mut self) {
        (self.warps, self.tiles, self.registers) = (SM_WARPS, 4096, 256);
        (self.related, self.pressure, self.enable, self.ready, self.releases) = (0, 100, 100, 100, 0);
    }

    /// Chooses how a table empties that has just become full. The ways: a release of all warps; partners;
    /// few partners while the other entries of their rows get older; repeats, each taking the place of the
    /// older load; age, with or without others that take their entries at once.
    fn empty(&mut self, random: &mut Random) {
        let others = random.pick(&[0, 100]);
        self.stage = match random.below(5) {
            0 => Stage::drains(),
            way => {
                self.all_different();
                (self.related, self.repeats, self.pressure) =
                    [(100, 0, 100), (100, 0, 10), (100, 100, 100), (0, 0, others)][way - 1];
                Stage::Empties { left: 600 }
            }
        };
    }

    /// A warp of a sub-core, by its number there.
    fn warp_of(&self, random: &mut Random) -> usize {
        spread(random.below(self.warps / SUB_CORES), 4) as usize
    }

    fn request(&self, sub_core: usize, random: &mut Random) -> Request {
        let tile = random.below(self.tiles);
        let new = Request {
            release: random.percent(self.releases),
            warp: (self.warp_of(random) * SUB_CORES + sub_core) as u32,
            address: spread(tile, 16),
            source: spread(tile, 8),
            destination: spread(random.below(self.registers), 8),
        };
        if new.release || self.waiting.is_empty() || !random.percent(self.related) {
            return new;
        }
        let (earlier, later) = self.waiting.split_at(random.below(self.waiting.len()));
        if random.percent(self.repeats) {
            let is_own = |load: &&Request| load.warp as usize % SUB_CORES == sub_core;
            return later.iter().chain(earlier).find(is_own).copied().unwrap_or(new);
        }
        // The partner of one that waits, or almost.
        let mut other = Request { warp: new.warp, ..later[0] };
        let bit = 1 << random.below(8);
        match random.below(8) {
            _ if matches!(self.stage, Stage::Empties { .. }) => {}
            0 => other.address ^= bit << random.pick(&[0, 8]),
            1 => other.source ^= bit,
            2 => other.destination ^= bit,
            _ => {}
        }
        other
    }

    /// The table is full, or it has not held more for so long that it never will.
    fn fill(&mut self, occupancy: u64) {
        const NEVER: u64 = 600;
        let Stage::Fills { most, cycles } = &mut self.stage else { return };
        *cycles = if occupancy > *most { 0 } else { *cycles + 1 };
        *most = occupancy.max(*most);
        if occupancy == self.entries as u64 || *cycles == NEVER {
            self.stage = Stage::Full;
        }
    }

    /// The oldest load that waits for this register of this warp.
    fn deliver(&mut self, warp: u32, out: &IwmuOut) -> Option<String> {
        let load = Request {
            release: false,
            warp,
            address: out.load_address,
            source: out.load_source,
            destination: out.load_destination,
        };
        let oldest = |r: &Request| (r.warp, r.destination) == (load.warp, load.destination);
        match self.waiting.iter().position(oldest) {
            Some(place) if self.waiting[place] == load => self.waiting.remove(place),
            Some(place) => return Some(format!("{load:?} passes {:?}", self.waiting[place])),
            None => return Some(format!("nobody waits for {load:?}")),
        };
        let freed = self.freed.iter().position(|freed| *freed == (warp, load.destination));
        let Some(freed) = freed else {
            return Some(format!("the scoreboard has not freed the register of {load:?}"));
        };
        self.freed.remove(freed);
        None
    }

    fn check(&mut self, inputs: &IwmuIn, out: &IwmuOut) -> Option<String> {
        if let Some(standing) = self.standing.take() {
            let fields = |out: &IwmuOut| {
                let warps = (out.load_first_warp, out.load_second_valid, out.load_second_warp);
                (out.load_valid, out.load_address, out.load_source, out.load_destination, warps)
            };
            if fields(&standing) != fields(out) {
                return Some(format!("a load changes before it is taken: {standing:?}"));
            }
        }
        if out.load_valid && inputs.load_ready {
            if out.load_second_valid && out.load_second_warp == out.load_first_warp {
                return Some("a warp is its own partner".into());
            }
            let first = self.deliver(out.load_first_warp, out);
            let second = out.load_second_valid.then(|| self.deliver(out.load_second_warp, out)).flatten();
            if first.is_some() || second.is_some() {
                return first.or(second);
            }
        }
        self.standing = Some(*out).filter(|out| out.load_valid && !inputs.load_ready);
        for sub_core in 0..SUB_CORES {
            let (warp, register) = (out.ask_warp[sub_core], out.ask_register[sub_core]);
            if !out.ask_valid[sub_core] {
                continue;
            }
            let waits = self.waiting.iter().any(|r| (r.warp, r.destination) == (warp, register));
            if warp as usize % SUB_CORES != sub_core || !waits {
                return Some(format!("sub-core {sub_core} is asked about register {register} of {warp}"));
            }
            if inputs.enable[sub_core] {
                self.freed.push((warp, register));
            }
        }
        for sub_core in 0..SUB_CORES {
            if inputs.request_valid[sub_core] && out.request_ready[sub_core] {
                let taken = self.offered[sub_core].take().expect("a request is offered");
                if !taken.release {
                    self.counts.loads += 1;
                    self.waiting.push(taken);
                }
            }
        }
        let most = out.occupancy.into();
        self.fill(most);
        let counts = &mut self.counts;
        let left = counts.multicasts + counts.repeats + counts.barriers + counts.aged;
        if u64::from(out.occupancy) != counts.inserted - left {
            return Some(format!("occupancy {} after {counts:?}", out.occupancy));
        }
        counts.most = counts.most.max(most);
        counts.inserted += u64::from(out.inserted);
        counts.multicasts += u64::from(out.multicast);
        counts.repeats += u64::from(out.released_repeat);
        counts.barriers += u64::from(out.released_barrier);
        counts.aged += u64::from(out.released_age);
        counts.rejected += u64::from(out.rejected);
        None
    }
}

impl Stimulus<IwmuIn, IwmuOut> for IwmuStimulus {
    fn next(&mut self, random: &mut Random) -> IwmuIn {
        match &mut self.stage {
            Stage::Full => self.empty(random),
            Stage::Empties { left } => {
                *left -= 1;
                if *left == 0 {
                    self.stage = Stage::Any;
                    self.new_phase(random);
                }
            }
            Stage::Any => match random.below(1000) {
                999 => self.stage = Stage::drains(),
                995..=998 => self.new_phase(random),
                _ => {}
            },
            Stage::Fills { .. } | Stage::Drains { .. } => {}
        }
        let drains = matches!(self.stage, Stage::Drains { .. });
        let mut inputs = IwmuIn::default();
        for sub_core in 0..SUB_CORES {
            if self.offered[sub_core].is_none() {
                self.offered[sub_core] = match &mut self.stage {
                    Stage::Drains { releases, .. } => {
                        let of_sub_core = |warp: &u32| *warp as usize % SUB_CORES == sub_core;
                        let next = releases.iter().position(of_sub_core);
                        let warp = next.and_then(|next| releases.remove(next));
                        warp.map(|warp| Request { release: true, warp, ..Default::default() })
                    }
                    _ => random.percent(self.pressure).then(|| self.request(sub_core, random)),
                };
            }
            if let Some(request) = self.offered[sub_core] {
                inputs.request_valid[sub_core] = true;
                inputs.request_release[sub_core] = request.release;
                inputs.request_warp[sub_core] = request.warp;
                inputs.request_address[sub_core] = request.address;
                inputs.request_source[sub_core] = request.source;
                inputs.request_destination[sub_core] = request.destination;
            }
            inputs.enable[sub_core] = drains || random.percent(self.enable);
        }
        inputs.load_ready = drains || random.percent(self.ready);
        inputs
    }

    fn observe(&mut self, inputs: &IwmuIn, outputs: &IwmuOut) -> Result<(), String> {
        if let Some(wrong) = self.check(inputs, outputs) {
            return Err(wrong);
        }
        let Stage::Drains { releases, cycles } = &mut self.stage else { return Ok(()) };
        *cycles += 1;
        let all_sent = releases.is_empty() && self.offered.iter().all(Option::is_none);
        if all_sent && self.waiting.is_empty() && outputs.occupancy == 0 {
            self.stage = Stage::Any;
            self.counts.drained += 1;
            if self.counts.drained % 3 != 0 {
                self.all_different();
                self.stage = Stage::fills();
            }
        } else if *cycles > PATIENCE {
            let lost: Vec<_> = self.waiting.iter().take(3).collect();
            return Err(format!("{} loads never leave, the first {lost:?}", self.waiting.len()));
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        let Counts { loads, multicasts, inserted, repeats, barriers, aged, rejected, drained, most } =
            self.counts;
        vec![
            ("loads", loads),
            ("multicasts", multicasts),
            ("inserted", inserted),
            ("released by a repeat", repeats),
            ("by a barrier", barriers),
            ("by age", aged),
            ("found the table full", rejected),
            ("times all drained", drained),
            ("most entries in use", most),
        ]
    }
}
