// SPDX-License-Identifier: Apache-2.0
//! Functions for programs that are compiled with `--default-stream per-thread`. They do the same as others,
//! and take the calling thread's own stream where none is named.

use std::ffi::c_void;

use crate::arrays::Array;
use crate::copies::{
    cudaMemcpy, cudaMemcpy2D, cudaMemcpy2DArrayToArray, cudaMemcpy2DAsync, cudaMemcpy2DFromArray,
    cudaMemcpy2DFromArrayAsync, cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync, cudaMemcpy3D,
    cudaMemcpy3DAsync, cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync, cudaMemcpyAsync, cudaMemcpyFromArray,
    cudaMemcpyFromArrayAsync, cudaMemcpyToArray, cudaMemcpyToArrayAsync, cudaMemset, cudaMemset2D,
    cudaMemset2DAsync, cudaMemset3D, cudaMemset3DAsync, cudaMemsetAsync, Copy3d, PeerCopy3d,
};
use crate::device::{cudaMemPrefetchAsync, Location};
use crate::graphs::{
    cudaGraphInstantiateWithParams, cudaGraphLaunch, cudaGraphUpload, cudaStreamBeginCapture,
    cudaStreamBeginCaptureToGraph, cudaStreamEndCapture, cudaStreamGetCaptureInfo, cudaStreamIsCapturing,
    cudaStreamUpdateCaptureDependencies, Executable, Graph, Instantiation, Node,
};
use crate::launches::{
    __cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernel, cudaLaunchKernelExC, Dim3,
    LaunchConfiguration,
};
use crate::memory::{Extent, Pitched};
use crate::pools::{cudaFreeAsync, cudaMallocAsync, cudaMallocFromPoolAsync};
use crate::streams::{
    cudaEventRecord, cudaEventRecordWithFlags, cudaLaunchHostFunc, cudaStreamAddCallback,
    cudaStreamAttachMemAsync, cudaStreamCopyAttributes, cudaStreamGetAttribute, cudaStreamGetDevice,
    cudaStreamGetFlags, cudaStreamGetId, cudaStreamGetPriority, cudaStreamQuery, cudaStreamSetAttribute,
    cudaStreamSynchronize, cudaStreamWaitEvent, Event, Stream, ATTRIBUTE_BYTES, PER_THREAD,
};
use crate::symbols::{
    cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync, cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync,
};

/// A stream, or none, which is the thread's own.
#[repr(transparent)]
pub struct Own(*mut Stream);

impl From<Own> for *mut Stream {
    fn from(Own(stream): Own) -> *mut Stream {
        if stream.is_null() {
            PER_THREAD
        } else {
            stream
        }
    }
}

impl From<Own> for *mut c_void {
    fn from(own: Own) -> *mut c_void {
        <*mut Stream>::from(own).cast()
    }
}

macro_rules! per_thread {
    ($($name:ident = $function:ident($($argument:ident: $type:ty),* $(,)?);)*) => {$(
        #[no_mangle]
        #[allow(clippy::useless_conversion)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            unsafe { $function($($argument.into()),*) }
        }
    )*};
}

