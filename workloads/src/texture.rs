// SPDX-License-Identifier: Apache-2.0
//! Textures and surfaces: images in device memory, and how they are sampled.
//!
//! An [`Image`] lies row by row in memory that was allocated as any other, so that what a launch writes
//! through a surface is what the next one samples. [`crate::Device::bind`] gives it a handle, which kernels
//! take as a `cudaTextureObject_t` or `cudaSurfaceObject_t`.

use crate::pointer::Pointer;

/// The type of a texel's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// An integer from 0 to 255.
    U8,
    /// An integer from -128 to 127.
    S8,
    /// An unsigned integer of 16 bits.
    U16,
    /// A signed integer of 16 bits.
    S16,
    /// An unsigned integer of 32 bits.
    U32,
    /// A signed integer of 32 bits.
    S32,
    /// A half.
    F16,
    /// A single.
    F32,
}

impl Channel {
    /// In bytes.
    pub fn size(self) -> u32 {
        match self {
            Channel::U8 | Channel::S8 => 1,
            Channel::U16 | Channel::S16 | Channel::F16 => 2,
            Channel::U32 | Channel::S32 | Channel::F32 => 4,
        }
    }

    /// Returns true if it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Channel::F16 | Channel::F32)
    }
}

/// The extent of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageShape {
    /// One dimension.
    Line,
    /// Two dimensions.
    Plane,
    /// Three dimensions.
    Volume,
    /// Six square faces: +x, -x, +y, -y, +z, -z.
    Cube,
}

impl ImageShape {
    /// The dimensions of a plane of it.
    pub fn dimensions(self) -> usize {
        match self {
            ImageShape::Line => 1,
            ImageShape::Plane | ImageShape::Cube => 2,
            ImageShape::Volume => 3,
        }
    }
}

/// Texels in memory, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Where the first texel lies.
    pub base: Pointer,
    /// Type of each channel.
    pub channel: Channel,
    /// 1, 2 or 4.
    pub channels: u32,
    /// The extent of the image.
    pub shape: ImageShape,
    /// Texels in x.
    pub width: u32,
    /// Texels in y; 1 for a line.
    pub height: u32,
    /// Texels in z; 1 except for a volume.
    pub depth: u32,
    /// Layers, each with all faces of a cube; 1 where there are none.
    pub layers: u32,
    /// Bytes from one row to the next; 0: a row begins where the one before it ends.
    pub pitch: u32,
}

impl Image {
    /// The size of a texel in bytes.
    pub fn texel_bytes(&self) -> u32 {
        self.channel.size() * self.channels
    }

    /// Planes that lie one after the other: slices of a volume, or faces and layers.
    pub fn planes(&self) -> u32 {
        match self.shape {
            ImageShape::Volume => self.depth,
            ImageShape::Cube => 6 * self.layers,
            _ => self.layers,
        }
    }

    /// From the first texel to the last one.
    pub fn bytes(&self) -> u64 {
        let rows = u64::from(self.height).saturating_mul(self.planes().into());
        rows.saturating_sub(1).saturating_mul(self.row()).saturating_add(self.row_bytes())
    }

    fn row_bytes(&self) -> u64 {
        u64::from(self.width) * u64::from(self.texel_bytes())
    }

    /// From one row to the next.
    fn row(&self) -> u64 {
        if self.pitch == 0 {
            self.row_bytes()
        } else {
            self.pitch.into()
        }
    }

    /// The address of a texel, which must exist.
    pub(crate) fn address(&self, [x, y, plane]: [u32; 3]) -> u64 {
        let row = u64::from(plane) * u64::from(self.height) + u64::from(y);
        self.base.0 + row * self.row() + u64::from(x) * u64::from(self.texel_bytes())
    }
}

/// The texel that a coordinate outside of an image stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressMode {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The image repeats; with normalized coordinates only, else as `Clamp`.
    Wrap,
    /// It repeats mirrored; with normalized coordinates only, else as `Clamp`.
    Mirror,
    /// Zeros.
    Border,
}

