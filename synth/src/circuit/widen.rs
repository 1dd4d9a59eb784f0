// SPDX-License-Identifier: Apache-2.0
//! The state of a module whose data are 32 bits wide, in the same module with wider data.
//!
//! Where a module only moves its data, two of its builds do the same in their control, and each register or
//! memory of data has a word of the narrow one where the wide one has a value of `factor` times the width. So
//! the narrow one, whose cycles take a fraction of the time, runs to where the wide one is to begin.
//! Registers are found by their names.

use std::collections::BTreeMap;

use anyhow::{ensure, Context, Result};

use super::{Circuit, Gates};

/// Bits of a narrow word.
const WORD: usize = u32::BITS as usize;

/// How the state of one circuit becomes that of another.
pub struct StateWidening {
    /// Bits of a value over those of a word.
    factor: usize,
    /// Flip-flops of the wide circuit, each with where its state comes from.
    flip_flops: Vec<(usize, Origin)>,
    /// Latches of the wide circuit, each with one of the narrow circuit that is open when it is.
    latches: Vec<(usize, usize)>,
    /// The narrow circuit's memory for each of the wide one's; true if it holds data.
    memories: Vec<(usize, bool)>,
    /// Words of data registers, as flip-flops of the narrow circuit from the lowest bit on; where one has
    /// none, it is zero.
    words: Vec<[Option<(usize, bool)>; WORD]>,
}

/// A flip-flop, or a bit of a value.
enum Origin {
    Bit(usize),
    /// A bit of a value: the value, the bit; inverted or not.
    Value(usize, usize, bool),
}

/// A flip-flop of a register, by the name of what it drives.
struct FlipFlop {
    place: usize,
    register: String,
    bit: usize,
    /// Only its inverse goes anywhere.
    is_inverse: bool,
}

fn flip_flops(circuit: &Circuit) -> Result<Vec<FlipFlop>> {
    let places = (0..circuit.instances.len()).filter(|place| circuit.instances[*place].logic.holds());
    let found = places.map(|place| {
        let instance = &circuit.instances[place];
        let held = 1 << instance.logic.inputs.len();
        let nets = instance.logic.outputs.iter().filter_map(|(pin, table)| {
            let net = instance.pins[*pin]? as usize;
            Some((table >> held & 1 == 0, &circuit.wires[net]))
        });
        let mut names: Vec<(bool, &String)> = nets.filter(|(_, name)| !name.is_empty()).collect();
        names.sort_by_key(|(_, name)| super::json::is_made(name));
        let (is_inverse, name) =
            names.first().with_context(|| format!("{} drives nothing", instance.name))?;
        let indexed = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        let indexed = indexed.and_then(|(register, bit)| Some((register, bit.parse().ok()?)));
        let (register, bit) = indexed.unwrap_or((name, 0));
        Ok(FlipFlop { place, register: register.to_string(), bit, is_inverse: *is_inverse })
    });
    found.collect()
}

/// Bits of each register: what Yosys has left of them, up to the highest.
fn widths(flip_flops: &[FlipFlop]) -> BTreeMap<&str, usize> {
    let mut widths = BTreeMap::new();
    for FlipFlop { register, bit, .. } in flip_flops {
        let width = widths.entry(register.as_str()).or_insert(0);
        *width = (bit + 1).max(*width);
    }
    widths
}

impl StateWidening {
    /// From one circuit to another whose values have `factor` times the bits.
    ///
    /// # Errors
    /// If the wide circuit has a register or a memory that the narrow one has not.
    pub fn new(narrow: &Circuit, wide: &Circuit, factor: usize) -> Result<StateWidening> {
        let (of_narrow, of_wide) = (flip_flops(narrow)?, flip_flops(wide)?);
        let (narrow_widths, wide_widths) = (widths(&of_narrow), widths(&of_wide));
        let places: BTreeMap<(&str, usize), &FlipFlop> =
            of_narrow.iter().map(|it| ((it.register.as_str(), it.bit), it)).collect();
        let mut words = vec![];
        let mut first_words: BTreeMap<&str, usize> = BTreeMap::new();
        let mut found = vec![];
        for FlipFlop { place, register, bit, is_inverse } in &of_wide {
            let width = narrow_widths.get(register.as_str());
            let width = *width.with_context(|| format!("{}: no register {register}", narrow.top))?;
            let origin = if wide_widths[register.as_str()] == width {
                let from = places.get(&(register.as_str(), *bit));
                let from = from.with_context(|| format!("{}: no bit {bit} of {register}", narrow.top))?;
                ensure!(
                    from.is_inverse == *is_inverse,
                    "{register}[{bit}] is inverted in one of two netlists"
                );
                Origin::Bit(from.place)
            } else {
                ensure!(
                    width % WORD == 0,
                    "{register} has {width} bits, and {} in the wide netlist: neither control nor data",
                    wide_widths[register.as_str()]
                );
                let first = *first_words.entry(register).or_insert_with(|| {
                    let first = words.len();
                    words.extend((0..width / WORD).map(|word| {
                        std::array::from_fn(|bit| {
                            let from = places.get(&(register.as_str(), WORD * word + bit))?;
                            Some((from.place, from.is_inverse))
                        })
                    }));
                    first
                });
                let value = WORD * factor;
                ensure!(bit / value < width / WORD, "{register} has more values than words");
                Origin::Value(first + bit / value, bit % value, *is_inverse)
            };
            found.push((*place, origin));
        }
        let mut latches = vec![];
        for (place, origin) in &found {
            if wide.instances[*place].logic.is_latch {
                let from = match origin {
                    Origin::Bit(from) => *from,
                    Origin::Value(word, ..) => {
                        let known = words[*word].iter().flatten().next().map(|(from, _)| *from);
                        known.with_context(|| format!("{}: no latch like it", wide.instances[*place].name))?
                    }
                };
                ensure!(
                    narrow.instances[from].logic.is_latch,
                    "{} is a latch in one of two netlists",
                    wide.instances[*place].name
                );
                latches.push((*place, from));
            }
        }
        let memories = wide.memories.iter().map(|memory| {
            let from = narrow.memories.iter().position(|other| other.name == memory.name);
            let from = from.with_context(|| format!("{}: no memory {}", narrow.top, memory.name))?;
            let (width, is_data) = (narrow.memories[from].width, narrow.memories[from].width != memory.width);
            ensure!(
                !is_data || width == WORD && memory.width == WORD * factor,
                "memory {} has words of {width} and {} bits",
                memory.name,
                memory.width
            );
            Ok((from, is_data))
        });
        let memories = memories.collect::<Result<_>>()?;
        Ok(StateWidening { factor, flip_flops: found, latches, memories, words })
    }

