// SPDX-License-Identifier: Apache-2.0
//! Ports of a module, and their values in Python and in packed words.

use gpurf_blocks::Field;
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_verilog::VerilogModule;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList};

use crate::Error;

/// A port of a hardware module.
#[pyclass(frozen, module = "gpurf")]
#[derive(Clone)]
pub struct Port {
    /// Its name, the same in Verilog.
    #[pyo3(get)]
    name: &'static str,
    /// Bits, of each element if it is an array.
    #[pyo3(get)]
    width: usize,
    /// Elements of an array; None for a port that is none.
    #[pyo3(get)]
    length: Option<usize>,
    /// Its comment, as it is declared.
    #[pyo3(get)]
    doc: &'static str,
    is_bit: bool,
    /// Where its words begin, and how many an element has.
    first_word: usize,
    words: usize,
}

impl Port {
    /// The inputs or the outputs of a module in its configuration: what its declaration says, widths and
    /// lengths of its Verilog, and places in the packed words.
    pub fn all(entry: &CatalogueEntry, top: &VerilogModule, fields: &[Field], inputs: bool) -> Vec<Port> {
        let declared = entry.ports.iter().filter(|port| port.is_input == inputs);
        let port = |declared: &gpurf_hw::catalogue::Port| {
            let emitted = top.ports.iter().find(|port| port.name == declared.name)?;
            let field = fields.iter().find(|field| field.name.field == declared.name)?;
            Some(Port {
                name: declared.name,
                width: emitted.width,
                length: declared.length.map(|_| emitted.count),
                doc: declared.doc,
                is_bit: declared.carried == "Bit",
                first_word: field.first_word,
                words: field.words,
            })
        };
        declared.filter_map(port).collect()
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Writes a value from Python into the packed words.
    pub fn put(&self, value: &Bound<'_, PyAny>, words: &mut [u32]) -> PyResult<()> {
        let Some(length) = self.length else { return self.put_element(value, words, self.name, 0) };
        let elements: Vec<Bound<'_, PyAny>> = value.extract().map_err(|_| self.no_list(value, length))?;
        if elements.len() != length {
            return Err(self.no_list(value, length));
        }
        for (place, element) in elements.iter().enumerate() {
            self.put_element(element, words, &format!("{}[{place}]", self.name), place)?;
        }
        Ok(())
    }

    fn no_list(&self, value: &Bound<'_, PyAny>, length: usize) -> PyErr {
        Error::new_err(format!("{}={value} is not possible; give a list of {length} numbers", self.name))
    }

    fn put_element(
        &self,
        value: &Bound<'_, PyAny>,
        words: &mut [u32],
        name: &str,
        place: usize,
    ) -> PyResult<()> {
        let wrong = || {
            let bits = if self.width == 1 { "1 bit".into() } else { format!("{} bits", self.width) };
            Error::new_err(format!("{name}={value} is not possible; give a number of {bits}"))
        };
        if !value.is_instance_of::<PyInt>() {
            return Err(wrong());
        }
        let fits = value.lt(0).is_ok_and(|is_negative| !is_negative)
            && value.call_method0("bit_length")?.extract::<usize>()? <= self.width;
        if !fits {
            return Err(wrong());
        }
        let first = self.first_word + place * self.words;
        if self.width <= 32 {
            words[first] = value.extract()?;
            return Ok(());
        }
        let bytes: Vec<u8> = value.call_method1("to_bytes", (4 * self.words, "little"))?.extract()?;
        for (word, bytes) in words[first..].iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
        Ok(())
    }

    /// Reads its value from the packed words: `bool` for a bit, `int` else; a list of them for an array.
    pub fn get<'py>(&self, py: Python<'py>, words: &[u32]) -> PyResult<Bound<'py, PyAny>> {
        match self.length {
            None => self.get_element(py, words, 0),
            Some(length) => {
                let elements = (0..length).map(|place| self.get_element(py, words, place));
                Ok(PyList::new(py, elements.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }

    fn get_element<'py>(&self, py: Python<'py>, words: &[u32], place: usize) -> PyResult<Bound<'py, PyAny>> {
        let words = &words[self.first_word + place * self.words..][..self.words];
        Ok(match words {
            [word] if self.is_bit => PyBool::new(py, *word == 1).to_owned().into_any(),
            [word] => word.into_pyobject(py)?.into_any(),
            words => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &bytes), "little"))?
            }
        })
    }
}

#[pymethods]
impl Port {
    fn __repr__(&self) -> String {
        match self.length {
            None => format!("<Port {}: {} bits>", self.name, self.width),
            Some(length) => format!("<Port {}[{length}]: {} bits each>", self.name, self.width),
        }
    }
}

/// Values of ports by name.
pub fn values<'py>(py: Python<'py>, ports: &[Port], words: &[u32]) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for port in ports {
        values.set_item(port.name, port.get(py, words)?)?;
    }
    Ok(values)
}
