// SPDX-License-Identifier: Apache-2.0
//! Textures of every shape and surfaces, against the formulas of the CUDA programming guide.

use gpurf_workloads::texture::{AddressMode, Channel, Image, ImageShape, Sampler};
use gpurf_workloads::{Argument, Device, Pointer};

use super::IMAGES;
use crate::support::device;

const POINT: Sampler = Sampler {
    linear: false,
    address: [AddressMode::Clamp; 3],
    normalized_coordinates: false,
    normalized_values: false,
};
const LINEAR: Sampler = Sampler { linear: true, ..POINT };

fn image(base: Pointer, channel: Channel, channels: u32, shape: ImageShape, extents: [u32; 4]) -> Image {
    let [width, height, depth, layers] = extents;
    Image { base, channel, channels, shape, width, height, depth, layers, pitch: 0 }
}

/// Floats that a weight of 8 bits times a power of two leaves exact.
fn texels(seed: u64, count: u32) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.i32(-64..64) as f32 / 4.0).collect()
}

/// Coordinates in and around an image of such extents, `N` to a thread, some at and between texels.
fn coordinates<const N: usize>(seed: u64, extent: f32) -> Vec<[f32; N]> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut coordinate = |i: usize| match i % 3 {
        0 => random.i32(-4..12) as f32 / 8.0 * extent,
        1 => random.i32(-8..24) as f32 / 16.0 * extent + 0.5,
        _ => (random.f32() * 2.0 - 0.5) * extent,
    };
    (0..96).map(|i| [(); N].map(|()| coordinate(i))).collect()
}

/// Launches a kernel of 96 threads that takes `first`, places and an output of `N` values per thread.
#[track_caller]
fn sampled<const N: usize, T: bytemuck::NoUninit>(
    device: &mut Device,
    kernel: &str,
    first: &[Argument],
    at: &[T],
) -> Vec<[f32; N]>
where
    [f32; N]: bytemuck::AnyBitPattern + bytemuck::NoUninit,
{
    let places = device.upload(at);
    let out = device.allocate((4 * N * at.len()) as u64);
    let arguments: Vec<Argument> = first.iter().cloned().chain([places.into(), out.into()]).collect();
    device
        .launch(&IMAGES, kernel, 1, at.len() as u32, 0, &arguments)
        .unwrap_or_else(|error| panic!("{error}"));
    device.read(out, at.len()).unwrap()
}

/// The guide's table lookup in one dimension: texels and their weights, or one texel.
fn taps(x: f32, size: u32, sampler: &Sampler, dimension: usize) -> Vec<(Option<u32>, f64)> {
    let x = f64::from(x) * if sampler.normalized_coordinates { f64::from(size) } else { 1.0 };
    let size = i64::from(size);
    let place = |i: i64| match (sampler.address[dimension], sampler.normalized_coordinates) {
        (AddressMode::Border, _) => (i >= 0 && i < size).then_some(i as u32),
        (AddressMode::Wrap, true) => Some((((i % size) + size) % size) as u32),
        (AddressMode::Mirror, true) => {
            let period = ((i % (2 * size)) + 2 * size) % (2 * size);
            Some(if period < size { period } else { 2 * size - 1 - period } as u32)
        }
        _ => Some(i.max(0).min(size - 1) as u32),
    };
    if !sampler.linear {
        return vec![(place(x.floor() as i64), 1.0)];
    }
    let fixed = ((x - 0.5) * 256.0 + 0.5).floor() / 256.0;
    let first = fixed.floor();
    let alpha = fixed - first;
    vec![(place(first as i64), 1.0 - alpha), (place(first as i64 + 1), alpha)]
}

fn samplers() -> Vec<Sampler> {
    let modes = [AddressMode::Clamp, AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border];
    let mut list = vec![];
    for linear in [false, true] {
        for normalized_coordinates in [false, true] {
            for (i, mode) in modes.into_iter().enumerate() {
                let address = [mode, modes[(i + 1) % 4], mode];
                list.push(Sampler { linear, address, normalized_coordinates, normalized_values: false });
            }
        }
    }
    list
}

