// SPDX-License-Identifier: Apache-2.0
//! Testbench of the tag array, with a checker: no register lies twice in a warp's part, what is dirty is
//! valid, what is found is what was stored, and no dirty lane is lost.

use gpurf_blocks::ports::{TagArrayIn, TagArrayOut};
use gpurf_blocks::{CacheReplacement, CacheWrite, Parameters, CACHED_WARPS};
use gpurf_hw::register_cache::TagArray;

use super::{registers, LineWrite, LinesInTurn, Warps};
use crate::{expect_eq, register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const L: usize> Testbench for TagArray<L> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_cache::TagArray::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(TagArrayStimulus::new(parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        vec![format!("set < {}", parameters.rc_entries / parameters.rc_ways)]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![Scenario {
            name: "any_order_of_a_set",
            rule:
                "C IV-E: the way that was taken in first makes room, or under LRU the one used least recently",
            play: |bench| {
                let Parameters { rc_entries, rc_ways, rc_tag_lanes, rc_replacement, .. } = bench.parameters;
                let mut random = Random::seeded(1);
                let parts = (0..CACHED_WARPS as u32)
                    .flat_map(|warp| (0..(rc_entries / rc_ways) as u32).map(move |set| (warp, set)));
                for (warp, set) in parts {
                    // A fill is taken in whatever the allocation.
                    let write = |register| TagArrayIn {
                        write: true,
                        fill: true,
                        warp,
                        register,
                        set,
                        mask: u32::MAX >> (32 - rc_tag_lanes),
                        ..Default::default()
                    };
                    bench.cycle(TagArrayIn { drop: true, warp, ..Default::default() })?;
                    let mut registers = (0..256).cycle().map(write);
                    let mut next = || registers.next().expect("they never end");
                    for _ in 0..rc_ways {
                        bench.cycle(next())?;
                    }
                    let entry = |way: usize| set * rc_ways as u32 + way as u32;
                    // So many orders that of any three ways each follows each. Under FIFO the turn stands at
                    // any way.
                    let mut ways: Vec<usize> = (0..rc_ways).collect();
                    for _ in 0..24 {
                        let renewed = match rc_replacement {
                            CacheReplacement::Fifo => random.below(rc_ways),
                            CacheReplacement::Lru => {
                                ways = random.shuffled(rc_ways);
                                rc_ways
                            }
                        };
                        for way in &ways[..renewed] {
                            let flush_entry = entry(*way);
                            bench.cycle(TagArrayIn {
                                flush: true,
                                flush_entry,
                                warp,
                                ..Default::default()
                            })?;
                            bench.cycle(next())?;
                        }
                        ways.rotate_left(renewed);
                        for way in &ways {
                            let row = bench.cycle(next())?.row;
                            let expected = CACHED_WARPS as u32 * entry(*way) + warp;
                            expect_eq!(row, expected, format!("row {row} makes room, not {expected}"))?;
                        }
                    }
                }
                Ok(())
            },
        }]
    }
}

register!(TagArray<L>);

/// Sources, and one of a result, a fill, a flush and a drop, of few or many warps, whichever, and registers.
/// In between all lines are written again, one after another.
struct TagArrayStimulus {
    slots: usize,
    entries: usize,
    sets: usize,
    lanes: usize,
    write_back: bool,
    warps: Warps,
    registers: Vec<u32>,
    lines: LinesInTurn,
    /// Row 8 e + w is entry e of warp w.
    rows: Vec<Held>,
    counts: Counts,
}

/// Contents of a row, told from outputs alone.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    register: u32,
    valid: u32,
    dirty: u32,
}

#[derive(Default)]
struct Counts {
    hits: u64,
    taken_in: u64,
    left: u64,
}

