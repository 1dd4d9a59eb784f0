// SPDX-License-Identifier: Apache-2.0
//! Kernels written by hand: SASS text made into listings and run.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::ops::{Deref, DerefMut};

use gpurf_trace::Workload;
use gpurf_workloads::listing::INSTRUCTION_BYTES;
use gpurf_workloads::{Argument, Module, Options, Result};

/// The frame around the code of kernel `k` in a listing.
pub struct Frame {
    pub registers: u32,
    /// Bytes of each parameter.
    pub parameters: Vec<u32>,
    /// Static shared memory in bytes.
    pub shared: u32,
    /// Stack of a thread in bytes.
    pub stack: u32,
    /// Constant bank 2.
    pub literals: Vec<u8>,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame { registers: 255, parameters: vec![8], shared: 0, stack: 0, literals: vec![] }
    }
}

impl Frame {
    /// The listing of a kernel: lines of `code` that end in a colon are labels, others instructions.
    pub fn listing(&self, code: &str) -> String {
        let mut text = String::from(".target sm_75\n.section .nv.info,\"\",@\"SHT_CUDA_INFO\"\n");
        text += "//----- nvinfo : EIATTR_MIN_STACK_SIZE\n/*0000*/ .byte 0x04, 0x12\n/*0002*/ .short 0x8\n";
        writeln!(text, "/*0004*/ .word index@(k)\n/*0008*/ .word {:#x}", self.stack).unwrap();
        text += ".section .nv.info.k,\"\",@\"SHT_CUDA_INFO\"\n";
        let mut offset = 0u32;
        for (ordinal, &size) in self.parameters.iter().enumerate() {
            offset = offset.next_multiple_of(size);
            text += "//----- nvinfo : EIATTR_KPARAM_INFO\n/*0000*/ .byte 0x04, 0x17\n/*0002*/ .short 0xc\n";
            writeln!(text, "/*0004*/ .word 0x0\n/*0008*/ .short {ordinal:#x}, {offset:#x}").unwrap();
            let [a, b, c, d] = (size << 18).to_le_bytes();
            writeln!(text, "/*000c*/ .byte {a:#x}, {b:#x}, {c:#x}, {d:#x}").unwrap();
            offset += size;
        }
        text += ".section .nv.constant2.k,\"a\",@progbits\n";
        self.literals.iter().for_each(|byte| writeln!(text, "/*0000*/ .byte {byte:#x}").unwrap());
        text += ".section .text.k,\"ax\",@progbits\n";
        writeln!(text, ".sectioninfo @\"SHI_REGISTERS={}\"", self.registers).unwrap();
        let mut pc = 0;
        for line in code.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if line.ends_with(':') {
                writeln!(text, "{line}").unwrap();
            } else {
                writeln!(text, "/*{pc:04x}*/ {} ;", line.trim_end_matches(';')).unwrap();
                pc += INSTRUCTION_BYTES;
            }
        }
        writeln!(text, ".section .nv.shared.k,\"aw\",@nobits\n.zero {}", self.shared).unwrap();
        text
    }

    /// As [`Frame::listing`], parsed.
    #[track_caller]
    pub fn module(&self, code: &str) -> Module {
        Module::parse("k.sass", &self.listing(code)).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A device that tells what a test launched: into the file that `GPURF_LAUNCHES` names, for the count of the
/// corpus.
pub struct Device(gpurf_workloads::Device);

impl Device {
    pub fn new(options: Options) -> Device {
        Device(gpurf_workloads::Device::new(options))
    }

    pub fn into_workload(mut self, name: &str) -> Workload {
        self.tell();
        std::mem::take(&mut self.0).into_workload(name)
    }

    fn tell(&self) {
        let Some(path) = std::env::var_os("GPURF_LAUNCHES") else { return };
        let thread = std::thread::current();
        let test = thread.name().unwrap_or_default();
        let mut lines = String::new();
        for (file, kernel) in self.launched() {
            let file = file.rsplit('/').next().unwrap_or_default();
            writeln!(lines, "{test}\t{file}\t{kernel}").expect("to memory");
        }
        // In one piece: tests run side by side.
        let mut file = OpenOptions::new().append(true).create(true).open(path).expect("it can be written");
        file.write_all(lines.as_bytes()).expect("it can be written");
    }
}

impl Deref for Device {
    type Target = gpurf_workloads::Device;

    fn deref(&self) -> &gpurf_workloads::Device {
        &self.0
    }
}

impl DerefMut for Device {
    fn deref_mut(&mut self) -> &mut gpurf_workloads::Device {
        &mut self.0
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.tell();
    }
}

/// A device that makes no streams.
pub fn device() -> Device {
    Device::new(Options { stream: false, ..Options::default() })
}

/// Code instead of one thread, run for many: their inputs are in registers or predicates before
/// it, their outputs after it. It may use R0 to R239.
pub struct Trial<'a> {
    code: String,
    inputs: Vec<(&'a str, Vec<u32>)>,
}

impl<'a> Trial<'a> {
    pub fn new(code: impl Into<String>) -> Trial<'a> {
        Trial { code: code.into(), inputs: vec![] }
    }

    /// Puts a value per thread into `place`: `R0`, `P0` or, the same for all lanes of a warp, `UR0`.
    pub fn input(mut self, place: &'a str, values: &[u32]) -> Trial<'a> {
        self.inputs.push((place, values.to_vec()));
        self
    }

    /// As [`Trial::input`] for a register pair, given its lower one.
    pub fn input64(mut self, lower: &'a str, upper: &'a str, values: &[u64]) -> Trial<'a> {
        self.inputs.push((lower, values.iter().map(|&value| value as u32).collect()));
        self.inputs.push((upper, values.iter().map(|&value| (value >> 32) as u32).collect()));
        self
    }

    /// The values that the threads leave in these places.
    #[track_caller]
    pub fn outputs<const N: usize>(self, places: [&str; N]) -> [Vec<u32>; N] {
        let code = self.code.clone();
        self.try_outputs(places).unwrap_or_else(|error| panic!("{code}\n{error}"))
    }

    /// The values that the threads leave in this place.
    #[track_caller]
    pub fn output(self, place: &str) -> Vec<u32> {
        let [values] = self.outputs([place]);
        values
    }

    /// The values that the threads leave in a register pair.
    #[track_caller]
    pub fn output64(self, lower: &str, upper: &str) -> Vec<u64> {
        let [lower, upper] = self.outputs([lower, upper]);
        lower.iter().zip(upper).map(|(&lower, upper)| u64::from(upper) << 32 | u64::from(lower)).collect()
    }

    pub fn try_outputs<const N: usize>(self, places: [&str; N]) -> Result<[Vec<u32>; N]> {
        let threads = self.inputs.first().map_or(32, |(_, values)| values.len());
        assert!(threads % 32 == 0 && self.inputs.iter().all(|(_, values)| values.len() == threads));
        let mut code = String::from(
            "S2R R240, SR_CTAID.X\nS2R R241, SR_TID.X\nIMAD R240, R240, c[0x0][0x0], R241\n\
             IMAD.WIDE.U32 R242, R240, 0x4, c[0x0][0x160]\nIMAD.WIDE.U32 R244, R240, 0x4, c[0x0][0x168]\n",
        );
        for (number, (place, _)) in self.inputs.iter().enumerate() {
            let offset = 4 * threads * number;
            let lines = match place.as_bytes()[0] {
                b'R' => format!("LDG.E.SYS {place}, [R242+{offset:#x}]\n"),
                b'P' => {
                    format!("LDG.E.SYS R246, [R242+{offset:#x}]\nISETP.NE.AND {place}, PT, R246, RZ, PT\n")
                }
                _ => format!("LDG.E.SYS R246, [R242+{offset:#x}]\nR2UR {place}, R246\n"),
            };
            code += &lines;
        }
        writeln!(code, "{}", self.code).unwrap();
        for (number, place) in places.iter().enumerate() {
            let offset = 4 * threads * number;
            let lines = match place.as_bytes() {
                [b'R', ..] => format!("STG.E.SYS [R244+{offset:#x}], {place}\n"),
                [b'P', ..] => format!(
                    "MOV R246, 0x1\nSEL R246, R246, RZ, {place}\nSTG.E.SYS [R244+{offset:#x}], R246\n"
                ),
                [b'U', b'R', ..] => format!("MOV R246, {place}\nSTG.E.SYS [R244+{offset:#x}], R246\n"),
                _ => format!(
                    "UMOV UR62, 0x1\nUSEL UR62, UR62, URZ, {place}\nMOV R246, UR62\n\
                     STG.E.SYS [R244+{offset:#x}], R246\n"
                ),
            };
            code += &lines;
        }
        code += "EXIT";
        let frame = Frame { parameters: vec![8, 8], shared: 4096, stack: 64, ..Frame::default() };
        let mut device = device();
        let values: Vec<u32> = self.inputs.into_iter().flat_map(|(_, values)| values).collect();
        let inputs = device.upload(&values);
        let outputs = device.allocate((4 * threads * N) as u64);
        let arguments: [Argument; 2] = [inputs.into(), outputs.into()];
        device.launch(&frame.module(&code), "k", threads as u32 / 32, 32, 0, &arguments)?;
        let values: Vec<u32> = device.read(outputs, threads * N)?;
        Ok(std::array::from_fn(|number| values[threads * number..threads * (number + 1)].to_vec()))
    }
}

