// SPDX-License-Identifier: Apache-2.0
//! A module's hardware as machine code: the RTL engine.
//!
//! It begins with the processes from which the Verilog is written: they are free of circles, and of all
//! modules at once they are one graph of values ([`nodes`]). The graph is cut into chunks ([`chunks`]), which
//! Cranelift makes into functions at run time ([`code`]): any module at any parameters, and no outside tool.
//! A cycle runs the chunks with a changed input, each after those that it needs. A chunk also computes the
//! next values of its registers, and the clock edge copies them.

mod chunks;
mod code;
mod design;
mod fault;
mod layout;
mod nodes;
mod storage;
mod tree;
mod values;
mod wide;

// State is read as bytes and as words.
const _: () = assert!(cfg!(target_endian = "little"), "values stand little end first");

use std::marker::PhantomData;
use std::sync::Arc;

use gpurf_blocks::{Clocked, PackedClocked, PortLayout, PortName, PortValue, PortVisitor, Ports};
use rust_hdl::prelude::Block;

use crate::EmitError;
use code::{Field, MachineCode};
use design::{ModuleTree, NamedScope, RegisterReset};
use storage::Stored;

pub use design::SignalRole;
pub use fault::Fault;

/// A module compiled for ports in their plain structs: engines are made from it. A copy is the same program.
pub struct Compiled<I, O> {
    program: Arc<Program>,
    ports: PhantomData<fn(I) -> O>,
}

impl<I, O> Clone for Compiled<I, O> {
    fn clone(&self) -> Self {
        Compiled { program: self.program.clone(), ports: PhantomData }
    }
}

/// Code, and all beside it that engines need.
struct Program {
    code: MachineCode,
    /// The level of the port `reset`.
    reset: Option<layout::StatePlace>,
    /// Registers that are cleared with the module, and the chunks that read each.
    cleared: Vec<layout::StatePlace>,
    memories: Vec<Stored>,
    /// The words of chunks that read an output of a memory.
    memory_readers: Vec<Vec<Vec<usize>>>,
    /// State after power-on.
    initial: Vec<u8>,
    words: usize,
    chunk_count: usize,
    observed: Vec<ObservedScope>,
}

/// A module of the tree, for those who look inside an engine.
#[derive(Clone, Debug)]
pub struct ObservedScope {
    /// Names of the instances around it, and its own: none of the top.
    pub path: Vec<String>,
    /// Name of the module in Verilog.
    pub module: String,
    /// The same without its parameters.
    pub block: String,
    /// In the order of declaration.
    pub signals: Vec<ObservedSignal>,
}

/// A signal inside an engine, by its name in Verilog.
#[derive(Clone, Debug)]
pub struct ObservedSignal {
    /// In its module.
    pub name: String,
    /// It is an array, if of one element only.
    pub is_array: bool,
    /// Bits of an element.
    pub width: usize,
    /// Port, wire or register.
    pub role: SignalRole,
    /// Names of its values, by number, if it holds an enum.
    pub states: Vec<String>,
    elements: Vec<layout::StatePlace>,
}

impl ObservedSignal {
    /// Elements of the array; one of a signal that is none.
    pub fn count(&self) -> usize {
        self.elements.len()
    }
}

impl<I: Ports, O: Ports> Compiled<I, O> {
    /// Compiles a module whose ports are these.
    ///
    /// # Errors
    /// If the module breaks a rule of the dialect, or holds what has no translation.
    pub fn new(module: &dyn Block) -> Result<Self, EmitError> {
        let program = Program::of(&ModuleTree::of(module, false)?, (fields::<I>(), fields::<O>()), None);
        Ok(Compiled { program: Arc::new(program), ports: PhantomData })
    }

    /// An engine after a cycle of reset.
    pub fn engine(&self) -> CompiledRtl<I, O> {
        let machine = Machine::new(&self.program);
        let mut engine = CompiledRtl { machine, outputs: Box::default(), ports: PhantomData };
        engine.reset(&I::default());
        engine
    }
}

/// A module compiled for packed words as its ports: engines are made from it. A copy is the same program.
#[derive(Clone)]
pub struct PackedCompiled {
    program: Arc<Program>,
    /// Words of the inputs and outputs.
    words: (usize, usize),
}

