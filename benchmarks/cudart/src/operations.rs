// SPDX-License-Identifier: Apache-2.0
//! Operations of streams: launches, copies, fills, calls of the program. A stream runs them at once or notes
//! them in a graph.

use std::ffi::c_void;
use std::sync::Arc;

use gpurf_workloads::Pointer;

use crate::errors::{Answer, INVALID_DIRECTION, INVALID_VALUE};
use crate::graphs::Graph;
use crate::host::{complain, Locked};
use crate::launches::Launch;
use crate::memory::{Extent, Space};
use crate::streams::{Event, Stream};
use crate::symbols::Constant;

#[derive(Clone)]
pub enum Operation {
    Launch(Launch),
    Copy(Transfer),
    Fill(Fill),
    Call(Call),
    Record(*mut Event),
    /// For an event, which has happened.
    Wait,
    /// The operations of a graph inside a graph, one after the other.
    All(Vec<Operation>),
    /// Graphs that a condition picks from: these may still change.
    Choose(Choice, Arc<[*mut Graph]>),
    /// The same, as they were when the graph around them was made executable.
    Chosen(Choice, Vec<Operation>),
    Nothing,
}

/// How a condition picks.
#[derive(Clone, Copy)]
pub struct Choice {
    pub kind: ChoiceKind,
    /// The place of the condition, on the device.
    pub condition: u64,
}

#[derive(Clone, Copy)]
pub enum ChoiceKind {
    /// The first if it is not 0, else the second if there is one.
    If,
    /// The first as long as it is not 0.
    While,
    /// The one of this number.
    Switch,
}

/// A copy of rows of bytes.
#[derive(Clone)]
pub struct Transfer {
    pub from: Side,
    pub to: Side,
    /// Bytes of a row, rows of a plane, planes.
    pub extent: Extent,
    /// `cudaMemcpyKind`.
    pub kind: i32,
}

/// One side of a copy.
#[derive(Clone)]
pub struct Side {
    pub place: CopyPlace,
    /// Bytes from row to row, and from plane to plane.
    pub pitch: usize,
    pub plane: usize,
}

#[derive(Clone)]
pub enum CopyPlace {
    Address(u64),
    Constant(Constant),
}

impl Side {
    pub fn line(address: u64) -> Side {
        Side { place: CopyPlace::Address(address), pitch: 0, plane: 0 }
    }
}

/// Elements of a value in rows.
#[derive(Clone, Copy)]
pub struct Fill {
    pub address: u64,
    pub pitch: usize,
    pub plane: usize,
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: usize,
    /// Elements of a row, rows of a plane, planes.
    pub extent: Extent,
}

/// A call of a function of the program.
#[derive(Clone, Copy)]
pub enum Call {
    /// `cudaHostFn_t`.
    Plain(unsafe extern "C" fn(*mut c_void), *mut c_void),
    /// `cudaStreamCallback_t`, with its stream.
    Stream(unsafe extern "C" fn(*mut Stream, i32, *mut c_void), *mut Stream, *mut c_void),
}

/// `cudaMemcpyKind`.
pub const TO_DEVICE: i32 = 1;
pub const TO_HOST: i32 = 2;
pub const ON_DEVICE: i32 = 3;
/// As the addresses say.
pub const ANY: i32 = 4;

impl Locked {
    /// Does it now, or notes it in the graph that the stream is captured into.
    pub unsafe fn submit(&mut self, stream: *mut Stream, operation: Operation) -> Answer {
        match unsafe { Stream::capture_of(stream) } {
            Some(capture) => {
                unsafe { capture.note(operation) };
                Ok(())
            }
            None => self.perform(&operation),
        }
    }

    pub fn perform(&mut self, operation: &Operation) -> Answer {
        match operation {
            Operation::Launch(launch) => launch.run(self),
            Operation::Copy(copy) => copy.run(self),
            Operation::Fill(fill) => fill.run(self),
            Operation::Call(Call::Plain(function, data)) => {
                self.unlocked(|| unsafe { function(*data) });
                Ok(())
            }
            Operation::Call(Call::Stream(function, stream, data)) => {
                self.unlocked(|| unsafe { function(*stream, 0, *data) });
                Ok(())
            }
            Operation::Record(event) => {
                unsafe { (**event).record() };
                Ok(())
            }
            Operation::All(operations) => operations.iter().try_for_each(|operation| self.perform(operation)),
            Operation::Chosen(choice, bodies) => self.choose(*choice, bodies),
            Operation::Choose(..) | Operation::Wait | Operation::Nothing => Ok(()),
        }
    }

    fn choose(&mut self, choice: Choice, bodies: &[Operation]) -> Answer {
        loop {
            let mut condition = [0; 4];
            told(self.device().read_into(Pointer(choice.condition), &mut condition))?;
            let condition = u32::from_le_bytes(condition) as usize;
            let chosen = match choice.kind {
                ChoiceKind::If | ChoiceKind::While => usize::from(condition == 0),
                ChoiceKind::Switch => condition,
            };
            if let Some(body) = bodies.get(chosen) {
                self.perform(body)?;
            }
            if !matches!(choice.kind, ChoiceKind::While) || chosen != 0 {
                return Ok(());
            }
        }
    }

