//! A tiled single-precision matrix product, C = A × B, as Turing would run it.
//!
//! The classic kernel: a thread block of 256 threads computes a 64 × 64 tile of C, each thread
//! 4 × 4 elements of it in registers. It walks along K in steps of 8: load a 64 × 8 tile of A and an
//! 8 × 64 tile of B from global memory, put them into shared memory (A transposed), synchronise,
//! then for each of the 8 columns read four elements of A and four of B and do 16 `FFMA`s.
//!
//! The machine code below is written by hand in the shape NVIDIA's compiler gives it for sm_75, and
//! run for every warp of every block: opcodes, registers, lane masks and addresses are those a
//! tracer would record; values are not computed. It is deterministic, and every size gives the
//! same code.

use gpurf_trace::{
    Command, Instruction, Kernel, KernelHeader, OpcodeError, Program, Register, ThreadBlock, Workload,
};

/// Rows and columns of C computed by a thread block.
pub const TILE: u32 = 64;
/// Columns of A, and rows of B, per step.
pub const DEPTH: u32 = 8;
/// Warps of a thread block.
pub const WARPS: u32 = 8;

const FLOAT: u32 = 4;
const A_BASE: u64 = 0x7f20_0000_0000;
const B_BASE: u64 = 0x7f20_4000_0000;
const C_BASE: u64 = 0x7f20_8000_0000;
/// In shared memory, the tile of B follows that of A.
const SHARED_B: u32 = TILE * DEPTH * FLOAT;
const SHARED_BYTES: u32 = 2 * SHARED_B;
/// Highest register used, plus one.
const REGISTERS: u32 = 60;

/// The matrices: A is m × k, B is k × n, C is m × n, all row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    m: u32,
    n: u32,
    k: u32,
}

/// A size the kernel cannot tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("size {m} x {n} x {k} cannot be tiled: give m and n as multiples of 64 and k as a multiple of 8, from one tile up to 16384")]
pub struct SizeError {
    m: u32,
    n: u32,
    k: u32,
}

impl Size {
    /// m and n must be multiples of [`TILE`], k a multiple of [`DEPTH`], none of them 0 or above
    /// 16384 (where the matrices still lie apart).
    pub fn new(m: u32, n: u32, k: u32) -> Result<Size, SizeError> {
        let fits = |size: u32, unit: u32| size > 0 && size <= 16384 && size % unit == 0;
        if fits(m, TILE) && fits(n, TILE) && fits(k, DEPTH) {
            Ok(Size { m, n, k })
        } else {
            Err(SizeError { m, n, k })
        }
    }

    /// Rows of A and C.
    pub fn m(&self) -> u32 {
        self.m
    }

    /// Columns of B and C.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// Columns of A, rows of B.
    pub fn k(&self) -> u32 {
        self.k
    }
}

impl Default for Size {
    /// 128 × 128 × 48: four thread blocks, about 33,000 warp instructions.
    fn default() -> Size {
        Size { m: 128, n: 128, k: 48 }
    }
}

/// The matrix product as a workload of one kernel, held in memory.
pub fn tiled_ffma(size: &Size) -> Workload {
    let mut program = Program::default();
    let code = Code::assemble(&mut program).expect("the opcodes below are in the opcode table");
    let (columns, rows) = (size.n / TILE, size.m / TILE);
    let blocks =
        (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y, 0])).map(|id| code.run(size, id)).collect();
    let header = KernelHeader {
        name: "tiled_ffma".into(),
        id: 1,
        grid: [columns, rows, 1],
        block: [WARPS * 32, 1, 1],
        shared_memory: SHARED_BYTES,
        nregs: REGISTERS,
        binary_version: 75,
        tracer_version: 5,
        ..KernelHeader::default()
    };
    let copy = |address, rows: u32, columns: u32| Command::MemcpyHtoD {
        address,
        bytes: u64::from(rows) * u64::from(columns) * u64::from(FLOAT),
    };
    Workload {
        name: "tiled_ffma".into(),
        commands: vec![
            copy(A_BASE, size.m, size.k),
            copy(B_BASE, size.k, size.n),
            Command::Kernel(Kernel::in_memory(header, program, blocks)),
        ],
    }
}