impl PackedCompiled {
    /// Compiles a module whose ports are these.
    ///
    /// # Errors
    /// If the module breaks a rule of the dialect, or holds what has no translation.
    pub fn new(module: &dyn Block, layout: &PortLayout) -> Result<Self, EmitError> {
        Self::of(module, layout, false, None)
    }

    /// The same for those who look inside: see [`PackedRtl::observe`].
    ///
    /// # Errors
    /// As [`PackedCompiled::new`].
    pub fn observed(module: &dyn Block, layout: &PortLayout) -> Result<Self, EmitError> {
        Self::of(module, layout, true, None)
    }

    /// Compiles a module wrong, for tests.
    ///
    /// # Errors
    /// As [`PackedCompiled::new`].
    pub fn faulty(module: &dyn Block, layout: &PortLayout, fault: Fault) -> Result<Self, EmitError> {
        Self::of(module, layout, false, Some(fault))
    }

    fn of(
        module: &dyn Block,
        layout: &PortLayout,
        is_observed: bool,
        fault: Option<Fault>,
    ) -> Result<Self, EmitError> {
        let ports = (packed_fields(&layout.inputs), packed_fields(&layout.outputs));
        let program = Program::of(&ModuleTree::of(module, is_observed)?, ports, fault);
        Ok(PackedCompiled { program: Arc::new(program), words: layout.words() })
    }

    /// All signals by module, parents before their parts, if they are observed; else nothing.
    pub fn scopes(&self) -> &[ObservedScope] {
        &self.program.observed
    }

    /// An engine after a cycle of reset.
    pub fn engine(&self) -> PackedRtl {
        let (inputs, outputs) = self.words;
        let machine = Machine::new(&self.program);
        let mut engine = PackedRtl { machine, inputs, outputs: vec![0; outputs].into() };
        engine.reset(&vec![0; inputs]);
        engine
    }
}

