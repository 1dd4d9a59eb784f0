// SPDX-License-Identifier: Apache-2.0
//! Small modules that the tests share.

use gpurf_hw::dialect::{rtl, Identity, Memory, Module, Register};
use rust_hdl::prelude::*;

/// Counts up while enabled.
#[derive(LogicBlock, Module)]
pub struct Counter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub value: Signal<Out, Bits<4>>,
    count: Register<Bits<4>>,
    identity: Identity,
}

impl Default for Counter {
    fn default() -> Self {
        Counter {
            clock: Signal::default(),
            reset: Signal::default(),
            enable: Signal::default(),
            value: Signal::default(),
            count: Register::default(),
            identity: Identity::new("counter", "Counter (T 1)", &[]),
        }
    }
}

#[rtl]
impl Counter {
    fn kernel() {
        count.clock = clock;
        count.reset = reset;
        count.enable = enable;
        count.d = count.q + 1;
        value = count.q;
    }
}

/// Two counters, the second counting the first one's wraps; nested vectors around them.
#[derive(LogicBlock, Module)]
pub struct Cascade {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    #[port(max = 4)]
    pub level: Vec<Signal<Out, Bits<4>>>,
    pub reached: Signal<Out, Bits<4>>,
    counters: Vec<Counter>,
    hit: Vec<Vec<Signal<Local, Bit>>>,
    threshold: Vec<Constant<Bits<4>>>,
    identity: Identity,
}

impl Default for Cascade {
    fn default() -> Self {
        Cascade {
            clock: Signal::default(),
            reset: Signal::default(),
            enable: Signal::default(),
            level: vec![Signal::default(); 2],
            reached: Signal::default(),
            counters: (0..2).map(|_| Counter::default()).collect(),
            hit: vec![vec![Signal::default(); 2]; 2],
            threshold: [3, 9].map(|level| Constant::new(Bits::<4>::from(level))).to_vec(),
            identity: Identity::new("cascade", "Two counters", &[("counters", 2)]),
        }
    }
}

#[rtl]
impl Cascade {
    fn kernel() {
        counters[0].enable = enable;
        counters[1].enable = enable & counters[0].value.all();
        for i in 0..2 {
            counters[i].clock = clock;
            counters[i].reset = reset;
            level[i] = counters[i].value;
        }
        reached = 0;
        for i in 0..2 {
            for j in 0..2 {
                hit[i][j] = level[i] >= threshold[j];
                if hit[i][j] {
                    reached = reached.replace_bit(2 * i + j, true);
                }
            }
        }
    }
}

/// A memory of registers, and whether the last one read was the last one written.
#[derive(LogicBlock, Module)]
pub struct Store<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub address: Signal<In, Bits<4>>,
    pub write_data: Signal<In, Bits<W>>,
    pub read_data: Signal<Out, Bits<W>>,
    pub same: Signal<Out, Bit>,
    memory: Memory<W>,
    written: Register<Bits<W>>,
    identity: Identity,
}

impl<const W: usize> Default for Store<W> {
    fn default() -> Self {
        Store {
            clock: Signal::default(),
            reset: Signal::default(),
            enable: Signal::default(),
            write: Signal::default(),
            address: Signal::default(),
            write_data: Signal::default(),
            read_data: Signal::default(),
            same: Signal::default(),
            memory: Memory::new(16),
            written: Register::default(),
            identity: Identity::new("store", "Store", &[("w", W)]),
        }
    }
}

#[rtl]
impl<const W: usize> Store<W> {
    fn kernel() {
        memory.clock = clock;
        memory.enable = enable;
        memory.write = write;
        memory.address = bit_cast::<8, 4>(address);
        memory.write_data = write_data;
        read_data = memory.read_data;
        written.clock = clock;
        written.reset = false;
        written.enable = enable & write;
        written.d = write_data;
        same = memory.read_data == written.q;
    }
}

/// A stream of numbers, as its source has it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "Sink"]
pub struct Source {
    pub number: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
}

/// The same as its sink has it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "Source"]
pub struct Sink {
    pub number: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
}

/// Offers the numbers in turn.
#[derive(LogicBlock)]
struct Producer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub stream: Source,
    count: Register<Bits<4>>,
    identity: Identity,
}

#[rtl]
impl Producer {
    fn kernel() {
        count.clock = clock;
        count.reset = reset;
        count.enable = stream.ready;
        count.d = count.q + 3;
        stream.number = count.q;
    }
}

/// Adds up what it takes.
#[derive(LogicBlock)]
struct Consumer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub stream: Sink,
    pub total: Signal<Out, Bits<4>>,
    sum: Register<Bits<4>>,
    identity: Identity,
}

#[rtl]
impl Consumer {
    fn kernel() {
        stream.ready = take;
        sum.clock = clock;
        sum.reset = reset;
        sum.enable = take;
        sum.d = sum.q + stream.number;
        total = sum.q;
    }
}

/// Two blocks joined by an interface.
#[derive(LogicBlock, Module)]
pub struct Stream {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub total: Signal<Out, Bits<4>>,
    producer: Producer,
    consumer: Consumer,
    identity: Identity,
}

impl Default for Stream {
    fn default() -> Self {
        Stream {
            clock: Signal::default(),
            reset: Signal::default(),
            take: Signal::default(),
            total: Signal::default(),
            producer: Producer {
                clock: Signal::default(),
                reset: Signal::default(),
                stream: Source::default(),
                count: Register::default(),
                identity: Identity::new("producer", "Source of a stream", &[]),
            },
            consumer: Consumer {
                clock: Signal::default(),
                reset: Signal::default(),
                take: Signal::default(),
                stream: Sink::default(),
                total: Signal::default(),
                sum: Register::default(),
                identity: Identity::new("consumer", "Sink of a stream", &[]),
            },
            identity: Identity::new("stream", "Stream", &[]),
        }
    }
}

impl Logic for Stream {
    #[hdl_gen]
    fn update(&mut self) {
        self.producer.clock.next = self.clock.val();
        self.producer.reset.next = self.reset.val();
        self.consumer.clock.next = self.clock.val();
        self.consumer.reset.next = self.reset.val();
        self.consumer.take.next = self.take.val();
        Source::join(&mut self.producer.stream, &mut self.consumer.stream);
        self.total.next = self.consumer.total.val();
    }
}
