//! One instruction by one group of lanes.

use super::arithmetic::{double, half, single, FloatMode};
use super::library::LibraryFunction;
use super::memory::{AccessError, View};
use super::operation::*;
use super::warp::{lanes_of, Group, Waiting, Warp};
use super::MISSING;
use crate::listing::INSTRUCTION_BYTES;
use crate::texture::Texture;

/// What does not change during a launch.
pub(crate) struct Constants<'a> {
    pub banks: [&'a [u8]; 16],
    pub block: [u32; 3],
    pub block_size: [u32; 3],
    /// Shared memory of a block in bytes.
    pub shared_size: u32,
}

/// Memory of a thread block, but for its registers.
pub(crate) struct BlockMemory<'a> {
    pub global: View,
    /// Something in memory is not what it was.
    pub changed: bool,
    /// The last global address that was read.
    pub read_last: u64,
    pub shared: Vec<u8>,
    /// Of all threads, one after the other.
    pub local: Vec<u8>,
    /// Bytes of it per thread.
    pub local_bytes: u64,
    /// Where shared memory appears among generic addresses, and local memory.
    pub shared_window: u64,
    pub local_window: u64,
    /// What threads printed.
    pub printed: String,
    pub textures: &'a [Texture],
    /// Loads from shared memory are given digests.
    pub digests: bool,
}

/// Bytes of a window among generic addresses.
pub(crate) const WINDOW_BYTES: u64 = 1 << 24;

/// Why an instruction did not execute: what is wrong, and in which lane if it is one's.
pub(crate) struct Fault {
    pub message: String,
    pub lane: Option<u32>,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), lane: None }
    }
}

/// Addresses that an access touched, one per executing lane, lowest lane first.
#[derive(Default)]
pub(crate) struct Touched {
    pub addresses: [u64; LANES],
    pub count: usize,
    /// Of the values that a load from shared memory gave its lanes, where that is wanted.
    pub digest: Option<u64>,
}

/// Values on their way through an instruction.
pub(crate) struct Scratch {
    inputs: Inputs,
    outputs: Outputs,
    pub touched: Touched,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            inputs: Inputs { lanes: [[0; LANES]; MAX_SOURCES], predicates: [0; 7], mask: 0 },
            outputs: Outputs { lanes: [[0; LANES]; MAX_RESULTS], predicates: [0; 7] },
            touched: Touched::default(),
        }
    }
}

impl Group {
    fn uniform_predicate(&self, index: u8) -> u32 {
        if self.uniform_predicates >> index & 1 != 0 {
            u32::MAX
        } else {
            0
        }
    }
}

impl Warp {
    pub fn running(&self) -> &Group {
        self.groups.last().expect("a group runs")
    }

    fn running_mut(&mut self) -> &mut Group {
        self.groups.last_mut().expect("a group runs")
    }

    /// A predicate as a bit per lane.
    #[inline]
    pub fn predicate(&self, source: PredicateSource) -> u32 {
        let value = if source.uniform {
            self.running().uniform_predicate(source.index)
        } else {
            self.predicates[usize::from(source.index)]
        };
        value ^ if source.negate { u32::MAX } else { 0 }
    }

    /// The value of an operand that is the same in all lanes, or that of the first of these lanes.
    fn scalar(&self, source: Source, mask: u32, constants: &Constants, number: u32) -> Result<u32, Fault> {
        let mut lanes = [0; LANES];
        self.fetch((source, Modifier::None), constants, number, &mut lanes)?;
        Ok(lanes[mask.trailing_zeros() as usize & 31])
    }

    /// An operand in all lanes. `number` is that of the warp in its block.
    #[inline]
    fn fetch(
        &self,
        (source, modifier): (Source, Modifier),
        constants: &Constants,
        number: u32,
        into: &mut Lanes,
    ) -> Result<(), Fault> {
        match source {
            Source::Row(row) => *into = self.registers[usize::from(row)],
            Source::Uniform(index) => *into = [self.running().uniform[usize::from(index)]; LANES],
            Source::Immediate(value) => *into = [value; LANES],
            Source::Constant { bank, offset } => *into = [constants.word(bank, offset.into())?; LANES],
            Source::Special(special) => *into = self.special(special, constants, number),
        }
        match modifier {
            Modifier::None => {}
            // The signs of single precision are flipped on the way to almost any instruction.
            Modifier::Sign { clear: false, flip: true } => {
                into.iter_mut().for_each(|value| *value ^= 0x8000_0000)
            }
            _ => into.iter_mut().for_each(|value| *value = modifier.apply(*value)),
        }
        Ok(())
    }