impl TagArrayStimulus {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, rc_entries, rc_ways, rc_tag_lanes, rc_write, .. } = *parameters;
        TagArrayStimulus {
            slots,
            entries: rc_entries,
            sets: rc_entries / rc_ways,
            lanes: rc_tag_lanes,
            write_back: rc_write == CacheWrite::Back,
            warps: Warps::one(),
            registers: vec![0],
            lines: LinesInTurn::new(parameters),
            rows: vec![Held::default(); CACHED_WARPS * rc_entries],
            counts: Counts::default(),
        }
    }

    /// The row in which a warp's register lies.
    fn row_of(&self, warp: u32, register: u32) -> Option<usize> {
        let rows = (0..self.entries).map(|entry| CACHED_WARPS * entry + warp as usize);
        rows.into_iter().find(|row| self.rows[*row].valid != 0 && self.rows[*row].register == register)
    }

    fn check_lookups(&mut self, inputs: &TagArrayIn, outputs: &TagArrayOut) -> Result<(), String> {
        for slot in (0..self.slots).filter(|slot| inputs.read[*slot]) {
            let row = self.row_of(inputs.read_warp, inputs.read_register[slot]);
            let has = row.map_or(0, |row| self.rows[row].valid & inputs.read_mask);
            let row = row.filter(|_| has != 0).unwrap_or_default() as u32;
            if (outputs.hit[slot], outputs.hit_row[slot]) != (has, row) {
                return Err(format!(
                    "slot {slot} finds lanes {:x} in row {}; {has:x} were stored in row {row}",
                    outputs.hit[slot], outputs.hit_row[slot]
                ));
            }
            self.counts.hits += u64::from(has != 0);
        }
        Ok(())
    }

    fn check_leaving(&mut self, row: usize, outputs: &TagArrayOut) -> Result<(), String> {
        let Held { register, valid, dirty } = self.rows[row];
        if outputs.victim & !valid != 0 {
            return Err(format!(
                "lanes {:x} of row {row} leave, of which {valid:x} are valid",
                outputs.victim
            ));
        }
        if outputs.victim != dirty || dirty != 0 && outputs.victim_register != register {
            return Err(format!(
                "lanes {:x} of register {} leave row {row}; dirty are {dirty:x} of register {register}",
                outputs.victim, outputs.victim_register
            ));
        }
        self.counts.left += u64::from(dirty != 0);
        Ok(())
    }

    fn check_write(&mut self, inputs: &TagArrayIn, outputs: &TagArrayOut) -> Result<(), String> {
        let TagArrayIn { warp, register, set, mask, fill, .. } = *inputs;
        let TagArrayOut { stored, direct, .. } = *outputs;
        if !fill && (stored | direct) != mask {
            return Err(format!(
                "of lanes {mask:x} of a result {stored:x} are stored and {direct:x} pass by"
            ));
        }
        if stored == 0 {
            return Ok(());
        }
        let row = outputs.row as usize;
        if row % CACHED_WARPS != warp as usize {
            return Err(format!("warp {warp} writes into row {row}"));
        }
        match self.row_of(warp, register) {
            Some(other) if other != row => {
                return Err(format!("register {register} lies in row {other}, and is stored in row {row}"));
            }
            Some(_) => {}
            None => {
                if row / CACHED_WARPS * self.sets / self.entries != set as usize {
                    return Err(format!("set {set} takes register {register} into row {row}"));
                }
                self.check_leaving(row, outputs)?;
                self.rows[row] = Held { register, ..Held::default() };
                self.counts.taken_in += 1;
            }
        }
        self.rows[row].valid |= stored;
        if !fill && self.write_back {
            self.rows[row].dirty |= stored;
        }
        Ok(())
    }

    /// The next of the writes of line after line.
    fn next_line(&mut self, random: &mut Random) -> TagArrayIn {
        let LineWrite { warp, number, mask } = self.lines.next(random);
        let mut inputs = TagArrayIn {
            read_warp: warp,
            read_mask: self.all(),
            write: true,
            fill: random.percent(40),
            warp,
            register: LinesInTurn::register(number),
            set: (number % self.sets) as u32,
            mask,
            ..Default::default()
        };
        // What was written last in this part, and before.
        for slot in 0..self.slots {
            inputs.read[slot] = true;
            inputs.read_register[slot] = LinesInTurn::register(number.saturating_sub(slot));
        }
        inputs
    }

    /// All lanes.
    fn all(&self) -> u32 {
        u32::MAX >> (32 - self.lanes)
    }

    fn mask(&self, random: &mut Random) -> u32 {
        super::lanes(random) >> (32 - self.lanes)
    }
}

impl Stimulus<TagArrayIn, TagArrayOut> for TagArrayStimulus {
    fn next(&mut self, random: &mut Random) -> TagArrayIn {
        if random.percent(1) && !self.lines.goes_on() {
            self.warps = Warps::draw(random);
            let count = random.pick(&[4, self.entries, 2 * self.entries, 128]);
            self.registers = registers(random, count);
            self.lines.draw(random);
        }
        if self.lines.active {
            return self.next_line(random);
        }
        let mut inputs = TagArrayIn {
            read_warp: self.warps.any(random),
            read_mask: self.mask(random),
            warp: self.warps.any(random),
            register: random.pick(&self.registers),
            set: random.below(self.sets) as u32,
            mask: self.mask(random),
            ..Default::default()
        };
        let density = random.pick(&[0, 30, 80]);
        for slot in 0..self.slots {
            inputs.read[slot] = random.percent(density);
            inputs.read_register[slot] = random.pick(&self.registers);
        }
        match random.below(200) {
            0 => inputs.drop = true,
            1..10 => {
                inputs.flush = true;
                inputs.flush_entry = random.below(self.entries) as u32;
            }
            10..130 => {
                inputs.write = true;
                inputs.fill = random.percent(40);
            }
            _ => {}
        }
        inputs
    }

    fn observe(&mut self, inputs: &TagArrayIn, outputs: &TagArrayOut) -> Result<(), String> {
        self.check_lookups(inputs, outputs)?;
        let warp = inputs.warp as usize;
        if inputs.write {
            self.check_write(inputs, outputs)?;
        }
        if inputs.flush {
            let row = CACHED_WARPS * inputs.flush_entry as usize + warp;
            self.check_leaving(row, outputs)?;
            self.rows[row] = Held::default();
        }
        if inputs.drop {
            self.rows.iter_mut().skip(warp).step_by(CACHED_WARPS).for_each(|held| *held = Held::default());
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        let Counts { hits, taken_in, left } = self.counts;
        vec![("sources found", hits), ("registers taken in", taken_in), ("dirty registers that leave", left)]
    }
}
