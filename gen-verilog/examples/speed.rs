use gpurf_hw::cells::*;
use gpurf_hw::dialect::*;
use gpurf_verilog::*;
use std::time::Instant;
fn main() {
    let t = Instant::now();
    let mut a = Lockstep::new(Rtl::new(LruOrder::<3>::default()), Verilated::new(&LruOrder::<3>::default()).unwrap());
    println!("build {:?}", t.elapsed());
    let t = Instant::now();
    let mut x = 1u32;
    for _ in 0..100000 {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        let i = LruOrderIn { touch: std::array::from_fn(|k| x >> k & 5 == 5) };
        a.settle(&i); a.tick();
    }
    println!("{:?} {:?}", t.elapsed(), a.divergence);
    let mut b = Verilated::new(&LruOrder::<3>::default()).unwrap();
    let t = Instant::now();
    for _ in 0..1000000 {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        let i = LruOrderIn { touch: std::array::from_fn(|k| x >> k & 5 == 5) };
        b.settle(&i); b.tick();
    }
    println!("{:?} per M", t.elapsed());
}
