// SPDX-License-Identifier: Apache-2.0
//! Attribute and derive macros of gpurf's rust-hdl dialect.

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
/// | `Vec<Signal<_, T>>` with `#[port(max = N)]` | `[T; N]`; zero past the module's own length |
///
/// `clock` and `reset` belong to the driver and have no field. Only `pub` fields of type `Signal`
/// or `Vec<Signal>` are ports.
#[proc_macro_derive(Module, attributes(port))]
pub fn derive_module(item: TokenStream) -> TokenStream {
    let made = gpurf_declaration::derive_module(syn::parse_macro_input!(item as syn::DeriveInput));
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a hardware module of its declaration.
///
/// ```ignore
/// /// `W`: data width in bits.
/// #[block(title = "Operand collector unit", paper = "W §2, F §II", parameters(width, slots))]
/// pub struct Ocu<const W: usize> {
///     /// An instruction enters; the unit must not be occupied.
///     pub issue: In<Bit>,
///     pub source_valid: In<[Bit; slots]>,
///     pub ready: Out<Bit>,
///     arrives: Local<[Bit; slots]>,
///     slot_data: Register<[Bits<W>; slots]>,
///     #[value(|slot| slot)]
///     slot_number: Constant<[Bits<3>; slots]>,
/// }
/// ```
///
/// It writes the clock and the reset, which reach every register and module in it without a line in the
/// kernel; the constructor `new(&Parameters)`, with every array as long as its declaration says; the name,
/// origin and parameters in Verilog; and `OcuIn`, `OcuOut` and `Module`, as the derive macro of that name
/// does.
///
/// * Public `In` and `Out` fields are ports, and so are the wires of a [`macro@bundle`],
///   `pub head: Instruction<In>`. Lower-case names in lengths are parameters of the hardware.
/// * `parameters(..)` are those that change the module: they stand in its Verilog name, in this order.
/// * `arguments(requesters = collectors)`: a cell whose constructor takes plain sizes instead of
///   parameters, each at most as large as the parameter or constant behind it can be.
/// * `sizes(pairs = requesters * 2, banks)`: further numbers for lengths and loops.
/// * `fixed(destinations = 0)`: parameters that have this value here and in every module below.
/// * `ports(FifoIn, FifoOut)`: names of the plain structs, for modules that have the same ports.
/// * `bundle = CollectorPorts<W>`: all its ports are those of a [`macro@bundle`].
/// * `naming = K::STAGE`: what a module that is generic in another is called, instead of title, paper
///   and parameters.
/// * `combinational`: no clock, no reset.
/// * On a field: `#[when(condition)]` says under which parameters it is there; `#[value(..)]` is what a
///   constant holds, for an array a closure over the index; `#[with(..)]` are the arguments of a module's
///   constructor, instead of the parameters; `#[new(..)]` makes the module.
#[proc_macro_attribute]
pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let made = gpurf_declaration::block(arguments.into(), item.into());
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes wires that travel together, or ports that several modules have.
///
/// Fields without a direction, `pub warp: Bits<V>`, are wires: a module has them as `LoadRequest<In, V, A>`,
/// `Out`, `Local` or `Held`, which are registers, and its kernel may assign them as one. In the plain structs
/// and in Verilog they are ports named `field_wire`; `#[flat]` on the module's field leaves out the field's
/// name, `#[prefix(name)]` takes another.
///
/// Fields with a direction, `pub warp: In<Bits<3>>`, are ports of several modules: it writes their signals,
/// `new(&Parameters)`, and the plain structs that `ports(..)` names.
/// Fields and lengths are written as under [`macro@block`]. A module has them by
/// `#[block(bundle = CollectorPorts<W>)]`, and its kernel, its parent and its Verilog name them as ports of
/// its own.
#[proc_macro_attribute]
pub fn bundle(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let made = gpurf_declaration::bundle(arguments.into(), item.into());
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Takes every file of a folder as a module, with all that is public in it: `modules!("src/issue");` in
/// `src/issue/mod.rs`. A new file needs no line anywhere.
#[proc_macro]
pub fn modules(folder: TokenStream) -> TokenStream {
    let made = gpurf_declaration::modules(syn::parse_macro_input!(folder as syn::LitStr));
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}

#[doc = include_str!("rtl/rules.md")]
#[proc_macro_attribute]
pub fn rtl(arguments: TokenStream, kernel: TokenStream) -> TokenStream {
    rtl::expand(arguments.into(), kernel.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}
