//! Dynamic instructions: what the warps of a thread block executed.

/// One execution of an instruction by a warp: 20 bytes, copied freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynamicInstruction {
    /// Index into the kernel's [`Program`](crate::Program).
    pub static_index: u32,
    /// Bit i: lane i is active and its guard predicate holds. 0 for an instruction the warp
    /// issued without effect.
    pub mask: u32,
    address_start: u32,
    /// Its addresses, and [`DIGESTED`] if a digest lies behind them.
    address_count: u8,
    /// Bit i: the next read of the i-th source register is near. Zero until annotated.
    pub near_sources: u16,
    /// Bit i: the next read of the i-th destination register is near. Zero until annotated.
    pub near_destinations: u16,
}

/// Set in an instruction's number of addresses, which is at most 32: a digest follows them in the pool.
const DIGESTED: u8 = 1 << 7;

/// A warp's instructions in program order, up to and with its last `EXIT`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warp {
    /// Number of the warp inside its thread block.
    pub id: u32,
    /// Instructions that it executes, in order.
    pub instructions: Vec<DynamicInstruction>,
}

/// A thread block: the warps the trace has for it, which may be fewer than were launched, each with
/// the instructions the trace has for it, which may be none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadBlock {
    /// Position in the grid: x, y, z.
    pub id: [u32; 3],
    /// Its warps that have any instruction, by rising number.
    pub warps: Vec<Warp>,
    addresses: Vec<u64>,
}

impl ThreadBlock {
    /// A thread block without warps.
    pub fn new(id: [u32; 3]) -> ThreadBlock {
        ThreadBlock { id, ..ThreadBlock::default() }
    }

    /// Starts a warp; what is pushed from now on is its.
    pub fn begin_warp(&mut self, id: u32) {
        self.warps.push(Warp { id, instructions: Vec::new() });
    }

    /// Adds an instruction to the warp begun last. `addresses` holds one byte address per active
    /// lane, lowest lane first, for an instruction of non-zero width, and is empty for any other.
    ///
    /// # Panics
    /// If no warp was begun, or if there are addresses but not one per active lane.
    pub fn push(&mut self, static_index: u32, mask: u32, addresses: &[u64]) {
        assert!(
            addresses.is_empty() || addresses.len() == mask.count_ones() as usize,
            "an instruction carries one address per active lane"
        );
        let start = self.addresses.len();
        self.addresses.extend_from_slice(addresses);
        let instruction = self.seal(static_index, mask, start);
        let warp = self.warps.last_mut().expect("begin a warp first");
        warp.instructions.push(instruction);
    }

    /// As [`ThreadBlock::push`], for a load of which the values are known: `digest` is equal for equal
    /// values in equal lanes.
    pub fn push_digested(&mut self, static_index: u32, mask: u32, addresses: &[u64], digest: u64) {
        self.push(static_index, mask, addresses);
        self.addresses.push(digest);
        let warp = self.warps.last_mut().expect("just pushed to");
        warp.instructions.last_mut().expect("just pushed").address_count |= DIGESTED;
    }

    /// The byte addresses of an instruction of this block, one per active lane, lowest lane first.
    pub fn addresses(&self, instruction: &DynamicInstruction) -> &[u64] {
        let start = instruction.address_start as usize;
        &self.addresses[start..start + usize::from(instruction.address_count & !DIGESTED)]
    }

    /// The digest of what an instruction of this block loaded, if the stream tells.
    pub fn digest(&self, instruction: &DynamicInstruction) -> Option<u64> {
        let count = usize::from(instruction.address_count & !DIGESTED);
        let digested = instruction.address_count & DIGESTED != 0;
        digested.then(|| self.addresses[instruction.address_start as usize + count])
    }

    /// Instructions of all warps.
    pub fn instruction_count(&self) -> u64 {
        let counts = self.warps.iter().map(|warp| warp.instructions.len() as u64);
        counts.sum()
    }

    /// Memory that the block takes, in bytes.
    pub fn bytes(&self) -> usize {
        let warps = self.warps.iter().map(|warp| size_of_val(&warp.instructions[..]));
        warps.sum::<usize>() + size_of_val(&self.addresses[..])
    }

    /// The address pool, to append the addresses of the next instruction to.
    pub(crate) fn pool(&mut self) -> &mut Vec<u64> {
        &mut self.addresses
    }

    /// An instruction whose addresses are those in the pool from `start` on.
    pub(crate) fn seal(&self, static_index: u32, mask: u32, start: usize) -> DynamicInstruction {
        DynamicInstruction {
            static_index,
            mask,
            address_start: u32::try_from(start).expect("a thread block holds under 2^32 addresses"),
            address_count: (self.addresses.len() - start) as u8,
            near_sources: 0,
            near_destinations: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_with_their_instruction() {
        let mut block = ThreadBlock::new([1, 2, 3]);
        block.begin_warp(0);
        block.push(0, 0b101, &[16, 24]);
        block.push(1, u32::MAX, &[]);
        block.begin_warp(1);
        block.push(2, 0b1, &[8]);
        let [first, second] = block.warps[0].instructions[..] else {
            panic!("two instructions");
        };
        assert_eq!(block.addresses(&first), [16, 24]);
        assert_eq!(block.addresses(&second), []);
        assert_eq!(block.addresses(&block.warps[1].instructions[0]), [8]);
        assert_eq!(block.instruction_count(), 3);
        assert_eq!(size_of::<DynamicInstruction>(), 20);
    }

    #[test]
    fn a_digest_stays_with_its_load() {
        let mut block = ThreadBlock::new([0; 3]);
        block.begin_warp(0);
        block.push_digested(0, 0b101, &[16, 24], 77);
        block.push(1, 0b1, &[8]);
        let [load, other] = block.warps[0].instructions[..] else { panic!("two instructions") };
        assert_eq!((block.addresses(&load), block.digest(&load)), (&[16, 24][..], Some(77)));
        assert_eq!((block.addresses(&other), block.digest(&other)), (&[8][..], None));
    }
}
