// SPDX-License-Identifier: Apache-2.0
//! The tables of a launch file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::arguments::DeclaredArgument;
use super::elements::{ElementTolerance, ElementType, Number};
use super::values::Values;
use crate::device::Dim;
use crate::pointer::Pointer;
use crate::texture::{AddressMode, Channel, Image, ImageShape, Sampler};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub listing: Spanned<PathBuf>,
    /// Bytes that kernels can allocate.
    pub heap: Option<u64>,
    /// Bytes of a thread's stack where the listing does not tell.
    pub stack: Option<u64>,
    /// Bytes of zeros before and behind each buffer that kernels may touch.
    pub margin: Option<u64>,
    #[serde(default)]
    pub buffers: BTreeMap<String, Spanned<Buffer>>,
    /// `__constant__` and `__device__` variables of the listing.
    #[serde(default)]
    pub variables: BTreeMap<String, Spanned<Buffer>>,
    /// Textures and surfaces, in buffers.
    #[serde(default)]
    pub images: BTreeMap<String, Spanned<Texels>>,
    pub launch: Vec<Spanned<Step>>,
    #[serde(default)]
    pub print: Vec<Spanned<Print>>,
    #[serde(default)]
    pub dump: Vec<Spanned<Dump>>,
    #[serde(default)]
    pub expect: Vec<Spanned<Expect>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Buffer {
    #[serde(rename = "type")]
    pub element: ElementType,
    /// Elements.
    pub count: u64,
    /// Zeros if not given; of a variable what the listing has.
    pub init: Option<Values>,
}

/// A buffer as a texture or a surface.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texels {
    pub buffer: String,
    #[serde(default = "one")]
    channels: u32,
    #[serde(default)]
    shape: Extents,
    width: u32,
    #[serde(default = "one")]
    height: u32,
    #[serde(default = "one")]
    depth: u32,
    #[serde(default = "one")]
    layers: u32,
    #[serde(default)]
    filter: Filter,
    #[serde(default)]
    address: Addressing,
    #[serde(default)]
    normalized_coordinates: bool,
    #[serde(default)]
    normalized_values: bool,
}

