// SPDX-License-Identifier: Apache-2.0
//! Device memory, and what a thread block sees of it.
//!
//! Blocks of a launch run in parallel and still give the same result on any number of threads:
//! each sees memory as it was at the launch, plus its own writes, which a [`View`] holds back. When
//! all blocks are done their writes are put into memory in the order of the blocks. A kernel whose
//! blocks talk to each other, through atomic operations on global memory, is run block after block
//! instead, each seeing what those before it wrote.
//!
//! Pages are shared until written, so that a snapshot costs a pointer per page.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::heap::Heap;

const PAGE: usize = 4096;
/// Where allocations start where nothing else is asked for.
pub(crate) const BASE: u64 = 0x7f20_0000_0000;
/// Alignment of allocations, and the least distance between two: an access past the end of one is
/// an error, not an access to the next.
const ALIGNMENT: u64 = 256;

type Page = [u8; PAGE];

/// Why an access is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessError {
    OutOfBounds,
    Misaligned,
}

/// Global memory: allocations and their content. Cloning is cheap.
#[derive(Clone, Debug)]
pub(crate) struct GlobalMemory {
    /// Where allocations start.
    base: u64,
    /// The end of the one made last, even if that was given back; 0: there was none.
    end: u64,
    /// First address, and the one after the last, in ascending order.
    allocations: Vec<(u64, u64)>,
    /// From the base on.
    pages: Vec<Arc<Page>>,
    /// The heap that kernels allocate from.
    heap: Arc<Heap>,
    /// Names of allocations by first address.
    names: BTreeMap<u64, Arc<str>>,
    /// Memory that was given back: first address, and the one after the last.
    freed: Arc<BTreeMap<u64, u64>>,
}

impl Default for GlobalMemory {
    fn default() -> GlobalMemory {
        GlobalMemory::from(BASE)
    }
}

impl GlobalMemory {
    /// Memory whose addresses start at a multiple of the size of a page.
    pub fn from(base: u64) -> GlobalMemory {
        GlobalMemory {
            base,
            end: 0,
            allocations: vec![],
            pages: vec![],
            heap: Arc::default(),
            names: BTreeMap::new(),
            freed: Arc::default(),
        }
    }

    /// Zeroed memory with so many bytes of margin, a multiple of the alignment, on both sides.
    pub fn allocate_between(&mut self, margin: u64, bytes: u64) -> u64 {
        self.allocate(bytes + 2 * margin) + margin
    }

    pub fn name(&mut self, address: u64, name: &str) {
        self.names.insert(address, name.into());
    }

    /// Where an address lies: in which allocation, or near which.
    pub fn surroundings(&self, address: u64, bytes: usize) -> String {
        let after = self.allocations.partition_point(|(start, _)| *start <= address);
        let before = after.checked_sub(1).map(|index| self.allocations[index]);
        let next = self.allocations.get(after).copied();
        let named = |start: u64, end: u64| match self.names.range(start..end).next() {
            Some((_, name)) => format!("buffer {name}"),
            None => format!("the allocation at {start:#x}"),
        };
        if let Some((start, end)) = before.filter(|(_, end)| address.saturating_add(bytes as u64) <= *end) {
            return format!("byte {} of {}", address - start, named(start, end));
        }
        if let Some((start, _)) = self.freed.range(..=address).next_back().filter(|(_, end)| address < **end)
        {
            return format!("byte {} of the allocation at {start:#x}, which was freed", address - start);
        }
        let behind = before.map(|(_, end)| address.saturating_add(bytes as u64).saturating_sub(end));
        let ahead = next.map(|(start, _)| start - address);
        let (place, distance, side) = match (behind, ahead) {
            (Some(behind), Some(ahead)) if ahead < behind => (next, ahead, "before"),
            (Some(behind), _) => (before, behind, "past the end of"),
            (None, Some(ahead)) => (next, ahead, "before"),
            (None, None) => return "nothing is allocated".into(),
        };
        let (start, end) = place.unwrap_or_default();
        let what = named(start, end);
        let unit = if distance == 1 { "byte" } else { "bytes" };
        format!("{distance} {unit} {side} {what}, which has {} bytes", end - start)
    }

