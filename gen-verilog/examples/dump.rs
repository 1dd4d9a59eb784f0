use gpurf_hw::catalogue::*;
use gpurf_verilog::*;
fn main() {
    for entry in CATALOGUE {
        let mut p = Parameters::default();
        for a in std::env::args().skip(1) { let (n, v) = a.split_once('=').unwrap(); p.set(n, v).unwrap(); }
        let t = std::time::Instant::now();
        match gpurf_hw::with_module!(entry.name, &p, make => gpurf_verilog::emit(&make())) {
            Ok(d) => { println!("{} {} lines {:?}", entry.name, d.source().lines().count(), t.elapsed()); export(&d, std::path::Path::new("/tmp/w/vt/out")).unwrap();
              for (n, r) in [("icarus", check::iverilog_wall(&d)), ("verilator", check::verilator_lint(&d)), ("yosys", check::yosys_check(&d))] { if let Err(e) = r { println!("{n} {e}"); } }
              println!(" {:?}", t.elapsed());
            }
            Err(e) => println!("{}: {e}", entry.name),
        }
    }
}
