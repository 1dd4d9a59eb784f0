// SPDX-License-Identifier: Apache-2.0
//! The macro that declares parameters.

/// Makes of each declaration a field of `Parameters`, its default, an entry of `PARAMETERS` and, for a
/// number, the constants `MIN_<NAME>` and `MAX_<NAME>`: its least and its largest possible value, from which
/// the structs of ports have the lengths of their arrays.
///
/// ```text
/// /// What it is, in whole sentences.
/// name [short name in Verilog]: type = default, possible values, "unit", "source";
/// ```
///
/// With a `?` behind its short name it stands in the names of Verilog modules only where it is not the
/// default.
macro_rules! parameters {
    ($($(#[doc = $doc:literal])+
       $name:ident $([$short:ident $($optional:tt)?])?: $type:ident = $default:expr, $values:expr, $unit:tt, $source:literal;)+) => {
        /// Sizes and policies of all hardware. A module takes from them what concerns it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
        pub struct Parameters {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\n", parameters!(@unit $unit), "Source: ", $source, ". Values: `", stringify!($values), "`.")]
                pub $name: $type,
            )+
        }

        impl Default for Parameters {
            fn default() -> Self {
                Parameters { $($name: $default,)+ }
            }
        }

        /// Every parameter, in the order of the fields.
        pub const PARAMETERS: &[Parameter] = &[$(
            Parameter {
                name: stringify!($name),
                short: parameters!(@short $($short)?),
                is_optional: parameters!(@optional $($($optional)?)?),
                doc: concat!($($doc),+).trim_ascii_start(),
                values: $values,
                unit: $unit,
                source: $source,
            },
        )+];

        pastey::paste! {
            $(parameters!(@bounds $type $name [<MIN_ $name:upper>] [<MAX_ $name:upper>] $values);)+
        }

        impl Parameters {
            /// Sets one parameter from text, as of `--set entries=16`, or those of a [`Timing`].
            /// [`Parameters::check`] comes after the last one.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
                if name == TIMING {
                    return Timing::find(text)?.apply(self);
                }
                let parameter = Parameter::find(name)?;
                match name {
                    $(stringify!($name) => self.$name = ParameterValue::parse(text, parameter)?,)+
                    _ => unreachable!("every parameter has a field"),
                }
                Ok(())
            }

            /// The value as text.
            ///
            /// # Panics
            /// If no parameter is called so.
            pub fn text_of(&self, name: &str) -> String {
                match name {
                    $(stringify!($name) => self.$name.text(),)+
                    _ => panic!("no parameter is called `{name}`"),
                }
            }

            /// The value as a number, as the names of Verilog modules have it.
            ///
            /// # Panics
            /// If no parameter is called so.
            pub fn number_of(&self, name: &str) -> usize {
                match name {
                    $(stringify!($name) => self.$name.number(),)+
                    _ => panic!("no parameter is called `{name}`"),
                }
            }

            /// The parameter and its value, as names and headers of Verilog modules have them.
            ///
            /// # Panics
            /// If no parameter is called so.
            pub fn setting(&self, name: &str) -> Setting {
                let parameter = Parameter::find(name).unwrap_or_else(|error| panic!("{error}"));
                let is_default = match name {
                    $(stringify!($name) => self.$name == Parameters::default().$name,)+
                    _ => unreachable!("every parameter has a field"),
                };
                let (text, number) = (self.text_of(name), self.number_of(name));
                let short = parameter.short.unwrap_or(parameter.name);
                Setting { name: parameter.name, short, number, text, is_default }
            }
        }
    };
    (@short) => { None };
    (@short $short:ident) => { Some(stringify!($short)) };
    (@optional) => { false };
    (@optional ?) => { true };
    (@unit "") => { "" };
    (@unit $unit:tt) => { concat!("Unit: ", $unit, ". ") };
    (@bounds usize $name:ident $min:ident $max:ident $values:expr) => {
        #[doc = concat!("Least possible `", stringify!($name), "`.")]
        pub const $min: usize = $values.least();
        #[doc = concat!("Largest possible `", stringify!($name), "`.")]
        pub const $max: usize = $values.largest();
    };
    (@bounds $type:ident $name:ident $min:ident $max:ident $values:expr) => {};
}

pub(super) use parameters;