/// Which bytes an instruction touches, for a thread at a step along K.
#[derive(Clone, Copy)]
enum Access {
    /// Two elements of a row of A.
    LoadA,
    /// Two elements of a row of B.
    LoadB,
    /// One of those elements of A, transposed.
    StoreSharedA(u32),
    StoreSharedB,
    /// Four elements of a column of A.
    ReadSharedA(u32),
    /// Four elements of a row of B.
    ReadSharedB(u32),
    /// Four elements of a row of C.
    StoreC(u32),
}

impl Access {
    /// Bytes per thread.
    fn width(self) -> u16 {
        match self {
            Access::StoreSharedA(_) => 4,
            Access::LoadA | Access::LoadB | Access::StoreSharedB => 8,
            Access::ReadSharedA(_) | Access::ReadSharedB(_) | Access::StoreC(_) => 16,
        }
    }

    /// Byte address: in global memory, or within the block's shared memory.
    fn address(self, size: &Size, block: [u32; 3], thread: u32, step: u32) -> u64 {
        // In the tile of A a row is loaded by 4 threads, in that of B by 32.
        let (a_row, a_column) = (thread / 4, thread % 4 * 2);
        let (b_row, b_column) = (thread / 32, thread % 32 * 2);
        // In the tile of C a thread owns rows 4·ty and on, columns 4·tx and on.
        let (ty, tx) = (thread / 16, thread % 16);
        let element = |row: u32, pitch: u32, column: u32| {
            u64::from(FLOAT) * (u64::from(row) * u64::from(pitch) + u64::from(column))
        };
        match self {
            Access::LoadA => A_BASE + element(block[1] * TILE + a_row, size.k, step * DEPTH + a_column),
            Access::LoadB => B_BASE + element(step * DEPTH + b_row, size.n, block[0] * TILE + b_column),
            Access::StoreSharedA(i) => element(a_column + i, TILE, a_row),
            Access::StoreSharedB => u64::from(SHARED_B) + element(b_row, TILE, b_column),
            Access::ReadSharedA(k) => element(k, TILE, 4 * ty),
            Access::ReadSharedB(k) => u64::from(SHARED_B) + element(k, TILE, 4 * tx),
            Access::StoreC(row) => {
                let row = block[1] * TILE + 4 * ty + row;
                C_BASE + element(row, size.n, block[0] * TILE + 4 * tx)
            }
        }
    }
}

/// An instruction of the program and what it accesses.
struct Step {
    index: u32,
    access: Option<Access>,
    /// The backward branch: not taken, so without active lanes, after the last step along K.
    loops: bool,
}

/// The kernel's machine code in its three parts.
struct Code {
    prologue: Vec<Step>,
    body: Vec<Step>,
    epilogue: Vec<Step>,
}

impl Code {
    /// Lays the code out from address 0.
    fn assemble(program: &mut Program) -> Result<Code, OpcodeError> {
        let mut next = Assembler { program, pc: 0 };
        Ok(Code { prologue: prologue(&mut next)?, body: body(&mut next)?, epilogue: epilogue(&mut next)? })
    }

    /// All warps of a thread block, from the first to the last instruction.
    fn run(&self, size: &Size, id: [u32; 3]) -> ThreadBlock {
        let steps = size.k / DEPTH;
        let mut block = ThreadBlock::new(id);
        let mut addresses = Vec::with_capacity(32);
        for warp in 0..WARPS {
            block.begin_warp(warp);
            let mut execute = |part: &[Step], step: u32| {
                for instruction in part {
                    addresses.clear();
                    if let Some(access) = instruction.access {
                        let threads = warp * 32..(warp + 1) * 32;
                        addresses.extend(threads.map(|thread| access.address(size, id, thread, step)));
                    }
                    let leaves_loop = instruction.loops && step + 1 == steps;
                    let mask = if leaves_loop { 0 } else { u32::MAX };
                    block.push(instruction.index, mask, &addresses);
                }
            };
            execute(&self.prologue, 0);
            for step in 0..steps {
                execute(&self.body, step);
            }
            execute(&self.epilogue, 0);
        }
        block
    }
}

/// Places instructions one after the other.
struct Assembler<'a> {
    program: &'a mut Program,
    pc: u32,
}

/// RZ, as a trace writes it.
const RZ: u8 = 255;