    fn special(&self, special: Special, constants: &Constants, number: u32) -> Lanes {
        std::array::from_fn(|lane| {
            let lane = lane as u32;
            match special {
                Special::Lane => lane,
                Special::Thread(dimension) => {
                    let [x, y, z] = constants.block_size;
                    let thread = number * LANES as u32 + lane;
                    match dimension {
                        0 => thread % x,
                        1 => thread / x % y,
                        _ => thread / x / y % z,
                    }
                }
                Special::Block(dimension) => constants.block[usize::from(dimension)],
                Special::Warp => number,
                Special::VirtualId => number << 8,
                Special::SharedSize => constants.shared_size,
                Special::LaneMask(mask) => match mask {
                    LaneMask::Equal => 1 << lane,
                    LaneMask::Below => (1 << lane) - 1,
                    LaneMask::AtOrBelow => u32::MAX >> (31 - lane),
                    LaneMask::Above => u32::MAX.checked_shl(lane + 1).unwrap_or(0),
                    LaneMask::AtOrAbove => u32::MAX << lane,
                },
                Special::Clock => self.executed as u32,
                Special::Zero => 0,
            }
        })
    }

    #[inline]
    fn store(&mut self, row: u16, mask: u32, value: &Lanes) {
        let row = &mut self.registers[usize::from(row)];
        if mask == u32::MAX {
            *row = *value;
        } else {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    row[lane] = value[lane];
                }
            }
        }
    }

    pub fn compute(
        &mut self,
        compute: &Compute,
        mask: u32,
        constants: &Constants,
        number: u32,
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        if mask == 0 {
            return Ok(());
        }
        let Scratch { inputs, outputs, .. } = scratch;
        for (source, lanes) in compute.sources.iter().zip(&mut inputs.lanes) {
            self.fetch(*source, constants, number, lanes)?;
        }
        for (source, predicate) in compute.predicates.iter().zip(&mut inputs.predicates) {
            *predicate = self.predicate(*source);
        }
        inputs.mask = mask;
        (compute.function)(inputs, outputs);
        let first = mask.trailing_zeros();
        for (destination, value) in compute.destinations.iter().zip(&outputs.lanes) {
            match *destination {
                Destination::Row(row) => self.store(row, mask, value),
                Destination::Uniform(index) => {
                    self.running_mut().uniform[usize::from(index)] = value[first as usize];
                }
                Destination::Nowhere => {}
            }
        }
        for (destination, &value) in compute.predicate_destinations.iter().zip(&outputs.predicates) {
            self.set_predicate(*destination, mask, value);
        }
        Ok(())
    }

    /// Writes a predicate in these lanes, of which there are some; a uniform one takes the value of the
    /// first of them.
    #[inline]
    pub fn set_predicate(&mut self, destination: PredicateDestination, mask: u32, value: u32) {
        match destination {
            PredicateDestination { index: 7, .. } => {}
            PredicateDestination { uniform: false, index } => {
                let predicate = &mut self.predicates[usize::from(index)];
                *predicate = *predicate & !mask | value & mask;
            }
            PredicateDestination { uniform: true, index } => {
                let first = mask.trailing_zeros();
                let predicates = &mut self.running_mut().uniform_predicates;
                *predicates = *predicates & !(1 << index) | ((value >> first & 1) as u8) << index;
            }
        }
    }

    /// The address of each lane.
    fn addresses(&self, address: &Address, into: &mut [u64; LANES]) {
        let group = self.running();
        let uniform = |index: u8| u64::from(group.uniform[usize::from(index)]);
        let base = match address.uniform {
            Some(index) if address.wide => uniform(index + 1) << 32 | uniform(index),
            Some(index) => uniform(index),
            None => 0,
        };
        let base = base.wrapping_add(address.offset as u64);
        match address.register {
            None => *into = [base; LANES],
            Some((low, None)) => {
                let low = &self.registers[usize::from(low)];
                for lane in 0..LANES {
                    into[lane] = base.wrapping_add(u64::from(low[lane].wrapping_mul(address.scale)));
                }
            }
            Some((low, Some(high))) => {
                let (low, high) = (&self.registers[usize::from(low)], &self.registers[usize::from(high)]);
                for lane in 0..LANES {
                    let register = u64::from(high[lane]) << 32 | u64::from(low[lane]);
                    into[lane] = base.wrapping_add(register);
                }
            }
        }
        if !address.wide {
            // 32-bit sums wrap around.
            into.iter_mut().for_each(|address| *address &= 0xffff_ffff);
        }
    }

    pub fn access(
        &mut self,
        access: &Access,
        mask: u32,
        constants: &Constants,
        number: u32,
        memory: &mut BlockMemory,
        touched: &mut Touched,
    ) -> Result<(), Fault> {
        touched.clear();
        if mask == 0 {
            return Ok(());
        }
        let mut addresses = [0; LANES];
        match access {
            Access::Load { space, width, address, destination } => {
                self.addresses(address, &mut addresses);
                memory.read_last = addresses[mask.trailing_zeros() as usize];
                let rows = self.rows(*destination);
                for lane in lanes_of(mask) {
                    let place = memory.place(*space, addresses[lane], number, lane);
                    touched.push(memory.traced(place, addresses[lane]));
                    match width {
                        Width::U8 => self.registers[rows[0]][lane] = u32::from(memory.read::<1>(place)?[0]),
                        Width::S8 => self.registers[rows[0]][lane] = memory.read::<1>(place)?[0] as i8 as u32,
                        Width::U16 => {
                            self.registers[rows[0]][lane] =
                                u32::from(u16::from_le_bytes(memory.read(place)?));
                        }
                        Width::S16 => {
                            self.registers[rows[0]][lane] = i16::from_le_bytes(memory.read(place)?) as u32
                        }
                        Width::B32 => self.registers[rows[0]][lane] = u32::from_le_bytes(memory.read(place)?),
                        Width::B64 => self.load_words(memory.read::<8>(place)?, &rows, lane),
                        Width::B128 => self.load_words(memory.read::<16>(place)?, &rows, lane),
                    }
                }
                if *space == Space::Shared && memory.digests {
                    touched.digest = Some(self.digest(&rows[..width.registers()], mask));
                }
            }
            Access::Store { space, width, address, source } => {
                memory.changed = true;
                self.addresses(address, &mut addresses);
                let rows = self.rows(*source);
                for lane in lanes_of(mask) {
                    let place = memory.place(*space, addresses[lane], number, lane);
                    touched.push(memory.traced(place, addresses[lane]));
                    let value = self.registers[rows[0]][lane];
                    match width {
                        Width::U8 | Width::S8 => memory.write(place, [value as u8])?,
                        Width::U16 | Width::S16 => memory.write(place, (value as u16).to_le_bytes())?,
                        Width::B32 => memory.write(place, value.to_le_bytes())?,
                        Width::B64 => memory.write(place, self.words_of::<8>(&rows, lane))?,
                        Width::B128 => memory.write(place, self.words_of::<16>(&rows, lane))?,
                    }
                }
            }
            Access::LoadConstant { bank, width, address, destination } => {
                self.addresses(address, &mut addresses);
                for lane in lanes_of(mask) {
                    let value =
                        constants.load(*bank, addresses[lane], *width).map_err(|fault| fault.at(lane))?;
                    match *destination {
                        Destination::Row(row) => {
                            for i in 0..width.registers() {
                                self.registers[usize::from(row) + i][lane] = (value >> (32 * i)) as u32;
                            }
                        }
                        Destination::Uniform(index) => {
                            for i in 0..width.registers() {
                                self.running_mut().uniform[usize::from(index) + i] =
                                    (value >> (32 * i)) as u32;
                            }
                        }
                        Destination::Nowhere => {}
                    }
                }
            }
            Access::LoadMatrices { count, transposed, address, destination } => {
                self.addresses(address, &mut addresses);
                for lane in lanes_of(mask) {
                    touched.push(addresses[lane]);
                }
                self.load_matrices(*count, *transposed, *destination, mask, &addresses, number, memory)?;
                if memory.digests {
                    touched.digest = Some(self.digest(&self.rows(*destination)[..usize::from(*count)], mask));
                }
            }
            Access::Atomic { space, function, kind, address, operand, swap, destination, done } => {
                self.addresses(address, &mut addresses);
                memory.read_last = addresses[mask.trailing_zeros() as usize];
                for lane in lanes_of(mask) {
                    let place = memory.place(*space, addresses[lane], number, lane);
                    touched.push(memory.traced(place, addresses[lane]));
                    self.atomic(place, *function, *kind, (*operand, *swap), *destination, lane, memory)?;
                }
                if let Some(done) = done {
                    self.set_predicate(*done, mask, u32::MAX);
                }
            }
            Access::CountingIncrement { address, destination } => {
                memory.changed = true;
                self.addresses(address, &mut addresses);
                for lane in lanes_of(mask) {
                    let place = memory.place(Space::Shared, addresses[lane], number, lane);
                    touched.push(addresses[lane]);
                    let before = u32::from_le_bytes(memory.read(place)?);
                    memory.write(place, before.wrapping_add(1).to_le_bytes())?;
                    if let Some(row) = destination {
                        self.registers[usize::from(*row)][lane] = before;
                    }
                }
            }
            Access::Texture(texture) => self.read_texture(texture, mask, constants, memory)?,
            Access::Surface(surface) => {
                memory.changed = true;
                self.access_surface(surface, mask, constants, memory)?;
            }
            Access::QuerySpace { space, address, holds } => {
                self.addresses(address, &mut addresses);
                let within = lanes_of(mask)
                    .filter(|&lane| memory.space_of(addresses[lane]) == *space)
                    .fold(0, |lanes, lane| lanes | 1 << lane);
                self.set_predicate(*holds, mask, within);
            }
        }
        Ok(())
    }

    /// Equal for equal values in the lanes of `mask`: FNV-1a over their words.
    fn digest(&self, rows: &[usize], mask: u32) -> u64 {
        let words = rows.iter().flat_map(|&row| lanes_of(mask).map(move |lane| self.registers[row][lane]));
        words.fold(0xcbf2_9ce4_8422_2325 ^ u64::from(mask), |digest, word| {
            (digest ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    /// The rows of an operand of up to four registers. RZ's takes the place of all of them.
    #[inline]
    pub fn rows(&self, first: u16) -> [usize; 4] {
        let first = usize::from(first);
        let special = first >= self.registers.len() - 2;
        std::array::from_fn(|i| if special { first } else { first + i })
    }

    #[inline]
    pub fn load_words<const N: usize>(&mut self, bytes: [u8; N], rows: &[usize; 4], lane: usize) {
        for (word, &row) in bytes.chunks_exact(4).zip(rows) {
            self.registers[row][lane] = u32::from_le_bytes(word.try_into().expect("four bytes"));
        }
    }

    #[inline]
    pub fn words_of<const N: usize>(&self, rows: &[usize; 4], lane: usize) -> [u8; N] {
        let mut bytes = [0; N];
        for (word, &row) in bytes.chunks_exact_mut(4).zip(rows) {
            word.copy_from_slice(&self.registers[row][lane].to_le_bytes());
        }
        bytes
    }

    /// Lane 8 i + j gives the address of row j of matrix i; register i of lane l holds elements
    /// 2 (l mod 4) and the next of row l / 4 of matrix i, or of its transpose.
    #[allow(clippy::too_many_arguments)]
    fn load_matrices(
        &mut self,
        count: u8,
        transposed: bool,
        destination: u16,
        mask: u32,
        addresses: &[u64; LANES],
        number: u32,
        memory: &BlockMemory,
    ) -> Result<(), Fault> {
        let destinations = self.rows(destination);
        for i in 0..usize::from(count) {
            let mut rows = [[0u16; 8]; 8];
            for (j, row) in rows.iter_mut().enumerate() {
                let lane = 8 * i + j;
                let place = memory.place(Space::Shared, addresses[lane], number, lane);
                let bytes = memory.read::<16>(place)?;
                for (element, pair) in row.iter_mut().zip(bytes.chunks_exact(2)) {
                    *element = u16::from_le_bytes([pair[0], pair[1]]);
                }
            }
            let register = &mut self.registers[destinations[i]];
            for lane in lanes_of(mask) {
                let (row, column) = (lane / 4, 2 * (lane % 4));
                let [low, high] = match transposed {
                    false => [rows[row][column], rows[row][column + 1]],
                    true => [rows[column][row], rows[column + 1][row]],
                };
                register[lane] = u32::from(high) << 16 | u32::from(low);
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic(
        &mut self,
        place: Located,
        function: AtomicFunction,
        kind: AtomicType,
        (operand, swap): (u16, u16),
        destination: Option<u16>,
        lane: usize,
        memory: &mut BlockMemory,
    ) -> Result<(), Fault> {
        let (operand, swap) = (self.rows(operand), self.rows(swap));
        if kind.bytes() == 8 {
            let before = u64::from_le_bytes(memory.read(place)?);
            let compared = u64::from_le_bytes(self.words_of(&operand, lane));
            let swapped = u64::from_le_bytes(self.words_of(&swap, lane));
            let after = atomic_64(function, kind, before, compared, swapped);
            memory.write(place, after.to_le_bytes())?;
            memory.changed |= after != before;
            if let Some(row) = destination {
                let result = match function {
                    AtomicFunction::CompareAndSwapTest => (before == compared).into(),
                    _ => before,
                };
                self.registers[usize::from(row)][lane] = result as u32;
                self.registers[usize::from(row) + 1][lane] = (result >> 32) as u32;
            }
        } else {
            let before = u32::from_le_bytes(memory.read(place)?);
            let operands = (self.registers[operand[0]][lane], self.registers[swap[0]][lane]);
            let after = atomic_32(function, kind, before, operands.0, operands.1);
            memory.write(place, after.to_le_bytes())?;
            memory.changed |= after != before;
            if let Some(row) = destination {
                self.registers[usize::from(row)][lane] = match function {
                    AtomicFunction::CompareAndSwapTest => (before == operands.0).into(),
                    _ => before,
                };
            }
        }
        Ok(())
    }

    /// Moves control, but for barriers, which concern the whole block. `mask` are the lanes that
    /// execute.
    pub fn control(
        &mut self,
        control: &Control,
        mask: u32,
        constants: &Constants,
        number: u32,
    ) -> Result<(), Fault> {
        let next = self.running().pc + INSTRUCTION_BYTES;
        self.running_mut().pc = next;
        match control {
            Control::Branch { target, condition } => {
                let jumping = mask & self.predicate(*condition);
                self.split(jumping, *target);
            }
            Control::BranchTogether { target, converged } => {
                if (self.running().mask == self.live) == *converged {
                    self.split(mask, *target);
                }
            }
            Control::BranchIndexed { base, register } => self.jump(mask, *register, *base)?,
            Control::Exit => {
                if mask != 0 {
                    self.exit(mask);
                }
            }
            Control::SetConvergence { barrier } => {
                for lane in lanes_of(mask) {
                    self.convergence[usize::from(*barrier)][lane] = mask;
                }
            }
            Control::Converge { barrier } => self.wait(mask, Waiting::Converge(*barrier)),
            Control::Break { barrier, condition } => {
                let leaving = mask & self.predicate(*condition);
                self.leave(*barrier, leaving);
            }
            Control::SaveConvergence { barrier, destination, clear } => {
                let barrier = usize::from(*barrier);
                let saved = self.convergence[barrier];
                self.store(*destination, mask, &saved);
                if *clear {
                    lanes_of(mask).for_each(|lane| self.convergence[barrier][lane] = 0);
                }
            }
            Control::RestoreConvergence { barrier, source } => {
                let mut value = [0; LANES];
                self.fetch(*source, constants, number, &mut value)?;
                lanes_of(mask).for_each(|lane| self.convergence[usize::from(*barrier)][lane] = value[lane]);
            }
            Control::SyncWarp { mask: (source, _) } => {
                let lanes = self.scalar(*source, mask, constants, number)?;
                self.wait(mask, Waiting::Sync(lanes));
            }
            Control::BarrierResult { destination, predicate } if mask != 0 => {
                self.store(*destination, mask, &[self.reduced; LANES]);
                if let Some(predicate) = predicate {
                    self.set_predicate(*predicate, mask, if self.reduced != 0 { u32::MAX } else { 0 });
                }
            }
            Control::CallMissing { name } => {
                if mask != 0 {
                    return Err(Fault::new(format!("calls {name}, which the listing lacks")));
                }
            }
            Control::Barrier { .. }
            | Control::BarrierResult { .. }
            | Control::CallLibrary { .. }
            | Control::CallAbsolute { .. }
            | Control::Nothing => {}
            Control::Trap => {
                if mask != 0 {
                    return Err(Fault::new("the kernel trapped").at(mask.trailing_zeros() as usize));
                }
            }
        }
        Ok(())
    }

    /// Lets these lanes of the running group wait; the others go on.
    fn wait(&mut self, lanes: u32, waiting: Waiting) {
        if lanes == 0 {
            return;
        }
        let pc = self.running().pc;
        let all = self.running().mask;
        if lanes == all {
            self.running_mut().waiting = waiting;
        } else {
            self.split(lanes, pc);
            let before = self.groups.len() - 2;
            self.groups[before].waiting = waiting;
        }
        self.release();
    }

    /// Lets lanes wait at a barrier of the block.
    pub fn wait_at_barrier(&mut self, lanes: u32, number: u8) {
        self.wait(lanes, Waiting::Barrier(number));
    }

    /// Calls what each lane's register pair says: code of the kernel, or a function of the library, from which
    /// it goes on behind the call.
    pub fn call(
        &mut self,
        (low, high): (u16, u16),
        mask: u32,
        number: u32,
        memory: &mut BlockMemory,
        missing: &[String],
    ) -> Result<(), Fault> {
        self.running_mut().pc += INSTRUCTION_BYTES;
        let mut inside = 0;
        for lane in lanes_of(mask) {
            let [low, high] = [low, high].map(|row| u64::from(self.registers[usize::from(row)][lane]));
            let target = high << 32 | low;
            if let Some(function) = LibraryFunction::at(target) {
                self.call_library(function, 1 << lane, number, memory)?;
            } else if let Some(name) = missing.get((target.wrapping_sub(MISSING) / 16) as usize) {
                return Err(Fault::new(format!("calls {name}, which the listing lacks")).at(lane));
            } else {
                inside |= 1 << lane;
            }
        }
        self.jump(inside, (low, high), 0)
    }

    /// Sends each lane where its register pair says.
    fn jump(&mut self, mask: u32, (low, high): (u16, u16), base: i64) -> Result<(), Fault> {
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let target = |lane: usize| {
                let high = u64::from(self.registers[usize::from(high)][lane]) << 32;
                base.wrapping_add((high | u64::from(self.registers[usize::from(low)][lane])) as i64)
            };
            let to = target(lane);
            let lanes =
                lanes_of(rest).filter(|&other| target(other) == to).fold(0, |lanes, lane| lanes | 1 << lane);
            let pc = u32::try_from(to).ok().filter(|pc| pc % INSTRUCTION_BYTES == 0);
            let pc = pc.ok_or(Fault { message: format!("jumps to {to:#x}"), lane: Some(lane as u32) })?;
            self.split(lanes, pc);
            rest &= !lanes;
        }
        Ok(())
    }

    /// Operand of a barrier, the same in all lanes.
    pub fn barrier_operand(
        &self,
        source: Source,
        mask: u32,
        constants: &Constants,
        number: u32,
    ) -> Result<u32, Fault> {
        self.scalar(source, mask, constants, number)
    }
}

pub(super) fn atomic_32(
    function: AtomicFunction,
    kind: AtomicType,
    before: u32,
    operand: u32,
    swap: u32,
) -> u32 {
    let nearest = |flush| FloatMode { flush, ..FloatMode::default() };
    match (function, kind) {
        (AtomicFunction::Add, AtomicType::F32 { flush }) => single::add(before, operand, nearest(flush)),
        (AtomicFunction::Add, AtomicType::F16x2) => half::add2(before, operand, nearest(false)),
        (AtomicFunction::Add, _) => before.wrapping_add(operand),
        (AtomicFunction::Min, AtomicType::S32) => (before as i32).min(operand as i32) as u32,
        (AtomicFunction::Min, _) => before.min(operand),
        (AtomicFunction::Max, AtomicType::S32) => (before as i32).max(operand as i32) as u32,
        (AtomicFunction::Max, _) => before.max(operand),
        (AtomicFunction::And, _) => before & operand,
        (AtomicFunction::Or, _) => before | operand,
        (AtomicFunction::Xor, _) => before ^ operand,
        (AtomicFunction::Exchange, _) => operand,
        (AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest, _) => {
            if before == operand {
                swap
            } else {
                before
            }
        }
        (AtomicFunction::Increment, _) => {
            if before >= operand {
                0
            } else {
                before + 1
            }
        }
        (AtomicFunction::Decrement, _) => {
            if before == 0 || before > operand {
                operand
            } else {
                before - 1
            }
        }
    }
}

fn atomic_64(function: AtomicFunction, kind: AtomicType, before: u64, operand: u64, swap: u64) -> u64 {
    match (function, kind) {
        (AtomicFunction::Add, AtomicType::F64) => double::add(before, operand, Default::default()),
        (AtomicFunction::Add, _) => before.wrapping_add(operand),
        (AtomicFunction::Min, AtomicType::S64) => (before as i64).min(operand as i64) as u64,
        (AtomicFunction::Min, _) => before.min(operand),
        (AtomicFunction::Max, AtomicType::S64) => (before as i64).max(operand as i64) as u64,
        (AtomicFunction::Max, _) => before.max(operand),
        (AtomicFunction::And, _) => before & operand,
        (AtomicFunction::Or, _) => before | operand,
        (AtomicFunction::Xor, _) => before ^ operand,
        (AtomicFunction::Exchange, _) => operand,
        (AtomicFunction::CompareAndSwap | AtomicFunction::CompareAndSwapTest, _) => {
            if before == operand {
                swap
            } else {
                before
            }
        }
        (AtomicFunction::Increment, _) => {
            if before >= operand {
                0
            } else {
                before + 1
            }
        }
        (AtomicFunction::Decrement, _) => {
            if before == 0 || before > operand {
                operand
            } else {
                before - 1
            }
        }
    }
}

impl Touched {
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
        self.digest = None;
    }

    #[inline]
    fn push(&mut self, address: u64) {
        self.addresses[self.count] = address;
        self.count += 1;
    }
}

impl Fault {
    pub fn at(mut self, lane: usize) -> Fault {
        self.lane = Some(lane as u32);
        self
    }
}

impl Constants<'_> {
    fn load(&self, bank: u8, address: u64, width: Width) -> Result<u64, Fault> {
        let bytes = usize::from(width.bytes());
        let data = self.banks.get(usize::from(bank)).copied().unwrap_or_default();
        let start = usize::try_from(address).unwrap_or(usize::MAX);
        let found = start.checked_add(bytes).and_then(|end| data.get(start..end));
        let Some(found) = found else {
            return Err(Fault::new(format!(
                "constant c[{bank:#x}][{address:#x}] is out of bounds: the bank has {} bytes{}",
                data.len(),
                if data.is_empty() {
                    "; the listing may lack it: give the output of `nvdisasm -hex`, without -c"
                } else {
                    ""
                },
            )));
        };
        if start % bytes != 0 {
            return Err(Fault::new(format!("constant c[{bank:#x}][{address:#x}] is misaligned")));
        }
        let value = found.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Ok(match width {
            Width::S8 => value as i8 as u64,
            Width::S16 => value as i16 as u64,
            _ => value,
        })
    }

    #[inline]
    pub fn word(&self, bank: u8, offset: u64) -> Result<u32, Fault> {
        let data = self.banks[usize::from(bank)];
        match data.get(offset as usize..offset as usize + 4) {
            Some(bytes) => Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes"))),
            None => self.load(bank, offset, Width::B32).map(|value| value as u32),
        }
    }
}

/// A place in one of a block's memories; the lane and its address are for messages.
#[derive(Clone, Copy)]
pub(crate) struct Located {
    place: Placed,
    lane: u32,
}

#[derive(Clone, Copy)]
enum Placed {
    Global(u64),
    Shared(u64),
    /// Offset in the memory of the thread, and number of the thread in the block.
    Local(u64, u32),
}

impl BlockMemory<'_> {
    /// The space a generic address is in.
    #[inline]
    fn space_of(&self, address: u64) -> Space {
        if address.wrapping_sub(self.shared_window) < WINDOW_BYTES {
            Space::Shared
        } else if address.wrapping_sub(self.local_window) < WINDOW_BYTES {
            Space::Local
        } else {
            Space::Global
        }
    }

    #[inline]
    pub fn place(&self, space: Space, address: u64, number: u32, lane: usize) -> Located {
        let thread = number * LANES as u32 + lane as u32;
        let place = match space {
            Space::Global => Placed::Global(address),
            Space::Shared => Placed::Shared(address),
            Space::Local => Placed::Local(address, thread),
            Space::Generic => match self.space_of(address) {
                Space::Shared => Placed::Shared(address - self.shared_window),
                Space::Local => Placed::Local(address - self.local_window, thread),
                _ => Placed::Global(address),
            },
        };
        Located { place, lane: lane as u32 }
    }

    /// The address as a trace has it. Local memory lies as hardware interleaves it: word by word, the
    /// words of a warp's lanes side by side.
    #[inline]
    fn traced(&self, located: Located, address: u64) -> u64 {
        match located.place {
            Placed::Local(offset, thread) => {
                let (warp, lane) = (u64::from(thread) / LANES as u64, u64::from(thread) % LANES as u64);
                let interleaved = (offset / 4) * 4 * LANES as u64 + lane * 4 + offset % 4;
                self.local_window + (warp * self.local_bytes * LANES as u64 + interleaved) % WINDOW_BYTES
            }
            _ => address,
        }
    }

    #[inline]
    pub fn read<const N: usize>(&self, located: Located) -> Result<[u8; N], Fault> {
        let read = match located.place {
            Placed::Global(address) => self.global.read(address),
            Placed::Shared(address) => read(&self.shared, address),
            Placed::Local(offset, thread) => read(&self.local[self.local_range(thread)], offset),
        };
        read.map_err(|error| self.fault(located, "load", N, error))
    }

    #[inline]
    fn write<const N: usize>(&mut self, located: Located, value: [u8; N]) -> Result<(), Fault> {
        let written = match located.place {
            Placed::Global(address) => self.global.write(address, value),
            Placed::Shared(address) => write(&mut self.shared, address, value),
            Placed::Local(offset, thread) => {
                let range = self.local_range(thread);
                write(&mut self.local[range], offset, value)
            }
        };
        written.map_err(|error| self.fault(located, "store", N, error))
    }

    /// Where the memory of a thread lies in that of all.
    fn local_range(&self, thread: u32) -> std::ops::Range<usize> {
        let start = u64::from(thread) * self.local_bytes;
        start as usize..(start + self.local_bytes) as usize
    }
}

impl BlockMemory<'_> {
    #[cold]
    fn fault(&self, located: Located, what: &str, bytes: usize, error: AccessError) -> Fault {
        let (space, address) = match located.place {
            Placed::Global(address) => ("global", address),
            Placed::Shared(address) => ("shared", address),
            Placed::Local(offset, _) => ("local", offset),
        };
        let nearest = match (located.place, error) {
            (Placed::Global(address), AccessError::OutOfBounds) => {
                format!(": {}", self.global.surroundings(address, bytes))
            }
            (Placed::Shared(_), AccessError::OutOfBounds) => {
                format!(": the block has {} bytes", self.shared.len())
            }
            (Placed::Local(..), AccessError::OutOfBounds) => {
                format!(": the thread has {} bytes of stack", self.local_bytes)
            }
            _ => String::new(),
        };
        Fault {
            message: format!("{what} of {bytes} bytes at {space} address {address:#x} is {error}{nearest}"),
            lane: Some(located.lane),
        }
    }
}

#[inline]
fn read<const N: usize>(memory: &[u8], address: u64) -> Result<[u8; N], AccessError> {
    if address % N as u64 != 0 {
        return Err(AccessError::Misaligned);
    }
    let start = usize::try_from(address).map_err(|_| AccessError::OutOfBounds)?;
    let bytes =
        start.checked_add(N).and_then(|end| memory.get(start..end)).ok_or(AccessError::OutOfBounds)?;
    Ok(bytes.try_into().expect("as many bytes as asked for"))
}

#[inline]
fn write<const N: usize>(memory: &mut [u8], address: u64, value: [u8; N]) -> Result<(), AccessError> {
    if address % N as u64 != 0 {
        return Err(AccessError::Misaligned);
    }
    let start = usize::try_from(address).map_err(|_| AccessError::OutOfBounds)?;
    let place =
        start.checked_add(N).and_then(|end| memory.get_mut(start..end)).ok_or(AccessError::OutOfBounds)?;
    place.copy_from_slice(&value);
    Ok(())
}
