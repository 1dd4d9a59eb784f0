// SPDX-License-Identifier: Apache-2.0
//! Reads constants from the defaults, a user's file and single settings.

use std::path::{Path, PathBuf};

use gpurf_blocks::{suggestion, ParameterError, Parameters, PARAMETERS, TIMING};
use serde::{Serialize, Serializer};
use toml::{Table, Value};

use super::check::impossible;
use super::Config;

/// The defaults of all that is no hardware, with the source of each number: a Turing SM.
pub const TURING: &str = include_str!("../../config/turing.toml");

/// Constants that R's machine changes (R Table I).
pub const FINEREG: &str = include_str!("../../config/finereg.toml");

/// Changes to the defaults that have a name, in place of a user's file: the machine of each paper, the
/// reference's, SMs of shipped GPUs as H describes them, and a whole GPU that kernels were measured on.
pub const PRESETS: [(&str, &str); 9] = [
    ("accel-sim-rtx2060", include_str!("../../config/accel_sim_rtx2060.toml")),
    ("malekeh-f", include_str!("../../config/malekeh_f.toml")),
    ("malekeh-w", include_str!("../../config/malekeh_w.toml")),
    ("multicast-v1", include_str!("../../config/multicast_v1.toml")),
    ("multicast-next", include_str!("../../config/multicast_next.toml")),
    ("finereg", FINEREG),
    ("modern-turing", include_str!("../../config/modern_turing.toml")),
    ("modern-ampere", include_str!("../../config/modern_ampere.toml")),
    ("qv100", include_str!("../../config/qv100.toml")),
];

/// Hardware parameters that a configuration cannot set, and what sets them.
const SET_BY_THE_SM: [(&str, &str); 9] = [
    ("warps", "set sm.warps, of which a sub-core has a quarter"),
    ("width", "a register's data is a token of 32 bits"),
    ("rows", "set sm.registers, of which the banks hold a sub-core's share"),
    ("replacement", "choose another design"),
    ("cache_far", "choose another design"),
    ("scheduling", "choose another design"),
    ("allocation", "choose another design"),
    ("seed", "it follows from the run's seed"),
    ("ctas", "the SM has as many as the hardware can"),
];

/// Every message names the file or setting and the remedy.
#[derive(Debug, thiserror::Error)]
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
pub enum ConfigError {
    #[error(
        "{}: {error}; check that the path exists and that you may read it, or name a preset: {}",
        path.display(),
        PRESETS.map(|(name, _)| name).join(", ")
    )]
    Io { path: PathBuf, error: std::io::Error },

    #[error("{origin}: {reason}")]
    Malformed { origin: String, reason: String },

    #[error("{origin}: there is no constant `{key}`{known}")]
    Unknown { origin: String, key: String, known: String },

    #[error("`--set {setting}` lacks a value; write key=value, such as `--set collectors=4`")]
    NoValue { setting: String },

    #[error(transparent)]
    Hardware(#[from] ParameterError),

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
        let mut draft = Draft { hardware: Parameters::default(), table: embedded(TURING) };
        draft.change(embedded(preset), "preset")?;
        if let Some(path) = file {
            let preset = PRESETS.iter().find(|(name, _)| Path::new(name) == path);
            let text = match preset {
                Some((_, text)) => text.to_string(),
                None => std::fs::read_to_string(path)
                    .map_err(|error| ConfigError::Io { path: path.into(), error })?,
            };
            let origin = path.display().to_string();
            let changes = text.parse::<Table>().map_err(|error| ConfigError::Malformed {
                origin: origin.clone(),
                reason: error.to_string().trim_end().to_string(),
            })?;
            draft.change(changes, &origin)?;
        }
        draft.finish(settings)
    }

    /// With further settings.
    pub fn with(&self, settings: &[String]) -> Result<Config, ConfigError> {
        let mut table = Table::try_from(self).expect("constants are TOML");
        table.remove("hardware");
        Draft { hardware: self.hardware, table }.finish(settings)
    }
}

/// Constants on the way to a [`Config`].
struct Draft {
    hardware: Parameters,
    /// All others, as TOML.
    table: Table,
}

impl Draft {
    fn change(&mut self, changes: Table, origin: &str) -> Result<(), ConfigError> {
        let is_hardware =
            |key: &str| key == TIMING || PARAMETERS.iter().any(|parameter| parameter.name == key);
        let (mut hardware, others): (Table, Table) =
            changes.into_iter().partition(|(key, _)| is_hardware(key));
        // What stands beside a timing goes before it.
        let timing = hardware.remove(TIMING).map(|value| (TIMING.to_string(), value));
        for (name, value) in timing.into_iter().chain(hardware) {
            let malformed = |reason: String| ConfigError::Malformed { origin: origin.into(), reason };
            if let Some((_, what)) = SET_BY_THE_SM.iter().find(|(set, _)| *set == name) {
                return Err(malformed(format!("`{name}` cannot be set here: {what}")));
            }
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            self.hardware.set(&name, &text).map_err(|error| malformed(error.to_string()))?;
        }
        merge(&mut self.table, others, "", origin)
    }

