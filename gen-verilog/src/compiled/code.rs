// SPDX-License-Identifier: Apache-2.0
//! Machine code of a design, by Cranelift.

use std::collections::{BTreeMap, HashMap, HashSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{
    types, AbiParam, Block, BlockArg, FuncRef, InstBuilder, MemFlags, Signature, StackSlotData,
    StackSlotKind, Type, Value,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use num_bigint::BigUint;

use super::chunks::{cost, Chunk, Chunks, Head, Needed, Root, CHUNK};
use super::design::{ModuleTree, PortElement, RegisterReset};
use super::fault::Fault;
use super::layout::{bytes, StatePlace, StateSpace, LIMB};
use super::nodes::{Choice, NodeId, Nodes, Op, SlotId};
use super::wide;
use crate::emit::expression::Binary;

/// A chunk, or a piece of a clock edge. Takes the state, and where ports or a word of flags stand.
pub type Function = unsafe extern "C" fn(*mut u8, *mut u8);

/// An edge of registers of a chunk: takes the state and which of their groups are loaded.
pub type Edge = unsafe extern "C" fn(*mut u8, u64);

/// Where a port's value stands in a struct of ports: `bool` in a byte, all others in words of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub offset: usize,
    pub is_bool: bool,
    /// Words of 32 bits.
    pub words: usize,
}

/// Machine code and the layout of the state that it works on.
pub struct MachineCode {
    /// Reads all inputs.
    pub inputs: Function,
    pub chunks: Vec<Function>,
    /// Computes every signal that has a name.
    pub observers: Vec<Function>,
    /// Clock edges of registers, each with its word of flags.
    pub edges: Vec<(usize, Edge)>,
    pub layout: Layout,
    /// Keeps the code in memory.
    module: Option<JITModule>,
}

// Safety: the code is not changed any more, and refers to no memory but what it is called with.
unsafe impl Send for MachineCode {}
// Safety: as above.
unsafe impl Sync for MachineCode {}

impl Drop for MachineCode {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // Safety: whoever holds a function of it holds this.
            unsafe { module.free_memory() };
        }
    }
}

/// Places of all values.
pub struct Layout {
    /// Words that say which chunks have to run.
    pub dirty: usize,
    pub slots: Vec<StatePlace>,
    /// The next value of each register.
    next: Vec<StatePlace>,
    /// Heads that other chunks read.
    stored: HashMap<NodeId, StatePlace>,
    /// Inputs of memories.
    pub latches: Vec<Vec<StatePlace>>,
    /// Constants in memory, with their values.
    pub constants: Vec<(StatePlace, BigUint)>,
    known_constants: HashMap<NodeId, StatePlace>,
    tables: HashMap<Vec<u64>, usize>,
    /// Tables of numbers of 64 bits.
    pub table_values: Vec<(usize, Vec<u64>)>,
    /// Rows of each memory.
    pub rows: Vec<usize>,
    /// Words that say which groups of registers are loaded at the next edge, by chunk.
    pending: Vec<usize>,
    space: StateSpace,
    /// Signals that somebody looks at.
    pub observed: HashMap<NodeId, StatePlace>,
    /// Chunks that read a slot.
    pub readers: Vec<Vec<usize>>,
    /// Bytes of the state.
    pub size: usize,
}

impl Layout {
    fn of(design: &ModuleTree, chunks: &Chunks) -> Self {
        let mut space = StateSpace::default();
        let count = chunks.list.len();
        let dirty = space.take(8 * count.div_ceil(64));
        let pending = (0..count).map(|_| space.take(8)).collect();
        let slots: Vec<StatePlace> = design.slots.iter().map(|width| space.place(*width)).collect();
        let next = design.registers.iter().map(|register| space.place(slots[register.q as usize].width));
        let next = next.collect();
        let stored = chunks.chunk_of.keys().filter(|node| chunks.readers.contains_key(node));
        let mut stored: Vec<NodeId> = stored.copied().collect();
        stored.sort();
        let stored = stored.into_iter().map(|node| (node, space.place(design.nodes.width(node))));
        let stored = stored.collect();
        let latches = design
            .memories
            .iter()
            .map(|memory| memory.inputs.iter().map(|node| space.place(design.nodes.width(*node))).collect());
        let latches = latches.collect();
        let rows = design.memories.iter().map(|memory| {
            let row = bytes(memory.kind.width());
            space.take(8);
            space.take(row * memory.kind.rows())
        });
        let rows = rows.collect();
        let mut readers = vec![vec![]; slots.len()];
        for (node, chunks) in &chunks.readers {
            if let Op::Slot(slot) = design.nodes.op(*node) {
                readers[*slot as usize] = chunks.clone();
            }
        }
        Layout {
            dirty,
            slots,
            next,
            stored,
            latches,
            constants: vec![],
            known_constants: HashMap::new(),
            tables: HashMap::new(),
            table_values: vec![],
            rows,
            pending,
            space,
            observed: HashMap::new(),
            readers,
            size: 0,
        }
    }

    /// Tells if the state has the value of a node that is no constant.
    fn holds(&self, design: &ModuleTree, node: NodeId) -> bool {
        matches!(design.nodes.op(node), Op::Slot(_))
            || self.stored.contains_key(&node)
            || self.observed.contains_key(&node)
    }

    fn constant(&mut self, nodes: &Nodes, node: NodeId) -> StatePlace {
        *self.known_constants.entry(node).or_insert_with(|| {
            let place = self.space.place(nodes.width(node));
            let value = nodes.value(node).expect("a constant").clone();
            self.constants.push((place, value));
            place
        })
    }

    fn table(&mut self, values: Vec<u64>) -> usize {
        *self.tables.entry(values).or_insert_with_key(|values| {
            let offset = self.space.take(8 * values.len());
            self.table_values.push((offset, values.clone()));
            offset
        })
    }
}

/// Functions that the code calls for values of many limbs.
#[derive(Clone, Copy)]
struct Calls {
    moved: FuncRef,
    add: FuncRef,
    sub: FuncRef,
    mul: FuncRef,
    shift_left: FuncRef,
    shift_right: FuncRef,
}

