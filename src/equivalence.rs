//! `gpurf equivalence`: proofs that netlists do what their Verilog says.

use anyhow::Result;
use clap::Args;
use gpurf_synth::{prove, Proof, Structure};
use serde::Serialize;

use crate::output::{each, table, JsonArgument};
use crate::synth::SynthesisArguments;
use crate::verilog::{hierarchy, modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf equivalence round_robin ocu --set width=32
  gpurf equivalence ocu --set width=32 --clock-gating
  gpurf equivalence --set width=32 --proof 300 --json proofs.json

A module that is not proved in time is listed as open: it may be equivalent all the same, and `gpurf testbench --engines
rtl,netlist` compares the two under stimulus.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    /// Time for each way of proving, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    proof: u64,
    #[command(flatten)]
    json: JsonArgument,
}

#[derive(Serialize)]
struct Report {
    module: &'static str,
    verilog: String,
    #[serde(flatten)]
    proof: Proof,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    let options = arguments.synthesis.options()?;
    let reports = each(
        entries,
        "modules",
        |entry| entry.name,
        |entry| {
            let hierarchy = hierarchy(entry, &parameters)?;
            let netlist = arguments.synthesis.map(&hierarchy, &options, Structure::Flattened)?;
            let proof = prove(&hierarchy, &netlist, &options.library, arguments.proof)?;
            Ok(Report { module: entry.name, verilog: hierarchy.top, proof })
        },
    )?;
    arguments.json.write(&reports)?;
    if arguments.json.leaves_tables() {
        let mut rows = table(&["module", "proved by", "seconds"]);
        for report in &reports {
            let by = report.proof.by.unwrap_or("open");
            rows.add_row([report.verilog.clone(), by.to_string(), format!("{:.1}", report.proof.seconds)]);
        }
        println!("{rows}");
        let proved = reports.iter().filter(|report| report.proof.by.is_some()).count();
        println!("{proved} of {} proved", reports.len());
    }
    Ok(Verdict::Holds)
}
