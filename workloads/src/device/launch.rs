// SPDX-License-Identifier: Apache-2.0
//! From a kernel and its arguments to a launch.

use std::cell::RefCell;
use std::sync::Arc;

use super::argument::{place_arguments, Argument};
use super::load::Names;
use super::Device;
use crate::emulator::{driver, Code, Hazards, Launch, LOCAL_WINDOW, SHARED_WINDOW};
use crate::error::{readable, Error, Result};
use crate::listing::{Kernel, Module, MAX_STACK, PARAMETER_BASE};

/// Most threads of a block.
const MAX_THREADS: u64 = 1024;
/// Most blocks of a grid, per dimension.
const MAX_GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
/// Most shared memory of a block, in bytes.
const MAX_SHARED: u32 = 64 << 10;

impl Device {
    pub(super) fn prepare(
        &mut self,
        module: &Module,
        name: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument],
    ) -> Result<Launch> {
        let wrong = |message: String| Error::Launch { kernel: name.into(), message };
        let Some(kernel) = module.kernel(name) else {
            let shown = |kernel: &Kernel| match readable(&kernel.name) {
                readable if readable == kernel.name => readable,
                readable => format!("{} for {readable}", kernel.name),
            };
            let names: Vec<_> = module.kernels.iter().map(shown).collect();
            return Err(wrong(format!("the listing has no such kernel; it has {}", names.join(", "))));
        };
        if kernel.defect.is_some() {
            module.check(kernel)?;
        }
        let threads = block.iter().fold(1u64, |threads, &size| threads.saturating_mul(size.into()));
        if threads == 0 || threads > MAX_THREADS || block[2] > 64 {
            return Err(wrong(format!(
                "a block of {block:?} threads: give 1 to {MAX_THREADS} in all, at most 64 in z"
            )));
        }
        if grid.iter().zip(MAX_GRID).any(|(&size, limit)| size == 0 || size > limit) {
            return Err(wrong(format!("a grid of {grid:?} blocks: give 1 to {MAX_GRID:?}")));
        }
        let dynamic = shared;
        let shared = kernel.shared.next_multiple_of(16).saturating_add(shared);
        if shared > MAX_SHARED {
            return Err(wrong(format!("{shared} bytes of shared memory; a block has {MAX_SHARED} at most")));
        }
        let mut parameters = vec![0; kernel.parameter_base.unwrap_or(PARAMETER_BASE) as usize];
        let told = kernel.stack.unwrap_or(kernel.frame);
        let stack = if kernel.has_open_stack() { told.max(self.options.stack_bytes) } else { told };
        let stack = stack.min(MAX_STACK).next_multiple_of(16);
        let mut put = |place: u32, bytes: &[u8]| {
            parameters[place as usize..place as usize + bytes.len()].copy_from_slice(bytes);
        };
        put(driver::BLOCK, bytemuck::bytes_of(&block));
        put(driver::GRID, bytemuck::bytes_of(&grid));
        put(driver::SHARED, &SHARED_WINDOW.to_le_bytes());
        put(driver::LOCAL, &LOCAL_WINDOW.to_le_bytes());
        put(driver::STACK, &stack.to_le_bytes());
        put(driver::DYNAMIC, &dynamic.to_le_bytes());
        put(driver::LAUNCH, &u64::from(self.launches + 1).to_le_bytes());
        put(driver::MULTIPROCESSORS, &1u32.to_le_bytes());
        let number = self.load(module)?;
        let loaded = &mut self.loaded[number];
        if let Some(place) = loaded.constants_place {
            put(driver::CONSTANTS, &place.to_le_bytes());
        }
        if let Some(place) = loaded.workspace {
            put(driver::WORKSPACE, &place.rotate_left(32).to_le_bytes());
        }
        place_arguments(&mut parameters, kernel, arguments).map_err(wrong)?;

        let code = match loaded.codes.iter().find(|code| code.kernel.name == name) {
            Some(code) => Arc::clone(code),
            None => {
                let names = Names {
                    globals: &loaded.globals,
                    functions: &module.functions,
                    missing: loaded.missing.to_vec(),
                };
                let names = RefCell::new(names);
                let code = Arc::new(Code::new(kernel, self.options.widening, &|name| {
                    names.borrow_mut().address(name)
                })?);
                loaded.codes.push(Arc::clone(&code));
                code
            }
        };
        Ok(Launch {
            code,
            grid,
            block,
            shared,
            stack,
            parameters,
            constants: Arc::clone(&loaded.constants),
            addresses: Arc::clone(&loaded.addresses),
            missing: Arc::clone(&loaded.missing),
            textures: Arc::clone(&self.textures),
            digests: self.options.digests,
            values: self.options.values,
            limit: self.options.limit,
            hazards: self.options.hazards.map(|scope| Arc::new(Hazards::new(scope))),
            warp_order: self.options.warp_order.map(|seed| seed.wrapping_add(self.launches.into())),
        })
    }
}
