// SPDX-License-Identifier: Apache-2.0
//! Instructions ready to execute: operands resolved to places, behaviour to a function.

use arrayvec::ArrayVec;

use super::arithmetic::convert::{float_to_float, FloatType};
use super::arithmetic::{FloatMode, Rounding};
use super::library_function::LibraryFunction;
use super::memory::AccessError;
use super::texture::{Geometry, Outside, Sampling};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// A register of all lanes.
pub(crate) use gpurf_trace::Lanes;

/// Where a 32-bit operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A row of the register file; RZ has one that stays zero.
    Row(u16),
    Uniform(u8),
    Immediate(u32),
    /// Constant memory at a fixed place.
    Constant {
        bank: u8,
        offset: u32,
    },
    Special(Special),
}

/// The change of an operand on its way from its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Modifier {
    #[default]
    None,
    /// Two's complement.
    Negate,
    /// One's complement.
    Invert,
    /// Absolute value of an integer.
    Magnitude,
    /// Sign of a float, or of the upper word of a double: first cleared, then flipped.
    Sign { clear: bool, flip: bool },
    /// Signs of two halves, after one of them has taken the place of both.
    Halves { half: Option<crate::listing::Half>, clear: bool, flip: bool },
    /// One byte.
    Byte { index: u8, signed: bool },
}

impl Modifier {
    #[inline]
    pub fn apply(self, value: u32) -> u32 {
        use crate::listing::Half;
        match self {
            Modifier::None => value,
            Modifier::Negate => value.wrapping_neg(),
            Modifier::Invert => !value,
            Modifier::Magnitude => (value as i32).unsigned_abs(),
            Modifier::Sign { clear, flip } => {
                let value = if clear { value & 0x7fff_ffff } else { value };
                value ^ (u32::from(flip) << 31)
            }
            Modifier::Halves { half, clear, flip } => {
                let value = match half {
                    None => value,
                    Some(Half::Low) => (value & 0xffff) * 0x1_0001,
                    Some(Half::High) => (value >> 16) * 0x1_0001,
                    Some(Half::Single) => {
                        let mode = FloatMode { rounding: Rounding::Zero, ..FloatMode::default() };
                        let half = float_to_float(value.into(), FloatType::F32, FloatType::F16, mode);
                        half as u32 * 0x1_0001
                    }
                };
                let value = if clear { value & 0x7fff_7fff } else { value };
                value ^ if flip { 0x8000_8000 } else { 0 }
            }
            Modifier::Byte { index, signed } => {
                let byte = (value >> (8 * index)) as u8;
                if signed {
                    byte as i8 as u32
                } else {
                    u32::from(byte)
                }
            }
        }
    }
}

/// Special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Lane,
    /// Thread number within the block, per dimension.
    Thread(u8),
    /// Block number within the grid, per dimension.
    Block(u8),
    Warp,
    /// The warp's number from bit 8 on.
    VirtualId,
    /// Shared memory of the block in bytes.
    SharedSize,
    /// Set bits at lanes equal to, below, at or below, above, at or above the own one.
    LaneMask(LaneMask),
    /// Instructions the warp has executed; the upper word is zero. There is no clock.
    Clock,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneMask {
    Equal,
    Below,
    AtOrBelow,
    Above,
    AtOrAbove,
}

/// Where a 32-bit result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Row(u16),
    /// Lane 0's value, or that of the lowest active lane.
    Uniform(u8),
    Nowhere,
}

/// A predicate, as a bit per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PredicateSource {
    pub uniform: bool,
    /// 7 is always true.
    pub index: u8,
    pub negate: bool,
}

/// Where a predicate goes; index 7 swallows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PredicateDestination {
    pub uniform: bool,
    pub index: u8,
}

/// Most 32-bit sources of an instruction: `HMMA` has 7.
pub(crate) const MAX_SOURCES: usize = 8;
/// Most 32-bit results.
pub(crate) const MAX_RESULTS: usize = 4;

/// Operand values of an instruction.
pub(crate) struct Inputs<'a> {
    /// Registers are read in place.
    pub lanes: [&'a Lanes; MAX_SOURCES],
    /// A bit per lane.
    pub predicates: [u32; 7],
    /// Lanes that execute.
    pub mask: u32,
}