    fn finish(mut self, settings: &[String]) -> Result<Config, ConfigError> {
        for setting in settings {
            self.change(parse_setting(setting)?, &format!("--set {setting}"))?;
        }
        let config: Config = self.table.try_into().map_err(|error: toml::de::Error| {
            ConfigError::Malformed { origin: "constants".into(), reason: error.message().to_string() }
        })?;
        let config = Config { hardware: self.hardware, ..config };
        config.check()?;
        Ok(config)
    }
}

/// Hardware parameters that a configuration can set.
pub(super) fn is_settable(name: &str) -> bool {
    SET_BY_THE_SM.iter().all(|(set, _)| *set != name)
}

/// Writes the parameters that a configuration can set.
pub(super) fn settable<S: Serializer>(parameters: &Parameters, serializer: S) -> Result<S::Ok, S::Error> {
    let table = Table::try_from(parameters).expect("parameters are TOML");
    table.into_iter().filter(|(name, _)| is_settable(name)).collect::<Table>().serialize(serializer)
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
            let mut known: Vec<&str> = table.keys().map(String::as_str).collect();
            if section.is_empty() {
                let hardware =
                    PARAMETERS.iter().map(|parameter| parameter.name).filter(|name| is_settable(name));
                known.extend(hardware.chain([TIMING]));
            }
            let list = match section {
                "" => "`gpurf names constants` and `gpurf names parameters` list them".to_string(),
                _ => format!("`{section}` has {}", known.join(", ")),
            };
            let known = match suggestion(&key, known, &list) {
                // There are few, and all of them are named.
                known if !known.contains(&list) => format!(". {list}"),
                known => known,
            };
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
    use gpurf_blocks::Occupied;

    use super::*;
    use crate::config::{Adaptive, Sthld};

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
    fn a_timing_goes_before_what_stands_beside_it() {
        let mut draft = Draft { hardware: Parameters::default(), table: TURING.parse().unwrap() };
        draft.change("accesses = 1\ntiming = \"accel-sim\"".parse().unwrap(), "a file").unwrap();
        assert_eq!((draft.hardware.accesses, draft.hardware.dispatch_on_arrival), (1, true));
        let config = set(&["timing=fast", "grant_at_issue=true"]).unwrap();
        assert!(config.hardware.grant_at_issue && config.hardware.allocate_on_arrival);
        let slow = message(&["timing=slow"]);
        assert!(slow.ends_with("timing=slow is not possible; timing is paper, accel-sim or fast"), "{slow}");
    }

    #[test]
    fn the_reference_has_the_timing_of_its_name() {
        let reference = Config::load(Some(Path::new("accel-sim-rtx2060")), &[]).unwrap().hardware;
        let mut timing = reference;
        timing.set(TIMING, "accel-sim").unwrap();
        assert_eq!(reference, timing);
    }

    #[test]
    fn settings_change_single_constants() {
        let config = set(&["collectors=4", "l1.latency=28", "occupied=stall", "banks=4"]).unwrap();
        assert_eq!(
            (config.hardware.collectors, config.l1.latency, config.hardware.occupied),
            (4, 28, Occupied::Stall)
        );
        assert_eq!(config.rows(), 128);
        assert_eq!(Config::default().rows(), 256);
    }

    #[test]
    fn impossible_values_are_refused_with_what_is_possible() {
        assert_eq!(
            message(&["entries=5"]),
            "--set entries=5: entries=5 is not possible; entries is 4, 8 or 16"
        );
        assert!(message(&["entries=4"]).contains("entries=4 is not more than slots=7"));
        assert!(set(&["entries=4", "slots=3"]).is_ok());
        assert!(message(&["slots=9"]).contains("3, 4, 5, 6, 7 or 8"));
        assert!(message(&["int.latency=0"]).contains("int.latency"));
        assert!(message(&["l1.ways=7"]).contains("l1.ways"));
        assert!(message(&["collectors=two"]).contains("collectors is 1, 2, 4 or 8"));
        assert!(message(&["occupied=wait"]).contains("skip"));
    }

    #[test]
    fn what_the_sm_sets_itself_is_refused_with_the_remedy() {
        assert!(message(&["rows=64"]).contains("set sm.registers"));
        assert!(message(&["scheduling=gto"]).contains("choose another design"));
        assert!(message(&["release_age=0"]).contains("give a number of cycles"));
    }

    #[test]
    fn unknown_keys_are_refused_by_name() {
        assert!(message(&["colectors=2"]).contains("no constant `colectors`; did you mean collectors?"));
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
        assert_eq!((config.hardware.collectors, config.dram.latency), (8, 700));
        std::fs::write(&path, "[dram]\nspeed = 700\n").unwrap();
        let error = Config::load(Some(&path), &[]).unwrap_err().to_string();
        assert!(error.contains("small.toml") && error.contains("dram.speed"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
