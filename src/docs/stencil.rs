// SPDX-License-Identifier: Apache-2.0
//! Output of the commands of the worked example.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use gpurf_workloads::{Device, LaunchFile, Options};

use super::project::Project;
use crate::input::Input;
use crate::sim::{report, Arguments, Simulated};

const DESIGNS: [&str; 3] = ["baseline", "traditional", "malekeh-gto"];
/// The last line of the report that is shown.
const LAST: &str = "hit ratio";

pub fn text(project: &Project, _about: &str) -> Result<String> {
    let path = project.root.join("docs/examples/stencil.toml");
    let name = path.display().to_string();
    let launches = fs::read_to_string(&path).with_context(|| format!("{name}: cannot be read"))?;
    let mut text = String::from("```\n");
    let file = LaunchFile::parse(&path, &launches)?;
    file.run(&mut Device::new(Options { stream: false, ..Options::default() }), |line| {
        text += line;
        text += "\n";
    })?;
    let mut designs = String::from("| `--design` | IPC | hit ratio |\n|---|---:|---:|\n");
    for design in DESIGNS {
        let Simulated { name: input, statistics, .. } =
            Arguments::of(&[&name, "--design", design])?.simulate(&Input::find(&name)?)?;
        let ratio = 100.0 * statistics.summary.hit_ratio;
        writeln!(designs, "| `{design}` | {:.3} | {ratio:.1}% |", statistics.summary.ipc)?;
        if design == DESIGNS[DESIGNS.len() - 1] {
            let report = report(&input, &statistics).to_string();
            let end =
                report.find(LAST).map_or(report.len(), |at| at + report[at..].find('\n').unwrap_or_default());
            text += &report[..end];
            text += "\n...\n```\n\n";
        }
    }
    Ok(text + &designs)
}
