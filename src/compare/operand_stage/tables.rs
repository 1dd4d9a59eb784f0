//! Tables of the study.

use comfy_table::Table;

use super::{Row, DESIGNS};
use crate::compare::series::percent;
use crate::output::table;

pub fn print(rows: &[Row], workloads: usize, area: Option<usize>) {
    println!(
        "Means over {workloads} workloads, %. IPC of the baseline is compared with its own in the first row,"
    );
    println!("that of the others with the baseline of their row. F §I: 8 OCUs instead of 2 gain 7.1%.");
    println!("{}", gains(rows));
    if let Some(width) = area {
        println!("Hardware with registers of {width} bits, GE and ns (Nangate 45 nm, no wires, memories without area):");
        println!("{}", costs(rows));
    }
}

fn gains(rows: &[Row]) -> Table {
    let mut table = table(&[
        "operand stage",
        "hold, cycles",
        "baseline IPC",
        "8 OCUs",
        "malekeh IPC",
        "hits",
        "bow IPC",
        "hits",
    ]);
    for Row { step, designs, eight_ocus, .. } in rows {
        let [baseline, malekeh, bow] = &designs[..] else { unreachable!("three designs") };
        table.add_row([
            step.name.to_string(),
            step.hold.to_string(),
            percent(baseline.over_slowest),
            percent(*eight_ocus),
            percent(malekeh.over_baseline),
            percent(malekeh.hit_ratio),
            percent(bow.over_baseline),
            percent(bow.hit_ratio),
        ]);
    }
    table
}

fn costs(rows: &[Row]) -> Table {
    let modules = DESIGNS.map(|(_, module)| [format!("{module} GE"), "path".to_string()]).concat();
    let headers: Vec<&str> =
        std::iter::once("operand stage").chain(modules.iter().map(String::as_str)).collect();
    let mut table = table(&headers);
    for row in rows {
        let cells = row.hardware.iter().flat_map(|synthesis| {
            let path = synthesis.longest_path_ns.map_or("".into(), |path| format!("{path:.2}"));
            [format!("{:.0}", synthesis.gate_equivalents), path]
        });
        table.add_row(std::iter::once(row.step.name.to_string()).chain(cells));
    }
    table
}
