use gpurf_sim::{config::Config, operand_stage::OperandStage, sm::*};
use gpurf_trace::Reuse;
fn main() {
    let mut args = std::env::args().skip(1);
    let (path, design) = (args.next().unwrap(), args.next().unwrap());
    let settings: Vec<String> = args.collect();
    let config = Config::load(None, &settings).unwrap();
    let design = Design::named(&design).unwrap();
    let workload = gpurf_trace::open(std::path::Path::new(&path)).unwrap();
    let _ = None::<Reuse>;
    let commands = workload.commands.iter().map(|command| match command {
        gpurf_trace::Command::Kernel(kernel) => {
            let mut reader = kernel.open().unwrap();
            let mut blocks = vec![];
            while let Some(block) = reader.next_block().unwrap() { blocks.push(block); }
            gpurf_trace::Command::Kernel(gpurf_trace::Kernel::in_memory(reader.header().clone(), reader.program().clone(), blocks))
        }
        other => other.clone(),
    }).collect();
    let workload = gpurf_trace::Workload { name: workload.name.clone(), commands };
    let parameters = design.operand_stage(&config);
    let start = std::time::Instant::now();
    let mut sm = Sm::new(&config, design, 1, |_| match design.collector {
        Collector::Ocu => OperandStage::<u32>::baseline(parameters),
        Collector::Ccu => OperandStage::caching(config.entries, parameters),
    });
    sm.run(&workload, None).unwrap();
    let time = start.elapsed();
    let s = sm.statistics("model", 0);
    println!("{}", serde_json::to_string_pretty(&s.summary).unwrap());
    println!("{:?}", s.errors);
    for k in &s.kernels { println!("{} blocks {} cycles {} instr {} ipc {:.3} hit {:.3} resident {}", k.name, k.blocks, k.summary.counters.cycles, k.summary.counters.warp_instructions, k.summary.ipc, k.summary.hit_ratio, k.resident_blocks); }
    println!("{:?}: {:.0} instr/s", time, s.summary.counters.warp_instructions as f64 / time.as_secs_f64());
}
