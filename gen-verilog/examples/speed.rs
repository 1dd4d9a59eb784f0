use gpurf_hw::catalogue::*;
use gpurf_hw::dialect::*;
use gpurf_verilog::*;
use std::time::Instant;
struct Rand<'a>(u64, &'a Design);
impl PortVisitor for Rand<'_> {
    fn value<V: PortValue>(&mut self, n: PortName, v: &mut V) {
        let mut w = vec![0u32; V::WORDS];
        if let Some(p) = self.1.top_module().ports.iter().find(|p| p.name == n.to_string()) {
            for x in &mut w {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                *x = (self.0 >> 20) as u32;
                if p.width < 32 {
                    *x &= (1 << p.width) - 1;
                }
            }
        }
        v.get(&w);
    }
}
fn run<M: Module, E>(rtl: M, name: &str, n: usize, e: impl FnOnce(&M) -> E)
where
    E: Clocked<In = M::In, Out = M::Out>,
{
    let t = Instant::now();
    let b = e(&rtl);
    println!("{name} build {:?}", t.elapsed());
    let d = emit(&rtl).unwrap();
    let mut r = Rand(88172645463325252, &d);
    let mut b = Lockstep::new(Rtl::new(rtl), b);
    let t = Instant::now();
    let mut i = M::In::default();
    for k in 0..n {
        i.visit(&mut r);
        if std::env::args().nth(2).is_some() {
            println!("{k} {i:?}");
        }
        b.settle(&i);
        b.tick();
    }
    println!("  {:?} per cycle {:?}", t.elapsed() / n as u32, b.divergence);
}
fn main() {
    let mut p = Parameters::default();
    p.width = 32;
    for entry in CATALOGUE {
        if std::env::args().nth(1).is_some_and(|x| x != entry.name) {
            continue;
        }
        gpurf_hw::with_module!(entry.name, &p, make => run(make(), entry.name, 3000, |m| Verilated::new(m).unwrap()));
        gpurf_hw::with_module!(entry.name, &p, make => run(make(), entry.name, 300, |m| Icarus::new(m).unwrap()));
    }
}
