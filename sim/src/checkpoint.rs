// SPDX-License-Identifier: Apache-2.0
//! The state of a run, to be taken up again.
//!
//! Whole values go as `borsh` writes them. What holds more than values (engines, listeners, the stream of a
//! kernel) is restored in place: it is made as for a new run, and its values are then replaced by those that
//! were saved. The format is that of one build of the program; nothing in it says what it means.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read, Write};
use std::ops::Deref;

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;
use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{packed, unpack, Ports};

/// State that is restored in place.
pub(crate) trait Checkpoint {
    /// Appends the state.
    fn save(&self, state: &mut Vec<u8>) -> io::Result<()>;
    /// Takes over what was saved of a part that was made alike, from the front of `state`.
    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()>;
}

impl<T: Checkpoint> Checkpoint for Option<T> {
    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        self.iter().try_for_each(|part| part.save(state))
    }

    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        self.iter_mut().try_for_each(|part| part.restore(state))
    }
}

impl<T: Checkpoint, const N: usize> Checkpoint for [T; N] {
    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        self.iter().try_for_each(|part| part.save(state))
    }

    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        self.iter_mut().try_for_each(|part| part.restore(state))
    }
}

impl<T: Checkpoint> Checkpoint for Vec<T> {
    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        self.iter().try_for_each(|part| part.save(state))
    }

    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        self.iter_mut().try_for_each(|part| part.restore(state))
    }
}

/// How a struct is restored in place: its `values` as they were written, `ports` of blocks packed, its
/// `engines` and other `parts` each by itself. What is `fixed` stays as it was made. Every field is named, so
/// that none is forgotten.
macro_rules! checkpoint {
    ([$($generics:tt)*] $name:ty {
        $(values: $($value:ident)*;)?
        $(ports: $($ports:ident)*;)?
        $(engines: $($engine:ident)*;)?
        $(parts: $($part:ident)*;)?
        $(fixed: $($fixed:ident)*;)?
    }) => {
        impl $($generics)* $crate::checkpoint::Checkpoint for $name {
            fn save(&self, state: &mut Vec<u8>) -> std::io::Result<()> {
                let Self {
                    $($($value,)*)? $($($ports,)*)? $($($engine,)*)? $($($part,)*)? $($($fixed: _,)*)?
                } = self;
                $($(borsh::BorshSerialize::serialize($value, state)?;)*)?
                $($(borsh::BorshSerialize::serialize(&gpurf_blocks::packed($ports), state)?;)*)?
                $($(gpurf_blocks::Clocked::save($engine, state)?;)*)?
                $($($crate::checkpoint::Checkpoint::save($part, state)?;)*)?
                Ok(())
            }

            fn restore(&mut self, state: &mut &[u8]) -> std::io::Result<()> {
                let Self {
                    $($($value,)*)? $($($ports,)*)? $($($engine,)*)? $($($part,)*)? $($($fixed: _,)*)?
                } = self;
                $($(*$value = borsh::BorshDeserialize::deserialize(state)?;)*)?
                $($(*$ports = $crate::checkpoint::ports(state)?;)*)?
                $($(gpurf_blocks::Clocked::restore($engine, state)?;)*)?
                $($($crate::checkpoint::Checkpoint::restore($part, state)?;)*)?
                Ok(())
            }
        }
    };
}
pub(crate) use checkpoint;

/// How a model's values are those of its engine: the methods of [`gpurf_blocks::Clocked`].
macro_rules! model_state {
    () => {
        fn save(&self, state: &mut Vec<u8>) -> std::io::Result<()> {
            borsh::BorshSerialize::serialize(self, state)
        }

        fn restore(&mut self, state: &mut &[u8]) -> std::io::Result<()> {
            *self = borsh::BorshDeserialize::deserialize(state)?;
            Ok(())
        }
    };
}
pub(crate) use model_state;

/// Heaps with the least on top.
pub(crate) mod heap {
    use super::*;

    pub fn save<T: BorshSerialize + Ord>(
        heap: &BinaryHeap<Reverse<T>>,
        writer: &mut impl Write,
    ) -> io::Result<()> {
        let values: Vec<&T> = heap.iter().map(|Reverse(value)| value).collect();
        values.serialize(writer)
    }

    pub fn restore<T: BorshDeserialize + Ord>(reader: &mut impl Read) -> io::Result<BinaryHeap<Reverse<T>>> {
        let values = Vec::<T>::deserialize_reader(reader)?;
        Ok(values.into_iter().map(Reverse).collect())
    }
}

/// Lists that lie in place.
pub(crate) mod list {
    use super::*;

    pub fn save<T: BorshSerialize>(
        list: &impl Deref<Target = [T]>,
        writer: &mut impl Write,
    ) -> io::Result<()> {
        list.serialize(writer)
    }

    pub fn restore<T: BorshDeserialize, L: FromIterator<T>>(reader: &mut impl Read) -> io::Result<L> {
        Ok(Vec::<T>::deserialize_reader(reader)?.into_iter().collect())
    }
}

/// Flags in the words of ports.
pub(crate) mod flags {
    use super::*;

    pub fn save(flags: &BitVec<u32, Lsb0>, writer: &mut impl Write) -> io::Result<()> {
        (flags.len(), flags.as_raw_slice()).serialize(writer)
    }

    pub fn restore(reader: &mut impl Read) -> io::Result<BitVec<u32, Lsb0>> {
        let (length, words): (usize, Vec<u32>) = BorshDeserialize::deserialize_reader(reader)?;
        let mut flags = BitVec::from_vec(words);
        flags.truncate(length);
        Ok(flags)
    }
}

/// Ports of a block, from their packed words.
pub(crate) fn ports<P: Ports>(state: &mut &[u8]) -> io::Result<P> {
    let words = Vec::<u32>::deserialize(state)?;
    match words.len() == packed(&P::default()).len() {
        true => Ok(unpack(&words)),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}
