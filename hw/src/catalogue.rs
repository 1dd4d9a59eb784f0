//! All modules by name, with their parameters: what can be exported, tested and synthesized.

use gpurf_blocks::{ParameterError, Parameters, WARPS};
use rust_hdl::prelude::Block;

use crate::cells::{AgeMatrix, Lfsr, LruOrder, RoundRobin};
use crate::collector::{Boc, CacheTable, Ccu, Ocu, OperandCollectorTable, Replacement};
use crate::finereg::{
    CtaStatusMonitor, FreeSpaceMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder, Rmu,
};
use crate::generics;
use crate::issue::{CollectorAllocator, IssueStage, SthldController, WarpScheduler};
use crate::multicast::{Iwmu, LrtCam, LrtScan};
use crate::operand_stage::{BocStage, CcuStage, OcuStage};
use crate::register_file::{Arbiter, Bank, RequestQueue};
use crate::sub_core::{BocSubCore, CcuSubCore, OcuSubCore};

/// One module of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    /// Parameters that change it; the others are ignored.
    pub parameters: &'static [&'static str],
}

const STAGE: &[&str] = &["width", "collectors", "slots", "banks", "rows"];
const CCU_STAGE: &[&str] = &[
    "width",
    "entries",
    "collectors",
    "slots",
    "banks",
    "rows",
    "replacement",
    "cache_far",
    "invalidate",
    "choice",
    "d_ports",
];

const ISSUE_STAGE: &[&str] =
    &["collectors", "slots", "scheduling", "occupied", "allocation", "waiting", "choice", "seed"];
const OCU_SUB_CORE: &[&str] = &[
    "width",
    "collectors",
    "slots",
    "banks",
    "rows",
    "scheduling",
    "occupied",
    "allocation",
    "waiting",
    "choice",
    "seed",
];
const CCU_SUB_CORE: &[&str] = &[
    "width",
    "entries",
    "collectors",
    "slots",
    "banks",
    "rows",
    "replacement",
    "cache_far",
    "invalidate",
    "d_ports",
    "scheduling",
    "occupied",
    "allocation",
    "waiting",
    "choice",
    "seed",
];

const BOC: &[&str] = &["width", "window", "slots", "destinations", "banks"];
/// It has a collector for every warp, whatever `collectors` says.
const BOC_STAGE: &[&str] = &["width", "window", "slots", "destinations", "banks", "rows"];

const BOC_SUB_CORE: &[&str] =
    &["width", "slots", "banks", "rows", "window", "destinations", "scheduling", "occupied", "seed"];

const RMU: &[&str] = &["width", "pcrf_entries", "ctas", "pcrf_latency", "next_latency", "count_bits"];

/// Every module, small ones first.
pub const CATALOGUE: &[Entry] = &[
    entry("lfsr", "Linear-feedback shift register", &[]),
    entry("round_robin", "Round-robin arbiter", &["collectors"]),
    entry("age_matrix", "Age matrix", &[]),
    entry("lru_order", "LRU order", &["entries"]),
    entry("replacement", "Replacement", &["entries", "slots", "d_ports", "replacement"]),
    entry("operand_collector_table", "Operand collector table", &["entries", "slots"]),
    entry("cache_table", "Cache table", &["width", "entries", "slots", "banks", "d_ports"]),
    entry("ocu", "Operand collector unit", &["width", "slots"]),
    entry(
        "ccu",
        "Caching collector unit",
        &["width", "entries", "slots", "banks", "replacement", "invalidate", "d_ports"],
    ),
    entry("boc", "Bypassing operand collector", BOC),
    entry("bank", "Register bank", &["width", "collectors", "rows"]),
    entry("request_queue", "Read request queue", &["collectors", "slots"]),
    entry("arbiter", "Register-file arbiter", &["collectors", "slots", "banks", "cache_far", "d_ports"]),
    entry("warp_scheduler", "Warp scheduler", &["collectors", "scheduling", "occupied"]),
    entry(
        "collector_allocator",
        "Collector allocator",
        &["collectors", "allocation", "waiting", "choice", "seed"],
    ),
    entry("sthld_controller", "STHLD controller", &["interval", "sthld_table"]),
    entry("ocu_stage", "Operand stage with operand collector units", STAGE),
    entry("ccu_stage", "Operand stage with caching collector units", CCU_STAGE),
    entry("boc_stage", "Operand stage with bypassing operand collectors", BOC_STAGE),
    entry("issue_stage", "Issue stage", ISSUE_STAGE),
    entry("ocu_sub_core", "Sub-core with operand collector units", OCU_SUB_CORE),
    entry("ccu_sub_core", "Sub-core with caching collector units", CCU_SUB_CORE),
    entry("boc_sub_core", "Sub-core with bypassing operand collectors", BOC_SUB_CORE),
    entry("lrt_scan", "Load request table, four entries per cycle", &["lrt_entries"]),
    entry("lrt_cam", "Load request table, all entries at once", &["lrt_entries"]),
    entry("iwmu", "Inter-warp multicasting unit", &["lrt_entries", "search", "release_age"]),
    entry("register_index_decoder", "Register index decoder", &[]),
    entry("live_register_cache", "Live-register bit-vector cache", &[]),
    entry("free_space_monitor", "Free space monitor", &["pcrf_entries"]),
    entry("pcrf_pointer_table", "PCRF pointer table", &["pcrf_entries", "ctas", "count_bits"]),
    entry("pcrf", "Pending-CTA register file", &["width", "pcrf_entries", "pcrf_latency", "next_latency"]),
    entry("rmu", "Register management unit", RMU),
    entry("cta_status_monitor", "CTA status monitor", &["ctas", "tie"]),
];