per_thread! {
    cudaEventRecord_ptsz = cudaEventRecord(event: *mut Event, stream: Own);
    cudaEventRecordWithFlags_ptsz = cudaEventRecordWithFlags(event: *mut Event, stream: Own, flags: u32);
    cudaFreeAsync_ptsz = cudaFreeAsync(pointer: u64, stream: Own);
    cudaGraphInstantiateWithParams_ptsz = cudaGraphInstantiateWithParams(
        executable: *mut *mut Executable, graph: *mut Graph, parameters: *mut Instantiation,
    );
    cudaGraphLaunch_ptsz = cudaGraphLaunch(executable: *mut Executable, stream: Own);
    cudaGraphUpload_ptsz = cudaGraphUpload(executable: *mut Executable, stream: Own);
    cudaLaunchCooperativeKernel_ptsz = cudaLaunchCooperativeKernel(
        function: *const c_void, grid: Dim3, block: Dim3, arguments: *const *const u8, shared: usize,
        stream: Own,
    );
    cudaLaunchHostFunc_ptsz = cudaLaunchHostFunc(
        stream: Own, function: Option<unsafe extern "C" fn(*mut c_void)>, data: *mut c_void,
    );
    cudaLaunchKernel_ptsz = cudaLaunchKernel(
        function: *const c_void, grid: Dim3, block: Dim3, arguments: *const *const u8, shared: usize,
        stream: Own,
    );
    cudaLaunchKernelExC_ptsz = cudaLaunchKernelExC(
        configuration: *const LaunchConfiguration, function: *const c_void, arguments: *const *const u8,
    );
    cudaMallocAsync_ptsz = cudaMallocAsync(pointer: *mut u64, bytes: usize, stream: Own);
    cudaMallocFromPoolAsync_ptsz = cudaMallocFromPoolAsync(
        pointer: *mut u64, bytes: usize, pool: usize, stream: Own,
    );
    cudaMemPrefetchAsync_ptsz = cudaMemPrefetchAsync(
        pointer: u64, bytes: usize, location: Location, flags: u32, stream: Own,
    );
    cudaMemcpy_ptds = cudaMemcpy(to: u64, from: u64, bytes: usize, kind: i32);
    cudaMemcpy2D_ptds = cudaMemcpy2D(
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: i32,
    );
    cudaMemcpy2DArrayToArray_ptds = cudaMemcpy2DArrayToArray(
        to: *const Array, to_x: usize, to_y: usize, from: *const Array, from_x: usize, from_y: usize, width:
        usize, height: usize, kind: i32,
    );
    cudaMemcpy2DAsync_ptsz = cudaMemcpy2DAsync(
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: i32,
        stream: Own,
    );
    cudaMemcpy2DFromArray_ptds = cudaMemcpy2DFromArray(
        to: u64, pitch: usize, from: *const Array, x: usize, y: usize, width: usize, height: usize, kind:
        i32,
    );
    cudaMemcpy2DFromArrayAsync_ptsz = cudaMemcpy2DFromArrayAsync(
        to: u64, pitch: usize, from: *const Array, x: usize, y: usize, width: usize, height: usize, kind:
        i32, stream: Own,
    );
    cudaMemcpy2DToArray_ptds = cudaMemcpy2DToArray(
        to: *const Array, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind:
        i32,
    );
    cudaMemcpy2DToArrayAsync_ptsz = cudaMemcpy2DToArrayAsync(
        to: *const Array, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind:
        i32, stream: Own,
    );
    cudaMemcpy3D_ptds = cudaMemcpy3D(copy: *const Copy3d);
    cudaMemcpy3DAsync_ptsz = cudaMemcpy3DAsync(copy: *const Copy3d, stream: Own);
    cudaMemcpy3DPeer_ptds = cudaMemcpy3DPeer(copy: *const PeerCopy3d);
    cudaMemcpy3DPeerAsync_ptsz = cudaMemcpy3DPeerAsync(copy: *const PeerCopy3d, stream: Own);
    cudaMemcpyAsync_ptsz = cudaMemcpyAsync(to: u64, from: u64, bytes: usize, kind: i32, stream: Own);
    cudaMemcpyFromArray_ptds = cudaMemcpyFromArray(
        to: u64, from: *const Array, x: usize, y: usize, bytes: usize, kind: i32,
    );
    cudaMemcpyFromArrayAsync_ptsz = cudaMemcpyFromArrayAsync(
        to: u64, from: *const Array, x: usize, y: usize, bytes: usize, kind: i32, stream: Own,
    );
    cudaMemcpyFromSymbol_ptds = cudaMemcpyFromSymbol(
        to: u64, symbol: *const c_void, bytes: usize, offset: usize, kind: i32,
    );
    cudaMemcpyFromSymbolAsync_ptsz = cudaMemcpyFromSymbolAsync(
        to: u64, symbol: *const c_void, bytes: usize, offset: usize, kind: i32, stream: Own,
    );
    cudaMemcpyToArray_ptds = cudaMemcpyToArray(
        to: *const Array, x: usize, y: usize, from: u64, bytes: usize, kind: i32,
    );
    cudaMemcpyToArrayAsync_ptsz = cudaMemcpyToArrayAsync(
        to: *const Array, x: usize, y: usize, from: u64, bytes: usize, kind: i32, stream: Own,
    );
    cudaMemcpyToSymbol_ptds = cudaMemcpyToSymbol(
        symbol: *const c_void, from: u64, bytes: usize, offset: usize, kind: i32,
    );
    cudaMemcpyToSymbolAsync_ptsz = cudaMemcpyToSymbolAsync(
        symbol: *const c_void, from: u64, bytes: usize, offset: usize, kind: i32, stream: Own,
    );
    cudaMemset_ptds = cudaMemset(address: u64, value: i32, bytes: usize);
    cudaMemset2D_ptds = cudaMemset2D(address: u64, pitch: usize, value: i32, width: usize, height: usize);
    cudaMemset2DAsync_ptsz = cudaMemset2DAsync(
        address: u64, pitch: usize, value: i32, width: usize, height: usize, stream: Own,
    );
    cudaMemset3D_ptds = cudaMemset3D(memory: Pitched, value: i32, extent: Extent);
    cudaMemset3DAsync_ptsz = cudaMemset3DAsync(memory: Pitched, value: i32, extent: Extent, stream: Own);
    cudaMemsetAsync_ptsz = cudaMemsetAsync(address: u64, value: i32, bytes: usize, stream: Own);
    cudaStreamAddCallback_ptsz = cudaStreamAddCallback(
        stream: Own, function: Option<unsafe extern "C" fn(*mut Stream, i32, *mut c_void)>, data: *mut
        c_void, flags: u32,
    );
    cudaStreamAttachMemAsync_ptsz = cudaStreamAttachMemAsync(
        stream: Own, pointer: *mut c_void, bytes: usize, flags: u32,
    );
    cudaStreamBeginCapture_ptsz = cudaStreamBeginCapture(stream: Own, mode: i32);
    cudaStreamBeginCaptureToGraph_ptsz = cudaStreamBeginCaptureToGraph(
        stream: Own, graph: *mut Graph, after: *const *mut Node, edges: *const c_void, count: usize, mode:
        i32,
    );
    cudaStreamCopyAttributes_ptsz = cudaStreamCopyAttributes(to: Own, from: Own);
    cudaStreamEndCapture_ptsz = cudaStreamEndCapture(stream: Own, graph: *mut *mut Graph);
    cudaStreamGetAttribute_ptsz = cudaStreamGetAttribute(
        stream: Own, attribute: i32, value: *mut [u8; ATTRIBUTE_BYTES],
    );
    cudaStreamGetCaptureInfo_ptsz = cudaStreamGetCaptureInfo(
        stream: Own, status: *mut i32, id: *mut u64, graph: *mut *mut Graph, last: *mut *const *mut Node,
        edges: *mut *const c_void, count: *mut usize,
    );
    cudaStreamGetDevice_ptsz = cudaStreamGetDevice(stream: Own, device: *mut i32);
    cudaStreamGetFlags_ptsz = cudaStreamGetFlags(stream: Own, flags: *mut u32);
    cudaStreamGetId_ptsz = cudaStreamGetId(stream: Own, id: *mut u64);
    cudaStreamGetPriority_ptsz = cudaStreamGetPriority(stream: Own, priority: *mut i32);
    cudaStreamIsCapturing_ptsz = cudaStreamIsCapturing(stream: Own, status: *mut i32);
    cudaStreamQuery_ptsz = cudaStreamQuery(stream: Own);
    cudaStreamSetAttribute_ptsz = cudaStreamSetAttribute(
        stream: Own, attribute: i32, value: *const [u8; ATTRIBUTE_BYTES],
    );
    cudaStreamSynchronize_ptsz = cudaStreamSynchronize(stream: Own);
    cudaStreamUpdateCaptureDependencies_ptsz = cudaStreamUpdateCaptureDependencies(
        stream: Own, nodes: *const *mut Node, edges: *const c_void, count: usize, flags: u32,
    );
    cudaStreamWaitEvent_ptsz = cudaStreamWaitEvent(stream: Own, event: *mut Event, flags: u32);
    __cudaLaunchKernel_ptsz = __cudaLaunchKernel(
        kernel: *const c_void, grid: Dim3, block: Dim3, arguments: *const *const u8, shared: usize, stream:
        Own,
    );
}
