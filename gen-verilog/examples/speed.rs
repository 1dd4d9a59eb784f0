use gpurf_hw::catalogue::*;
use gpurf_hw::dialect::*;
use gpurf_verilog::*;
use std::time::Instant;
struct Rand(u64);
impl PortVisitor for Rand { fn value<V: PortValue>(&mut self, _n: PortName, v: &mut V) { let mut w = vec![0u32; V::WORDS]; for x in &mut w { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 7; self.0 ^= self.0 << 17; *x = (self.0 >> 20) as u32; } v.get(&w); } }
fn run<M: Module, E>(rtl: M, name: &str, n: usize, e: impl FnOnce(&M) -> E) where E: Clocked<In = M::In, Out = M::Out> {
    let t = Instant::now();
    let mut b = e(&rtl);
    println!("{name} build {:?}", t.elapsed());
    let mut r = Rand(88172645463325252);
    let t = Instant::now();
    let mut i = M::In::default();
    for _ in 0..n { i.visit(&mut r); b.settle(&i); b.tick(); }
    println!("  {:?} per cycle", t.elapsed() / n as u32);
}
fn main() {
    let mut p = Parameters::default();
    p.width = 32;
    for entry in CATALOGUE {
        gpurf_hw::with_module!(entry.name, &p, make => run(make(), entry.name, 100000, |m| Verilated::new(m).unwrap()));
        gpurf_hw::with_module!(entry.name, &p, make => run(make(), entry.name, 1000, |m| Icarus::new(m).unwrap()));
    }
}
