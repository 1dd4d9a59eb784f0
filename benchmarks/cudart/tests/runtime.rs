// SPDX-License-Identifier: Apache-2.0
//! The runtime's functions, called as a compiled program calls them. The device code is in `kernels.sass`,
//! which stands where the listing of the program's cubin would be kept, so that no tool of NVIDIA's is
//! needed.

#![allow(non_snake_case)]

use std::ffi::{c_char, c_void, CStr, CString};
use std::sync::{Mutex, MutexGuard, OnceLock};

use gpurf_cudart as _;
use sha2::{Digest, Sha256};

type Handle = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy)]
struct Dim3(u32, u32, u32);

#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
struct Extent(usize, usize, usize);

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Pitched(u64, usize, usize, usize);

#[repr(C)]
#[derive(Clone, Copy)]
struct Format([i32; 4], i32);

const SINGLE: Format = Format([32, 0, 0, 0], 2);

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Copy3d {
    from_array: Handle,
    from_position: Extent,
    from: Pitched,
    to_array: Handle,
    to_position: Extent,
    to: Pitched,
    extent: Extent,
    kind: i32,
}

/// `cudaResourceDesc`: kind, then an array, or address, format, width, height and pitch.
#[repr(C)]
struct Resource {
    kind: i32,
    words: [u64; 16],
    flags: u32,
}

impl Resource {
    fn of_array(array: Handle) -> Resource {
        let mut words = [0; 16];
        words[0] = array as u64;
        Resource { kind: 0, words, flags: 0 }
    }

    fn of_memory(kind: i32, address: u64, [width, height, pitch]: [u64; 3]) -> Resource {
        let mut words = [0; 16];
        words[..7].copy_from_slice(&[address, 32, 0, 2, width, height, pitch]);
        Resource { kind, words, flags: 0 }
    }
}

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelNode(*const c_void, Dim3, Dim3, u32, *const *const c_void, Handle);

/// `cudaMemsetParams`.
#[repr(C)]
struct FillNode(u64, usize, u32, u32, usize, usize);

/// The kind of memory, who else sees it, bytes, and the address that the runtime gives.
#[repr(C)]
struct AllocationNode([u64; 13], usize, u64);

#[repr(C)]
struct HostNode(extern "C" fn(Handle), Handle);

