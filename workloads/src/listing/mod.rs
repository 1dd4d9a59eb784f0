// SPDX-License-Identifier: Apache-2.0
//! Listings of Turing machine code, as `nvdisasm -hex` and `cuobjdump -sass` print them.
//!
//! A [`Module`] is a whole listing: its kernels with registers, parameters and shared memory, its
//! constants and global variables. `nvdisasm -c -hex` and `cuobjdump -sass`, which print code only, are read
//! too; such a module has no parameter layout (natural alignment is assumed), no static shared memory, no
//! constants and no variables. Where the number of registers is missing, it is that of the highest register
//! in use, and one.

mod control;
mod link;
mod operand;
mod parse;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

pub use control::control_bits;
pub use operand::{Address, Constant, Half, Instruction, Operand, Predicate, Register, RegisterFile};

use crate::emulator;
use crate::error::Result;

/// Most bytes of stack per thread.
pub(crate) const MAX_STACK: u32 = 512 << 10;
/// Where parameters start in constant bank 0 on Turing, if they have 4,096 bytes at most.
pub const PARAMETER_BASE: u32 = 0x160;
/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u32 = 16;

/// A listing: kernels, constants and global variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Tells listings apart; clones share it.
    pub(crate) identity: u64,
    /// Compute capability: 75 for Turing.
    pub target: u32,
    /// Names the listing in errors.
    pub file: String,
    /// In the order of the listing.
    pub kernels: Vec<Kernel>,
    /// Functions that are not part of one kernel: where they are in the code of each that may call them.
    pub functions: BTreeMap<String, u32>,
    /// Constant bank 3: `__constant__` variables.
    pub constants: Data,
    /// Constant bank 4: addresses of global variables.
    pub addresses: Data,
    /// `__device__` variables, initialised and zeroed ones.
    pub globals: Vec<Data>,
}

impl Module {
    /// Parses a listing. `file` names it in errors.
    ///
    /// # Errors
    /// A line that is not understood, by file and line.
    pub fn parse(file: &str, text: &str) -> Result<Module> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let identity = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut module = Module { identity, file: file.into(), ..parse::module(file, text)? };
        for kernel in module.kernels.iter_mut().filter(|kernel| kernel.registers == 0) {
            kernel.registers = emulator::registers_used(&kernel.instructions);
        }
        Ok(module)
    }

    /// Returns true if a kernel may allocate memory.
    pub(crate) fn allocates(&self) -> bool {
        let by_address = |data: &Data| data.relocations.iter().any(|(_, name)| name == "malloc");
        let by_name = |instruction: &Instruction| {
            let named = |operand: &Operand| match operand {
                Operand::Label(name) | Operand::Half { symbol: name, .. } => name == "malloc",
                _ => false,
            };
            instruction.operands.iter().any(named)
        };
        by_address(&self.addresses)
            || self.globals.iter().any(by_address)
            || self.kernels.iter().flat_map(|kernel| &kernel.instructions).any(by_name)
    }

    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.globals.iter().chain([&self.constants]).any(|data| data.symbols.contains_key(name))
    }

    /// Names of `__device__` variables.
    pub(crate) fn variables(&self) -> Vec<String> {
        self.globals.iter().flat_map(|data| data.symbols.keys().cloned()).collect()
    }

    /// Returns true if a kernel reads what the driver puts at these bytes of constant bank 0.
    pub(crate) fn asks_for(&self, start: u32, bytes: u32) -> bool {
        let asked = i64::from(start)..i64::from(start + bytes);
        let reads = |operand: &Operand| {
            matches!(operand, Operand::Constant(Constant { bank: 0, address, .. })
                if address.register.is_none() && asked.contains(&address.offset))
        };
        let mut instructions = self.kernels.iter().flat_map(|kernel| &kernel.instructions);
        instructions.any(|instruction| instruction.operands.iter().any(reads))
    }

    /// The kernel of this (mangled) name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// A kernel of a listing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// Mangled name.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Statically allocated shared memory, in bytes.
    pub shared: u32,
    /// Stack that a thread needs in local memory, in bytes, as the listing has it; `None` if it does not
    /// tell. See [`Kernel::has_open_stack`].
    pub stack: Option<u32>,
    /// The part of it that is the kernel's own, without the functions that it calls.
    pub frame: u32,
    /// In the order of the source; `None` if the listing does not give them.
    pub parameters: Option<Vec<Parameter>>,
    /// Where parameters start in constant bank 0, if not at [`PARAMETER_BASE`].
    pub parameter_base: Option<u32>,
    /// Constant bank 2: literals and jump tables of this kernel.
    pub literals: Vec<u8>,
    /// In address order, [`INSTRUCTION_BYTES`] apart, from address 0. Functions the kernel calls are
    /// part of it.
    pub instructions: Vec<Instruction>,
    /// The line that was not understood, and why: the kernel cannot be launched, but others can.
    pub defect: Option<(usize, String)>,
}

impl Kernel {
    /// Returns true if threads may need more stack than the listing says: the compiler cannot count what
    /// functions take that are called by address or by themselves, nor a frame whose size is computed.
    pub fn has_open_stack(&self) -> bool {
        if self.stack.is_none() {
            return true;
        }
        let base = |instruction: &Instruction| instruction.opcode.starts_with("CALL");
        let calls = self.instructions.iter().filter(|instruction| base(instruction));
        let by_address = |call: &&Instruction| matches!(call.operands.first(), Some(Operand::Register(_)));
        if calls.clone().any(|call| by_address(&call)) {
            return true;
        }
        let target = |call: &Instruction| match call.operands.last() {
            Some(Operand::Target(place)) => Some(*place),
            _ => None,
        };
        // Functions lie behind the kernel itself.
        let functions = calls.filter_map(target).min().unwrap_or(u32::MAX);
        self.instructions.iter().any(|instruction| {
            let [Operand::Register(written), sources @ ..] = &*instruction.operands else { return false };
            let computed = sources.iter().any(|source| {
                matches!(source, Operand::Register(register) if !register.is_zero() && !register.is_stack_pointer())
            });
            written.is_stack_pointer() && (computed || instruction.pc >= functions)
        })
    }
}

/// Where a parameter lies in constant bank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Bytes after the start of the parameters.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
}

/// Initialised memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// The bytes, in the order of their addresses.
    pub bytes: Vec<u8>,
    /// Variables: name, and byte offset and size.
    pub symbols: BTreeMap<String, (u32, u32)>,
    /// Byte offsets at which the 8-byte address of a variable belongs, added to what is there.
    pub relocations: Vec<(u32, String)>,
}
