//! Attribute and derive macros of gpurf's rust-hdl dialect.

mod module;
mod rtl;

use proc_macro::TokenStream;

/// Derives the plain-Rust face of a hardware module from its ports.
///
/// For `struct Fifo { pub push: Signal<In, Bit>, pub level: Signal<Out, Bits<4>>, .. }` it writes
///
/// * `FifoIn { pub push: bool }` and `FifoOut { pub level: u32 }`, with the doc comment of each
///   port, and `Ports` for both;
/// * `Module for Fifo`, which drives and samples the signals.
///
/// The type of a port gives the type of the field:
///
/// | port | field |
/// |---|---|
/// | `Signal<_, Bit>` | `bool` |
/// | `Signal<_, Bits<N>>`, `N` a literal or constant up to 32 | `u32` |
/// | `Signal<_, Bits<W>>`, `W` the const parameter of that name | `D`, see `Data` |
/// | `Vec<Signal<_, T>>` with `#[port(max = N)]` | `[T; N]`; elements past the module's own length stay zero |
///
/// `clock` and `reset` belong to the driver and have no field. Only `pub` fields of type `Signal`
/// or `Vec<Signal>` are ports. `#[ports(FifoIn, FifoOut)]` on the struct uses the structs of another
/// module with the same ports instead of writing new ones.
#[proc_macro_derive(Module, attributes(port, ports))]
pub fn derive_module(item: TokenStream) -> TokenStream {
    module::derive(syn::parse_macro_input!(item as syn::DeriveInput))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

#[doc = include_str!("rtl/rules.md")]
#[proc_macro_attribute]
pub fn rtl(arguments: TokenStream, kernel: TokenStream) -> TokenStream {
    rtl::expand(arguments.into(), kernel.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}
