//! Verilog on disk: one file per module, a file list and a FuseSoC core.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::tools::ToolError;
use crate::Design;

/// Warnings of `verilator --lint-only -Wall` that stand: rule, file, signal (none where the message names
/// none), reason. Exported beside the Verilog as `waivers.vlt`.
const WAIVERS: &[(&str, &str, &str, &str)] = &[
    (
        "UNUSEDSIGNAL",
        "ocu_stage_*",
        "*_near_*",
        "operand collector units know no reuse distance; the port is there for ccu_stage, which takes their place",
    ),
    ("UNUSEDSIGNAL", "arbiter_*", "*write_near*", "without caching collectors there is no write filter"),
    ("UNUSEDSIGNAL", "arbiter_*", "*write_warp*", "without caching collectors there is no write filter"),
    ("UNUSEDSIGNAL", "arbiter_*", "*home*", "only the bits that number the banks are used of the sum"),
    ("UNUSEDSIGNAL", "ccu_stage_*", "*_bank_*", "masks over banks are four bits wide however many banks there are"),
    ("UNUSEDSIGNAL", "ccu_stage_*", "random", "a table of fewer than 256 entries uses the low bits"),
    ("UNUSEDSIGNAL", "memory_*", "address", "rows are addressed by eight bits however many there are"),
    ("UNUSEDSIGNAL", "bank_*", "*row*", "rows are addressed by eight bits however many there are"),
    ("UNUSEDSIGNAL", "ccu_w*", "named_*", "nothing comes after the last slot that could repeat its register"),
    ("UNUSEDSIGNAL", "lfsr", "shifted", "its lowest bit is replaced by the feedback"),
    ("UNUSEDSIGNAL", "arbiter_collectors1_*", "issued_collector", "with one collector requests are for no other"),
    ("UNUSEDSIGNAL", "round_robin_requesters1", "granted", "one requester comes after no other"),
    ("UNUSEDPARAM", "*", "*", "numbers of entries, slots and banks are declared together"),
    ("UNSIGNED", "replacement_*", "", "every entry is at or after a random start of zero"),
];

/// Writes a design into a folder, which is made if need be: `MODULE.v` for every module, `TOP.f` (a file
/// list, children first), `TOP.core` (FuseSoC, CAPI2) and `waivers.vlt`. Files of other designs in the
/// folder are left alone; modules that designs share are written once.
///
/// # Errors
/// If a file cannot be written; each is complete or absent.
pub fn export(design: &Design, folder: &Path) -> Result<(), ToolError> {
    std::fs::create_dir_all(folder).map_err(ToolError::files(format!("cannot make {}", folder.display())))?;
    for module in &design.modules {
        write(folder, &format!("{}.v", module.name), &module.text)?;
    }
    let names = design.modules.iter().map(|module| format!("{}.v\n", module.name));
    write(folder, &format!("{}.f", design.top), &names.collect::<String>())?;
    write(folder, &format!("{}.core", design.top), &core_file(design))?;
    write(folder, "waivers.vlt", &waivers())
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), ToolError> {
    let action = || format!("cannot write {}", folder.join(name).display());
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(ToolError::files(action()))?;
    file.write_all(text.as_bytes()).map_err(ToolError::files(action()))?;
    file.persist(folder.join(name)).map_err(|error| ToolError::files(action())(error.error))?;
    Ok(())
}

/// The waivers as a configuration file of Verilator.
pub(crate) fn waivers() -> String {
    let mut text = String::from("`verilator_config\n");
    for (rule, file, signal, reason) in WAIVERS {
        let _ = write!(text, "\n// {reason}\nlint_off -rule {rule} -file \"*{file}.v\"");
        text += &if signal.is_empty() { "\n".into() } else { format!(" -match \"*'{signal}'*\"\n") };
    }
    text
}

fn core_file(design: &Design) -> String {
    let files: String = design.modules.iter().map(|module| format!("      - {}.v\n", module.name)).collect();
    let Design { top, .. } = design;
    let version = env!("CARGO_PKG_VERSION");
    let origin = &design.top_module().origin;
    format!(
        "CAPI=2:\n\
         name: gpurf:register_file:{top}:{version}\n\
         description: \"{origin}\"\n\
         \n\
         filesets:\n\
         \x20 rtl:\n\
         \x20   files:\n\
         {files}\
         \x20   file_type: verilogSource\n\
         \x20 lint:\n\
         \x20   files:\n\
         \x20     - waivers.vlt: {{file_type: vlt}}\n\
         \n\
         targets:\n\
         \x20 default: &default\n\
         \x20   filesets: [rtl]\n\
         \x20   toplevel: {top}\n\
         \x20 lint:\n\
         \x20   <<: *default\n\
         \x20   filesets: [lint, rtl]\n\
         \x20   default_tool: verilator\n\
         \x20   tools:\n\
         \x20     verilator:\n\
         \x20       mode: lint-only\n\
         \x20       verilator_options: [-Wall]\n\
         \x20 synth:\n\
         \x20   <<: *default\n\
         \x20   default_tool: yosys\n\
         \x20   tools:\n\
         \x20     yosys: {{arch: xilinx, output_format: verilog}}\n"
    )
}
