// SPDX-License-Identifier: Apache-2.0
//! Reference model of the set mapping: C §IV-C, Equations 1 to 3.

use gpurf_blocks::ports::{SetMappingIn, SetMappingOut};
use gpurf_blocks::{Clocked, DestinationMapping, Parameters};

/// Which set takes in a register.
#[derive(Clone, Debug)]
pub struct SetMapping {
    sets: u32,
    mapping: DestinationMapping,
}

impl SetMapping {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { rc_entries, rc_ways, rc_mapping, .. } = *parameters;
        SetMapping { sets: (rc_entries / rc_ways) as u32, mapping: rc_mapping }
    }

    /// The set of a source, by its position in the instruction.
    pub fn of_source(&self, position: u32) -> u32 {
        position % self.sets
    }

    /// The set of a destination, by its number.
    pub fn of_destination(&self, register: u32) -> u32 {
        match self.mapping {
            DestinationMapping::Linear => register * self.sets / 256,
            DestinationMapping::Interleaving => register % self.sets,
        }
    }
}

impl Clocked for SetMapping {
    type In = SetMappingIn;
    type Out = SetMappingOut;

    fn settle(&mut self, inputs: &SetMappingIn) -> SetMappingOut {
        let set = match inputs.is_source {
            true => self.of_source(inputs.position),
            false => self.of_destination(inputs.register),
        };
        SetMappingOut { set }
    }

    fn tick(&mut self) {}
}
