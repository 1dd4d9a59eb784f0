// SPDX-License-Identifier: Apache-2.0
//! Streams and events. Everything has happened when a call returns, unless a stream is captured into a graph.

use std::cell::Cell;
use std::ffi::c_void;
use std::time::Instant;

use crate::errors::{Answer, CAPTURE_UNSUPPORTED, INVALID_HANDLE, INVALID_VALUE};
use crate::graphs::{Capture, Node};
use crate::host::{answer, Locked};
use crate::operations::{Call, Operation};

/// The target of a `cudaStream_t`; the default streams have none.
pub struct Stream {
    flags: u32,
    priority: i32,
    id: u64,
    /// Attributes that the program set: nothing depends on them.
    attributes: Vec<(i32, [u8; ATTRIBUTE_BYTES])>,
    pub capture: Option<Capture>,
}

/// The stream of who names none.
pub const DEFAULT: *mut Stream = std::ptr::null_mut();
/// `cudaStreamPerThread`, the calling thread's own.
pub const PER_THREAD: *mut Stream = std::ptr::without_provenance_mut(2);

thread_local! {
    static OWN: Cell<*mut Stream> = const { Cell::new(std::ptr::null_mut()) };
}

/// Bytes of `cudaLaunchAttributeValue`.
pub const ATTRIBUTE_BYTES: usize = 64;

impl Stream {
    /// The stream that all threads share is no place in memory.
    pub unsafe fn of<'a>(stream: *mut Stream) -> Option<&'a mut Stream> {
        match stream as usize {
            0 | 1 => None,
            2 => Some(unsafe { &mut *Stream::own() }),
            _ => Some(unsafe { &mut *stream }),
        }
    }

    /// The calling thread's own, made when first asked for.
    fn own() -> *mut Stream {
        if OWN.get().is_null() {
            let own = Stream { flags: 0, priority: LEAST_PRIORITY, id: 2, attributes: vec![], capture: None };
            OWN.set(Box::into_raw(Box::new(own)));
        }
        OWN.get()
    }

    pub unsafe fn capture_of<'a>(stream: *mut Stream) -> Option<&'a mut Capture> {
        unsafe { Stream::of(stream) }.and_then(|stream| stream.capture.as_mut())
    }
}

pub unsafe fn is_capturing(stream: *mut c_void) -> bool {
    unsafe { Stream::capture_of(stream.cast()) }.is_some()
}

fn create(host: &mut Locked, flags: u32, priority: i32) -> *mut Stream {
    host.streams += 1;
    let id = host.streams + 2;
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    Box::into_raw(Box::new(Stream { flags, priority, id, attributes: vec![], capture: None }))
}

const LEAST_PRIORITY: i32 = 0;
const GREATEST_PRIORITY: i32 = -5;

