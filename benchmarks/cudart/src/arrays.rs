// SPDX-License-Identifier: Apache-2.0
//! Arrays, and the objects by which kernels read and write them: textures and surfaces.
//!
//! An array is memory of the device in which rows lie without gaps.

use gpurf_workloads::texture::{AddressMode, Channel, Image, ImageShape, LevelOfDetail, Sampler};
use gpurf_workloads::Pointer;

use crate::errors::{Answer, INVALID_CHANNELS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, SUCCESS};
use crate::host::{answer, complain, Host, Locked};
use crate::memory::{Extent, Kind};
use crate::operations::{CopyPlace, Side};

/// Bits of each channel, and the kind of their values.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelFormat {
    bits: [i32; 4],
    kind: i32,
}

/// `cudaChannelFormatKind`.
const SIGNED: i32 = 0;
const UNSIGNED: i32 = 1;
const FLOAT: i32 = 2;

impl ChannelFormat {
    /// Type and number of channels.
    fn channels(&self) -> Answer<(Channel, u32)> {
        let count = self.bits.iter().take_while(|bits| **bits != 0).count();
        let same = self.bits[..count].iter().all(|bits| *bits == self.bits[0]);
        let channel = match (self.bits[0], self.kind) {
            (8, UNSIGNED) => Channel::U8,
            (8, SIGNED) => Channel::S8,
            (16, UNSIGNED) => Channel::U16,
            (16, SIGNED) => Channel::S16,
            (32, UNSIGNED) => Channel::U32,
            (32, SIGNED) => Channel::S32,
            (16, FLOAT) => Channel::F16,
            (32, FLOAT) => Channel::F32,
            _ => return Err(INVALID_CHANNELS),
        };
        match count {
            1 | 2 | 4 if same => Ok((channel, count as u32)),
            _ => Err(INVALID_CHANNELS),
        }
    }

    fn bytes(&self) -> usize {
        self.bits.iter().sum::<i32>() as usize / 8
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: i32) -> ChannelFormat {
    ChannelFormat { bits: [x, y, z, w], kind }
}

/// The target of a `cudaArray_t`.
pub struct Array {
    address: u64,
    format: ChannelFormat,
    /// As the program gave it: 0 where there is no such dimension.
    extent: Extent,
    flags: u32,
}

/// Flags of arrays.
const LAYERED: u32 = 1;
const CUBE: u32 = 4;

impl Array {
    pub fn texel_bytes(&self) -> usize {
        self.format.bytes()
    }

    /// A place in it, x in bytes.
    pub fn side(&self, x: usize, y: usize, z: usize) -> Side {
        let pitch = self.extent.x * self.texel_bytes();
        // The layers of lines stand in z.
        let plane = pitch * self.extent.y.max(1);
        let address = self.address + (x + y * pitch + z * plane) as u64;
        Side { place: CopyPlace::Address(address), pitch, plane }
    }

