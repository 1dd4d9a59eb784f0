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
        Box::new(model::cells::RoundRobin::new(parameters.stage.collectors))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RoundRobinStimulus { requesters: parameters.stage.collectors })
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
        let Parameters { policy, slots, d_ports, .. } = parameters.stage;
        Box::new(model::collector::Replacement { policy, entries: 1 << I, slots, d_ports })
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let Parameters { slots, d_ports, .. } = parameters.stage;
        Box::new(ReplacementStimulus { entries: 1 << I, slots, d_ports })
    }
}

impl<const I: usize> Testbench for OperandCollectorTable<I> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::OperandCollectorTable::new(parameters.stage.slots))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandCollectorTableStimulus::new(1 << I, parameters.stage.slots))
    }
}

impl<const W: usize, const I: usize> Testbench for CacheTable<W, I>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let Parameters { slots, banks, d_ports, .. } = parameters.stage;
        Box::new(model::collector::CacheTable::new(1 << I, slots, banks, d_ports))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let Parameters { slots, banks, d_ports, .. } = parameters.stage;
        Box::new(CacheTableStimulus::new(1 << I, slots, banks, d_ports))
    }
}

impl<const W: usize> Testbench for Ocu<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::collector::Ocu::new(parameters.stage.slots))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OcuStimulus::new(parameters.stage.slots))
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
        Box::new(model::collector::Ccu::new(1 << I, parameters.stage.ccu()))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CcuStimulus::new(1 << I, parameters.stage.ccu()))
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
        Box::new(model::collector::Boc::new(parameters.stage.boc()))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(BocStimulus::new(parameters.stage.boc()))
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
        Box::new(model::register_file::Bank::new(parameters.stage.rows))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(BankStimulus { rows: parameters.stage.rows, collectors: parameters.stage.collectors })
    }
}

impl<const C: usize> Testbench for RequestQueue<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        let (collectors, slots) = (parameters.stage.collectors, parameters.stage.slots);
        Box::new(model::register_file::RequestQueue::new(collectors, slots))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let (collectors, slots) = (parameters.stage.collectors, parameters.stage.slots);
        Box::new(RequestQueueStimulus::new(collectors, slots))
    }
}

impl<const C: usize> Testbench for Arbiter<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::register_file::Arbiter::new(parameters.stage.arbiter(true)))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ArbiterStimulus::new(parameters.stage.arbiter(true)))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::arbiter()
    }
}

impl Testbench for WarpScheduler {
    fn model(parameters: &Parameters) -> Engine<Self> {
        let (collectors, issue) = (parameters.stage.collectors, parameters.issue);
        Box::new(model::issue::WarpScheduler::new(collectors, issue.scheduling, issue.occupied))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let (collectors, issue) = (parameters.stage.collectors, parameters.issue);
        Box::new(WarpSchedulerStimulus::new(collectors, issue.scheduling, issue.occupied))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::warp_scheduler()
    }
}

impl<const C: usize> Testbench for CollectorAllocator<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        let (collectors, issue) = (parameters.stage.collectors, parameters.issue);
        Box::new(model::issue::CollectorAllocator::new(
            collectors,
            issue.allocation,
            issue.waiting,
            issue.choice,
            issue.seed,
        ))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let (collectors, allocation) = (parameters.stage.collectors, parameters.issue.allocation);
        Box::new(CollectorAllocatorStimulus::new(collectors, allocation))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::collector_allocator()
    }
}

impl Testbench for SthldController {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::issue::SthldController::new(parameters.issue.interval, parameters.issue.sthld_table))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SthldControllerStimulus::new(parameters.issue.interval))
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
        Box::new(model::operand_stage::OperandStage::baseline(parameters.stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(parameters.stage, Allocation::AnyFree))
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
        Box::new(model::operand_stage::OperandStage::caching(1 << I, parameters.stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(parameters.stage, Allocation::OwnElseAnyFree))
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
        Box::new(model::operand_stage::OperandStage::bypassing(parameters.stage.private()))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(parameters.stage.private(), Allocation::Private))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::of_every_stage().into_iter().chain(directed::of_bypassing_stage()).collect()
    }
}

impl<const C: usize> Testbench for IssueStage<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::issue::IssueStage::new(parameters.stage, parameters.issue))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let private = parameters.issue.allocation == Allocation::Private;
        Box::new(IssueStageStimulus::new(parameters.stage, private))
    }
}

impl<const W: usize, const C: usize> Testbench for OcuSubCore<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let stage = model::operand_stage::OperandStage::baseline(parameters.stage);
        Box::new(model::sub_core::SubCore::new(parameters.issue, parameters.stage, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(parameters.stage))
    }
}

impl<const W: usize, const I: usize, const C: usize> Testbench for CcuSubCore<W, I, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let stage = model::operand_stage::OperandStage::caching(1 << I, parameters.stage);
        Box::new(model::sub_core::SubCore::new(parameters.issue, parameters.stage, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(parameters.stage))
    }
}

impl<const W: usize, const C: usize> Testbench for BocSubCore<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let (issue, stage) = parameters.private();
        let collectors = model::operand_stage::OperandStage::bypassing(stage);
        Box::new(model::sub_core::SubCore::new(issue, stage, collectors))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(parameters.private().1))
    }
}

impl<const V: usize, const A: usize> Testbench for LrtScan<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::multicast::LrtScan::new(parameters.iwmu.entries))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.iwmu.entries))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::lrt_scan()
    }
}

impl<const V: usize, const A: usize> Testbench for LrtCam<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::multicast::LrtCam::new(parameters.iwmu.entries))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LrtStimulus::new(parameters.iwmu.entries))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::lrt_cam()
    }
}

impl<const V: usize, const A: usize> Testbench for Iwmu<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::multicast::Iwmu::new(parameters.iwmu))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(IwmuStimulus::new())
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::iwmu()
    }
}