/// Result values of an instruction; those of lanes that do not execute are dropped.
pub(crate) struct Outputs {
    pub lanes: [Lanes; MAX_RESULTS],
    pub predicates: [u32; 7],
}

pub(crate) type Function = Box<dyn Fn(&Inputs, &mut Outputs) + Send + Sync>;

/// Registers to registers.
pub(crate) struct Compute {
    pub sources: Vec<(Source, Modifier)>,
    pub predicates: Vec<PredicateSource>,
    pub destinations: Vec<Destination>,
    pub predicate_destinations: Vec<PredicateDestination>,
    pub function: Function,
}

/// The spaces an instruction can address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    /// Told by the address.
    Generic,
}

/// An address: the sum of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressSum {
    /// Lower and upper word; a 32-bit part has no upper word.
    pub register: Option<(u16, Option<u16>)>,
    pub scale: u32,
    pub uniform: Option<u8>,
    /// 64-bit sums; the uniform register is then a pair.
    pub wide: bool,
    pub offset: i64,
}

/// Element of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    U8,
    S8,
    U16,
    S16,
    B32,
    B64,
    B128,
}

impl Width {
    pub fn bytes(self) -> u16 {
        match self {
            Width::U8 | Width::S8 => 1,
            Width::U16 | Width::S16 => 2,
            Width::B32 => 4,
            Width::B64 => 8,
            Width::B128 => 16,
        }
    }

    pub fn registers(self) -> usize {
        usize::from(self.bytes()).div_ceil(4)
    }
}

/// The function that an atomic operation computes from the value in memory and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicFunction {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    /// Gives back whether it swapped rather than what memory held.
    CompareAndSwapTest,
    Increment,
    Decrement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicType {
    U32,
    S32,
    U64,
    S64,
    F32 {
        flush: bool,
    },
    F64,
    /// Two halves.
    F16x2,
}

impl AtomicType {
    pub fn bytes(self) -> u16 {
        match self {
            AtomicType::U64 | AtomicType::S64 | AtomicType::F64 => 8,
            _ => 4,
        }
    }
}

/// An operation that touches memory.
pub(crate) enum Access {
    Load {
        space: Space,
        width: Width,
        address: AddressSum,
        destination: u16,
    },
    Store {
        space: Space,
        width: Width,
        address: AddressSum,
        source: u16,
    },
    /// From constant memory, indexed by a register.
    LoadConstant {
        bank: u8,
        width: Width,
        address: AddressSum,
        destination: Destination,
    },
    /// Eight-by-eight matrices of halves from shared memory.
    LoadMatrices {
        count: u8,
        transposed: bool,
        address: AddressSum,
        destination: u16,
    },
    Atomic {
        space: Space,
        function: AtomicFunction,
        kind: AtomicType,
        address: AddressSum,
        operand: u16,
        /// `CompareAndSwap`: the value put in memory if it held `operand`.
        swap: u16,
        destination: Option<u16>,
        /// Set where memory could be operated on, which here is everywhere.
        done: Option<PredicateDestination>,
    },
    /// `ATOMS.POPC.INC`: adds the number of executing lanes with the same address.
    CountingIncrement {
        address: AddressSum,
        destination: Option<u16>,
    },
    Texture(TextureAccess),
    Surface(SurfaceAccess),
    /// True if a generic address lies in a space.
    QuerySpace {
        space: Space,
        address: AddressSum,
        holds: PredicateDestination,
    },
}

/// A read of a texture.
pub(crate) struct TextureAccess {
    /// `None`: its extents.
    pub sampling: Option<Sampling>,
    pub geometry: Geometry,
    /// Its handle.
    pub handle: Source,
    pub layer: Option<u16>,
    pub coordinates: ArrayVec<u16, 3>,
    /// The level of detail.
    pub level: Option<u16>,
    /// For each coordinate, its derivatives in x and in y.
    pub derivatives: ArrayVec<u16, 6>,
    /// Four bits of offset in texels per dimension.
    pub offsets: Option<u16>,
    /// Channels, or extents, and where they go.
    pub destinations: ArrayVec<(u8, u16), 4>,
    /// Set where texels are not resident, which here is nowhere.
    pub missing: Option<PredicateDestination>,
}

