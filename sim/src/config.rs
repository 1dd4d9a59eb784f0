//! Constants of the simulated machine: defaults, a user's file, single settings.
//!
//! `config/turing.toml` holds every constant with its unit and source, and is the only place where
//! defaults stand. A user's file names the constants it changes; `key=value` changes one.

use std::path::{Path, PathBuf};

use gpurf_hw::finereg::{FineRegParameters, Tie};
use gpurf_hw::multicast::{self, IwmuParameters};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// The defaults, with the source of each number: a Turing SM.
pub const TURING: &str = include_str!("../config/turing.toml");

/// What R's machine changes of them (R Table I), halved to the warps that an SM has here.
pub const FINEREG: &str = include_str!("../config/finereg.toml");

/// Changes to the defaults that have a name, in place of a user's file.
pub const PRESETS: [(&str, &str); 3] = [
    ("finereg", FINEREG),
    ("tensor-core-v1", include_str!("../config/tensor_core_v1.toml")),
    ("next-generation", include_str!("../config/next_generation.toml")),
];

/// Sub-cores of an SM; warp slot w belongs to sub-core w mod 4.
pub const SUB_CORES: usize = 4;
/// Warp slots of a sub-core.
pub const SUB_CORE_WARPS: usize = 8;
/// Threads of a warp.
pub const LANES: usize = 32;
/// Rows that a bank can have.
const MAX_ROWS: usize = 256;
/// Registers of a warp that a sub-core's banks hold together, 1024 bits each: 64 KB.
const SUB_CORE_REGISTERS: usize = 512;

/// All constants. The TOML file documents each field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub sms: usize,
    pub collectors: usize,
    pub banks: usize,
    pub slots: usize,
    pub entries: usize,
    pub occupied: Occupied,
    pub invalidate: bool,
    pub d_ports: usize,
    pub window: usize,
    pub destinations: usize,
    pub waiting: Waiting,
    pub choice: Choice,
    pub sthld: Sthld,
    pub rthld: u32,
    pub active_warps: usize,
    pub organisation: Organisation,
    pub interval: u64,
    pub finereg: FineReg,
    pub sm: Limits,
    pub int: Timing,
    pub fp32: Timing,
    pub fp64: Timing,
    pub sfu: Timing,
    pub tensor: Timing,
    pub branch: Timing,
    pub uniform: Timing,
    pub load_store: LoadStore,
    pub shared: Shared,
    pub mlds: Mlds,
    pub iwmu: Iwmu,
    pub l1: L1,
    pub l2: L2,
    pub dram: Dram,
}

/// What the scheduler does about a warp whose own collector is occupied. F §IV-B allows both readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Occupied {
    /// It passes over the warp.
    Skip,
    /// It issues nothing in this cycle.
    Stall,
}

/// How long an allocation waits rather than take a collector with near values. F §IV-B2 and W §6 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// While the counter is below STHLD.
    Below,
    /// Until it is higher.
    UpTo,
}

/// How one of several free collectors, or of several far entries, is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    Random,
    /// Always the same way.
    Fixed,
}

/// Which warps a warp scheduler chooses from. F Fig. 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Organisation {
    /// Each sub-core's scheduler from its own.
    SubCores,
    /// One scheduler from those of the SM; it issues one instruction per cycle.
    Monolithic,
}

/// STHLD, the time that an allocation waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "`sthld` is a number of cycles, 0 to 31, or \"adaptive\"")]
pub enum Sthld {
    /// In cycles, for the whole run.
    Fixed(u32),
    Adaptive(Adaptive),
}

/// The controller of F §IV-B3 sets STHLD at the end of each interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Adaptive {
    Adaptive,
}

/// FineReg and the designs it is compared with. R.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FineReg {
    pub pcrf: usize,
    pub next_latency: usize,
    pub acrf_port: bool,
    pub context_cycles: u64,
    pub prefer: Prefer,
    pub ready: Ready,
    pub dram_ctas: usize,
    pub srp: usize,
    pub brs: usize,
    pub renaming: bool,
}

impl FineReg {
    /// Sizes and policies of the RMU and the CTA status monitor of each SM.
    pub fn hardware(&self) -> FineRegParameters {
        FineRegParameters {
            entries: self.pcrf,
            next_latency: self.next_latency,
            tie: Tie::RoundRobin,
            ..FineRegParameters::default()
        }
    }
}

/// Which CTA takes the place of a stalled one, if there is a choice. R §V-B and §V-E differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prefer {
    /// One that was not launched yet.
    New,
    /// A pending one that can go on.
    Ready,
}

