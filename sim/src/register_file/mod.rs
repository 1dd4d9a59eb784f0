//! Reference models of the banks, their queues and the arbiter, written from F §II, §III-B and §IV-A2.

gpurf_rtl::modules!("src/register_file");

/// Where a register of a warp lives: bank, and row; the warp's registers begin in row `base`. `banks`: 2 or 4.
pub fn home(banks: usize, warp: u32, base: u32, register: u32) -> (usize, u32) {
    let bank = (register + 1 + warp) & (banks as u32 - 1);
    (bank as usize, (base + (register >> banks.ilog2())) & 0xff)
}
