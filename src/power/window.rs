//! The netlist of an operand stage under what a workload's code moves, in windows over the run.
//!
//! A netlist whose data are tokens of 32 bits follows the whole run and must say in each cycle what the SM's hardware said.
//! Where a window begins, the netlist with 1,024 bits takes over its state, with the values in the place of tokens, and
//! follows it for as many cycles as the window has; its outputs must be the values of the other's.

use anyhow::{bail, ensure, Result};
use gpurf_blocks::ports::SubCoreOut;
use gpurf_blocks::{layout, pack, packed, Data, Field, Parameters, LANES};
use gpurf_hw::catalogue::Entry;
use gpurf_synth::{Activity, Circuit, Gates, Library, Netlist, Structure, Widening};
use gpurf_testbenches::{workbench, Random};
use gpurf_verilog::Port;
use rustc_hash::FxHashSet;

use super::recorder::{Cycle, Values};
use crate::synth::SynthesisArguments;

/// Values that are kept in memory before those are looked for that nothing can ask for.
const VALUES: usize = 1 << 16;

/// The two netlists of a module.
pub struct Netlists {
    pub module: &'static str,
    narrow: Netlist,
    pub wide: Netlist,
    ports: [Vec<Port>; 2],
    fields: [(Vec<Field>, Vec<Field>); 2],
}

impl Netlists {
    /// Maps both, module by module.
    pub fn map(
        entry: &'static Entry,
        parameters: &Parameters,
        synthesis: &SynthesisArguments,
        options: &gpurf_synth::Options,
    ) -> Result<Netlists> {
        let of_width = |width: usize| -> Result<_> {
            let bench = workbench(entry.name, &Parameters { width, ..*parameters });
            let hierarchy = bench.verilog()?;
            let netlist = synthesis.map(&hierarchy, options, Structure::Kept)?;
            let ports = hierarchy.top_module().ports.clone();
            Ok((netlist, ports, bench.fields()))
        };
        let (narrow, narrow_ports, narrow_fields) = of_width(<u32 as Data>::WIDTH)?;
        let (wide, wide_ports, wide_fields) = of_width(LANES * <u32 as Data>::WIDTH)?;
        Ok(Netlists {
            module: entry.name,
            narrow,
            wide,
            ports: [narrow_ports, wide_ports],
            fields: [narrow_fields, wide_fields],
        })
    }

    /// The circuits of both.
    pub fn circuits<'a>(&self, library: &'a Library) -> Result<[Circuit<'a>; 2]> {
        Ok([self.narrow.circuit(library)?, self.wide.circuit(library)?])
    }
}

/// Where the windows lie in a run.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    start: u64,
    every: u64,
    pub length: u64,
    pub count: u64,
}

impl Schedule {
    /// So many windows of so many cycles in a run of `cycles`: one in each of as many equal parts, all at the same place of
    /// their part, which the seed gives.
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

/// Both netlists following a run.
pub struct Follower<'a> {
    netlists: &'a Netlists,
    narrow: Gates<'a>,
    wide: Gates<'a>,
    widening: Widening,
    values: Values,
    schedule: Schedule,
    cycle: u64,
    /// Cycles that the present window still has.
    left: u64,
    /// Where the sub-core's outputs stand that the stage has, too: in its words, and in those of the stage.
    shared: Vec<(usize, usize)>,
    words: Vec<u32>,
}

impl<'a> Follower<'a> {
    pub fn new(
        netlists: &'a Netlists,
        [narrow, wide]: &'a [Circuit<'a>; 2],
        values: Values,
        schedule: Schedule,
    ) -> Result<Follower<'a>> {
        let widening = Widening::new(narrow, wide, LANES)?;
        let [narrow_fields, wide_fields] = &netlists.fields;
        let mut gates = Gates::new(narrow, &netlists.ports[0], narrow_fields)?;
        gates.pause();
        let outputs = layout::<SubCoreOut<u32>>();
        let shared = outputs.iter().filter_map(|field| {
            let of_stage = narrow_fields.1.iter().find(|other| other.name == field.name)?;
            let ports = &netlists.ports[0];
            let port = ports.iter().find(|port| port.name == field.name.field && !port.is_input)?;
            (field.name.index.unwrap_or(0) < port.count).then_some((field.first_word, of_stage.first_word))
        });
        Ok(Follower {
            narrow: gates,
            wide: Gates::new(wide, &netlists.ports[1], wide_fields)?,
            widening,
            values,
            schedule,
            cycle: 0,
            left: 0,
            shared: shared.collect(),
            words: packed(&gpurf_blocks::ports::OperandStageIn::<u32>::default()),
            netlists,
        })
    }

    /// The next cycles of the run; what the wide netlist did in the windows that ended in them.
    pub fn follow(&mut self, cycles: &[Cycle]) -> Result<Vec<Activity>> {
        let mut ended = vec![];
        for Cycle { inputs, outputs } in cycles {
            if self.schedule.begins(self.cycle) {
                let values = &self.values;
                self.widening.take_over(&mut self.narrow, &mut self.wide, &|token| values.of(token).to_vec());
                self.left = self.schedule.length;
            }
            pack(inputs, &mut self.words);
            let words = self.narrow.cycle(&self.words);
            let expected = packed(outputs);
            if let Some((_, word)) = self.shared.iter().find(|(said, word)| expected[*said] != words[*word]) {
                let field = self.netlists.fields[0].1.iter().rfind(|field| field.first_word <= *word);
                let name = field.map_or(String::new(), |field| field.name.to_string());
                bail!(
                    "{}, cycle {}: {name} is {:#x} in the netlist and not in the SM's hardware",
                    self.netlists.module,
                    self.cycle,
                    words[*word]
                );
            }
            if self.left > 0 {
                self.follow_wide(&words)?;
                self.left -= 1;
                if self.left == 0 {
                    ended.push(self.wide.activity());
                    let value = |token| self.values.of(token).to_vec();
                    if let Some(name) = self.widening.difference(&mut self.narrow, &mut self.wide, &value) {
                        bail!(
                            "{}, cycle {}: {name} holds something else than tokens say",
                            self.netlists.module,
                            self.cycle
                        );
                    }
                }
            }
            self.cycle += 1;
        }
        if self.values.count() > VALUES {
            let last = cycles.last().map_or([0; gpurf_blocks::MAX_BANKS], |cycle| cycle.inputs.write_data);
            let tokens: FxHashSet<u32> =
                self.widening.words(&mut self.narrow).into_iter().chain(last).collect();
            self.values.keep(&tokens);
        }
        Ok(ended)
    }

    /// The same cycle in the wide netlist, its values in the place of the tokens.
    fn follow_wide(&mut self, outputs: &[u32]) -> Result<()> {
        let [narrow, wide] = &self.netlists.fields;
        let inputs = self.widened(&narrow.0, &wide.0, &self.words);
        let expected = self.widened(&narrow.1, &wide.1, outputs);
        let found = self.wide.cycle(&inputs);
        if let Some(word) = (0..found.len()).find(|word| found[*word] != expected[*word]) {
            let field = wide.1.iter().rfind(|field| field.first_word <= word);
            let name = field.map_or(String::new(), |field| field.name.to_string());
            bail!(
                "{}, cycle {}: {name} is {:#x} in the netlist of 1,024 bits, and {:#x} is the value of its token",
                self.netlists.module,
                self.cycle,
                found[word],
                expected[word]
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
                widened[place].copy_from_slice(&words[from.first_word..from.first_word + from.words]);
            } else {
                widened[place].copy_from_slice(&self.values.of(words[from.first_word]));
            }
        }
        widened
    }
}