/// When a pending CTA can go on. R does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ready {
    /// As soon as one of its warps can.
    Any,
    /// When no warp waits for memory any more.
    All,
}

/// What an SM has room for, and how a kernel starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub warps: usize,
    pub threads: usize,
    pub blocks: usize,
    pub registers: usize,
    pub register_granularity: usize,
    pub shared_memory: u64,
    pub launch_latency: u64,
}

/// An execution unit, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// From dispatch to write-back.
    pub latency: u64,
    /// Between two dispatches to the unit.
    pub initiation: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadStore {
    pub queue: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    pub latency: u64,
    pub banks: usize,
}

/// Which loads from shared memory are multicasting loads (MLDS), and what they take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mlds {
    pub loads: Marking,
    pub beside_darsie: BesideDarsie,
    pub transfers: u64,
}

/// Which multicasting loads go to the multicasting unit under DARSIE, which serves the warps of a sub-core by
/// itself. I §5.2.2 does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BesideDarsie {
    /// Those of which the profile finds that a warp of another sub-core performs them alike.
    OtherSubCores,
    /// All, as without DARSIE.
    All,
}

/// The inter-warp multicasting unit of an SM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iwmu {
    pub entries: usize,
    pub search: Search,
    pub release_age: usize,
}

/// How the load request table is searched. I §3.1 and §5.2.3 allow both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// Four entries a cycle.
    Scan,
    /// All at once.
    Cam,
}

/// Which loads from shared memory are multicasting loads. I §3.4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Marking {
    /// All.
    All,
    /// Those of which a profile of the kernel's first blocks finds that warps perform them alike, and that no
    /// two warps would get each other's data.
    Redundant,
    /// Those at these places in the code.
    At(Vec<u32>),
}

impl TryFrom<String> for Marking {
    type Error = String;

    fn try_from(text: String) -> Result<Marking, String> {
        let place = |place: &str| {
            let digits = place.trim();
            u32::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).map_err(|_| {
                format!(
                    "`mlds.loads` is \"all\", \"redundant\" or program counters such as \"0x0c50,0x0c60\", \
                     not \"{text}\""
                )
            })
        };
        match text.as_str() {
            "all" => Ok(Marking::All),
            "redundant" => Ok(Marking::Redundant),
            _ => Ok(Marking::At(text.split(',').map(place).collect::<Result<_, _>>()?)),
        }
    }
}