    /// Zeroed memory.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let start = match self.end {
            0 => self.base,
            end => (end + ALIGNMENT).next_multiple_of(ALIGNMENT),
        };
        let end = start + bytes;
        self.end = end;
        self.allocations.push((start, end));
        let pages = (end - self.base).div_ceil(PAGE as u64) as usize;
        let zero = Arc::new([0; PAGE]);
        self.pages.resize_with(pages.max(self.pages.len()), || Arc::clone(&zero));
        start
    }

    /// Takes the allocation at this address back. Its addresses are not used again. False if there is none.
    pub fn free(&mut self, address: u64) -> bool {
        let Ok(index) = self.allocations.binary_search_by_key(&address, |(start, _)| *start) else {
            return false;
        };
        let (start, end) = self.allocations.remove(index);
        Arc::make_mut(&mut self.freed).insert(start, end);
        // The pages that nothing else lies in.
        let (first, last) = ((start - self.base).div_ceil(PAGE as u64), (end - self.base) / PAGE as u64);
        let zero = Arc::new([0; PAGE]);
        (first..last).for_each(|page| self.pages[page as usize] = Arc::clone(&zero));
        true
    }

    /// Copies in what differs from what is there, page by page: those that do, as address and bytes.
    pub fn update(&mut self, address: u64, from: &[u8]) -> Result<Vec<(u64, usize)>, AccessError> {
        if !self.holds(address, from.len()) {
            return Err(AccessError::OutOfBounds);
        }
        let mut written = vec![];
        for (page, place, part) in pieces(address - self.base, from.len()) {
            let from = &from[part.clone()];
            if self.pages[page][place..place + from.len()] != *from {
                Arc::make_mut(&mut self.pages[page])[place..place + from.len()].copy_from_slice(from);
                written.push((address + part.start as u64, from.len()));
            }
        }
        Ok(written)
    }

    /// Gives kernels so many bytes to allocate of.
    pub fn add_heap(&mut self, bytes: u64) {
        self.heap = Arc::new(Heap::new(self.allocate(bytes), bytes));
    }

    /// Returns true if all of these bytes lie in one allocation.
    pub fn holds(&self, address: u64, bytes: usize) -> bool {
        let after = self.allocations.partition_point(|(start, _)| *start <= address);
        let end = after.checked_sub(1).map_or(0, |index| self.allocations[index].1);
        address.checked_add(bytes as u64).is_some_and(|last| last <= end)
    }

    fn check(&self, address: u64, bytes: usize) -> Result<(), AccessError> {
        if address % bytes as u64 != 0 {
            return Err(AccessError::Misaligned);
        }
        if !self.holds(address, bytes) {
            return Err(AccessError::OutOfBounds);
        }
        Ok(())
    }

    /// Copies out; the place need not be aligned.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), AccessError> {
        if !self.holds(address, into.len()) {
            return Err(AccessError::OutOfBounds);
        }
        for (page, place, part) in pieces(address - self.base, into.len()) {
            into[part.clone()].copy_from_slice(&self.pages[page][place..place + part.len()]);
        }
        Ok(())
    }

    /// Copies in; the place need not be aligned.
    pub fn write(&mut self, address: u64, from: &[u8]) -> Result<(), AccessError> {
        if !self.holds(address, from.len()) {
            return Err(AccessError::OutOfBounds);
        }
        for (page, place, part) in pieces(address - self.base, from.len()) {
            Arc::make_mut(&mut self.pages[page])[place..place + part.len()].copy_from_slice(&from[part]);
        }
        Ok(())
    }

    /// The changes since `earlier`, which the memory was made of.
    pub fn changes_since(&self, earlier: &GlobalMemory) -> Changes {
        let pages = self.pages.iter().enumerate();
        let differs =
            |number: usize, page| !earlier.pages.get(number).is_some_and(|old| Arc::ptr_eq(old, page));
        let pages = pages.filter(|(number, page)| differs(*number, page));
        Changes {
            pages: pages.map(|(number, page)| (number, Arc::clone(page))).collect(),
            count: self.pages.len(),
            frame: GlobalMemory {
                base: self.base,
                end: self.end,
                allocations: self.allocations.clone(),
                pages: vec![],
                heap: Arc::clone(&self.heap),
                names: self.names.clone(),
                freed: Arc::clone(&self.freed),
            },
        }
    }

    /// Makes the changes to a memory with the content of that which they were found against.
    pub fn apply(&mut self, changes: &Changes) {
        let mut pages = std::mem::take(&mut self.pages);
        // Those that are new are all among the changes.
        pages.resize(changes.count, Arc::new([0; PAGE]));
        for (number, page) in &changes.pages {
            pages[*number] = Arc::clone(page);
        }
        *self = GlobalMemory { pages, ..changes.frame.clone() };
    }

    /// Puts what a block wrote into memory.
    pub fn commit(&mut self, writes: Writes) {
        if let Some(heap) = writes.heap {
            self.heap = Arc::new(heap);
        }
        for (number, page) in writes.pages {
            let target = Arc::make_mut(&mut self.pages[number as usize]);
            if page.written.iter().all(|&word| word == u64::MAX) {
                *target = page.bytes;
                continue;
            }
            for (index, &word) in page.written.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let place = index * 64 + rest.trailing_zeros() as usize;
                    target[place] = page.bytes[place];
                    rest &= rest - 1;
                }
            }
        }
    }
}