#[test]
fn lines_of_texels() {
    let data = texels(61, 9);
    for sampler in samplers() {
        let mut device = device();
        let base = device.upload(&data);
        let handle =
            device.bind(image(base, Channel::F32, 1, ImageShape::Line, [9, 1, 1, 1]), sampler).unwrap();
        let at = coordinates::<1>(62, if sampler.normalized_coordinates { 1.0 } else { 9.0 });
        for (x, [found]) in at.iter().zip(sampled::<1, _>(&mut device, "lines", &[handle.into()], &at)) {
            let expected: f64 = taps(x[0], 9, &sampler, 0)
                .into_iter()
                .map(|(i, weight)| i.map_or(0.0, |i| weight * f64::from(data[i as usize])))
                .sum();
            assert_eq!(found, expected as f32, "{x:?} {sampler:?}");
        }
    }
}

#[test]
fn planes_and_their_gathered_texels() {
    let (width, height) = (7, 5);
    let data = texels(63, width * height);
    for sampler in samplers() {
        let mut device = device();
        let base = device.upload(&data);
        let plane = image(base, Channel::F32, 1, ImageShape::Plane, [width, height, 1, 1]);
        let handle = device.bind(plane, sampler).unwrap();
        let handles = device.upload(&[handle, handle]);
        let at = coordinates::<2>(64, if sampler.normalized_coordinates { 1.0 } else { 6.0 });
        let sample = |[x, y]: [f32; 2]| {
            let mut sum = 0.0;
            for (j, below) in taps(y, height, &sampler, 1) {
                for (i, right) in taps(x, width, &sampler, 0) {
                    if let (Some(i), Some(j)) = (i, j) {
                        sum += below * right * f64::from(data[(j * width + i) as usize]);
                    }
                }
            }
            sum as f32
        };
        let found = sampled::<1, _>(&mut device, "planes", &[handle.into()], &at);
        let by_memory = sampled::<1, _>(&mut device, "planes_of_many", &[handles.into()], &at);
        for ((place, [found]), [by_memory]) in at.iter().zip(found).zip(by_memory) {
            assert_eq!([found, by_memory], [sample(*place); 2], "{place:?} {sampler:?}");
        }
        // Of one channel, the third is zero.
        let gathered = sampled::<8, _>(&mut device, "gathered", &[handle.into(), handles.into()], &at);
        let linear = Sampler { linear: true, ..sampler };
        for (&[x, y], found) in at.iter().zip(gathered) {
            let (columns, rows) = (taps(x, width, &linear, 0), taps(y, height, &linear, 1));
            let texel = |i: usize, j: usize| match (columns[i].0, rows[j].0) {
                (Some(i), Some(j)) => data[(j * width + i) as usize],
                _ => 0.0,
            };
            let expected = [texel(0, 1), texel(1, 1), texel(1, 0), texel(0, 0)];
            assert_eq!(found[..4], expected, "{x} {y} {sampler:?}");
            assert_eq!(found[4..], [0.0; 4]);
        }
    }
}

#[test]
fn volumes() {
    let [width, height, depth] = [5, 4, 3];
    let data = texels(65, width * height * depth);
    for sampler in samplers() {
        let mut device = device();
        let base = device.upload(&data);
        let volume = image(base, Channel::F32, 1, ImageShape::Volume, [width, height, depth, 1]);
        let handle = device.bind(volume, sampler).unwrap();
        let handles = device.upload(&[handle]);
        let at = coordinates::<4>(66, if sampler.normalized_coordinates { 1.0 } else { 4.0 });
        let found = sampled::<1, _>(&mut device, "volumes", &[handle.into()], &at);
        let by_memory = sampled::<1, _>(&mut device, "volumes_in_memory", &[handles.into()], &at);
        for ((&[x, y, z, _], [found]), [by_memory]) in at.iter().zip(found).zip(by_memory) {
            let mut sum = 0.0;
            for (k, deep) in taps(z, depth, &sampler, 2) {
                for (j, below) in taps(y, height, &sampler, 1) {
                    for (i, right) in taps(x, width, &sampler, 0) {
                        if let (Some(i), Some(j), Some(k)) = (i, j, k) {
                            let texel = data[((k * height + j) * width + i) as usize];
                            sum += deep * below * right * f64::from(texel);
                        }
                    }
                }
            }
            assert_eq!([found, by_memory], [sum as f32; 2], "{x} {y} {z} {sampler:?}");
        }
    }
}

