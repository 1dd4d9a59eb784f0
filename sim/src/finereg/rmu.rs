//! Reference model of the register management unit: R §V-C, §V-E.

use gpurf_blocks::ports::{LiveRegisterCacheIn, LiveRegisterCacheOut};
use gpurf_blocks::ports::{PcrfIn, PcrfOut, RmuIn, RmuOut};
use gpurf_blocks::{Clocked, Data, Parameters, CTA_WARPS};

use super::{
    vector, FreeSpaceMonitor, Line, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder,
};

/// What is being done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    /// Look the vectors of the outgoing CTA up.
    Look,
    /// Does it fit?
    Check,
    /// Wait for a register of the incoming CTA.
    Walk,
    /// One has come whose warp's row holds, or held, registers to be saved.
    Exchange,
    /// Take the outgoing CTA's warps one by one: choose one, load its vector, save its registers.
    Select,
    Load(usize),
    Drain(usize),
}

/// The switch under way.
#[derive(Clone, Copy, Debug, Default)]
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

/// The 128-byte buffer between ACRF and PCRF.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Buffer<D> {
    #[default]
    Empty,
    /// This register is on its way.
    Reading(usize, usize),
    Full(usize, usize, D),
}

/// What happens in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Step<D: Data> {
    cache: LiveRegisterCacheOut,
    pcrf: PcrfOut<D>,
    fits: bool,
    look: bool,
    /// This register leaves the ACRF.
    read: Option<(usize, usize)>,
    /// The register shown has been dealt with.
    moved: bool,
    finish: bool,
}

