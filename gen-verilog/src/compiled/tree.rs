// SPDX-License-Identifier: Apache-2.0
//! The tree of modules that a design is made from, and its nets.

use std::collections::HashMap;
use std::rc::Rc;

use super::nodes::{NodeId, Nodes, SlotId};
use super::storage::MemoryKind;
use crate::emit::schedule::Process;
use crate::emit::signals::{SignalId, Signals};

/// A signal of the flat design.
pub type Net = usize;

/// The source of a net's value.
#[derive(Clone)]
pub enum Driver {
    /// Nothing that is simulated: a clock, or a port that nothing drives.
    None,
    Node(NodeId),
    /// The process of an instance.
    Process(usize, usize),
}

/// A module that occurs in the tree.
pub struct TranslatedModule {
    pub signals: Signals,
    pub processes: Vec<Process>,
    /// The number of each child's port, in the child and here.
    pub children: Vec<Child>,
}

/// A part of a module, with the signals at its ports.
pub enum Child {
    Register {
        reset: SignalId,
        enable: SignalId,
        d: SignalId,
        q: SignalId,
    },
    /// By the name of its port, with the index of an array behind it.
    Memory(MemoryKind, HashMap<String, SignalId>),
    Module(Rc<TranslatedModule>, Vec<(SignalId, SignalId)>),
}

/// A module at its place in the tree.
pub struct Instance {
    pub module: Rc<TranslatedModule>,
    pub nets: Vec<Net>,
    pub path: Vec<String>,
    /// Name of the module without its parameters.
    pub block: String,
}

/// The instances, and what drives each net.
#[derive(Default)]
pub struct Tree {
    pub nodes: Nodes,
    pub slots: Vec<usize>,
    pub instances: Vec<Instance>,
    pub drivers: Vec<Driver>,
    pub registers: Vec<(SlotId, [Net; 3])>,
    pub memories: Vec<Connected>,
}

/// A memory with the nets of its ports, and the slots of its outputs, by name.
pub type Connected = (MemoryKind, HashMap<String, Net>, HashMap<String, SlotId>);