#[test]
fn layers_levels_and_derivatives() {
    let [width, height, layers] = [6, 4, 3];
    let (lines, planes) = (texels(67, width * layers), texels(68, width * height * layers));
    for sampler in [POINT, LINEAR] {
        let mut device = device();
        let [of_lines, of_planes] = [device.upload(&lines), device.upload(&planes)];
        let line = image(of_lines, Channel::F32, 1, ImageShape::Line, [width, 1, 1, layers]);
        let plane = image(of_planes, Channel::F32, 1, ImageShape::Plane, [width, height, 1, layers]);
        let single = image(of_planes, Channel::F32, 1, ImageShape::Plane, [width, height, 1, 1]);
        let [line, plane, single] = [line, plane, single].map(|image| device.bind(image, sampler).unwrap());
        let mut at = coordinates::<4>(69, 5.0);
        at.iter_mut().enumerate().for_each(|(i, place)| place[2] = (i % 5) as f32);
        let texel = |data: &[f32], layer: u32, x: f32, y: Option<f32>| {
            let height = if y.is_some() { height } else { 1 };
            let rows = y.map_or(vec![(Some(0), 1.0)], |y| taps(y, height, &sampler, 1));
            let mut sum = 0.0;
            for (j, below) in rows {
                for (i, right) in taps(x, width, &sampler, 0) {
                    let place = (layer * height + j.unwrap()) * width + i.unwrap();
                    sum += below * right * f64::from(data[place as usize]);
                }
            }
            sum as f32
        };
        let handles = device.upload(&[line, plane]);
        let found = sampled::<2, _>(&mut device, "layers", &[line.into(), plane.into()], &at);
        let by_memory = sampled::<2, _>(&mut device, "layers_in_memory", &[handles.into()], &at);
        let leveled = sampled::<3, _>(&mut device, "levels", &[single.into(), plane.into()], &at);
        let handles = device.upload(&[single, plane]);
        let derived = sampled::<2, _>(&mut device, "derivatives_in_memory", &[handles.into()], &at);
        for (i, &[x, y, z, _]) in at.iter().enumerate() {
            // The last layer stands for those beyond it.
            let layer = (z as u32).min(layers - 1);
            let (of_line, of_plane) = (texel(&lines, layer, x, None), texel(&planes, layer, x, Some(y)));
            let of_first = texel(&planes, 0, x, Some(y));
            assert_eq!(found[i], [of_line, of_plane], "{x} {y} {z}");
            assert_eq!(by_memory[i], [of_line, of_plane]);
            assert_eq!(leveled[i], [of_first, of_first, of_plane]);
            assert_eq!(derived[i], [of_first, of_plane]);
        }
    }
}

#[test]
fn cubes() {
    let size = 4;
    let data = texels(70, size * size * 12);
    let mut device = device();
    let base = device.upload(&data);
    let one = image(base, Channel::F32, 1, ImageShape::Cube, [size, size, 1, 1]);
    let two = image(base, Channel::F32, 1, ImageShape::Cube, [size, size, 1, 2]);
    let [one, two] = [one, two].map(|image| device.bind(image, POINT).unwrap());
    let mut random = fastrand::Rng::with_seed(71);
    let at: Vec<[f32; 4]> = (0..96)
        .map(|i| {
            // Odd, so that no point lies on the border of two texels or faces.
            let mut odd = || (random.i32(-50..50) * 2 + 1) as f32 / 7.3;
            [odd(), odd(), odd(), (i % 2) as f32]
        })
        .collect();
    let found = sampled::<2, _>(&mut device, "cubes", &[one.into(), two.into()], &at);
    for (&[x, y, z, w], found) in at.iter().zip(found) {
        // The table of faces: major axis, s, t.
        let largest = x.abs().max(y.abs()).max(z.abs());
        let (face, s, t) = match largest {
            m if m == x => (0, -z, -y),
            m if m == -x => (1, z, -y),
            m if m == y => (2, x, z),
            m if m == -y => (3, x, -z),
            m if m == z => (4, x, -y),
            _ => (5, -x, -y),
        };
        let place = |s: f32| ((s / largest + 1.0) / 2.0 * size as f32).floor().min(size as f32 - 1.0) as u32;
        let texel = |face: u32| data[((face * size + place(t)) * size + place(s)) as usize];
        assert_eq!(found, [texel(face), texel(face + 6 * w as u32)], "{x} {y} {z}");
    }
}