const fn entry(name: &'static str, title: &'static str, parameters: &'static [&'static str]) -> Entry {
    Entry { name, title, parameters }
}

/// Looks a module up by name.
pub fn find(name: &str) -> Result<&'static Entry, ParameterError> {
    CATALOGUE.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<_> = CATALOGUE.iter().map(|entry| entry.name).collect();
        ParameterError(format!("no module is called `{name}`; there are {}", names.join(", ")))
    })
}

/// A module of the catalogue as a block, for those who only walk through it. Panics on a name that is not
/// in the catalogue.
pub fn build(name: &str, p: &Parameters) -> Box<dyn Block> {
    match name {
        "lfsr" => Box::new(Lfsr::new(p)),
        "round_robin" => Box::new(RoundRobin::new(p.collectors)),
        "age_matrix" => Box::new(AgeMatrix::new(WARPS)),
        "lru_order" => generics!(p; I => Box::new(LruOrder::<I>::new(p))),
        "replacement" => generics!(p; I => Box::new(Replacement::<I>::new(p))),
        "operand_collector_table" => generics!(p; I => Box::new(OperandCollectorTable::<I>::new(p))),
        "cache_table" => generics!(p; W, I => Box::new(CacheTable::<W, I>::new(p))),
        "ocu" => generics!(p; W => Box::new(Ocu::<W>::new(p))),
        "ccu" => generics!(p; W, I => Box::new(Ccu::<W, I>::new(p))),
        "boc" => generics!(p; W => Box::new(Boc::<W>::new(p))),
        "bank" => generics!(p; W, C => Box::new(Bank::<W, C>::new(p))),
        "request_queue" => generics!(p; C => Box::new(RequestQueue::<C>::new(p))),
        "arbiter" => generics!(p; C => Box::new(Arbiter::<C>::new(p))),
        "warp_scheduler" => Box::new(WarpScheduler::new(p)),
        "collector_allocator" => generics!(p; C => Box::new(CollectorAllocator::<C>::new(p))),
        "sthld_controller" => Box::new(SthldController::new(p)),
        "ocu_stage" => generics!(p; W, C => Box::new(OcuStage::<W, C>::new(p))),
        "ccu_stage" => generics!(p; W, I, C => Box::new(CcuStage::<W, I, C>::new(p))),
        "boc_stage" => generics!(p; W => Box::new(BocStage::<W, 3>::new(&p.private()))),
        "issue_stage" => generics!(p; C => Box::new(IssueStage::<C>::new(p))),
        "ocu_sub_core" => generics!(p; W, C => Box::new(OcuSubCore::<W, C>::new(p))),
        "ccu_sub_core" => generics!(p; W, I, C => Box::new(CcuSubCore::<W, I, C>::new(p))),
        "boc_sub_core" => generics!(p; W => Box::new(BocSubCore::<W, 3>::new(&p.private()))),
        "lrt_scan" => generics!(p; V, A => Box::new(LrtScan::<V, A>::new(p))),
        "lrt_cam" => generics!(p; V, A => Box::new(LrtCam::<V, A>::new(p))),
        "iwmu" => generics!(p; V, A => Box::new(Iwmu::<V, A>::new(p))),
        "register_index_decoder" => Box::new(RegisterIndexDecoder::new(p)),
        "live_register_cache" => Box::new(LiveRegisterCache::new(p)),
        "free_space_monitor" => generics!(p; P => Box::new(FreeSpaceMonitor::<P>::new(p))),
        "pcrf_pointer_table" => generics!(p; P => Box::new(PcrfPointerTable::<P>::new(p))),
        "pcrf" => generics!(p; W, P => Box::new(Pcrf::<W, P>::new(p))),
        "rmu" => generics!(p; W, P => Box::new(Rmu::<W, P>::new(p))),
        "cta_status_monitor" => Box::new(CtaStatusMonitor::new(p)),
        name => panic!("`{name}` is not in the catalogue"),
    }
}