impl Program {
    /// The program of a design whose ports stand at these places.
    fn of(design: &ModuleTree, (of_inputs, of_outputs): (Fields, Fields), fault: Option<Fault>) -> Self {
        let find = |fields: &[(PortName, Field)], name: &str, index: Option<usize>| {
            let field = fields.iter().find(|(field, _)| field.field == name && field.index == index);
            field.map(|(_, field)| *field)
        };
        let inputs: Vec<_> =
            design.inputs.iter().map(|port| find(&of_inputs, &port.name, port.index)).collect();
        let outputs: Vec<_> =
            design.outputs.iter().map(|port| find(&of_outputs, &port.name, port.index)).collect();
        let code = code::compile(design, &inputs, &outputs, fault);
        let layout = &code.layout;
        let slot = |slot: &nodes::SlotId| layout.slots[*slot as usize];
        let mut initial = vec![0; layout.size];
        for (place, value) in &layout.constants {
            let value = value.to_bytes_le();
            initial[place.offset..place.offset + value.len()].copy_from_slice(&value);
        }
        for (offset, values) in &layout.table_values {
            for (place, value) in values.iter().enumerate() {
                let at = offset + 8 * place;
                initial[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
        }
        let cleared = design.registers.iter().filter(|register| register.reset == RegisterReset::Common);
        let memories = design.memories.iter().zip(&layout.latches).zip(&layout.rows);
        let memories = memories.map(|((memory, latches), rows)| Stored {
            kind: memory.kind.clone(),
            inputs: latches.clone(),
            outputs: memory.outputs.iter().map(slot).collect(),
            rows: *rows,
        });
        let memory_readers = design.memories.iter().map(|memory| {
            let readers = memory.outputs.iter().map(|output| layout.readers[*output as usize].clone());
            readers.collect()
        });
        let chunk_count = code.chunks.len();
        let observed = design.scopes.iter().map(|scope| ObservedScope::of(scope, layout)).collect();
        Program {
            reset: design.reset.as_ref().map(slot),
            cleared: cleared.map(|register| slot(&register.q)).collect(),
            memories: memories.collect(),
            memory_readers: memory_readers.collect(),
            initial,
            words: chunk_count.div_ceil(64),
            chunk_count,
            observed,
            code,
        }
    }

    fn mark_all(&self, state: &mut [u8]) {
        for word in 0..self.words {
            let chunks = (self.chunk_count - 64 * word).min(64);
            let at = self.code.layout.dirty + 8 * word;
            state[at..at + 8].copy_from_slice(&(u64::MAX >> (64 - chunks)).to_le_bytes());
        }
    }
}

impl ObservedScope {
    fn of(scope: &NamedScope, layout: &code::Layout) -> Self {
        let signals = scope.signals.iter().map(|signal| ObservedSignal {
            name: signal.name.clone(),
            is_array: signal.is_array,
            width: signal.width,
            role: signal.role,
            states: signal.states.clone(),
            elements: signal.elements.iter().map(|node| layout.observed[node]).collect(),
        });
        let (path, module, block) = (scope.path.clone(), scope.module.clone(), scope.block.clone());
        ObservedScope { path, module, block, signals: signals.collect() }
    }
}

/// Where ports stand in their struct.
type Fields = Vec<(PortName, Field)>;

fn fields<P: Ports>() -> Fields {
    struct Found {
        base: usize,
        fields: Fields,
    }
    impl PortVisitor for Found {
        fn value<V: PortValue>(&mut self, name: PortName, value: &mut V) {
            let offset = std::ptr::from_mut(value) as usize - self.base;
            // `bool` is the one port without words of its own.
            let is_bool = size_of::<V>() == 1;
            assert!(is_bool || size_of::<V>() == 4 * V::WORDS, "a port is a bool or words of 32 bits");
            self.fields.push((name, Field { offset, is_bool, words: V::WORDS }));
        }
    }
    let mut ports = P::default();
    let mut found = Found { base: std::ptr::from_mut(&mut ports) as usize, fields: vec![] };
    ports.visit(&mut found);
    found.fields
}

/// The same of packed words. They hold a bool in their lowest byte as well.
fn packed_fields(fields: &[gpurf_blocks::Field]) -> Fields {
    let places = fields.iter().map(|field| {
        let (offset, words) = (4 * field.first_word, field.words);
        (field.name, Field { offset, is_bool: false, words })
    });
    places.collect()
}

/// A module as machine code under clock and reset.
pub struct CompiledRtl<I: Ports, O: Ports> {
    machine: Machine,
    /// Chunks write into it.
    outputs: Box<O>,
    ports: PhantomData<fn(I)>,
}

impl<I: Ports, O: Ports> CompiledRtl<I, O> {
    /// Holds reset for one cycle with these inputs. Memories keep what is in them or take what comes, and so
    /// do registers without a reset.
    pub fn reset(&mut self, inputs: &I) {
        self.machine.set_reset(1);
        self.settle(inputs);
        self.tick();
        self.machine.clear();
        self.machine.set_reset(0);
    }
}

impl<I: Ports, O: Ports> Clocked for CompiledRtl<I, O> {
    type In = I;
    type Out = O;

    fn settle(&mut self, inputs: &I) -> O {
        let inputs = std::ptr::from_ref(inputs).cast();
        let outputs = std::ptr::from_mut(&mut *self.outputs).cast();
        // Safety: the program was compiled for ports of these types.
        unsafe { self.machine.settle(inputs, outputs) };
        *self.outputs
    }

    fn tick(&mut self) {
        self.machine.tick();
    }
}

/// A module as machine code under clock and reset, with packed words as its ports.
pub struct PackedRtl {
    machine: Machine,
    /// Words of the inputs.
    inputs: usize,
    /// Chunks write into it.
    outputs: Box<[u32]>,
}

impl PackedRtl {
    /// Holds reset for one cycle with these inputs: see [`CompiledRtl::reset`].
    pub fn reset(&mut self, inputs: &[u32]) {
        self.machine.set_reset(1);
        self.evaluate(inputs);
        self.tick();
        self.machine.clear();
        self.machine.set_reset(0);
    }

    /// Computes all signals of the cycle that has settled. Only of what was compiled to be observed.
    pub fn observe(&mut self) {
        self.machine.observe();
    }

    fn evaluate(&mut self, inputs: &[u32]) {
        assert_eq!(inputs.len(), self.inputs, "words of the inputs");
        // Safety: the program was compiled for packed words, as many as these.
        unsafe { self.machine.settle(inputs.as_ptr().cast(), self.outputs.as_mut_ptr().cast()) };
    }
}

impl PackedClocked for PackedRtl {
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        self.evaluate(inputs);
        outputs.copy_from_slice(&self.outputs);
    }

    fn tick(&mut self) {
        self.machine.tick();
    }
}

/// Values of signals in a cycle that has been observed.
pub trait Values {
    /// An element of a signal as [`PackedRtl::observe`] found it: little end first, as many bytes as hold
    /// its bits or more.
    fn value(&self, signal: &ObservedSignal, element: usize) -> &[u8];

