// SPDX-License-Identifier: Apache-2.0
//! A hardware module under any of its engines, cycle by cycle.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, ensure};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::find;
use gpurf_testbenches::tap::{RecordingOptions, WaveformRecording};
use gpurf_testbenches::{workbench, EngineKind, PackedEngine, Workbench};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};

use crate::port::{values, Port};
use crate::{refused, Error};

/// The cycles of a waveform.
const ALL: Range<u64> = 0..u64::MAX;

/// A hardware module in one configuration, run cycle by cycle by its reference model, its RTL or its emitted
/// Verilog.
///
/// The module is one of `gpurf.modules()`, the engine `model`, `rtl`, `verilator` or `icarus`; parameters, of
/// `gpurf.parameters()`, that are not given have their defaults. It begins after reset. The parameter `width`
/// is 1024 by default, bits of a warp's register; 32 are enough where values are told apart by number.
/// `waveform` names a file, VCD or FST by its ending, into which all cycles go: all that is inside the engine
/// `rtl`, the ports of others. It is complete after `close`, or at the end of a `with`.
#[pyclass(unsendable, module = "gpurf")]
pub struct Module {
    bench: Box<dyn Workbench>,
    kind: EngineKind,
    engine: PackedEngine,
    name: &'static str,
    title: &'static str,
    paper: &'static str,
    parameters: Vec<(&'static str, String)>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// Words of all inputs.
    words: usize,
    cycles: u64,
    /// The waveform that is written.
    recording: Option<WaveformRecording>,
}

#[pymethods]
impl Module {
    #[new]
    #[pyo3(signature = (name, engine = "model", parameters = None, waveform = None))]
    fn new(
        name: &str,
        engine: &str,
        parameters: Option<&Bound<'_, PyDict>>,
        waveform: Option<PathBuf>,
    ) -> PyResult<Module> {
        let mut settings = vec![];
        for (key, value) in parameters.into_iter().flatten() {
            let text = value.str()?.to_string();
            // As on the command line: true, false.
            let text = if value.is_instance_of::<PyBool>() { text.to_lowercase() } else { text };
            settings.push((key.str()?.to_string(), text));
        }
        Module::open(name, engine, &settings, waveform.as_deref()).map_err(refused)
    }

    /// The module's name.
    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    /// The engine that runs it.
    #[getter]
    fn engine(&self) -> &'static str {
        self.kind.into()
    }

    /// The module's title in words.
    #[getter]
    fn title(&self) -> &'static str {
        self.title
    }

    /// Sections of the papers, empty for what every designer knows.
    #[getter]
    fn paper(&self) -> &'static str {
        self.paper
    }

    /// The parameters that change the module, as text.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        self.parameters.iter().try_for_each(|(name, value)| parameters.set_item(name, value))?;
        Ok(parameters)
    }

    /// Its inputs in the order of declaration, without clock and reset.
    #[getter]
    fn inputs(&self) -> Vec<Port> {
        self.inputs.clone()
    }

    /// Its outputs in the order of declaration.
    #[getter]
    fn outputs(&self) -> Vec<Port> {
        self.outputs.clone()
    }

    /// Clock cycles since reset.
    #[getter]
    fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Outputs of this cycle for these inputs, by name; an input that is not named is zero. The clock stands
    /// still: as on wires, only the inputs of the last call before the edge count.
    #[pyo3(signature = (inputs = None, **more))]
    fn settle<'py>(
        &mut self,
        py: Python<'py>,
        inputs: Option<&Bound<'_, PyDict>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let words = self.words_of(inputs, more)?;
        let mut outputs = self.bench.layout().no_outputs();
        self.engine.settle(&words, &mut outputs);
        values(py, &self.outputs, &outputs)
    }

    /// One clock cycle: outputs for these inputs as they stand before the rising edge, and then the edge.
    #[pyo3(signature = (inputs = None, **more))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        inputs: Option<&Bound<'_, PyDict>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let outputs = self.settle(py, inputs, more)?;
        self.engine.tick();
        self.cycles += 1;
        Ok(outputs)
    }

    /// Completes the waveform and gives it its name; later cycles are not in it.
    fn close(&mut self) -> PyResult<()> {
        self.recording.take().map_or(Ok(()), |recording| recording.finish(&ALL).map(drop)).map_err(refused)
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&mut self, _error: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close()
    }

    /// Begins again, with everything as after reset. A waveform is closed first.
    fn reset(&mut self) -> PyResult<()> {
        self.close()?;
        self.engine = self.bench.open(self.kind).map_err(refused)?;
        self.cycles = 0;
        Ok(())
    }

    /// Its Verilog, with all modules below it.
    fn verilog(&self) -> PyResult<String> {
        Ok(self.bench.verilog().map_err(refused)?.source())
    }

    fn __repr__(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!(", {name}={value}"));
        format!("<Module {}, engine {}{}>", self.name, self.kind, parameters.collect::<String>())
    }
}

impl Module {
    fn open(
        name: &str,
        engine: &str,
        settings: &[(String, String)],
        waveform: Option<&Path>,
    ) -> anyhow::Result<Module> {
        let entry = find(name)?;
        let kind = engine.parse::<EngineKind>().map_err(|known| anyhow!("engine {engine}: {known}"))?;
        ensure!(
            kind != EngineKind::Netlist,
            "engine netlist: a netlist is synthesized first; use `gpurf testbench {name} --engines netlist`"
        );
        let mut parameters = Parameters::default();
        for (key, value) in settings {
            parameters.set(key, value)?;
            ensure!(
                entry.parameters().contains(&key.as_str()),
                "{key} does not change {name}; {} do",
                entry.parameters().join(", ")
            );
        }
        let has = |names: [&str; 2]| names.iter().all(|name| entry.parameters().contains(name));
        parameters.check_of(has)?;
        let bench = workbench(name, &parameters);
        let (hierarchy, layout) = (bench.verilog()?, bench.layout());
        let top = hierarchy.top_module();
        let (engine, recording) = match waveform {
            Some(path) => {
                let options = RecordingOptions { path, cycles: ALL, scopes: &[], loads: false };
                let (engine, recording) = bench.open_recorded(kind, &options)?;
                (engine, Some(recording))
            }
            None => (bench.open(kind)?, None),
        };
        let parameter = |name: &&'static str| (*name, parameters.text_of(name));
        Ok(Module {
            engine,
            kind,
            name: entry.name,
            title: entry.naming.title,
            paper: entry.naming.paper,
            parameters: entry.parameters().iter().map(parameter).collect(),
            inputs: Port::all(entry, top, &layout.inputs, true),
            outputs: Port::all(entry, top, &layout.outputs, false),
            words: layout.words().0,
            cycles: 0,
            recording,
            bench,
        })
    }

    fn words_of(
        &self,
        inputs: Option<&Bound<'_, PyDict>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<u32>> {
        let mut words = vec![0; self.words];
        for (name, value) in inputs.into_iter().flatten().chain(more.into_iter().flatten()) {
            let name = name.str()?.to_string();
            let port = self.inputs.iter().find(|port| port.name() == name).ok_or_else(|| {
                let known: Vec<_> = self.inputs.iter().map(Port::name).collect();
                Error::new_err(format!("{} has no input {name}; it has {}", self.name, known.join(", ")))
            })?;
            port.put(&value, &mut words)?;
        }
        Ok(words)
    }
}