    fn image(&self) -> Answer<Image> {
        let (channel, channels) = self.format.channels()?;
        let Extent { x, y, z } = self.extent;
        let [width, height, planes] = [x, y.max(1), z.max(1)].map(|size| size as u32);
        let (cube, layered) = (self.flags & CUBE != 0, self.flags & LAYERED != 0);
        let (shape, depth, layers) = match (cube, layered) {
            (true, _) => (ImageShape::Cube, 1, planes / 6),
            (false, true) if y == 0 => (ImageShape::Line, 1, planes),
            (false, true) => (ImageShape::Plane, 1, planes),
            (false, false) if z > 0 => (ImageShape::Volume, planes, 1),
            (false, false) if y > 0 => (ImageShape::Plane, 1, 1),
            (false, false) => (ImageShape::Line, 1, 1),
        };
        let base = Pointer(self.address);
        Ok(Image { base, channel, channels, shape, width, height, depth, layers, pitch: 0 })
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMalloc3DArray(
    array: *mut *mut Array,
    format: *const ChannelFormat,
    extent: Extent,
    flags: u32,
) -> i32 {
    answer(|host| unsafe {
        let format = *format;
        format.channels()?;
        let texels = extent.x * extent.y.max(1) * extent.z.max(1);
        if texels == 0 || flags & CUBE != 0 && (extent.x != extent.y || extent.z % 6 != 0) {
            return Err(INVALID_VALUE);
        }
        let address = host.allocate((texels * format.bytes()) as u64, Kind::Device)?;
        *array = Box::into_raw(Box::new(Array { address, format, extent, flags }));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocArray(
    array: *mut *mut Array,
    format: *const ChannelFormat,
    width: usize,
    height: usize,
    flags: u32,
) -> i32 {
    unsafe { cudaMalloc3DArray(array, format, Extent { x: width, y: height, z: 0 }, flags) }
}

/// The target of a `cudaMipmappedArray_t`.
pub struct MipmappedArray {
    levels: Vec<*mut Array>,
}

/// Each level is half as large as the one before it, at least a texel. Layers and faces stay.
#[no_mangle]
pub unsafe extern "C" fn cudaMallocMipmappedArray(
    array: *mut *mut MipmappedArray,
    format: *const ChannelFormat,
    extent: Extent,
    count: u32,
    flags: u32,
) -> i32 {
    let is_stack = flags & (LAYERED | CUBE) != 0;
    let largest = extent.x.max(extent.y).max(if is_stack { 0 } else { extent.z });
    let most = largest.checked_ilog2().map_or(0, |log| log + 1);
    let halved = |size: usize, level: u32| if size == 0 { 0 } else { (size >> level).max(1) };
    let mut levels = vec![];
    for level in 0..count.min(most) {
        let z = if is_stack { extent.z } else { halved(extent.z, level) };
        let extent = Extent { x: halved(extent.x, level), y: halved(extent.y, level), z };
        let mut made = std::ptr::null_mut();
        match unsafe { cudaMalloc3DArray(&mut made, format, extent, flags) } {
            SUCCESS => levels.push(made),
            code => {
                for level in levels {
                    unsafe { cudaFreeArray(level) };
                }
                return code;
            }
        }
    }
    answer(|_| {
        if levels.is_empty() {
            return Err(INVALID_VALUE);
        }
        unsafe { *array = Box::into_raw(Box::new(MipmappedArray { levels })) };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetMipmappedArrayLevel(
    level: *mut *mut Array,
    array: *const MipmappedArray,
    number: u32,
) -> i32 {
    answer(|_| unsafe {
        let levels = &array.as_ref().ok_or(INVALID_HANDLE)?.levels;
        *level = *levels.get(number as usize).ok_or(INVALID_VALUE)?;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaFreeMipmappedArray(array: *mut MipmappedArray) -> i32 {
    answer(|host| {
        if array.is_null() {
            return Ok(());
        }
        let array = unsafe { Box::from_raw(array) };
        array.levels.into_iter().try_for_each(|level| host.free(unsafe { Box::from_raw(level) }.address))
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaFreeArray(array: *mut Array) -> i32 {
    answer(|host| {
        if array.is_null() {
            return Ok(());
        }
        let array = unsafe { Box::from_raw(array) };
        host.free(array.address)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaArrayGetInfo(
    format: *mut ChannelFormat,
    extent: *mut Extent,
    flags: *mut u32,
    array: *const Array,
) -> i32 {
    answer(|_| unsafe {
        let array = array.as_ref().ok_or(INVALID_HANDLE)?;
        if let Some(format) = format.as_mut() {
            *format = array.format;
        }
        if let Some(extent) = extent.as_mut() {
            *extent = array.extent;
        }
        if let Some(flags) = flags.as_mut() {
            *flags = array.flags;
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetChannelDesc(format: *mut ChannelFormat, array: *const Array) -> i32 {
    answer(|_| unsafe {
        *format = array.as_ref().ok_or(INVALID_HANDLE)?.format;
        Ok(())
    })
}

/// `cudaResourceDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    kind: i32,
    place: ResourcePlace,
    flags: u32,
}

const _: () = assert!(size_of::<Resource>() == 144);

#[repr(C)]
#[derive(Clone, Copy)]
union ResourcePlace {
    array: *const Array,
    mipmapped: *const MipmappedArray,
    memory: LinearMemory,
    reserved: [i32; 32],
}

/// A line, whose size is in `width` then, or a plane.
#[repr(C)]
#[derive(Clone, Copy)]
struct LinearMemory {
    address: u64,
    format: ChannelFormat,
    width: usize,
    height: usize,
    pitch: usize,
}

/// `cudaResourceType`.
const ARRAY: i32 = 0;
const MIPMAPPED: i32 = 1;
const LINE: i32 = 2;
const PLANE: i32 = 3;

impl Resource {
    /// The levels of the image. The first one is the largest.
    unsafe fn images(&self) -> Answer<Vec<Image>> {
        match self.kind {
            ARRAY => Ok(vec![unsafe { self.place.array.as_ref() }.ok_or(INVALID_HANDLE)?.image()?]),
            MIPMAPPED => {
                let levels = &unsafe { self.place.mipmapped.as_ref() }.ok_or(INVALID_HANDLE)?.levels;
                levels.iter().map(|&level| unsafe { &*level }.image()).collect()
            }
            LINE | PLANE => Ok(vec![unsafe { self.linear_image()? }]),
            _ => Err(INVALID_VALUE),
        }
    }

    unsafe fn linear_image(&self) -> Answer<Image> {
        let LinearMemory { address, format, width, height, pitch } = unsafe { self.place.memory };
        let (channel, channels) = format.channels()?;
        let (shape, width, height, pitch) = match self.kind {
            LINE => (ImageShape::Line, width / format.bytes(), 1, 0),
            _ => (ImageShape::Plane, width, height, pitch),
        };
        let [width, height, pitch] = [width, height, pitch].map(|size| size as u32);
        let base = Pointer(address);
        Ok(Image { base, channel, channels, shape, width, height, depth: 1, layers: 1, pitch })
    }
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TextureFormat {
    address: [i32; 3],
    filter: i32,
    read: i32,
    srgb: i32,
    border: [f32; 4],
    normalized: i32,
    anisotropy: u32,
    mipmap_filter: i32,
    level_bias: f32,
    levels: [f32; 2],
    no_trilinear: i32,
    seamless_cube: i32,
}

const _: () = assert!(size_of::<TextureFormat>() == 72);

impl TextureFormat {
    fn detail(&self) -> LevelOfDetail {
        LevelOfDetail { linear: self.mipmap_filter == 1, bias: self.level_bias, range: self.levels }
    }

    fn sampler(&self, image: &Image) -> Answer<Sampler> {
        if self.srgb != 0 {
            complain("textures in sRGB are not emulated");
            return Err(NOT_SUPPORTED);
        }
        let mode = |mode: i32| {
            Ok(match mode {
                0 => AddressMode::Wrap,
                1 => AddressMode::Clamp,
                2 => AddressMode::Mirror,
                3 => AddressMode::Border,
                _ => return Err(INVALID_VALUE),
            })
        };
        let [x, y, z] = self.address;
        Ok(Sampler {
            linear: self.filter == 1,
            address: [mode(x)?, mode(y)?, mode(z)?],
            normalized_coordinates: self.normalized != 0,
            // A float is read as one.
            normalized_values: self.read == 1 && image.channel.size() < 4 && !image.channel.is_float(),
        })
    }
}

/// The description that a program bound, kept for its queries.
pub struct Bound {
    resource: Resource,
    texture: Option<TextureFormat>,
}

impl Host {
    /// A handle.
    unsafe fn bind(&mut self, resource: Resource, texture: Option<TextureFormat>) -> Answer<u64> {
        let images = unsafe { resource.images()? };
        let sampler = texture.map_or(Ok(Sampler::default()), |texture| texture.sampler(&images[0]))?;
        let detail = match texture {
            Some(texture) if images.len() > 1 => texture.detail(),
            _ => LevelOfDetail::default(),
        };
        let handle = self.device().bind_levels(&images, sampler, detail).map_err(|error| {
            complain(error);
            INVALID_VALUE
        })?;
        self.bound.insert(handle, Bound { resource, texture });
        Ok(handle)
    }
}

/// Views in other formats, or of a part of the levels or layers, are not emulated.
#[no_mangle]
pub unsafe extern "C" fn cudaCreateTextureObject(
    handle: *mut u64,
    resource: *const Resource,
    texture: *const TextureFormat,
    view: *const std::ffi::c_void,
) -> i32 {
    answer(|host| unsafe {
        if !view.is_null() {
            complain("views of resources are not emulated");
            return Err(NOT_SUPPORTED);
        }
        *handle = host.bind(*resource, Some(*texture))?;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaCreateSurfaceObject(handle: *mut u64, resource: *const Resource) -> i32 {
    answer(|host| unsafe {
        if (*resource).kind != ARRAY {
            return Err(INVALID_VALUE);
        }
        *handle = host.bind(*resource, None)?;
        Ok(())
    })
}

fn unbind(host: &mut Locked, handle: u64) -> Answer {
    host.bound.remove(&handle).map(drop).ok_or(INVALID_VALUE)
}

#[no_mangle]
pub unsafe extern "C" fn cudaDestroyTextureObject(handle: u64) -> i32 {
    answer(|host| unbind(host, handle))
}

#[no_mangle]
pub unsafe extern "C" fn cudaDestroySurfaceObject(handle: u64) -> i32 {
    answer(|host| unbind(host, handle))
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetTextureObjectResourceDesc(resource: *mut Resource, handle: u64) -> i32 {
    answer(|host| unsafe {
        *resource = host.bound.get(&handle).ok_or(INVALID_VALUE)?.resource;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetSurfaceObjectResourceDesc(resource: *mut Resource, handle: u64) -> i32 {
    unsafe { cudaGetTextureObjectResourceDesc(resource, handle) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGetTextureObjectTextureDesc(texture: *mut TextureFormat, handle: u64) -> i32 {
    answer(|host| unsafe {
        *texture = host.bound.get(&handle).and_then(|bound| bound.texture).ok_or(INVALID_VALUE)?;
        Ok(())
    })
}
