//! All modules by name, with their parameters: what can be exported, tested and synthesized.

use std::fmt;

use rust_hdl::prelude::Block;

use crate::cells::Choice;
use crate::collector::Policy;
use crate::finereg::{FineRegParameters, Tie};
use crate::issue::{
    Allocation, IssueParameters, Occupied, Scheduling, SthldTable, Waiting, MAX_INTERVAL, WARPS,
};
use crate::multicast::{IwmuParameters, Search, LANES, MAX_ENTRIES, MIN_ENTRIES};
use crate::operand_stage::OperandStageParameters;

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

/// Parameters of all modules together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Data width in bits: 32 (a token stands for a register) or 1024 (a register of a warp).
    pub width: usize,
    /// Entries of a cache table: 4, 8 or 16, more than slots.
    pub entries: usize,
    /// Widths, policies and sizes that the operand stage shares with its parts.
    pub stage: OperandStageParameters,
    /// Policies of the issue stage.
    pub issue: IssueParameters,
    /// Sizes and rules of inter-warp multicasting.
    pub iwmu: IwmuParameters,
    /// Sizes and policies of the FineReg modules.
    pub finereg: FineRegParameters,
}

impl Default for Parameters {
    /// The papers' sub-core, as hardware: 1024 bits, 8 entries, 7 slots, 2 collectors, 2 banks.
    fn default() -> Self {
        let (stage, issue) = (OperandStageParameters::default(), IssueParameters::default());
        let (iwmu, finereg) = (IwmuParameters::default(), FineRegParameters::default());
        Parameters { width: 1024, entries: 8, stage, issue, iwmu, finereg }
    }
}

/// A parameter that no module has, or a value that it cannot take. Says what is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError(pub String);

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParameterError {}

