//! The register of testbenches, in which each file enters its own.

use gpurf_blocks::Parameters;

use crate::Workbench;

/// An entry of the register.
pub struct Registration {
    /// Type of the module, `CacheTable`.
    pub module: &'static str,
    /// Opens it under a name that waveforms show.
    pub open: fn(&str, &Parameters) -> Box<dyn Workbench>,
}

inventory::collect!(Registration);

/// Registers the testbench of a module.
///
/// `register!(Ccu<W, I>)`: the const generics have the names of [`gpurf_hw::generics!`].
#[macro_export]
macro_rules! register {
    ($module:ident $(<$($generic:tt),+>)?) => {
        $crate::submit! {
            $crate::Registration {
                module: stringify!($module),
                open: |name, parameters| ::gpurf_hw::generics!(parameters; $($($generic),+)? =>
                    Box::new($crate::Bench::<$module $(<$($generic),+>)?>::new(name, parameters))
                ),
            }
        }
    };
}

/// The workbench of a module of the catalogue. Panics on a name that is not in it.
pub fn workbench(name: &str, parameters: &Parameters) -> Box<dyn Workbench> {
    let found = inventory::iter::<Registration>.into_iter().find(|bench| snake_case(bench.module) == name);
    (found.unwrap_or_else(|| panic!("no testbench of `{name}` is registered")).open)(name, parameters)
}

/// A module's name in the catalogue: `cache_table` for `CacheTable`.
fn snake_case(module: &str) -> String {
    let mut name = String::new();
    for letter in module.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
