// SPDX-License-Identifier: Apache-2.0
//! Reads of one lane from a texture, and its reads from and writes to a surface.
//!
//! Filtering follows the CUDA programming guide's appendix on texture fetching: the point half a texel
//! before the coordinate, in fixed point with 8 bits of fraction, gives the texels and their weights. A
//! level of detail is taken in the same fixed point.

use super::arithmetic::half;
use super::memory::{AccessError, View};
use crate::texture::{Channel, Image, ImageShape, Sampler, Texture};

/// The kind of image that an instruction expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub dimensions: u8,
    pub layered: bool,
    pub cube: bool,
}

impl Geometry {
    /// Coordinates, and the layer before them.
    pub fn words(self) -> usize {
        usize::from(self.dimensions) + usize::from(self.layered)
    }
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampling {
    Filtered,
    /// One texel by whole coordinates.
    Fetched,
    /// One channel of the four texels that a filter would weigh.
    Gathered(u8),
}

/// A texel, as numbers or as bits.
#[derive(Clone, Copy)]
enum Texel {
    Floats([f32; 4]),
    Integers([u32; 4]),
}

/// Where and how a texture is read.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub sampling: Sampling,
    pub geometry: Geometry,
    pub layer: u32,
    /// As many as the geometry says.
    pub coordinates: [u32; 3],
    pub offsets: [i64; 3],
}

impl Texture {
    fn level(&self, number: usize) -> Level {
        let image = number.checked_sub(1).map_or(self.image, |number| self.smaller[number]);
        Level { image, sampler: self.sampler }
    }

    /// The four channels. `detail` is the level of detail.
    pub fn sample(&self, memory: &View, sample: &Sample, detail: f64) -> Result<[u32; 4], AccessError> {
        let last = self.smaller.len();
        if last == 0 {
            return self.level(0).sample(memory, sample);
        }
        let [least, most] = self.detail.range.map(f64::from);
        let wanted = (detail + f64::from(self.detail.bias)).max(least).min(most).clamp(0.0, last as f64);
        let (level, fraction) = fixed(wanted);
        let first = self.level(level as usize);
        if sample.sampling != Sampling::Filtered || !self.detail.linear || !first.is_float() {
            let nearest = if fraction < 0.5 { level } else { level + 1 };
            return self.level(nearest as usize).sample(memory, sample);
        }
        let mut found = first.sample(memory, sample)?;
        if fraction > 0.0 {
            let next = self.level(level as usize + 1).sample(memory, sample)?;
            for (bits, next) in found.iter_mut().zip(next) {
                let [first, next] = [*bits, next].map(|bits| f64::from(f32::from_bits(bits)));
                *bits = (((1.0 - fraction) * first + fraction * next) as f32).to_bits();
            }
        }
        Ok(found)
    }

    /// The level of detail at which a step of a pixel is about one texel. For each dimension, derivatives in
    /// x and in y.
    pub fn detail_of(&self, derivatives: &[[f32; 2]]) -> f64 {
        let Level { image, sampler } = self.level(0);
        let sizes = [image.width, image.height, image.depth];
        let length = |direction: usize| {
            let steps = derivatives.iter().zip(sizes).map(|(derivative, size)| {
                let scale = if sampler.normalized_coordinates { f64::from(size) } else { 1.0 };
                f64::from(derivative[direction]) * scale
            });
            steps.map(|step| step * step).sum::<f64>().sqrt()
        };
        length(0).max(length(1)).log2()
    }
}

/// An image of one level.
#[derive(Clone, Copy)]
struct Level {
    image: Image,
    sampler: Sampler,
}

