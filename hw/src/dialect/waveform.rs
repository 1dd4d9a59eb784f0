//! Waveforms in the VCD format, which GTKWave and Surfer read.
//!
//! [`PortWaveform`] records the ports of any engine, [`ModuleWaveform`] every signal inside an RTL
//! module. Names are those of the emitted Verilog: `entries_3`, scopes by instance. A cycle takes two
//! nanoseconds: the clock rises and signals change at its start, the clock falls in its middle. Every
//! file has a `cycle` counter beside the clock. Values are written when they change.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use gpurf_blocks::{layout, pack, Ports};
use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::prelude::{Block, Probe, TypeKind, VCDValue};
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Writer};

use super::wires::verilog_path;
use super::Module;

/// Records the ports of an engine of module `M`: the RTL, its reference model or its Verilog.
///
/// Inputs and outputs have a scope each. Ports that the module does not have, where an array of the
/// plain struct is longer than it needs, are left out.
///
/// # Errors
/// All methods: if the file cannot be written; the message names it. Until [`PortWaveform::finish`] the
/// waveform has a temporary name, and it is removed if it is never finished.
pub struct PortWaveform<M: Module> {
    file: WaveformFile,
    inputs: Side<M::In>,
    outputs: Side<M::Out>,
}

impl<M: Module> PortWaveform<M> {
    /// `top` is the name of the outermost scope; `module` tells which ports there are and their widths.
    pub fn create(path: &Path, top: &str, module: &M) -> io::Result<Self> {
        let widths = PortWidths::of(module);
        let mut file = WaveformFile::create(path)?;
        file.open_top(top)?;
        let inputs = Side::declare(&mut file, "inputs", &widths)?;
        let outputs = Side::declare(&mut file, "outputs", &widths)?;
        file.close_top()?;
        Ok(PortWaveform { file, inputs, outputs })
    }

    /// The settled ports of a cycle. Cycles must rise; over those left out, values stand still.
    pub fn sample(&mut self, cycle: u64, inputs: &M::In, outputs: &M::Out) -> io::Result<()> {
        self.file.begin_cycle(cycle)?;
        self.inputs.write(&mut self.file, inputs)?;
        self.outputs.write(&mut self.file, outputs)?;
        self.file.end_cycle(cycle)
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
    /// Variables of each signal in the order of a probe: one, one for each field of a struct, or none where it is not
    /// recorded. rust-hdl's own number of a signal is no key: the elements of an array share it.
    variables: Vec<Vec<usize>>,
}

impl ModuleWaveform {
    /// `top` is the name of the outermost scope.
    pub fn create(path: &Path, top: &str, module: &dyn Block) -> io::Result<Self> {
        let mut file = WaveformFile::create(path)?;
        file.open_top(top)?;
        let mut declare =
            Declare { file: &mut file, variables: vec![], depth: 0, namespaces: vec![], result: Ok(()) };
        module.accept(top, &mut declare);
        let Declare { variables, result, .. } = declare;
        result.map_err(|error| file.named(error))?;
        file.close_top()?;
        Ok(ModuleWaveform { file, variables })
    }