#[test]
fn formats_of_texels() {
    let mut device = device();
    let bytes: Vec<u8> = (0..48).map(|i| (i * 37 + 5) as u8).collect();
    let base = device.upload(&bytes);
    let of = |channel, channels, width| image(base, channel, channels, ImageShape::Line, [width, 1, 1, 1]);
    // Fetched by whole coordinates; outside there are zeros.
    let at: Vec<i32> = vec![0, 1, 2, 3, -1, 100];
    let values = Sampler { normalized_values: true, ..POINT };
    type Value = fn(&[u8]) -> f32;
    let cases: [(Channel, u32, Sampler, Value); 5] = [
        (Channel::U8, 4, values, |bytes| f32::from(bytes[0]) / 255.0),
        (Channel::S8, 4, values, |bytes| (f32::from(bytes[0] as i8) / 127.0).max(-1.0)),
        (Channel::U16, 2, values, |bytes| f32::from(u16::from_le_bytes([bytes[0], bytes[1]])) / 65535.0),
        (Channel::S16, 2, values, |bytes| {
            (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / 32767.0).max(-1.0)
        }),
        (Channel::F16, 1, POINT, |bytes| half::f16::from_le_bytes([bytes[0], bytes[1]]).to_f32()),
    ];
    for (channel, channels, sampler, value) in cases {
        let size = (channel.size() * channels) as usize;
        let handle = device.bind(of(channel, channels, 48 / size as u32), sampler).unwrap();
        let found = sampled::<4, _>(&mut device, "fetches", &[handle.into()], &at);
        for (&x, found) in at.iter().zip(found) {
            let expected: Vec<f32> = match usize::try_from(x).ok().filter(|x| *x < 48 / size) {
                Some(x) => {
                    bytes[x * size..(x + 1) * size].chunks(channel.size() as usize).map(value).collect()
                }
                None => vec![0.0; channels as usize],
            };
            assert_eq!(found[..channels as usize], expected, "{channel:?} {x}");
        }
    }
    // Integers as they are.
    let handle = device.bind(of(Channel::S16, 4, 6), POINT).unwrap();
    let found = sampled::<4, _>(&mut device, "fetches", &[handle.into()], &at);
    let second = [8, 10, 12, 14].map(|i| i16::from_le_bytes([bytes[i], bytes[i + 1]]) as i32);
    assert_eq!(found[1].map(|value| value.to_bits() as i32), second);

    let pixels = image(base, Channel::U8, 4, ImageShape::Plane, [4, 3, 1, 1]);
    let handle = device.bind(pixels, POINT).unwrap();
    let at: Vec<[f32; 2]> = (0..12).map(|i| [(i % 4) as f32 + 0.5, (i / 4) as f32 + 0.5]).collect();
    let found = sampled::<1, _>(&mut device, "pixels", &[handle.into()], &at);
    assert_eq!(bytemuck::cast_slice::<_, u8>(&found), bytes);
}

#[test]
fn channels_that_are_wanted_residency_and_extents() {
    let data: Vec<f32> = (0..4 * 16).map(|i| i as f32).collect();
    let mut device = device();
    let base = device.upload(&data);
    let plane = image(base, Channel::F32, 4, ImageShape::Plane, [4, 4, 1, 1]);
    let handle = device.bind(plane, POINT).unwrap();
    let at: Vec<[f32; 2]> = (0..16).map(|i| [(i % 4) as f32, (i / 4) as f32]).collect();
    let found = sampled::<3, _>(&mut device, "some_channels", &[handle.into()], &at);
    let channel = |x: f32, y: f32, channel: usize| data[4 * (y as usize * 4 + x.min(3.0) as usize) + channel];
    for (&[x, y], found) in at.iter().zip(found) {
        let b = channel(y, x, 1) + 10.0 * channel(y, x, 2) + 100.0 * channel(y, x, 3);
        assert_eq!(found, [channel(x, y, 0) + 10.0 * channel(x, y, 2), b, channel(x + 1.0, y, 3)]);
    }
    let out = device.allocate(16);
    device.launch(&IMAGES, "resident", 1, 1, 0, &[handle.into(), out.into()]).unwrap();
    assert_eq!(device.read::<f32>(out, 2).unwrap(), [0.0, 1.0]);
    let volume = image(base, Channel::F32, 1, ImageShape::Volume, [5, 4, 3, 1]);
    let volume = device.bind(volume, POINT).unwrap();
    device.launch(&IMAGES, "extents", 1, 1, 0, &[volume.into(), out.into()]).unwrap();
    assert_eq!(device.read::<i32>(out, 3).unwrap(), [5, 4, 3]);

    let at: Vec<[i32; 2]> = vec![[0, 0], [2, 3], [4, 1], [-1, 0], [3, 2]];
    let single = image(base, Channel::F32, 1, ImageShape::Plane, [4, 4, 1, 1]);
    let single = device.bind(single, POINT).unwrap();
    let found = sampled::<2, _>(&mut device, "whole_coordinates", &[single.into(), volume.into()], &at);
    let texel = |[x, y]: [i32; 2], width: i32, plane: i32| {
        if (0..width).contains(&x) && (0..4).contains(&y) {
            data[((plane * 4 + y) * width + x) as usize]
        } else {
            0.0
        }
    };
    for (&at, found) in at.iter().zip(found) {
        assert_eq!(found, [texel(at, 4, 0), texel(at, 5, 1)], "{at:?}");
    }
}