/// The parts, the switch and the buffer.
#[derive(Clone, Debug)]
pub struct Rmu<D: Data> {
    cache: LiveRegisterCache,
    decoder: RegisterIndexDecoder,
    pointers: PcrfPointerTable,
    monitor: FreeSpaceMonitor,
    pcrf: Pcrf<D>,
    /// Live registers of the outgoing CTA that have not left the ACRF, by warp.
    live: [u64; CTA_WARPS],
    /// Warps that have been looked up and not drained.
    present: [bool; CTA_WARPS],
    state: State,
    switch: Switch,
    /// The warp being looked up, and whether it is the last one.
    looking: Option<(usize, bool)>,
    /// The register in the way has been read.
    fetched: bool,
    buffer: Buffer<D>,
    inputs: RmuIn<D>,
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
            fetched: false,
            buffer: Buffer::Empty,
            inputs: RmuIn::default(),
            step: Step::default(),
        }
    }

    /// Free entries and those that the incoming CTA frees.
    fn room(&self) -> usize {
        self.monitor.free_count() + self.incoming().count
    }

    fn incoming(&self) -> Line {
        self.switch.restore.map_or(Line::default(), |_| self.pointers.line())
    }

    /// A register of the outgoing CTA may be where the shown one goes.
    fn is_suspect(&self, warp: usize) -> bool {
        self.switch.store.is_some() && !self.switch.discard && self.present[warp]
    }

    /// Warp and register of the register shown.
    fn shown(&self) -> Option<(usize, usize)> {
        self.pcrf.shown().map(|entry| (entry.warp as usize, entry.register as usize))
    }

    /// Checks that every occupied entry is on one chain, that every chain ends, and that the counts are right.
    /// It looks between cycles.
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
        let zeros = occupied.iter().filter(|&&occupied| !occupied).count();
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

        // The register shown goes to the ACRF once nothing to be saved is in its place.
        let in_the_way = self.shown().filter(|&(warp, register)| {
            self.state == State::Exchange && !self.fetched && self.live[warp] >> register & 1 == 1
        });
        let write = match self.state {
            State::Walk => self.shown().is_some_and(|(warp, _)| !self.is_suspect(warp)),
            State::Exchange => in_the_way.is_none() && !matches!(self.buffer, Buffer::Reading(..)),
            _ => false,
        };
        let moved = write && (self.switch.discard || inputs.acrf_write_ready);
        outputs.acrf_write = write && !self.switch.discard;

        // The buffer's register goes to the PCRF.
        let mut store = PcrfIn {
            walk: begins && self.incoming().count > 0,
            walk_pointer: self.pointers.line().pointer as u32,
            accept: moved,
            any_free: self.monitor.free_count() > 0,
            first_free: self.monitor.first_free().unwrap_or(0) as u32,
            store_last: self.switch.remaining == 1,
            ..Default::default()
        };
        if let Buffer::Full(warp, register, data) = self.buffer {
            store.store = true;
            (store.store_warp, store.store_register) = (warp as u32, register as u32);
            store.store_data = data;
        }
        let pcrf = self.pcrf.settle(&store);
        (outputs.pcrf_read, outputs.pcrf_write) = (pcrf.free, pcrf.stored);
        outputs.acrf_write_warp = pcrf.restored_warp;
        outputs.acrf_write_register = pcrf.restored_register;
        outputs.acrf_write_data = pcrf.restored_data;

        // The next register for it.
        let wanted = match self.state {
            State::Exchange => in_the_way,
            State::Drain(warp) => self.decoder.index().map(|register| (warp, register)),
            _ => None,
        };
        let room = self.buffer == Buffer::Empty || pcrf.stored;
        let read = wanted.filter(|_| room);
        if let Some((warp, register)) = read {
            outputs.acrf_read = true;
            (outputs.acrf_read_warp, outputs.acrf_read_register) = (warp as u32, register as u32);
        }
        let read = read.filter(|_| inputs.acrf_read_ready);

        let drained = !self.present.contains(&true) && self.buffer == Buffer::Empty;
        let finish = self.state == State::Select && drained;
        outputs.done = finish;
        self.step = Step { cache, pcrf, fits, look: lookup.request, read, moved, finish };
        outputs
    }

    fn tick(&mut self) {
        let (inputs, step) = (self.inputs, self.step);
        let shown = self.shown();
        let last_restored = step.pcrf.restored_last;
        self.cache.tick();
        self.pcrf.tick();
        let first_free = self.monitor.first_free();
        let freed = step.pcrf.free.then_some(step.pcrf.free_entry as usize);
        self.monitor.edge(first_free.filter(|_| step.pcrf.take), freed);

        match self.buffer {
            Buffer::Reading(warp, register) if inputs.acrf_answer => {
                self.buffer = Buffer::Full(warp, register, inputs.acrf_answer_data);
            }
            Buffer::Full(..) if step.pcrf.stored => {
                self.buffer = Buffer::Empty;
                self.switch.remaining -= 1;
            }
            _ => {}
        }
        if let Some((warp, register)) = step.read {
            self.buffer = Buffer::Reading(warp, register);
            self.live[warp] &= !(1 << register);
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
                    self.pointers.write(incoming, Line::default());
                }
                self.state = if has_chain { State::Walk } else { State::Select };
            }
            State::Walk | State::Exchange if step.moved => {
                self.fetched = false;
                self.state = if last_restored { State::Select } else { State::Walk };
            }
            State::Walk if shown.is_some() => self.state = State::Exchange,
            State::Exchange => self.fetched |= step.read.is_some(),
            State::Select if step.finish => {
                if let Some(outgoing) = self.switch.store {
                    let line = Line { pointer: self.pcrf.head(), count: self.switch.count };
                    self.pointers.write(outgoing, line);
                }
                self.switch.begun = false;
                self.state = State::Idle;
            }
            State::Select => {
                if let Some(warp) = self.present.iter().position(|&present| present) {
                    self.present[warp] = false;
                    self.state = State::Load(warp);
                }
            }
            State::Load(warp) => {
                self.decoder.load(self.live[warp]);
                self.state = State::Drain(warp);
            }
            State::Drain(_) if step.read.is_some() => self.decoder.drop_first(),
            State::Drain(_) if self.decoder.index().is_none() => self.state = State::Select,
            _ => {}
        }
    }
}
