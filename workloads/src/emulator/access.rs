// SPDX-License-Identifier: Apache-2.0
//! Instructions that touch memory, by one group of lanes.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::arithmetic::matrix::transpose_88;
use super::atomic::{atomic_32, atomic_64};
use super::block_memory::{BlockMemory, Located};
use super::constants::Constants;
use super::fault::Fault;
use super::operation::*;
use super::warp::{lanes_of, Warp};

/// Addresses that an access touched, one per executing lane, lowest lane first.
#[derive(Default)]
pub(crate) struct Touched {
    pub addresses: [u64; LANES],
    pub count: usize,
    /// The digest of the values that a load from shared memory gave its lanes, where that is wanted.
    pub digest: Option<u64>,
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

impl Warp {
    /// The address of each lane.
    fn addresses(&self, address: &AddressSum, into: &mut [u64; LANES]) {
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
                memory.reads.note(addresses[mask.trailing_zeros() as usize]);
                let rows = self.rows(*destination);
                let places = lanes_of(mask).map(|lane| {
                    let place = memory.place(*space, addresses[lane], number, lane);
                    touched.push(memory.traced(place, addresses[lane]));
                    (lane, place)
                });
                let row = &mut self.registers[rows[0]];
                match width {
                    Width::U8 => {
                        for (lane, place) in places {
                            row[lane] = u32::from(u8::from_le_bytes(*memory.read(place)?));
                        }
                    }
                    Width::S8 => {
                        for (lane, place) in places {
                            row[lane] = i8::from_le_bytes(*memory.read(place)?) as u32;
                        }
                    }
                    Width::U16 => {
                        for (lane, place) in places {
                            row[lane] = u32::from(u16::from_le_bytes(*memory.read(place)?));
                        }
                    }
                    Width::S16 => {
                        for (lane, place) in places {
                            row[lane] = i16::from_le_bytes(*memory.read(place)?) as u32;
                        }
                    }
                    Width::B32 => {
                        for (lane, place) in places {
                            row[lane] = u32::from_le_bytes(*memory.read(place)?);
                        }
                    }
                    Width::B64 => {
                        for (lane, place) in places {
                            self.load_words(memory.read::<8>(place)?, &rows, lane);
                        }
                    }
                    Width::B128 => {
                        for (lane, place) in places {
                            self.load_words(memory.read::<16>(place)?, &rows, lane);
                        }
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
                memory.reads.note(addresses[mask.trailing_zeros() as usize]);
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
                    let before = u32::from_le_bytes(*memory.read(place)?);
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

    /// Equal for equal values in the lanes of `mask`.
    fn digest(&self, rows: &[usize], mask: u32) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u32(mask);
        let words = rows.iter().flat_map(|&row| lanes_of(mask).map(move |lane| self.registers[row][lane]));
        words.for_each(|word| hasher.write_u32(word));
        hasher.finish()
    }

    /// The rows of an operand of up to four registers. RZ's takes the place of all of them.
    #[inline]
    pub fn rows(&self, first: u16) -> [usize; 4] {
        let first = usize::from(first);
        let special = first >= self.registers.len() - 2;
        std::array::from_fn(|i| if special { first } else { first + i })
    }

    #[inline]
    pub fn load_words<const N: usize>(&mut self, bytes: &[u8; N], rows: &[usize; 4], lane: usize) {
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
            let mut matrix = [0; LANES];
            for (j, row) in matrix.chunks_exact_mut(4).enumerate() {
                let lane = 8 * i + j;
                let place = memory.place(Space::Shared, addresses[lane], number, lane);
                let bytes = memory.read::<16>(place)?;
                for (word, bytes) in row.iter_mut().zip(bytes.chunks_exact(4)) {
                    *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
                }
            }
            if transposed {
                matrix = transpose_88(&matrix);
            }
            self.store(destinations[i] as u16, mask, &matrix);
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
            let before = u64::from_le_bytes(*memory.read(place)?);
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
            let before = u32::from_le_bytes(*memory.read(place)?);
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
}
