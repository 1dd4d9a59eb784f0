use gpurf_hw::catalogue::*;
fn main() {
    std::fs::create_dir_all("/tmp/w/vt/out").unwrap();
    for entry in CATALOGUE {
        let mut p = Parameters::default();
        if std::env::args().nth(1).is_some() { p.width = 32; }
        let t = std::time::Instant::now();
        match gpurf_hw::with_module!(entry.name, &p, make => gpurf_verilog::emit(&make())) {
            Ok(d) => { println!("{} {} lines {:?}", entry.name, d.source().lines().count(), t.elapsed()); std::fs::write(format!("/tmp/w/vt/out/{}.v", d.top), d.source()).unwrap() }
            Err(e) => println!("{}: {e}", entry.name),
        }
    }
}