#[test]
fn surfaces_of_every_width() {
    let mut device = device();
    let data = texels(72, 4 * 40 * 3);
    let [from, to] = [device.upload(&data), device.allocate(4 * 480)];
    let [a, b] = [from, to].map(|base| {
        device.bind(image(base, Channel::F32, 4, ImageShape::Plane, [40, 3, 1, 1]), POINT).unwrap()
    });
    device.launch(&IMAGES, "mirrored", (2, 3), 32, 0, &[a.into(), b.into(), 40.into()]).unwrap();
    let found: Vec<[f32; 4]> = device.read(to, 120).unwrap();
    for (i, found) in found.into_iter().enumerate() {
        let from = i / 40 * 40 + 39 - i % 40;
        assert_eq!(found, data[4 * from..4 * from + 4]);
    }

    let bytes: Vec<u8> = (0..16).map(|i| 0xf0 + i).collect();
    let shorts: Vec<i16> = (0..16).map(|i| -200 + 50 * i).collect();
    let longs: Vec<i64> = (0..16).map(|i| -(i << 40)).collect();
    let bases = [device.upload(&bytes), device.upload(&shorts), device.upload(&longs)];
    let formats = [(Channel::U8, 1), (Channel::S16, 1), (Channel::S32, 2)];
    let mut arguments: Vec<Argument> = bases
        .iter()
        .zip(formats)
        .map(|(&base, (channel, channels))| {
            device
                .bind(image(base, channel, channels, ImageShape::Plane, [8, 2, 1, 1]), POINT)
                .unwrap()
                .into()
        })
        .collect();
    let out = device.allocate(8 * 24);
    arguments.push(out.into());
    device.launch(&IMAGES, "narrow_surfaces", 1, 8, 0, &arguments).unwrap();
    for (x, found) in device.read::<[i64; 3]>(out, 8).unwrap().into_iter().enumerate() {
        assert_eq!(found, [i64::from(bytes[8 + x] as i8), shorts[8 + x].into(), longs[8 + x]]);
    }
    assert_eq!(device.read::<u8>(bases[0], 8).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(device.read::<u16>(bases[1], 3).unwrap(), [0, 1000, 2000]);
    assert_eq!(device.read::<[i32; 2]>(bases[2], 3).unwrap(), [[0, 0], [1, -1], [2, -2]]);
}

#[test]
fn surfaces_have_edges() {
    let mut device = device();
    let data: Vec<i32> = (0..8).map(|i| 10 + i).collect();
    let base = device.upload(&data);
    let written = device.allocate(32);
    let [line, other] = [base, written].map(|base| {
        device.bind(image(base, Channel::S32, 1, ImageShape::Line, [8, 1, 1, 1]), POINT).unwrap()
    });
    let handles = device.upload(&[line, other]);
    let out = device.allocate(8 * 16);
    device.launch(&IMAGES, "edges", 1, 16, 0, &[line.into(), handles.into(), out.into()]).unwrap();
    for (thread, found) in device.read::<[i32; 2]>(out, 16).unwrap().into_iter().enumerate() {
        let x = thread as i32 - 4;
        let inside = (0..8).contains(&x);
        assert_eq!(found, [10 + x.clamp(0, 7), if inside { 10 + x } else { 0 }]);
    }
    let expected: Vec<i32> = (100..108).collect();
    assert_eq!(device.read::<i32>(written, 8).unwrap(), expected);
    device.launch(&IMAGES, "trapping", 1, 1, 0, &[line.into(), 7.into()]).unwrap();
    let error =
        device.launch(&IMAGES, "trapping", 1, 1, 0, &[line.into(), 8.into()]).unwrap_err().to_string();
    assert!(error.contains("at x 32 (bytes), y 0, plane 0 is outside of its 8 by 1 by 1 texels"), "{error}");
    let error =
        device.launch(&IMAGES, "trapping", 1, 1, 0, &[77u64.into(), 8.into()]).unwrap_err().to_string();
    assert!(error.contains("no texture or surface has the handle 0x4d"), "{error}");
}

#[test]
fn surfaces_of_every_shape_and_sums_on_them() {
    let mut device = device();
    let zeros = [4 * 3 * 2, 4 * 2, 4 * 3 * 2, 4 * 4 * 6].map(|count| device.allocate(4 * count));
    let shapes = [
        (ImageShape::Volume, [4, 3, 2, 1]),
        (ImageShape::Line, [4, 1, 1, 2]),
        (ImageShape::Plane, [4, 3, 1, 2]),
        (ImageShape::Cube, [4, 4, 1, 1]),
    ];
    let handles: Vec<Argument> = zeros
        .iter()
        .zip(shapes)
        .map(|(&base, (shape, extents))| {
            device.bind(image(base, Channel::S32, 1, shape, extents), POINT).unwrap().into()
        })
        .collect();
    device.launch(&IMAGES, "surface_volumes", 1, (4, 3, 2), 0, &handles).unwrap();
    assert_eq!(device.read::<i32>(zeros[0], 24).unwrap(), [1; 24]);
    assert_eq!(device.read::<i32>(zeros[1], 8).unwrap(), [2; 8]);
    assert_eq!(device.read::<i32>(zeros[2], 24).unwrap(), [3; 24]);
    let cube: Vec<i32> = (0..96).map(|i| if i < 32 && i % 16 < 12 { 4 } else { 0 }).collect();
    assert_eq!(device.read::<i32>(zeros[3], 96).unwrap(), cube);

    let base = device.allocate(32);
    let line = device.bind(image(base, Channel::S32, 1, ImageShape::Line, [8, 1, 1, 1]), POINT).unwrap();
    device.launch(&IMAGES, "surface_sums", 2, 32, 0, &[line.into()]).unwrap();
    // Each of two blocks adds 0 + 4 + .. + 28 and so on.
    assert_eq!(device.read::<i32>(base, 5).unwrap(), [224, 240, 256, 272, -31]);

    for channel in [Channel::U8, Channel::U16] {
        let bytes = device.allocate(128);
        let plane = device.bind(image(bytes, channel, 4, ImageShape::Plane, [3, 2, 1, 1]), POINT).unwrap();
        device.launch(&IMAGES, "formatted", 1, 32, 0, &[plane.into(), 3.into()]).unwrap();
        let texel = |x: i32| [x, 300 + x, 5, 1000 * x];
        let second_row: Vec<i32> = (0..3).flat_map(texel).collect();
        match channel {
            Channel::U8 => {
                let expected: Vec<u8> = second_row.iter().map(|&value| value.min(255) as u8).collect();
                assert_eq!(device.read::<u8>(bytes.offset(12), 12).unwrap(), expected);
            }
            _ => {
                let expected: Vec<u16> = second_row.iter().map(|&value| value as u16).collect();
                assert_eq!(device.read::<u16>(bytes.offset(24), 12).unwrap(), expected);
            }
        }
    }
}

#[test]
fn images_that_are_not_possible() {
    let mut device = device();
    let base = device.allocate(64);
    let refused = |device: &mut Device, image: Image, sampler: Sampler, part: &str| {
        let error = device.bind(image, sampler).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let line = |channel, channels, width| image(base, channel, channels, ImageShape::Line, [width, 1, 1, 1]);
    refused(&mut device, line(Channel::F32, 3, 2), POINT, "3 channels");
    refused(&mut device, line(Channel::F32, 1, 0), POINT, "no texels");
    refused(&mut device, line(Channel::F32, 1, 17), POINT, "not inside of allocated memory");
    refused(&mut device, line(Channel::U8, 1, 8), LINEAR, "integers are filtered only");
    refused(
        &mut device,
        line(Channel::F32, 1, 8),
        Sampler { normalized_values: true, ..POINT },
        "8 and 16 bits",
    );
    refused(
        &mut device,
        image(base, Channel::U8, 1, ImageShape::Cube, [2, 3, 1, 1]),
        POINT,
        "does not extend so",
    );
    // A plane where the kernel reads a volume.
    let plane = device.bind(image(base, Channel::F32, 1, ImageShape::Plane, [4, 4, 1, 1]), POINT).unwrap();
    let arguments = [plane.into(), base.into(), base.into()];
    let error = device.launch(&IMAGES, "volumes", 1, 1, 0, &arguments).unwrap_err().to_string();
    assert!(error.contains("reads a texture of 3 dimensions, but a Plane is bound"), "{error}");
}
