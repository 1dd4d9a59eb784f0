// SPDX-License-Identifier: Apache-2.0
//! Memory of registers of a warp whose lanes are written and read apart.

use gpurf_blocks::LANES;
use rust_hdl::prelude::*;

use super::{activity, array, array_of, clock_edge, Clocking, Identity};

/// Up to 128 rows of `W` bits in 32 lanes, with one write port and several read ports. Lanes fall into
/// groups; each group has a row of its own at every port.
///
/// Timing: an access takes place on the rising edge. Lanes that are read stand on `read_data` in the next
/// cycle, all others are zero there; a read sees what was stored before a write of the same cycle. Contents
/// are zero in simulation before the first write and unknown in hardware. Yosys infers one `$mem_v2` for each
/// lane.
#[derive(LogicBlock)]
pub struct LaneMemory<const W: usize> {
    /// An access takes place at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Lanes that are written.
    pub write_lanes: Signal<In, Bits<32>>,
    /// Row that is written in each group.
    pub write_row: Vec<Signal<In, Bits<7>>>,
    /// Data of the written lanes; the lanes that are not written are left out.
    pub write_data: Signal<In, Bits<W>>,
    /// Lanes that are read at each read port.
    pub read_lanes: Vec<Signal<In, Bits<32>>>,
    /// Row of each group at each read port.
    pub read_row: Vec<Vec<Signal<In, Bits<7>>>>,
    /// Lanes that each read port has read; zero in all others.
    pub read_data: Vec<Signal<Out, Bits<W>>>,
    identity: Identity,
    _groups: usize,
    _rows: Vec<Bits<W>>,
}

impl<const W: usize> LaneMemory<W> {
    /// `rows`: 1 to 128; `groups`: a divisor of 32.
    pub fn new(rows: usize, groups: usize, read_ports: usize) -> Self {
        assert!((1..=128).contains(&rows), "a lane memory has 1 to 128 rows, not {rows}");
        assert!(groups > 0 && LANES % groups == 0, "{groups} groups of {LANES} lanes");
        let parameters = [("w", W), ("rows", rows), ("groups", groups), ("reads", read_ports)];
        LaneMemory {
            clock: Signal::default(),
            write_lanes: Signal::default(),
            write_row: array(groups),
            write_data: Signal::default(),
            read_lanes: array(read_ports),
            read_row: array_of(read_ports, &mut |_| array(groups)),
            read_data: array(read_ports),
            identity: Identity::new("lane_memory", "Memory of lanes with several read ports", &parameters),
            _groups: groups,
            _rows: vec![0.into(); rows],
        }
    }

    /// The lanes of each group that a mask names, as bits of a row.
    fn bits_of(&self, lanes: Bits<32>, group: usize) -> Bits<W> {
        let (of_group, of_lane) = (LANES / self._groups, W / LANES);
        let mut bits: Bits<W> = 0.into();
        for lane in (group * of_group..(group + 1) * of_group).filter(|lane| lanes.get_bit(*lane)) {
            for bit in lane * of_lane..(lane + 1) * of_lane {
                bits = bits.replace_bit(bit, true);
            }
        }
        bits
    }
}

impl<const W: usize> Clocking for LaneMemory<W> {
    fn set_clock(&mut self, level: bool) {
        clock_edge(&mut self.clock, level);
    }

    fn shows_anew(&self) -> bool {
        self.read_row.has_changed()
            || self.read_lanes.has_changed()
            || self.write_row.has_changed()
            || self.write_lanes.changed
            || self.write_data.changed
            || self.read_data.has_changed()
    }
}

impl<const W: usize> Logic for LaneMemory<W> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        for port in 0..self.read_data.len() {
            let mut data: Bits<W> = 0.into();
            let lanes = self.read_lanes[port].val();
            if lanes.any() {
                for group in 0..self._groups {
                    let row = self.read_row[port][group].val().index();
                    data = data | (self._rows[row] & self.bits_of(lanes, group));
                }
            }
            if self.read_data[port].val() != data {
                activity::record();
                self.read_data[port].next = data;
            }
        }
        let lanes = self.write_lanes.val();
        if lanes.any() {
            activity::record();
            for group in 0..self._groups {
                let (row, written) = (self.write_row[group].val().index(), self.bits_of(lanes, group));
                self._rows[row] = (self._rows[row] & !written) | (self.write_data.val() & written);
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let (rows, groups, ports) = (self._rows.len(), self._groups, self.read_data.len());
        let address = clog2(rows).max(1);
        Verilog::Custom(format!(
            "genvar lane, port;\n\
             generate\n\
             \x20 for (lane = 0; lane < {LANES}; lane = lane + 1) begin : lanes\n\
             \x20   reg [{msb}:0] rows [0:{last}];\n\
             `ifndef SYNTHESIS\n\
             \x20   integer row;\n\
             \x20   initial for (row = 0; row < {rows}; row = row + 1) rows[row] = {{{of_lane}{{1'b0}}}};\n\
             `endif\n\
             \x20   always @(posedge clock)\n\
             \x20     if (write_lanes[lane])\n\
             \x20       rows[write_row[7*(lane/{of_group}) +: {address}]] <= write_data[{of_lane}*lane +: {of_lane}];\n\
             \x20   for (port = 0; port < {ports}; port = port + 1) begin : ports\n\
             `ifndef SYNTHESIS\n\
             \x20     initial read_data[{W}*port + {of_lane}*lane +: {of_lane}] = {{{of_lane}{{1'b0}}}};\n\
             `endif\n\
             \x20     always @(posedge clock)\n\
             \x20       if (read_lanes[{LANES}*port + lane])\n\
             \x20         read_data[{W}*port + {of_lane}*lane +: {of_lane}]\n\
             \x20           <= rows[read_row[7*({groups}*port + lane/{of_group}) +: {address}]];\n\
             \x20       else\n\
             \x20         read_data[{W}*port + {of_lane}*lane +: {of_lane}] <= {{{of_lane}{{1'b0}}}};\n\
             \x20   end\n\
             \x20 end\n\
             endgenerate\n",
            msb = W / LANES - 1,
            last = rows - 1,
            of_lane = W / LANES,
            of_group = LANES / groups,
        ))
    }
}
