//! What belongs to each module: its RTL, reference model and stimulus.

use gpurf_blocks::{Allocation, Clocked, Parameters, WARPS};
use gpurf_hw::cells::{AgeMatrix, Lfsr, LruOrder, RoundRobin};
use gpurf_hw::collector::{Boc, CacheTable, Ccu, Ocu, OperandCollectorTable, Replacement};
use gpurf_hw::dialect::{Module, Word};
use gpurf_hw::issue::{CollectorAllocator, IssueStage, SthldController, WarpScheduler};
use gpurf_hw::multicast::{Iwmu, LrtCam, LrtScan};
use gpurf_hw::operand_stage::{BocStage, CcuStage, OcuStage};
use gpurf_hw::register_file::{Arbiter, Bank, RequestQueue};
use gpurf_hw::sub_core::{BocSubCore, CcuSubCore, OcuSubCore};
use gpurf_sim as model;
use rust_hdl::prelude::Bits;

use crate::directed::{self, Scenario};
use crate::stimulus::*;

/// Any engine of a module.
pub type Engine<M> = Box<dyn Clocked<In = <M as Module>::In, Out = <M as Module>::Out>>;

/// A hardware module with everything needed to test it.
pub trait Testbench: Module + Sized + 'static {
    /// The reference model.
    fn model(parameters: &Parameters) -> Engine<Self>;

    /// Random inputs within the protocol of the ports.
    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>>;

    /// Directed scenarios; small cells have none of their own.
    fn scenarios() -> Vec<Scenario<Self>> {
        vec![]
    }
}

impl Testbench for Lfsr {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(model::cells::Lfsr::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LfsrStimulus)
    }
}

impl Testbench for RoundRobin {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::cells::RoundRobin::new(parameters.collectors))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RoundRobinStimulus { requesters: parameters.collectors })
    }
}

impl Testbench for AgeMatrix {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(model::cells::AgeMatrix::new(WARPS))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(AgeMatrixStimulus { entries: WARPS })
    }
}

impl<const I: usize> Testbench for LruOrder<I> {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(model::cells::LruOrder::new(1 << I))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LruOrderStimulus { entries: 1 << I })
    }
}

impl<const I: usize> Testbench for Replacement<I> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::Replacement::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let Parameters { slots, d_ports, .. } = *parameters;
        Box::new(ReplacementStimulus { entries: 1 << I, slots, d_ports })
    }
}

impl<const I: usize> Testbench for OperandCollectorTable<I> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::OperandCollectorTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandCollectorTableStimulus::new(1 << I, parameters.slots))
    }
}

impl<const W: usize, const I: usize> Testbench for CacheTable<W, I>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::CacheTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CacheTableStimulus::new(parameters))
    }
}

impl<const W: usize> Testbench for Ocu<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::Ocu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OcuStimulus::new(parameters.slots))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::ocu()
    }
}

impl<const W: usize, const I: usize> Testbench for Ccu<W, I>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::Ccu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CcuStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::ccu()
    }
}

impl<const W: usize> Testbench for Boc<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::Boc::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(BocStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::boc()
    }
}

impl<const W: usize, const C: usize> Testbench for Bank<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::register_file::Bank::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(BankStimulus { rows: parameters.rows, collectors: parameters.collectors })
    }
}

impl<const C: usize> Testbench for RequestQueue<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::register_file::RequestQueue::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let (collectors, slots) = (parameters.collectors, parameters.slots);
        Box::new(RequestQueueStimulus::new(collectors, slots))
    }
}

impl<const C: usize> Testbench for Arbiter<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::register_file::Arbiter::new(parameters, true))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ArbiterStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::arbiter()
    }
}

impl Testbench for WarpScheduler {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::issue::WarpScheduler::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let Parameters { collectors, scheduling, occupied, .. } = *parameters;
        Box::new(WarpSchedulerStimulus::new(collectors, scheduling, occupied))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::warp_scheduler()
    }
}

impl<const C: usize> Testbench for CollectorAllocator<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::issue::CollectorAllocator::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let (collectors, allocation) = (parameters.collectors, parameters.allocation);
        Box::new(CollectorAllocatorStimulus::new(collectors, allocation))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::collector_allocator()
    }
}

impl Testbench for SthldController {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::issue::SthldController::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SthldControllerStimulus::new(parameters.interval))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::sthld_controller()
    }
}

impl<const W: usize, const C: usize> Testbench for OcuStage<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::operand_stage::OperandStage::baseline(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(*parameters, Allocation::AnyFree))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::of_every_stage()
    }
}

impl<const W: usize, const I: usize, const C: usize> Testbench for CcuStage<W, I, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::operand_stage::OperandStage::caching(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(*parameters, Allocation::OwnElseAnyFree))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::of_every_stage().into_iter().chain(directed::of_caching_stage()).collect()
    }
}

impl<const W: usize, const C: usize> Testbench for BocStage<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::operand_stage::OperandStage::bypassing(&parameters.private()))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(parameters.private(), Allocation::Private))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::of_every_stage().into_iter().chain(directed::of_bypassing_stage()).collect()
    }
}

impl<const C: usize> Testbench for IssueStage<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::issue::IssueStage::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let private = parameters.allocation == Allocation::Private;
        Box::new(IssueStageStimulus::new(*parameters, private))
    }
}

impl<const W: usize, const C: usize> Testbench for OcuSubCore<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let stage = model::operand_stage::OperandStage::baseline(parameters);
        Box::new(model::sub_core::SubCore::new(parameters, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(*parameters))
    }
}

impl<const W: usize, const I: usize, const C: usize> Testbench for CcuSubCore<W, I, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let stage = model::operand_stage::OperandStage::caching(parameters);
        Box::new(model::sub_core::SubCore::new(parameters, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(*parameters))
    }
}

impl<const W: usize, const C: usize> Testbench for BocSubCore<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let parameters = &parameters.private();
        let stage = model::operand_stage::OperandStage::bypassing(parameters);
        Box::new(model::sub_core::SubCore::new(parameters, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(parameters.private()))
    }
}

impl<const V: usize, const A: usize> Testbench for LrtScan<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::multicast::LrtScan::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.lrt_entries))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::lrt_scan()
    }
}

impl<const V: usize, const A: usize> Testbench for LrtCam<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::multicast::LrtCam::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.lrt_entries))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::lrt_cam()
    }
}

impl<const V: usize, const A: usize> Testbench for Iwmu<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::multicast::Iwmu::new(parameters))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(IwmuStimulus::new())
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::iwmu()
    }
}
