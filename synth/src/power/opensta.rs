// SPDX-License-Identifier: Apache-2.0
//! The same power from OpenSTA, on the same netlist and the same activity.
//!
//! Versions of 2019 give each change of a pin the energy of a rising and of a falling edge; later ones give
//! it their mean, as a change is one of the two. Which it is, a probe of one flip-flop tells; internal power
//! is divided by it.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use gpurf_verilog::tools::{run, Tool};

use super::{Energy, Setting};
use crate::circuit::{Activity, Circuit, Net};
use crate::liberty::Direction;

const NETLIST: &str = "netlist.v";
const SCRIPT: &str = "power.tcl";

/// Power that OpenSTA reports of the cells at this period, as energies of one cycle; `None` where it is not
/// installed.
///
/// Changes and duties of all pins are annotated; versions of 2019 ignore all but those of input ports, and
/// follow them through the cells, each input by itself. The loads are those of the setting, wires included.
///
/// # Errors
/// If it refuses the netlist or its report cannot be read.
pub fn opensta(
    circuit: &Circuit,
    activity: &Activity,
    setting: &Setting,
    period_ns: f64,
) -> Result<Option<Energy>> {
    if Tool::Sta.find().is_err() {
        return Ok(None);
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).with_context(|| format!("{}: cannot be written", path.display()))
    };
    write(NETLIST, verilog(circuit))?;
    write(SCRIPT, script(circuit, activity, setting, period_ns))?;
    let mut energy = reported(folder.path(), period_ns)?;
    write("edges.lib", include_str!("edges.lib").to_string())?;
    write(NETLIST, include_str!("edges.v").to_string())?;
    write(
        SCRIPT,
        format!(
            "{ANNOTATE}read_liberty edges.lib\nread_verilog {NETLIST}\nlink_design top\n\
             create_clock -name clock -period 1 [get_ports p0]\nannotate c0/D 1 0.5\nannotate c0/Q 1 0.5\nreport_power -digits 6\nexit\n"
        ),
    )?;
    // A rising edge costs 4 fJ, a falling one 6: their mean is 5.
    energy.internal_fj /= reported(folder.path(), 1.0)?.internal_fj / 5.0;
    Ok(Some(energy))
}

/// Runs the script in a folder and reads what it reports.
fn reported(folder: &Path, period_ns: f64) -> Result<Energy> {
    let report = run(Tool::Sta.command()?.args(["-exit", SCRIPT]).current_dir(folder))?;
    parse(&report, period_ns).with_context(|| format!("OpenSTA reports no power:\n{report}"))
}

/// For some versions, `set_power_activity -pins` calls a procedure that does not exist; what lies below it
/// serves.
const ANNOTATE: &str = "proc annotate {pin activity duty} {
  set pin [get_pins $pin]
  if {[llength [info commands ::sta::set_power_pin_activity]]} {
    ::sta::set_power_pin_activity $pin $activity $duty
  } else {
    set_power_activity -pins $pin -activity $activity -duty $duty
  }
}
";

/// The cells under names that no tool makes anything else of: ports `p7`, nets `n7`, cells `c7`.
fn verilog(circuit: &Circuit) -> String {
    let name = |net: Net| match net {
        0 | 1 => format!("1'b{net}"),
        net => format!("n{net}"),
    };
    let mut ports = vec![];
    let mut body = String::new();
    for port in circuit.ports.values() {
        for net in &port.bits {
            let number = ports.len();
            ports.push((format!("p{number}"), port.is_input));
            let assigned = match port.is_input {
                true => format!("{} = p{number}", name(*net)),
                false => format!("p{number} = {}", name(*net)),
            };
            writeln!(body, "  assign {assigned};").expect("writing to a String");
        }
    }
    for (number, instance) in circuit.instances.iter().enumerate() {
        let pins = instance.cell.pins.iter().zip(&instance.pins);
        let pins = pins.filter_map(|(pin, net)| Some(format!(".{}({})", pin.name, name((*net)?))));
        let pins = pins.collect::<Vec<_>>().join(", ");
        writeln!(body, "  {} c{number} ({pins});", instance.kind).expect("writing to a String");
    }
    let names = ports.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let directions = ports.iter().map(|(name, is_input)| {
        let direction = if *is_input { "input" } else { "output" };
        format!("  {direction} {name};\n")
    });
    let wires = (2..circuit.nets.len()).map(|net| format!("  wire n{net};\n")).collect::<String>();
    format!("module top({names});\n{}{wires}{body}endmodule\n", directions.collect::<String>())
}

