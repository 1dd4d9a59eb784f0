// SPDX-License-Identifier: Apache-2.0
//! The netlist of an operand stage under what a workload's code moves, in windows over the run.
//!
//! A netlist whose data are tokens of 32 bits follows the whole run and must say in each cycle what the SM's
//! hardware said. Where a window begins, the netlist with 1,024 bits takes over its state, with the values
//! instead of tokens, and follows it for as many cycles as the window has; its outputs must be the values of
//! the other's.

use anyhow::{bail, ensure, Result};
use gpurf_blocks::ports::{OperandStageIn, SubCoreOut};
use gpurf_blocks::{layout, pack, packed, Data, Field, Parameters, PortLayout, MAX_BANKS};
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_sim::stage_recording::{Cycle, EventCounter, Events, TokenValues};
use gpurf_synth::{Activity, Circuit, Gates, Job, Netlist, Options, StateWidening, Structure};
use gpurf_testbenches::{workbench, Random};
use gpurf_verilog::Port;

use crate::{difference, port_of};

/// Values that are kept in memory before those are looked for that nothing can ask for.
const VALUES: usize = 1 << 16;

/// A netlist of a module, and where its ports stand in packed words.
struct Side<'a> {
    circuit: Circuit<'a>,
    ports: Vec<Port>,
    layout: PortLayout,
}

impl<'a> Side<'a> {
    fn map(
        entry: &'static CatalogueEntry,
        parameters: &Parameters,
        sat_sweeping: bool,
        options: &'a Options,
    ) -> Result<Side<'a>> {
        let bench = workbench(entry.name, parameters);
        let hierarchy = bench.verilog()?;
        let (source, structure) = (hierarchy.code(), Structure::Kept);
        let job = Job { source: &source, top: &hierarchy.top, sat_sweeping, structure };
        let netlist = Netlist::map(&job, options)?;
        let ports = hierarchy.top_module().ports.clone();
        Ok(Side { circuit: netlist.circuit(&options.library)?, ports, layout: bench.layout().clone() })
    }

    fn gates(&self) -> Result<Gates<'_>> {
        Gates::new(&self.circuit, &self.ports, &self.layout)
    }
}

/// The two netlists of a module, and how the state of one becomes that of the other.
pub struct Netlists<'a> {
    module: &'static str,
    /// Its data are tokens.
    narrow: Side<'a>,
    wide: Side<'a>,
    widening: StateWidening,
}

impl<'a> Netlists<'a> {
    /// Maps both, module by module, with or without [SAT sweeping](Job::sat_sweeping); the wide one has the width that the parameters say, 1,024 bits or those
    /// of a token.
    pub fn map(
        entry: &'static CatalogueEntry,
        parameters: &Parameters,
        sat_sweeping: bool,
        options: &'a Options,
    ) -> Result<Netlists<'a>> {
        let narrow = Parameters { width: <u32 as Data>::WIDTH, ..*parameters };
        let factor = parameters.width / narrow.width;
        let side = |parameters| Side::map(entry, parameters, sat_sweeping, options);
        let (narrow, wide) = (side(&narrow)?, side(parameters)?);
        let widening = StateWidening::new(&narrow.circuit, &wide.circuit, factor)?;
        Ok(Netlists { module: entry.name, narrow, wide, widening })
    }

    /// The one whose energy counts.
    pub fn circuit(&self) -> &Circuit<'a> {
        &self.wide.circuit
    }
}

/// Where the windows lie in a run.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub(crate) start: u64,
    pub(crate) every: u64,
    pub length: u64,
    pub count: u64,
}

impl Schedule {
    /// So many windows of so many cycles in a run of `cycles`: one in each of as many equal parts, all at the
    /// same place of their part, which the seed gives.
    pub fn drawn(cycles: u64, count: u64, length: u64, seed: u64) -> Result<Schedule> {
        let every = cycles / count;
        ensure!(
            every >= length,
            "{count} windows of {length} cycles do not fit into the run's {cycles} cycles: --windows or --window-cycles less"
        );
        let start = Random::seeded(seed).below((every - length + 1) as usize) as u64;
        Ok(Schedule { start, every, length, count })
    }

    fn begins(&self, cycle: u64) -> bool {
        let since = cycle.checked_sub(self.start);
        since.is_some_and(|since| since % self.every == 0 && since / self.every < self.count)
    }
}

/// The activity of the wide netlist in a window.
pub struct Window<'a> {
    pub activity: &'a Activity,
    /// Events in its cycles behind the first, over which changes are counted.
    pub events: Events,
}

/// Both netlists following a run.
pub struct Follower<'a> {
    netlists: &'a Netlists<'a>,
    narrow: Gates<'a>,
    wide: Gates<'a>,
    values: TokenValues,
    schedule: Schedule,
    cycle: u64,
    counter: EventCounter,
    /// Cycles that the present window still has.
    left: u64,
    /// Events before it, and by the end of its first cycle.
    before: Events,
    first: Events,
    /// Where the sub-core's outputs stand that the stage has, too: in its words, and in those of the stage.
    shared: Vec<(usize, usize)>,
    /// Packed inputs of the stage and outputs of the sub-core in a cycle.
    inputs: Vec<u32>,
    said: Vec<u32>,
}

