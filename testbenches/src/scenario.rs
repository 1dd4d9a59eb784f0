// SPDX-License-Identifier: Apache-2.0
//! Directed scenarios: one for each sentence of a paper that states a rule, and for each decision of
//! ours where the papers are silent.

use std::marker::PhantomData;

use gpurf_blocks::{pack, unpack, Data, Divergence, PackedClocked, Parameters, PortLayout, Ports};

use crate::trial::{packed, Settling};
use crate::{Failure, Ported, Seen, Wrong};

/// A short run with expectations. Modules with the same ports share those that hold of all of them.
pub struct Scenario<I, O> {
    /// Its name in reports.
    pub name: &'static str,
    /// The rule and where it stands.
    pub rule: &'static str,
    /// Runs it; the error says which expectation is not met.
    pub play: fn(&mut Drive<I, O>) -> Result<(), String>,
}

/// All engines under one scenario.
pub struct Drive<'a, I, O> {
    /// The ones of the module.
    pub parameters: Parameters,
    driven: &'a mut dyn Driven,
    /// Packed inputs of a cycle.
    inputs: Vec<u32>,
    ports: PhantomData<fn(I) -> O>,
}

impl<I: Ports, O: Ports> Drive<'_, I, O> {
    /// The answer to these inputs in this cycle; all engines are compared.
    pub fn peek(&mut self, inputs: I) -> Result<O, String> {
        pack(&inputs, &mut self.inputs);
        Ok(unpack(self.driven.settle(&self.inputs)?))
    }

    /// One clock cycle.
    pub fn cycle(&mut self, inputs: I) -> Result<O, String> {
        let outputs = self.peek(inputs)?;
        self.driven.tick();
        Ok(outputs)
    }
}

/// Engines that a scenario drives, whatever their ports.
trait Driven {
    fn settle(&mut self, inputs: &[u32]) -> Result<&[u32], String>;
    fn tick(&mut self);
}

/// Engines side by side under packed words.
struct PackedDrive<'a, 'e> {
    engines: &'a mut [Box<dyn PackedClocked + 'e>],
    settling: Settling<'a>,
    cycle: u64,
    /// The latest inputs and their cycle.
    seen: Option<(u64, Vec<u32>)>,
    /// Where an engine differed, by its place.
    differs: Option<(usize, Divergence)>,
}

impl Driven for PackedDrive<'_, '_> {
    fn settle(&mut self, inputs: &[u32]) -> Result<&[u32], String> {
        let differs = self.settling.settle(self.engines, inputs, self.cycle);
        let (cycle, seen) = self.seen.get_or_insert_default();
        *cycle = self.cycle;
        inputs.clone_into(seen);
        match differs {
            None => Ok(&self.settling.outputs),
            Some((place, found)) => {
                let reason = format!("engine {place}: {found}");
                self.differs = Some((place, found));
                Err(reason)
            }
        }
    }

    fn tick(&mut self) {
        self.engines.iter_mut().for_each(|engine| engine.tick());
        self.cycle += 1;
    }
}

impl<I: Ports, O: Ports> Scenario<I, O> {
    /// Plays it on freshly reset engines; returns what failed.
    pub fn play_on(&self, parameters: &Parameters, engines: &mut [Ported<I, O>]) -> Option<Failure> {
        self.packed().play_on(&PortLayout::of::<I, O>(), parameters, &mut packed(engines))
    }

    /// The same scenario, its ports' types left behind.
    pub(crate) fn packed(&self) -> PackedScenario {
        let Scenario { name, rule, play } = *self;
        let play = Box::new(move |parameters: &Parameters, driven: &mut dyn Driven| {
            let inputs = gpurf_blocks::packed(&I::default());
            play(&mut Drive { parameters: *parameters, driven, inputs, ports: PhantomData })
        });
        PackedScenario { name, rule, play }
    }
}

/// Drives engines through a scenario.
type Play = Box<dyn Fn(&Parameters, &mut dyn Driven) -> Result<(), String>>;

/// A scenario of packed words.
pub(crate) struct PackedScenario {
    pub name: &'static str,
    pub rule: &'static str,
    play: Play,
}

impl PackedScenario {
    /// Plays it on freshly reset engines; returns what failed.
    pub fn play_on(
        &self,
        layout: &PortLayout,
        parameters: &Parameters,
        engines: &mut [Box<dyn PackedClocked + '_>],
    ) -> Option<Failure> {
        let settling = Settling::new(layout);
        let mut drive = PackedDrive { engines, settling, cycle: 0, seen: None, differs: None };
        let reason = (self.play)(parameters, &mut drive).err()?;
        let wrong = match drive.differs {
            Some((place, found)) => {
                Wrong::Differs { place, port: found.port, first: found.first, other: found.second }
            }
            None => Wrong::Unexpected(format!("expected: {reason}")),
        };
        let seen =
            drive.seen.map(|(cycle, inputs)| Seen::new(cycle, layout, &inputs, &drive.settling.outputs));
        Some(Failure { scenario: Some((self.name, self.rule)), wrong, seen: seen.unwrap_or_default() })
    }
}

/// Fails with what was expected, what came, and what was wanted.
#[macro_export]
macro_rules! expect_eq {
    ($came:expr, $wanted:expr, $what:expr $(,)?) => {
        match (&$came, &$wanted) {
            (came, wanted) if *came == *wanted => Ok(()),
            (came, wanted) => Err(format!("{}: {came:x?} came, {wanted:x?} was wanted", $what)),
        }
    };
}

/// Fails with what was expected. For a comparison, `expect_eq!` also says what came.
pub fn expect(holds: bool, what: impl Into<String>) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(what.into())
    }
}

/// A value that differs in every word from that of another number, and uses all bits.
pub fn value<D: Data>(number: u32) -> D {
    let mut data = D::default();
    for (place, word) in data.words_mut().iter_mut().enumerate() {
        *word = (number << 8 | place as u32).wrapping_mul(0x9e37_79b1);
    }
    data
}
