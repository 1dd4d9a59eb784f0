// SPDX-License-Identifier: Apache-2.0
//! The register of testbenches, in which each file enters its own.

use gpurf_blocks::Parameters;

use crate::Workbench;

/// An entry of the register.
pub struct Registration {
    /// The module's name in the catalogue.
    pub module: &'static str,
    /// Opens it under a name that waveforms show.
    pub open: fn(&str, &Parameters) -> Box<dyn Workbench>,
}

inventory::collect!(Registration);

/// Registers the testbench of a module.
///
/// `register!(Ccu<W, I>)`, or `register!([W, I, C] OperandStage<Ccu<W, I>, W, C>)`: the const generics have
/// the names of [`gpurf_hw::generics!`].
#[macro_export]
macro_rules! register {
    ($module:ident $(<$($generic:tt),+>)?) => {
        $crate::register!([$($($generic),+)?] $module $(<$($generic),+>)?);
    };
    ([$($generic:tt),*] $module:ty) => {
        $crate::submit! {
            $crate::Registration {
                module: ::gpurf_hw::example!(<$module as ::gpurf_hw::dialect::Declared>::NAMING.module),
                open: |name, parameters| ::gpurf_hw::generics!(parameters; $($generic),* =>
                    Box::new($crate::bench::<$module>(name, parameters))
                ),
            }
        }
    };
}

/// The workbench of a module of the catalogue. Panics on a name that is not in it.
pub fn workbench(name: &str, parameters: &Parameters) -> Box<dyn Workbench> {
    let found = inventory::iter::<Registration>.into_iter().find(|bench| bench.module == name);
    (found.unwrap_or_else(|| panic!("no testbench of `{name}` is registered")).open)(name, parameters)
}