impl Assembler<'_> {
    /// An instruction with destination, sources and last immediate as a trace names them.
    fn place(
        &mut self,
        opcode: &str,
        destination: Option<u8>,
        sources: &[u8],
        immediate: i64,
        access: Option<Access>,
    ) -> Result<Step, OpcodeError> {
        let sources: Vec<_> = sources.iter().copied().map(Register::Vector).collect();
        let index = self.program.intern(&Instruction {
            pc: self.pc,
            opcode,
            destination: destination.map(Register::Vector),
            sources: &sources,
            width: access.map_or(0, Access::width),
            immediates: [immediate, 0],
        })?;
        self.pc += 16;
        Ok(Step { index, access, loops: opcode == "BRA" })
    }

    fn compute(
        &mut self,
        opcode: &str,
        destination: u8,
        sources: &[u8],
        immediate: i64,
    ) -> Result<Step, OpcodeError> {
        self.place(opcode, Some(destination), sources, immediate, None)
    }

    fn load(
        &mut self,
        opcode: &str,
        destination: u8,
        address: u8,
        access: Access,
    ) -> Result<Step, OpcodeError> {
        self.place(opcode, Some(destination), &[address], 0, Some(access))
    }

    fn store(&mut self, opcode: &str, address: u8, data: u8, access: Access) -> Result<Step, OpcodeError> {
        self.place(opcode, None, &[address, data], 0, Some(access))
    }

    fn control(&mut self, opcode: &str, sources: &[u8], immediate: i64) -> Result<Step, OpcodeError> {
        self.place(opcode, None, sources, immediate, None)
    }
}

// Registers. Pairs start at even ones, quadruples at multiples of four.
const THREAD: u8 = 0;
const STACK: u8 = 1;
const BLOCK_X: u8 = 2;
const BLOCK_Y: u8 = 3;
const FOUR: u8 = 7;
const POINTER_A: u8 = 8;
const POINTER_B: u8 = 14;
const TY: u8 = 13;
const TX: u8 = 19;
const SHARED_WRITE_A: u8 = 16;
const SHARED_WRITE_B: u8 = 17;
const SHARED_READ_A: u8 = 18;
const SHARED_READ_B: u8 = 20;
const COUNTER: u8 = 22;
const ACCUMULATORS: u8 = 24;
const LOADED_A: u8 = 40;
const LOADED_B: u8 = 42;
/// Four elements of A and four of B, twice: one set is read while the other is multiplied.
const FRAGMENTS: [(u8, u8); 2] = [(44, 48), (52, 56)];
const POINTER_C: u8 = 44;

/// Indices, addresses, and accumulators set to zero.
fn prologue(next: &mut Assembler) -> Result<Vec<Step>, OpcodeError> {
    let mut code = vec![
        next.compute("IMAD.MOV.U32", STACK, &[RZ, RZ], 0)?,
        next.compute("S2R", THREAD, &[], 0)?,
        next.compute("S2R", BLOCK_X, &[], 0)?,
        next.compute("S2R", BLOCK_Y, &[], 0)?,
        // Where in A this thread loads: row thread / 4, column 2 (thread mod 4).
        next.compute("SHF.R.U32.HI", 4, &[RZ, THREAD], 2)?,
        next.compute("LOP3.LUT", 5, &[THREAD, RZ], 0xc0)?,
        next.compute("IMAD.SHL.U32", 5, &[5, RZ], 2)?,
        next.compute("LEA", 6, &[BLOCK_Y, 4], 6)?,
        next.compute("IMAD", 6, &[6, 5], 0)?,
        next.compute("IMAD.MOV.U32", FOUR, &[RZ, RZ], 4)?,
        next.compute("IMAD.WIDE", POINTER_A, &[6, FOUR], 0)?,
        // Where in B: row thread / 32, column 2 (thread mod 32).
        next.compute("SHF.R.U32.HI", 10, &[RZ, THREAD], 5)?,
        next.compute("LOP3.LUT", 11, &[THREAD, RZ], 0xc0)?,
        next.compute("IMAD.SHL.U32", 11, &[11, RZ], 2)?,
        next.compute("LEA", 12, &[BLOCK_X, 11], 6)?,
        next.compute("IMAD", 12, &[10, 12], 0)?,
        next.compute("IMAD.WIDE", POINTER_B, &[12, FOUR], 0)?,
        // Where both go in shared memory.
        next.compute("LEA", SHARED_WRITE_A, &[5, 4], 6)?,
        next.compute("IMAD.SHL.U32", SHARED_WRITE_A, &[SHARED_WRITE_A, RZ], 4)?,
        next.compute("LEA", SHARED_WRITE_B, &[10, 11], 6)?,
        next.compute("IMAD.SHL.U32", SHARED_WRITE_B, &[SHARED_WRITE_B, RZ], 4)?,
        // Where this thread's fragments are.
        next.compute("SHF.R.U32.HI", TY, &[RZ, THREAD], 4)?,
        next.compute("IMAD.SHL.U32", SHARED_READ_A, &[TY, RZ], 16)?,
        next.compute("LOP3.LUT", TX, &[THREAD, RZ], 0xc0)?,
        next.compute("IMAD.SHL.U32", SHARED_READ_B, &[TX, RZ], 16)?,
        next.compute("IMAD.MOV.U32", COUNTER, &[RZ, RZ], 0)?,
    ];
    for pair in 0..8 {
        code.push(next.compute("CS2R", ACCUMULATORS + 2 * pair, &[], 0)?);
    }
    Ok(code)
}

