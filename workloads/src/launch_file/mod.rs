// SPDX-License-Identifier: Apache-2.0
//! Launch files: what a host program would do with a listing, written in TOML.
//!
//! A launch file names a listing, the buffers in device memory and what is in them, the kernels to
//! launch, and what must come out. All of it can be read in `docs/your_kernel.md`; in short:
//!
//! ```toml
//! listing = "saxpy.sass"
//!
//! [buffers.x]
//! type = "f32"
//! count = 1000
//! init = "iota"
//!
//! [buffers.y]
//! type = "f32"
//! count = 1000
//! init = { fill = 1.0 }
//!
//! [[launch]]
//! kernel = "saxpy"
//! grid = 4
//! block = 256
//! arguments = [{ i32 = 1000 }, { f32 = 2.0 }, { buffer = "x" }, { buffer = "y" }]
//!
//! [[expect]]
//! buffer = "y"
//! values = { range = { start = 1.0, step = 2.0 } }
//! ```

mod arguments;
mod document;
mod elements;
mod values;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;

use crate::device::{self, Device};
use crate::error::{Error, Result};
use crate::listing::{Module, MAX_STACK};
use crate::pointer::Pointer;
use arguments::Places;
use document::{Buffer, Document, Expect, Step, Target};
use elements::ElementType;
use values::Values;

/// Most bytes of a buffer.
const MAX_BYTES: u64 = 1 << 32;

/// A listing and what to launch of it.
pub struct LaunchFile {
    file: String,
    /// The folder of the launch file, from which paths in it start.
    folder: PathBuf,
    /// Where its lines begin, in bytes.
    lines: Vec<usize>,
    document: Document,
    module: Module,
}

/// Where buffers, variables and images are, once they are anywhere.
#[derive(Default)]
struct Addresses {
    buffers: BTreeMap<String, u64>,
    variables: BTreeMap<String, u64>,
    images: BTreeMap<String, u64>,
    round: Cell<u64>,
}

impl Places for Addresses {
    fn buffer(&self, name: &str) -> Result<u64, String> {
        found(&self.buffers, "buffer", "buffers", name)
    }

    fn variable(&self, name: &str) -> Result<u64, String> {
        found(&self.variables, "variable", "variables", name)
    }

    fn image(&self, name: &str) -> Result<u64, String> {
        found(&self.images, "image", "images", name)
    }

    fn round(&self) -> u64 {
        self.round.get()
    }
}

fn found<T: Copy>(all: &BTreeMap<String, T>, kind: &str, table: &str, name: &str) -> Result<T, String> {
    all.get(name).copied().ok_or_else(|| {
        let names: Vec<_> = all.keys().map(String::as_str).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        format!("there is no {kind} {name}; add [{table}.{name}], or name one of: {names}")
    })
}

