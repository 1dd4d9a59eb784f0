// SPDX-License-Identifier: Apache-2.0
//! Designs as files, for people and for other tools.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tools::ToolError;
use crate::{Hierarchy, Language, VerilogModule};

/// Writes a design into a folder, which is made if it does not exist:
///
/// * `<module>.v` for each module, `<module>.sv` in SystemVerilog,
/// * `<top>.f`, the list of these files, children first,
/// * `<top>.vlt`, what Verilator's lint check is told to pass over, and why,
/// * `<top>.core`, for FuseSoC, with the targets `default`, `lint`, `sim` and `synth`.
///
/// Returns the paths of all files. Each is complete or not there.
pub fn export(hierarchy: &Hierarchy, folder: &Path) -> Result<Vec<PathBuf>, ToolError> {
    fs::create_dir_all(folder).map_err(ToolError::files(format!("cannot make {}", folder.display())))?;
    let top = &hierarchy.top;
    let modules = hierarchy.modules.iter().map(|module| {
        let text = match hierarchy.style.language {
            Language::Verilog => {
                // The license stands in the first line.
                let (head, body) =
                    module.text.split_at(module.text.find("\nmodule ").map_or(0, |end| end + 1));
                format!("{head}\n`default_nettype none\n\n{body}\n`default_nettype wire\n")
            }
            Language::SystemVerilog => module.text.clone(),
        };
        (file_name(hierarchy, module), text)
    });
    let lists = [
        (format!("{top}.f"), file_list(hierarchy)),
        (format!("{top}.vlt"), waivers(hierarchy)),
        (format!("{top}.core"), core(hierarchy)),
    ];
    modules.chain(lists).map(|(name, text)| write(&folder.join(name), &text)).collect()
}

fn write(path: &Path, text: &str) -> Result<PathBuf, ToolError> {
    gpurf_files::write(path, text)?;
    Ok(path.to_path_buf())
}

/// The file that a module of a design is exported to.
pub fn file_name(hierarchy: &Hierarchy, module: &VerilogModule) -> String {
    format!("{}.{}", module.name, extension(hierarchy))
}

fn extension(hierarchy: &Hierarchy) -> &'static str {
    match hierarchy.style.language {
        Language::Verilog => "v",
        Language::SystemVerilog => "sv",
    }
}

fn file_list(hierarchy: &Hierarchy) -> String {
    hierarchy.modules.iter().map(|module| file_name(hierarchy, module) + "\n").collect()
}

/// Warnings that `verilator --lint-only -Wall` is told to pass over, by name and with the reason.
fn waivers(hierarchy: &Hierarchy) -> String {
    let mut text = format!(
        "`verilator_config

// Numbers and tables are cut to the width that is needed.
lint_off -rule UNUSEDSIGNAL -file \"*.{extension}\" -match \"Bits of signal are not used*\"
// Outputs that a parent has no use for are left open, by name.
lint_off -rule PINCONNECTEMPTY
// Words of C++ are free to use in Verilog.
lint_off -rule SYMRSVDWORD
",
        extension = extension(hierarchy)
    );
    for module in hierarchy.modules.iter().filter(|module| !module.unused_inputs.is_empty()) {
        text += &format!("// {} shares its ports with modules that use them all.\n", module.name);
        for input in &module.unused_inputs {
            text += &format!(
                "lint_off -rule UNUSEDSIGNAL -file \"*{}\" -match \"Signal is not used: '{input}'*\"\n",
                file_name(hierarchy, module)
            );
        }
    }
    text
}

/// A FuseSoC core file (CAPI2).
fn core(hierarchy: &Hierarchy) -> String {
    let top = &hierarchy.top;
    let files = hierarchy.modules.iter().map(|module| format!("      - {}\n", file_name(hierarchy, module)));
    let files: String = files.collect();
    let file_type = match hierarchy.style.language {
        Language::Verilog => "verilogSource",
        Language::SystemVerilog => "systemVerilogSource",
    };
    format!(
        "CAPI=2:

name: gpurf:hw:{top}:{version}
description: \"{origin}\"

filesets:
  rtl:
    files:
{files}    file_type: {file_type}
  lint:
    files:
      - {top}.vlt
    file_type: vlt

targets:
  default:
    filesets: [rtl]
    toplevel: {top}

  lint:
    filesets: [rtl, lint]
    toplevel: {top}
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]

  sim:
    filesets: [rtl]
    toplevel: {top}
    default_tool: icarus

  synth:
    filesets: [rtl]
    toplevel: {top}
    default_tool: yosys
    tools:
      yosys:
        arch: ice40
",
        version = env!("CARGO_PKG_VERSION"),
        origin = hierarchy.top_module().origin.replace('\\', "\\\\").replace('"', "\\\""),
    )
}
