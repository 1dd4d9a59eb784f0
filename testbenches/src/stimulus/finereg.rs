//! Stimulus of the small FineReg modules.

use gpurf_blocks::{Parameters, FLAG_WORD};
use gpurf_hw::finereg::{
    CtaStatusMonitorIn, CtaStatusMonitorOut, FreeSpaceMonitorIn, FreeSpaceMonitorOut, LiveRegisterCacheIn,
    LiveRegisterCacheOut, PcrfPointerTableIn, PcrfPointerTableOut, RegisterIndexDecoderIn,
    RegisterIndexDecoderOut,
};

use super::rmu::Vectors;
use super::Stimulus;
use crate::Random;

/// Vectors one after the other, mostly drained; the registers shown are those of the vector.
#[derive(Default)]
pub struct RegisterIndexDecoderStimulus {
    left: u64,
}

impl Stimulus<RegisterIndexDecoderIn, RegisterIndexDecoderOut> for RegisterIndexDecoderStimulus {
    fn next(&mut self, random: &mut Random) -> RegisterIndexDecoderIn {
        let vector = Vectors::dense(random);
        RegisterIndexDecoderIn {
            load: random.percent(if self.left == 0 { 50 } else { 3 }),
            load_low: vector as u32,
            load_high: (vector >> 32) as u32,
            step: self.left != 0 && random.percent(80),
        }
    }

    fn observe(
        &mut self,
        inputs: &RegisterIndexDecoderIn,
        outputs: &RegisterIndexDecoderOut,
    ) -> Result<(), String> {
        let first = (0..64).find(|register| self.left >> register & 1 == 1);
        if outputs.any != first.is_some() || outputs.any && Some(outputs.index) != first {
            return Err(format!("{:?} is left, {outputs:?} is shown", first));
        }
        if inputs.load {
            self.left = u64::from(inputs.load_high) << 32 | u64::from(inputs.load_low);
        } else if inputs.step {
            self.left &= !(1 << outputs.index);
        }
        Ok(())
    }
}

/// PCs of which many share an entry, and a memory of its own pace.
#[derive(Default)]
pub struct LiveRegisterCacheStimulus {
    vectors: Vectors,
    /// The PC that was asked for, the one that memory was asked for.
    asked: Option<u32>,
    waiting: Option<u32>,
}

impl Stimulus<LiveRegisterCacheIn, LiveRegisterCacheOut> for LiveRegisterCacheStimulus {
    fn next(&mut self, random: &mut Random) -> LiveRegisterCacheIn {
        let answer = self.waiting.filter(|_| !random.percent(70));
        let vector = answer.map_or(0, |pc| self.vectors.of(pc));
        LiveRegisterCacheIn {
            request: random.percent(80),
            pc: Vectors::pc(random),
            memory_ready: !random.percent(50),
            memory_answer: answer.is_some(),
            memory_low: vector as u32,
            memory_high: (vector >> 32) as u32,
        }
    }

    fn observe(
        &mut self,
        inputs: &LiveRegisterCacheIn,
        outputs: &LiveRegisterCacheOut,
    ) -> Result<(), String> {
        if outputs.answer {
            let pc = self.asked.take().ok_or("an answer that nobody asked for")?;
            let vector = u64::from(outputs.high) << 32 | u64::from(outputs.low);
            if vector != self.vectors.of(pc) {
                return Err(format!("PC {pc:#x} has another vector than {vector:#x}"));
            }
        }
        if inputs.memory_answer {
            self.waiting = None;
        }
        if outputs.memory_request && inputs.memory_ready {
            self.waiting = Some(outputs.memory_pc);
        }
        if inputs.request && outputs.ready {
            self.asked = Some(inputs.pc);
        }
        Ok(())
    }
}

/// Entries taken and freed, with long tides from empty to full and back.
pub struct FreeSpaceMonitorStimulus {
    occupied: Vec<bool>,
    rising: bool,
}

impl FreeSpaceMonitorStimulus {
    pub fn new(entries: usize) -> Self {
        FreeSpaceMonitorStimulus { occupied: vec![false; entries], rising: true }
    }

    fn used(&self) -> usize {
        self.occupied.iter().filter(|&&occupied| occupied).count()
    }
}