impl AddressMode {
    /// The texel that index `index` of `size` stands for; `None` for the border.
    pub(crate) fn place(self, index: i64, size: u32, normalized: bool) -> Option<u32> {
        let size = i64::from(size);
        let place = match self {
            AddressMode::Wrap if normalized => index.rem_euclid(size),
            AddressMode::Mirror if normalized => {
                let place = index.rem_euclid(2 * size);
                place.min(2 * size - 1 - place)
            }
            AddressMode::Border => return (0..size).contains(&index).then_some(index as u32),
            _ => index.clamp(0, size - 1),
        };
        Some(place as u32)
    }
}

/// How an image is sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler {
    /// Weighs the texels around a point; else the nearest one is taken.
    pub linear: bool,
    /// Per dimension.
    pub address: [AddressMode; 3],
    /// Coordinates go from 0 to 1 over the image, rather than over its texels.
    pub normalized_coordinates: bool,
    /// Integers of 8 and 16 bits are read as numbers from 0 (or -1) to 1.
    pub normalized_values: bool,
}

/// The choice of an image's levels for a level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelOfDetail {
    /// Weighs the two levels around it; else the nearest one is taken.
    pub linear: bool,
    /// A number that is added to it.
    pub bias: f32,
    /// The least and the greatest one.
    pub range: [f32; 2],
}

impl Default for LevelOfDetail {
    fn default() -> LevelOfDetail {
        LevelOfDetail { linear: false, bias: 0.0, range: [0.0, f32::INFINITY] }
    }
}

/// The texture behind a handle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Texture {
    pub image: Image,
    /// The levels below the image itself, each about half as large as the one before it.
    pub smaller: Vec<Image>,
    pub sampler: Sampler,
    pub detail: LevelOfDetail,
}

impl Texture {
    /// Returns an error that names its fault, if it has one.
    pub fn check(&self) -> Result<(), String> {
        let Texture { image, sampler, smaller, .. } = self;
        let halved = |size: u32, level: usize| (size >> level.min(31)).max(1);
        for (number, level) in smaller.iter().enumerate() {
            let expected = Image {
                base: level.base,
                pitch: level.pitch,
                width: halved(image.width, number + 1),
                height: halved(image.height, number + 1),
                depth: halved(image.depth, number + 1),
                ..*image
            };
            if *level != expected {
                return Err(format!("level {} is not half of the one before it", number + 1));
            }
        }
        if !matches!(image.channels, 1 | 2 | 4) {
            return Err(format!("{} channels: give 1, 2 or 4", image.channels));
        }
        if [image.width, image.height, image.depth, image.layers].contains(&0) {
            return Err(
                "an image of no texels: give a width, and a height, depth and layers where it has them"
                    .into(),
            );
        }
        if u64::from(image.pitch) < image.row_bytes() && image.pitch != 0 {
            return Err(format!("rows of {} bytes, {} apart", image.row_bytes(), image.pitch));
        }
        let squeezed = match image.shape {
            ImageShape::Line => image.height > 1 || image.depth > 1,
            ImageShape::Plane => image.depth > 1,
            ImageShape::Volume => image.layers > 1,
            ImageShape::Cube => image.width != image.height || image.depth > 1,
        };
        if squeezed {
            return Err(format!("{:?} does not extend so; layers of volumes are not possible", image.shape));
        }
        let narrow = image.channel.size() < 4 && !image.channel.is_float();
        if sampler.normalized_values && !narrow {
            return Err("only integers of 8 and 16 bits are read as normalized values".into());
        }
        if sampler.linear && !image.channel.is_float() && !sampler.normalized_values {
            return Err("integers are filtered only when they are read as normalized values".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_outside_an_image() {
        let places = |mode: AddressMode, normalized| {
            (-5..8).map(|index| mode.place(index, 3, normalized).map_or(9, |place| place)).collect::<Vec<_>>()
        };
        assert_eq!(places(AddressMode::Clamp, true), [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
        assert_eq!(places(AddressMode::Wrap, true), [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]);
        assert_eq!(places(AddressMode::Mirror, true), [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
        assert_eq!(places(AddressMode::Border, true), [9, 9, 9, 9, 9, 0, 1, 2, 9, 9, 9, 9, 9]);
        assert_eq!(places(AddressMode::Wrap, false), places(AddressMode::Clamp, true));
    }
}