impl Level {
    fn sample(&self, memory: &View, sample: &Sample) -> Result<[u32; 4], AccessError> {
        let Sample { sampling, geometry, layer, coordinates, offsets } = *sample;
        let layer = layer.min(self.image.layers - 1);
        if sampling == Sampling::Fetched {
            let place = coordinates.map(|coordinate| i64::from(coordinate as i32));
            let dimensions = usize::from(geometry.dimensions);
            let place = std::array::from_fn(|i| if i < dimensions { place[i] + offsets[i] } else { 0 });
            return Ok(self.fetch(memory, place, layer)?.bits());
        }
        let (coordinates, plane) = if geometry.cube {
            let (face, [s, t]) = cube_face(coordinates.map(f32::from_bits));
            ([s, t, 0.0], 6 * layer + face)
        } else {
            (coordinates.map(|bits| f64::from(f32::from_bits(bits))), layer)
        };
        let normalized = self.sampler.normalized_coordinates || geometry.cube;
        let sizes = self.sizes();
        let position: [f64; 3] = std::array::from_fn(|i| {
            let scale = if normalized { f64::from(sizes[i]) } else { 1.0 };
            coordinates[i] * scale + offsets[i] as f64
        });
        match sampling {
            Sampling::Gathered(channel) => {
                let [(x, _), (y, _), _] = position.map(weighted);
                let corners = [(0, 1), (1, 1), (1, 0), (0, 0)];
                let mut found = [0; 4];
                for (value, (right, down)) in found.iter_mut().zip(corners) {
                    let texel = self.texel(memory, [x + right, y + down, 0], plane)?;
                    *value = texel.bits()[usize::from(channel)];
                }
                Ok(found)
            }
            _ if self.sampler.linear => self.filter(memory, position, plane),
            _ => Ok(self.texel(memory, position.map(|at| at.floor() as i64), plane)?.bits()),
        }
    }

    /// Extents of the dimensions that an image has; 1 in others.
    fn sizes(&self) -> [u32; 3] {
        let Image { width, height, depth, .. } = self.image;
        [width, height, depth]
    }

    fn filter(&self, memory: &View, position: [f64; 3], plane: u32) -> Result<[u32; 4], AccessError> {
        let dimensions = self.image.shape.dimensions();
        let [x, y, z] = position.map(weighted);
        let mut sums = [0.0; 4];
        for corner in 0..1 << dimensions {
            let mut weight = 1.0;
            let mut place = [0; 3];
            for (i, (first, fraction)) in [x, y, z].into_iter().enumerate().take(dimensions) {
                let next = corner >> i & 1;
                place[i] = first + next;
                weight *= if next == 1 { fraction } else { 1.0 - fraction };
            }
            if weight == 0.0 {
                continue;
            }
            if let Texel::Floats(texel) = self.texel(memory, place, plane)? {
                sums.iter_mut().zip(texel).for_each(|(sum, value)| *sum += weight * f64::from(value));
            }
        }
        Ok(sums.map(|sum| (sum as f32).to_bits()))
    }

    /// The texel of an index per dimension, as the address modes have it.
    fn texel(&self, memory: &View, index: [i64; 3], plane: u32) -> Result<Texel, AccessError> {
        let sizes = self.sizes();
        let normalized = self.sampler.normalized_coordinates || self.image.shape == ImageShape::Cube;
        let mut place = [0; 3];
        for i in 0..self.image.shape.dimensions() {
            match self.sampler.address[i].place(index[i], sizes[i], normalized) {
                Some(inside) => place[i] = inside,
                None => return Ok(self.blank()),
            }
        }
        if self.image.shape != ImageShape::Volume {
            place[2] = plane;
        }
        self.read(memory, place)
    }

    /// The texel of whole coordinates; outside there are zeros.
    fn fetch(&self, memory: &View, place: [i64; 3], layer: u32) -> Result<Texel, AccessError> {
        let inside = place.iter().zip(self.sizes()).all(|(at, size)| (0..i64::from(size)).contains(at));
        if !inside {
            return Ok(self.blank());
        }
        let [x, y, z] = place.map(|at| at as u32);
        self.read(memory, [x, y, if self.image.shape == ImageShape::Volume { z } else { layer }])
    }

    fn is_float(&self) -> bool {
        self.image.channel.is_float() || self.sampler.normalized_values
    }

    fn blank(&self) -> Texel {
        if self.is_float() {
            Texel::Floats([0.0; 4])
        } else {
            Texel::Integers([0; 4])
        }
    }

