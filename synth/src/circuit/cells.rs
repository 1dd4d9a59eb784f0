// SPDX-License-Identifier: Apache-2.0
//! The functions of kinds of cells, as tables.

use anyhow::{bail, ensure, Context, Result};

use crate::boolean::Function;
use crate::liberty::{Cell, Direction};

/// A cell's functions as truth tables over its inputs, the clock left out; of a flip-flop or a latch, its
/// state is the last input.
#[derive(Debug)]
pub struct Logic {
    /// Places of the input pins, the lowest bit of a row first; without the clock.
    pub inputs: Vec<usize>,
    /// Place of the clock pin.
    pub clock: Option<usize>,
    /// Places of the output pins, and their tables.
    pub outputs: Vec<(usize, u64)>,
    /// The next value of a flip-flop at an edge, or the condition under which a clock gate opens.
    pub next: Option<u64>,
    pub is_gate: bool,
    /// It is a latch: `next` is the value that passes while its clock is high.
    pub is_latch: bool,
}

impl Logic {
    pub fn of(cell: &Cell) -> Result<Self> {
        let place = |name: &str| cell.pins.iter().position(|pin| pin.name == name);
        let gate = cell.clock_gate.as_ref();
        let state = cell.state.as_ref();
        ensure!(
            !cell.sequential || gate.is_some() || state.is_some(),
            "a clock gate for falling edges cannot be evaluated"
        );
        let clock = match (gate, state) {
            (Some(gate), _) => place(&gate.clock),
            (_, Some(state)) => {
                ensure!(
                    !state.asynchronous,
                    "a flip-flop or a latch with an asynchronous input cannot be evaluated"
                );
                let pin =
                    state.clock.as_deref().context("it has no clock that counts when it rises or is high")?;
                Some(place(pin).context("its clock is no pin")?)
            }
            _ => None,
        };
        let is_input =
            |place: &usize| cell.pins[*place].direction == Direction::Input && Some(*place) != clock;
        let inputs: Vec<usize> = (0..cell.pins.len()).filter(is_input).collect();
        let bits = inputs.len() + state.is_some() as usize;
        ensure!(bits <= 6, "it has more than six inputs");
        let table = |function: &Function| -> Result<u64> {
            let mut table = 0;
            for row in 0..1u64 << bits {
                let input = |name: &str| {
                    let at = inputs.iter().position(|place| cell.pins[*place].name == name);
                    at.map(|bit| row >> bit & 1 == 1).or_else(|| {
                        let held = row >> inputs.len() & 1 == 1;
                        let names = &state?.names;
                        names.iter().position(|own| own == name).map(|inverse| held != (inverse == 1))
                    })
                };
                let Some(value) = function.evaluate(&input) else {
                    bail!("a function of it names something that is no input");
                };
                table |= (value as u64) << row;
            }
            Ok(table)
        };
        if let Some(gate) = gate {
            let enable = Function::Input(gate.enable.clone());
            let open = match &gate.test {
                Some(test) => Function::Or(Box::new(enable), Box::new(Function::Input(test.clone()))),
                None => enable,
            };
            let output = place(&gate.output).context("its output is no pin")?;
            let next = Some(table(&open)?);
            return Ok(Logic {
                inputs,
                clock,
                outputs: vec![(output, 0)],
                next,
                is_gate: true,
                is_latch: false,
            });
        }
        let mut outputs = vec![];
        for (place, pin) in cell.pins.iter().enumerate().filter(|(_, pin)| pin.direction == Direction::Output)
        {
            let function =
                pin.function.as_ref().with_context(|| format!("output {} has no function", pin.name))?;
            outputs.push((place, table(function)?));
        }
        let next = match state {
            Some(state) => Some(table(state.next.as_ref().context("it has no next state")?)?),
            None => None,
        };
        let is_latch = state.is_some_and(|state| state.passes);
        Ok(Logic { inputs, clock, outputs, next, is_gate: false, is_latch })
    }

    /// Returns true if it is a flip-flop or a latch.
    pub fn holds(&self) -> bool {
        self.next.is_some() && !self.is_gate
    }

    /// Bits of a row: the inputs without the clock, and the state of what holds one.
    pub fn bits(&self) -> usize {
        self.inputs.len() + self.holds() as usize
    }

    /// Returns true if it selects one of two inputs: a multiplexer, its output inverted or not.
    pub fn is_multiplexer(&self) -> bool {
        let ([_, _, _], [(_, table)], None) = (&self.inputs[..], &self.outputs[..], self.next) else {
            return false;
        };
        let rows = |of: &dyn Fn([u64; 3]) -> u64| {
            (0..8u64).fold(0, |table, row| table | of([row & 1, row >> 1 & 1, row >> 2]) << row)
        };
        [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]].into_iter().any(|[a, b, select]| {
            let selected = rows(&|row| if row[select] == 1 { row[b] } else { row[a] });
            *table & 0xff == selected || *table & 0xff == !selected & 0xff
        })
    }
}