/// An access to a surface.
pub(crate) struct SurfaceAccess {
    pub effect: SurfaceEffect,
    pub geometry: Geometry,
    pub outside: Outside,
    pub handle: Source,
    /// x, in bytes except for formatted stores, then y and z as the geometry has them, then the layer.
    pub place: ArrayVec<u16, 4>,
    /// The first register of the data.
    pub data: u16,
}

pub(crate) enum SurfaceEffect {
    Load(Width),
    Store(Width),
    /// A formatted store of so many channels, each in a register.
    StoreFormatted(u8),
    Atomic(AtomicFunction, AtomicType),
}

impl Access {
    /// Returns true if blocks of a launch can see each other through it.
    pub fn crosses_blocks(&self) -> bool {
        match self {
            Access::Atomic { space, .. } => matches!(space, Space::Global | Space::Generic),
            Access::Surface(surface) => matches!(surface.effect, SurfaceEffect::Atomic(..)),
            _ => false,
        }
    }

    /// Bytes per lane that a trace gives addresses for, 0 if it gives none.
    pub fn traced_bytes(&self) -> u16 {
        match self {
            Access::Load { width, .. } | Access::Store { width, .. } => width.bytes(),
            Access::LoadConstant { .. } | Access::QuerySpace { .. } => 0,
            // A tracer gives no addresses for them.
            Access::Texture(_) | Access::Surface(_) => 0,
            Access::LoadMatrices { .. } => 16,
            Access::Atomic { kind, .. } => kind.bytes(),
            Access::CountingIncrement { .. } => 4,
        }
    }
}

/// An operation that moves control.
pub(crate) enum Control {
    /// Lanes jump if the condition holds for them.
    Branch {
        target: u32,
        condition: PredicateSource,
    },
    /// Jumps if all lanes of the warp are together, or if some are elsewhere.
    BranchTogether {
        target: u32,
        converged: bool,
    },
    /// Adds a register pair to a place in the code: jump tables, returns, calls through pointers.
    BranchIndexed {
        condition: PredicateSource,
        base: i64,
        register: (u16, u16),
    },
    /// Calls what a register pair has the address of.
    CallAbsolute {
        register: (u16, u16),
    },
    CallLibrary {
        function: LibraryFunction,
    },
    /// Calls a function that the listing lacks.
    CallMissing {
        name: String,
    },
    Exit {
        condition: PredicateSource,
    },
    /// All executing lanes meet again after their `BSYNC` on this barrier.
    SetConvergence {
        barrier: u8,
    },
    Converge {
        barrier: u8,
    },
    /// Leaves a convergence barrier.
    Break {
        barrier: u8,
        condition: PredicateSource,
    },
    /// Reads a convergence barrier, and perhaps clears it.
    SaveConvergence {
        barrier: u8,
        destination: u16,
        clear: bool,
    },
    RestoreConvergence {
        barrier: u8,
        source: (Source, Modifier),
    },
    /// Waits for the threads of the block, or for as many as the second operand says.
    Barrier {
        number: Source,
        threads: Option<Source>,
        reduction: Option<Reduction>,
        wait: bool,
    },
    /// Reads the result of a barrier's reduction.
    BarrierResult {
        destination: u16,
        predicate: Option<PredicateDestination>,
    },
    /// Waits for the lanes of a mask.
    SyncWarp {
        mask: (Source, Modifier),
    },
    /// Hints, fences and waits: memory is in order here.
    Nothing,
    /// `NANOSLEEP`: see [`super::warp::Warp::sleep`].
    Sleep,
    /// `BPT.TRAP` and the like.
    Trap,
}

/// The function that a barrier computes of a predicate of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduction {
    pub kind: ReductionKind,
    pub predicate: PredicateSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReductionKind {
    Count,
    And,
    Or,
}

pub(crate) enum Operation {
    Compute(Compute),
    Access(Access),
    Control(Control),
}

/// An instruction ready to execute.
pub(crate) struct Decoded {
    pub guard: PredicateSource,
    pub operation: Operation,
}

impl std::fmt::Display for AccessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AccessError::OutOfBounds => "out of bounds",
            AccessError::Misaligned => "misaligned",
        })
    }
}
