//! Reference models of the load request table: I §3.1 to §3.3.

use gpurf_blocks::{Clocked, Parameters, SCAN_LANES};
use gpurf_hw::multicast::{LrtIn, LrtOut};

/// A load that waits for a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    warp: u32,
    address: u32,
    source: u32,
    destination: u32,
    /// Ticks seen, up to two.
    age: u32,
}

impl Entry {
    fn of(inputs: &LrtIn) -> Self {
        let LrtIn { warp, address, source, destination, .. } = *inputs;
        Entry { warp, address, source, destination, age: 0 }
    }

    fn is_due(&self) -> bool {
        self.age == 2
    }

    /// It must leave before the operation.
    fn leaves_for(&self, inputs: &LrtIn) -> bool {
        self.warp == inputs.warp && (inputs.drain || self.destination == inputs.destination)
    }

    /// It can share one access with the load.
    fn is_partner_of(&self, inputs: &LrtIn) -> bool {
        let load = Entry::of(inputs);
        let same = Entry { warp: load.warp, age: 0, ..*self } == load;
        same && self.warp != load.warp && !inputs.drain
    }
}

/// The entries, of either reading.
#[derive(Clone, Debug)]
struct Entries(Vec<Option<Entry>>);

impl Entries {
    fn new(entries: usize) -> Self {
        Entries(vec![None; entries])
    }

    fn find(&self, holds: impl Fn(&Entry) -> bool) -> Option<usize> {
        self.0.iter().position(|entry| entry.as_ref().is_some_and(&holds))
    }

    fn occupancy(&self) -> usize {
        self.0.iter().flatten().count()
    }

    fn is_full(&self) -> bool {
        self.occupancy() == self.0.len()
    }

    /// Puts the load into the first free entry, if there is one.
    fn insert(&mut self, inputs: &LrtIn) {
        if let Some(free) = self.0.iter_mut().find(|entry| entry.is_none()) {
            *free = Some(Entry::of(inputs));
        }
    }

    fn grow_older(&mut self) {
        self.0.iter_mut().flatten().for_each(|entry| entry.age = 2.min(entry.age + 1));
    }

    fn outputs(&self, step: Option<Step>) -> LrtOut {
        let mut outputs =
            LrtOut { full: self.is_full(), occupancy: self.occupancy() as u32, ..Default::default() };
        match step {
            Some(Step::Leaves { place, aged }) => {
                let entry = self.0[place].expect("an entry that leaves");
                (outputs.evict, outputs.evict_aged) = (true, aged);
                (outputs.evict_warp, outputs.evict_address) = (entry.warp, entry.address);
                (outputs.evict_source, outputs.evict_destination) = (entry.source, entry.destination);
            }
            Some(Step::Ends { partner }) => {
                outputs.done = true;
                outputs.matched = partner.is_some();
                outputs.matched_warp = partner.map_or(0, |place| self.0[place].expect("a partner").warp);
            }
            None => {}
        }
        outputs
    }

    /// The clock edge. Entries age before a new one comes, which is thus not a tick old.
    fn edge(&mut self, inputs: &LrtIn, step: Option<Step>) {
        if inputs.tick {
            self.grow_older();
        }
        match step {
            Some(Step::Leaves { place, .. }) if inputs.evict_ready => self.0[place] = None,
            Some(Step::Ends { partner: Some(partner) }) if inputs.done_ready => self.0[partner] = None,
            Some(Step::Ends { partner: None }) if inputs.done_ready && inputs.insert => self.insert(inputs),
            _ => {}
        }
    }
}

/// What a cycle shows, and waits for somebody to take.
#[derive(Clone, Copy, Debug)]
enum Step {
    Leaves { place: usize, aged: bool },
    Ends { partner: Option<usize> },
}

/// All entries are compared at once.
#[derive(Clone, Debug)]
pub struct LrtCam {
    entries: Entries,
    inputs: LrtIn,
    step: Option<Step>,
}

impl LrtCam {
    pub fn new(parameters: &Parameters) -> Self {
        LrtCam { entries: Entries::new(parameters.lrt_entries), inputs: LrtIn::default(), step: None }
    }