extern "C" {
    fn __cudaRegisterFatBinary(wrapper: *const Wrapper) -> Handle;
    fn __cudaRegisterFunction(
        binary: Handle,
        function: *const u8,
        device: *const u8,
        name: *const c_char,
        limit: i32,
        thread: Handle,
        block: Handle,
        block_size: Handle,
        grid_size: Handle,
        warp: Handle,
    );
    fn __cudaRegisterVar(
        binary: Handle,
        variable: *const u8,
        device: *const u8,
        name: *const c_char,
        external: i32,
        size: usize,
        constant: i32,
        global: i32,
    );
    fn __cudaRegisterManagedVar(
        binary: Handle,
        variable: *mut *mut i32,
        device: *const u8,
        name: *const c_char,
        external: i32,
        size: usize,
        constant: i32,
        global: i32,
    );
    fn __cudaInitModule(binary: Handle) -> c_char;
    fn cudaLaunchKernel(
        function: *const u8,
        grid: Dim3,
        block: Dim3,
        arguments: *const *const c_void,
        shared: usize,
        stream: Handle,
    ) -> i32;
    fn cudaMalloc(pointer: *mut u64, bytes: usize) -> i32;
    fn cudaMallocPitch(pointer: *mut u64, pitch: *mut usize, width: usize, height: usize) -> i32;
    fn cudaMallocManaged(pointer: *mut *mut i32, bytes: usize, flags: u32) -> i32;
    fn cudaMallocAsync(pointer: *mut u64, bytes: usize, stream: Handle) -> i32;
    fn cudaHostAlloc(pointer: *mut *mut i32, bytes: usize, flags: u32) -> i32;
    fn cudaHostRegister(pointer: *mut i32, bytes: usize, flags: u32) -> i32;
    fn cudaHostUnregister(pointer: *mut i32) -> i32;
    fn cudaHostGetDevicePointer(device: *mut u64, pointer: *mut i32, flags: u32) -> i32;
    fn cudaPointerGetAttributes(attributes: *mut [u64; 11], pointer: u64) -> i32;
    fn cudaFree(pointer: u64) -> i32;
    fn cudaFreeHost(pointer: *mut i32) -> i32;
    fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> i32;
    fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: i32) -> i32;
    fn cudaMemcpyAsync(to: u64, from: u64, bytes: usize, kind: i32, stream: Handle) -> i32;
    fn cudaMemcpy2D(
        to: u64,
        to_pitch: usize,
        from: u64,
        from_pitch: usize,
        width: usize,
        height: usize,
        kind: i32,
    ) -> i32;
    fn cudaMemcpy2DToArray(
        to: Handle,
        x: usize,
        y: usize,
        from: u64,
        pitch: usize,
        width: usize,
        height: usize,
        kind: i32,
    ) -> i32;
    fn cudaMemcpy2DFromArray(
        to: u64,
        pitch: usize,
        from: Handle,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        kind: i32,
    ) -> i32;
    fn cudaMemcpy3D(copy: *const Copy3d) -> i32;
    fn cudaMemset2D(address: u64, pitch: usize, value: i32, width: usize, height: usize) -> i32;
    fn cudaMemset3D(memory: Pitched, value: i32, extent: Extent) -> i32;
    fn cudaMemsetAsync(address: u64, value: i32, bytes: usize, stream: Handle) -> i32;
    fn cudaMemcpyToSymbol(symbol: *const u8, from: *const i32, bytes: usize, offset: usize, kind: i32)
        -> i32;
    fn cudaMemcpyFromSymbol(to: *mut i32, symbol: *const u8, bytes: usize, offset: usize, kind: i32) -> i32;
    fn cudaGetSymbolSize(size: *mut usize, symbol: *const u8) -> i32;
    fn cudaMallocArray(
        array: *mut Handle,
        format: *const Format,
        width: usize,
        height: usize,
        flags: u32,
    ) -> i32;
    fn cudaMalloc3DArray(array: *mut Handle, format: *const Format, extent: Extent, flags: u32) -> i32;
    fn cudaFreeArray(array: Handle) -> i32;
    fn cudaArrayGetInfo(format: *mut Format, extent: *mut Extent, flags: *mut u32, array: Handle) -> i32;
    fn cudaCreateTextureObject(
        handle: *mut u64,
        resource: *const Resource,
        texture: *const [i32; 18],
        view: Handle,
    ) -> i32;
    fn cudaDestroyTextureObject(handle: u64) -> i32;
    fn cudaCreateSurfaceObject(handle: *mut u64, resource: *const Resource) -> i32;
    fn cudaStreamCreateWithFlags(stream: *mut Handle, flags: u32) -> i32;
    fn cudaStreamDestroy(stream: Handle) -> i32;
    fn cudaStreamSynchronize(stream: Handle) -> i32;
    fn cudaStreamBeginCapture(stream: Handle, mode: i32) -> i32;
    fn cudaStreamEndCapture(stream: Handle, graph: *mut Handle) -> i32;
    fn cudaStreamWaitEvent(stream: Handle, event: Handle, flags: u32) -> i32;
    fn cudaLaunchHostFunc(stream: Handle, function: extern "C" fn(Handle), data: Handle) -> i32;
    fn cudaEventCreate(event: *mut Handle) -> i32;
    fn cudaEventRecord(event: Handle, stream: Handle) -> i32;
    fn cudaEventElapsedTime(milliseconds: *mut f32, from: Handle, to: Handle) -> i32;
    fn cudaGraphCreate(graph: *mut Handle, flags: u32) -> i32;
    fn cudaGraphDestroy(graph: Handle) -> i32;
    fn cudaGraphAddKernelNode(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        count: usize,
        parameters: *const KernelNode,
    ) -> i32;
    fn cudaGraphAddMemsetNode(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        count: usize,
        parameters: *const FillNode,
    ) -> i32;
    fn cudaGraphAddHostNode(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        count: usize,
        parameters: *const HostNode,
    ) -> i32;
    fn cudaGraphAddMemcpyNode1D(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        count: usize,
        to: u64,
        from: u64,
        bytes: usize,
        kind: i32,
    ) -> i32;
    fn cudaGraphAddMemAllocNode(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        count: usize,
        parameters: *mut AllocationNode,
    ) -> i32;
    fn cudaGraphAddDependencies(
        graph: Handle,
        from: *const Handle,
        to: *const Handle,
        edges: Handle,
        count: usize,
    ) -> i32;
    fn cudaGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) -> i32;
    fn cudaGraphGetRootNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) -> i32;
    fn cudaGraphGetEdges(
        graph: Handle,
        from: *mut Handle,
        to: *mut Handle,
        edges: Handle,
        count: *mut usize,
    ) -> i32;
    fn cudaGraphClone(clone: *mut Handle, graph: Handle) -> i32;
    fn cudaGraphInstantiate(executable: *mut Handle, graph: Handle, flags: u64) -> i32;
    fn cudaGraphExecKernelNodeSetParams(
        executable: Handle,
        node: Handle,
        parameters: *const KernelNode,
    ) -> i32;
    fn cudaGraphExecUpdate(executable: Handle, graph: Handle, updated: *mut [u64; 3]) -> i32;
    fn cudaGraphLaunch(executable: Handle, stream: Handle) -> i32;
    fn cudaGraphExecDestroy(executable: Handle) -> i32;
    fn cudaGraphAddNode(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        edges: Handle,
        count: usize,
        parameters: *mut AnyNode,
    ) -> i32;
    fn cudaGraphAddChildGraphNode(
        node: *mut Handle,
        graph: Handle,
        after: *const Handle,
        count: usize,
        inner: Handle,
    ) -> i32;
    fn cudaGraphConditionalHandleCreate(handle: *mut u64, graph: Handle, start: u32, flags: u32) -> i32;
    fn cudaGraphNodeGetType(node: Handle, kind: *mut i32) -> i32;
    fn cudaMallocMipmappedArray(
        array: *mut Handle,
        format: *const Format,
        extent: Extent,
        levels: u32,
        flags: u32,
    ) -> i32;
    fn cudaGetMipmappedArrayLevel(level: *mut Handle, array: Handle, number: u32) -> i32;
    fn cudaFreeMipmappedArray(array: Handle) -> i32;
    fn cudaEventCreateWithFlags(event: *mut Handle, flags: u32) -> i32;
    fn cudaIpcGetMemHandle(handle: *mut Shared, pointer: u64) -> i32;
    fn cudaIpcOpenMemHandle(pointer: *mut u64, handle: Shared, flags: u32) -> i32;
    fn cudaIpcCloseMemHandle(pointer: u64) -> i32;
    fn cudaIpcGetEventHandle(handle: *mut Shared, event: Handle) -> i32;
    fn cudaIpcOpenEventHandle(event: *mut Handle, handle: Shared) -> i32;
    fn cudaLaunchKernel_ptsz(
        function: *const u8,
        grid: Dim3,
        block: Dim3,
        arguments: *const *const c_void,
        shared: usize,
        stream: Handle,
    ) -> i32;
    fn cudaMemcpy_ptds(to: u64, from: u64, bytes: usize, kind: i32) -> i32;
    fn cudaMemset3D_ptds(memory: Pitched, value: i32, extent: Extent) -> i32;
    fn cudaStreamBeginCapture_ptsz(stream: Handle, mode: i32) -> i32;
    fn cudaStreamEndCapture_ptsz(stream: Handle, graph: *mut Handle) -> i32;
    fn cudaStreamIsCapturing_ptsz(stream: Handle, status: *mut i32) -> i32;
    fn cudaStreamSynchronize_ptsz(stream: Handle) -> i32;
    fn cudaGraphLaunch_ptsz(executable: Handle, stream: Handle) -> i32;
    fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> u32;
    fn __cudaPopCallConfiguration(
        grid: *mut Dim3,
        block: *mut Dim3,
        shared: *mut usize,
        stream: *mut Handle,
    ) -> i32;
    fn cudaGetLastError() -> i32;
    fn cudaGetErrorName(code: i32) -> *const c_char;
    fn cudaDeviceSynchronize() -> i32;
    fn cudaDeviceReset() -> i32;
    fn cudaDeviceSetLimit(limit: i32, value: usize) -> i32;
    fn cudaDeviceGetLimit(value: *mut usize, limit: i32) -> i32;
    fn cudaDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) -> i32;
    fn cudaGetDeviceProperties(properties: *mut [i32; 252], device: i32) -> i32;
    fn cudaFuncGetAttributes(attributes: *mut [i32; 36], function: *const u8) -> i32;
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut i32,
        function: *const u8,
        threads: i32,
        shared: usize,
    ) -> i32;
}

/// `cudaGraphNodeParams` of a conditional node.
#[repr(C)]
struct AnyNode {
    kind: i32,
    reserved: [i32; 3],
    condition: u64,
    choice: i32,
    count: u32,
    bodies: *const Handle,
    rest: [u64; 27],
}

const _: () = assert!(size_of::<AnyNode>() == 256);

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Shared([u64; 8]);

/// The struct that a program has its code in.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    file: Handle,
}

const KERNELS: [&str; 16] = [
    "add",
    "twice",
    "texels",
    "voxels",
    "layers",
    "elements",
    "draw",
    "store_at",
    "check",
    "trap",
    "deep",
    "levels",
    "steps",
    "count_down",
    "decide",
    "increase",
];
const VARIABLES: [&str; 2] = ["factors", "offsets"];

