// SPDX-License-Identifier: Apache-2.0
//! Reference model of the register management unit: R §V-C, §V-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LiveRegisterCacheIn, LiveRegisterCacheOut};
use gpurf_blocks::ports::{PcrfIn, PcrfOut, RmuIn, RmuOut};
use gpurf_blocks::{Clocked, Data, Parameters, CTA_WARPS, RMU_BUFFERS};

use super::{
    vector, BufferPlace, ChainStart, ExchangeBuffer, FreeSpaceMonitor, LiveRegisterCache, Pcrf,
    PcrfPointerTable, RegisterIndexDecoder,
};
use crate::checkpoint::model_state;

/// The step of the switch under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum State {
    #[default]
    Idle,
    /// Look the vectors of the outgoing CTA up.
    Look,
    /// Does it fit?
    Check,
    /// Take the outgoing CTA's warps one by one: choose one, load its vector, save its registers.
    Select,
    Load(usize),
    Drain(usize),
    /// A register comes back that is in the way of another warp's: put the rest of this one's vector back.
    Return(usize),
}

/// The switch under way.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Switch {
    /// The CTA that goes out, the one that comes in.
    store: Option<usize>,
    restore: Option<usize>,
    /// The restored registers are thrown away.
    discard: bool,
    /// Live registers of the outgoing CTA, and those that have yet to be stored.
    count: usize,
    remaining: usize,
    /// It fits.
    begun: bool,
}

/// Events of a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Step<D: Data> {
    cache: LiveRegisterCacheOut,
    pcrf: PcrfOut<D>,
    fits: bool,
    look: bool,
    /// This register leaves the ACRF.
    read: Option<BufferPlace>,
    /// The warp whose vector is loaded next.
    selected: Option<usize>,
    /// The vector of another warp is needed first.
    returns: bool,
    finish: bool,
}

/// The parts and the switch.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Rmu<D: Data> {
    cache: LiveRegisterCache,
    decoder: RegisterIndexDecoder,
    pointers: PcrfPointerTable,
    monitor: FreeSpaceMonitor,
    pcrf: Pcrf<D>,
    /// Live registers of the outgoing CTA that have not left the ACRF, by warp; of those warps whose turn is
    /// to come.
    live: [u64; CTA_WARPS],
    present: [bool; CTA_WARPS],
    state: State,
    switch: Switch,
    /// The warp being looked up, and whether it is the last one.
    looking: Option<(usize, bool)>,
    exchange: ExchangeBuffer<D>,
    /// Registers that leave while others come.
    streams: bool,
    #[borsh(skip)]
    inputs: RmuIn<D>,
    #[borsh(skip)]
    step: Step<D>,
}