impl<'a> Follower<'a> {
    pub fn new(netlists: &'a Netlists<'a>, values: TokenValues, schedule: Schedule) -> Result<Follower<'a>> {
        let Side { ports, layout: PortLayout { outputs, .. }, .. } = &netlists.narrow;
        let mut narrow = netlists.narrow.gates()?;
        narrow.pause();
        let of_sub_core = layout::<SubCoreOut<u32>>();
        let shared = of_sub_core.iter().filter_map(|field| {
            let of_stage = outputs.iter().find(|other| other.name == field.name)?;
            let port = ports.iter().find(|port| port.name == field.name.field && !port.is_input)?;
            (field.name.index.unwrap_or(0) < port.count).then_some((field.first_word, of_stage.first_word))
        });
        Ok(Follower {
            narrow,
            wide: netlists.wide.gates()?,
            values,
            schedule,
            cycle: 0,
            counter: EventCounter::default(),
            left: 0,
            before: Events::default(),
            first: Events::default(),
            shared: shared.collect(),
            inputs: packed(&OperandStageIn::<u32>::default()),
            said: packed(&SubCoreOut::<u32>::default()),
            netlists,
        })
    }

    /// Events so far.
    pub fn events(&self) -> &Events {
        &self.counter.events
    }

    /// The next cycles of the run; each window that ends in them is looked at.
    pub fn follow(&mut self, cycles: &[Cycle], mut look: impl FnMut(Window)) -> Result<()> {
        for cycle in cycles {
            if self.schedule.begins(self.cycle) {
                let value = |token| self.values.of(token).to_vec();
                self.netlists.widening.take_over(&mut self.narrow, &mut self.wide, &value);
                self.left = self.schedule.length;
                self.before = self.counter.events;
            }
            self.counter.count(cycle, &self.values);
            pack(&cycle.inputs, &mut self.inputs);
            pack(&cycle.outputs, &mut self.said);
            let words = self.narrow.cycle(&self.inputs);
            let differs = |(said, word): &&(usize, usize)| self.said[*said] != words[*word];
            if let Some((_, word)) = self.shared.iter().find(differs) {
                bail!(
                    "{}, cycle {}: {} is {:#x} in the netlist and not in the SM's hardware",
                    self.netlists.module,
                    self.cycle,
                    port_of(&self.netlists.narrow.layout.outputs, *word),
                    words[*word]
                );
            }
            if self.left > 0 {
                self.follow_wide(&words)?;
                if self.left == self.schedule.length {
                    self.first = self.counter.events;
                }
                self.left -= 1;
                if self.left == 0 {
                    look(self.window()?);
                }
            }
            self.cycle += 1;
        }
        if self.values.count() > VALUES {
            let held = self.netlists.widening.words(&mut self.narrow);
            let written = cycles.last().map_or([0; MAX_BANKS], |cycle| cycle.inputs.write_data);
            self.values.keep(&held.into_iter().chain(written).collect());
        }
        Ok(())
    }

    /// The window that ends here, if the wide netlist has in its registers what the narrow one has, and its
    /// memories were accessed as often as the SM's hardware says.
    fn window(&mut self) -> Result<Window<'_>> {
        let (module, cycle) = (self.netlists.module, self.cycle);
        // What the last edge changed shows in the cycle behind the window.
        self.wide.pause();
        let value = |token| self.values.of(token).to_vec();
        let widening = &self.netlists.widening;
        if let Some(name) = widening.difference(&mut self.narrow, &mut self.wide, &value) {
            bail!("{module}, cycle {cycle}: {name} holds something else than tokens say");
        }
        let activity = self.wide.activity();
        let of_window = self.counter.events.since(&self.before);
        let (reads, writes) = activity.accesses.iter().fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        ensure!(
            (reads, writes) == (of_window.bank_reads, of_window.bank_writes),
            "{module}, cycle {cycle}: {reads} reads and {writes} writes of memories in a window in which the SM's hardware \
             has {} and {}",
            of_window.bank_reads,
            of_window.bank_writes
        );
        Ok(Window { activity, events: self.counter.events.since(&self.first) })
    }

    /// The same cycle in the wide netlist, its values instead of the tokens.
    fn follow_wide(&mut self, outputs: &[u32]) -> Result<()> {
        let Netlists { narrow, wide, .. } = self.netlists;
        let inputs = self.widened(&narrow.layout.inputs, &wide.layout.inputs, &self.inputs);
        let expected = self.widened(&narrow.layout.outputs, &wide.layout.outputs, outputs);
        let found = self.wide.cycle(&inputs);
        if let Some((name, found, expected)) = difference(&wide.layout.outputs, &found, &expected) {
            bail!(
                "{}, cycle {}: {name} is {found:#x} in the wide netlist, and {expected:#x} is the value of its token",
                self.netlists.module,
                self.cycle,
            );
        }
        Ok(())
    }

    fn widened(&self, narrow: &[Field], wide: &[Field], words: &[u32]) -> Vec<u32> {
        let last = wide.last().map_or(0, |field| field.first_word + field.words);
        let mut widened = vec![0; last];
        for (from, to) in narrow.iter().zip(wide) {
            let place = to.first_word..to.first_word + to.words;
            if from.words == to.words {
                widened[place].copy_from_slice(from.of(words));
            } else {
                widened[place].copy_from_slice(&self.values.of(words[from.first_word]));
            }
        }
        widened
    }
}