impl From<Marking> for String {
    fn from(marking: Marking) -> String {
        match marking {
            Marking::All => "all".into(),
            Marking::Redundant => "redundant".into(),
            Marking::At(places) => {
                places.iter().map(|place| format!("{place:#06x}")).collect::<Vec<_>>().join(",")
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1 {
    pub unified: u64,
    pub carve_outs: Vec<u64>,
    pub ways: usize,
    pub latency: u64,
    pub sectors_per_cycle: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2 {
    pub size: u64,
    pub ways: usize,
    pub latency: u64,
    pub cycles_per_sector: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    pub latency: u64,
    pub cycles_per_sector: u64,
}

/// Every message names the file or setting and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(
        "{}: {source}; check that the path exists and that you may read it, or name a preset: {}",
        path.display(),
        PRESETS.map(|(name, _)| name).join(", ")
    )]
    Io { path: PathBuf, source: std::io::Error },

    #[error("{origin}: {reason}")]
    Malformed { origin: String, reason: String },

    #[error("{origin}: there is no constant `{key}`; {known}")]
    Unknown { origin: String, key: String, known: String },

    #[error("`--set {setting}` lacks a value; write key=value, such as `--set collectors=4`")]
    NoValue { setting: String },

    #[error("`{key} = {value}` is not possible: {reason}")]
    Impossible { key: String, value: String, reason: String },
}

impl Default for Config {
    /// `config/turing.toml`.
    fn default() -> Self {
        Config::load(None, &[]).expect("the embedded constants are valid")
    }
}

impl Config {
    /// The defaults, changed by a preset or a user's file, then by `key=value` settings in their order.
    ///
    /// A key of a section is written `section.key`, as in `l1.latency=28`.
    pub fn load(file: Option<&Path>, settings: &[String]) -> Result<Config, ConfigError> {
        Config::load_over("", file, settings)
    }

    /// The same, over the defaults as one of the embedded files changes them.
    pub fn load_over(preset: &str, file: Option<&Path>, settings: &[String]) -> Result<Config, ConfigError> {
        let embedded = |text: &str| text.parse::<Table>().expect("the embedded constants are TOML");
        let mut table = embedded(TURING);
        merge(&mut table, embedded(preset), "", "preset")?;
        if let Some(path) = file {
            let preset = PRESETS.iter().find(|(name, _)| Path::new(name) == path);
            let text = match preset {
                Some((_, text)) => text.to_string(),
                None => std::fs::read_to_string(path)
                    .map_err(|source| ConfigError::Io { path: path.into(), source })?,
            };
            let origin = path.display().to_string();
            let changes = text.parse::<Table>().map_err(|error| ConfigError::Malformed {
                origin: origin.clone(),
                reason: error.to_string().trim_end().to_string(),
            })?;
            merge(&mut table, changes, "", &origin)?;
        }
        Config::from_table(table, settings)
    }

    /// With further settings.
    pub fn with(&self, settings: &[String]) -> Result<Config, ConfigError> {
        Config::from_table(Table::try_from(self).expect("constants are TOML"), settings)
    }

    fn from_table(mut table: Table, settings: &[String]) -> Result<Config, ConfigError> {
        for setting in settings {
            let changes = parse_setting(setting)?;
            merge(&mut table, changes, "", &format!("--set {setting}"))?;
        }
        let config: Config = table.try_into().map_err(|error: toml::de::Error| ConfigError::Malformed {
            origin: "constants".into(),
            reason: error.to_string().trim_end().to_string(),
        })?;
        config.validate()?;
        Ok(config)
    }

    /// Rows of a register bank; a row holds one register of a warp.
    pub fn rows(&self) -> usize {
        self.sm.registers / (SUB_CORES * LANES * self.banks)
    }

    /// Rows of a bank under vt-regmutex, whose warps keep rows for all their registers, the shared ones too: twice as
    /// many as there are, if a bank can have them.
    pub fn regmutex_rows(&self) -> usize {
        (2 * self.rows()).min(MAX_ROWS.max(self.rows()))
    }

    /// Sizes and rules of the inter-warp multicasting unit.
    pub fn iwmu_parameters(&self) -> IwmuParameters {
        IwmuParameters {
            entries: self.iwmu.entries,
            search: match self.iwmu.search {
                Search::Scan => multicast::Search::Scan,
                Search::Cam => multicast::Search::Cam,
            },
            release_age: self.iwmu.release_age,
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        one_of("collectors", self.collectors, &[1, 2, 4, 8])?;
        one_of("banks", self.banks, &[2, 4])?;
        one_of("slots", self.slots, &[3, 4, 5, 6, 7])?;
        one_of("entries", self.entries, &[4, 8, 16])?;
        if self.entries <= self.slots {
            let reason = format!(
                "a cache table needs more entries than the {} source slots, all of which an instruction may lock; \
                 raise entries or lower slots",
                self.slots
            );
            return Err(impossible("entries", self.entries, reason));
        }
        between("sm.warps", self.sm.warps as u64, SUB_CORES as u64, (SUB_CORES * SUB_CORE_WARPS) as u64)?;
        between("sm.threads", self.sm.threads as u64, LANES as u64, 1024)?;
        between("sm.blocks", self.sm.blocks as u64, 1, 32)?;
        let most = (SUB_CORES * LANES * SUB_CORE_REGISTERS) as u64;
        between("sm.registers", self.sm.registers as u64, 16384, most)?;
        if self.sm.registers % (SUB_CORES * LANES * self.banks) != 0 {
            let reason = format!("it must be a multiple of {}", SUB_CORES * LANES * self.banks);
            return Err(impossible("sm.registers", self.sm.registers, reason));
        }
        between("sm.register_granularity", self.sm.register_granularity as u64, 1, 64)?;
        between("interval", self.interval, 1, u64::MAX)?;
        if let Sthld::Fixed(sthld) = self.sthld {
            between("sthld", sthld.into(), 0, 31)?;
        }
        between("rthld", self.rthld.into(), 1, 1 << 20)?;
        between("window", self.window as u64, 2, 8)?;
        between("d_ports", self.d_ports as u64, 1, 2)?;
        between("destinations", self.destinations as u64, 1, 4)?;
        between("sms", self.sms as u64, 1, 128)?;
        between("active_warps", self.active_warps as u64, 1, SUB_CORE_WARPS as u64)?;
        between("finereg.pcrf", self.finereg.pcrf as u64, 64, 2048)?;
        if self.finereg.pcrf % 32 != 0 {
            let reason = "it must be a multiple of 32".into();
            return Err(impossible("finereg.pcrf", self.finereg.pcrf, reason));
        }
        between("finereg.next_latency", self.finereg.next_latency as u64, 1, 4)?;
        between("finereg.context_cycles", self.finereg.context_cycles, 0, MAX_LATENCY)?;
        between("finereg.dram_ctas", self.finereg.dram_ctas as u64, 1, 128)?;
        between("finereg.srp", self.finereg.srp as u64, 1, 90)?;
        between("finereg.brs", self.finereg.brs as u64, 10, 100)?;
        between("load_store.queue", self.load_store.queue as u64, 1, 64)?;
        let units = [
            ("int", &self.int),
            ("fp32", &self.fp32),
            ("fp64", &self.fp64),
            ("sfu", &self.sfu),
            ("tensor", &self.tensor),
            ("branch", &self.branch),
            ("uniform", &self.uniform),
        ];
        for (name, unit) in units {
            between(&format!("{name}.latency"), unit.latency, 1, MAX_LATENCY)?;
            between(&format!("{name}.initiation"), unit.initiation, 1, MAX_LATENCY)?;
        }
        between("shared.latency", self.shared.latency, 1, MAX_LATENCY)?;
        one_of("shared.banks", self.shared.banks, &[1, 2, 4, 8, 16, 32, 64])?;
        between("mlds.transfers", self.mlds.transfers, 1, 2)?;
        between("iwmu.entries", self.iwmu.entries as u64, 16, 192)?;
        if self.iwmu.entries % multicast::LANES != 0 {
            let reason = format!("it must be a multiple of {}", multicast::LANES);
            return Err(impossible("iwmu.entries", self.iwmu.entries, reason));
        }
        between("iwmu.release_age", self.iwmu.release_age as u64, 1, u16::MAX.into())?;
        between("l1.latency", self.l1.latency, 1, MAX_LATENCY)?;
        between("l1.sectors_per_cycle", self.l1.sectors_per_cycle, 1, 4)?;
        let largest = self.l1.carve_outs.iter().copied().max().unwrap_or(0);
        if self.l1.carve_outs.is_empty() || largest >= self.l1.unified || largest < self.sm.shared_memory {
            let reason = format!(
                "the largest must hold sm.shared_memory = {} and leave some of l1.unified = {} to the cache",
                self.sm.shared_memory, self.l1.unified
            );
            return Err(impossible("l1.carve_outs", format!("{:?}", self.l1.carve_outs), reason));
        }
        cache_shape("l1", self.l1.unified, self.l1.ways)?;
        for carve_out in &self.l1.carve_outs {
            cache_shape("l1", self.l1.unified - carve_out, self.l1.ways)?;
        }
        cache_shape("l2", self.l2.size, self.l2.ways)?;
        between("l2.latency", self.l2.latency, self.l1.latency, MAX_LATENCY)?;
        between("l2.cycles_per_sector", self.l2.cycles_per_sector, 1, MAX_LATENCY)?;
        between("dram.latency", self.dram.latency, self.l2.latency, MAX_LATENCY)?;
        between("dram.cycles_per_sector", self.dram.cycles_per_sector, 1, MAX_LATENCY)
    }
}

/// No latency is longer; a bound so that a slip of the keyboard is not simulated for hours.
const MAX_LATENCY: u64 = 100_000;
/// Bytes of a cache line, in both caches.
pub const LINE: u64 = 128;

fn impossible(key: &str, value: impl ToString, reason: String) -> ConfigError {
    ConfigError::Impossible { key: key.into(), value: value.to_string(), reason }
}

fn one_of(key: &str, value: usize, allowed: &[usize]) -> Result<(), ConfigError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
    Err(impossible(key, value, format!("allowed are {}", allowed.join(", "))))
}

fn between(key: &str, value: u64, least: u64, most: u64) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let reason = match most {
        u64::MAX => format!("it must be at least {least}"),
        _ => format!("it must lie between {least} and {most}"),
    };
    Err(impossible(key, value, reason))
}

fn cache_shape(name: &str, size: u64, ways: usize) -> Result<(), ConfigError> {
    if ways > 0 && size >= LINE * ways as u64 && size % (LINE * ways as u64) == 0 {
        return Ok(());
    }
    let reason = format!("{size} bytes of {LINE}-byte lines do not divide into sets of that many ways");
    Err(impossible(&format!("{name}.ways"), ways, reason))
}

/// `l1.latency=28` as a table of that one key. A value that is no TOML value is a string.
fn parse_setting(setting: &str) -> Result<Table, ConfigError> {
    let no_value = || ConfigError::NoValue { setting: setting.into() };
    let (key, value) = setting.split_once('=').ok_or_else(no_value)?;
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || value.is_empty() {
        return Err(no_value());
    }
    let value = match format!("value = {value}").parse::<Table>() {
        Ok(mut table) => table.remove("value").expect("just written"),
        Err(_) => Value::String(value.into()),
    };
    let mut path = key.split('.').rev();
    let mut table = Table::from_iter([(path.next().expect("split is never empty").to_string(), value)]);
    for section in path {
        table = Table::from_iter([(section.to_string(), Value::Table(table))]);
    }
    Ok(table)
}

/// Puts `changes` over `table`, which already has every key there is.
fn merge(table: &mut Table, changes: Table, section: &str, origin: &str) -> Result<(), ConfigError> {
    for (key, change) in changes {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        let Some(present) = table.get_mut(&key) else {
            let known: Vec<&str> = table.keys().map(String::as_str).collect();
            let place = if section.is_empty() { "there are".into() } else { format!("`{section}` has") };
            let known = format!("{place} {}", known.join(", "));
            return Err(ConfigError::Unknown { origin: origin.into(), key: name, known });
        };
        match (present, change) {
            (Value::Table(inner), Value::Table(changes)) => merge(inner, changes, &name, origin)?,
            // A number of cycles, or a word.
            (present, change) if name == "sthld" => *present = change,
            (present, change) if present.type_str() == change.type_str() => *present = change,
            (present, change) => {
                let reason =
                    format!("the value must be of type {}, not {}", present.type_str(), change.type_str());
                return Err(impossible(&name, change, reason));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &[&str]) -> Result<Config, ConfigError> {
        let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
        Config::load(None, &settings)
    }

    fn message(settings: &[&str]) -> String {
        set(settings).unwrap_err().to_string()
    }

    #[test]
    fn sthld_is_a_number_or_adaptive() {
        let sthld = |value: &str| Config::load(None, &[format!("sthld={value}")]).map(|config| config.sthld);
        assert_eq!(sthld("5").unwrap(), Sthld::Fixed(5));
        assert_eq!(sthld("adaptive").unwrap(), Sthld::Adaptive(Adaptive::Adaptive));
        for wrong in ["32", "sometimes", "true"] {
            assert!(sthld(wrong).unwrap_err().to_string().contains("sthld"), "{wrong}");
        }
    }

    #[test]
    fn settings_change_single_constants() {
        let config = set(&["collectors=4", "l1.latency=28", "occupied=stall", "banks=4"]).unwrap();
        assert_eq!((config.collectors, config.l1.latency, config.occupied), (4, 28, Occupied::Stall));
        assert_eq!(config.rows(), 128);
        assert_eq!(Config::default().rows(), 256);
    }

    #[test]
    fn impossible_values_are_refused_with_what_is_possible() {
        assert_eq!(message(&["entries=5"]), "`entries = 5` is not possible: allowed are 4, 8, 16");
        assert!(message(&["entries=4"]).contains("more entries than the 7 source slots"));
        assert!(set(&["entries=4", "slots=3"]).is_ok());
        assert!(message(&["slots=8"]).contains("3, 4, 5, 6, 7"));
        assert!(message(&["int.latency=0"]).contains("int.latency"));
        assert!(message(&["l1.ways=7"]).contains("l1.ways"));
        assert!(message(&["collectors=two"]).contains("of type integer, not string"));
        assert!(message(&["occupied=wait"]).contains("skip"));
    }

    #[test]
    fn unknown_keys_are_refused_by_name() {
        assert!(message(&["colectors=2"]).contains("no constant `colectors`"));
        assert!(message(&["l1.colour=2"]).contains("`l1` has"));
        assert!(message(&["collectors"]).contains("key=value"));
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let folder = std::env::temp_dir().join(format!("gpurf-config-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("small.toml");
        std::fs::write(&path, "collectors = 1\n[dram]\nlatency = 700\n").unwrap();
        let config = Config::load(Some(&path), &["collectors=8".into()]).unwrap();
        assert_eq!((config.collectors, config.dram.latency), (8, 700));
        std::fs::write(&path, "[dram]\nspeed = 700\n").unwrap();
        let error = Config::load(Some(&path), &[]).unwrap_err().to_string();
        assert!(error.contains("small.toml") && error.contains("dram.speed"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