impl LaunchFile {
    /// Reads a launch file's `text` and its listing, which lies beside `path`.
    ///
    /// # Errors
    /// What is wrong with it, by line.
    pub fn parse(path: &Path, text: &str) -> Result<LaunchFile> {
        let file = path.display().to_string();
        let line_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(end, _)| end + 1);
        let lines: Vec<_> = std::iter::once(0).chain(line_ends).collect();
        let document: Document = toml::from_str(text).map_err(|error| {
            let line = line_of(&lines, error.span().unwrap_or_default());
            let place = text.lines().nth(line - 1).unwrap_or_default().trim();
            let message = error.message().replace('\n', ", ");
            Error::LaunchFile { file: file.clone(), line, message: format!("`{place}`: {message}") }
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let listing = folder.join(document.listing.get_ref());
        let unusable = |message| Error::LaunchFile {
            file: file.clone(),
            line: line_of(&lines, document.listing.span()),
            message,
        };
        let code = crate::binary::listing(&listing).map_err(unusable)?;
        let module = Module::parse(&listing.display().to_string(), &code)?;
        let launch_file = LaunchFile { file, folder, lines, document, module };
        launch_file.check()?;
        Ok(launch_file)
    }

    /// How a device that runs it must be.
    pub fn options(&self, options: device::Options) -> device::Options {
        let Document { heap, stack, margin, .. } = &self.document;
        device::Options {
            heap_bytes: heap.unwrap_or(options.heap_bytes),
            stack_bytes: stack.map_or(options.stack_bytes, |stack| stack as u32),
            margin: margin.unwrap_or(options.margin),
            ..options
        }
    }

    /// Fills the buffers, launches the kernels, shows what they print and what is to be printed, line by
    /// line, and compares what is expected.
    ///
    /// # Errors
    /// By line: a data file that cannot be used, a launch that is not possible or stops at a fault, a
    /// wrong answer.
    pub fn run(&self, device: &mut Device, mut print: impl FnMut(&str)) -> Result<()> {
        let mut places = Addresses::default();
        for (name, buffer) in &self.document.buffers {
            let content = buffer.get_ref();
            let pointer = device.allocate(content.count * content.element.size() as u64);
            device.name(pointer, name);
            places.buffers.insert(name.clone(), pointer.0);
        }
        for (name, place) in device.variables(&self.module)? {
            places.variables.insert(name, place);
        }
        for (name, image) in &self.document.images {
            let content = image.get_ref();
            let buffer = self.document.buffers[&content.buffer].get_ref();
            let (texels, sampler) = content.image(buffer, Pointer(places.buffers[&content.buffer]));
            let handle = device.bind(texels, sampler).map_err(|error| self.at(image, error))?;
            places.images.insert(name.clone(), handle);
        }
        for (name, buffer) in &self.document.buffers {
            match &buffer.get_ref().init {
                None | Some(Values::Zero) => {}
                Some(_) => {
                    let bytes = self.content(buffer, &places)?;
                    device.write(Pointer(places.buffers[name]), &bytes)?;
                }
            }
        }
        for (name, variable) in &self.document.variables {
            if variable.get_ref().init.is_some() {
                let bytes = self.content(variable, &places)?;
                let written = device.write_symbol(&self.module, name, &bytes);
                written.map_err(|error| self.at(variable, error))?;
            }
        }
        self.steps(&self.document.launch, device, &places, &mut print)?;
        for wanted in &self.document.print {
            let (name, element, range) = self.range(wanted, &wanted.get_ref().of())?;
            let bytes = self.read(device, &places, wanted, &wanted.get_ref().of())?;
            let texts: Vec<_> = bytes.chunks(element.size()).map(|bytes| element.text(bytes)).collect();
            print(&format!("{name}[{}..{}] = {}", range.start, range.end, texts.join(" ")));
        }
        for dump in &self.document.dump {
            let path = self.folder.join(&dump.get_ref().file);
            let bytes = self.read(device, &places, dump, &dump.get_ref().of())?;
            let unwritable = |error| {
                self.at(dump, format!("{}: cannot be written: {error}; check the path", path.display()))
            };
            fs::write(&path, bytes).map_err(unwritable)?;
        }
        self.document.expect.iter().try_for_each(|expect| self.compare(device, &places, expect))
    }

    /// The files that a run reads: the launch file, its listing, and the data that it names.
    pub fn files(&self) -> Vec<PathBuf> {
        let Document { listing, buffers, variables, launch, expect, .. } = &self.document;
        let mut data = vec![];
        for place in buffers.values().chain(variables.values()) {
            place.get_ref().init.iter().for_each(|values| values.files(&mut data));
        }
        launch.iter().for_each(|step| step.get_ref().files(&mut data));
        expect.iter().for_each(|expect| expect.get_ref().values.files(&mut data));
        let below = data.iter().map(|file| self.folder.join(file));
        [self.file.clone().into(), self.folder.join(listing.get_ref())].into_iter().chain(below).collect()
    }

    /// Returns true if the file says what must come out.
    pub fn has_expectations(&self) -> bool {
        !self.document.expect.is_empty()
    }

    fn content(&self, place: &Spanned<Buffer>, places: &dyn Places) -> Result<Vec<u8>> {
        let Buffer { element, count, init } = place.get_ref();
        let values = init.as_ref().unwrap_or(&Values::Zero);
        values.bytes(*element, *count as usize, &self.folder, places).map_err(|error| self.at(place, error))
    }

    fn steps(
        &self,
        steps: &[Spanned<Step>],
        device: &mut Device,
        places: &Addresses,
        print: &mut dyn FnMut(&str),
    ) -> Result<()> {
        for place in steps {
            let step = place.get_ref();
            if let Some(set) = &step.set {
                let (_, element, range) = self.range(place, &set.of())?;
                let count = (range.end - range.start) as usize;
                let bytes = set.values.bytes(element, count, &self.folder, places);
                self.write(device, places, place, &set.of(), &bytes.map_err(|error| self.at(place, error))?)?;
            } else if let Some(kernel) = &step.kernel {
                let mut arguments = vec![];
                for argument in &step.arguments {
                    let bytes = argument.get_ref().bytes(places, &self.folder);
                    arguments.push(device::Argument(bytes.map_err(|error| self.at(argument, error))?));
                }
                let (grid, block) = (step.grid.unwrap_or_default(), step.block.unwrap_or_default());
                let launched = device.launch(&self.module, kernel, grid, block, step.shared, &arguments);
                device.take_printed().lines().for_each(&mut *print);
                launched.map_err(|error| self.at(place, error))?;
            } else {
                self.rounds(place, device, places, print)?;
            }
        }
        Ok(())
    }

    /// Runs the steps of a loop until its condition holds, or as often as it says.
    fn rounds(
        &self,
        place: &Spanned<Step>,
        device: &mut Device,
        places: &Addresses,
        print: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let step = place.get_ref();
        let around = places.round.get();
        let rounds = step.repeat.unwrap_or_default();
        for round in 0..rounds {
            places.round.set(round);
            self.steps(&step.launch, device, places, print)?;
            let Some(until) = &step.until else { continue };
            let (_, element, _) = self.range(place, &until.of())?;
            let mut wanted = vec![];
            element.encode(until.is, &mut wanted).map_err(|error| self.at(place, error))?;
            if self.read(device, places, place, &until.of())? == wanted {
                break;
            }
            if round + 1 == rounds {
                return Err(self.at(place, format!("the condition does not hold after {rounds} rounds")));
            }
        }
        places.round.set(around);
        Ok(())
    }

    /// Checks everything that can be checked before anything runs.
    fn check(&self) -> Result<()> {
        let Document { buffers, variables, images, launch, print, dump, expect, .. } = &self.document;
        if launch.is_empty() {
            return Err(Error::LaunchFile {
                file: self.file.clone(),
                line: 1,
                message: "nothing is launched; add a [[launch]]".into(),
            });
        }
        let Document { heap, stack, margin, .. } = &self.document;
        for (name, bytes, most) in
            [("heap", heap, MAX_BYTES), ("stack", stack, MAX_STACK.into()), ("margin", margin, MAX_BYTES)]
        {
            if let Some(bytes) = bytes.filter(|bytes| *bytes > most) {
                let message = format!("{name} = {bytes}: give {most} bytes at most");
                return Err(Error::LaunchFile { file: self.file.clone(), line: 1, message });
            }
        }
        for buffer in buffers.values().chain(variables.values()) {
            let Buffer { element, count, .. } = buffer.get_ref();
            let bytes = count.checked_mul(element.size() as u64);
            if *count == 0 || bytes.is_none_or(|bytes| bytes > MAX_BYTES) {
                let most = MAX_BYTES / element.size() as u64;
                return Err(self.at(buffer, format!("count = {count}: give 1 to {most} elements")));
            }
        }
        for (name, variable) in variables {
            if !self.module.has_variable(name) {
                return Err(self.at(variable, format!("the listing has no variable {name}")));
            }
        }
        let anywhere =
            |names: &mut dyn Iterator<Item = &String>| names.map(|name| (name.clone(), 0)).collect();
        let listed = self.module.variables();
        let places = Addresses {
            buffers: anywhere(&mut buffers.keys()),
            variables: anywhere(&mut listed.iter()),
            images: anywhere(&mut images.keys()),
            round: Cell::new(0),
        };
        for image in images.values() {
            let content = image.get_ref();
            places.buffer(&content.buffer).map_err(|error| self.at(image, error))?;
            content.check(buffers[&content.buffer].get_ref()).map_err(|error| self.at(image, error))?;
        }
        self.check_steps(launch, &places)?;
        for print in print {
            self.range(print, &print.get_ref().of())?;
        }
        for dump in dump {
            self.range(dump, &dump.get_ref().of())?;
        }
        expect.iter().try_for_each(|expect| self.range(expect, &expect.get_ref().of()).map(|_| ()))
    }

    fn check_steps(&self, steps: &[Spanned<Step>], places: &Addresses) -> Result<()> {
        for place in steps {
            let step = place.get_ref();
            step.check().map_err(|message| self.at(place, message))?;
            for argument in &step.arguments {
                argument.get_ref().bytes(places, &self.folder).map_err(|error| self.at(argument, error))?;
            }
            if let Some(set) = &step.set {
                self.range(place, &set.of())?;
            }
            if let Some(until) = &step.until {
                let (_, _, range) = self.range(place, &until.of())?;
                if range.end - range.start != 1 {
                    return Err(self.at(
                        place,
                        "`until` looks at one element; give its number as `first`, and count = 1",
                    ));
                }
            }
            self.check_steps(&step.launch, places)?;
        }
        Ok(())
    }

    /// The elements that `place` names, all from `first` on unless it says how many, and of what.
    fn range<'a, T>(
        &self,
        place: &Spanned<T>,
        of: &Target<'a>,
    ) -> Result<(&'a str, ElementType, Range<u64>)> {
        let (kind, name, declared) = match (of.buffer, of.variable) {
            (Some(name), None) => ("buffer", name, &self.document.buffers),
            (None, Some(name)) => ("variable", name, &self.document.variables),
            _ => return Err(self.at(place, "name either a buffer or a variable")),
        };
        let places: BTreeMap<String, (ElementType, u64)> = declared
            .iter()
            .map(|(name, buffer)| (name.clone(), (buffer.get_ref().element, buffer.get_ref().count)))
            .collect();
        let (element, all) =
            found(&places, kind, &format!("{kind}s"), name).map_err(|error| self.at(place, error))?;
        let Target { first, count, .. } = *of;
        let end = count.map_or(Some(all), |count| first.checked_add(count));
        match end {
            Some(end) if first < end && end <= all => Ok((name, element, first..end)),
            _ => Err(self.at(
                place,
                format!("{kind} {name} has {all} elements; choose first and count so that some of them are meant and no others"),
            )),
        }
    }

