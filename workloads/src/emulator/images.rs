// SPDX-License-Identifier: Apache-2.0
//! Instructions on textures and surfaces.

use super::arithmetic::convert::{float_to_float, FloatType};
use super::atomic::atomic_32;
use super::block_memory::BlockMemory;
use super::constants::Constants;
use super::fault::Fault;
use super::operation::*;
use super::texture::{Geometry, Sample, Sampling};
use super::warp::{lanes_of, Warp};
use crate::texture::{Channel, Image, ImageShape, Texture};

/// The lower bits of a handle name an image, those above a sampler, which here comes with the image.
const HANDLE_MASK: u32 = 0xf_ffff;

impl Warp {
    pub fn read_texture(
        &mut self,
        access: &TextureAccess,
        mask: u32,
        constants: &Constants,
        memory: &BlockMemory,
    ) -> Result<(), Fault> {
        for lane in lanes_of(mask) {
            let texture = self.texture(access.handle, lane, constants, memory)?;
            let word = |row: u16| self.registers[usize::from(row)][lane];
            let found = match access.sampling {
                None => {
                    let Image { width, height, depth, .. } = texture.image;
                    [width, height, depth, 1]
                }
                Some(sampling) => {
                    check_shape(&texture.image, access.geometry)
                        .map_err(|message| Fault::new(message).at(lane))?;
                    let mut coordinates = [0; 3];
                    coordinates.iter_mut().zip(&access.coordinates).for_each(|(to, &row)| *to = word(row));
                    let layer = access.layer.map_or(0, |row| word(row) & 0xffff);
                    // Four bits each, with a sign.
                    let offsets = access.offsets.map_or(0, word);
                    let offsets = [0, 4, 8].map(|at| i64::from((offsets << (28 - at)) as i32 >> 28));
                    let detail = match (access.level, sampling) {
                        _ if texture.smaller.is_empty() => 0.0,
                        (Some(row), Sampling::Fetched) => f64::from(word(row) as i32),
                        (Some(row), _) => f64::from(f32::from_bits(word(row))),
                        (None, _) if access.derivatives.is_empty() => 0.0,
                        (None, _) => {
                            let mut derivatives = [[0.0; 2]; 3];
                            let values = access.derivatives.iter().map(|&row| f32::from_bits(word(row)));
                            derivatives
                                .as_flattened_mut()
                                .iter_mut()
                                .zip(values)
                                .for_each(|(to, value)| *to = value);
                            texture.detail_of(&derivatives[..access.coordinates.len()])
                        }
                    };
                    let geometry = access.geometry;
                    let sample = Sample { sampling, geometry, layer, coordinates, offsets };
                    let sampled = texture.sample(&memory.global, &sample, detail);
                    sampled.map_err(|error| Fault::new(format!("texture read is {error}")).at(lane))?
                }
            };
            for &(channel, row) in &access.destinations {
                self.registers[usize::from(row)][lane] = found[usize::from(channel)];
            }
        }
        if let Some(missing) = access.missing {
            self.set_predicate(missing, mask, 0);
        }
        Ok(())
    }

