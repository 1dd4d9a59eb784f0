// SPDX-License-Identifier: Apache-2.0
//! Error codes: those that the last call left, and the one of a kernel's fault, which stays.

use std::cell::Cell;
use std::ffi::{c_char, CStr};

use crate::host::host;

/// A number of CUDA's `cudaError`.
pub type Code = i32;
/// The result of a call.
pub type Answer<T = ()> = Result<T, Code>;

/// Codes with their numbers, names and meanings.
macro_rules! codes {
    ($($code:ident $number:literal $name:literal $text:literal;)*) => {
        $(pub const $code: Code = $number;)*

        /// Name and text of an error.
        fn described(code: Code) -> (&'static CStr, &'static CStr) {
            match code {
                $($code => ($name, $text),)*
                _ => (c"unrecognized error code", c"unrecognized error code"),
            }
        }
    };
}

codes! {
    SUCCESS 0 c"cudaSuccess" c"no error";
    INVALID_VALUE 1 c"cudaErrorInvalidValue" c"invalid argument";
    OUT_OF_MEMORY 2 c"cudaErrorMemoryAllocation" c"out of memory";
    INVALID_CONFIGURATION 9 c"cudaErrorInvalidConfiguration" c"invalid configuration argument";
    INVALID_PITCH 12 c"cudaErrorInvalidPitchValue" c"invalid pitch argument";
    INVALID_SYMBOL 13 c"cudaErrorInvalidSymbol" c"invalid device symbol";
    INVALID_TEXTURE 18 c"cudaErrorInvalidTexture" c"invalid texture reference";
    INVALID_CHANNELS 20 c"cudaErrorInvalidChannelDescriptor" c"invalid channel descriptor";
    INVALID_DIRECTION 21 c"cudaErrorInvalidMemcpyDirection" c"invalid copy direction for memcpy";
    MISSING_CONFIGURATION 52
        c"cudaErrorMissingConfiguration" c"__global__ function call is not configured";
    INVALID_FUNCTION 98 c"cudaErrorInvalidDeviceFunction" c"invalid device function";
    NO_DEVICE 100 c"cudaErrorNoDevice" c"no CUDA-capable device is detected";
    INVALID_DEVICE 101 c"cudaErrorInvalidDevice" c"invalid device ordinal";
    UNSUPPORTED_LIMIT 215 c"cudaErrorUnsupportedLimit" c"limit is not supported on this architecture";
    INVALID_HANDLE 400 c"cudaErrorInvalidResourceHandle" c"invalid resource handle";
    SYMBOL_NOT_FOUND 500 c"cudaErrorSymbolNotFound" c"named symbol not found";
    NOT_READY 600 c"cudaErrorNotReady" c"device not ready";
    ILLEGAL_ADDRESS 700 c"cudaErrorIllegalAddress" c"an illegal memory access was encountered";
    OUT_OF_RESOURCES 701 c"cudaErrorLaunchOutOfResources" c"too many resources requested for launch";
    LAUNCH_TIMEOUT 702 c"cudaErrorLaunchTimeout" c"the launch timed out and was terminated";
    PEER_ENABLED 704 c"cudaErrorPeerAccessAlreadyEnabled" c"peer access is already enabled";
    PEER_NOT_ENABLED 705 c"cudaErrorPeerAccessNotEnabled" c"peer access has not been enabled";
    ASSERT 710 c"cudaErrorAssert" c"device-side assert triggered";
    REGISTERED_ALREADY 712 c"cudaErrorHostMemoryAlreadyRegistered" c"part or all of the memory is registered already";
    NOT_REGISTERED 713 c"cudaErrorHostMemoryNotRegistered" c"pointer is not that of registered memory";
    ILLEGAL_INSTRUCTION 715 c"cudaErrorIllegalInstruction" c"an illegal instruction was encountered";
    MISALIGNED_ADDRESS 716 c"cudaErrorMisalignedAddress" c"misaligned address";
    LAUNCH_FAILURE 719 c"cudaErrorLaunchFailure" c"unspecified launch failure";
    COOPERATIVE_TOO_LARGE 720 c"cudaErrorCooperativeLaunchTooLarge" c"too many blocks in cooperative launch";
    NOT_SUPPORTED 801 c"cudaErrorNotSupported" c"operation not supported";
    CAPTURE_UNSUPPORTED 900 c"cudaErrorStreamCaptureUnsupported" c"operation not permitted when stream is capturing";
    CAPTURE_UNMATCHED 903 c"cudaErrorStreamCaptureUnmatched" c"the capture was not begun in this stream";
    GRAPH_UPDATE_FAILED 910 c"cudaErrorGraphExecUpdateFailure" c"the graph differs too much from the one before";
    UNKNOWN 999 c"cudaErrorUnknown" c"unknown error";
}

thread_local! {
    /// The last error of this thread, until it asks.
    static LAST: Cell<Code> = const { Cell::new(SUCCESS) };
}

/// Remembers what a call came to.
pub fn remember(code: Code) {
    if code != SUCCESS && code != NOT_READY {
        LAST.set(code);
    }
}

/// The error of the last call that failed, or of a kernel; the former is then forgotten.
#[no_mangle]
pub extern "C" fn cudaGetLastError() -> Code {
    let code = cudaPeekAtLastError();
    LAST.set(SUCCESS);
    code
}

#[no_mangle]
pub extern "C" fn cudaPeekAtLastError() -> Code {
    match host().tell_fault() {
        SUCCESS => LAST.get(),
        fault => fault,
    }
}

#[no_mangle]
pub extern "C" fn cudaGetErrorString(code: Code) -> *const c_char {
    host().tell_fault();
    described(code).1.as_ptr()
}

#[no_mangle]
pub extern "C" fn cudaGetErrorName(code: Code) -> *const c_char {
    host().tell_fault();
    described(code).0.as_ptr()
}
