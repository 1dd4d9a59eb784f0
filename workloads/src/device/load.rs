// SPDX-License-Identifier: Apache-2.0
//! Modules on a device: places for their variables, and the addresses that their names stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::loaded::Loaded;
use super::Device;
use crate::emulator::{driver, LibraryFunction, MISSING};
use crate::error::Result;
use crate::listing::{Data, Module, Operand};

impl Device {
    /// Number of a module among the loaded ones; its variables get their places when it is first used.
    pub(super) fn load(&mut self, module: &Module) -> Result<usize> {
        if let Some(index) = self.loaded.iter().position(|loaded| loaded.identity == module.identity) {
            return Ok(index);
        }
        let mut globals = BTreeMap::new();
        let mut bases = vec![];
        for data in module.globals.iter().filter(|data| !data.bytes.is_empty()) {
            let base = self.memory.allocate(data.bytes.len() as u64);
            let places = data.symbols.iter();
            globals.extend(
                places.map(|(name, &(offset, size))| (name.clone(), (base + u64::from(offset), size))),
            );
            bases.push((base, data));
        }
        let mut names = Names { globals: &globals, functions: &module.functions, missing: vec![] };
        for (base, data) in bases {
            self.memory.write(base, &names.relocated(data)).expect("just allocated");
        }
        let constants = names.relocated(&module.constants);
        let addresses = names.relocated(&module.addresses);
        for kernel in &module.kernels {
            for operand in kernel.instructions.iter().flat_map(|instruction| &instruction.operands) {
                if let Operand::Half { symbol, .. } = operand {
                    names.address(symbol);
                }
            }
        }
        let missing = Arc::new(names.missing);
        if !self.has_heap && module.allocates() {
            self.memory.add_heap(self.options.heap_bytes);
            self.has_heap = true;
        }
        let constants_place =
            module.asks_for(driver::CONSTANTS, 8).then(|| self.memory.allocate(constants.len() as u64));
        if let Some(place) = constants_place {
            self.memory.write(place, &constants).expect("just allocated");
        }
        let meets = module.asks_for(driver::WORKSPACE, 8);
        let workspace = meets.then(|| self.memory.allocate(driver::WORKSPACE_BYTES));
        self.loaded.push(Loaded {
            identity: module.identity,
            file: module.file.clone(),
            constants_place,
            workspace,
            codes: vec![],
            constants: Arc::new(constants),
            addresses: Arc::new(addresses),
            globals,
            missing,
        });
        Ok(self.loaded.len() - 1)
    }
}

/// The values of a module's names.
pub(super) struct Names<'a> {
    pub globals: &'a BTreeMap<String, (u64, u32)>,
    pub functions: &'a BTreeMap<String, u32>,
    pub missing: Vec<String>,
}

impl Names<'_> {
    /// The address of a variable, a function, or one of the library; what is nowhere gets a place at which it
    /// traps.
    pub fn address(&mut self, name: &str) -> u64 {
        if let Some((address, _)) = self.globals.get(name) {
            return *address;
        }
        if let Some(place) = self.functions.get(name) {
            return (*place).into();
        }
        if let Some(function) = LibraryFunction::named(name) {
            return function.address();
        }
        let known = self.missing.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.missing.push(name.into());
            self.missing.len() - 1
        });
        MISSING + 16 * number as u64
    }

    /// The bytes of a section with addresses instead of names.
    fn relocated(&mut self, data: &Data) -> Vec<u8> {
        let mut bytes = data.bytes.clone();
        for (offset, symbol) in &data.relocations {
            let address = self.address(symbol);
            let place = &mut bytes[*offset as usize..*offset as usize + 8];
            let within = u64::from_le_bytes((&*place).try_into().expect("eight bytes"));
            place.copy_from_slice(&address.wrapping_add(within).to_le_bytes());
        }
        bytes
    }
}