/// Launches all kernels of a listing on 40 threads, with buffers for arguments of eight bytes and a number
/// for others. An error is well.
pub fn launch_all(text: &str) {
    let Ok(module) = Module::parse("damaged.sass", text) else { return };
    for kernel in &module.kernels {
        let mut device = Device::new(Options { limit: 2000, heap_bytes: 4096, ..Options::default() });
        let arguments: Vec<Argument> = kernel
            .parameters
            .iter()
            .flatten()
            .map(|place| match place.size {
                8 => device.allocate(1 << 14).into(),
                size => Argument(40u128.to_le_bytes().into_iter().cycle().take(size as usize).collect()),
            })
            .collect();
        let _ = device.launch(&module, &kernel.name, 1, 40, 256, &arguments);
    }
}

/// Words at which arithmetic changes its behaviour.
pub const EDGES: [u32; 14] = [
    0,
    1,
    2,
    31,
    32,
    33,
    0x7f,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

/// `columns` lists of words, as many in each: all combinations of edges in the first columns, then
/// random ones.
pub fn words<const N: usize>(seed: u64) -> [Vec<u32>; N] {
    let mut random = fastrand::Rng::with_seed(seed);
    let combinations = EDGES.len().pow(N.min(2) as u32);
    let threads = (combinations + 200).next_multiple_of(32);
    let mut lists: [Vec<u32>; N] = std::array::from_fn(|_| Vec::with_capacity(threads));
    for thread in 0..threads {
        for (column, list) in lists.iter_mut().enumerate() {
            let edge = match column {
                0 => EDGES[thread % EDGES.len()],
                1 => EDGES[thread / EDGES.len() % EDGES.len()],
                _ => EDGES[random.usize(..EDGES.len())],
            };
            list.push(if thread < combinations { edge } else { random.u32(..) });
        }
    }
    lists
}

/// As [`words`], of 64 bits: words of edges and random ones mixed.
pub fn long_words<const N: usize>(seed: u64) -> [Vec<u64>; N] {
    let mut random = fastrand::Rng::with_seed(seed);
    std::array::from_fn(|_| {
        let mut word =
            || u64::from(if random.bool() { EDGES[random.usize(..EDGES.len())] } else { random.u32(..) });
        (0..512).map(|_| word() << 32 | word()).collect()
    })
}
