//! Waveforms in the formats FST and VCD, which GTKWave and Surfer read; the file's ending says which.
//!
//! [`PortWaveform`] records the ports of any engine, [`ModuleWaveform`] every signal inside an RTL
//! module. Names are those of the emitted Verilog: `entries_3`, scopes by instance. A cycle takes two
//! nanoseconds: the clock rises and signals change at its start, the clock falls in its middle. Every
//! file has a `cycle` counter beside the clock. Values are written when they change.

mod file;
mod format;
mod fst;
mod vcd;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use gpurf_blocks::{layout, pack, suggestion, Ports};
use rust_hdl::atom::{Atom, AtomKind};
use rust_hdl::prelude::{Block, Probe, VCDValue};

use super::wires::verilog_path;
pub use file::is_fst;
use file::{bits, Shown, WaveformFile, CLOCK};
pub use file::{WaveformVariable, CYCLE_NS};

/// Records the ports of an engine: the RTL, its reference model or its Verilog.
///
/// Inputs and outputs have a scope each. Ports that the module does not have, where an array of the
/// plain struct is longer than it needs, are left out.
///
/// # Errors
/// All methods: if the file cannot be written; the message names it. Until [`PortWaveform::finish`] the
/// waveform has a temporary name, and it is removed if it is never finished.
pub struct PortWaveform<I, O> {
    file: WaveformFile,
    texts: Vec<usize>,
    inputs: Option<Side<I>>,
    outputs: Option<Side<O>>,
}

/// What a waveform holds.
#[derive(Clone, Copy, Default)]
pub struct Extent<'a> {
    /// Scopes by name, each with what lies in it; all if none is named.
    pub scopes: &'a [String],
    /// Names of texts that whoever samples gives beside the signals. They have a scope of their own, `instructions`.
    pub texts: &'a [&'a str],
}

/// Bytes of the longest text.
const LONGEST_TEXT: usize = 48;

impl Extent<'_> {
    fn chooses(&self, scope: &str) -> bool {
        self.scopes.is_empty() || self.scopes.iter().any(|chosen| chosen == scope)
    }

    /// Each scope that is named must be among those there are.
    fn check(&self, path: &Path, there: &[String]) -> io::Result<()> {
        let Some(missing) = self.scopes.iter().find(|scope| !there.contains(scope)) else { return Ok(()) };
        let there =
            suggestion(missing, there.iter().map(String::as_str), "Without --scopes, all are recorded");
        let reason = format!("{}: there is no scope {missing}{there}", path.display());
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    }

    fn declare_texts(&self, file: &mut WaveformFile) -> io::Result<Vec<usize>> {
        if self.texts.is_empty() {
            return Ok(vec![]);
        }
        file.open_scope("instructions")?;
        let texts = self.texts.iter().map(|name| file.declare_text(LONGEST_TEXT, name)).collect();
        file.close_scope()?;
        texts
    }
}

fn write_texts(file: &mut WaveformFile, variables: &[usize], texts: &[&str]) -> io::Result<()> {
    let mut pairs = variables.iter().zip(texts);
    pairs.try_for_each(|(&variable, text)| file.change(variable, Shown::Text((*text).into())))
}

impl<I: Ports, O: Ports> PortWaveform<I, O> {
    /// `top` is the name of the outermost scope; `module` tells which ports there are and their widths.
    pub fn create(path: &Path, top: &str, module: &dyn Block, extent: Extent) -> io::Result<Self> {
        let sides = ["inputs", "outputs"];
        extent.check(path, &sides.map(String::from))?;
        let widths = PortWidths::of(module);
        let mut file = WaveformFile::create(path)?;
        file.open_top(top)?;
        let texts = extent.declare_texts(&mut file)?;
        let [inputs, outputs] = sides.map(|side| extent.chooses(side).then_some(side));
        let inputs = inputs.map(|side| Side::declare(&mut file, side, &widths)).transpose()?;
        let outputs = outputs.map(|side| Side::declare(&mut file, side, &widths)).transpose()?;
        file.close_top()?;
        Ok(PortWaveform { file, texts, inputs, outputs })
    }

    /// The settled ports of a cycle, and the texts, in the order of their names. Cycles must rise; over those left out,
    /// values stand still.
    pub fn sample(&mut self, cycle: u64, inputs: &I, outputs: &O, texts: &[&str]) -> io::Result<()> {
        self.file.begin_cycle(cycle)?;
        write_texts(&mut self.file, &self.texts, texts)?;
        self.inputs.as_mut().map_or(Ok(()), |side| side.write(&mut self.file, inputs))?;
        self.outputs.as_mut().map_or(Ok(()), |side| side.write(&mut self.file, outputs))?;
        self.file.end_cycle(cycle)
    }

