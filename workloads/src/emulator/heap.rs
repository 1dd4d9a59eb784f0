// SPDX-License-Identifier: Apache-2.0
//! Memory that kernels allocate themselves.

use std::collections::BTreeMap;

/// Memory that a kernel allocates itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    start: u64,
    bytes: u64,
    /// First address and bytes of what is in use.
    used: BTreeMap<u64, u64>,
}

/// Allocations begin at multiples of so many bytes.
const GRANULE: u64 = 16;

impl Heap {
    pub fn new(start: u64, bytes: u64) -> Heap {
        Heap { start, bytes, used: BTreeMap::new() }
    }

    /// The first gap that is large enough; 0 if there is none, or nothing is asked for.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let Some(size) = bytes.max(1).checked_next_multiple_of(GRANULE) else { return 0 };
        let mut begin = self.start;
        for (&start, &length) in &self.used {
            if start - begin >= size {
                break;
            }
            begin = start + length;
        }
        if self.start + self.bytes - begin < size {
            return 0;
        }
        self.used.insert(begin, size);
        begin
    }

    /// Returns true if there was such an allocation.
    pub fn free(&mut self, address: u64) -> bool {
        address == 0 || self.used.remove(&address).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_gives_takes_back_and_ends() {
        let mut heap = Heap::new(4096, 256);
        let [a, b, c] = [100, 0, 60].map(|bytes| heap.allocate(bytes));
        assert_eq!([a, b, c], [4096, 4096 + 112, 4096 + 128]);
        assert_eq!(heap.allocate(100), 0);
        assert!(heap.free(a) && !heap.free(a) && heap.free(0) && !heap.free(4100));
        assert_eq!(heap.allocate(112), a);
        assert_eq!(heap.allocate(u64::MAX), 0);
    }
}