    /// The bytes of the elements that `place` names.
    fn read<T>(
        &self,
        device: &mut Device,
        places: &Addresses,
        place: &Spanned<T>,
        of: &Target,
    ) -> Result<Vec<u8>> {
        let (name, element, range) = self.range(place, of)?;
        let size = element.size() as u64;
        let (start, bytes) = (range.start * size, ((range.end - range.start) * size) as usize);
        if of.buffer.is_some() {
            return device.read(Pointer(places.buffers[name]).offset(start), bytes);
        }
        let read = device.read_symbol(&self.module, name, start as usize, bytes);
        read.map_err(|error| self.at(place, error))
    }

    fn write<T>(
        &self,
        device: &mut Device,
        places: &Addresses,
        place: &Spanned<T>,
        of: &Target,
        bytes: &[u8],
    ) -> Result<()> {
        let (name, element, range) = self.range(place, of)?;
        let start = range.start * element.size() as u64;
        if of.buffer.is_some() {
            return device.write(Pointer(places.buffers[name]).offset(start), bytes);
        }
        let mut all = device
            .read_symbol(&self.module, name, 0, start as usize)
            .map_err(|error| self.at(place, error))?;
        all.extend_from_slice(bytes);
        device.write_symbol(&self.module, name, &all).map_err(|error| self.at(place, error))
    }