    /// What it records.
    pub fn variables(&self) -> &[WaveformVariable] {
        &self.file.variables
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

/// Records every signal and register inside an RTL module.
///
/// Errors are those of [`PortWaveform`].
pub struct ModuleWaveform {
    file: WaveformFile,
    texts: Vec<usize>,
    /// Variables of each signal in the order of a probe: one, one for each field of a struct, or none where it is not
    /// recorded. rust-hdl's own number of a signal is no key: the elements of an array share it.
    variables: Vec<Vec<usize>>,
}

impl ModuleWaveform {
    /// `top` is the name of the outermost scope.
    pub fn create(path: &Path, top: &str, module: &dyn Block, extent: Extent) -> io::Result<Self> {
        let mut file = WaveformFile::create(path)?;
        file.open_top(top)?;
        let texts = extent.declare_texts(&mut file)?;
        let mut declare = Declare {
            file: &mut file,
            extent,
            variables: vec![],
            scopes: vec![],
            depth: 0,
            namespaces: vec![],
            chosen_at: extent.scopes.is_empty().then_some(0),
            result: Ok(()),
        };
        module.accept(top, &mut declare);
        let Declare { variables, scopes, result, .. } = declare;
        result.map_err(|error| file.named(error))?;
        extent.check(path, &scopes)?;
        file.close_top()?;
        Ok(ModuleWaveform { file, texts, variables })
    }

    /// The signals of a settled module in a cycle, and the texts, in the order of their names. Cycles must rise; over
    /// those left out, values stand still.
    pub fn sample(&mut self, cycle: u64, module: &dyn Block, texts: &[&str]) -> io::Result<()> {
        self.file.begin_cycle(cycle)?;
        write_texts(&mut self.file, &self.texts, texts)?;
        let mut record = Record { file: &mut self.file, variables: self.variables.iter(), result: Ok(()) };
        module.accept("top", &mut record);
        record.result?;
        self.file.end_cycle(cycle)
    }

    /// What it records.
    pub fn variables(&self) -> &[WaveformVariable] {
        &self.file.variables
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

/// Name in the emitted Verilog of what rust-hdl calls `tag$3`.
fn plain_name(name: &str) -> String {
    name.replace('$', "_")
}

/// Inputs or outputs of a module.
struct Side<P> {
    /// Variable, first word and width of each port that the module has.
    ports: Vec<(usize, usize, usize)>,
    words: Vec<u32>,
    kind: std::marker::PhantomData<P>,
}

impl<P: Ports> Side<P> {
    fn declare(file: &mut WaveformFile, scope: &str, widths: &PortWidths) -> io::Result<Self> {
        file.open_scope(scope)?;
        let layout = layout::<P>();
        let mut ports = vec![];
        for field in &layout {
            let name = field.name.to_string();
            if let Some(&width) = widths.0.get(&name) {
                ports.push((file.declare(width, &name)?, field.first_word, width));
            }
        }
        file.close_scope()?;
        let words = layout.last().map_or(0, |last| last.first_word + last.words);
        Ok(Side { ports, words: vec![0; words], kind: std::marker::PhantomData })
    }

    fn write(&mut self, file: &mut WaveformFile, ports: &P) -> io::Result<()> {
        pack(ports, &mut self.words);
        for &(variable, first_word, width) in &self.ports {
            let value = bits(&self.words[first_word..], width);
            file.change(variable, Shown::Bits(value)).map_err(|error| file.named(error))?;
        }
        Ok(())
    }
}

/// Width of every port of a module, by its name in Verilog.
struct PortWidths(HashMap<String, usize>);

impl PortWidths {
    fn of(module: &dyn Block) -> Self {
        let mut widths = Widths::default();
        module.accept("top", &mut widths);
        PortWidths(widths.ports)
    }
}

#[derive(Default)]
struct Widths {
    ports: HashMap<String, usize>,
    /// How many elements of an array were met.
    elements: HashMap<String, usize>,
    depth: usize,
    namespaces: Vec<String>,
}

impl Probe for Widths {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(name.to_string());
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if self.depth != 1 || !atom.kind().is_parameter() {
            return;
        }
        let steps: Vec<String> = self.namespaces.iter().cloned().chain([name.to_string()]).collect();
        let path = verilog_path(&steps);
        let (indices, names): (Vec<&str>, Vec<&str>) =
            path.split('$').partition(|step| step.parse::<usize>().is_ok());
        let mut port = names.join("_");
        if !indices.is_empty() {
            // The elements of arrays in arrays stand one after the other.
            let element = self.elements.entry(port.clone()).or_default();
            port = format!("{port}_{element}");
            *element += 1;
        }
        self.ports.insert(port, atom.bits());
    }
}

/// Declares scopes and signals of a module. A probe cannot fail, so the first error is kept.
struct Declare<'a> {
    file: &'a mut WaveformFile,
    extent: Extent<'a>,
    variables: Vec<Vec<usize>>,
    /// Names met, each once.
    scopes: Vec<String>,
    /// Scopes open; the outermost is the top scope, which is open already.
    depth: usize,
    /// Bundles open, whose wires bear their names.
    namespaces: Vec<String>,
    /// The depth of the open scope that was chosen.
    chosen_at: Option<usize>,
    result: io::Result<()>,
}

impl Declare<'_> {
    /// The name in Verilog of what is met.
    fn named(&self, name: &str) -> String {
        let steps: Vec<String> = self.namespaces.iter().cloned().chain([name.to_string()]).collect();
        plain_name(&verilog_path(&steps))
    }

    fn attempt(&mut self, action: impl FnOnce(&mut Self) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = action(self);
        }
    }

