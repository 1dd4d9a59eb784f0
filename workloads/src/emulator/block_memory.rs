// SPDX-License-Identifier: Apache-2.0
//! The memories of a thread block, and the places that addresses stand for in them.

use arrayvec::ArrayVec;

use super::fault::Fault;
use super::memory::{AccessError, View};
use super::operation::{Space, LANES};
use crate::error::Cause;
use crate::texture::Texture;

/// Memory of a thread block, except for its registers.
pub(crate) struct BlockMemory<'a> {
    pub global: View,
    /// Something in memory is not what it was.
    pub changed: bool,
    pub reads: Reads,
    pub shared: Vec<u8>,
    /// The local memory of all threads, one after the other.
    pub local: Vec<u8>,
    /// Bytes of it per thread.
    pub local_bytes: u64,
    /// Where shared memory appears among generic addresses, and local memory.
    pub shared_window: u64,
    pub local_window: u64,
    /// Text that threads printed.
    pub printed: String,
    pub textures: &'a [Texture],
    /// Loads from shared memory are given digests.
    pub digests: bool,
}

/// Bytes of a window among generic addresses.
pub(crate) const WINDOW_BYTES: u64 = 1 << 24;

/// Addresses that loads and atomic operations read, that of the first lane of each.
#[derive(Default)]
pub(crate) struct Reads {
    /// Each once, as far as there is room.
    addresses: ArrayVec<u64, 64>,
    /// There was no room for all.
    many: bool,
    pub last: u64,
}

impl Reads {
    #[inline]
    pub fn note(&mut self, address: u64) {
        self.last = address;
        if !self.many && !self.addresses.contains(&address) {
            self.many = self.addresses.try_push(address).is_err();
        }
    }

    /// Forgets them, except for the last.
    pub fn clear(&mut self) {
        self.addresses.clear();
        self.many = false;
    }

    /// There are some, but no more than a wait needs.
    pub fn are_few(&self) -> bool {
        !self.many && !self.addresses.is_empty()
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
    pub fn space_of(&self, address: u64) -> Space {
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
    pub fn traced(&self, located: Located, address: u64) -> u64 {
        match located.place {
            Placed::Local(offset, thread) => {
                let (warp, lane) = (u64::from(thread) / LANES as u64, u64::from(thread) % LANES as u64);
                let interleaved = (offset / 4) * 4 * LANES as u64 + lane * 4 + offset % 4;
                self.local_window + (warp * self.local_bytes * LANES as u64 + interleaved) % WINDOW_BYTES
            }
            _ => address,
        }
    }

    /// Inlined, so that the way to the space is taken once for all lanes.
    #[inline(always)]
    pub fn read<const N: usize>(&self, located: Located) -> Result<&[u8; N], Fault> {
        let read = match located.place {
            Placed::Global(address) => self.global.read(address),
            Placed::Shared(address) => read(&self.shared, address),
            Placed::Local(offset, thread) => read(&self.local[self.local_range(thread)], offset),
        };
        read.map_err(|error| self.fault(located, "load", N, error))
    }

    #[inline]
    pub fn write<const N: usize>(&mut self, located: Located, value: [u8; N]) -> Result<(), Fault> {
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
                format!(
                    ": the block has {} bytes; `shared` in a launch file gives it more, which a listing of code alone \
                     needs",
                    self.shared.len()
                )
            }
            (Placed::Local(..), AccessError::OutOfBounds) => {
                format!(": the thread has {} bytes of stack; `stack` in a launch file or cudaDeviceSetLimit gives kernels that call functions more", self.local_bytes)
            }
            _ => String::new(),
        };
        let message = format!("{what} of {bytes} bytes at {space} address {address:#x} is {error}{nearest}");
        let cause = match (located.place, error) {
            (_, AccessError::Misaligned) => Cause::Alignment,
            (Placed::Global(_), AccessError::OutOfBounds) => Cause::Address,
            (_, AccessError::OutOfBounds) => Cause::Bounds,
        };
        Fault::new(message).at(located.lane as usize).of(cause)
    }
}

#[inline]
fn read<const N: usize>(memory: &[u8], address: u64) -> Result<&[u8; N], AccessError> {
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