    fn read(&self, memory: &View, place: [u32; 3]) -> Result<Texel, AccessError> {
        let Image { channel, channels, .. } = self.image;
        let address = self.image.address(place);
        // A channel that is missing is 0, the last one 1.
        let mut floats = [0.0, 0.0, 0.0, 1.0];
        let mut integers = [0, 0, 0, 1];
        for i in 0..channels {
            let address = address + u64::from(i * channel.size());
            let (bits, largest) = match channel {
                Channel::U8 => (u32::from(memory.read::<1>(address)?[0]), 255.0),
                Channel::S8 => (memory.read::<1>(address)?[0] as i8 as u32, 127.0),
                Channel::U16 | Channel::F16 => (u16::from_le_bytes(*memory.read(address)?).into(), 65535.0),
                Channel::S16 => (i16::from_le_bytes(*memory.read(address)?) as u32, 32767.0),
                Channel::U32 | Channel::S32 | Channel::F32 => {
                    (u32::from_le_bytes(*memory.read(address)?), 1.0)
                }
            };
            let i = i as usize;
            integers[i] = bits;
            floats[i] = match channel {
                Channel::F32 => f32::from_bits(bits),
                Channel::F16 => half::to_f32(bits as u16),
                Channel::S8 | Channel::S16 => (bits as i32 as f32 / largest).max(-1.0),
                _ => bits as f32 / largest,
            };
        }
        Ok(if self.is_float() { Texel::Floats(floats) } else { Texel::Integers(integers) })
    }
}

impl Texel {
    fn bits(self) -> [u32; 4] {
        match self {
            Texel::Floats(values) => values.map(f32::to_bits),
            Texel::Integers(values) => values,
        }
    }
}

/// The texel before a point and the weight of the one after it, with 8 bits of fraction.
fn weighted(position: f64) -> (i64, f64) {
    fixed(position - 0.5)
}

/// The whole part and the fraction in fixed point with 8 bits of fraction.
fn fixed(position: f64) -> (i64, f64) {
    let fixed = (position * 256.0 + 0.5).floor() as i64;
    (fixed >> 8, (fixed & 255) as f64 / 256.0)
}

/// The face a direction points to, and where on it, from 0 to 1.
fn cube_face(direction: [f32; 3]) -> (u32, [f64; 2]) {
    let [x, y, z] = direction.map(f64::from);
    let (face, m, s, t) = if x.abs() >= y.abs() && x.abs() >= z.abs() {
        if x >= 0.0 {
            (0, x, -z, -y)
        } else {
            (1, -x, z, -y)
        }
    } else if y.abs() >= z.abs() {
        if y >= 0.0 {
            (2, y, x, z)
        } else {
            (3, -y, x, -z)
        }
    } else if z >= 0.0 {
        (4, z, x, -y)
    } else {
        (5, -z, -x, -y)
    };
    (face, [s, t].map(|at| (at / m + 1.0) / 2.0))
}

/// The effect of an access outside of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    Clamp,
    /// Loads give zeros, stores do nothing.
    Ignore,
}

impl Image {
    /// The address of `bytes` bytes at place x, y, plane, where x counts bytes or texels; `None` if they are
    /// to be ignored.
    pub(crate) fn surface_address(
        &self,
        place: [u32; 3],
        by_byte: bool,
        outside: Outside,
    ) -> Result<Option<u64>, String> {
        let texel = self.texel_bytes();
        let sizes = [self.width, self.height, self.planes()];
        let scale = if by_byte { texel } else { 1 };
        let remainder = place[0] % scale;
        let signed = place.map(|at| i64::from(at as i32));
        let index = [signed[0].div_euclid(scale.into()), signed[1], signed[2]];
        let inside = index.iter().zip(sizes).all(|(at, size)| (0..i64::from(size)).contains(at));
        match outside {
            Outside::Trap if !inside => Err(format!(
                "surface access at x {}{}, y {}, plane {} is outside of its {} by {} by {} texels",
                signed[0],
                if by_byte { " (bytes)" } else { "" },
                signed[1],
                signed[2],
                self.width,
                self.height,
                self.planes()
            )),
            Outside::Ignore if !inside => Ok(None),
            _ => {
                let clamped = std::array::from_fn(|i| index[i].clamp(0, i64::from(sizes[i]) - 1) as u32);
                let remainder = if inside { remainder } else { 0 };
                Ok(Some(self.address(clamped) + u64::from(remainder)))
            }
        }
    }
}