/// Changes that host and driver made to memory between two launches.
pub(crate) struct Changes {
    /// Pages that differ, by number, and how many there are in all.
    pages: Vec<(usize, Arc<Page>)>,
    count: usize,
    /// All but the pages.
    frame: GlobalMemory,
}

/// A range behind the base as pages: page, place in it, part of the range.
fn pieces(start: u64, bytes: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let offset = start as usize + done;
        let (page, place) = (offset / PAGE, offset % PAGE);
        let length = (PAGE - place).min(bytes - done);
        let part = done..done + length;
        done += length;
        (length > 0).then_some((page, place, part))
    })
}

/// The writes of a block.
#[derive(Default)]
pub(crate) struct Writes {
    /// By page number. Few pages, so that the order does not matter to the result.
    pages: FxHashMap<u32, Box<WrittenPage>>,
    /// The heap of a block that allocated or freed.
    heap: Option<Heap>,
}

impl Writes {
    /// Memory that they take, in bytes.
    pub fn bytes(&self) -> usize {
        self.pages.len() * size_of::<WrittenPage>()
    }
}

struct WrittenPage {
    /// As the block sees the page.
    bytes: Page,
    /// A bit per byte.
    written: [u64; PAGE / 64],
}

/// Global memory as a thread block sees it: as it was at the launch, plus its own writes.
pub(crate) struct View {
    memory: Arc<GlobalMemory>,
    writes: Writes,
    /// The allocation accessed last: most accesses go where the one before went.
    last: std::cell::Cell<(u64, u64)>,
}

impl View {
    pub fn new(memory: Arc<GlobalMemory>) -> View {
        View { memory, writes: Writes::default(), last: std::cell::Cell::new((0, 0)) }
    }

    /// As [`Memory::surroundings`].
    pub fn surroundings(&self, address: u64, bytes: usize) -> String {
        self.memory.surroundings(address, bytes)
    }

    /// The heap that the block allocates from.
    pub fn heap(&mut self) -> &mut Heap {
        self.writes.heap.get_or_insert_with(|| (*self.memory.heap).clone())
    }

    pub fn into_writes(self) -> Writes {
        self.writes
    }

    /// Goes on with other memory, without what was written so far, which it gives.
    pub fn exchange(&mut self, memory: Arc<GlobalMemory>) -> Writes {
        self.memory = memory;
        self.last.set((0, 0));
        std::mem::take(&mut self.writes)
    }

    #[inline]
    fn check(&self, address: u64, bytes: usize) -> Result<(), AccessError> {
        let (start, end) = self.last.get();
        let aligned = address & (bytes as u64 - 1) == 0;
        if aligned && address >= start && address.saturating_add(bytes as u64) <= end {
            return Ok(());
        }
        self.memory.check(address, bytes)?;
        let after = self.memory.allocations.partition_point(|(start, _)| *start <= address);
        self.last.set(self.memory.allocations[after - 1]);
        Ok(())
    }

    /// Reads `N` bytes, a power of two, aligned to their number.
    #[inline]
    pub fn read<const N: usize>(&self, address: u64) -> Result<&[u8; N], AccessError> {
        self.check(address, N)?;
        let offset = (address - self.memory.base) as usize;
        let (page, place) = (offset / PAGE, offset % PAGE);
        let mut bytes: &Page = &self.memory.pages[page];
        if !self.writes.pages.is_empty() {
            if let Some(written) = self.writes.pages.get(&(page as u32)) {
                bytes = &written.bytes;
            }
        }
        Ok(bytes[place..place + N].try_into().expect("aligned, so within a page"))
    }