fn script(circuit: &Circuit, activity: &Activity, setting: &Setting, period_ns: f64) -> String {
    let bits = circuit.ports.values().flat_map(|port| port.bits.iter().map(move |net| (port.is_input, *net)));
    let bits: Vec<(bool, Net)> = bits.collect();
    let clock = bits.iter().position(|(_, net)| Some(*net) == circuit.clock);
    let clock_port = clock.map_or(String::new(), |number| format!("[get_ports p{number}]"));
    let mut text = format!(
        "{ANNOTATE}read_liberty {{{liberty}}}\nset_cmd_units -time ns -capacitance fF\nread_verilog {NETLIST}\nlink_design top\n\
         create_clock -name clock -period {period_ns} {clock_port}\n\
         set_clock_transition {slope} [get_clocks clock]\n",
        liberty = circuit.library.path.display(),
        slope = setting.input_transition_ns,
    );
    let mut fanouts = circuit.fanouts.clone();
    bits.iter().filter(|(is_input, _)| !is_input).for_each(|(_, net)| fanouts[*net as usize] += 1);
    let density = |net: Net| activity.toggles[net as usize] as f64 / (activity.steps as f64).max(1.0);
    let duty = |net: Net| activity.high[net as usize] / (activity.cycles as f64).max(1.0);
    let line = |text: &mut String, what: String| writeln!(text, "{what}").expect("writing to a String");
    for (number, (is_input, net)) in bits.iter().enumerate() {
        if !is_input {
            // A net with a load of its own has no wire of the wire-load model.
            let wire = setting.wires.as_ref().map_or(0.0, |wires| wires.of(fanouts[*net as usize] as usize));
            line(&mut text, format!("set_load {} [get_ports p{number}]", setting.output_load_ff + wire));
        } else if Some(number) != clock {
            let slope = setting.input_transition_ns;
            line(&mut text, format!("set_input_transition {slope} [get_ports p{number}]"));
            let (activity, duty) = (density(*net), duty(*net));
            line(
                &mut text,
                format!(
                    "set_power_activity -input_ports [get_ports p{number}] -activity {activity} -duty {duty}"
                ),
            );
        }
    }
    if let Some(name) = circuit.library.default_wire_load.as_ref().filter(|_| setting.wires.is_some()) {
        line(&mut text, format!("set_wire_load_mode top\nset_wire_load_model -name {name}"));
    }
    for (number, instance) in circuit.instances.iter().enumerate() {
        for (pin, net) in instance.cell.pins.iter().zip(&instance.pins) {
            if let (Some(net), Direction::Output | Direction::Input) = (net, pin.direction) {
                let (activity, duty, pin) = (density(*net), duty(*net), &pin.name);
                line(&mut text, format!("annotate c{number}/{pin} {activity} {duty}"));
            }
        }
    }
    text + "report_power -digits 6\nexit\n"
}

/// Reads the line of totals: internal, switching and leakage power in watts.
fn parse(report: &str, period_ns: f64) -> Option<Energy> {
    let line = report.lines().find(|line| line.trim_start().starts_with("Total"))?;
    let mut numbers = line.split_whitespace().skip(1).map(str::parse::<f64>);
    let mut next = || numbers.next()?.ok();
    // A watt over a nanosecond is 10⁶ femtojoules.
    let energy = 1e6 * period_ns;
    Some(Energy { internal_fj: next()? * energy, switching_fj: next()? * energy, leakage_nw: next()? * 1e9 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_totals_are_read() {
        let report =
            "Group  Internal Switching Leakage Total\nTotal  1.0e-05 2.0e-06 3.0e-07 1.23e-05 100.0%\n";
        let energy = parse(report, 2.0).unwrap();
        assert!((energy.internal_fj - 20.0).abs() < 1e-9 && (energy.switching_fj - 4.0).abs() < 1e-9);
        assert!((energy.leakage_nw - 300.0).abs() < 1e-9);
        assert_eq!(parse("Error: no design", 1.0), None);
    }
}