impl Parameters {
    /// Sets one parameter from text, as of `--set entries=16`. [`Parameters::check`] comes after the
    /// last one.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let stage = &mut self.stage;
        match name {
            "width" => self.width = number(name, value, &[32, 1024])?,
            "entries" => self.entries = number(name, value, &[4, 8, 16])?,
            "slots" => stage.slots = number(name, value, &[3, 4, 5, 6, 7])?,
            "collectors" => stage.collectors = number(name, value, &[1, 2, 4, 8])?,
            "banks" => stage.banks = number(name, value, &[2, 4])?,
            "rows" => stage.rows = number(name, value, &[32, 64, 128, 256])?,
            "replacement" => {
                stage.policy = match value {
                    "malekeh" => Policy::Malekeh,
                    "lru" => Policy::Lru,
                    _ => return Err(refused(name, value, "malekeh or lru")),
                }
            }
            "cache_far" => stage.cache_far = boolean(name, value)?,
            "invalidate" => stage.invalidate = boolean(name, value)?,
            "d_ports" => stage.d_ports = number(name, value, &[1, 2])?,
            "window" => stage.window = number(name, value, &[2, 3, 4, 5, 6, 7, 8])?,
            "destinations" => stage.destinations = number(name, value, &[1, 2, 3, 4])?,
            "scheduling" => {
                self.issue.scheduling = match value {
                    "malekeh" => Scheduling::Malekeh,
                    "gto" => Scheduling::GreedyThenOldest,
                    "lrr" => Scheduling::LooseRoundRobin,
                    _ => return Err(refused(name, value, "malekeh, gto or lrr")),
                }
            }
            "occupied" => {
                self.issue.occupied = match value {
                    "skip" => Occupied::Skip,
                    "stall" => Occupied::Stall,
                    _ => return Err(refused(name, value, "skip or stall")),
                }
            }
            "allocation" => {
                self.issue.allocation = match value {
                    "any_free" => Allocation::AnyFree,
                    "own_else_any_free" => Allocation::OwnElseAnyFree,
                    "malekeh" => Allocation::Malekeh,
                    "private" => Allocation::Private,
                    _ => return Err(refused(name, value, "any_free, own_else_any_free, malekeh or private")),
                }
            }
            "waiting" => {
                self.issue.waiting = match value {
                    "below" => Waiting::BelowThreshold,
                    "up_to" => Waiting::UpToThreshold,
                    _ => return Err(refused(name, value, "below or up_to")),
                }
            }
            "choice" => {
                let choice = match value {
                    "random" => Choice::Random,
                    "fixed" => Choice::Fixed,
                    _ => return Err(refused(name, value, "random or fixed")),
                };
                (stage.choice, self.issue.choice) = (choice, choice);
            }
            "seed" => {
                self.issue.seed = value.parse().map_err(|_| refused(name, value, "0 to 255"))?;
            }
            "interval" => {
                let cycles = value.parse().ok().filter(|cycles| (1..=MAX_INTERVAL).contains(cycles));
                let possible = format!("1 to {MAX_INTERVAL} cycles");
                self.issue.interval = cycles.ok_or_else(|| refused(name, value, &possible))?
            }
            "lrt_entries" => {
                let entries = value.parse().ok();
                let entries = entries.filter(|n| (MIN_ENTRIES..=MAX_ENTRIES).contains(n) && n % LANES == 0);
                let possible = format!("a multiple of {LANES}, {MIN_ENTRIES} to {MAX_ENTRIES}");
                self.iwmu.entries = entries.ok_or_else(|| refused(name, value, &possible))?
            }
            "search" => {
                self.iwmu.search = match value {
                    "scan" => Search::Scan,
                    "cam" => Search::Cam,
                    _ => return Err(refused(name, value, "scan or cam")),
                }
            }
            "release_age" => {
                let age: Result<u16, _> = value.parse();
                let age = age.map_err(|_| refused(name, value, "0 (never) to 65535 cycles"))?;
                self.iwmu.release_age = age.into()
            }
            "sthld_table" => {
                let text = std::fs::read_to_string(value).map_err(|error| {
                    refused(name, value, &format!("a TOML file that can be read ({error})"))
                })?;
                self.issue.sthld_table = SthldTable::parse(&text, value)?
            }
            "pcrf_entries" => {
                let possible = &[64, 256, 512, 768, 1024, 1280, 1536, 2048];
                self.finereg.entries = number(name, value, possible)?
            }
            "ctas" => self.finereg.ctas = number(name, value, &[16, 32, 64, 128])?,
            "pcrf_latency" => self.finereg.latency = number(name, value, &[1, 2, 3, 4, 5, 6, 7, 8])?,
            "next_latency" => self.finereg.next_latency = number(name, value, &[1, 2, 3, 4, 5, 6, 7, 8])?,
            "count_bits" => self.finereg.count_bits = number(name, value, &[6, 12])?,
            "tie" => {
                self.finereg.tie = match value {
                    "lowest" => Tie::Lowest,
                    "round_robin" => Tie::RoundRobin,
                    _ => return Err(refused(name, value, "lowest or round_robin")),
                }
            }
            _ => {
                let known = ["width", "entries", "slots", "collectors", "banks", "rows", "replacement"];
                return Err(ParameterError(format!(
                    "no hardware parameter is called `{name}`; there are {}, cache_far, invalidate, \
                     d_ports, window, destinations, scheduling, occupied, allocation, waiting, choice, seed, interval, \
                     sthld_table, lrt_entries, search, release_age, pcrf_entries, ctas, pcrf_latency, \
                     next_latency, count_bits, tie",
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// Whether the values go together.
    pub fn check(&self) -> Result<(), ParameterError> {
        let (entries, slots) = (self.entries, self.stage.slots);
        if slots >= entries {
            return Err(ParameterError(format!(
                "entries={entries} is not more than slots={slots}: replacement could find every entry \
                 locked; set slots to at most {} or entries to {}",
                entries - 1,
                if entries == 4 { "8 or 16" } else { "16" },
            )));
        }
        let FineRegParameters { latency, next_latency, .. } = self.finereg;
        if next_latency > latency {
            return Err(ParameterError(format!(
                "next_latency={next_latency} is more than pcrf_latency={latency}: the next pointer is part of the \
                 tag; set next_latency to at most {latency}"
            )));
        }
        Ok(())
    }

    /// The same for a sub-core with a collector for each warp.
    pub fn private(&self) -> (IssueParameters, OperandStageParameters) {
        let issue = IssueParameters { allocation: Allocation::Private, ..self.issue };
        (issue, self.stage.private())
    }

    /// Whether this module can have them.
    pub fn check_for(&self, entry: &Entry) -> Result<(), ParameterError> {
        self.check()?;
        let allocates = entry.parameters.contains(&"allocation");
        if allocates && self.issue.allocation == Allocation::Private && self.stage.collectors != WARPS {
            return Err(ParameterError(format!(
                "allocation=private needs a collector for each of {WARPS} warps; set collectors={WARPS}"
            )));
        }
        Ok(())
    }

    /// Bits of a collector's number, at least one.
    pub fn collector_bits(&self) -> usize {
        (self.stage.collectors.ilog2() as usize).max(1)
    }
}

fn refused(name: &str, value: &str, possible: &str) -> ParameterError {
    ParameterError(format!("{name}={value} is not possible; {name} is {possible}"))
}

fn number(name: &str, value: &str, possible: &[usize]) -> Result<usize, ParameterError> {
    let parsed = value.parse().ok().filter(|number| possible.contains(number));
    parsed.ok_or_else(|| {
        let (last, others) = possible.split_last().expect("some value is possible");
        let others: Vec<_> = others.iter().map(usize::to_string).collect();
        refused(name, value, &format!("{} or {last}", others.join(", ")))
    })
}

fn boolean(name: &str, value: &str) -> Result<bool, ParameterError> {
    value.parse().map_err(|_| refused(name, value, "true or false"))
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
        use $crate::issue::{CollectorAllocator, IssueParameters, IssueStage, SthldController, WarpScheduler, WARPS};
        use $crate::multicast::{Iwmu, LrtCam, LrtScan, ADDRESS_BITS, WARP_BITS};
        use $crate::operand_stage::{BocStage, CcuStage, OcuStage};
        use $crate::register_file::{Arbiter, Bank, RequestQueue};
        use $crate::sub_core::{BocSubCore, CcuSubCore, OcuSubCore};
        let parameters: $crate::catalogue::Parameters = *$parameters;
        let (stage, issue, finereg) = (parameters.stage, parameters.issue, parameters.finereg);
        let (slots, banks, collectors) = (stage.slots, stage.banks, stage.collectors);
        macro_rules! entries {
            ($I:ident => $arm:expr) => {
                match parameters.entries {
                    4 => { const $I: usize = 2; $arm }
                    8 => { const $I: usize = 3; $arm }
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
                match finereg.pointer_bits() {
                    6 => { const $P: usize = 6; $arm }
                    8 => { const $P: usize = 8; $arm }
                    9 => { const $P: usize = 9; $arm }
                    10 => { const $P: usize = 10; $arm }
                    _ => { const $P: usize = 11; $arm }
                }
            };
        }
        match $name {
            "lfsr" => { let $make = move || Lfsr::default(); $body }
            "round_robin" => { let $make = move || RoundRobin::new(collectors); $body }
            "age_matrix" => { let $make = move || AgeMatrix::new(WARPS); $body }
            "lru_order" => entries!(I => { let $make = move || LruOrder::<I>::default(); $body }),
            "replacement" => entries!(I => {
                let $make = move || Replacement::<I>::new(slots, stage.d_ports, stage.policy); $body
            }),
            "operand_collector_table" => entries!(I => {
                let $make = move || OperandCollectorTable::<I>::new(slots); $body
            }),
            "cache_table" => width!(W => entries!(I => {
                let $make = move || CacheTable::<W, I>::new(slots, banks, stage.d_ports); $body
            })),
            "ocu" => width!(W => { let $make = move || Ocu::<W>::new(slots); $body }),
            "ccu" => width!(W => entries!(I => {
                let $make = move || Ccu::<W, I>::new(stage.ccu()); $body
            })),
            "boc" => width!(W => { let $make = move || Boc::<W>::new(stage.boc()); $body }),
            "bank" => width!(W => collectors!(C => {
                let $make = move || Bank::<W, C>::new(stage.rows); $body
            })),
            "request_queue" => collectors!(C => {
                let $make = move || RequestQueue::<C>::new(collectors, slots); $body
            }),
            "arbiter" => collectors!(C => {
                let $make = move || Arbiter::<C>::new(stage.arbiter(true)); $body
            }),
            "warp_scheduler" => {
                let $make = move || WarpScheduler::new(collectors, issue.scheduling, issue.occupied); $body
            }
            "collector_allocator" => collectors!(C => {
                let IssueParameters { allocation, waiting, choice, seed, .. } = issue;
                let $make = move || CollectorAllocator::<C>::new(collectors, allocation, waiting, choice, seed);
                $body
            }),
            "sthld_controller" => {
                let $make = move || SthldController::new(issue.interval, issue.sthld_table); $body
            }
            "ocu_stage" => width!(W => collectors!(C => {
                let $make = move || OcuStage::<W, C>::new(stage); $body
            })),
            "ccu_stage" => width!(W => entries!(I => collectors!(C => {
                let $make = move || CcuStage::<W, I, C>::new(stage); $body
            }))),
            "boc_stage" => width!(W => {
                let $make = move || BocStage::<W, 3>::new(stage.private()); $body
            }),
            "issue_stage" => collectors!(C => {
                let $make = move || IssueStage::<C>::new(stage, issue); $body
            }),
            "ocu_sub_core" => width!(W => collectors!(C => {
                let $make = move || OcuSubCore::<W, C>::new(issue, stage); $body
            })),
            "ccu_sub_core" => width!(W => entries!(I => collectors!(C => {
                let $make = move || CcuSubCore::<W, I, C>::new(issue, stage); $body
            }))),
            "boc_sub_core" => width!(W => {
                let $make = move || {
                    let (issue, stage) = parameters.private();
                    BocSubCore::<W, 3>::new(issue, stage)
                };
                $body
            }),
            "lrt_scan" => {
                let $make = move || LrtScan::<WARP_BITS, ADDRESS_BITS>::new(parameters.iwmu.entries); $body
            }
            "lrt_cam" => {
                let $make = move || LrtCam::<WARP_BITS, ADDRESS_BITS>::new(parameters.iwmu.entries); $body
            }
            "iwmu" => {
                let $make = move || Iwmu::<WARP_BITS, ADDRESS_BITS>::new(parameters.iwmu); $body
            }
            "register_index_decoder" => { let $make = move || RegisterIndexDecoder::default(); $body }
            "live_register_cache" => { let $make = move || LiveRegisterCache::default(); $body }
            "free_space_monitor" => pointers!(P => {
                let $make = move || FreeSpaceMonitor::<P>::new(finereg.entries); $body
            }),
            "pcrf_pointer_table" => pointers!(P => {
                let $make = move || PcrfPointerTable::<P>::new(finereg.ctas, finereg.count_bits); $body
            }),
            "pcrf" => width!(W => pointers!(P => { let $make = move || Pcrf::<W, P>::new(finereg); $body })),
            "rmu" => width!(W => pointers!(P => { let $make = move || Rmu::<W, P>::new(finereg); $body })),
            "cta_status_monitor" => {
                let $make = move || CtaStatusMonitor::new(finereg.ctas, finereg.tie); $body
            }
            name => panic!("`{name}` is not in the catalogue"),
        }
    }};
}