    fn compare(&self, device: &mut Device, places: &Addresses, place: &Spanned<Expect>) -> Result<()> {
        let expect = place.get_ref();
        let (name, element, range) = self.range(place, &expect.of())?;
        let count = (range.end - range.start) as usize;
        let expected = expect.values.bytes(element, count, &self.folder, places);
        let expected = expected.map_err(|error| self.at(place, error))?;
        let actual = self.read(device, places, place, &expect.of())?;
        let pairs = actual.chunks(element.size()).zip(expected.chunks(element.size()));
        for (index, (actual, expected)) in range.zip(pairs) {
            if !element.is_close(actual, expected, expect.tolerance) {
                return Err(Error::Answer {
                    message: format!(
                        "{name}[{index}] is {}, expected {} ({}:{})",
                        element.text(actual),
                        element.text(expected),
                        self.file,
                        line_of(&self.lines, place.span()),
                    ),
                });
            }
        }
        Ok(())
    }

    /// An error at a place of the launch file.
    fn at<T>(&self, place: &Spanned<T>, message: impl ToString) -> Error {
        Error::LaunchFile {
            file: self.file.clone(),
            line: line_of(&self.lines, place.span()),
            message: message.to_string(),
        }
    }
}

/// Number of the line in which a range of bytes begins.
fn line_of(lines: &[usize], span: Range<usize>) -> usize {
    lines.partition_point(|&begin| begin <= span.start)
}
