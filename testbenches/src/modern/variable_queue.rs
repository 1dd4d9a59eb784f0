// SPDX-License-Identifier: Apache-2.0
//! Testbench of a queue of instructions of variable latency.

use gpurf_blocks::ports::{VariableQueueIn, VariableQueueOut};
use gpurf_blocks::Parameters;
use gpurf_hw::modern::VariableQueue;

use crate::{expect, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for VariableQueue {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::VariableQueue::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(VariableQueueStimulus { parameters: *parameters, ..Default::default() })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        // What enters has reserved its place, and gives it back when it has left.
        let places = (0..=parameters.variable_depth).map(|place| format!("valid[{place}]"));
        let queued = places.collect::<Vec<_>>().join(" + ");
        vec![
            "!reserve | room".into(),
            "!take | head_valid".into(),
            format!("{{2'b0, reserved}} >= 6'd0 + {queued} + enter + give_back"),
        ]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(VariableQueue);

/// Instructions that have reserved their places enter, leave, and give them back, with tides from empty to
/// full and back.
#[derive(Default)]
struct VariableQueueStimulus {
    parameters: Parameters,
    /// Instructions that have issued, are in the queue, and have left it.
    issued: usize,
    queue: Vec<u32>,
    left: usize,
    falling: bool,
}

impl Stimulus<VariableQueueIn, VariableQueueOut> for VariableQueueStimulus {
    fn next(&mut self, random: &mut Random) -> VariableQueueIn {
        let reserved = self.issued + self.queue.len() + self.left;
        self.falling = if self.falling { reserved > 0 } else { reserved > self.parameters.variable_depth };
        let (rises, falls) = if self.falling { (20, 80) } else { (80, 30) };
        let mut inputs = VariableQueueIn {
            reserve: reserved <= self.parameters.variable_depth && random.percent(rises),
            give_back: self.left > 0 && random.percent(falls),
            enter: self.issued > 0 && random.percent(rises),
            take: !self.queue.is_empty() && random.percent(falls),
            enter_unit: random.below(8) as u32,
            enter_pipe: random.below(4) as u32,
            enter_payload: random.word(),
            enter_warp: random.below(16) as u32,
            enter_base: random.below(256) as u32,
            ..Default::default()
        };
        inputs.enter_source_valid.fill_with(|| random.percent(50));
        inputs.enter_source_register.fill_with(|| random.below(256) as u32);
        inputs
    }

    fn observe(&mut self, inputs: &VariableQueueIn, outputs: &VariableQueueOut) -> Result<(), String> {
        let head = outputs.head_valid.then_some(outputs.head_payload);
        if head != self.queue.first().copied() {
            return Err(format!("{head:?} is at the head"));
        }
        let reserved = self.issued + self.queue.len() + self.left;
        if outputs.room != (reserved <= self.parameters.variable_depth) {
            return Err(format!("{reserved} places are reserved, and there is room: {}", outputs.room));
        }
        self.left -= usize::from(inputs.give_back);
        self.issued += usize::from(inputs.reserve);
        if inputs.take {
            self.queue.remove(0);
            self.left += 1;
        }
        if inputs.enter {
            self.issued -= 1;
            self.queue.push(inputs.enter_payload);
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, VariableQueueIn, VariableQueueOut>;

/// An instruction issues, and enters with the next cycle.
fn enter(bench: &mut Bench, payload: u32) -> Result<(), String> {
    let out = bench.cycle(VariableQueueIn { reserve: true, ..Default::default() })?;
    expect(out.room, format!("there is a place for instruction {payload}"))?;
    bench.cycle(VariableQueueIn { enter: true, enter_payload: payload, ..Default::default() })?;
    Ok(())
}

fn scenarios() -> Vec<Scenario<VariableQueueIn, VariableQueueOut>> {
    vec![
        Scenario {
            name: "five_go_without_a_stall",
            rule: "H 5.4: a queue of 4 and a latch: five instructions issue, the sixth waits until one has been taken on",
            play: |bench| {
                let places = bench.parameters.variable_depth as u32 + 1;
                (1..=places).try_for_each(|payload| enter(bench, payload))?;
                expect(!bench.peek(VariableQueueIn::default())?.room, "no place is left")?;
                bench.cycle(VariableQueueIn { take: true, ..Default::default() })?;
                expect(!bench.peek(VariableQueueIn::default())?.room, "its place stays its own")?;
                bench.cycle(VariableQueueIn { give_back: true, ..Default::default() })?;
                expect(bench.peek(VariableQueueIn::default())?.room, "until it gives it back")
            },
        },
        Scenario {
            name: "first_in_first_out",
            rule: "H 5.4: instructions of one unit keep their order",
            play: |bench| {
                let places = bench.parameters.variable_depth as u32 + 1;
                (1..=places).try_for_each(|payload| enter(bench, payload))?;
                for payload in 1..=places {
                    let out = bench.cycle(VariableQueueIn { take: true, ..Default::default() })?;
                    expect(out.head_valid && out.head_payload == payload, format!("instruction {payload}"))?;
                }
                expect(!bench.peek(VariableQueueIn::default())?.head_valid, "the queue is empty")
            },
        },
        Scenario {
            name: "one_enters_as_another_leaves",
            rule: "our decision: a queue moves on in the cycle in which an instruction enters",
            play: |bench| {
                enter(bench, 1)?;
                bench.cycle(VariableQueueIn { reserve: true, ..Default::default() })?;
                bench.cycle(VariableQueueIn { take: true, enter: true, enter_payload: 2, ..Default::default() })?;
                let out = bench.peek(VariableQueueIn::default())?;
                expect(out.head_valid && out.head_payload == 2, "the second is at the head")
            },
        },
    ]
}