    pub fn access_surface(
        &mut self,
        access: &SurfaceAccess,
        mask: u32,
        constants: &Constants,
        memory: &mut BlockMemory,
    ) -> Result<(), Fault> {
        let rows = self.rows(access.data);
        for lane in lanes_of(mask) {
            let image = self.texture(access.handle, lane, constants, memory)?.image;
            let fault = |message: String| Fault::new(message).at(lane);
            let mut place = [0; 3];
            for (at, &row) in access.place.iter().take(usize::from(access.geometry.dimensions)).enumerate() {
                place[at] = self.registers[usize::from(row)][lane];
            }
            if access.geometry.layered {
                let row = access.place[usize::from(access.geometry.dimensions)];
                place[2] = self.registers[usize::from(row)][lane];
            }
            let by_byte = !matches!(access.effect, SurfaceEffect::StoreFormatted(_));
            let address = image.surface_address(place, by_byte, access.outside).map_err(fault)?;
            let misplaced = |error| fault(format!("surface access is {error}"));
            match access.effect {
                SurfaceEffect::Load(width) => {
                    let mut bytes = [0; 16];
                    if let Some(address) = address {
                        let bytes = &mut bytes[..usize::from(width.bytes())];
                        for (i, chunk) in bytes.chunks_mut(4).enumerate() {
                            let address = address + 4 * i as u64;
                            match chunk.len() {
                                1 => chunk
                                    .copy_from_slice(memory.global.read::<1>(address).map_err(misplaced)?),
                                2 => chunk
                                    .copy_from_slice(memory.global.read::<2>(address).map_err(misplaced)?),
                                _ => chunk
                                    .copy_from_slice(memory.global.read::<4>(address).map_err(misplaced)?),
                            }
                        }
                    }
                    match width {
                        Width::S8 => bytes = (i32::from(bytes[0] as i8) as u32 as u128).to_le_bytes(),
                        Width::S16 => {
                            let value = i16::from_le_bytes([bytes[0], bytes[1]]);
                            bytes = (i32::from(value) as u32 as u128).to_le_bytes();
                        }
                        _ => {}
                    }
                    for (word, &row) in bytes.chunks_exact(4).zip(&rows).take(width.registers()) {
                        self.registers[row][lane] = u32::from_le_bytes(word.try_into().expect("four bytes"));
                    }
                }
                SurfaceEffect::Store(width) => {
                    let Some(address) = address else { continue };
                    let bytes = self.words_of::<16>(&rows, lane);
                    let bytes = &bytes[..usize::from(width.bytes())];
                    store(memory, address, bytes).map_err(misplaced)?;
                }
                SurfaceEffect::StoreFormatted(channels) => {
                    let Some(address) = address else { continue };
                    let size = image.channel.size();
                    for i in 0..image.channels.min(channels.into()) {
                        let word = self.registers[rows[i as usize]][lane];
                        let bytes = formatted(image.channel, word).to_le_bytes();
                        let address = address + u64::from(i * size);
                        store(memory, address, &bytes[..size as usize]).map_err(misplaced)?;
                    }
                }
                SurfaceEffect::Atomic(function, kind) => {
                    let Some(address) = address else { continue };
                    let before = u32::from_le_bytes(*memory.global.read(address).map_err(misplaced)?);
                    let operand = self.registers[rows[0]][lane];
                    let after = atomic_32(function, kind, before, operand, operand);
                    store(memory, address, &after.to_le_bytes()).map_err(misplaced)?;
                }
            }
        }
        Ok(())
    }

    /// The texture behind the handle of a lane.
    fn texture<'a>(
        &self,
        handle: Source,
        lane: usize,
        constants: &Constants,
        memory: &BlockMemory<'a>,
    ) -> Result<&'a Texture, Fault> {
        let handle = match handle {
            Source::Row(row) => self.registers[usize::from(row)][lane],
            Source::Constant { bank, offset } => constants.word(bank, offset.into())?,
            _ => 0,
        };
        let number = (handle & HANDLE_MASK).wrapping_sub(1);
        memory.textures.get(number as usize).ok_or_else(|| {
            Fault::new(format!(
                "no texture or surface has the handle {handle:#x}; bind one in the launch file"
            ))
            .at(lane)
        })
    }
}

/// The compiler reads lines as planes of one row, too.
fn check_shape(image: &Image, geometry: Geometry) -> Result<(), String> {
    let expected = match image.shape {
        ImageShape::Line => 1,
        ImageShape::Plane => 2,
        ImageShape::Volume | ImageShape::Cube => 3,
    };
    let fits = geometry.dimensions == expected || image.shape == ImageShape::Line && geometry.dimensions == 2;
    if fits && geometry.cube == (image.shape == ImageShape::Cube) {
        return Ok(());
    }
    let wanted = match geometry {
        Geometry { cube: true, .. } => "a cube".into(),
        Geometry { dimensions, .. } => format!("{dimensions} dimensions"),
    };
    Err(format!("the kernel reads a texture of {wanted}, but a {:?} is bound to its handle", image.shape))
}

fn store(memory: &mut BlockMemory, address: u64, bytes: &[u8]) -> Result<(), super::AccessError> {
    match *bytes {
        [a] => memory.global.write(address, [a]),
        [a, b] => memory.global.write(address, [a, b]),
        _ => bytes.chunks_exact(4).zip(0..).try_for_each(|(word, i)| {
            memory.global.write::<4>(address + 4 * i, word.try_into().expect("four bytes"))
        }),
    }
}

/// A channel's bits from a register: narrowed, integers to the nearest they hold.
fn formatted(channel: Channel, word: u32) -> u32 {
    match channel {
        Channel::U8 => word.min(0xff),
        Channel::U16 => word.min(0xffff),
        Channel::S8 => (word as i32).clamp(-0x80, 0x7f) as u32,
        Channel::S16 => (word as i32).clamp(-0x8000, 0x7fff) as u32,
        Channel::F16 => {
            float_to_float(word.into(), FloatType::F32, FloatType::F16, Default::default()) as u32
        }
        Channel::U32 | Channel::S32 | Channel::F32 => word,
    }
}