    /// The signals of a settled module in a cycle. Cycles must rise; over those left out, values stand
    /// still.
    pub fn sample(&mut self, cycle: u64, module: &dyn Block) -> io::Result<()> {
        self.file.begin_cycle(cycle)?;
        let mut record = Record { file: &mut self.file, variables: self.variables.iter(), result: Ok(()) };
        module.accept("top", &mut record);
        record.result?;
        self.file.end_cycle(cycle)
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

/// A waveform being written: its variables, and what they last were.
struct WaveformFile {
    writer: Writer<BufWriter<File>>,
    path: PathBuf,
    temporary: PathBuf,
    clock: IdCode,
    cycle: usize,
    variables: Vec<Variable>,
    /// The last cycle written.
    last: Option<u64>,
    finished: bool,
}

struct Variable {
    id: IdCode,
    /// None before the first one.
    value: Option<Shown>,
}

/// What a viewer shows of a signal.
#[derive(PartialEq)]
enum Shown {
    /// Most significant bit first.
    Bits(Vec<Value>),
    /// The name of a state.
    Name(String),
}

const CYCLE_NS: u64 = 2;
const CYCLE_COUNTER_BITS: usize = 32;

impl WaveformFile {
    fn create(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let reason = format!("{}: not a plain file, which a waveform has to be", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let temporary = PathBuf::from(name);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let writer = Writer::new(BufWriter::new(File::create(&temporary).map_err(named)?));
        Ok(WaveformFile {
            writer,
            path: path.to_path_buf(),
            temporary,
            clock: IdCode::FIRST,
            cycle: 0,
            variables: vec![],
            last: None,
            finished: false,
        })
    }

    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }

    fn open_top(&mut self, top: &str) -> io::Result<()> {
        self.writer.timescale(1, TimescaleUnit::NS)?;
        self.writer.add_module(top)?;
        self.clock = self.writer.add_wire(1, "clock")?;
        self.cycle = self.declare(CYCLE_COUNTER_BITS, "cycle")?;
        Ok(())
    }

    fn close_top(&mut self) -> io::Result<()> {
        self.writer.upscope()?;
        self.writer.enddefinitions()
    }

    /// The new variable's index.
    fn declare(&mut self, width: usize, name: &str) -> io::Result<usize> {
        let id = self.writer.add_wire(width as u32, name)?;
        self.variables.push(Variable { id, value: None });
        Ok(self.variables.len() - 1)
    }

    /// The same for a state, whose values are names.
    fn declare_state(&mut self, name: &str) -> io::Result<usize> {
        let id = self.writer.add_var(VarType::String, 1, name, None)?;
        self.variables.push(Variable { id, value: None });
        Ok(self.variables.len() - 1)
    }

    /// A variable for a signal, or one for each field of a struct: `head.warp`.
    fn declare_all(&mut self, name: &str, kind: &TypeKind, variables: &mut Vec<usize>) -> io::Result<()> {
        match kind {
            TypeKind::Enum(_) => variables.push(self.declare_state(name)?),
            TypeKind::Composite(fields) => {
                for field in fields {
                    let name = format!("{name}.{}", field.fieldname);
                    self.declare_all(&name, &field.kind.kind, variables)?;
                }
            }
            TypeKind::Bits(bits) | TypeKind::Signed(bits) => variables.push(self.declare(*bits, name)?),
        }
        Ok(())
    }

    fn begin_cycle(&mut self, cycle: u64) -> io::Result<()> {
        let begin = |file: &mut Self| {
            file.writer.timestamp(CYCLE_NS * cycle)?;
            if file.last.is_none() {
                file.writer.begin(SimulationCommand::Dumpvars)?;
            }
            file.writer.change_scalar(file.clock, Value::V1)?;
            file.change(file.cycle, Shown::Bits(bits(&[cycle as u32], CYCLE_COUNTER_BITS)))
        };
        assert!(self.last.is_none_or(|last| cycle > last), "cycle {cycle} comes after {:?}", self.last);
        begin(self).map_err(|error| self.named(error))
    }

    fn end_cycle(&mut self, cycle: u64) -> io::Result<()> {
        let end = |file: &mut Self| {
            if file.last.is_none() {
                file.writer.end()?;
            }
            file.writer.timestamp(CYCLE_NS * cycle + CYCLE_NS / 2)?;
            file.writer.change_scalar(file.clock, Value::V0)
        };
        end(self).map_err(|error| self.named(error))?;
        self.last = Some(cycle);
        Ok(())
    }

    fn change(&mut self, variable: usize, value: Shown) -> io::Result<()> {
        let Variable { id, value: last } = &mut self.variables[variable];
        if last.as_ref() == Some(&value) {
            return Ok(());
        }
        match last.insert(value) {
            Shown::Bits(bits) if bits.len() == 1 => self.writer.change_scalar(*id, bits[0]),
            Shown::Bits(bits) => self.writer.change_vector(*id, bits.iter().copied()),
            Shown::Name(name) => self.writer.change_string(*id, name),
        }
    }

    fn finish(mut self) -> io::Result<()> {
        // The last cycle is shown to its end.
        if let Some(last) = self.last {
            self.writer.timestamp(CYCLE_NS * (last + 1))?;
        }
        self.writer.flush()?;
        self.finished = true;
        fs::rename(&self.temporary, &self.path).map_err(|error| self.named(error))
    }
}

impl Drop for WaveformFile {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing is lost with a file that could not be completed.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The lowest `width` bits of `words` (little end first), most significant bit first.
fn bits(words: &[u32], width: usize) -> Vec<Value> {
    (0..width).rev().map(|bit| Value::from(words[bit / 32] >> (bit % 32) & 1 == 1)).collect()
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
        file.writer.add_module(scope)?;
        let layout = layout::<P>();
        let mut ports = vec![];
        for field in &layout {
            let name = field.name.to_string();
            if let Some(&width) = widths.0.get(&name) {
                ports.push((file.declare(width, &name)?, field.first_word, width));
            }
        }
        file.writer.upscope()?;
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
    variables: Vec<Vec<usize>>,
    /// Scopes open; the outermost is the top scope, which is open already.
    depth: usize,
    /// Bundles open, whose wires bear their names.
    namespaces: Vec<String>,
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
            self.attempt(|declare| declare.file.writer.add_module(&name));
        }
    }

    fn close(&mut self) {
        self.depth -= 1;
        if self.depth > 0 {
            self.attempt(|declare| declare.file.writer.upscope());
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
        self.attempt(|declare| {
            // Constants never change, and an identity has no bits at all.
            if atom.kind() != AtomKind::Constant && atom.bits() > 0 && !is_clock(atom) {
                declare.file.declare_all(&name, &atom.descriptor().kind, &mut variables)?;
            }
            // The top has the clock already; further in, it is the same one under another name.
            if is_clock(atom) && declare.depth > 1 {
                declare.file.writer.var_def(VarType::Wire, 1, declare.file.clock, &name, None)?;
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
    // rust-hdl's values are of an older release of the same crate, in the same order.
    const VALUES: [Value; 4] = [Value::V0, Value::V1, Value::X, Value::Z];
    match value {
        VCDValue::Single(bit) => shown.push(Shown::Bits(vec![VALUES[bit as usize]])),
        VCDValue::Vector(bits) => {
            shown.push(Shown::Bits(bits.into_iter().map(|bit| VALUES[bit as usize]).collect()));
        }
        VCDValue::String(name) => shown.push(Shown::Name(name)),
        VCDValue::Composite(values) => values.into_iter().for_each(|value| fields(*value, shown)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collector::Ocu;
    use crate::dialect::Rtl;
    use crate::finereg::Rmu;
    use gpurf_blocks::ports::{CollectorIn, CollectorOut, RmuIn};
    use gpurf_blocks::{Clocked, Parameters, Wide};

    type Wave = (CollectorIn<Wide<32>>, CollectorOut<Wide<32>>);

    fn three_slots() -> Parameters {
        Parameters { slots: 3, ..Parameters::default() }
    }

    /// Runs a collector on changing inputs and records it both ways.
    fn record(ports: &Path, module: &Path, cycles: u64) -> Vec<Wave> {
        let mut rtl = Rtl::new(Ocu::<1024>::new(&three_slots()));
        let mut by_port = PortWaveform::create(ports, "ocu", rtl.module()).unwrap();
        let mut by_module = ModuleWaveform::create(module, "ocu", rtl.module()).unwrap();
        let waves = (0..cycles).map(|cycle| {
            let step = cycle as u32;
            let mut inputs = CollectorIn {
                issue: cycle % 7 == 0,
                warp: step % 8,
                payload: step.wrapping_mul(0x9e37_79b9),
                s_valid: cycle % 7 > 2,
                s_slot: step % 3,
                s_data: Wide(std::array::from_fn(|word| step << word ^ word as u32)),
                dispatch: cycle % 7 == 6,
                ..CollectorIn::default()
            };
            inputs.source_valid[..3].copy_from_slice(&[true, cycle % 2 == 0, false]);
            let outputs = rtl.settle(&inputs);
            by_port.sample(cycle, &inputs, &outputs).unwrap();
            by_module.sample(cycle, rtl.module()).unwrap();
            rtl.tick();
            (inputs, outputs)
        });
        let waves = waves.collect();
        by_port.finish().unwrap();
        by_module.finish().unwrap();
        waves
    }

    /// Value of a variable at a time, in binary.
    fn value(wave: &mut wellen::simple::Waveform, path: &[&str], name: &str, time: u64) -> String {
        let variable =
            wave.hierarchy().lookup_var(path, name).unwrap_or_else(|| panic!("no {path:?} {name}"));
        let signal = wave.hierarchy()[variable].signal_ref();
        wave.load_signals(&[signal]);
        let at = wave.time_table().partition_point(|&t| t <= time) - 1;
        let signal = wave.get_signal(signal).unwrap();
        let offset = signal.get_offset(at as u32).unwrap();
        signal.get_value_at(&offset, offset.elements - 1).to_bit_string().unwrap()
    }

    fn wide(value: &Wide<32>) -> String {
        value.0.iter().rev().map(|word| format!("{word:032b}")).collect()
    }

    fn paths() -> [PathBuf; 2] {
        let unique = format!("gpurf-waveform-{}-{:?}", std::process::id(), std::thread::current().id());
        ["ports", "module"].map(|kind| std::env::temp_dir().join(format!("{unique}-{kind}.vcd")))
    }

    fn remove(paths: [PathBuf; 2]) {
        paths.iter().for_each(|path| fs::remove_file(path).unwrap());
    }

    #[test]
    fn what_is_read_back_is_what_was_recorded() {
        let [ports, module] = paths();
        let waves = record(&ports, &module, 100);
        let mut by_port = wellen::simple::read(&ports).unwrap();
        let mut by_module = wellen::simple::read(&module).unwrap();
        for (cycle, (inputs, outputs)) in waves.iter().enumerate() {
            for (wave, prefix) in [(&mut by_port, true), (&mut by_module, false)] {
                // At the start of the cycle and just before its end.
                for time in [2 * cycle as u64, 2 * cycle as u64 + 1] {
                    let mut get = |scope: &'static str, name: &str| {
                        let path = if prefix { vec!["ocu", scope] } else { vec!["ocu"] };
                        value(wave, &path, name, time)
                    };
                    assert_eq!(get("inputs", "issue"), (inputs.issue as u8).to_string());
                    assert_eq!(get("inputs", "payload"), format!("{:032b}", inputs.payload));
                    assert_eq!(get("inputs", "s_data"), wide(&inputs.s_data));
                    assert_eq!(get("inputs", "source_valid_1"), (inputs.source_valid[1] as u8).to_string());
                    assert_eq!(get("outputs", "held_warp"), format!("{:03b}", outputs.held_warp));
                    assert_eq!(get("outputs", "operand_data_2"), wide(&outputs.operand_data[2]));
                    assert_eq!(value(wave, &["ocu"], "clock", time), ["1", "0"][time as usize % 2]);
                    assert_eq!(value(wave, &["ocu"], "cycle", time), format!("{cycle:032b}"));
                }
            }
            let time = 2 * cycle as u64;
            let held = value(&mut by_module, &["ocu", "slot_data_2"], "q", time);
            assert_eq!(held, wide(&outputs.operand_data[2]));
            assert_eq!(value(&mut by_module, &["ocu", "slot_data_2"], "clock", time), "1");
        }
        assert!(by_port.hierarchy().lookup_var(&["ocu", "inputs"], "source_valid_3").is_none());
        remove([ports, module]);
    }

    #[test]
    fn the_same_run_gives_the_same_bytes_and_no_empty_variables() {
        let [first, module] = paths();
        record(&first, &module, 20);
        let (ports, signals) = (fs::read(&first).unwrap(), fs::read_to_string(&module).unwrap());
        record(&first, &module, 20);
        assert_eq!(
            (ports, signals.as_str()),
            (fs::read(&first).unwrap(), &*fs::read_to_string(&module).unwrap())
        );
        assert!(!signals.contains("$var wire 0 ") && !signals.contains("identity"));
        remove([first, module]);
    }

    #[test]
    fn an_unfinished_waveform_leaves_nothing() {
        let [path, _] = paths();
        let waveform = ModuleWaveform::create(&path, "ocu", &Ocu::<32>::new(&three_slots())).unwrap();
        assert!(waveform.file.temporary.exists());
        drop(waveform);
        assert!(!path.exists() && !path.with_extension("vcd.partial").exists());
    }

    #[test]
    fn a_state_is_shown_by_its_name() {
        let parameters = Parameters { width: 32, pcrf_entries: 64, ..Parameters::default() };
        let [ports, module] = paths();
        fs::write(&ports, "").unwrap();
        let mut rtl = Rtl::new(Rmu::<32, 6>::new(&parameters));
        let mut waveform = ModuleWaveform::create(&module, "rmu", rtl.module()).unwrap();
        for cycle in 0..3 {
            rtl.settle(&RmuIn { request: cycle == 0, store: true, ..RmuIn::default() });
            waveform.sample(cycle, rtl.module()).unwrap();
            rtl.tick();
        }
        waveform.finish().unwrap();
        let text = fs::read_to_string(&module).unwrap();
        for state in ["sIdle ", "sLookUp "] {
            assert!(text.lines().any(|line| line.starts_with(state)), "{state} in {text}");
        }
        remove([ports, module]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let path = Path::new("/no/such/folder/wave.vcd");
        let error = ModuleWaveform::create(path, "ocu", &Ocu::<32>::new(&three_slots())).err().unwrap();
        assert!(error.to_string().starts_with("/no/such/folder/wave.vcd: "));
    }
}