impl<D: Data> Rmu<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Rmu {
            cache: LiveRegisterCache::default(),
            decoder: RegisterIndexDecoder::default(),
            pointers: PcrfPointerTable::new(parameters),
            monitor: FreeSpaceMonitor::new(parameters),
            pcrf: Pcrf::new(parameters),
            live: [0; CTA_WARPS],
            present: [false; CTA_WARPS],
            state: State::Idle,
            switch: Switch::default(),
            looking: None,
            exchange: ExchangeBuffer::new(parameters),
            streams: parameters.streams,
            inputs: RmuIn::default(),
            step: Step::default(),
        }
    }

    /// Free entries and those that the incoming CTA frees.
    fn room(&self) -> usize {
        self.monitor.free_count() + self.incoming().count
    }

    fn incoming(&self) -> ChainStart {
        self.switch.restore.map_or(ChainStart::default(), |_| self.pointers.line())
    }

    /// Warp and register of the register shown, if rows of the outgoing CTA are written.
    fn coming(&self) -> Option<BufferPlace> {
        let shown = self.pcrf.shown().map(|entry| (entry.warp as usize, entry.register as usize));
        shown.filter(|_| self.switch.store.is_some() && !self.switch.discard)
    }

    /// The warp whose vector has to be loaded, since a register that comes may be in its way.
    fn elsewhere(&self) -> Option<usize> {
        self.coming().map(|(warp, _)| warp).filter(|&warp| self.present[warp])
    }

    /// The register of the warp being drained that is in the way of the one that comes.
    fn in_the_way(&self) -> Option<BufferPlace> {
        let of_warp = |place: &BufferPlace| self.state == State::Drain(place.0) && self.decoder.has(place.1);
        self.coming().filter(of_warp)
    }

    /// The register shown goes to the ACRF: nothing to be saved is in its place.
    fn can_write(&self) -> bool {
        let Some(place) = self.coming() else { return self.pcrf.shown().is_some() };
        let is_read = self.exchange.is_under_way(place);
        let is_loaded = self.state == State::Load(place.0) || self.state == State::Return(place.0);
        !self.present[place.0] && !is_read && !is_loaded && self.in_the_way().is_none()
    }

    /// Registers may be read that are in nobody's way: what is in the buffer then never waits for the walk.
    fn can_drain(&self, walking: bool) -> bool {
        !walking || self.streams && self.monitor.free_count() >= RMU_BUFFERS + 2
    }

    /// Checks that every occupied entry is on one chain, that every chain ends, and that the counts are
    /// right. It looks between cycles.
    pub fn check(&self) -> Result<(), String> {
        let occupied = self.monitor.occupied();
        let mut owner = vec![None; occupied.len()];
        let mut claim = |start: usize, until: Option<usize>, name: String| -> Result<usize, String> {
            let (mut at, mut length) = (start, 0);
            while Some(at) != until {
                if let Some(other) = owner[at].replace(name.clone()) {
                    return Err(format!("entry {at} is on the chain of {name} and on that of {other}"));
                }
                length += 1;
                let entry = self.pcrf.entry(at);
                match (entry.end, until) {
                    (true, None) => break,
                    (true, Some(_)) => return Err(format!("the chain of {name} ends too early, at {at}")),
                    (false, _) => at = entry.next,
                }
            }
            Ok(length)
        };
        for (cta, line) in self.pointers.lines().iter().enumerate().filter(|(_, line)| line.count > 0) {
            let length = claim(line.pointer, None, format!("CTA {cta}"))?;
            if length < line.count {
                return Err(format!("CTA {cta} has {length} registers, its count says {}", line.count));
            }
        }
        if let Some(start) = self.pcrf.walked_to() {
            claim(start, None, "the incoming CTA".into())?;
        }
        let Switch { begun, count, remaining, .. } = self.switch;
        if begun && (self.pcrf.reserved().is_some() || remaining < count) {
            let reserved = self.pcrf.reserved();
            let length = claim(self.pcrf.head(), reserved, "the outgoing CTA".into())?;
            if length != count - remaining {
                return Err(format!("{length} registers are stored of {count}, {remaining} remain"));
            }
            if let Some(reserved) = reserved {
                owner[reserved] = Some("the next register".into());
            }
        }
        let wrong = (0..occupied.len()).find(|&entry| owner[entry].is_some() != occupied[entry]);
        if let Some(entry) = wrong {
            return Err(match &owner[entry] {
                Some(name) => format!("entry {entry} belongs to {name} and counts as free"),
                None => format!("entry {entry} is leaked"),
            });
        }
        let zeros = occupied.count_zeros();
        if zeros != self.monitor.free_count() {
            return Err(format!("{zeros} entries are free, the count says {}", self.monitor.free_count()));
        }
        Ok(())
    }
}

impl<D: Data> Clocked for Rmu<D> {
    type In = RmuIn<D>;
    type Out = RmuOut<D>;

    fn settle(&mut self, inputs: &RmuIn<D>) -> RmuOut<D> {
        self.inputs = *inputs;
        let mut outputs = RmuOut {
            ready: self.state == State::Idle,
            live_count: self.switch.count as u32,
            free_count: self.monitor.free_count() as u32,
            ..Default::default()
        };

        let can_look = self.state == State::Look && self.looking.is_none();
        let mut lookup = LiveRegisterCacheIn {
            request: false,
            pc: inputs.pc,
            memory_ready: inputs.memory_ready,
            memory_answer: inputs.memory_answer,
            memory_low: inputs.memory_low,
            memory_high: inputs.memory_high,
        };
        outputs.warp_ready = can_look && self.cache.settle(&lookup).ready;
        lookup.request = outputs.warp_ready && inputs.warp_valid;
        let cache = self.cache.settle(&lookup);
        (outputs.memory_request, outputs.memory_pc) = (cache.memory_request, cache.memory_pc);
        (outputs.cache_hit, outputs.cache_miss) = (cache.hit, cache.miss);

        let fits = self.switch.count <= self.room();
        outputs.refused = self.state == State::Check && !fits;
        let begins = self.state == State::Check && fits;

        let write = self.can_write();
        let moved = write && (self.switch.discard || inputs.acrf_write_ready);
        outputs.acrf_write = write && !self.switch.discard;

        // The oldest register in the buffer goes to the PCRF, in the cycle in which it comes if it can.
        let mut store = PcrfIn {
            walk: begins && self.incoming().count > 0,
            walk_pointer: self.pointers.line().pointer as u32,
            accept: moved,
            any_free: self.monitor.free_count() > 0,
            first_free: self.monitor.first_free().unwrap_or(0) as u32,
            store_last: self.switch.remaining == 1,
            ..Default::default()
        };
        let answer = inputs.acrf_answer.then_some(inputs.acrf_answer_data);
        if let Some(((warp, register), value)) = self.exchange.oldest(answer) {
            store.store = value.is_some();
            (store.store_warp, store.store_register) = (warp as u32, register as u32);
            store.store_data = value.unwrap_or(inputs.acrf_answer_data);
        }
        let pcrf = self.pcrf.settle(&store);
        (outputs.pcrf_read, outputs.pcrf_write) = (pcrf.free, pcrf.stored);
        outputs.acrf_write_warp = pcrf.restored_warp;
        outputs.acrf_write_register = pcrf.restored_register;
        outputs.acrf_write_data = pcrf.restored_data;

        // The next register for it: one in the way goes first.
        let wanted = match self.state {
            State::Drain(warp) => self.in_the_way().or_else(|| {
                let lowest = self.decoder.lowest().filter(|_| self.can_drain(pcrf.walking));
                lowest.map(|register| (warp, register))
            }),
            _ => None,
        };
        let read = wanted.filter(|_| self.exchange.has_room(pcrf.stored));
        if let Some((warp, register)) = read {
            outputs.acrf_read = true;
            (outputs.acrf_read_warp, outputs.acrf_read_register) = (warp as u32, register as u32);
        }
        let read = read.filter(|_| inputs.acrf_read_ready);

        let first = self.present.iter().position(|&present| present);
        let first_turn = first.filter(|_| self.streams || !pcrf.walking);
        let selected = self.elsewhere().or(first_turn).filter(|_| self.state == State::Select);
        let saved = first.is_none() && self.exchange.is_empty();
        let finish = self.state == State::Select && saved && !pcrf.walking;
        outputs.done = finish;
        let returns = self.elsewhere().is_some();
        self.step = Step { cache, pcrf, fits, look: lookup.request, read, selected, returns, finish };
        outputs
    }