    /// The same of a signal of no more than 64 bits.
    fn number(&self, signal: &ObservedSignal, element: usize) -> u64;
}

impl Values for PackedRtl {
    fn value(&self, signal: &ObservedSignal, element: usize) -> &[u8] {
        let place = signal.elements[element];
        &self.machine.state[place.offset..place.offset + place.bytes()]
    }

    fn number(&self, signal: &ObservedSignal, element: usize) -> u64 {
        signal.elements[element].number(&self.machine.state)
    }
}

/// Code and its state, whatever the ports.
struct Machine {
    program: Arc<Program>,
    state: Box<[u8]>,
    /// It has settled in its present state, for some inputs.
    settled: bool,
}

impl Machine {
    fn new(program: &Arc<Program>) -> Self {
        let state = program.initial.clone().into_boxed_slice();
        Machine { program: program.clone(), state, settled: false }
    }

    /// The level of `reset` from now on.
    fn set_reset(&mut self, level: u8) {
        if let Some(reset) = self.program.reset {
            self.state[reset.offset] = level;
        }
        self.program.mark_all(&mut self.state);
    }

    fn clear(&mut self) {
        for register in &self.program.cleared {
            self.state[register.offset..register.offset + register.bytes()].fill(0);
        }
    }

    fn observe(&mut self) {
        debug_assert!(self.settled, "settle comes before observe");
        for observer in &self.program.code.observers {
            // Safety: observers were compiled for this layout of the state.
            unsafe { observer(self.state.as_mut_ptr(), std::ptr::null_mut()) };
        }
    }

    /// Takes inputs and writes outputs.
    ///
    /// # Safety
    /// Both are of the types that the program was compiled for.
    unsafe fn settle(&mut self, inputs: *const u8, outputs: *mut u8) {
        let code = &self.program.code;
        let state = self.state.as_mut_ptr();
        // Safety: as above; the function only reads the inputs.
        unsafe { (code.inputs)(state, inputs.cast_mut()) };
        for word in 0..self.program.words {
            // Safety: the words of flags lie in the state.
            let flags = unsafe { state.add(code.layout.dirty).cast::<u64>().add(word) };
            loop {
                // Safety: as above; nobody else has a reference to the state while chunks run.
                let set = unsafe { flags.read_unaligned() };
                if set == 0 {
                    break;
                }
                // Safety: as above.
                unsafe { flags.write_unaligned(set & (set - 1)) };
                let chunk = 64 * word + set.trailing_zeros() as usize;
                // Safety: chunks were compiled for this layout of state and outputs.
                unsafe { code.chunks[chunk](state, outputs) };
            }
        }
        self.settled = true;
    }

    fn tick(&mut self) {
        debug_assert!(self.settled, "settle comes before tick");
        let program = &self.program;
        for (memory, readers) in program.memories.iter().zip(&program.memory_readers) {
            memory.edge(&mut self.state, |state, output| {
                for reader in &readers[output] {
                    state[program.code.layout.dirty + reader / 8] |= 1 << (reader % 8);
                }
            });
        }
        let state = self.state.as_mut_ptr();
        for (pending, edge) in &program.code.edges {
            // Safety: the words of flags lie in the state.
            let flags = unsafe { state.add(*pending).cast::<u64>() };
            // Safety: as above.
            let set = unsafe { flags.read_unaligned() };
            if set != 0 {
                // Safety: edges were compiled for this layout of the state.
                unsafe {
                    edge(state, set);
                    flags.write_unaligned(0);
                }
            }
        }
        self.settled = false;
    }
}
