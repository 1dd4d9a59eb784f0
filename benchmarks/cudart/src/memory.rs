// SPDX-License-Identifier: Apache-2.0
//! Memory of the device, and memory that host and device share.
//!
//! Shared memory is there twice, at the same address: as pages of the process, which count between launches,
//! and in the emulator, which gets what changed before a launch and gives back what changed after it.
//! Addresses of the device lie where Linux puts nothing by itself.

use std::collections::BTreeMap;
use std::ffi::c_void;

use gpurf_workloads::Pointer;

use crate::errors::{Answer, INVALID_VALUE, NOT_REGISTERED, OUT_OF_MEMORY, REGISTERED_ALREADY};
use crate::host::{answer, complain, Host};
use crate::pools::Pool;

/// Where addresses of the device start and end.
pub const BASE: u64 = 0x2000_0000_0000;
const END: u64 = 0x4000_0000_0000;
/// Bytes of device memory there are said to be.
pub const CAPACITY: u64 = 8 << 30;

const PAGE: u64 = 4096;

/// All allocations.
#[derive(Default)]
pub struct Allocations {
    /// By their address on the device.
    by_address: BTreeMap<u64, Allocation>,
    /// Bytes in use.
    used: u64,
    /// Behind the pages of the process at addresses of the device.
    mapped: u64,
    pub default_pool: Pool,
    /// The pool that the program chose.
    pub pool: Option<usize>,
}

#[derive(Clone, Copy)]
pub struct Allocation {
    pub bytes: u64,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Device,
    /// Memory that a graph allocates: it may be freed outside, and is there again with the next launch.
    Graph,
    /// The host sees it too.
    Managed,
    /// Pinned memory of the host, with its flags.
    Host(u32),
    /// Memory of the host, at this address, that the program registered.
    Registered(usize, u32),
}

impl Kind {
    /// Where the host sees an allocation, if it does.
    fn host(self, address: u64) -> Option<usize> {
        match self {
            Kind::Device | Kind::Graph => None,
            Kind::Managed | Kind::Host(_) => Some(address as usize),
            Kind::Registered(host, _) => Some(host),
        }
    }
}

/// Which of the two memories an address is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Host(usize),
    Device(u64),
}

impl Allocations {
    /// The allocation that an address of the device is in, and where it starts.
    pub fn at(&self, address: u64) -> Option<(u64, Allocation)> {
        let (&start, &allocation) = self.by_address.range(..=address).next_back()?;
        (address < start + allocation.bytes.max(1)).then_some((start, allocation))
    }

    /// The registered memory that an address of the host is in: its start there, and its start on the device.
    pub fn registered(&self, address: usize) -> Option<(usize, u64, u32)> {
        self.by_address.iter().find_map(|(&start, allocation)| match allocation.kind {
            Kind::Registered(host, flags) if (host..host + allocation.bytes as usize).contains(&address) => {
                Some((host, start, flags))
            }
            _ => None,
        })
    }

    /// The memory to read or write at an address. What is shared is in the host's between launches.
    pub fn space(&self, address: u64) -> Space {
        match self.at(address) {
            Some((start, allocation)) => match allocation.kind.host(start) {
                Some(host) => Space::Host(host + (address - start) as usize),
                None => Space::Device(address),
            },
            // A variable, or nothing.
            None if (BASE..END).contains(&address) => Space::Device(address),
            None => Space::Host(address as usize),
        }
    }

    pub fn free_bytes(&self) -> u64 {
        CAPACITY.saturating_sub(self.used)
    }

    /// Address, host's address and bytes of all that is shared.
    fn shared(&self) -> impl Iterator<Item = (u64, usize, usize)> + '_ {
        self.by_address.iter().filter_map(|(&start, allocation)| {
            Some((start, allocation.kind.host(start)?, allocation.bytes as usize))
        })
    }

    /// Lets the process see addresses of the device.
    fn map(&mut self, start: u64, bytes: u64) -> Answer {
        let (from, to) = (start / PAGE * PAGE, (start + bytes).next_multiple_of(PAGE));
        let map = |from: u64, to: u64| {
            let protection = PROT_READ | PROT_WRITE;
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
            let place = unsafe { mmap(from as *mut c_void, (to - from) as usize, protection, flags, -1, 0) };
            place as u64 == from
        };
        // Below, a page may be there for the sake of another allocation.
        for page in (from..to.min(self.mapped)).step_by(PAGE as usize) {
            map(page, page + PAGE);
        }
        let from = from.max(self.mapped);
        if from < to {
            if !map(from, to) {
                return Err(OUT_OF_MEMORY);
            }
            self.mapped = to;
        }
        Ok(())
    }
}