/// One step along K.
fn body(next: &mut Assembler) -> Result<Vec<Step>, OpcodeError> {
    let start = i64::from(next.pc);
    let mut code = vec![
        next.load("LDG.E.64.SYS", LOADED_A, POINTER_A, Access::LoadA)?,
        next.load("LDG.E.64.SYS", LOADED_B, POINTER_B, Access::LoadB)?,
        next.compute("IADD3", COUNTER, &[COUNTER, RZ], 1)?,
        next.store("STS", SHARED_WRITE_A, LOADED_A, Access::StoreSharedA(0))?,
        next.store("STS", SHARED_WRITE_A, LOADED_A + 1, Access::StoreSharedA(1))?,
        next.store("STS.64", SHARED_WRITE_B, LOADED_B, Access::StoreSharedB)?,
        next.control("BAR.SYNC", &[], 0)?,
    ];
    for k in 0..DEPTH {
        let (a, b) = FRAGMENTS[k as usize % 2];
        code.push(next.load("LDS.U.128", a, SHARED_READ_A, Access::ReadSharedA(k))?);
        code.push(next.load("LDS.U.128", b, SHARED_READ_B, Access::ReadSharedB(k))?);
        for row in 0..4 {
            for column in 0..4 {
                let sum = ACCUMULATORS + 4 * row + column;
                code.push(next.compute("FFMA", sum, &[a + row, b + column, sum], 0)?);
            }
        }
    }
    code.extend([
        next.compute("IADD3", POINTER_A, &[POINTER_A, RZ], i64::from(DEPTH * FLOAT))?,
        next.compute("IMAD.X", POINTER_A + 1, &[RZ, RZ, POINTER_A + 1], 0)?,
        next.compute("IADD3", POINTER_B, &[POINTER_B, RZ], 0)?,
        next.compute("IMAD.X", POINTER_B + 1, &[RZ, RZ, POINTER_B + 1], 0)?,
        next.control("ISETP.LT.AND", &[COUNTER], 0)?,
        next.control("BAR.SYNC", &[], 0)?,
        next.control("BRA", &[], start)?,
    ]);
    Ok(code)
}

/// The tile of C to memory.
fn epilogue(next: &mut Assembler) -> Result<Vec<Step>, OpcodeError> {
    let mut code = vec![
        next.compute("LEA", 21, &[BLOCK_Y, TY], 4)?,
        next.compute("IMAD.SHL.U32", 21, &[21, RZ], 4)?,
        next.compute("LEA", 23, &[BLOCK_X, TX], 4)?,
        next.compute("IMAD.SHL.U32", 23, &[23, RZ], 4)?,
        next.compute("IMAD", 21, &[21, 23], 0)?,
        next.compute("IMAD.WIDE", POINTER_C, &[21, FOUR], 0)?,
    ];
    for row in 0..4 {
        if row > 0 {
            code.push(next.compute("IADD3", POINTER_C, &[POINTER_C, RZ], 0)?);
            code.push(next.compute("IMAD.X", POINTER_C + 1, &[RZ, RZ, POINTER_C + 1], 0)?);
        }
        let sums = ACCUMULATORS + 4 * row;
        code.push(next.store("STG.E.128.SYS", POINTER_C, sums, Access::StoreC(u32::from(row)))?);
    }
    code.push(next.control("EXIT", &[], 0)?);
    Ok(code)
}