impl Stimulus<FreeSpaceMonitorIn, FreeSpaceMonitorOut> for FreeSpaceMonitorStimulus {
    fn next(&mut self, random: &mut Random) -> FreeSpaceMonitorIn {
        let (used, entries) = (self.used(), self.occupied.len());
        if used == entries || used == 0 {
            self.rising = used == 0;
        }
        let (take, free) = if self.rising { (95, 10) } else { (10, 95) };
        let start = random.below(entries);
        let mut around = (start..start + entries).map(|entry| entry % entries);
        let entry = around.find(|&entry| self.occupied[entry]);
        FreeSpaceMonitorIn {
            take: used < entries && random.percent(take),
            free: entry.is_some() && random.percent(free),
            free_entry: entry.unwrap_or(0) as u32,
        }
    }

    fn observe(&mut self, inputs: &FreeSpaceMonitorIn, outputs: &FreeSpaceMonitorOut) -> Result<(), String> {
        let flag = |entry: usize| outputs.occupied[entry / FLAG_WORD] >> (entry % FLAG_WORD) & 1 == 1;
        if let Some(entry) = (0..self.occupied.len()).find(|&entry| flag(entry) != self.occupied[entry]) {
            return Err(format!("the flag of entry {entry} is {}", flag(entry)));
        }
        let zeros = self.occupied.len() - self.used();
        if outputs.free_count as usize != zeros || outputs.any_free != (zeros > 0) {
            return Err(format!("{zeros} entries are free, not {}", outputs.free_count));
        }
        let first = self.occupied.iter().position(|&occupied| !occupied);
        if first.is_some_and(|first| outputs.first_free as usize != first) {
            return Err(format!("the first free entry is {first:?}, not {}", outputs.first_free));
        }
        if inputs.take {
            self.occupied[outputs.first_free as usize] = true;
        }
        if inputs.free {
            self.occupied[inputs.free_entry as usize] = false;
        }
        Ok(())
    }
}

/// Reads and writes, mostly of few lines.
pub struct PcrfPointerTableStimulus(pub Parameters);

impl Stimulus<PcrfPointerTableIn, PcrfPointerTableOut> for PcrfPointerTableStimulus {
    fn next(&mut self, random: &mut Random) -> PcrfPointerTableIn {
        let Parameters { pcrf_entries: entries, ctas, .. } = self.0;
        let write = random.percent(50);
        let most = random.pick(&[65, entries + 1]);
        let range = if random.percent(20) { ctas } else { 4 };
        PcrfPointerTableIn {
            read: !write && random.percent(70),
            write,
            cta: random.below(range) as u32,
            write_pointer: random.below(entries) as u32,
            write_count: random.below(most) as u32,
        }
    }
}

/// CTAs that move between all locations, mostly along R's ways, with few and with many resumable.
pub struct CtaStatusMonitorStimulus {
    pub ctas: usize,
}

impl Stimulus<CtaStatusMonitorIn, CtaStatusMonitorOut> for CtaStatusMonitorStimulus {
    fn next(&mut self, random: &mut Random) -> CtaStatusMonitorIn {
        let mut inputs = CtaStatusMonitorIn::default();
        for update in 0..inputs.update_cta.len() {
            let range = if random.percent(50) { self.ctas } else { 4 };
            inputs.update_cta[update] = random.below(range) as u32;
            inputs.set_context[update] = random.percent(40);
            inputs.context_location[update] = random.below(3) as u32;
            inputs.set_registers[update] = random.percent(40);
            inputs.register_location[update] = random.below(3) as u32;
        }
        let sparse = random.percent(50);
        for word in &mut inputs.resumable {
            *word = random.word() & if sparse { random.word() & random.word() & random.word() } else { !0 };
        }
        inputs.select = random.percent(50);
        inputs.inspect = random.below(self.ctas) as u32;
        inputs
    }

    fn observe(&mut self, inputs: &CtaStatusMonitorIn, outputs: &CtaStatusMonitorOut) -> Result<(), String> {
        let cta = outputs.candidate as usize;
        let resumable = inputs.resumable[cta / FLAG_WORD] >> (cta % FLAG_WORD) & 1 == 1;
        if outputs.any_candidate && (cta >= self.ctas || !resumable) {
            return Err(format!("CTA {cta} cannot resume"));
        }
        Ok(())
    }
}
