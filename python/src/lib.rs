// SPDX-License-Identifier: Apache-2.0
//! The native part of the Python module `gpurf`: the whole tool, what is known by name, and hardware modules.
//!
//! Simulations and studies are commands of the tool, which Python runs as a process of its own: a key that
//! interrupts it ends it, and threads, memory and standard output are its own. Hardware modules run in
//! Python's own process.

mod module;
mod port;

use std::ffi::OsString;
use std::io::{self, Write};

use gpurf_blocks::{Description, Parameter, PARAMETERS};
use gpurf_hw::catalogue::{catalogue, CatalogueEntry};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(gpurf, Error, pyo3::exceptions::PyException, "What the tool says of unusable input.");

/// Any error as the one of Python, on one line as on the command line.
fn refused(error: impl Into<anyhow::Error>) -> PyErr {
    Error::new_err(format!("{:#}", error.into()))
}

/// Runs a command of the tool in this process, and gives back its exit code.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    // The code is in this module, and not in Python's own program.
    let file = py.import("gpurf._native")?.getattr("__file__")?.extract()?;
    let program = gpurf::Program { file, commit: gpurf_commit::commit!() };
    let code = py.detach(|| gpurf::run(program, arguments));
    // Python ends the process without Rust, which would otherwise do it.
    let _ = io::stdout().flush();
    Ok(code)
}

/// The arguments of a command as they are written, each with its default and what it means.
#[pyfunction]
fn arguments(command: &str) -> Vec<[String; 3]> {
    gpurf::names::arguments(command)
}

/// The hardware modules by name: what each is, the papers' sections, the parameters that change it, the file.
#[pyfunction]
fn modules(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for CatalogueEntry { name, naming, source, .. } in catalogue() {
        let one = PyDict::new(py);
        one.set_item("title", naming.title)?;
        one.set_item("paper", naming.paper)?;
        one.set_item("parameters", naming.parameters)?;
        one.set_item("source", source)?;
        all.set_item(name, one)?;
    }
    Ok(all)
}

/// The parameters of hardware modules by name: default, possible values, unit, what each is, and the paper.
#[pyfunction]
fn parameters(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for Description { name, default, values, unit, doc, source } in PARAMETERS.iter().map(Parameter::describe)
    {
        let one = PyDict::new(py);
        one.set_item("default", default)?;
        one.set_item("values", values)?;
        one.set_item("unit", unit)?;
        one.set_item("doc", doc)?;
        one.set_item("source", source)?;
        all.set_item(name, one)?;
    }
    Ok(all)
}

#[pymodule]
fn _native(native: &Bound<'_, PyModule>) -> PyResult<()> {
    native.add("__version__", env!("CARGO_PKG_VERSION"))?;
    native.add("Error", native.py().get_type::<Error>())?;
    native.add("WORKLOADS", gpurf::names::workloads())?;
    native.add("DESIGNS", gpurf::names::designs())?;
    native.add("STUDIES", gpurf::names::studies())?;
    native.add_function(wrap_pyfunction!(run, native)?)?;
    native.add_function(wrap_pyfunction!(arguments, native)?)?;
    native.add_function(wrap_pyfunction!(modules, native)?)?;
    native.add_function(wrap_pyfunction!(parameters, native)?)?;
    native.add_class::<module::Module>()?;
    native.add_class::<port::Port>()
}