    /// The words of data that the narrow circuit has between two cycles.
    pub fn words(&self, narrow: &mut Gates) -> Vec<u32> {
        narrow.show_edge();
        let mut words: Vec<u32> = self.words.iter().map(|word| word_of(narrow, word)).collect();
        for (memory, _) in self.memories.iter().filter(|(_, is_data)| *is_data) {
            words.extend(narrow.words[*memory].chunks(WORD).map(packed));
            let reads = narrow.circuit.memories[*memory].reads.iter().filter(|read| read.clocked);
            words.extend(reads.map(|read| packed(&levels(narrow, &read.data))));
        }
        words
    }

    /// The state of each flip-flop of the wide circuit between two cycles, if it does as the narrow one.
    fn states<'a>(
        &'a self,
        narrow: &'a Gates,
        value: &dyn Fn(u32) -> Vec<u32>,
    ) -> impl Iterator<Item = (usize, bool)> + 'a {
        let values: Vec<Vec<u32>> = self.words.iter().map(|word| value(word_of(narrow, word))).collect();
        self.flip_flops.iter().map(move |(place, origin)| match origin {
            Origin::Bit(from) => (*place, narrow.state(*from)),
            Origin::Value(number, bit, is_inverse) => (*place, is_set(&values[*number], *bit) != *is_inverse),
        })
    }

    /// A register of the wide circuit whose state between two cycles is not that of the narrow one.
    pub fn difference<'a>(
        &self,
        narrow: &mut Gates,
        wide: &mut Gates<'a>,
        value: &dyn Fn(u32) -> Vec<u32>,
    ) -> Option<&'a str> {
        narrow.show_edge();
        wide.show_edge();
        let (place, _) = self.states(narrow, value).find(|(place, state)| wide.state(*place) != *state)?;
        Some(&wide.circuit.instances[place].name)
    }

    /// Puts the state that a narrow circuit has between two cycles into the wide one; `value` gives the words
    /// of the value that a word stands for. What the wide one does is counted from there on.
    pub fn take_over(&self, narrow: &mut Gates, wide: &mut Gates, value: &dyn Fn(u32) -> Vec<u32>) {
        narrow.show_edge();
        self.states(narrow, value).for_each(|(place, state)| wide.set_state(place, state));
        let open = self.latches.iter().filter(|(_, from)| narrow.is_transparent(*from));
        wide.set_transparent(open.map(|(place, _)| *place));
        wide.pause();
        for (place, (from, is_data)) in self.memories.iter().enumerate() {
            let widened = |word: &[u8]| -> Vec<u8> {
                if !is_data {
                    return word.to_vec();
                }
                let words = value(packed(word));
                (0..WORD * self.factor).map(|bit| u8::from(is_set(&words, bit))).collect()
            };
            let width = narrow.circuit.memories[*from].width;
            wide.words[place] = narrow.words[*from].chunks(width).flat_map(widened).collect();
            let (reads, shown) = (&wide.circuit.memories[place].reads, &narrow.circuit.memories[*from].reads);
            for (read, shown) in reads.iter().zip(shown).filter(|(read, _)| read.clocked) {
                for (net, level) in read.data.iter().zip(widened(&levels(narrow, &shown.data))) {
                    wide.show_word(*net, level);
                }
            }
        }
        wide.evaluate_all();
        wide.begin();
    }
}

fn is_set(words: &[u32], bit: usize) -> bool {
    words[bit / WORD] >> (bit % WORD) & 1 == 1
}

fn word_of(narrow: &Gates, word: &[Option<(usize, bool)>; WORD]) -> u32 {
    let bits = word.iter().enumerate();
    bits.filter_map(|(bit, from)| {
        from.map(|(place, is_inverse)| u32::from(narrow.state(place) != is_inverse) << bit)
    })
    .fold(0, |word, bit| word | bit)
}

fn levels(gates: &Gates, nets: &[super::Net]) -> Vec<u8> {
    nets.iter().map(|net| gates.values[*net as usize]).collect()
}

fn packed(bits: &[u8]) -> u32 {
    bits.iter().enumerate().fold(0, |word, (bit, level)| word | u32::from(*level) << bit)
}