#[no_mangle]
pub unsafe extern "C" fn cudaStreamCreateWithPriority(
    stream: *mut *mut Stream,
    flags: u32,
    priority: i32,
) -> i32 {
    answer(|host| unsafe {
        *stream = create(host, flags, priority);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamCreateWithFlags(stream: *mut *mut Stream, flags: u32) -> i32 {
    unsafe { cudaStreamCreateWithPriority(stream, flags, LEAST_PRIORITY) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamCreate(stream: *mut *mut Stream) -> i32 {
    unsafe { cudaStreamCreateWithPriority(stream, 0, LEAST_PRIORITY) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamDestroy(stream: *mut Stream) -> i32 {
    answer(|_| {
        let stream = unsafe { Stream::of(stream) }.filter(|_| stream != PER_THREAD).ok_or(INVALID_HANDLE)?;
        drop(unsafe { Box::from_raw(stream) });
        Ok(())
    })
}

/// Not while the stream is captured.
fn settled(stream: *mut Stream) -> Answer {
    match unsafe { Stream::capture_of(stream) } {
        Some(_) => Err(CAPTURE_UNSUPPORTED),
        None => Ok(()),
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamSynchronize(stream: *mut Stream) -> i32 {
    answer(|_| settled(stream))
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamQuery(stream: *mut Stream) -> i32 {
    answer(|_| settled(stream))
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) -> i32 {
    answer(|_| unsafe {
        if let Some(least) = least.as_mut() {
            *least = LEAST_PRIORITY;
        }
        if let Some(greatest) = greatest.as_mut() {
            *greatest = GREATEST_PRIORITY;
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamGetPriority(stream: *mut Stream, priority: *mut i32) -> i32 {
    answer(|_| unsafe {
        *priority = Stream::of(stream).map_or(LEAST_PRIORITY, |stream| stream.priority);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamGetFlags(stream: *mut Stream, flags: *mut u32) -> i32 {
    answer(|_| unsafe {
        *flags = Stream::of(stream).map_or(0, |stream| stream.flags);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamGetId(stream: *mut Stream, id: *mut u64) -> i32 {
    answer(|_| unsafe {
        *id = Stream::of(stream).map_or(1 + stream as u64 / 2, |stream| stream.id);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamGetDevice(_: *mut Stream, device: *mut i32) -> i32 {
    answer(|_| unsafe {
        *device = 0;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamSetAttribute(
    stream: *mut Stream,
    attribute: i32,
    value: *const [u8; ATTRIBUTE_BYTES],
) -> i32 {
    answer(|_| unsafe {
        if let Some(stream) = Stream::of(stream) {
            stream.attributes.retain(|(known, _)| *known != attribute);
            stream.attributes.push((attribute, *value));
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamGetAttribute(
    stream: *mut Stream,
    attribute: i32,
    value: *mut [u8; ATTRIBUTE_BYTES],
) -> i32 {
    answer(|_| unsafe {
        let known = Stream::of(stream)
            .and_then(|stream| stream.attributes.iter().find(|(known, _)| *known == attribute).copied());
        *value = known.map_or([0; ATTRIBUTE_BYTES], |(_, value)| value);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamCopyAttributes(to: *mut Stream, from: *mut Stream) -> i32 {
    answer(|_| unsafe {
        if let (Some(to), Some(from)) = (Stream::of(to), Stream::of(from)) {
            to.attributes = from.attributes.clone();
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamAttachMemAsync(_: *mut Stream, _: *mut c_void, _: usize, _: u32) -> i32 {
    answer(|_| Ok(()))
}

#[no_mangle]
pub unsafe extern "C" fn cudaLaunchHostFunc(
    stream: *mut Stream,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> i32 {
    answer(|host| unsafe {
        let call = Call::Plain(function.ok_or(INVALID_VALUE)?, data);
        host.submit(stream, Operation::Call(call))
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamAddCallback(
    stream: *mut Stream,
    function: Option<unsafe extern "C" fn(*mut Stream, i32, *mut c_void)>,
    data: *mut c_void,
    _: u32,
) -> i32 {
    answer(|host| unsafe {
        let call = Call::Stream(function.ok_or(INVALID_VALUE)?, stream, data);
        host.submit(stream, Operation::Call(call))
    })
}

/// The target of a `cudaEvent_t`: a moment of the host.
#[derive(Clone)]
pub struct Event {
    time: Option<Instant>,
    flags: u32,
    /// Where in a capture it was recorded last: the capture's number, and the nodes before it.
    pub captured: Option<(u64, Vec<*mut Node>)>,
}

/// Flags of events.
const NO_TIMING: u32 = 2;
const SHARED: u32 = 4;

impl Event {
    /// Returns true if other processes may get a handle of it.
    pub fn is_shared(&self) -> bool {
        self.flags & (NO_TIMING | SHARED) == NO_TIMING | SHARED
    }

    pub fn record(&mut self) {
        self.time = Some(Instant::now());
        self.captured = None;
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventCreateWithFlags(event: *mut *mut Event, flags: u32) -> i32 {
    answer(|_| unsafe {
        *event = Box::into_raw(Box::new(Event { time: None, flags, captured: None }));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventCreate(event: *mut *mut Event) -> i32 {
    unsafe { cudaEventCreateWithFlags(event, 0) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventRecord(event: *mut Event, stream: *mut Stream) -> i32 {
    answer(|_| unsafe {
        let event = event.as_mut().ok_or(INVALID_HANDLE)?;
        match Stream::capture_of(stream) {
            Some(capture) => event.captured = Some((capture.id, capture.last.clone())),
            None => event.record(),
        }
        Ok(())
    })
}

/// An external event becomes a node of a captured graph.
#[no_mangle]
pub unsafe extern "C" fn cudaEventRecordWithFlags(event: *mut Event, stream: *mut Stream, flags: u32) -> i32 {
    if flags == 0 {
        return unsafe { cudaEventRecord(event, stream) };
    }
    answer(|host| unsafe { host.submit(stream, Operation::Record(event)) })
}

/// A stream that waits for an event of a capture is captured from there on too.
#[no_mangle]
pub unsafe extern "C" fn cudaStreamWaitEvent(stream: *mut Stream, event: *mut Event, _: u32) -> i32 {
    answer(|host| unsafe {
        let event = event.as_mut().ok_or(INVALID_HANDLE)?;
        let Some((id, before)) = &event.captured else { return Ok(()) };
        match Stream::of(stream) {
            Some(stream) => Capture::join(host, stream, *id, before),
            None => Err(CAPTURE_UNSUPPORTED),
        }
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventQuery(event: *mut Event) -> i32 {
    unsafe { cudaEventSynchronize(event) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventSynchronize(event: *mut Event) -> i32 {
    answer(|_| unsafe { event.as_mut() }.map(drop).ok_or(INVALID_HANDLE))
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventElapsedTime(
    milliseconds: *mut f32,
    from: *mut Event,
    to: *mut Event,
) -> i32 {
    answer(|_| unsafe {
        let time = |event: *mut Event| {
            let event = event.as_ref().filter(|event| event.flags & NO_TIMING == 0);
            event.and_then(|event| event.time).ok_or(INVALID_HANDLE)
        };
        *milliseconds = 1e3 * time(to)?.saturating_duration_since(time(from)?).as_secs_f32();
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaEventDestroy(event: *mut Event) -> i32 {
    answer(|_| {
        if event.is_null() {
            return Err(INVALID_HANDLE);
        }
        drop(unsafe { Box::from_raw(event) });
        Ok(())
    })
}