extern "C" {
    fn mmap(
        address: *mut c_void,
        bytes: usize,
        protection: i32,
        flags: i32,
        file: i32,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, bytes: usize) -> i32;
}

const PROT_READ: i32 = 1;
const PROT_WRITE: i32 = 2;
const MAP_PRIVATE: i32 = 0x2;
const MAP_ANONYMOUS: i32 = 0x20;
const MAP_NORESERVE: i32 = 0x4000;
const MAP_FIXED_NOREPLACE: i32 = 0x10_0000;

impl Host {
    /// Zeroed memory on the device; at least one byte, so that addresses differ.
    pub fn allocate(&mut self, bytes: u64, kind: Kind) -> Answer<u64> {
        if bytes > self.allocations.free_bytes() {
            return Err(OUT_OF_MEMORY);
        }
        let Pointer(start) = self.device().allocate(bytes.max(1));
        if kind.host(start) == Some(start as usize) {
            self.allocations.map(start, bytes.max(1))?;
        }
        self.allocations.used += bytes;
        self.allocations.by_address.insert(start, Allocation { bytes, kind });
        Ok(start)
    }

    /// Lets the host see memory that the device has, such as a variable.
    pub fn share(&mut self, start: u64, bytes: u64) -> Answer {
        self.allocations.map(start, bytes)?;
        self.allocations.by_address.insert(start, Allocation { bytes, kind: Kind::Managed });
        let into = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, bytes as usize) };
        self.device().read_into(Pointer(start), into).map_err(|_| INVALID_VALUE)
    }

    /// Takes back what starts at an address. Addresses are not used again, so that who touches freed memory
    /// is seen.
    pub fn free(&mut self, address: u64) -> Answer {
        if address == 0 {
            return Ok(());
        }
        if matches!(self.allocations.by_address.get(&address), Some(Allocation { kind: Kind::Graph, .. })) {
            return Ok(());
        }
        let Some(allocation) = self.allocations.by_address.remove(&address) else {
            complain(format!("{address:#x} is freed, where no allocation starts, or none any more"));
            return Err(INVALID_VALUE);
        };
        self.allocations.used -= allocation.bytes;
        self.device().free(Pointer(address));
        if allocation.kind.host(address) == Some(address as usize) {
            let (first, last) = (address.next_multiple_of(PAGE), (address + allocation.bytes) / PAGE * PAGE);
            if first < last {
                unsafe { munmap(first as *mut c_void, (last - first) as usize) };
            }
        }
        Ok(())
    }

    /// Gives the emulator what the host changed of shared memory.
    pub fn send_shared(&mut self) {
        self.device();
        let Host { device, allocations, .. } = self;
        for (address, host, bytes) in allocations.shared() {
            let from = unsafe { std::slice::from_raw_parts(host as *const u8, bytes) };
            let sent = device.as_mut().expect("made above").update(Pointer(address), from);
            sent.expect("it is allocated");
        }
    }

    /// Gives the host what kernels changed of shared memory.
    pub fn fetch_shared(&mut self) {
        self.device();
        let Host { device, allocations, .. } = self;
        for (address, host, bytes) in allocations.shared() {
            let into = unsafe { std::slice::from_raw_parts_mut(host as *mut u8, bytes) };
            let fetched = device.as_mut().expect("made above").read_into(Pointer(address), into);
            fetched.expect("it is allocated");
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaMalloc(pointer: *mut u64, bytes: usize) -> i32 {
    answer(|host| unsafe {
        *pointer = host.allocate(bytes as u64, Kind::Device)?;
        Ok(())
    })
}

/// Rows start at multiples of 512 bytes.
pub fn pitch_of(width: usize) -> usize {
    width.next_multiple_of(512)
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocPitch(
    pointer: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> i32 {
    answer(|host| unsafe {
        *pitch = pitch_of(width);
        *pointer = host.allocate((*pitch * height) as u64, Kind::Device)?;
        Ok(())
    })
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pitched {
    pub pointer: u64,
    pub pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `cudaExtent` and `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Extent {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

#[no_mangle]
pub unsafe extern "C" fn cudaMalloc3D(pitched: *mut Pitched, extent: Extent) -> i32 {
    answer(|host| unsafe {
        let pitch = pitch_of(extent.x);
        let pointer = host.allocate((pitch * extent.y * extent.z) as u64, Kind::Device)?;
        *pitched = Pitched { pointer, pitch, width: extent.x, height: extent.y };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaFree(pointer: u64) -> i32 {
    answer(|host| host.free(pointer))
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocManaged(pointer: *mut u64, bytes: usize, _: u32) -> i32 {
    answer(|host| unsafe {
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        *pointer = host.allocate(bytes as u64, Kind::Managed)?;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaHostAlloc(pointer: *mut u64, bytes: usize, flags: u32) -> i32 {
    answer(|host| unsafe {
        *pointer = if bytes == 0 { 0 } else { host.allocate(bytes as u64, Kind::Host(flags))? };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMallocHost(pointer: *mut u64, bytes: usize) -> i32 {
    unsafe { cudaHostAlloc(pointer, bytes, 0) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaFreeHost(pointer: u64) -> i32 {
    answer(|host| host.free(pointer))
}

#[no_mangle]
pub unsafe extern "C" fn cudaHostRegister(pointer: usize, bytes: usize, flags: u32) -> i32 {
    answer(|host| {
        if pointer == 0 || bytes == 0 {
            return Err(INVALID_VALUE);
        }
        if host.allocations.registered(pointer).is_some() || host.allocations.at(pointer as u64).is_some() {
            return Err(REGISTERED_ALREADY);
        }
        host.allocate(bytes as u64, Kind::Registered(pointer, flags)).map(drop)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaHostUnregister(pointer: usize) -> i32 {
    answer(|host| match host.allocations.registered(pointer) {
        Some((start, address, _)) if start == pointer => host.free(address),
        _ => Err(NOT_REGISTERED),
    })
}

/// The address on the device of pinned or registered memory.
#[no_mangle]
pub unsafe extern "C" fn cudaHostGetDevicePointer(device: *mut u64, pointer: usize, _: u32) -> i32 {
    answer(|host| unsafe {
        if let Some((start, address, _)) = host.allocations.registered(pointer) {
            *device = address + (pointer - start) as u64;
            return Ok(());
        }
        match host.allocations.at(pointer as u64) {
            Some((_, Allocation { kind: Kind::Host(_) | Kind::Managed, .. })) => {
                *device = pointer as u64;
                Ok(())
            }
            _ => Err(INVALID_VALUE),
        }
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaHostGetFlags(flags: *mut u32, pointer: usize) -> i32 {
    answer(|host| unsafe {
        *flags = match (host.allocations.registered(pointer), host.allocations.at(pointer as u64)) {
            (Some((.., flags)), _) | (None, Some((_, Allocation { kind: Kind::Host(flags), .. }))) => flags,
            _ => return Err(INVALID_VALUE),
        };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> i32 {
    answer(|host| unsafe {
        (*free, *total) = (host.allocations.free_bytes() as usize, CAPACITY as usize);
        Ok(())
    })
}

/// `cudaPointerAttributes`.
#[repr(C)]
pub struct PointerAttributes {
    kind: i32,
    device: i32,
    device_pointer: u64,
    host_pointer: usize,
    reserved: [i64; 8],
}

const _: () = assert!(size_of::<PointerAttributes>() == 88);

/// `cudaMemoryType`.
const UNREGISTERED: i32 = 0;
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const MANAGED: i32 = 3;

#[no_mangle]
pub unsafe extern "C" fn cudaPointerGetAttributes(attributes: *mut PointerAttributes, pointer: u64) -> i32 {
    answer(|host| unsafe {
        let registered = host.allocations.registered(pointer as usize);
        let (kind, device_pointer, host_pointer) = match (host.allocations.at(pointer), registered) {
            (Some((_, Allocation { kind: Kind::Device | Kind::Graph, .. })), _) => (DEVICE, pointer, 0),
            (Some((_, Allocation { kind: Kind::Managed, .. })), _) => (MANAGED, pointer, pointer as usize),
            (Some((start, allocation)), _) => {
                let place = allocation.kind.host(start).map(|place| place + (pointer - start) as usize);
                (HOST, pointer, place.unwrap_or_default())
            }
            (None, Some((start, address, _))) => (HOST, address + (pointer - start as u64), pointer as usize),
            (None, None) if (BASE..END).contains(&pointer) => (DEVICE, pointer, 0),
            (None, None) => (UNREGISTERED, 0, pointer as usize),
        };
        let device = if kind == UNREGISTERED { -2 } else { 0 };
        attributes.write(PointerAttributes { kind, device, device_pointer, host_pointer, reserved: [0; 8] });
        Ok(())
    })
}
