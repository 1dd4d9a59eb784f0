// SPDX-License-Identifier: Apache-2.0
//! Writing a workload as an Accel-Sim trace.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use gpurf_files::NewFolder;

use crate::block::{DynamicInstruction, ThreadBlock};
use crate::error::{Error, Result};
use crate::kernel::{Command, Kernel, KernelHeader, Workload};
use crate::program::{Program, StaticInstruction};
use crate::registers::Register;

/// Writes `workload` into the new folder `folder`: `kernelslist.g` and a `kernel-N.traceg` per
/// kernel, N counting from 1.
///
/// The format is tracer version 5, or 6 for a kernel that came from version 6, whose uniform
/// registers and second immediates version 5 cannot name. Reading back gives the same program,
/// blocks and addresses; `near_` masks are no part of a trace.
///
/// The folder appears complete or not at all. It must not exist, or be empty.
pub fn write(workload: &Workload, folder: impl AsRef<Path>) -> Result<()> {
    write_up_to(workload, u64::MAX, folder)
}

/// The same up to the launch with which threads have executed so many instructions: it is the last one, and
/// whole.
pub fn write_up_to(workload: &Workload, instructions: u64, folder: impl AsRef<Path>) -> Result<()> {
    let folder = folder.as_ref();
    let occupied = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    if occupied || folder.file_name().is_none() {
        return Err(Error::Exists { path: folder.into() });
    }
    let unfinished = NewFolder::create(folder)?;
    let mut list = String::new();
    let (mut kernels, mut executed) = (0, 0);
    for command in &workload.commands {
        match command {
            Command::MemcpyHtoD { address, bytes } => {
                list += &format!("MemcpyHtoD,0x{address:016x},{bytes}\n");
            }
            Command::Kernel(_) if executed >= instructions => break,
            Command::Kernel(kernel) => {
                kernels += 1;
                let name = format!("kernel-{kernels}.traceg");
                executed += write_kernel(kernel, &unfinished.temporary().join(&name))?;
                list += &name;
                list.push('\n');
            }
        }
    }
    let list_path = unfinished.temporary().join("kernelslist.g");
    fs::write(&list_path, list).map_err(io_error(&list_path))?;
    Ok(unfinished.finish()?)
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |cause| Error::Io { path: path.into(), cause }
}

/// Returns the number of instructions that its threads execute.
fn write_kernel(kernel: &Kernel, path: &Path) -> Result<u64> {
    let mut reader = kernel.open()?;
    let mut out = BufWriter::new(File::create(path).map_err(io_error(path))?);
    let version = kernel.header().tracer_version.max(5);
    write_header(&mut out, kernel.header(), version).map_err(io_error(path))?;
    let mut executed = 0;
    while let Some(block) = reader.next_block()? {
        write_block(&mut out, &block, reader.program(), version).map_err(io_error(path))?;
        let instructions = block.warps.iter().flat_map(|warp| &warp.instructions);
        executed += instructions.map(|one| u64::from(one.mask.count_ones())).sum::<u64>();
    }
    out.flush().map_err(io_error(path))?;
    Ok(executed)
}

fn write_header(out: &mut impl Write, header: &KernelHeader, version: u32) -> io::Result<()> {
    let [grid_x, grid_y, grid_z] = header.grid;
    let [block_x, block_y, block_z] = header.block;
    writeln!(out, "-kernel name = {}", header.name)?;
    writeln!(out, "-kernel id = {}", header.id)?;
    writeln!(out, "-grid dim = ({grid_x},{grid_y},{grid_z})")?;
    writeln!(out, "-block dim = ({block_x},{block_y},{block_z})")?;
    writeln!(out, "-shmem = {}", header.shared_memory)?;
    writeln!(out, "-nregs = {}", header.nregs)?;
    writeln!(out, "-binary version = {}", header.binary_version)?;
    writeln!(out, "-cuda stream id = {}", header.stream_id)?;
    writeln!(out, "-shmem base_addr = 0x{:016x}", header.shared_base)?;
    writeln!(out, "-local mem base_addr = 0x{:016x}", header.local_base)?;
    writeln!(out, "-nvbit version = {}", header.nvbit_version)?;
    writeln!(out, "-accelsim tracer version = {version}")?;
    writeln!(out, "-enable lineinfo = 0\n")?;
    let immediates = match version {
        5 => "immediate",
        _ => "immediate1 immediate2 NoVal",
    };
    writeln!(
        out,
        "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width \
         [adrrescompress?] [mem_addresses] {immediates}\n\n"
    )
}

fn write_block(out: &mut impl Write, block: &ThreadBlock, program: &Program, version: u32) -> io::Result<()> {
    let [x, y, z] = block.id;
    writeln!(out, "\n#BEGIN_TB\n\nthread block = {x},{y},{z}")?;
    for warp in &block.warps {
        writeln!(out, "\nwarp = {}", warp.id)?;
        writeln!(out, "insts = {}", warp.instructions.len())?;
        for instruction in &warp.instructions {
            let place = &program[instruction.static_index];
            write_instruction(out, place, instruction, block, version)?;
        }
    }
    writeln!(out, "\n#END_TB")
}

fn write_instruction(
    out: &mut impl Write,
    place: &StaticInstruction,
    instruction: &DynamicInstruction,
    block: &ThreadBlock,
    version: u32,
) -> io::Result<()> {
    let mask = instruction.mask;
    write!(out, "{:04x} {mask:08x} ", place.pc)?;
    match place.named_destination {
        Some(register) => {
            write!(out, "1 ")?;
            write_register(out, register)?;
        }
        None => write!(out, "0 ")?,
    }
    write!(out, "{} {} ", place.opcode, place.named_sources.len())?;
    for &register in &place.named_sources {
        write_register(out, register)?;
    }
    write!(out, "{} ", place.width)?;
    if place.width > 0 {
        write_addresses(out, mask, &block.addresses(instruction))?;
    }
    write!(out, "{} ", place.immediates[0])?;
    if version > 5 {
        write!(out, "{} NoVal ", place.immediates[1])?;
    }
    writeln!(out)
}

fn write_register(out: &mut impl Write, register: Register) -> io::Result<()> {
    match register {
        Register::Vector(id) => write!(out, "{id} "),
        Register::Uniform(number) => write!(out, "UR{number} "),
    }
}

/// First address and stride where lanes and addresses are evenly spaced, else every address.
fn write_addresses(out: &mut impl Write, mask: u32, addresses: &[u64]) -> io::Result<()> {
    let lanes = mask >> mask.trailing_zeros().min(31);
    let contiguous = lanes & lanes.wrapping_add(1) == 0;
    let stride = match addresses {
        [first, second, ..] => second.wrapping_sub(*first),
        _ => 0,
    };
    let even = addresses.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == stride);
    if contiguous && even {
        let base = addresses.first().copied().unwrap_or(0);
        return write!(out, "1 0x{base:x} {} ", stride as i64);
    }
    write!(out, "0 ")?;
    for address in addresses {
        write!(out, "0x{address:x} ")?;
    }
    Ok(())
}