    fn tick(&mut self) {
        let (inputs, step) = (self.inputs, self.step);
        self.cache.tick();
        self.pcrf.tick();
        let first_free = self.monitor.first_free();
        let freed = step.pcrf.free.then_some(step.pcrf.free_entry as usize);
        self.monitor.edge(first_free.filter(|_| step.pcrf.take), freed);

        let answer = inputs.acrf_answer.then_some(inputs.acrf_answer_data);
        self.exchange.edge(answer, step.pcrf.stored, step.read);
        if step.pcrf.stored {
            self.switch.remaining -= 1;
        }
        if let Some(place) = step.read {
            self.decoder.drop(place.1);
        }

        match self.state {
            State::Idle if inputs.request => {
                self.switch = Switch {
                    store: inputs.store.then_some(inputs.outgoing as usize),
                    restore: inputs.restore.then_some(inputs.incoming as usize),
                    discard: inputs.discard,
                    ..Default::default()
                };
                (self.live, self.present) = ([0; CTA_WARPS], [false; CTA_WARPS]);
                if let Some(incoming) = self.switch.restore {
                    self.pointers.read(incoming);
                }
                self.state = if inputs.store { State::Look } else { State::Check };
            }
            State::Look => {
                if step.look {
                    self.looking = Some((inputs.warp as usize, inputs.warp_last));
                }
                if step.cache.answer {
                    let (warp, last) = self.looking.take().expect("a warp was looked up");
                    self.live[warp] = vector(step.cache.low, step.cache.high);
                    self.present[warp] = true;
                    self.switch.count += self.live[warp].count_ones() as usize;
                    if last {
                        self.state = State::Check;
                    }
                }
            }
            State::Check if !step.fits => self.state = State::Idle,
            State::Check => {
                self.switch.begun = true;
                self.switch.remaining = self.switch.count;
                let has_chain = self.incoming().count > 0;
                if let Some(incoming) = self.switch.restore.filter(|_| has_chain) {
                    self.pointers.write(incoming, ChainStart::default());
                }
                self.state = State::Select;
            }
            State::Select if step.finish => {
                if let Some(outgoing) = self.switch.store {
                    let line = ChainStart { pointer: self.pcrf.head(), count: self.switch.count };
                    self.pointers.write(outgoing, line);
                }
                self.switch.begun = false;
                self.state = State::Idle;
            }
            State::Select => {
                if let Some(warp) = step.selected {
                    self.present[warp] = false;
                    self.state = State::Load(warp);
                }
            }
            State::Load(warp) => {
                self.decoder.load(self.live[warp]);
                self.state = State::Drain(warp);
            }
            // What is read in this cycle has been dropped already.
            State::Drain(_) if self.decoder.lowest().is_none() => self.state = State::Select,
            State::Drain(warp) if step.returns => self.state = State::Return(warp),
            State::Return(warp) => {
                (self.live[warp], self.present[warp]) = (self.decoder.left(), true);
                self.state = State::Select;
            }
            _ => {}
        }
    }

    model_state!();
}