/// The functions and variables of the host program: their addresses stand for those of the device.
static STANDS_FOR: [u8; KERNELS.len() + VARIABLES.len()] = [0; KERNELS.len() + VARIABLES.len()];
static mut COUNTER: *mut i32 = std::ptr::null_mut();

fn stand_in(name: &str) -> *const u8 {
    let index = KERNELS.iter().chain(&VARIABLES).position(|known| *known == name).expect("listed");
    &STANDS_FOR[index]
}

/// Registers the program's code, as compiled programs do before `main`.
fn register() {
    // Any bytes that look like a cubin do: the listing of it is kept.
    let mut cubin = *b"\x7fELF                .";
    cubin[18..20].copy_from_slice(&[190, 0]);
    let folder = std::env::temp_dir().join(format!("gpurf-cudart-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let listing = folder.join(format!("listing-{:x}.sass", Sha256::digest(cubin)));
    std::fs::write(listing, include_str!("kernels.sass")).expect("written");
    std::env::set_var("GPURF_CACHE", folder);

    let mut binary = vec![0u8; 16 + 64];
    binary[..4].copy_from_slice(&0xba55ed50u32.to_le_bytes());
    binary[6..8].copy_from_slice(&16u16.to_le_bytes());
    binary[8..16].copy_from_slice(&(64 + cubin.len() as u64).to_le_bytes());
    binary[16..18].copy_from_slice(&2u16.to_le_bytes());
    binary[20..24].copy_from_slice(&64u32.to_le_bytes());
    binary[24..32].copy_from_slice(&(cubin.len() as u64).to_le_bytes());
    binary[44..48].copy_from_slice(&75u32.to_le_bytes());
    binary.extend(cubin);
    let data = binary.leak().as_ptr();
    let nothing = std::ptr::null_mut();
    unsafe {
        let wrapper = Wrapper { magic: 0x466243b1, version: 1, data, file: nothing };
        let handle = __cudaRegisterFatBinary(&wrapper);
        for name in KERNELS {
            let text = CString::new(name).expect("no zero");
            let [at, device] = [stand_in(name), std::ptr::null()];
            __cudaRegisterFunction(
                handle,
                at,
                device,
                text.as_ptr(),
                -1,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
            );
        }
        for name in VARIABLES {
            let text = CString::new(name).expect("no zero");
            __cudaRegisterVar(handle, stand_in(name), std::ptr::null(), text.as_ptr(), 0, 16, 0, 0);
        }
        let place = &raw mut COUNTER;
        __cudaRegisterManagedVar(handle, place, std::ptr::null(), c"counter".as_ptr(), 0, 4, 0, 0);
        assert_eq!(__cudaInitModule(handle), 1);
    }
}

/// The runtime for one test at a time, without the errors of the one before.
fn runtime() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    static REGISTERED: OnceLock<()> = OnceLock::new();
    let guard = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    REGISTERED.get_or_init(register);
    unsafe {
        cudaDeviceReset();
        cudaGetLastError();
    }
    guard
}

/// A call that must succeed.
macro_rules! ok {
    ($($call:tt)*) => {
        assert_eq!({ #[allow(unused_unsafe)] unsafe { $($call)* } }, 0, stringify!($($call)*))
    };
}

fn launch_in(stream: Handle, kernel: &str, threads: u32, arguments: &[*const c_void]) -> i32 {
    let (grid, block) = (Dim3(1, 1, 1), Dim3(threads, 1, 1));
    unsafe { cudaLaunchKernel(stand_in(kernel), grid, block, arguments.as_ptr(), 0, stream) }
}

fn launch(kernel: &str, threads: u32, arguments: &[*const c_void]) -> i32 {
    launch_in(NONE, kernel, threads, arguments)
}

const NONE: Handle = std::ptr::null_mut();

/// Where an argument lies.
fn at<T>(value: &T) -> *const c_void {
    (&raw const *value).cast()
}

fn malloc(bytes: usize) -> u64 {
    let mut pointer = 0;
    ok!(cudaMalloc(&mut pointer, bytes));
    pointer
}

fn fetch<T: Copy + Default>(address: u64, count: usize) -> Vec<T> {
    let mut values = vec![T::default(); count];
    ok!(cudaMemcpy(values.as_mut_ptr() as u64, address, count * size_of::<T>(), 2));
    values
}

fn send<T>(address: u64, values: &[T]) {
    ok!(cudaMemcpy(address, values.as_ptr() as u64, size_of_val(values), 1));
}

/// Sets the variables that `add` reads, as `added` expects them.
fn set_variables() {
    ok!(cudaMemcpyToSymbol(stand_in("factors"), [1, 3, 0, 0].as_ptr(), 16, 0, 1));
    ok!(cudaMemcpyToSymbol(stand_in("offsets"), [7].as_ptr(), 4, 8, 1));
}

fn added(before: i32, i: i32) -> i32 {
    before + 3 * i + 7
}

#[test]
fn every_attribute_is_answered_and_agrees_with_the_properties() {
    let _runtime = runtime();
    let attribute = |number| {
        let mut value = -7;
        ok!(cudaDeviceGetAttribute(&mut value, number, 0));
        value
    };
    assert!((1..=160).all(|number| attribute(number) != -7));
    // What NVIDIA's samples ask before anything else: the mode, and the clock.
    assert_eq!((attribute(20), attribute(13) > 0), (0, true));
    let mut properties = [0; 252];
    ok!(cudaGetDeviceProperties(&mut properties, 0));
    // By CUDA 13's places of 32 bits.
    for (number, place) in
        [(10, 77), (1, 80), (2, 81), (5, 84), (75, 90), (76, 91), (16, 96), (38, 149), (95, 167)]
    {
        assert_eq!(attribute(number), properties[place], "{number}");
    }
    let mut value = 0;
    assert_eq!(unsafe { cudaDeviceGetAttribute(&mut value, 1, 1) }, 101);
}

#[test]
fn host_and_device_share_memory() {
    let _runtime = runtime();
    set_variables();
    let count = 200;
    let check = |values: &[i32], before: &dyn Fn(i32) -> i32| {
        for (i, &value) in (0..).zip(values) {
            assert_eq!(value, added(before(i), i), "{i}");
        }
    };
    unsafe {
        let start = *COUNTER;
        let mut managed = std::ptr::null_mut();
        ok!(cudaMallocManaged(&mut managed, 4 * count, 1));
        let values = std::slice::from_raw_parts_mut(managed, count);
        values.iter_mut().zip(0..).for_each(|(value, i)| *value = 10 * i);
        ok!(launch("add", 200, &[at(&managed), at(&200)]));
        check(values, &|i| 10 * i);
        assert_eq!(*COUNTER, start + 200, "a managed variable");
        // A copy on the device sees what the host wrote last.
        values[3] = 99;
        let device = malloc(4 * count);
        ok!(cudaMemcpy(device, managed as u64, 4 * count, 4));
        assert_eq!(fetch::<i32>(device, 4)[3], 99);

        let mut pinned = std::ptr::null_mut();
        ok!(cudaHostAlloc(&mut pinned, 4 * count, 2));
        let mut seen = 0;
        ok!(cudaHostGetDevicePointer(&mut seen, pinned, 0));
        ok!(launch("add", 200, &[at(&seen), at(&200)]));
        check(std::slice::from_raw_parts(pinned, count), &|_| 0);

        let mut registered = vec![5; count];
        let start = registered.as_mut_ptr();
        ok!(cudaHostRegister(start, 4 * count, 2));
        ok!(cudaHostGetDevicePointer(&mut seen, start, 0));
        ok!(launch("add", 200, &[at(&seen), at(&200)]));
        check(&registered, &|_| 5);

        let kind = |pointer: u64| {
            let mut attributes = [0; 11];
            ok!(cudaPointerGetAttributes(&mut attributes, pointer));
            attributes[0] as u32
        };
        assert_eq!([managed as u64, device, pinned as u64, start as u64].map(kind), [3, 2, 1, 1]);
        ok!(cudaHostUnregister(start));
        assert_eq!(kind(start as u64), 0);
        assert_eq!(cudaHostUnregister(start), 713);
        ok!(cudaFree(managed as u64));
        ok!(cudaFreeHost(pinned));
    }
}

#[test]
fn variables_are_read_and_written_in_part() {
    let _runtime = runtime();
    for name in VARIABLES {
        ok!(cudaMemcpyToSymbol(stand_in(name), [1, 2, 3, 4].as_ptr(), 16, 0, 1));
        ok!(cudaMemcpyToSymbol(stand_in(name), [20, 30].as_ptr(), 8, 4, 1));
        let mut found = [0; 3];
        ok!(cudaMemcpyFromSymbol(found.as_mut_ptr(), stand_in(name), 12, 4, 2));
        assert_eq!(found, [20, 30, 4], "{name}");
        let mut size = 0;
        ok!(cudaGetSymbolSize(&mut size, stand_in(name)));
        assert_eq!(size, 16);
        assert_eq!(unsafe { cudaMemcpyToSymbol(stand_in(name), [1].as_ptr(), 4, 16, 1) }, 1);
    }
}

#[test]
fn copies_and_fills_go_row_by_row() {
    let _runtime = runtime();
    let (width, height) = (40, 3);
    let from: Vec<u8> = (0..width as u8 * height as u8).collect();
    let (mut pitched, mut pitch) = (0, 0);
    ok!(cudaMallocPitch(&mut pitched, &mut pitch, width, height));
    assert!(pitch >= width && pitch % 512 == 0);
    ok!(cudaMemset2D(pitched, pitch, 0xee, pitch, height));
    ok!(cudaMemcpy2D(pitched, pitch, from.as_ptr() as u64, width, width, height, 1));
    let all: Vec<u8> = fetch(pitched, pitch * height);
    for y in 0..height {
        assert_eq!(all[y * pitch..y * pitch + width], from[y * width..(y + 1) * width]);
        assert!(all[y * pitch + width..(y + 1) * pitch].iter().all(|&byte| byte == 0xee));
    }
    // A box of 4 x 2 x 2 out of 8 x 3 x 3, to a corner of another.
    let sizes = Extent(8, 3, 3);
    let [source, target] = [(); 2].map(|()| malloc(72));
    send(source, &(0..72).collect::<Vec<u8>>());
    ok!(cudaMemset3D(Pitched(target, 8, 8, 3), 0xaa, sizes));
    let copy = Copy3d {
        from_array: NONE,
        from_position: Extent(2, 1, 1),
        from: Pitched(source, 8, 8, 3),
        to_array: NONE,
        to_position: Extent(4, 0, 1),
        to: Pitched(target, 8, 8, 3),
        extent: Extent(4, 2, 2),
        kind: 3,
    };
    ok!(cudaMemcpy3D(&copy));
    let found: Vec<u8> = fetch(target, 72);
    for (place, &byte) in found.iter().enumerate() {
        let [x, y, z] = [place % 8, place / 8 % 3, place / 24];
        let inside = x >= 4 && y < 2 && z >= 1;
        let expected = if inside { (x - 2) + (y + 1) * 8 + z * 24 } else { 0xaa };
        assert_eq!(usize::from(byte), expected, "({x}, {y}, {z})");
    }
    // What cannot be: rows wider than their distance, places of nothing, a direction against the addresses.
    let address = from.as_ptr() as u64;
    assert_eq!(unsafe { cudaMemcpy2D(pitched, 8, address, width, width, height, 1) }, 12);
    assert_eq!(unsafe { cudaMemcpy(0, pitched, 4, 2) }, 1);
    assert_eq!(unsafe { cudaMemcpy(address, address, 4, 1) }, 1);
    assert_eq!(unsafe { cudaMemcpy(target + 70, source, 4, 3) }, 1, "past the end");
}

/// `cudaTextureDesc`: clamped, the nearest texel, not normalized.
const NEAREST: [i32; 18] = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn sampled(kernel: &str, resource: &Resource) -> Vec<f32> {
    let mut texture = 0u64;
    ok!(cudaCreateTextureObject(&mut texture, resource, &NEAREST, NONE));
    let result = malloc(4 * 8);
    ok!(launch(kernel, 8, &[at(&texture), at(&result)]));
    ok!(cudaDestroyTextureObject(texture));
    fetch(result, 8)
}

#[test]
fn textures_and_surfaces_are_read_and_written() {
    let _runtime = runtime();
    let row = |start: usize| (start..start + 8).map(|i| i as f32 / 2.0).collect::<Vec<_>>();
    let values = row(0).into_iter().chain((8..8 * 4 * 4).map(|i| i as f32 / 2.0)).collect::<Vec<f32>>();
    let mut plane = NONE;
    ok!(cudaMallocArray(&mut plane, &SINGLE, 8, 4, 2));
    ok!(cudaMemcpy2DToArray(plane, 0, 0, values.as_ptr() as u64, 32, 32, 4, 1));
    assert_eq!(sampled("texels", &Resource::of_array(plane)), row(8));

    let mut surface = 0u64;
    ok!(cudaCreateSurfaceObject(&mut surface, &Resource::of_array(plane)));
    ok!(launch("draw", 8, &[at(&surface)]));
    let drawn: Vec<f32> = (0..8).map(|i| 100.0 + i as f32).collect();
    assert_eq!(sampled("texels", &Resource::of_array(plane)), drawn);
    let mut part = [0f32; 6];
    ok!(cudaMemcpy2DFromArray(part.as_mut_ptr() as u64, 12, plane, 8, 0, 12, 2, 2));
    assert_eq!(part, [1.0, 1.5, 2.0, 102.0, 103.0, 104.0]);
    let (mut format, mut extent, mut flags) = (SINGLE, Extent::default(), 0);
    ok!(cudaArrayGetInfo(&mut format, &mut extent, &mut flags, plane));
    assert_eq!((extent, flags), (Extent(8, 4, 0), 2));

    for (kernel, flags) in [("voxels", 0), ("layers", 1)] {
        let mut array = NONE;
        ok!(cudaMalloc3DArray(&mut array, &SINGLE, Extent(8, 4, 4), flags));
        let copy = Copy3d {
            from_array: NONE,
            from_position: Extent::default(),
            from: Pitched(values.as_ptr() as u64, 32, 8, 4),
            to_array: array,
            to_position: Extent::default(),
            to: Pitched::default(),
            extent: Extent(8, 4, 4),
            kind: 1,
        };
        ok!(cudaMemcpy3D(&copy));
        assert_eq!(sampled(kernel, &Resource::of_array(array)), row(2 * 32 + 8), "{kernel}");
        ok!(cudaFreeArray(array));
    }

    let (mut memory, mut pitch) = (0, 0);
    ok!(cudaMallocPitch(&mut memory, &mut pitch, 32, 4));
    ok!(cudaMemcpy2D(memory, pitch, values.as_ptr() as u64, 32, 32, 4, 1));
    assert_eq!(sampled("texels", &Resource::of_memory(3, memory, [8, 4, pitch as u64])), row(8));
    let line = malloc(128);
    send(line, &values[..32]);
    assert_eq!(sampled("elements", &Resource::of_memory(2, line, [128, 0, 0])), row(3));

    let narrow = Resource::of_memory(3, memory, [8, 4, 16]);
    let mut texture = 0;
    assert_eq!(unsafe { cudaCreateTextureObject(&mut texture, &narrow, &NEAREST, NONE) }, 1);
}

extern "C" fn increment(data: Handle) {
    unsafe { *data.cast::<i32>() += 1 };
}

fn nodes(graph: Handle) -> usize {
    let mut count = 0;
    ok!(cudaGraphGetNodes(graph, NONE.cast(), &mut count));
    count
}

#[test]
fn captured_streams_are_replayed() {
    let _runtime = runtime();
    set_variables();
    let [mut one, mut other, mut forked, mut joined] = [NONE; 4];
    ok!(cudaStreamCreateWithFlags(&mut one, 1));
    ok!(cudaStreamCreateWithFlags(&mut other, 1));
    ok!(cudaEventCreate(&mut forked));
    ok!(cudaEventCreate(&mut joined));
    let place = malloc(400);
    send(place, &[1; 100]);
    let mut result = vec![-1; 100];
    let mut calls = 0;

    ok!(cudaStreamBeginCapture(one, 0));
    ok!(cudaMemsetAsync(place, 0, 400, one));
    ok!(cudaEventRecord(forked, one));
    ok!(cudaStreamWaitEvent(other, forked, 0));
    ok!(launch_in(other, "add", 100, &[at(&place), at(&100)]));
    ok!(cudaEventRecord(joined, other));
    ok!(cudaStreamWaitEvent(one, joined, 0));
    ok!(launch_in(one, "twice", 100, &[at(&place)]));
    ok!(cudaMemcpyAsync(result.as_mut_ptr() as u64, place, 400, 2, one));
    ok!(cudaLaunchHostFunc(one, increment, (&raw mut calls).cast()));
    assert_eq!(unsafe { cudaStreamSynchronize(one) }, 900);
    let mut graph = NONE;
    ok!(cudaStreamEndCapture(one, &mut graph));
    assert_eq!((nodes(graph), result[0], calls), (5, -1, 0), "nothing has happened yet");
    // All come after the fill; what waits for the other stream, after that one's kernel too.
    let (mut roots, mut edges) = (0, 0);
    ok!(cudaGraphGetRootNodes(graph, NONE.cast(), &mut roots));
    ok!(cudaGraphGetEdges(graph, NONE.cast(), NONE.cast(), NONE, &mut edges));
    assert_eq!((roots, edges), (1, 5));
    assert_eq!(fetch::<i32>(place, 1), [1]);

    let mut executable = NONE;
    ok!(cudaGraphInstantiate(&mut executable, graph, 0));
    ok!(cudaGraphDestroy(graph));
    for round in 1..=2 {
        ok!(cudaGraphLaunch(executable, one));
        let expected: Vec<i32> = (0..100).map(|i| 2 * added(0, i)).collect();
        assert_eq!((&result, calls), (&expected, round));
        result.fill(0);
    }
    // The streams do things at once again.
    ok!(cudaMemsetAsync(place, 1, 4, one));
    assert_eq!(fetch::<i32>(place, 1), [0x0101_0101]);
    let mut milliseconds = 0.0;
    assert_eq!(unsafe { cudaEventElapsedTime(&mut milliseconds, forked, joined) }, 400, "never recorded");
    ok!(cudaEventRecord(forked, one));
    ok!(cudaEventRecord(joined, one));
    ok!(cudaEventElapsedTime(&mut milliseconds, forked, joined));
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaStreamDestroy(one));
}

/// A program may call a kernel as a plain function: it does not run, and the program goes on.
#[test]
fn a_kernel_without_a_configuration_is_an_error() {
    let _runtime = runtime();
    let (mut grid, mut block, mut shared, mut stream) = (Dim3(0, 0, 0), Dim3(0, 0, 0), 0, NONE);
    let mut pop = || unsafe { __cudaPopCallConfiguration(&mut grid, &mut block, &mut shared, &mut stream) };
    assert_eq!(pop(), 52);
    assert_eq!(unsafe { cudaGetLastError() }, 52);
    unsafe { __cudaPushCallConfiguration(Dim3(4, 1, 1), Dim3(32, 2, 1), 16, NONE) };
    assert_eq!(pop(), 0);
    assert_eq!((grid.0, block.1, shared), (4, 2, 16));
}

/// A program frees what a graph allocated, and launches the graph again.
#[test]
fn memory_of_a_graph_outlives_its_frees() {
    let _runtime = runtime();
    let [mut graph, mut allocation, mut fill, mut executable, mut stream] = [NONE; 5];
    let mut parameters = AllocationNode([0; 13], 400, 0);
    ok!(cudaGraphCreate(&mut graph, 0));
    ok!(cudaGraphAddMemAllocNode(&mut allocation, graph, &NONE, 0, &mut parameters));
    let AllocationNode(.., built) = parameters;
    ok!(cudaGraphAddMemsetNode(&mut fill, graph, &allocation, 1, &FillNode(built, 0, 7, 4, 100, 1)));
    let mut captured = 0;
    ok!(cudaStreamCreateWithFlags(&mut stream, 0));
    ok!(cudaStreamBeginCapture(stream, 0));
    ok!(cudaMallocAsync(&mut captured, 400, stream));
    ok!(cudaMemsetAsync(captured, 0, 400, stream));
    let mut from_capture = NONE;
    ok!(cudaStreamEndCapture(stream, &mut from_capture));
    for (graph, place, value) in [(graph, built, 7), (from_capture, captured, 0)] {
        ok!(cudaGraphInstantiate(&mut executable, graph, 0));
        for _ in 0..2 {
            ok!(cudaGraphLaunch(executable, NONE));
            assert_eq!(fetch::<i32>(place, 100), [value; 100]);
            ok!(cudaFree(place));
        }
        ok!(cudaGraphExecDestroy(executable));
    }
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn graphs_are_built_cloned_and_changed() {
    let _runtime = runtime();
    set_variables();
    let place = malloc(400);
    let other = malloc(400);
    let mut result = vec![0; 100];
    let mut calls = 0;
    let [mut graph, mut add, mut fill, mut copy, mut call] = [NONE; 5];
    let [first, second] = [[at(&place), at(&100)], [at(&other), at(&100)]];
    let kernel = |arguments: &[*const c_void; 2]| {
        KernelNode(stand_in("add").cast(), Dim3(1, 1, 1), Dim3(100, 1, 1), 0, arguments.as_ptr(), NONE)
    };
    ok!(cudaGraphCreate(&mut graph, 0));
    // The kernel is added before what it comes after.
    ok!(cudaGraphAddKernelNode(&mut add, graph, &NONE, 0, &kernel(&first)));
    ok!(cudaGraphAddMemsetNode(&mut fill, graph, &NONE, 0, &FillNode(place, 0, 0x0102, 2, 200, 1)));
    ok!(cudaGraphAddDependencies(graph, &fill, &add, NONE, 1));
    let to = result.as_mut_ptr() as u64;
    ok!(cudaGraphAddMemcpyNode1D(&mut copy, graph, &add, 1, to, place, 400, 2));
    let host = HostNode(increment, (&raw mut calls).cast());
    ok!(cudaGraphAddHostNode(&mut call, graph, &copy, 1, &host));
    let mut clone = NONE;
    ok!(cudaGraphClone(&mut clone, graph));
    assert_eq!(nodes(clone), 4);

    let mut executable = NONE;
    ok!(cudaGraphInstantiate(&mut executable, graph, 0));
    ok!(cudaGraphLaunch(executable, NONE));
    let expected: Vec<i32> = (0..100).map(|i| added(0x0102_0102, i)).collect();
    assert_eq!((&result, calls), (&expected, 1));
    // The kernel now adds elsewhere.
    ok!(cudaGraphExecKernelNodeSetParams(executable, add, &kernel(&second)));
    ok!(cudaGraphLaunch(executable, NONE));
    assert_eq!((result[5], fetch::<i32>(other, 100)[5], calls), (0x0102_0102, added(0, 5), 2));
    // And again where the clone says, which has the nodes that were there.
    let mut updated = [9; 3];
    ok!(cudaGraphExecUpdate(executable, clone, &mut updated));
    ok!(cudaGraphLaunch(executable, NONE));
    assert_eq!((&result, calls, updated[0] as u32), (&expected, 3, 0));
    ok!(cudaGraphAddKernelNode(&mut add, clone, &NONE, 0, &kernel(&first)));
    assert_eq!(unsafe { cudaGraphExecUpdate(executable, clone, &mut updated) }, 910);
    // Nodes that wait for each other.
    ok!(cudaGraphAddDependencies(graph, &copy, &fill, NONE, 1));
    assert_eq!(unsafe { cudaGraphInstantiate(&mut executable, graph, 0) }, 1);
}

fn kernel_node(graph: Handle, after: &[Handle], kernel: &str, arguments: &[*const c_void]) -> Handle {
    let node = KernelNode(stand_in(kernel).cast(), Dim3(1, 1, 1), Dim3(1, 1, 1), 0, arguments.as_ptr(), NONE);
    let mut added = NONE;
    ok!(cudaGraphAddKernelNode(&mut added, graph, after.as_ptr(), after.len(), &node));
    added
}

/// A graph with a condition that starts at a value.
fn conditional(start: u32) -> (Handle, u64) {
    let (mut graph, mut condition) = (NONE, 0);
    ok!(cudaGraphCreate(&mut graph, 0));
    ok!(cudaGraphConditionalHandleCreate(&mut condition, graph, start, 1));
    (graph, condition)
}

/// A node of `if` (0), `while` (1) or `switch` (2), and its graphs.
fn choose(graph: Handle, after: &[Handle], condition: u64, choice: i32, count: u32) -> (Handle, Vec<Handle>) {
    let bodies = std::ptr::null();
    let mut node = AnyNode { kind: 13, reserved: [0; 3], condition, choice, count, bodies, rest: [0; 27] };
    let (mut added, mut kind) = (NONE, 0);
    ok!(cudaGraphAddNode(&mut added, graph, after.as_ptr(), NONE, after.len(), &mut node));
    ok!(cudaGraphNodeGetType(added, &mut kind));
    assert_eq!(kind, 13);
    (added, unsafe { std::slice::from_raw_parts(node.bodies, count as usize) }.to_vec())
}

fn instantiated(graph: Handle) -> Handle {
    let mut executable = NONE;
    ok!(cudaGraphInstantiate(&mut executable, graph, 0));
    executable
}

#[test]
fn conditions_repeat_graphs_and_pick_from_them() {
    let _runtime = runtime();
    let (left, sum) = (malloc(4), malloc(4));
    // As long as something is left, 3 times.
    let (graph, condition) = conditional(1);
    let (_, bodies) = choose(graph, &[], condition, 1, 1);
    let counted = kernel_node(bodies[0], &[], "count_down", &[at(&condition), at(&left)]);
    kernel_node(bodies[0], &[counted], "increase", &[at(&sum), at(&10)]);
    let executable = instantiated(graph);
    for total in [30, 60] {
        send(left, &[3]);
        ok!(cudaGraphLaunch(executable, NONE));
        assert_eq!((fetch::<i32>(left, 1), fetch::<i32>(sum, 1)), (vec![0], vec![total]));
    }
    // A launch begins with the default again; what is added to the graph's body later is not in what was
    // made.
    kernel_node(bodies[0], &[], "increase", &[at(&sum), at(&1000)]);
    send(left, &[1]);
    ok!(cudaGraphLaunch(executable, NONE));
    assert_eq!(fetch::<i32>(sum, 1), [70]);

    for (choice, count, values) in [
        (0, 1, [(0, 0), (1, 1), (7, 1)]),
        (0, 2, [(0, 100), (1, 1), (7, 1)]),
        (2, 3, [(0, 1), (2, 10_000), (3, 0)]),
    ] {
        for (value, expected) in values {
            let (graph, condition) = conditional(0);
            let decided = kernel_node(graph, &[], "decide", &[at(&condition), at(&value)]);
            let (_, bodies) = choose(graph, &[decided], condition, choice, count);
            for (number, body) in bodies.iter().enumerate() {
                kernel_node(*body, &[], "increase", &[at(&sum), at(&100i32.pow(number as u32))]);
            }
            send(sum, &[0]);
            ok!(cudaGraphLaunch(instantiated(graph), NONE));
            assert_eq!(fetch::<i32>(sum, 1), [expected], "{choice} {count} {value}");
        }
    }
    let (mut outer, mut added) = (NONE, NONE);
    ok!(cudaGraphCreate(&mut outer, 0));
    assert_eq!(unsafe { cudaGraphClone(&mut added, graph) }, 801);
    assert_eq!(unsafe { cudaGraphAddChildGraphNode(&mut added, outer, NONE.cast(), 0, graph) }, 801);
    ok!(cudaGraphDestroy(graph));
    send(left, &[2]);
    ok!(cudaGraphLaunch(executable, NONE));
    assert_eq!(fetch::<i32>(left, 1), [0], "it needs the graph no more");
    // Without kernels that decide, the default does.
    let (graph, condition) = conditional(1);
    let (_, bodies) = choose(graph, &[], condition, 0, 1);
    kernel_node(bodies[0], &[], "increase", &[at(&sum), at(&5)]);
    send(sum, &[0]);
    ok!(cudaGraphLaunch(instantiated(graph), NONE));
    assert_eq!(fetch::<i32>(sum, 1), [5]);
    let bodies = std::ptr::null();
    let mut node =
        AnyNode { kind: 13, reserved: [0; 3], condition, choice: 1, count: 2, bodies, rest: [0; 27] };
    assert_eq!(unsafe { cudaGraphAddNode(&mut added, graph, NONE.cast(), NONE, 0, &mut node) }, 1);
}

#[test]
fn textures_have_levels() {
    let _runtime = runtime();
    let mut array = NONE;
    ok!(cudaMallocMipmappedArray(&mut array, &SINGLE, Extent(8, 4, 0), 9, 0));
    // 8 × 4, 4 × 2, 2 × 1, 1 × 1: each level's texels have its number, times 10, and a fraction by column.
    for (number, (width, height)) in [(8, 4), (4, 2), (2, 1), (1, 1)].into_iter().enumerate() {
        let (mut level, mut extent) = (NONE, Extent::default());
        ok!(cudaGetMipmappedArrayLevel(&mut level, array, number as u32));
        ok!(cudaArrayGetInfo(&mut Format([0; 4], 0), &mut extent, &mut 0, level));
        assert_eq!(extent, Extent(width, height, 0));
        let texels: Vec<f32> =
            (0..width * height).map(|i| (10 * number) as f32 + (i % width) as f32).collect();
        ok!(cudaMemcpy2DToArray(level, 0, 0, texels.as_ptr() as u64, 4 * width, 4 * width, height, 1));
    }
    let mut none = NONE;
    assert_eq!(unsafe { cudaGetMipmappedArrayLevel(&mut none, array, 4) }, 1, "there are four");

    let resource = Resource { kind: 1, ..Resource::of_array(array) };
    let details = [0.0f32, 0.4, 0.5, 1.25, 1.5, 2.0, 7.0, -3.0];
    let (place, result) = (malloc(32), malloc(32));
    send(place, &details);
    // Normalized coordinates, and how levels are chosen: nearest or between, bias, least and greatest.
    let texture = |linear: i32, bias: f32, range: [f32; 2]| {
        let mut format = NEAREST;
        format[10] = 1;
        (format[12], format[13]) = (linear, bias.to_bits() as i32);
        (format[14], format[15]) = (range[0].to_bits() as i32, range[1].to_bits() as i32);
        let mut texture = 0u64;
        ok!(cudaCreateTextureObject(&mut texture, &resource, &format, NONE));
        texture
    };
    let levels = |linear, bias, range| {
        ok!(launch("levels", 8, &[at(&texture(linear, bias, range)), at(&place), at(&result)]));
        fetch::<f32>(result, 8)
    };
    // At 0.375 of the width the texels are 3, 1, 0, 0.
    let all = [0.0, 9.0];
    assert_eq!(levels(0, 0.0, all), [3.0, 3.0, 11.0, 11.0, 20.0, 20.0, 30.0, 3.0]);
    // In eighths of bits: 0.4 is 102 of 256.
    let near = 3.0 + (11.0 - 3.0) * 102.0 / 256.0;
    assert_eq!(levels(1, 0.0, all), [3.0, near, 7.0, 13.25, 15.5, 20.0, 30.0, 3.0]);
    assert_eq!(levels(0, 1.0, all), [11.0, 11.0, 20.0, 20.0, 30.0, 30.0, 30.0, 3.0]);
    assert_eq!(levels(0, 0.0, [1.0, 2.0]), [11.0, 11.0, 11.0, 11.0, 20.0, 20.0, 20.0, 11.0]);
    // Steps of 1, 2, 3 and 4 texels of the largest level, in x or y.
    let step = |step: [f32; 4]| {
        ok!(launch("steps", 1, &[at(&texture(0, 0.0, all)), at(&step), at(&result)]));
        fetch::<f32>(result, 1)[0]
    };
    assert_eq!(step([1.0 / 8.0, 0.0, 0.0, 0.0]), 3.0);
    assert_eq!(step([2.0 / 8.0, 0.0, 0.0, 1.0 / 4.0]), 11.0);
    assert_eq!(step([0.0, 0.0, 0.0, 4.0 / 4.0]), 20.0);
    assert_eq!(step([0.0, 2.0 / 4.0, 1.0 / 8.0, 0.0]), 11.0);
    ok!(cudaFreeMipmappedArray(array));
}

#[test]
fn handles_are_good_in_their_process() {
    let _runtime = runtime();
    let (mut handle, mut same) = (Shared::default(), 0);
    let place = malloc(64);
    send(place, &[1, 2, 3]);
    ok!(cudaIpcGetMemHandle(&mut handle, place + 8));
    ok!(cudaIpcOpenMemHandle(&mut same, handle, 1));
    assert_eq!(fetch::<i32>(same, 3), [1, 2, 3]);
    ok!(cudaIpcCloseMemHandle(same));
    assert_eq!(unsafe { cudaIpcCloseMemHandle(same) }, 1, "twice");
    assert_eq!(unsafe { cudaIpcGetMemHandle(&mut handle, 16) }, 1);
    // Another process's, and none at all.
    let foreign = Shared([handle.0[0] + 1, handle.0[1], handle.0[2], 0, 0, 0, 0, 0]);
    assert_eq!(unsafe { cudaIpcOpenMemHandle(&mut same, foreign, 1) }, 801);
    assert_eq!(unsafe { cudaIpcOpenMemHandle(&mut same, Shared::default(), 1) }, 400);
    ok!(cudaFree(place));
    assert_eq!(unsafe { cudaIpcOpenMemHandle(&mut same, handle, 1) }, 400, "freed");

    let (mut event, mut opened) = (NONE, NONE);
    ok!(cudaEventCreateWithFlags(&mut event, 0));
    assert_eq!(unsafe { cudaIpcGetEventHandle(&mut handle, event) }, 400, "not made for it");
    ok!(cudaEventCreateWithFlags(&mut event, 6));
    ok!(cudaIpcGetEventHandle(&mut handle, event));
    ok!(cudaIpcOpenEventHandle(&mut opened, handle));
    ok!(cudaEventRecord(opened, NONE));
}

#[test]
fn threads_have_a_stream_of_their_own() {
    let _runtime = runtime();
    let place = malloc(32);
    send(place, &[1; 8]);
    let arguments = [at(&place)];
    let twice = || unsafe {
        let (one, eight) = (Dim3(1, 1, 1), Dim3(8, 1, 1));
        cudaLaunchKernel_ptsz(stand_in("twice"), one, eight, arguments.as_ptr(), 0, NONE)
    };
    ok!(twice());
    ok!(cudaStreamSynchronize_ptsz(NONE));
    let mut values = [0; 8];
    ok!(cudaMemcpy_ptds(values.as_mut_ptr() as u64, place, 32, 2));
    assert_eq!(values, [2; 8]);
    // Structures pass by value.
    ok!(cudaMemset3D_ptds(Pitched(place, 32, 32, 1), 1, Extent(16, 1, 1)));
    assert_eq!(fetch::<i32>(place, 8), [[0x0101_0101; 4], [2; 4]].concat());
    // It is captured, which that of all threads cannot be, and no other thread's.
    assert_eq!(unsafe { cudaStreamBeginCapture(NONE, 0) }, 900);
    ok!(cudaStreamBeginCapture_ptsz(NONE, 0));
    let status = || {
        let mut status = -1;
        ok!(cudaStreamIsCapturing_ptsz(NONE, &mut status));
        status
    };
    assert_eq!((status(), std::thread::spawn(status).join().unwrap()), (1, 0));
    ok!(twice());
    let mut graph = NONE;
    ok!(cudaStreamEndCapture_ptsz(NONE, &mut graph));
    assert_eq!((status(), nodes(graph)), (0, 1));
    assert_eq!(fetch::<i32>(place + 16, 4), [2; 4]);
    ok!(cudaGraphLaunch_ptsz(instantiated(graph), NONE));
    assert_eq!(fetch::<i32>(place + 16, 4), [4; 4]);
    assert_eq!(unsafe { cudaStreamDestroy(2 as Handle) }, 400);
}

#[test]
fn faults_stay_until_the_device_is_reset() {
    let name = |code| unsafe { CStr::from_ptr(cudaGetErrorName(code)) }.to_str().expect("text");
    let place = {
        let _runtime = runtime();
        malloc(64)
    };
    let stores = |offset: i64| launch("store_at", 1, &[at(&place), at(&offset)]);
    let cases: [(&str, &dyn Fn() -> i32); 4] = [
        ("cudaErrorIllegalAddress", &|| stores(1 << 30)),
        ("cudaErrorMisalignedAddress", &|| stores(2)),
        ("cudaErrorAssert", &|| launch("check", 1, &[at(&3)])),
        ("cudaErrorLaunchFailure", &|| launch("trap", 1, &[])),
    ];
    for (expected, run) in cases {
        let _runtime = runtime();
        assert_eq!(name(run()), expected);
        let mut pointer = 0;
        assert_eq!(name(unsafe { cudaMalloc(&mut pointer, 4) }), expected, "every call");
        assert_eq!(name(unsafe { cudaDeviceSynchronize() }), expected);
        assert_eq!(name(unsafe { cudaGetLastError() }), expected);
        assert_eq!(name(unsafe { cudaGetLastError() }), expected, "it stays");
        unsafe { cudaDeviceReset() };
        ok!(cudaDeviceSynchronize());
    }
    // What a launch asks too much of is an error of the call alone.
    let _runtime = runtime();
    assert_eq!(name(launch("trap", 2048, &[])), "cudaErrorInvalidConfiguration");
    assert_eq!(name(unsafe { cudaGetLastError() }), "cudaErrorInvalidConfiguration");
    assert_eq!(unsafe { cudaGetLastError() }, 0);
    ok!(launch("check", 1, &[at(&8)]));
}

#[test]
fn stacks_have_their_limit() {
    let _runtime = runtime();
    let mut limit = 0;
    ok!(cudaDeviceGetLimit(&mut limit, 0));
    assert_eq!(limit, 1024);
    let place = malloc(128);
    let deep = |n: i32| launch("deep", 8, &[at(&place), at(&n)]);
    let expected = |n: i32| (n..n + 8).map(|n| n * (n + 1) / 2).collect::<Vec<_>>();
    ok!(deep(0));
    assert_eq!(fetch::<i32>(place, 8), expected(0));
    assert_eq!(deep(200), 700);
    unsafe { cudaDeviceReset() };
    ok!(cudaDeviceSetLimit(0, 64 << 10));
    ok!(deep(200));
    assert_eq!(fetch::<i32>(place, 8), expected(200));
    ok!(cudaDeviceSetLimit(0, 1024));
    assert_eq!(unsafe { cudaDeviceSetLimit(0, 1 << 30) }, 1);
}

#[test]
fn memory_ends_and_is_given_back_once() {
    let _runtime = runtime();
    let (mut free, mut total, mut less) = (0, 0, 0);
    ok!(cudaMemGetInfo(&mut free, &mut total));
    let mut pointer = 0;
    assert_eq!(unsafe { cudaMalloc(&mut pointer, free + 1) }, 2);
    ok!(cudaMallocAsync(&mut pointer, 1 << 20, NONE));
    ok!(cudaMemGetInfo(&mut less, &mut total));
    assert_eq!(less, free - (1 << 20));
    ok!(cudaFree(pointer));
    ok!(cudaMemGetInfo(&mut less, &mut total));
    assert_eq!(less, free);
    ok!(cudaFree(0));
    assert_eq!(unsafe { cudaFree(pointer) }, 1, "twice");
    assert_eq!(unsafe { cudaFree(malloc(8) + 4) }, 1, "inside");
    // What was freed is out of bounds.
    assert_eq!(launch("store_at", 1, &[at(&pointer), at(&0i64)]), 700);
}

#[test]
fn kernels_tell_what_they_need() {
    let _runtime = runtime();
    let mut attributes = [0; 36];
    ok!(cudaFuncGetAttributes(&mut attributes, stand_in("twice")));
    let (threads, registers, binary) = (attributes[6], attributes[7], attributes[9]);
    assert_eq!((threads, binary), (1024, 75));
    assert!((1..=16).contains(&registers), "{registers}");
    let blocks = |threads, shared| {
        let mut blocks = -1;
        ok!(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, stand_in("twice"), threads, shared));
        blocks
    };
    assert_eq!([blocks(32, 0), blocks(256, 0), blocks(1024, 0), blocks(64, 20 << 10)], [16, 4, 1, 3]);
    assert_eq!(unsafe { cudaFuncGetAttributes(&mut attributes, std::ptr::null()) }, 98);
}
