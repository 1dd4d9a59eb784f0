// SPDX-License-Identifier: Apache-2.0
//! Hardware of a streaming multiprocessor beside issue and operand stages of its sub-cores, as a machine's
//! parameters have it.

use anyhow::Result;
use gpurf_blocks::ports::{
    ContextMoverIn, ContextMoverOut, CtaStatusMonitorIn, CtaStatusMonitorOut, IntervalPrefetcherIn,
    IntervalPrefetcherOut, IwmuIn, IwmuOut, ModernSubCoreIn, ModernSubCoreOut, RegisterCacheIn,
    RegisterCacheOut, RenamingTableIn, RenamingTableOut, RmuIn, RmuOut, SharedRegisterPoolIn,
    SharedRegisterPoolOut, SkipTableIn, SkipTableOut,
};
use gpurf_blocks::{Clocked, Parameters, PortLayout, Ports, Typed, ADDRESS_BITS, WARP_BITS};
use gpurf_hw::dialect::{Configured, Module, Rtl};
use gpurf_hw::finereg::{ContextMover, CtaStatusMonitor, Rmu};
use gpurf_hw::generics;
use gpurf_hw::modern::ModernSubCore;
use gpurf_hw::multicast::{Iwmu, RenamingTable, SkipTable};
use gpurf_hw::register_cache::{IntervalPrefetcher, RegisterCache};
use gpurf_hw::register_file::SharedRegisterPool;
use gpurf_verilog::{Compiled, PackedCompiled, Verilated};

/// Makers of the hardware of a unit.
pub struct UnitHardware<I: Ports, O: Ports> {
    /// The RTL as machine code.
    pub compiled: fn(&Parameters) -> Result<Compiled<I, O>>,
    /// The same for those who look inside.
    pub observed: fn(&Parameters) -> Result<PackedCompiled>,
    /// The hardware as rust-hdl evaluates it.
    pub rust_hdl: fn(&Parameters) -> Box<dyn Clocked<In = I, Out = O> + Send>,
    /// The emitted Verilog under Verilator.
    pub verilator: fn(&Parameters) -> Result<Typed<Verilated, I, O>>,
}

impl<I: Ports + Send, O: Ports + Send> UnitHardware<I, O> {
    fn of<M: Configured + Module<In = I, Out = O> + Send + 'static>() -> Self {
        UnitHardware {
            compiled: |parameters| Ok(Compiled::new(&M::configured(parameters))?),
            observed: |parameters| {
                Ok(PackedCompiled::observed(&M::configured(parameters), &PortLayout::of::<I, O>())?)
            },
            rust_hdl: |parameters| Box::new(Rtl::new(M::configured(parameters))),
            verilator: |parameters| Ok(Verilated::new(&M::configured(parameters))?),
        }
    }
}

/// A sub-core without collectors.
pub fn modern_sub_core(_: &Parameters) -> UnitHardware<ModernSubCoreIn<u32>, ModernSubCoreOut<u32>> {
    UnitHardware::of::<ModernSubCore<32>>()
}

/// The register cache of a sub-core.
pub fn register_cache(parameters: &Parameters) -> UnitHardware<RegisterCacheIn<u32>, RegisterCacheOut<u32>> {
    generics!(parameters; L => UnitHardware::of::<RegisterCache<32, L>>())
}

/// The prefetcher of register intervals of a sub-core.
pub fn interval_prefetcher(_: &Parameters) -> UnitHardware<IntervalPrefetcherIn, IntervalPrefetcherOut> {
    UnitHardware::of::<IntervalPrefetcher>()
}

/// The shared register pool of a sub-core.
pub fn register_pool(_: &Parameters) -> UnitHardware<SharedRegisterPoolIn, SharedRegisterPoolOut> {
    UnitHardware::of::<SharedRegisterPool>()
}

/// The skip table of a sub-core.
pub fn skip_table(_: &Parameters) -> UnitHardware<SkipTableIn, SkipTableOut> {
    UnitHardware::of::<SkipTable>()
}

/// The renaming table of a sub-core.
pub fn renaming_table(_: &Parameters) -> UnitHardware<RenamingTableIn, RenamingTableOut> {
    UnitHardware::of::<RenamingTable>()
}

/// The inter-warp multicasting unit.
pub fn multicasting_unit(_: &Parameters) -> UnitHardware<IwmuIn, IwmuOut> {
    UnitHardware::of::<Iwmu<WARP_BITS, ADDRESS_BITS>>()
}

/// The register management unit.
pub fn rmu(parameters: &Parameters) -> UnitHardware<RmuIn<u32>, RmuOut<u32>> {
    generics!(parameters; P => UnitHardware::of::<Rmu<32, P>>())
}

/// The CTA status monitor.
pub fn status_monitor(_: &Parameters) -> UnitHardware<CtaStatusMonitorIn, CtaStatusMonitorOut> {
    UnitHardware::of::<CtaStatusMonitor>()
}

/// The context mover.
pub fn context_mover(_: &Parameters) -> UnitHardware<ContextMoverIn, ContextMoverOut> {
    UnitHardware::of::<ContextMover>()
}