fn one() -> u32 {
    1
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Extents {
    Line,
    #[default]
    Plane,
    Volume,
    Cube,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Filter {
    #[default]
    Point,
    Linear,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Addressing {
    #[default]
    Clamp,
    Wrap,
    Mirror,
    Border,
}

impl Texels {
    /// Returns an error unless the buffer can be read so.
    pub fn check(&self, buffer: &Buffer) -> Result<(), String> {
        channel(buffer.element).map(|_| ()).ok_or_else(|| {
            format!("texels of type {} are not possible; use 8 to 32 bits", buffer.element.name())
        })
    }

    /// The image and how it is sampled, with its texels at `base`.
    pub fn image(&self, buffer: &Buffer, base: Pointer) -> (Image, Sampler) {
        let shape = match self.shape {
            Extents::Line => ImageShape::Line,
            Extents::Plane => ImageShape::Plane,
            Extents::Volume => ImageShape::Volume,
            Extents::Cube => ImageShape::Cube,
        };
        let Texels { channels, width, height, depth, layers, .. } = *self;
        let channel = channel(buffer.element).expect("checked");
        let address = match self.address {
            Addressing::Clamp => AddressMode::Clamp,
            Addressing::Wrap => AddressMode::Wrap,
            Addressing::Mirror => AddressMode::Mirror,
            Addressing::Border => AddressMode::Border,
        };
        let sampler = Sampler {
            linear: self.filter == Filter::Linear,
            address: [address; 3],
            normalized_coordinates: self.normalized_coordinates,
            normalized_values: self.normalized_values,
        };
        (Image { base, channel, channels, shape, width, height, depth, layers, pitch: 0 }, sampler)
    }
}

fn channel(element: ElementType) -> Option<Channel> {
    Some(match element {
        ElementType::U8 => Channel::U8,
        ElementType::I8 => Channel::S8,
        ElementType::U16 => Channel::U16,
        ElementType::I16 => Channel::S16,
        ElementType::U32 => Channel::U32,
        ElementType::I32 => Channel::S32,
        ElementType::F16 => Channel::F16,
        ElementType::F32 => Channel::F32,
        ElementType::I64 | ElementType::U64 | ElementType::F64 => return None,
    })
}

/// A launch, values put into memory, or a loop of such steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub kernel: Option<String>,
    /// In blocks.
    pub grid: Option<Extent>,
    /// In threads.
    pub block: Option<Extent>,
    /// Dynamic shared memory, in bytes.
    #[serde(default)]
    pub shared: u32,
    #[serde(default)]
    pub arguments: Vec<Spanned<DeclaredArgument>>,
    pub set: Option<Set>,
    /// Most rounds of a loop.
    pub repeat: Option<u64>,
    /// The loop ends after the round that leaves this value.
    pub until: Option<Condition>,
    #[serde(default)]
    pub launch: Vec<Spanned<Step>>,
}

impl Step {
    /// Adds the files that its values and arguments are read from, and those of the steps in it.
    pub fn files(&self, files: &mut Vec<PathBuf>) {
        self.arguments.iter().for_each(|argument| argument.get_ref().files(files));
        self.set.iter().for_each(|set| set.values.files(files));
        self.launch.iter().for_each(|step| step.get_ref().files(files));
    }

    /// Returns an error unless it is one thing, and all of it.
    pub fn check(&self) -> Result<(), String> {
        let kernel = self.kernel.is_some();
        let looped = !self.launch.is_empty();
        if u8::from(kernel) + u8::from(looped) + u8::from(self.set.is_some()) != 1 {
            return Err(
                "a [[launch]] has either a `kernel`, or `set`, or `repeat` and steps of its own".into()
            );
        }
        if kernel && (self.grid.is_none() || self.block.is_none()) {
            let missing = if self.grid.is_none() { "grid" } else { "block" };
            return Err(format!("missing field `{missing}`"));
        }
        if looped != self.repeat.is_some() || self.until.is_some() && !looped {
            return Err("a loop has `repeat`, the most rounds, and steps in [[launch.launch]]".into());
        }
        if self.repeat.is_some_and(|rounds| rounds > MAX_ROUNDS) {
            return Err(format!("repeat: give {MAX_ROUNDS} rounds at most"));
        }
        Ok(())
    }
}

/// Most rounds of a loop.
const MAX_ROUNDS: u64 = 1_000_000;

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "a positive number, or a list of two or three")]
pub(super) enum Extent {
    X(u32),
    Xy([u32; 2]),
    Xyz([u32; 3]),
}

impl Default for Extent {
    fn default() -> Extent {
        Extent::X(1)
    }
}

impl From<Extent> for Dim {
    fn from(extent: Extent) -> Dim {
        match extent {
            Extent::X(x) => x.into(),
            Extent::Xy([x, y]) => (x, y).into(),
            Extent::Xyz([x, y, z]) => (x, y, z).into(),
        }
    }
}

/// Elements of a buffer or a variable.
pub(super) struct Target<'a> {
    pub buffer: Option<&'a str>,
    pub variable: Option<&'a str>,
    pub first: u64,
    pub count: Option<u64>,
}

/// A table that names elements, and has fields of its own.
macro_rules! table_of_elements {
    ($(#[$about:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            buffer: Option<String>,
            variable: Option<String>,
            #[serde(default)]
            first: u64,
            count: Option<u64>,
            $($(#[$attribute])* pub $field: $type,)*
        }

        impl $name {
            pub fn of(&self) -> Target<'_> {
                Target {
                    buffer: self.buffer.as_deref(),
                    variable: self.variable.as_deref(),
                    first: self.first,
                    count: self.count,
                }
            }
        }
    };
}

table_of_elements! {
    /// Values to put there.
    Set {
        values: Values,
    }
}

table_of_elements! {
    /// An element and the value it is to have.
    Condition {
        is: Number,
    }
}

table_of_elements! {
    /// Elements to show.
    Print {}
}

table_of_elements! {
    /// Elements to write to a file, little endian.
    Dump {
        file: PathBuf,
    }
}

table_of_elements! {
    /// Values that must be there after the launches.
    Expect {
        values: Values,
        #[serde(default)]
        tolerance: ElementTolerance,
    }
}
