//! Directed scenarios: one for each sentence of a paper that states a rule, and for each decision of
//! ours where the papers are silent.

use gpurf_blocks::{Data, Parameters, Ports};

use crate::trial::settle;
use crate::Ported;

/// A short run with expectations. Modules with the same ports share those that hold of all of them.
pub struct Scenario<I, O> {
    /// What reports call it.
    pub name: &'static str,
    /// The rule and where it stands.
    pub rule: &'static str,
    /// Runs it; the error says which expectation is not met.
    pub play: fn(&mut Drive<I, O>) -> Result<(), String>,
}

/// All engines under one scenario.
pub struct Drive<'a, I, O> {
    /// Those of the module.
    pub parameters: Parameters,
    engines: &'a mut [Ported<I, O>],
    cycle: u64,
}

impl<'a, I: Ports, O: Ports> Drive<'a, I, O> {
    /// The engines must be freshly reset.
    pub fn new(parameters: &Parameters, engines: &'a mut [Ported<I, O>]) -> Self {
        Drive { parameters: *parameters, engines, cycle: 0 }
    }

    /// What these inputs would be answered in this cycle; all engines are compared.
    pub fn peek(&mut self, inputs: I) -> Result<O, String> {
        match settle(self.engines, &inputs, self.cycle) {
            (outputs, None) => Ok(outputs),
            (_, Some((place, found))) => Err(format!("engine {place}: {found}")),
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

/// Fails with what was expected.
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