    fn read(&mut self, place: &CopyPlace, start: usize, into: &mut [u8]) -> Answer {
        match place {
            CopyPlace::Constant(constant) => constant.read(self, start, into),
            CopyPlace::Address(address) => match self.allocations.space(address + start as u64) {
                Space::Host(address) => {
                    let from = address as *const u8;
                    unsafe { std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
                    Ok(())
                }
                Space::Device(address) => told(self.device().read_into(Pointer(address), into)),
            },
        }
    }

    fn write(&mut self, place: &CopyPlace, start: usize, from: &[u8]) -> Answer {
        match place {
            CopyPlace::Constant(constant) => constant.write(self, start, from),
            CopyPlace::Address(address) => match self.allocations.space(address + start as u64) {
                Space::Host(address) => {
                    unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), address as *mut u8, from.len()) };
                    Ok(())
                }
                Space::Device(address) => told(self.device().write(Pointer(address), from)),
            },
        }
    }

    /// Tells if an address may be on the side of a copy that its kind calls the device.
    fn is_of_device(&self, place: &CopyPlace) -> bool {
        match place {
            CopyPlace::Constant(_) => true,
            CopyPlace::Address(address) => {
                self.allocations.at(*address).is_some()
                    || matches!(self.allocations.space(*address), Space::Device(_))
                    || self.allocations.registered(*address as usize).is_some()
            }
        }
    }
}

/// The error of a copy that the emulator refuses; its text goes to the user.
fn told(copied: Result<(), gpurf_workloads::Error>) -> Answer {
    copied.map_err(|error| {
        complain(error);
        INVALID_VALUE
    })
}

/// The starts of rows, with what lies without gaps taken as one row: bytes of a row, and offsets from where
/// it is read and to where it is written.
fn rows(extent: Extent, pitches: [(usize, usize); 2]) -> (usize, Vec<[usize; 2]>) {
    let Extent { x, y, z } = extent;
    let dense = |bytes: usize, distance: fn(&(usize, usize)) -> usize| {
        pitches.iter().all(|side| distance(side) == bytes)
    };
    let (bytes, y) = if y == 1 || dense(x, |side| side.0) { (x * y, 1) } else { (x, y) };
    let (bytes, z) =
        if y == 1 && (z == 1 || dense(bytes, |side| side.1)) { (bytes * z, 1) } else { (bytes, z) };
    let starts = (0..z).flat_map(|plane| {
        (0..y).map(move |row| pitches.map(|(pitch, distance)| plane * distance + row * pitch))
    });
    (bytes, starts.collect())
}

impl Transfer {
    /// A side of bytes in a line.
    pub fn line(to: u64, from: u64, bytes: usize, kind: i32) -> Transfer {
        Transfer { from: Side::line(from), to: Side::line(to), extent: Extent { x: bytes, y: 1, z: 1 }, kind }
    }

    fn run(&self, host: &mut Locked) -> Answer {
        let Transfer { from, to, extent, kind } = self;
        if extent.x * extent.y * extent.z == 0 {
            return Ok(());
        }
        let possible = match *kind {
            TO_DEVICE => host.is_of_device(&to.place),
            TO_HOST => host.is_of_device(&from.place),
            ON_DEVICE => host.is_of_device(&to.place) && host.is_of_device(&from.place),
            0 | ANY => true,
            _ => return Err(INVALID_DIRECTION),
        };
        let somewhere = |side: &Side| !matches!(side.place, CopyPlace::Address(0));
        if !possible || !somewhere(from) || !somewhere(to) {
            return Err(INVALID_VALUE);
        }
        let (bytes, starts) = rows(*extent, [from, to].map(|side| (side.pitch, side.plane)));
        let mut row = vec![0; bytes];
        for [read, written] in starts {
            host.read(&from.place, read, &mut row)?;
            host.write(&to.place, written, &row)?;
        }
        Ok(())
    }
}

impl Fill {
    fn run(&self, host: &mut Locked) -> Answer {
        let Fill { address, pitch, plane, value, element, extent } = *self;
        let extent = Extent { x: extent.x * element, ..extent };
        if extent.x * extent.y * extent.z == 0 {
            return Ok(());
        }
        if !host.is_of_device(&CopyPlace::Address(address)) {
            return Err(INVALID_VALUE);
        }
        let (bytes, starts) = rows(extent, [(pitch, plane); 2]);
        let value = value.to_le_bytes();
        let row: Vec<u8> = value.into_iter().take(element).cycle().take(bytes).collect();
        starts.into_iter().try_for_each(|[start, _]| host.write(&CopyPlace::Address(address), start, &row))
    }
}