    fn open(&mut self, name: &str) {
        self.depth += 1;
        if self.depth > 1 {
            let name = self.named(name);
            if self.extent.chooses(&name) {
                self.chosen_at.get_or_insert(self.depth);
            }
            self.attempt(|declare| declare.file.open_scope(&name));
            if !self.scopes.contains(&name) {
                self.scopes.push(name);
            }
        }
    }

    fn close(&mut self) {
        self.chosen_at = self.chosen_at.filter(|&depth| depth < self.depth);
        self.depth -= 1;
        if self.depth > 0 {
            self.attempt(|declare| declare.file.close_scope());
        }
    }
}

impl Probe for Declare<'_> {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.open(name);
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.close();
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(name.to_string());
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let name = self.named(name);
        let mut variables = vec![];
        let chosen = self.chosen_at.is_some();
        self.attempt(|declare| {
            // Constants never change, and an identity has no bits at all.
            if chosen && atom.kind() != AtomKind::Constant && atom.bits() > 0 && !is_clock(atom) {
                declare.file.declare_all(&name, &atom.descriptor().kind, &mut variables)?;
            }
            // The top has the clock already; further in, it is the same one under another name.
            if chosen && is_clock(atom) && declare.depth > 1 {
                declare.file.format().declare_alias(CLOCK, 1, &name)?;
            }
            Ok(())
        });
        self.variables.push(variables);
    }
}

/// A module is sampled between edges, when its clock is low: the clock drawn is the file's own.
fn is_clock(atom: &dyn Atom) -> bool {
    atom.descriptor().name == "clock"
}

/// Writes the values of a module's signals.
struct Record<'a> {
    file: &'a mut WaveformFile,
    variables: std::slice::Iter<'a, Vec<usize>>,
    result: io::Result<()>,
}

impl Probe for Record<'_> {
    fn visit_atom(&mut self, _: &str, atom: &dyn Atom) {
        let variables = self.variables.next().map_or(&[][..], Vec::as_slice);
        if variables.is_empty() {
            return;
        }
        let mut values = vec![];
        fields(atom.vcd(), &mut values);
        for (&variable, value) in variables.iter().zip(values) {
            if self.result.is_ok() {
                self.result = self.file.change(variable, value).map_err(|error| self.file.named(error));
            }
        }
    }
}

/// What is shown of a value, field by field.
fn fields(value: VCDValue, shown: &mut Vec<Shown>) {
    // rust-hdl's values, in their order.
    const BITS: [u8; 4] = *b"01xz";
    match value {
        VCDValue::Single(bit) => shown.push(Shown::Bits(vec![BITS[bit as usize]])),
        VCDValue::Vector(bits) => {
            shown.push(Shown::Bits(bits.into_iter().map(|bit| BITS[bit as usize]).collect()));
        }
        VCDValue::String(name) => shown.push(Shown::Text(name)),
        VCDValue::Composite(values) => values.into_iter().for_each(|value| fields(*value, shown)),
    }
}
