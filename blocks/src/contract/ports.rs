// SPDX-License-Identifier: Apache-2.0
//! Ports as data: names, widths and values of a module's plain structs.
//!
//! One walk over the fields ([`Ports::visit`], derived with the struct) serves everything that treats
//! ports alike: packing them for an emitted-Verilog engine, comparing two engines, waveforms.

use std::fmt;

use super::Data;

/// A port's name: the field, and the index within a field that is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PortName {
    /// Name of the port or of the array.
    pub field: &'static str,
    /// Place in the array, if it is one.
    pub index: Option<usize>,
}

impl fmt::Display for PortName {
    /// As in the emitted Verilog: `tag`, `tag_3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}_{index}", self.field),
            None => f.write_str(self.field),
        }
    }
}

/// The value of one port: `bool`, `u32` or [`Data`]. Words are little end first.
pub trait PortValue {
    /// Words of 32 bits that the value takes when packed.
    const WORDS: usize;

    /// Writes the value into its words.
    fn put(&self, words: &mut [u32]);
    /// Reads the value from its words.
    fn get(&mut self, words: &[u32]);
}

impl PortValue for bool {
    const WORDS: usize = 1;

    fn put(&self, words: &mut [u32]) {
        words[0] = *self as u32;
    }

    fn get(&mut self, words: &[u32]) {
        *self = words[0] & 1 == 1;
    }
}

impl<D: Data> PortValue for D {
    const WORDS: usize = D::WIDTH / 32;

    fn put(&self, words: &mut [u32]) {
        words.copy_from_slice(self.words());
    }

    fn get(&mut self, words: &[u32]) {
        self.words_mut().copy_from_slice(words);
    }
}

/// Called once for each port, in the order of declaration.
pub trait PortVisitor {
    /// Is called for one port, or for one element of an array of ports.
    fn value<V: PortValue>(&mut self, name: PortName, value: &mut V);

    /// Is called for a port that is no array.
    fn port<V: PortValue>(&mut self, field: &'static str, value: &mut V) {
        self.value(PortName { field, index: None }, value);
    }

    /// Is called for an array of ports.
    fn array<V: PortValue, const N: usize>(&mut self, field: &'static str, values: &mut [V; N]) {
        for (index, value) in values.iter_mut().enumerate() {
            self.value(PortName { field, index: Some(index) }, value);
        }
    }
}

/// The plain inputs or outputs of a module.
pub trait Ports: Clone + Copy + fmt::Debug + Default + PartialEq + Send + 'static {
    /// Shows all ports to the visitor, which may change them.
    fn visit(&mut self, visitor: &mut impl PortVisitor);
}

/// One port's place in the packed words of its struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name of the port.
    pub name: PortName,
    /// Where its words begin.
    pub first_word: usize,
    /// How many words it has.
    pub words: usize,
}

impl Field {
    /// Picks the field's words out of the struct's.
    pub fn of<'a>(&self, words: &'a [u32]) -> &'a [u32] {
        &words[self.first_word..][..self.words]
    }

    /// The same as a number: `0x1f`.
    pub fn hexadecimal(&self, words: &[u32]) -> String {
        let digits: String = self.of(words).iter().rev().map(|word| format!("{word:08x}")).collect();
        let digits = digits.trim_start_matches('0');
        format!("0x{}", if digits.is_empty() { "0" } else { digits })
    }
}

/// All ports of `P` in packed order, those past a module's own array lengths included.
pub fn layout<P: Ports>() -> Vec<Field> {
    struct Layout(Vec<Field>, usize);
    impl PortVisitor for Layout {
        fn value<V: PortValue>(&mut self, name: PortName, _: &mut V) {
            self.0.push(Field { name, first_word: self.1, words: V::WORDS });
            self.1 += V::WORDS;
        }
    }
    let mut layout = Layout(vec![], 0);
    P::default().visit(&mut layout);
    layout.0
}

/// Writes all ports into `words`, in the order of [`layout`].
pub fn pack<P: Ports>(ports: &P, words: &mut [u32]) {
    struct Pack<'a>(&'a mut [u32], usize);
    impl PortVisitor for Pack<'_> {
        fn value<V: PortValue>(&mut self, _: PortName, value: &mut V) {
            value.put(&mut self.0[self.1..self.1 + V::WORDS]);
            self.1 += V::WORDS;
        }
    }
    let mut ports = *ports;
    ports.visit(&mut Pack(words, 0));
}

/// The packed words of all ports.
pub fn packed<P: Ports>(ports: &P) -> Vec<u32> {
    let last = layout::<P>().pop();
    let mut words = vec![0; last.map_or(0, |field| field.first_word + field.words)];
    pack(ports, &mut words);
    words
}

/// Reads all ports back from `words`.
pub fn unpack<P: Ports>(words: &[u32]) -> P {
    struct Unpack<'a>(&'a [u32], usize);
    impl PortVisitor for Unpack<'_> {
        fn value<V: PortValue>(&mut self, _: PortName, value: &mut V) {
            value.get(&self.0[self.1..self.1 + V::WORDS]);
            self.1 += V::WORDS;
        }
    }
    let mut ports = P::default();
    ports.visit(&mut Unpack(words, 0));
    ports
}
