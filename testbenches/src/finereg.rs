//! What belongs to each FineReg module: its reference model, stimulus and scenarios.

use gpurf_blocks::Parameters;
use gpurf_hw::dialect::Word;
use gpurf_hw::finereg::{
    CtaStatusMonitor, FreeSpaceMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder, Rmu,
};
use gpurf_sim::finereg as model;
use rust_hdl::prelude::Bits;

use crate::directed::{self, Scenario};
use crate::stimulus::*;
use crate::{Engine, Testbench};

impl Testbench for RegisterIndexDecoder {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(model::RegisterIndexDecoder::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RegisterIndexDecoderStimulus::default())
    }
}

impl Testbench for LiveRegisterCache {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(model::LiveRegisterCache::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LiveRegisterCacheStimulus::default())
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::live_register_cache()
    }
}

impl<const P: usize> Testbench for FreeSpaceMonitor<P> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::FreeSpaceMonitor::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(FreeSpaceMonitorStimulus::new(parameters.pcrf_entries))
    }
}

impl<const P: usize> Testbench for PcrfPointerTable<P> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::PcrfPointerTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(PcrfPointerTableStimulus(*parameters))
    }
}

impl<const W: usize, const P: usize> Testbench for Pcrf<W, P>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::Pcrf::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(PcrfStimulus::new(parameters.pcrf_entries))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::pcrf()
    }
}

impl<const W: usize, const P: usize> Testbench for Rmu<W, P>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::Rmu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RmuStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::rmu()
    }
}

impl Testbench for CtaStatusMonitor {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::CtaStatusMonitor::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CtaStatusMonitorStimulus { ctas: parameters.ctas })
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        directed::cta_status_monitor()
    }
}