/// Compiles a design for ports that stand at these places: each input and output has one, or none if nothing
/// drives or reads it. A fault goes into the code.
pub fn compile(
    design: &ModuleTree,
    inputs: &[Option<Field>],
    outputs: &[Option<Field>],
    fault: Option<Fault>,
) -> MachineCode {
    // A large chunk runs for other changes as well, and hides the fault.
    let most = if matches!(fault, Some(Fault::ForgottenChange(_))) { 1 } else { CHUNK };
    let mut chunks = Chunks::of(design, most);
    let faulty_node = fault.and_then(|fault| fault.put_in(design, &mut chunks));
    let layout = Layout::of(design, &chunks);
    let mut compiler = Compiler::new(design, &chunks, layout, faulty_node);
    let of_inputs = compiler.inputs(inputs);
    let of_chunks: Vec<FuncId> = (0..chunks.list.len()).map(|chunk| compiler.chunk(chunk, outputs)).collect();
    let of_observers = compiler.observers();
    let of_edges: Vec<_> = (0..chunks.list.len()).filter_map(|chunk| compiler.edge(chunk)).collect();
    compiler.module.finalize_definitions().expect("all functions are defined");
    let Compiler { module, mut layout, .. } = compiler;
    // Bits of a wide value are read in words that may reach beyond it.
    layout.size = layout.space.end() + 8;
    // Safety: functions have the signatures that they were declared with.
    let function = |id: &FuncId| unsafe {
        std::mem::transmute::<*const u8, Function>(module.get_finalized_function(*id))
    };
    let edges = of_edges.iter().map(|(pending, id)| {
        // Safety: as above.
        let edge = unsafe { std::mem::transmute::<*const u8, Edge>(module.get_finalized_function(*id)) };
        (*pending, edge)
    });
    MachineCode {
        inputs: function(&of_inputs),
        chunks: of_chunks.iter().map(function).collect(),
        observers: of_observers.iter().map(function).collect(),
        edges: edges.collect(),
        layout,
        module: Some(module),
    }
}

struct Compiler<'a> {
    design: &'a ModuleTree,
    faulty_node: Option<NodeId>,
    chunks: &'a Chunks,
    layout: Layout,
    module: JITModule,
    context: Context,
    builders: FunctionBuilderContext,
    calls: [FuncId; 6],
    functions: usize,
    /// Places that the last function gave to signals.
    new_observed: Vec<(NodeId, StatePlace)>,
}

impl<'a> Compiler<'a> {
    fn new(design: &'a ModuleTree, chunks: &'a Chunks, layout: Layout, faulty_node: Option<NodeId>) -> Self {
        let mut flags = settings::builder();
        for (name, value) in [("opt_level", "none"), ("enable_verifier", "false"), ("is_pic", "false")] {
            flags.set(name, value).expect("a setting of Cranelift");
        }
        if cfg!(debug_assertions) {
            flags.set("enable_verifier", "true").expect("a setting of Cranelift");
        }
        let target = cranelift_native::builder().expect("Cranelift compiles for this machine");
        let target = target.finish(settings::Flags::new(flags)).expect("flags that the machine has");
        let mut builder = JITBuilder::with_isa(target, cranelift_module::default_libcall_names());
        let symbols: [(&str, *const u8, usize); 6] = [
            ("moved", wide::moved as *const u8, 3),
            ("add", wide::add as *const u8, 4),
            ("sub", wide::sub as *const u8, 4),
            ("mul", wide::mul as *const u8, 4),
            ("shift_left", wide::shift_left as *const u8, 4),
            ("shift_right", wide::shift_right as *const u8, 4),
        ];
        for (name, address, _) in symbols {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let calls = symbols.map(|(name, _, parameters)| {
            let mut signature = module.make_signature();
            signature.params.extend((0..parameters).map(|_| AbiParam::new(types::I64)));
            if name == "moved" {
                signature.returns.push(AbiParam::new(types::I8));
            }
            module.declare_function(name, Linkage::Import, &signature).expect("a function of that name")
        });
        let context = module.make_context();
        let builders = FunctionBuilderContext::new();
        Compiler {
            design,
            faulty_node,
            chunks,
            layout,
            module,
            context,
            builders,
            calls,
            functions: 0,
            new_observed: vec![],
        }
    }

    fn signature(&self) -> Signature {
        let mut signature = self.module.make_signature();
        signature.params.extend([AbiParam::new(types::I64); 2]);
        signature
    }

    /// Compiles a function of state and one more argument.
    fn function(&mut self, body: impl FnOnce(&mut Emitter, Value)) -> FuncId {
        let signature = self.signature();
        self.functions += 1;
        let name = format!("piece{}", self.functions);
        let id = self.module.declare_function(&name, Linkage::Local, &signature).expect("a new name");
        self.context.func.signature = signature;
        let [moved, add, sub, mul, shift_left, shift_right] =
            self.calls.map(|id| self.module.declare_func_in_func(id, &mut self.context.func));
        let calls = Calls { moved, add, sub, mul, shift_left, shift_right };
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builders);
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let [state, argument] = [0, 1].map(|place| builder.block_params(entry)[place]);
        let mut emitter = Emitter {
            design: self.design,
            faulty_node: self.faulty_node,
            chunks: self.chunks,
            layout: &mut self.layout,
            builder,
            calls,
            state,
            chunk: None,
            new_observed: vec![],
            known: vec![],
            values: HashMap::new(),
            marks: BTreeMap::new(),
        };
        body(&mut emitter, argument);
        emitter.finish();
        self.new_observed = emitter.new_observed;
        let mut builder = emitter.builder;
        builder.ins().return_(&[]);
        builder.seal_all_blocks();
        builder.finalize();
        self.module.define_function(id, &mut self.context).expect("Cranelift compiles what it verifies");
        self.module.clear_context(&mut self.context);
        id
    }

    /// Reads the inputs.
    fn inputs(&mut self, fields: &[Option<Field>]) -> FuncId {
        let design = self.design;
        self.function(|emitter, from| {
            for (port, field) in design.inputs.iter().zip(fields) {
                if let Some(field) = field {
                    emitter.input(port, *field, from);
                }
            }
        })
    }

    fn chunk(&mut self, number: usize, outputs: &[Option<Field>]) -> FuncId {
        let Chunk { heads, .. } = &self.chunks.list[number];
        let pending = self.layout.pending[number];
        self.function(|emitter, ports| {
            emitter.chunk = Some(number);
            let mut loaded = vec![];
            for head in heads {
                match head {
                    Head::Node(node) => emitter.head(*node),
                    Head::Root(Root::Registers(registers)) => loaded.push(emitter.registers(registers)),
                    Head::Root(Root::Output(output)) => {
                        if let Some(field) = outputs[*output] {
                            emitter.output(*output, field, ports);
                        }
                    }
                    Head::Root(Root::Latch(memory, input)) => emitter.latch(*memory, *input),
                }
            }
            if !loaded.is_empty() {
                emitter.pending(&loaded, pending);
            }
        })
    }

