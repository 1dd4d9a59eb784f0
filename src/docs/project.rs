// SPDX-License-Identifier: Apache-2.0
//! Sources that tables are made from. Each is read or worked out once, by the first table that wants it.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_synth::{count, digest, digest_with_contract, MemoryArray, Records, Utilizations};
use gpurf_testbenches::workbench;

use super::pages::Pages;
use super::record_files;
use crate::output::say;
use crate::verilog::hierarchy;

pub struct Project<'a> {
    /// Folder that holds README.md and docs.
    pub root: &'a Path,
    areas: OnceCell<Records>,
    utilizations: OnceCell<Utilizations>,
    pages: OnceCell<Pages>,
    verilog: RefCell<Vec<(&'static str, Parameters, Rc<Verilog>)>>,
    /// Pictures that texts show, by their place.
    pub pictures: RefCell<BTreeMap<PathBuf, String>>,
    /// By the command that measures them again: modules whose Verilog has changed since, each with the day.
    outdated: RefCell<BTreeMap<String, BTreeSet<(String, String)>>>,
    /// By the command that measures them: modules that were never measured.
    missing: RefCell<BTreeMap<String, BTreeSet<String>>>,
}

/// A module's Verilog as records know it.
pub struct Verilog {
    /// Name of the top module.
    pub top: String,
    pub code: String,
    /// Digest of what is synthesized.
    pub source: String,
    /// Digest of all of it.
    pub source_with_contract: String,
    /// Memories of the design, which records leave out.
    pub memories: Vec<MemoryArray>,
}

impl<'a> Project<'a> {
    pub fn new(root: &'a Path) -> Self {
        Project {
            root,
            areas: OnceCell::new(),
            utilizations: OnceCell::new(),
            pages: OnceCell::new(),
            verilog: RefCell::default(),
            pictures: RefCell::default(),
            outdated: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// The record of areas.
    pub fn areas(&self) -> Result<&Records> {
        if let Some(records) = self.areas.get() {
            return Ok(records);
        }
        let records = Records::read(&self.root.join(record_files::AREAS))?;
        Ok(self.areas.get_or_init(|| records))
    }

    /// The record of FPGAs.
    pub fn utilizations(&self) -> Result<&Utilizations> {
        if let Some(known) = self.utilizations.get() {
            return Ok(known);
        }
        let known = Utilizations::read(&self.root.join(record_files::UTILIZATIONS))?;
        Ok(self.utilizations.get_or_init(|| known))
    }

    /// Pages of modules.
    pub fn pages(&self) -> Result<&Pages> {
        if let Some(pages) = self.pages.get() {
            return Ok(pages);
        }
        let pages = Pages::read(self.root)?;
        Ok(self.pages.get_or_init(|| pages))
    }

    /// Verilog of a module.
    pub fn verilog(&self, entry: &CatalogueEntry, parameters: &Parameters) -> Result<Rc<Verilog>> {
        let known = self.verilog.borrow();
        let is_one = |one: &&(&str, Parameters, Rc<Verilog>)| (one.0, &one.1) == (entry.name, parameters);
        if let Some((.., verilog)) = known.iter().find(is_one) {
            return Ok(verilog.clone());
        }
        drop(known);
        let hierarchy = hierarchy(entry, parameters)?;
        let memories = count(&*workbench(entry.name, parameters).block()).memories;
        let (code, top) = (hierarchy.code(), hierarchy.top);
        let (source, source_with_contract) = (digest(&code), digest_with_contract(&code));
        let verilog = Rc::new(Verilog { top, code, source, source_with_contract, memories });
        self.verilog.borrow_mut().push((entry.name, *parameters, verilog.clone()));
        Ok(verilog)
    }

    /// A module's Verilog has changed since it was measured.
    pub fn outdated(&self, command: String, module: &str, day: &str) {
        self.outdated.borrow_mut().entry(command).or_default().insert((module.into(), day.into()));
    }

    /// A module has never been measured.
    pub fn missing(&self, command: String, module: &str) {
        self.missing.borrow_mut().entry(command).or_default().insert(module.into());
    }

    /// Prints the measurements that are missing or were made before something changed, and how to make them.
    pub fn print_outdated(&self) {
        for (command, modules) in &*self.missing.borrow() {
            say!(
                "`{command}` has not been run for: {}",
                Vec::from_iter(modules.iter().map(String::as_str)).join(", ")
            );
        }
        for (command, modules) in &*self.outdated.borrow() {
            let days: BTreeSet<_> = modules.iter().map(|(_, day)| day.as_str()).collect();
            let names: Vec<_> = modules.iter().map(|(module, _)| module.as_str()).collect();
            let days = Vec::from_iter(days).join(", ");
            say!("`{command}` is of {days}; changed since: {}", names.join(", "));
        }
    }
}
