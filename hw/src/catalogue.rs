//! All modules by name, with their parameters: what can be exported, tested and synthesized.

use gpurf_blocks::{ParameterError, Parameters};
use rust_hdl::prelude::Block;

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
pub fn build(name: &str, parameters: &Parameters) -> Box<dyn Block> {
    crate::with_module!(name, parameters, make => Box::new(make()))
}

/// Runs an expression with a constructor of a module of the catalogue.
///
/// `with_module!(name, parameters, make => expression)`: `make` is a closure that builds the module;
/// the expression is compiled once for every type that the module has, one for each data width, number
/// of table entries, width of a collector's number and of a PCRF pointer. Panics on a name that is not in the catalogue.
#[macro_export]
macro_rules! with_module {
    ($name:expr, $parameters:expr, $make:ident => $body:expr) => {{
        use $crate::cells::{AgeMatrix, Lfsr, LruOrder, RoundRobin};
        use $crate::collector::{Boc, CacheTable, Ccu, Ocu, OperandCollectorTable, Replacement};
        use $crate::finereg::{
            CtaStatusMonitor, FreeSpaceMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder,
            Rmu,
        };
        use $crate::issue::{CollectorAllocator, IssueStage, SthldController, WarpScheduler};
        use $crate::multicast::{Iwmu, LrtCam, LrtScan};
        use $crate::operand_stage::{BocStage, CcuStage, OcuStage};
        use $crate::register_file::{Arbiter, Bank, RequestQueue};
        use $crate::sub_core::{BocSubCore, CcuSubCore, OcuSubCore};
        use ::gpurf_blocks::{Parameters, ADDRESS_BITS, WARPS, WARP_BITS};
        let parameters: Parameters = *$parameters;
        macro_rules! entries {
            ($I:ident => $arm:expr) => {
                match parameters.entry_bits() {
                    2 => { const $I: usize = 2; $arm }
                    3 => { const $I: usize = 3; $arm }
                    _ => { const $I: usize = 4; $arm }
                }
            };
        }
        macro_rules! width {
            ($W:ident => $arm:expr) => {
                match parameters.width {
                    32 => { const $W: usize = 32; $arm }
                    _ => { const $W: usize = 1024; $arm }
                }
            };
        }
        macro_rules! collectors {
            ($C:ident => $arm:expr) => {
                match parameters.collector_bits() {
                    1 => { const $C: usize = 1; $arm }
                    2 => { const $C: usize = 2; $arm }
                    _ => { const $C: usize = 3; $arm }
                }
            };
        }
        macro_rules! pointers {
            ($P:ident => $arm:expr) => {
                match parameters.pointer_bits() {
                    6 => { const $P: usize = 6; $arm }
                    7 => { const $P: usize = 7; $arm }
                    8 => { const $P: usize = 8; $arm }
                    9 => { const $P: usize = 9; $arm }
                    10 => { const $P: usize = 10; $arm }
                    _ => { const $P: usize = 11; $arm }
                }
            };
        }
        match $name {
            "lfsr" => { let $make = move || Lfsr::new(&parameters); $body }
            "round_robin" => { let $make = move || RoundRobin::new(parameters.collectors); $body }
            "age_matrix" => { let $make = move || AgeMatrix::new(WARPS); $body }
            "lru_order" => entries!(I => { let $make = move || LruOrder::<I>::new(&parameters); $body }),
            "replacement" => entries!(I => {
                let $make = move || Replacement::<I>::new(&parameters); $body
            }),
            "operand_collector_table" => entries!(I => {
                let $make = move || OperandCollectorTable::<I>::new(&parameters); $body
            }),
            "cache_table" => width!(W => entries!(I => {
                let $make = move || CacheTable::<W, I>::new(&parameters); $body
            })),
            "ocu" => width!(W => { let $make = move || Ocu::<W>::new(&parameters); $body }),
            "ccu" => width!(W => entries!(I => {
                let $make = move || Ccu::<W, I>::new(&parameters); $body
            })),
            "boc" => width!(W => { let $make = move || Boc::<W>::new(&parameters); $body }),
            "bank" => width!(W => collectors!(C => {
                let $make = move || Bank::<W, C>::new(&parameters); $body
            })),
            "request_queue" => collectors!(C => {
                let $make = move || RequestQueue::<C>::new(&parameters); $body
            }),
            "arbiter" => collectors!(C => {
                let $make = move || Arbiter::<C>::new(&parameters); $body
            }),
            "warp_scheduler" => {
                let $make = move || WarpScheduler::new(&parameters); $body
            }
            "collector_allocator" => collectors!(C => {
                let $make = move || CollectorAllocator::<C>::new(&parameters);
                $body
            }),
            "sthld_controller" => {
                let $make = move || SthldController::new(&parameters); $body
            }
            "ocu_stage" => width!(W => collectors!(C => {
                let $make = move || OcuStage::<W, C>::new(&parameters); $body
            })),
            "ccu_stage" => width!(W => entries!(I => collectors!(C => {
                let $make = move || CcuStage::<W, I, C>::new(&parameters); $body
            }))),
            "boc_stage" => width!(W => {
                let $make = move || BocStage::<W, 3>::new(&parameters.private()); $body
            }),
            "issue_stage" => collectors!(C => {
                let $make = move || IssueStage::<C>::new(&parameters); $body
            }),
            "ocu_sub_core" => width!(W => collectors!(C => {
                let $make = move || OcuSubCore::<W, C>::new(&parameters); $body
            })),
            "ccu_sub_core" => width!(W => entries!(I => collectors!(C => {
                let $make = move || CcuSubCore::<W, I, C>::new(&parameters); $body
            }))),
            "boc_sub_core" => width!(W => {
                let $make = move || BocSubCore::<W, 3>::new(&parameters.private()); $body
            }),
            "lrt_scan" => {
                let $make = move || LrtScan::<WARP_BITS, ADDRESS_BITS>::new(&parameters); $body
            }
            "lrt_cam" => {
                let $make = move || LrtCam::<WARP_BITS, ADDRESS_BITS>::new(&parameters); $body
            }
            "iwmu" => {
                let $make = move || Iwmu::<WARP_BITS, ADDRESS_BITS>::new(&parameters); $body
            }
            "register_index_decoder" => { let $make = move || RegisterIndexDecoder::new(&parameters); $body }
            "live_register_cache" => { let $make = move || LiveRegisterCache::new(&parameters); $body }
            "free_space_monitor" => pointers!(P => {
                let $make = move || FreeSpaceMonitor::<P>::new(&parameters); $body
            }),
            "pcrf_pointer_table" => pointers!(P => {
                let $make = move || PcrfPointerTable::<P>::new(&parameters); $body
            }),
            "pcrf" => width!(W => pointers!(P => { let $make = move || Pcrf::<W, P>::new(&parameters); $body })),
            "rmu" => width!(W => pointers!(P => { let $make = move || Rmu::<W, P>::new(&parameters); $body })),
            "cta_status_monitor" => {
                let $make = move || CtaStatusMonitor::new(&parameters); $body
            }
            name => panic!("`{name}` is not in the catalogue"),
        }
    }};
}
