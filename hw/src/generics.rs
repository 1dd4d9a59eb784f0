// SPDX-License-Identifier: Apache-2.0
//! From parameters to the const generics of blocks.

/// Runs an expression with const generics chosen by parameters, under the names that all blocks use.
///
/// `generics!(parameters; W, I => expression)`: the expression is compiled once for every value that each
/// named generic can have, and sees it as a constant of that name:
///
/// - `W`: bits of a register's value, of one lane in simulation or of all 32 lanes;
/// - `I`: bits of a cache-table entry's number;
/// - `C`: bits of a collector's number;
/// - `P`: bits of a PCRF pointer;
/// - `L`: lanes that share the tags of a register cache;
/// - `V` and `A`: bits of a warp's number in the SM and of a shared-memory address, which have one value.
///
/// A number in a name's place is passed over: `generics!(parameters; W, 3 => Arbiter::<3>::new(parameters))`.
#[macro_export]
macro_rules! generics {
    ($parameters:expr; => $body:expr) => { $body };
    ($parameters:expr; W $(, $rest:tt)* => $body:expr) => {
        $crate::generics!(@ $parameters.width; W = [32] 1024; ($parameters; $($rest),* => $body))
    };
    ($parameters:expr; I $(, $rest:tt)* => $body:expr) => {
        $crate::generics!(@ $parameters.entry_bits(); I = [2 3] 4; ($parameters; $($rest),* => $body))
    };
    ($parameters:expr; C $(, $rest:tt)* => $body:expr) => {
        $crate::generics!(@ $parameters.collector_bits(); C = [1 2] 3; ($parameters; $($rest),* => $body))
    };
    ($parameters:expr; P $(, $rest:tt)* => $body:expr) => {
        $crate::generics!(@ $parameters.pointer_bits(); P = [6 7 8 9 10] 11; ($parameters; $($rest),* => $body))
    };
    ($parameters:expr; L $(, $rest:tt)* => $body:expr) => {
        $crate::generics!(@ $parameters.rc_tag_lanes; L = [1] 32; ($parameters; $($rest),* => $body))
    };
    ($parameters:expr; V $(, $rest:tt)* => $body:expr) => {{
        const V: usize = ::gpurf_blocks::WARP_BITS;
        $crate::generics!($parameters; $($rest),* => $body)
    }};
    ($parameters:expr; A $(, $rest:tt)* => $body:expr) => {{
        const A: usize = ::gpurf_blocks::ADDRESS_BITS;
        $crate::generics!($parameters; $($rest),* => $body)
    }};
    ($parameters:expr; $number:literal $(, $rest:tt)* => $body:expr) => {
        $crate::generics!($parameters; $($rest),* => $body)
    };
    // One name: a match over its values, whose last is the one that is left; then the names after it.
    (@ $value:expr; $name:ident = [$($choice:literal)*] $last:literal; $then:tt) => {
        match $value {
            $($choice => {
                const $name: usize = $choice;
                $crate::generics! $then
            })*
            _ => {
                const $name: usize = $last;
                $crate::generics! $then
            }
        }
    };
}

/// An expression in which every const generic of the blocks has some value: for what is the same whatever
/// they are.
#[macro_export]
macro_rules! example {
    ($body:expr) => {{
        #[allow(unused)]
        const W: usize = 8;
        #[allow(unused)]
        const I: usize = 8;
        #[allow(unused)]
        const C: usize = 8;
        #[allow(unused)]
        const P: usize = 8;
        #[allow(unused)]
        const L: usize = 8;
        #[allow(unused)]
        const V: usize = 8;
        #[allow(unused)]
        const A: usize = 8;
        $body
    }};
}