    /// Computes all signals that have a name, each once, in pieces: a piece reads what those before it have
    /// stored.
    fn observers(&mut self) -> Vec<FuncId> {
        /// Signals of a piece.
        const PIECE: usize = 200;
        let design = self.design;
        let signals = design.scopes.iter().flat_map(|scope| &scope.signals);
        let mut named: Vec<NodeId> = signals.flat_map(|signal| signal.elements.iter().copied()).collect();
        named.sort();
        named.dedup();
        let mut pieces = vec![];
        for piece in named.chunks(PIECE) {
            // All that leads to the signals, each after what it is made of, so that nothing is computed in a
            // branch.
            let mut needed: Vec<NodeId> = vec![];
            let mut waiting = piece.to_vec();
            let mut seen: HashSet<NodeId> = HashSet::new();
            while let Some(node) = waiting.pop() {
                if seen.insert(node) {
                    needed.push(node);
                    if !self.layout.holds(design, node) {
                        design.nodes.op(node).operands(&mut |operand| waiting.push(operand));
                    }
                }
            }
            needed.sort();
            pieces.push(self.function(|emitter, _| {
                for node in needed {
                    let value = emitter.value(node);
                    if piece.binary_search(&node).is_ok() {
                        let place = emitter.layout.space.place(emitter.width(node));
                        emitter.set(place, value);
                        emitter.new_observed.push((node, place));
                    }
                }
            }));
            self.layout.observed.extend(self.new_observed.drain(..));
        }
        pieces
    }

    /// The clock edge of a chunk's registers, with the place of their flags.
    fn edge(&mut self, number: usize) -> Option<(usize, FuncId)> {
        let groups = self.chunks.list[number].heads.iter().filter_map(|head| match head {
            Head::Root(Root::Registers(registers)) => Some(registers),
            _ => None,
        });
        let groups: Vec<&Vec<usize>> = groups.collect();
        if groups.is_empty() {
            return None;
        }
        let id = self.function(|emitter, flags| {
            for (place, registers) in groups.iter().enumerate() {
                emitter.edge(place, registers, flags);
            }
        });
        Some((self.layout.pending[number], id))
    }
}

/// Writes one function.
struct Emitter<'a, 'b> {
    design: &'a ModuleTree,
    faulty_node: Option<NodeId>,
    chunks: &'a Chunks,
    layout: &'b mut Layout,
    builder: FunctionBuilder<'b>,
    calls: Calls,
    state: Value,
    /// The chunk that the function is, if it is one.
    chunk: Option<usize>,
    /// Places of signals that the function stores.
    new_observed: Vec<(NodeId, StatePlace)>,
    /// Nodes that have a value here, the innermost branch last.
    known: Vec<NodeId>,
    values: HashMap<NodeId, Value>,
    /// For each set of chunks, as words of flags: tells if a value that they read has changed.
    marks: BTreeMap<Vec<(usize, u64)>, Value>,
}

/// How many operations two arms of a choice may have that are computed both.
const CHEAP: usize = 8;

/// Choices with more arms than this are computed by a jump, even where arms are cheap.
const MANY: usize = 12;

fn type_of(width: usize) -> Type {
    match width {
        1 => types::I8,
        2..=32 => types::I32,
        33..=64 => types::I64,
        // The address of the limbs.
        _ => types::I64,
    }
}

fn is_wide(width: usize) -> bool {
    width > LIMB
}

