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

mod values;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use half::f16;
use serde::Deserialize;
use toml::Spanned;

use crate::device::{self, Device, Dim, Pointer};
use crate::error::{Error, Result};
use crate::listing::Module;
use values::{Element, Tolerance, Values};

/// Most bytes of a buffer.
const MAX_BYTES: u64 = 1 << 32;

/// A listing and what to launch of it.
pub struct LaunchFile {
    file: String,
    /// Of the launch file: paths in it start here.
    folder: PathBuf,
    /// Where its lines begin, in bytes.
    lines: Vec<usize>,
    document: Document,
    module: Module,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    listing: Spanned<PathBuf>,
    #[serde(default)]
    buffers: BTreeMap<String, Spanned<Buffer>>,
    /// `__constant__` and `__device__` variables of the listing.
    #[serde(default)]
    variables: BTreeMap<String, Spanned<Buffer>>,
    launch: Vec<Spanned<Launch>>,
    #[serde(default)]
    print: Vec<Spanned<Print>>,
    #[serde(default)]
    expect: Vec<Spanned<Expect>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Buffer {
    #[serde(rename = "type")]
    element: Element,
    /// Elements.
    count: u64,
    #[serde(default)]
    init: Values,
}

impl Buffer {
    fn bytes(&self, folder: &Path) -> Result<Vec<u8>, String> {
        self.init.bytes(self.element, self.count as usize, folder)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Launch {
    kernel: String,
    /// In blocks.
    grid: Extent,
    /// In threads.
    block: Extent,
    /// Dynamic shared memory, in bytes.
    #[serde(default)]
    shared: u32,
    #[serde(default)]
    arguments: Vec<Argument>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "a positive number, or a list of two or three")]
enum Extent {
    X(u32),
    Xy([u32; 2]),
    Xyz([u32; 3]),
}

impl From<Extent> for Dim {
    fn from(extent: Extent) -> Dim {
        match extent {
            Extent::X(x) => x.into(),
            Extent::Xy([x, y]) => (x, y).into(),
            Extent::Xyz([x, y, z]) => (x, y, z).into(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Argument {
    /// The address of a buffer.
    Buffer(String),
    I8(i8),
    U8(u8),
    I16(i16),
    U16(u16),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F16(f32),
    F32(f32),
    F64(f64),
}

/// Elements of a buffer to show.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Print {
    buffer: String,
    #[serde(default)]
    first: u64,
    count: Option<u64>,
}

/// What must be in a buffer after the launches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    buffer: String,
    #[serde(default)]
    first: u64,
    count: Option<u64>,
    values: Values,
    #[serde(default)]
    tolerance: Tolerance,
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
            Error::LaunchFile {
                file: file.clone(),
                line,
                message: format!("`{place}`: {message}; docs/your_kernel.md tells what belongs there"),
            }
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let listing = folder.join(document.listing.get_ref());
        let code = fs::read_to_string(&listing).map_err(|error| Error::LaunchFile {
            file: file.clone(),
            line: line_of(&lines, document.listing.span()),
            message: format!(
                "listing {} cannot be read: {error}; nvdisasm -hex writes one",
                listing.display()
            ),
        })?;
        let module = Module::parse(&listing.display().to_string(), &code)?;
        let launch_file = LaunchFile { file, folder, lines, document, module };
        launch_file.check()?;
        Ok(launch_file)
    }

    /// Fills the buffers, launches the kernels, shows what is to be printed, a line each, and
    /// compares what is expected.
    ///
    /// # Errors
    /// By line: a data file that cannot be used, a launch that is not possible or stops at a fault, a
    /// wrong answer.
    pub fn run(&self, device: &mut Device, mut print: impl FnMut(&str)) -> Result<()> {
        let mut pointers = BTreeMap::new();
        for (name, buffer) in &self.document.buffers {
            let content = buffer.get_ref();
            let pointer = match content.init {
                Values::Zero => device.allocate(content.count * content.element.size() as u64),
                _ => device.upload(&content.bytes(&self.folder).map_err(|error| self.at(buffer, error))?),
            };
            pointers.insert(name.as_str(), pointer);
        }
        for (name, variable) in &self.document.variables {
            let bytes = variable.get_ref().bytes(&self.folder).map_err(|error| self.at(variable, error))?;
            device.write_symbol(&self.module, name, &bytes).map_err(|error| self.at(variable, error))?;
        }
        for launch in &self.document.launch {
            let Launch { kernel, grid, block, shared, arguments } = launch.get_ref();
            let arguments: Vec<_> = arguments.iter().map(|argument| argument.for_device(&pointers)).collect();
            device
                .launch(&self.module, kernel, *grid, *block, *shared, &arguments)
                .map_err(|error| self.at(launch, error))?;
        }
        for wanted in &self.document.print {
            let Print { buffer, first, count } = wanted.get_ref();
            let (element, range) = self.range(wanted, buffer, *first, *count)?;
            let bytes = read(device, pointers[buffer.as_str()], element, &range)?;
            let texts: Vec<_> = bytes.chunks(element.size()).map(|bytes| element.text(bytes)).collect();
            print(&format!("{buffer}[{}..{}] = {}", range.start, range.end, texts.join(" ")));
        }
        self.document.expect.iter().try_for_each(|expect| self.compare(device, &pointers, expect))
    }

    /// Whether the file says what must come out.
    pub fn has_expectations(&self) -> bool {
        !self.document.expect.is_empty()
    }

    /// What can be checked before anything runs.
    fn check(&self) -> Result<()> {
        let Document { buffers, variables, launch, print, expect, .. } = &self.document;
        if launch.is_empty() {
            return Err(Error::LaunchFile {
                file: self.file.clone(),
                line: 1,
                message: "nothing is launched; add a [[launch]]".into(),
            });
        }
        for buffer in buffers.values().chain(variables.values()) {
            let Buffer { element, count, .. } = buffer.get_ref();
            let bytes = count.checked_mul(element.size() as u64);
            if *count == 0 || bytes.is_none_or(|bytes| bytes > MAX_BYTES) {
                let most = MAX_BYTES / element.size() as u64;
                return Err(self.at(buffer, format!("count = {count}: give 1 to {most} elements")));
            }
        }
        for launch in launch {
            for argument in &launch.get_ref().arguments {
                if let Argument::Buffer(name) = argument {
                    self.buffer(launch, name)?;
                }
            }
        }
        for print in print {
            let Print { buffer, first, count } = print.get_ref();
            self.range(print, buffer, *first, *count)?;
        }
        for expect in expect {
            let Expect { buffer, first, count, .. } = expect.get_ref();
            self.range(expect, buffer, *first, *count)?;
        }
        Ok(())
    }

    /// The buffer that `place` names.
    fn buffer<T>(&self, place: &Spanned<T>, name: &str) -> Result<&Buffer> {
        self.document.buffers.get(name).map(Spanned::get_ref).ok_or_else(|| {
            let names: Vec<_> = self.document.buffers.keys().map(String::as_str).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            self.at(
                place,
                format!("there is no buffer {name}; add [buffers.{name}], or name one of: {names}"),
            )
        })
    }

    /// The elements of a buffer that `place` names, all from `first` on unless it says how many.
    fn range<T>(
        &self,
        place: &Spanned<T>,
        buffer: &str,
        first: u64,
        count: Option<u64>,
    ) -> Result<(Element, Range<u64>)> {
        let Buffer { element, count: all, .. } = self.buffer(place, buffer)?;
        let end = count.map_or(Some(*all), |count| first.checked_add(count));
        match end {
            Some(end) if first < end && end <= *all => Ok((*element, first..end)),
            _ => Err(self.at(
                place,
                format!("buffer {buffer} has {all} elements; choose first and count so that some of them are meant and no others"),
            )),
        }
    }

    fn compare(
        &self,
        device: &Device,
        pointers: &BTreeMap<&str, Pointer>,
        place: &Spanned<Expect>,
    ) -> Result<()> {
        let Expect { buffer, first, count, values, tolerance } = place.get_ref();
        let (element, range) = self.range(place, buffer, *first, *count)?;
        let count = (range.end - range.start) as usize;
        let expected = values.bytes(element, count, &self.folder).map_err(|error| self.at(place, error))?;
        let actual = read(device, pointers[buffer.as_str()], element, &range)?;
        let pairs = actual.chunks(element.size()).zip(expected.chunks(element.size()));
        for (index, (actual, expected)) in range.zip(pairs) {
            if !element.is_close(actual, expected, *tolerance) {
                return Err(Error::Answer {
                    message: format!(
                        "{buffer}[{index}] is {}, expected {} ({}:{})",
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

impl Argument {
    fn for_device(&self, pointers: &BTreeMap<&str, Pointer>) -> device::Argument {
        match *self {
            Argument::Buffer(ref name) => pointers[name.as_str()].into(),
            Argument::I8(value) => value.into(),
            Argument::U8(value) => value.into(),
            Argument::I16(value) => value.into(),
            Argument::U16(value) => value.into(),
            Argument::I32(value) => value.into(),
            Argument::U32(value) => value.into(),
            Argument::I64(value) => value.into(),
            Argument::U64(value) => value.into(),
            Argument::F16(value) => f16::from_f32(value).to_bits().into(),
            Argument::F32(value) => value.into(),
            Argument::F64(value) => value.into(),
        }
    }
}

/// Elements of a buffer, little endian.
fn read(device: &Device, buffer: Pointer, element: Element, range: &Range<u64>) -> Result<Vec<u8>> {
    let size = element.size() as u64;
    device.read(buffer.offset(range.start * size), ((range.end - range.start) * size) as usize)
}

/// Number of the line in which a range of bytes begins.
fn line_of(lines: &[usize], span: Range<usize>) -> usize {
    lines.partition_point(|&begin| begin <= span.start)
}