    fn step(&self, inputs: &LrtIn) -> Option<Step> {
        if let Some(place) = self.entries.find(Entry::is_due) {
            return Some(Step::Leaves { place, aged: true });
        }
        if !inputs.search {
            return None;
        }
        Some(match self.entries.find(|entry| entry.leaves_for(inputs)) {
            Some(place) => Step::Leaves { place, aged: false },
            None => Step::Ends { partner: self.entries.find(|entry| entry.is_partner_of(inputs)) },
        })
    }
}

impl Clocked for LrtCam {
    type In = LrtIn;
    type Out = LrtOut;

    fn settle(&mut self, inputs: &LrtIn) -> LrtOut {
        self.inputs = *inputs;
        self.step = self.step(inputs);
        self.entries.outputs(self.step)
    }

    fn tick(&mut self) {
        self.entries.edge(&self.inputs, self.step);
    }
}

/// One row of four entries is compared per cycle.
#[derive(Clone, Debug)]
pub struct LrtScan {
    entries: Entries,
    /// The row that can be compared in this cycle; none after a write.
    shown: Option<usize>,
    /// The row that an operation under way has come to.
    row: Option<usize>,
    inputs: LrtIn,
    step: Option<Step>,
}

impl LrtScan {
    pub fn new(parameters: &Parameters) -> Self {
        let entries = Entries::new(parameters.lrt_entries);
        LrtScan { entries, shown: None, row: None, inputs: LrtIn::default(), step: None }
    }

    /// The row that must be shown next, and whether that is to let entries leave by age.
    fn target(&self) -> (usize, bool) {
        match (self.row, self.entries.find(Entry::is_due)) {
            (Some(row), _) => (row, false),
            (None, Some(place)) => (place / SCAN_LANES, true),
            (None, None) => (0, false),
        }
    }

    fn last_row(&self) -> usize {
        self.entries.0.iter().rposition(Option::is_some).map_or(0, |place| place / SCAN_LANES)
    }

    /// The first entry of a row with the property.
    fn find_in(&self, row: usize, holds: impl Fn(&Entry) -> bool) -> Option<usize> {
        let mut places = SCAN_LANES * row..SCAN_LANES * (row + 1);
        places.find(|place| self.entries.0[*place].as_ref().is_some_and(&holds))
    }

    fn step(&self, inputs: &LrtIn) -> Option<Step> {
        let (row, aging) = self.target();
        if self.shown != Some(row) {
            return None;
        }
        if aging {
            return self.find_in(row, Entry::is_due).map(|place| Step::Leaves { place, aged: true });
        }
        if !inputs.search {
            return None;
        }
        if let Some(place) = self.find_in(row, |entry| entry.leaves_for(inputs)) {
            return Some(Step::Leaves { place, aged: false });
        }
        // Rows up to this one have been compared; what is in the table cannot become a partner meanwhile.
        let partner = self.entries.find(|entry| entry.is_partner_of(inputs));
        (row >= self.last_row()).then_some(Step::Ends { partner })
    }
}

impl Clocked for LrtScan {
    type In = LrtIn;
    type Out = LrtOut;

    fn settle(&mut self, inputs: &LrtIn) -> LrtOut {
        self.inputs = *inputs;
        self.step = self.step(inputs);
        self.entries.outputs(self.step)
    }

    fn tick(&mut self) {
        let (row, aging) = self.target();
        let compared = self.shown == Some(row) && !aging && self.inputs.search;
        let ends = matches!(self.step, Some(Step::Ends { .. })) && self.inputs.done_ready;
        if ends {
            let alone = matches!(self.step, Some(Step::Ends { partner: None }));
            let writes = alone && self.inputs.insert && !self.entries.is_full();
            self.row = None;
            self.shown = Some(0).filter(|_| !writes);
        } else if compared {
            let goes_on = self.step.is_none();
            self.row = Some(row + usize::from(goes_on));
            self.shown = self.row;
        } else {
            self.shown = Some(row);
        }
        self.entries.edge(&self.inputs, self.step);
    }
}
