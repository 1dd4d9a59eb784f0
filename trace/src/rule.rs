// SPDX-License-Identifier: Apache-2.0
//! The ways in which operands of opcodes widen; [`crate::widen`] applies them.

/// How the operands of an opcode widen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Every operand is one register.
    Single,
    /// Every operand is a 64-bit pair.
    Pairs,
    /// Every source is a 64-bit pair, and the destination one register.
    PairSources,
    /// Two destinations; the trace lists the second one as first source.
    TwoDestinations,
    /// The trace's destination is read: one register.
    Read,
    /// The trace's destination is read: a code address, so a pair.
    ReadPair,
    /// The machine code may name a predicate before the destination register, and the trace then
    /// lists that register as first source.
    PredicateFirst,
    /// `MATCH`: as `PredicateFirst`, and `.U64` compares pairs.
    Match,
    /// `QSPC`: as `PredicateFirst`, and the source is an address.
    AddressQuery,
    /// `CS2R`: a pair is written unless `.32`.
    ClockRead,
    /// A pair is written.
    PairDestination,
    /// `IMAD`, `IMUL`: `.WIDE` writes a pair; with `.WIDE` and `.HI` the addend is a pair.
    ///
    /// The addend is the third named source. When only two are named, either the multiplier is an
    /// immediate and the second is the addend, or the addend is a constant. Traces from version 5
    /// on carry the immediate: if it is not zero the second source is the addend. Otherwise it is
    /// taken for the multiplier, the compiler's idiom for indexing an array whose base is a
    /// constant. An odd register is never a pair.
    Multiply,
    /// `F2F F2I I2F FRND`: each side as wide as its type.
    Conversion,
    /// Fragments of A, B and C spread evenly over the 32 lanes; a fourth source is the metadata of
    /// a sparse A. `HMMA.884` is Volta's step instruction: two registers each.
    Matrix,
    /// Hopper's warpgroup matrix product: the accumulators are the last source and the destination,
    /// spread over four warps; a register before them is A.
    WarpgroupMatrix,
    /// `LDTM`: the destination is as wide as the shape and the repetition say.
    LoadTensor,
    /// `STTM`: the last source is as wide as the shape and the repetition say.
    StoreTensor,
    /// Sources are addresses; the destination is as wide as the data.
    Load,
    /// `LDSM`: addresses, and a register per matrix.
    LoadMatrices,
    /// `LDGSTS`: a shared address, then a global one.
    CopyToShared,
    /// The last source is the data, those before it addresses.
    Store,
    /// `STSM`: an address, and a register per matrix.
    StoreMatrices,
    /// An address, then data operands; the returned value is as wide. With no destination named,
    /// the machine code names a predicate first and the first source is the destination.
    Atomic,
    /// As `Atomic`, but a missing destination is truly missing.
    Reduction,
    /// Every source is an address.
    Addresses,
}
