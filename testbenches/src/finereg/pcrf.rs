// SPDX-License-Identifier: Apache-2.0
//! Testbench of the pending-CTA register file.

use bitvec::prelude::*;
use gpurf_blocks::ports::{PcrfIn, PcrfOut};
use gpurf_blocks::{Data, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::finereg::Pcrf;
use rust_hdl::prelude::Bits;

use crate::{expect, expect_eq, register, value, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize, const P: usize> Testbench for Pcrf<W, P>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::Pcrf::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(PcrfStimulus::new(parameters.pcrf_entries))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(Pcrf<W, P>);

/// Warp, register and value.
type Stored<D> = (u32, u32, D);

/// Chains that are stored and walked at the same time, entries offered in any order, and what each chain must
/// bring back.
struct PcrfStimulus<D> {
    occupied: BitVec,
    /// Complete chains: first entry and registers.
    chains: Vec<(u32, Vec<Stored<D>>)>,
    /// The chain under construction, and how many registers it still gets.
    storing: Vec<Stored<D>>,
    left: usize,
    register: Stored<D>,
    /// The register is offered, and stands until it is stored.
    offered: bool,
    /// Registers that the walk has yet to show.
    walk: std::collections::VecDeque<Stored<D>>,
}

impl<D: Data> PcrfStimulus<D> {
    fn new(entries: usize) -> Self {
        PcrfStimulus {
            occupied: bitvec![0; entries],
            chains: vec![],
            storing: vec![],
            left: 0,
            register: Default::default(),
            offered: false,
            walk: Default::default(),
        }
    }

    fn free(&self) -> usize {
        self.occupied.count_zeros()
    }

    fn new_register(&mut self, random: &mut Random) {
        self.register = (random.below(32) as u32, random.below(64) as u32, random.data());
    }
}

impl<D: Data> Stimulus<PcrfIn<D>, PcrfOut<D>> for PcrfStimulus<D> {
    fn next(&mut self, random: &mut Random) -> PcrfIn<D> {
        let mut inputs = PcrfIn::default();
        let room = self.free();
        if self.left == 0 && room > 0 && random.percent(20) {
            let most = random.pick(&[1, 4, 40, room]).min(room);
            self.left = 1 + random.below(most);
            self.new_register(random);
        }
        if self.walk.is_empty() && !self.chains.is_empty() && random.percent(10) {
            let (head, registers) = self.chains.swap_remove(random.below(self.chains.len()));
            self.walk = registers.into();
            (inputs.walk, inputs.walk_pointer) = (true, head);
        }
        inputs.accept = !random.percent(30);
        let entries = self.occupied.len();
        let start = random.below(entries);
        let mut around = (start..start + entries).map(|entry| entry % entries);
        let free = around.find(|&entry| !self.occupied[entry]).filter(|_| !random.percent(10));
        (inputs.any_free, inputs.first_free) = (free.is_some(), free.unwrap_or(0) as u32);
        // The next register of a chain may take its time.
        self.offered |= self.left > 0 && !random.percent(20);
        inputs.store = self.offered;
        inputs.store_last = self.left == 1;
        (inputs.store_warp, inputs.store_register, inputs.store_data) = self.register;
        inputs
    }

    fn observe(&mut self, inputs: &PcrfIn<D>, outputs: &PcrfOut<D>) -> Result<(), String> {
        if outputs.restored {
            let PcrfOut { restored_warp, restored_register, restored_data, .. } = *outputs;
            let shown = (restored_warp, restored_register, restored_data);
            match self.walk.front() {
                Some(expected) if *expected == shown => {}
                expected => return Err(format!("{shown:x?} is shown in place of {expected:x?}")),
            }
            if outputs.restored_last != (self.walk.len() == 1) {
                return Err(format!("{} registers are left", self.walk.len()));
            }
            if inputs.accept {
                self.walk.pop_front();
            }
        }
        if outputs.free {
            let was_taken = self.occupied.replace(outputs.free_entry as usize, false);
            if !was_taken {
                return Err(format!("entry {} is freed and is free", outputs.free_entry));
            }
        }
        if outputs.take {
            let was_taken = self.occupied.replace(inputs.first_free as usize, true);
            if was_taken || !inputs.any_free {
                return Err(format!("entry {} is taken and was not offered", inputs.first_free));
            }
        }
        if outputs.stored {
            self.storing.push(self.register);
            self.left -= 1;
            self.offered = false;
            if self.left == 0 {
                self.chains.push((outputs.head, std::mem::take(&mut self.storing)));
            }
            // The next register differs in every field.
            let (warp, register, mut data) = self.register;
            data.words_mut()
                .iter_mut()
                .for_each(|word| *word = word.wrapping_mul(0x9e37_79b1).wrapping_add(1));
            self.register = ((warp + 1) % 32, (register + 5) % 64, data);
        }
        Ok(())
    }
}

type Bench<'a, D> = Drive<'a, PcrfIn<D>, PcrfOut<D>>;

fn register<D: Data>(number: u32, last: bool) -> PcrfIn<D> {
    PcrfIn {
        store: true,
        store_last: last,
        store_warp: number % 32,
        store_register: number % 64,
        store_data: value(number),
        ..Default::default()
    }
}

/// Stores a chain of registers, numbered from `first` on, in these entries; returns its head.
fn store<D: Data>(bench: &mut Bench<D>, first: u32, entries: &[u32]) -> Result<u32, String> {
    let mut offers = entries.iter().copied();
    let mut offer = offers.next();
    for (number, &entry) in entries.iter().enumerate() {
        let last = number + 1 == entries.len();
        for _ in 0..2 {
            let any = offer.is_some();
            let inputs = PcrfIn {
                any_free: any,
                first_free: offer.unwrap_or(0),
                ..register(first + number as u32, last)
            };
            let out = bench.cycle(inputs)?;
            if out.take {
                offer = offers.next();
            }
            if out.stored {
                break;
            }
            expect(number == 0 && out.take, format!("register {number} is stored in entry {entry}"))?;
        }
    }
    expect(offer.is_none(), "every entry is taken")?;
    Ok(bench.peek(PcrfIn::default())?.head)
}

/// Walks a chain whose registers are numbered from `first` on: the entries freed, and in which cycles from
/// the walk's first the registers came.
fn walk<D: Data>(bench: &mut Bench<D>, head: u32, first: u32) -> Result<(Vec<u32>, Vec<usize>), String> {
    let (mut freed, mut came) = (vec![], vec![]);
    for cycle in 0..10_000 {
        let inputs = PcrfIn { walk: cycle == 0, walk_pointer: head, accept: true, ..Default::default() };
        let out = bench.cycle(inputs)?;
        expect(out.walking, "the walk goes on")?;
        if out.free {
            freed.push(out.free_entry);
        }
        if out.restored {
            let number = first + came.len() as u32;
            let place = (out.restored_warp, out.restored_register);
            expect_eq!(place, (number % 32, number % 64), format!("register {number} comes, not {place:?}"))?;
            expect_eq!(
                out.restored_data,
                value(number),
                format!("with its value, not {:x?}", out.restored_data),
            )?;
            came.push(cycle);
            if out.restored_last {
                expect(!bench.peek(PcrfIn::default())?.walking, "the walk has ended")?;
                return Ok((freed, came));
            }
        }
    }
    Err("the chain has no end".into())
}

fn scenarios<D: Data>() -> Vec<Scenario<PcrfIn<D>, PcrfOut<D>>> {
    vec![
        Scenario {
            name: "figure_11",
            rule: "R Fig. 11: the chain 0, 1, 4; the end bit of entry 4 stops the search",
            play: |bench| {
                let other = store(bench, 50, &[2, 3])?;
                let head = store(bench, 7, &[0, 1, 4])?;
                expect_eq!((head, other), (0, 2), "pointers 0 and 2")?;
                let (freed, came) = walk(bench, head, 7)?;
                expect_eq!(freed, [0, 1, 4], format!("entries 0, 1 and 4, not {freed:?}"))?;
                expect_eq!(came.len(), 3, "three registers")?;
                expect_eq!(walk(bench, other, 50)?.0, [2, 3], "the other chain is whole")
            },
        },
        Scenario {
            name: "latency",
            rule: "R V-E: at least four cycles to access a tag and its register; retrieving is pipelined",
            play: |bench| {
                let entries: Vec<u32> = (10..30).collect();
                let head = store(bench, 0, &entries)?;
                let (_, came) = walk(bench, head, 0)?;
                let finereg = bench.parameters;
                let expected: Vec<usize> =
                    (0..20).map(|number| finereg.pcrf_latency + number * finereg.next_latency).collect();
                expect_eq!(came, expected, format!("cycles {expected:?}, not {came:?}"))
            },
        },
        Scenario {
            name: "one_register",
            rule: "R V-D: the end bit marks the last one",
            play: |bench| {
                let last = bench.parameters.pcrf_entries as u32 - 1;
                let head = store(bench, 9, &[last])?;
                expect(head == last && walk(bench, head, 9)?.0 == [last], "a chain of one entry")
            },
        },
        Scenario {
            name: "every_entry",
            rule: "R V-D: 1,024 entries, on one chain if need be",
            play: |bench| {
                let entries: Vec<u32> = (0..bench.parameters.pcrf_entries as u32).rev().collect();
                let head = store(bench, 0, &entries)?;
                let (freed, _) = walk(bench, head, 0)?;
                expect_eq!(freed, entries, "all entries, in the order of the chain")
            },
        },
        Scenario {
            name: "waits_for_an_entry",
            rule: "our decision: a register that is not the last waits for the entry of the next",
            play: |bench| {
                let full = PcrfIn { any_free: false, ..Default::default() };
                let offer = |entry| PcrfIn { any_free: true, first_free: entry, ..Default::default() };
                let with = |inputs: PcrfIn<D>, number, last| PcrfIn {
                    any_free: inputs.any_free,
                    first_free: inputs.first_free,
                    ..register(number, last)
                };
                let out = bench.cycle(with(full, 0, false))?;
                expect(!out.take && !out.stored, "there is no entry for it")?;
                expect(bench.cycle(with(offer(5), 0, false))?.take, "now there is")?;
                for _ in 0..3 {
                    expect(!bench.cycle(with(full, 0, false))?.stored, "and none for the next one")?;
                }
                let out = bench.cycle(with(offer(6), 0, false))?;
                expect(out.stored && out.take, "stored, its tag names entry 6")?;
                let out = bench.cycle(with(full, 1, true))?;
                expect(out.stored && !out.take, "the last one needs no next")?;
                expect_eq!(walk(bench, 5, 0)?.0, [5, 6], "5, then 6")
            },
        },
        Scenario {
            name: "a_register_waits_to_be_accepted",
            rule: "our decision: nothing moves while the register shown is not accepted, and stores go on",
            play: |bench| {
                let head = store(bench, 3, &[1, 2])?;
                let latency = bench.parameters.pcrf_latency;
                bench.cycle(PcrfIn { walk: true, walk_pointer: head, ..Default::default() })?;
                for _ in 1..latency {
                    bench.cycle(PcrfIn::default())?;
                }
                for _ in 0..5 {
                    let out = bench.cycle(PcrfIn::default())?;
                    expect(out.restored && out.restored_register == 3, "the first register stands")?;
                }
                let other = store(bench, 40, &[1])?;
                let accept = PcrfIn { accept: true, ..Default::default() };
                let out = bench.cycle(accept)?;
                expect_eq!(out.restored_data, value(3), "its entry has been overwritten, its value has not")?;
                for _ in 0..latency + 1 {
                    let out = bench.cycle(PcrfIn::default())?;
                    if out.restored {
                        expect(out.restored_register == 4 && out.restored_last, "the second one comes")?;
                    }
                }
                expect(bench.cycle(accept)?.restored, "and is accepted")?;
                expect_eq!(walk(bench, other, 40)?.0, [1], "the new chain is whole")
            },
        },
    ]
}
