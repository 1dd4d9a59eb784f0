// SPDX-License-Identifier: Apache-2.0
//! Directed scenarios: one for each sentence of a paper that states a rule, and for each decision of
//! ours where the papers are silent.

use gpurf_blocks::{Data, Divergence, Parameters, Ports};

use crate::trial::settle;
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
    engines: &'a mut [Ported<I, O>],
    cycle: u64,
    /// The ports of the latest cycle.
    seen: Option<(u64, I, O)>,
    /// Where an engine differed, by its place.
    differs: Option<(usize, Divergence)>,
}

impl<'a, I: Ports, O: Ports> Drive<'a, I, O> {
    /// The engines must be freshly reset.
    pub fn new(parameters: &Parameters, engines: &'a mut [Ported<I, O>]) -> Self {
        Drive { parameters: *parameters, engines, cycle: 0, seen: None, differs: None }
    }

    /// The answer to these inputs in this cycle; all engines are compared.
    pub fn peek(&mut self, inputs: I) -> Result<O, String> {
        let (outputs, differs) = settle(self.engines, &inputs, self.cycle);
        self.seen = Some((self.cycle, inputs, outputs));
        match differs {
            None => Ok(outputs),
            Some((place, found)) => {
                let reason = format!("engine {place}: {found}");
                self.differs = Some((place, found));
                Err(reason)
            }
        }
    }

    /// One clock cycle.
    pub fn cycle(&mut self, inputs: I) -> Result<O, String> {
        let outputs = self.peek(inputs)?;
        self.engines.iter_mut().for_each(|engine| engine.tick());
        self.cycle += 1;
        Ok(outputs)
    }
}

impl<I: Ports, O: Ports> Scenario<I, O> {
    /// Plays it on freshly reset engines; returns what failed.
    pub fn play_on(&self, parameters: &Parameters, engines: &mut [Ported<I, O>]) -> Option<Failure> {
        let mut drive = Drive::new(parameters, engines);
        let reason = (self.play)(&mut drive).err()?;
        let wrong = match drive.differs {
            Some((place, found)) => {
                Wrong::Differs { place, port: found.port, first: found.first, other: found.second }
            }
            None => Wrong::Unexpected(format!("expected: {reason}")),
        };
        let seen = drive.seen.map(|(cycle, inputs, outputs)| Seen::new(cycle, &inputs, &outputs));
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