    /// Writes `N` bytes, a power of two, aligned to their number.
    #[inline]
    pub fn write<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Result<(), AccessError> {
        self.check(address, N)?;
        let offset = (address - self.memory.base) as usize;
        let (page, place) = (offset / PAGE, offset % PAGE);
        let memory = &self.memory;
        let written =
            self.writes.pages.entry(page as u32).or_insert_with(|| {
                Box::new(WrittenPage { bytes: *memory.pages[page], written: [0; PAGE / 64] })
            });
        written.bytes[place..place + N].copy_from_slice(&value);
        // At most 16 bytes, aligned to their number: within one word of bits.
        written.written[place / 64] |= ((1u64 << N) - 1) << (place % 64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_see_the_launch_and_themselves_and_the_later_block_wins() {
        let mut memory = GlobalMemory::default();
        let address = memory.allocate(10_000);
        memory.write(address + 4092, &[1; 8]).unwrap();
        let snapshot = memory.clone();
        let snapshot = Arc::new(snapshot);
        let mut first = View::new(Arc::clone(&snapshot));
        let mut second = View::new(Arc::clone(&snapshot));
        first.write(address + 4096, 7u32.to_le_bytes()).unwrap();
        second.write(address + 4096, [9u8]).unwrap();
        assert_eq!(*first.read::<4>(address + 4096).unwrap(), 7u32.to_le_bytes());
        assert_eq!(*second.read::<4>(address + 4096).unwrap(), [9, 1, 1, 1]);
        assert_eq!(*second.read::<4>(address + 4092).unwrap(), [1; 4]);
        memory.commit(first.into_writes());
        memory.commit(second.into_writes());
        let mut bytes = [0; 8];
        memory.read(address + 4092, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 1, 1, 1, 9, 0, 0, 0]);
    }

    #[test]
    fn changes_make_the_later_memory_of_the_earlier_one() {
        let mut memory = GlobalMemory::default();
        let first = memory.allocate(10_000);
        memory.write(first, &[1; 10_000]).unwrap();
        let earlier = memory.clone();
        memory.write(first + 5_000, &[2; 8]).unwrap();
        let second = memory.allocate(5_000);
        memory.write(second + 4_000, &[3; 8]).unwrap();
        memory.name(second, "second");
        let changes = memory.changes_since(&earlier);
        // Pages 0 and 2 are as they were: 2 has the end of the first allocation and the start of the second
        // one.
        assert_eq!(changes.pages.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 3]);
        // Another memory of the same content.
        let mut other = GlobalMemory::default();
        other.allocate(10_000);
        other.write(first, &[1; 10_000]).unwrap();
        other.apply(&changes);
        assert_eq!(format!("{other:?}"), format!("{memory:?}"));
        assert!(other.surroundings(second + 1, 1).contains("second"));
    }

    #[test]
    fn accesses_outside_an_allocation_or_misaligned_fail() {
        let mut memory = GlobalMemory::default();
        let first = memory.allocate(100);
        let second = memory.allocate(8);
        assert!(second >= first + 100 + 156);
        let mut view = View::new(Arc::new(memory.clone()));
        assert_eq!(*view.read::<4>(first + 96).unwrap(), [0; 4]);
        assert_eq!(view.read::<4>(first + 100), Err(AccessError::OutOfBounds));
        assert_eq!(view.read::<4>(first - 4), Err(AccessError::OutOfBounds));
        assert_eq!(view.read::<4>(0), Err(AccessError::OutOfBounds));
        assert_eq!(view.read::<4>(u64::MAX - 3), Err(AccessError::OutOfBounds));
        assert_eq!(view.read::<4>(first + 2), Err(AccessError::Misaligned));
        assert_eq!(view.read::<16>(second), Err(AccessError::OutOfBounds));
        assert_eq!(view.write::<8>(second + 8, [1; 8]), Err(AccessError::OutOfBounds));
        assert_eq!(view.write::<8>(second, [1; 8]), Ok(()));
        assert_eq!(*view.read::<8>(second).unwrap(), [1; 8]);
        assert!(memory.write(second + 4, &[0; 5]).is_err());
        // A failed access does not spoil the memory of the last good one.
        let view = View::new(Arc::new(memory));
        assert_eq!(*view.read::<8>(second).unwrap(), [0; 8]);
        assert_eq!(view.read::<4>(first + 100), Err(AccessError::OutOfBounds));
    }
}