fn ones(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

fn limbs(width: usize) -> usize {
    width.div_ceil(LIMB)
}

fn at(offset: usize) -> Offset32 {
    Offset32::new(offset as i32)
}

impl Emitter<'_, '_> {
    fn nodes(&self) -> &Nodes {
        &self.design.nodes
    }

    fn width(&self, node: NodeId) -> usize {
        self.design.nodes.width(node)
    }

    fn iconst(&mut self, of: Type, value: u64) -> Value {
        let value = if of == types::I64 { value as i64 } else { (value & ones(of.bits() as usize)) as i64 };
        self.builder.ins().iconst(of, value)
    }

    /// Reads a narrow value from memory.
    fn load_from(&mut self, width: usize, base: Value, offset: usize) -> Value {
        let (flags, offset) = (MemFlags::trusted(), at(offset));
        let ins = self.builder.ins();
        match width {
            1 => ins.load(types::I8, flags, base, offset),
            2..=8 => ins.uload8(types::I32, flags, base, offset),
            9..=16 => ins.uload16(types::I32, flags, base, offset),
            17..=32 => ins.load(types::I32, flags, base, offset),
            _ => ins.load(types::I64, flags, base, offset),
        }
    }

    fn store_to(&mut self, width: usize, value: Value, base: Value, offset: usize) {
        let (flags, offset) = (MemFlags::trusted(), at(offset));
        let ins = self.builder.ins();
        match width {
            2..=8 => ins.istore8(flags, value, base, offset),
            9..=16 => ins.istore16(flags, value, base, offset),
            _ => ins.store(flags, value, base, offset),
        };
    }

    fn address(&mut self, offset: usize) -> Value {
        self.builder.ins().iadd_imm(self.state, offset as i64)
    }

    /// A value in memory: its address if it is wide.
    fn load(&mut self, place: StatePlace) -> Value {
        match is_wide(place.width) {
            true => self.address(place.offset),
            false => self.load_from(place.width, self.state, place.offset),
        }
    }

    /// A value as another type of integer; bits above its width are zero.
    fn resized(&mut self, value: Value, to: Type) -> Value {
        let from = self.builder.func.dfg.value_type(value);
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.builder.ins().uextend(to, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.builder.ins().ireduce(to, value),
        }
    }

    /// Only so many of its low bits, where more could be set.
    fn masked(&mut self, value: Value, width: usize) -> Value {
        let of = self.builder.func.dfg.value_type(value);
        if width >= of.bits() as usize {
            return value;
        }
        let mask = self.iconst(of, ones(width));
        self.builder.ins().band(value, mask)
    }

    /// A new wide value, to be written limb by limb.
    fn temporary(&mut self, width: usize) -> Value {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes(width) as u32, 3);
        let slot = self.builder.create_sized_stack_slot(data);
        self.builder.ins().stack_addr(types::I64, slot, 0)
    }

    fn limb(&mut self, value: Value, limb: usize) -> Value {
        self.builder.ins().load(types::I64, MemFlags::trusted(), value, at(8 * limb))
    }

    fn put_limb(&mut self, value: Value, limb: usize, bits: Value) {
        self.builder.ins().store(MemFlags::trusted(), bits, value, at(8 * limb));
    }

    /// The limbs of a value of any width.
    fn all_limbs(&mut self, node: NodeId) -> Vec<Value> {
        let (value, width) = (self.value(node), self.width(node));
        match is_wide(width) {
            true => (0..limbs(width)).map(|limb| self.limb(value, limb)).collect(),
            false => vec![self.resized(value, types::I64)],
        }
    }

    fn of_limbs(&mut self, width: usize, of: Vec<Value>) -> Value {
        if !is_wide(width) {
            return self.resized(of[0], type_of(width));
        }
        let value = self.temporary(width);
        for (limb, bits) in of.into_iter().enumerate() {
            self.put_limb(value, limb, bits);
        }
        value
    }

    // Ports, registers and memories.

    fn input(&mut self, port: &PortElement<SlotId>, field: Field, from: Value) {
        let place = self.layout.slots[port.at as usize];
        let readers = self.layout.readers[port.at as usize].clone();
        if is_wide(port.width) {
            let source = self.builder.ins().iadd_imm(from, field.offset as i64);
            self.change(place, source, &readers);
            return;
        }
        let value = match (field.is_bool, field.words) {
            (true, _) => self.builder.ins().load(types::I8, MemFlags::new(), from, at(field.offset)),
            (_, 1) => self.builder.ins().load(types::I32, MemFlags::new(), from, at(field.offset)),
            _ => self.builder.ins().load(types::I64, MemFlags::new(), from, at(field.offset)),
        };
        let value = self.resized(value, type_of(port.width));
        let value = self.masked(value, port.width);
        self.change(place, value, &readers);
    }

    fn output(&mut self, output: usize, field: Field, to: Value) {
        let port = &self.design.outputs[output];
        self.shared(Needed::Output(output));
        let value = self.value(port.at);
        if is_wide(port.width) {
            let target = self.builder.ins().iadd_imm(to, field.offset as i64);
            let count = self.iconst(types::I64, limbs(port.width) as u64);
            self.builder.ins().call(self.calls.moved, &[target, value, count]);
            return;
        }
        let of = match (field.is_bool, field.words) {
            (true, _) => types::I8,
            (_, 1) => types::I32,
            _ => types::I64,
        };
        let value = self.resized(value, of);
        self.builder.ins().store(MemFlags::new(), value, to, at(field.offset));
    }

    fn latch(&mut self, memory: usize, input: usize) {
        let place = self.layout.latches[memory][input];
        self.shared(Needed::Latch(memory, input));
        let value = self.value(self.design.memories[memory].inputs[input]);
        self.set(place, value);
    }

    /// Computes a head, and stores it where other chunks read it.
    fn head(&mut self, node: NodeId) {
        self.shared(Needed::Head(node));
        let value = self.value(node);
        if let Some(place) = self.layout.stored.get(&node).copied() {
            let readers = self.chunks.readers[&node].clone();
            self.change(place, value, &readers);
        }
    }

    /// Stores a value without asking what was there.
    fn set(&mut self, place: StatePlace, value: Value) {
        match is_wide(place.width) {
            true => {
                self.moved(place, value);
            }
            false => self.store_to(place.width, value, self.state, place.offset),
        }
    }

    fn moved(&mut self, place: StatePlace, value: Value) -> Value {
        let target = self.address(place.offset);
        let count = self.iconst(types::I64, limbs(place.width) as u64);
        let call = self.builder.ins().call(self.calls.moved, &[target, value, count]);
        self.builder.inst_results(call)[0]
    }

    /// Stores a value, and marks its readers if it is another than before.
    fn change(&mut self, place: StatePlace, value: Value, readers: &[usize]) {
        let changed = match is_wide(place.width) {
            true => self.moved(place, value),
            false => {
                let before = self.load(place);
                self.store_to(place.width, value, self.state, place.offset);
                self.builder.ins().icmp(IntCC::NotEqual, before, value)
            }
        };
        self.mark(readers, changed);
    }

    fn mark(&mut self, readers: &[usize], changed: Value) {
        let mut words: BTreeMap<usize, u64> = BTreeMap::new();
        for reader in readers {
            *words.entry(reader / 64).or_default() |= 1 << (reader % 64);
        }
        if words.is_empty() {
            return;
        }
        let words: Vec<(usize, u64)> = words.into_iter().collect();
        let both = match self.marks.get(&words) {
            Some(before) => {
                let before = *before;
                self.builder.ins().bor(before, changed)
            }
            None => changed,
        };
        self.marks.insert(words, both);
    }

    /// Marks what has to run.
    fn finish(&mut self) {
        for (words, changed) in std::mem::take(&mut self.marks) {
            let then = self.builder.create_block();
            let after = self.builder.create_block();
            self.builder.ins().brif(changed, then, &[], after, &[]);
            self.builder.switch_to_block(then);
            for (word, mask) in words {
                let offset = at(self.layout.dirty + 8 * word);
                let before = self.builder.ins().load(types::I64, MemFlags::trusted(), self.state, offset);
                let mask = self.iconst(types::I64, mask);
                let all = self.builder.ins().bor(before, mask);
                self.builder.ins().store(MemFlags::trusted(), all, self.state, offset);
            }
            self.builder.ins().jump(after, &[]);
            self.builder.switch_to_block(after);
        }
    }

    /// Computes the next values of registers with one condition, and tells if any of them will change at the
    /// edge.
    fn registers(&mut self, registers: &[usize]) -> Value {
        let design = self.design;
        let first = &design.registers[registers[0]];
        self.shared(Needed::Registers(registers[0]));
        let enable = self.value(first.enable);
        let reset = match first.reset {
            RegisterReset::When(node) => Some(self.value(node)),
            _ => None,
        };
        let loads = match reset {
            Some(reset) => self.builder.ins().bor(enable, reset),
            None => enable,
        };
        let cost: usize =
            registers.iter().map(|register| self.lazy_cost(design.registers[*register].d, CHEAP)).sum();
        let wide = registers.iter().any(|register| is_wide(self.width(design.registers[*register].d)));
        if design.nodes.is(first.enable, 1) || (cost + registers.len() <= CHEAP / 2 && !wide) {
            let changed = self.load_registers(registers, reset);
            return self.builder.ins().band(changed, loads);
        }
        let none = |emitter: &mut Self| vec![emitter.iconst(types::I8, 0)];
        let load = |emitter: &mut Self| vec![emitter.load_registers(registers, reset)];
        self.branch(loads, &[types::I8], load, none)[0]
    }

    fn load_registers(&mut self, registers: &[usize], reset: Option<Value>) -> Value {
        let mut any: Option<Value> = None;
        self.shared(Needed::Load(registers[0]));
        for register in registers {
            let of = &self.design.registers[*register];
            let (q, next) = (self.layout.slots[of.q as usize], self.layout.next[*register]);
            let mut value = self.value(of.d);
            if let Some(reset) = reset {
                let zero = match is_wide(q.width) {
                    true => {
                        let zero = vec![self.iconst(types::I64, 0); limbs(q.width)];
                        self.of_limbs(q.width, zero)
                    }
                    false => self.iconst(type_of(q.width), 0),
                };
                value = self.builder.ins().select(reset, zero, value);
            }
            let changed = match is_wide(q.width) {
                true => {
                    self.moved(next, value);
                    self.iconst(types::I8, 1)
                }
                false => {
                    self.set(next, value);
                    let before = self.load(q);
                    self.builder.ins().icmp(IntCC::NotEqual, before, value)
                }
            };
            any = Some(match any {
                Some(any) => self.builder.ins().bor(any, changed),
                None => changed,
            });
        }
        any.expect("a group has registers")
    }

    fn pending(&mut self, loaded: &[Value], offset: usize) {
        let mut word = self.builder.ins().uextend(types::I64, loaded[0]);
        for (place, flag) in loaded.iter().enumerate().skip(1) {
            let flag = self.builder.ins().uextend(types::I64, *flag);
            let flag = self.builder.ins().ishl_imm(flag, place as i64);
            word = self.builder.ins().bor(word, flag);
        }
        self.builder.ins().store(MemFlags::trusted(), word, self.state, at(offset));
    }

    fn edge(&mut self, place: usize, registers: &[usize], flags: Value) {
        let bit = self.iconst(types::I64, 1 << place);
        let flag = self.builder.ins().band(flags, bit);
        let then = self.builder.create_block();
        let after = self.builder.create_block();
        self.builder.ins().brif(flag, then, &[], after, &[]);
        self.builder.switch_to_block(then);
        let outer = std::mem::take(&mut self.marks);
        for register in registers {
            let q = self.design.registers[*register].q as usize;
            let value = self.load(self.layout.next[*register]);
            let readers = self.layout.readers[q].clone();
            self.change(self.layout.slots[q], value, &readers);
        }
        self.finish();
        self.marks = outer;
        self.builder.ins().jump(after, &[]);
        self.builder.switch_to_block(after);
    }

    // Values.

    /// A node's value here; computed unless it is known already.
    fn value(&mut self, node: NodeId) -> Value {
        if let Some(known) = self.values.get(&node) {
            return *known;
        }
        let value = match self.elsewhere(node) {
            Some(place) => self.load(place),
            None => self.computed(node),
        };
        self.values.insert(node, value);
        self.known.push(node);
        value
    }

    /// Computes what a place needs more than once.
    fn shared(&mut self, place: Needed) {
        let chunks = self.chunks;
        for node in chunks.regions.shared(place) {
            self.value(*node);
        }
    }

    /// A value in a region of its own.
    fn value_in(&mut self, choice: NodeId, arm: usize, node: NodeId) -> Value {
        self.shared(Needed::Arm(choice, arm));
        self.value(node)
    }

    /// The place of a value that is read from memory.
    fn elsewhere(&self, node: NodeId) -> Option<StatePlace> {
        match self.nodes().op(node) {
            Op::Slot(slot) => Some(self.layout.slots[*slot as usize]),
            _ => match self.chunks.chunk_of.get(&node) {
                Some(chunk) if Some(*chunk) != self.chunk => self.layout.stored.get(&node).copied(),
                _ => None,
            }
            .or_else(|| self.layout.observed.get(&node).copied()),
        }
    }

    /// Operations that computing a node takes here, up to a limit.
    fn lazy_cost(&self, node: NodeId, limit: usize) -> usize {
        let mut seen: Vec<NodeId> = vec![];
        let mut waiting = vec![node];
        let mut sum = 0;
        while let Some(node) = waiting.pop() {
            if self.values.contains_key(&node) || seen.contains(&node) || self.elsewhere(node).is_some() {
                continue;
            }
            seen.push(node);
            sum += cost(self.nodes(), node);
            if sum > limit {
                return sum;
            }
            self.nodes().op(node).operands(&mut |operand| waiting.push(operand));
        }
        sum
    }

    /// Computes values in a branch of its own: what is known in it is forgotten behind it.
    fn branch(
        &mut self,
        condition: Value,
        results: &[Type],
        then: impl FnOnce(&mut Self) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let [first, second, after] = [(); 3].map(|()| self.builder.create_block());
        results.iter().for_each(|of| {
            self.builder.append_block_param(after, *of);
        });
        self.builder.ins().brif(condition, first, &[], second, &[]);
        self.arm(first, after, then);
        self.arm(second, after, otherwise);
        self.builder.switch_to_block(after);
        self.builder.block_params(after).to_vec()
    }

    fn arm(&mut self, block: Block, after: Block, body: impl FnOnce(&mut Self) -> Vec<Value>) {
        self.builder.switch_to_block(block);
        let outside = self.known.len();
        let values = body(self);
        for node in self.known.drain(outside..) {
            self.values.remove(&node);
        }
        let values: Vec<BlockArg> = values.into_iter().map(BlockArg::from).collect();
        self.builder.ins().jump(after, &values);
    }

    fn computed(&mut self, node: NodeId) -> Value {
        let width = self.width(node);
        match self.nodes().op(node).clone() {
            Op::Slot(_) => unreachable!("a slot is in memory"),
            Op::Constant(value) => match is_wide(width) {
                true => {
                    let place = self.layout.constant(&self.design.nodes, node);
                    self.address(place.offset)
                }
                false => {
                    let value = u64::try_from(value).expect("no more than 64 bits");
                    self.iconst(type_of(width), value)
                }
            },
            Op::Slice(of, low) => self.slice(of, low as usize, width),
            Op::Concatenation(parts) => self.concatenation(&parts, width),
            Op::Not(of) => self.not(of, width),
            Op::All(of) => {
                let of_width = self.width(of);
                let all = self.all_limbs(of);
                let last = all.len() - 1;
                let full = all.into_iter().enumerate().map(|(limb, bits)| {
                    let wanted = if limb < last { u64::MAX } else { ones(of_width - LIMB * last) };
                    let wanted = self.iconst(types::I64, wanted);
                    self.builder.ins().icmp(IntCC::Equal, bits, wanted)
                });
                let full: Vec<_> = full.collect();
                self.folded(full, |emitter, one, other| emitter.builder.ins().band(one, other))
            }
            Op::Any(of) => {
                let any = match is_wide(self.width(of)) {
                    true => {
                        let all = self.all_limbs(of);
                        self.folded(all, |emitter, one, other| emitter.builder.ins().bor(one, other))
                    }
                    false => self.value(of),
                };
                self.builder.ins().icmp_imm(IntCC::NotEqual, any, 0)
            }
            Op::Parity(of) => {
                let all = self.all_limbs(of);
                let all = self.folded(all, |emitter, one, other| emitter.builder.ins().bxor(one, other));
                let count = self.builder.ins().popcnt(all);
                let odd = self.masked(count, 1);
                self.resized(odd, types::I8)
            }
            Op::Binary(operator, left, right) => self.binary(operator, left, right, width),
            Op::Window(of, low) => self.window(of, low, width),
            Op::SetBit(of, index, bit) => self.with_bit(of, index, bit, width),
            Op::Mux(condition, mut then, mut otherwise) => {
                if self.faulty_node == Some(node) {
                    std::mem::swap(&mut then, &mut otherwise);
                }
                let condition = self.value(condition);
                let costs = [then, otherwise].map(|arm| self.lazy_cost(arm, CHEAP));
                if costs[0] + costs[1] <= CHEAP {
                    let (then, otherwise) = (self.value(then), self.value(otherwise));
                    return self.builder.ins().select(condition, then, otherwise);
                }
                let results = [type_of(width)];
                self.branch(
                    condition,
                    &results,
                    |emitter| vec![emitter.value_in(node, 0, then)],
                    |emitter| vec![emitter.value_in(node, 1, otherwise)],
                )[0]
            }
            Op::Choose(choice) => self.choose(node, &choice, width),
        }
    }

    fn folded(&mut self, of: Vec<Value>, both: impl Fn(&mut Self, Value, Value) -> Value) -> Value {
        of.into_iter().reduce(|one, other| both(self, one, other)).expect("at least one value")
    }

    fn slice(&mut self, of: NodeId, low: usize, width: usize) -> Value {
        let of_width = self.width(of);
        let value = self.value(of);
        if is_wide(width) {
            if low % 8 == 0 && width % LIMB == 0 {
                return self.builder.ins().iadd_imm(value, (low / 8) as i64);
            }
            let parts = (0..limbs(width)).map(|limb| {
                let from = low + LIMB * limb;
                let count = LIMB.min(width - LIMB * limb);
                let bits = self.bits_of_wide(value, from, count, of_width);
                self.resized(bits, types::I64)
            });
            let parts = parts.collect();
            return self.of_limbs(width, parts);
        }
        if is_wide(of_width) {
            return self.bits_of_wide(value, low, width, of_width);
        }
        let shifted = if low > 0 { self.builder.ins().ushr_imm(value, low as i64) } else { value };
        let resized = self.resized(shifted, type_of(width));
        match low + width == of_width && type_of(width) == type_of(of_width) {
            true => resized,
            false => self.masked(resized, width),
        }
    }

    /// Up to 64 bits of a wide value.
    fn bits_of_wide(&mut self, value: Value, low: usize, width: usize, of_width: usize) -> Value {
        let (limb, shift) = (low / LIMB, low % LIMB);
        let mut bits = self.limb(value, limb);
        if shift > 0 {
            bits = self.builder.ins().ushr_imm(bits, shift as i64);
            if shift + width > LIMB && limb + 1 < limbs(of_width) {
                let above = self.limb(value, limb + 1);
                let above = self.builder.ins().ishl_imm(above, (LIMB - shift) as i64);
                bits = self.builder.ins().bor(bits, above);
            }
        }
        let bits = self.masked(bits, width);
        self.resized(bits, type_of(width))
    }

    fn concatenation(&mut self, parts: &[NodeId], width: usize) -> Value {
        let mut of_limbs: Vec<Option<Value>> = vec![None; limbs(width)];
        let mut low = 0;
        let of = if is_wide(width) { types::I64 } else { type_of(width) };
        for part in parts {
            let part_width = self.width(*part);
            if !self.nodes().is(*part, 0) {
                let bits = match is_wide(part_width) {
                    true => self.all_limbs(*part),
                    false => {
                        let value = self.value(*part);
                        vec![self.resized(value, of)]
                    }
                };
                for (place, bits) in bits.into_iter().enumerate() {
                    let start = low + LIMB * place;
                    let count = LIMB.min(part_width - LIMB * place);
                    let (limb, shift) = (start / LIMB, start % LIMB);
                    let moved =
                        if shift > 0 { self.builder.ins().ishl_imm(bits, shift as i64) } else { bits };
                    self.add_bits(&mut of_limbs[limb], moved);
                    if shift + count > LIMB {
                        let above = self.builder.ins().ushr_imm(bits, (LIMB - shift) as i64);
                        self.add_bits(&mut of_limbs[limb + 1], above);
                    }
                }
            }
            low += part_width;
        }
        let bits = of_limbs.into_iter().map(|bits| bits.unwrap_or_else(|| self.iconst(of, 0)));
        let bits = bits.collect();
        self.of_limbs(width, bits)
    }

    fn add_bits(&mut self, to: &mut Option<Value>, bits: Value) {
        *to = Some(match *to {
            Some(before) => self.builder.ins().bor(before, bits),
            None => bits,
        });
    }

    fn not(&mut self, of: NodeId, width: usize) -> Value {
        if !is_wide(width) {
            let value = self.value(of);
            let mask = self.iconst(type_of(width), ones(width));
            return self.builder.ins().bxor(value, mask);
        }
        let all = self.all_limbs(of);
        let all = all.into_iter().enumerate().map(|(limb, bits)| {
            let mask = self.iconst(types::I64, ones(LIMB.min(width - LIMB * limb)));
            self.builder.ins().bxor(bits, mask)
        });
        let all = all.collect();
        self.of_limbs(width, all)
    }

    fn binary(&mut self, operator: Binary, left: NodeId, right: NodeId, width: usize) -> Value {
        let operands = self.width(left);
        if is_wide(operands) {
            return self.wide_binary(operator, left, right, operands);
        }
        let is_shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
        let one = self.value(left);
        let other = if is_shift { self.amount(right) } else { self.value(right) };
        let comparison = match operator {
            Binary::Equal => Some(IntCC::Equal),
            Binary::NotEqual => Some(IntCC::NotEqual),
            Binary::Less => Some(IntCC::UnsignedLessThan),
            Binary::LessEqual => Some(IntCC::UnsignedLessThanOrEqual),
            Binary::Greater => Some(IntCC::UnsignedGreaterThan),
            Binary::GreaterEqual => Some(IntCC::UnsignedGreaterThanOrEqual),
            _ => None,
        };
        if let Some(condition) = comparison {
            return self.builder.ins().icmp(condition, one, other);
        }
        let ins = self.builder.ins();
        match operator {
            Binary::And => ins.band(one, other),
            Binary::Or => ins.bor(one, other),
            Binary::Xor => ins.bxor(one, other),
            Binary::Add => {
                let sum = ins.iadd(one, other);
                self.masked(sum, width)
            }
            Binary::Sub => {
                let difference = ins.isub(one, other);
                self.masked(difference, width)
            }
            Binary::Mul => {
                let product = ins.imul(one, other);
                self.masked(product, width)
            }
            _ => {
                let amounts = self.width(right);
                let shifted = match operator {
                    Binary::ShiftLeft => self.builder.ins().ishl(one, other),
                    _ => self.builder.ins().ushr(one, other),
                };
                let shifted = self.masked(shifted, width);
                // The machine looks at the low bits of the amount alone.
                if amounts < 32 && (1usize << amounts) <= type_of(width).bits() as usize {
                    return shifted;
                }
                let limit = self.iconst(types::I64, width as u64);
                let is_inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, other, limit);
                let zero = self.iconst(type_of(width), 0);
                self.builder.ins().select(is_inside, shifted, zero)
            }
        }
    }

    fn wide_binary(&mut self, operator: Binary, left: NodeId, right: NodeId, width: usize) -> Value {
        match operator {
            Binary::And | Binary::Or | Binary::Xor => {
                let (one, other) = (self.value(left), self.value(right));
                let value = self.temporary(width);
                for limb in 0..limbs(width) {
                    let (one, other) = (self.limb(one, limb), self.limb(other, limb));
                    let ins = self.builder.ins();
                    let bits = match operator {
                        Binary::And => ins.band(one, other),
                        Binary::Or => ins.bor(one, other),
                        _ => ins.bxor(one, other),
                    };
                    self.put_limb(value, limb, bits);
                }
                value
            }
            Binary::Equal | Binary::NotEqual => {
                let (one, other) = (self.all_limbs(left), self.all_limbs(right));
                let pairs: Vec<_> = one.into_iter().zip(other).collect();
                let differences = pairs.into_iter().map(|(one, other)| self.builder.ins().bxor(one, other));
                let differences: Vec<_> = differences.collect();
                let any =
                    self.folded(differences, |emitter, one, other| emitter.builder.ins().bor(one, other));
                let condition = if operator == Binary::Equal { IntCC::Equal } else { IntCC::NotEqual };
                self.builder.ins().icmp_imm(condition, any, 0)
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                // The highest limb that differs decides.
                let (one, other) = (self.all_limbs(left), self.all_limbs(right));
                let or_equal = matches!(operator, Binary::LessEqual | Binary::GreaterEqual);
                let mut holds = self.iconst(types::I8, or_equal as u64);
                let condition = match operator {
                    Binary::Less | Binary::LessEqual => IntCC::UnsignedLessThan,
                    _ => IntCC::UnsignedGreaterThan,
                };
                for (one, other) in one.into_iter().zip(other) {
                    let differ = self.builder.ins().icmp(IntCC::NotEqual, one, other);
                    let here = self.builder.ins().icmp(condition, one, other);
                    holds = self.builder.ins().select(differ, here, holds);
                }
                holds
            }
            Binary::Add | Binary::Sub | Binary::Mul | Binary::ShiftLeft | Binary::ShiftRight => {
                let one = self.value(left);
                let is_shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
                let other = if is_shift { self.amount(right) } else { self.value(right) };
                let function = match operator {
                    Binary::Add => self.calls.add,
                    Binary::Sub => self.calls.sub,
                    Binary::Mul => self.calls.mul,
                    Binary::ShiftLeft => self.calls.shift_left,
                    _ => self.calls.shift_right,
                };
                let value = self.temporary(width);
                let width = self.iconst(types::I64, width as u64);
                self.builder.ins().call(function, &[value, one, other, width]);
                value
            }
        }
    }

    /// A number in 64 bits; the largest if it has more.
    fn amount(&mut self, node: NodeId) -> Value {
        let limbs = self.all_limbs(node);
        let [low, high @ ..] = &limbs[..] else { unreachable!("a value has a limb") };
        if high.is_empty() {
            return *low;
        }
        let above = self.folded(high.to_vec(), |emitter, one, other| emitter.builder.ins().bor(one, other));
        let is_small = self.builder.ins().icmp_imm(IntCC::Equal, above, 0);
        let most = self.iconst(types::I64, u64::MAX);
        self.builder.ins().select(is_small, *low, most)
    }

    /// An index, and whether it is below a number; none if it always is.
    fn bounded(&mut self, index: NodeId, end: usize) -> (Value, Option<Value>) {
        let width = self.width(index);
        let value = self.amount(index);
        if width < 32 && (1usize << width) <= end {
            return (value, None);
        }
        let limit = self.iconst(types::I64, end as u64);
        let is_inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, value, limit);
        (value, Some(is_inside))
    }

    fn window(&mut self, of: NodeId, low: NodeId, width: usize) -> Value {
        let of_width = self.width(of);
        let (index, is_inside) = self.bounded(low, of_width);
        let value = self.value(of);
        let zero = |emitter: &mut Self, of: Type| emitter.iconst(of, 0);
        if is_wide(of_width) {
            // Whole value shifted where many bits are taken; its bytes read where few are.
            if width > LIMB - 8 {
                let shifted = self.temporary(of_width);
                let of_width = self.iconst(types::I64, of_width as u64);
                self.builder.ins().call(self.calls.shift_right, &[shifted, value, index, of_width]);
                return match is_wide(width) {
                    true => {
                        let parts = (0..limbs(width)).map(|limb| self.limb(shifted, limb));
                        let mut parts: Vec<_> = parts.collect();
                        let last = parts.len() - 1;
                        parts[last] = self.masked(parts[last], width - LIMB * last);
                        self.of_limbs(width, parts)
                    }
                    false => {
                        let bits = self.limb(shifted, 0);
                        let bits = self.masked(bits, width);
                        self.resized(bits, type_of(width))
                    }
                };
            }
            let safe = match is_inside {
                Some(is_inside) => {
                    let zero = zero(self, types::I64);
                    self.builder.ins().select(is_inside, index, zero)
                }
                None => index,
            };
            let byte = self.builder.ins().ushr_imm(safe, 3);
            let from = self.builder.ins().iadd(value, byte);
            let bits = self.builder.ins().load(types::I64, MemFlags::new(), from, at(0));
            let shift = self.builder.ins().band_imm(safe, 7);
            let bits = self.builder.ins().ushr(bits, shift);
            let bits = self.masked(bits, width);
            let bits = self.resized(bits, type_of(width));
            return self.or_zero(bits, is_inside);
        }
        let shifted = self.builder.ins().ushr(value, index);
        let resized = self.resized(shifted, type_of(width));
        let bits = self.masked(resized, width);
        self.or_zero(bits, is_inside)
    }

    fn or_zero(&mut self, value: Value, holds: Option<Value>) -> Value {
        match holds {
            Some(holds) => {
                let zero = self.iconst(self.builder.func.dfg.value_type(value), 0);
                self.builder.ins().select(holds, value, zero)
            }
            None => value,
        }
    }

    fn with_bit(&mut self, of: NodeId, index: NodeId, bit: NodeId, width: usize) -> Value {
        let (index, is_inside) = self.bounded(index, width);
        let (value, bit) = (self.value(of), self.value(bit));
        if is_wide(width) {
            let all = self.all_limbs(of);
            let changed = self.of_limbs(width, all);
            let safe = self.or_zero(index, is_inside);
            let byte = self.builder.ins().ushr_imm(safe, 3);
            let place = self.builder.ins().iadd(changed, byte);
            let before = self.builder.ins().load(types::I8, MemFlags::new(), place, at(0));
            let shift = self.builder.ins().band_imm(safe, 7);
            let one = self.iconst(types::I8, 1);
            let mask = self.builder.ins().ishl(one, shift);
            let mask = self.or_zero(mask, is_inside);
            let cleared = self.builder.ins().band_not(before, mask);
            let bit = self.builder.ins().ishl(bit, shift);
            let bit = self.or_zero(bit, is_inside);
            let after = self.builder.ins().bor(cleared, bit);
            self.builder.ins().store(MemFlags::new(), after, place, at(0));
            return changed;
        }
        let of = type_of(width);
        let one = self.iconst(of, 1);
        let mask = self.builder.ins().ishl(one, index);
        let mask = self.or_zero(mask, is_inside);
        let cleared = self.builder.ins().band_not(value, mask);
        let bit = self.resized(bit, of);
        let bit = self.builder.ins().ishl(bit, index);
        let bit = self.or_zero(bit, is_inside);
        self.builder.ins().bor(cleared, bit)
    }

    fn choose(&mut self, node: NodeId, choice: &Choice, width: usize) -> Value {
        if let Some(value) = self.looked_up(node, choice, width) {
            return value;
        }
        let arms = choice.arms.iter().map(|(_, arm)| *arm).chain([choice.otherwise]);
        let costs: usize = arms.map(|arm| self.lazy_cost(arm, CHEAP)).sum();
        let selector = self.value(choice.selector);
        if costs <= CHEAP && choice.arms.len() <= MANY {
            let mut value = self.value(choice.otherwise);
            for (label, arm) in choice.arms.iter() {
                let arm = self.value(*arm);
                let label = self.iconst(type_of(self.width(choice.selector)), *label);
                let holds = self.builder.ins().icmp(IntCC::Equal, selector, label);
                value = self.builder.ins().select(holds, arm, value);
            }
            return value;
        }
        let selector = self.resized(selector, types::I64);
        let after = self.builder.create_block();
        self.builder.append_block_param(after, type_of(width));
        let mut switch = Switch::new();
        let blocks: Vec<Block> = choice.arms.iter().map(|_| self.builder.create_block()).collect();
        for ((label, _), block) in choice.arms.iter().zip(&blocks) {
            switch.set_entry(*label as u128, *block);
        }
        let last = self.builder.create_block();
        switch.emit(&mut self.builder, selector, last);
        for (place, ((_, arm), block)) in choice.arms.iter().zip(blocks).enumerate() {
            self.arm(block, after, |emitter| vec![emitter.value_in(node, place, *arm)]);
        }
        self.arm(last, after, |emitter| vec![emitter.value_in(node, choice.arms.len(), choice.otherwise)]);
        self.builder.switch_to_block(after);
        self.builder.block_params(after)[0]
    }

    /// A choice between neighbours in memory, or between numbers: one access.
    fn looked_up(&mut self, node: NodeId, choice: &Choice, width: usize) -> Option<Value> {
        if choice.arms.len() < 3 {
            return None;
        }
        let mut arms: Vec<(u64, NodeId)> = choice.arms.to_vec();
        // The last arm is one more if there is one number for it.
        let selector_width = self.width(choice.selector);
        let is_full = selector_width < 20 && arms.len() as u64 + 1 == 1 << selector_width;
        if is_full {
            let missing = (0..=arms.len() as u64).find(|label| arms.iter().all(|(known, _)| known != label));
            arms.push((missing.expect("a label is missing"), choice.otherwise));
            arms.sort();
        }
        let first = arms[0].0 + u64::from(self.faulty_node == Some(node));
        let follows = arms.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        if !follows {
            return None;
        }
        let (base, stride) = match self.neighbours(&arms) {
            Some(found) => found,
            None if !is_wide(width) => {
                let values = arms.iter().map(|(_, arm)| {
                    let value = self.nodes().value(*arm)?;
                    u64::try_from(value.clone()).ok()
                });
                let values = values.collect::<Option<Vec<u64>>>()?;
                (self.layout.table(values), 8)
            }
            None => return None,
        };
        let selector = self.value(choice.selector);
        let selector = self.resized(selector, types::I64);
        let place = match first {
            0 => selector,
            first => self.builder.ins().iadd_imm(selector, -(first as i64)),
        };
        let limit = self.iconst(types::I64, arms.len() as u64);
        let is_inside = (!is_full).then(|| self.builder.ins().icmp(IntCC::UnsignedLessThan, place, limit));
        let place = self.or_zero(place, is_inside);
        let distance = match stride.is_power_of_two() {
            true => self.builder.ins().ishl_imm(place, stride.trailing_zeros() as i64),
            false => self.builder.ins().imul_imm(place, stride as i64),
        };
        let from = self.builder.ins().iadd(self.state, distance);
        let value = match is_wide(width) {
            true => self.builder.ins().iadd_imm(from, base as i64),
            false => self.load_from(width, from, base),
        };
        Some(match is_inside {
            Some(is_inside) => {
                let otherwise = self.value(choice.otherwise);
                self.builder.ins().select(is_inside, value, otherwise)
            }
            None => value,
        })
    }

    /// Where values stand that lie in memory at equal distances.
    fn neighbours(&self, arms: &[(u64, NodeId)]) -> Option<(usize, usize)> {
        let places = arms.iter().map(|(_, arm)| self.elsewhere(*arm));
        let places = places.collect::<Option<Vec<StatePlace>>>()?;
        let stride = places[1].offset.checked_sub(places[0].offset)?;
        let is_regular = places.windows(2).all(|pair| {
            pair[1].offset.checked_sub(pair[0].offset) == Some(stride) && pair[0].width == pair[1].width
        });
        (is_regular && stride > 0).then_some((places[0].offset, stride))
    }
}
