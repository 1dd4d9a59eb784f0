# `make` sets up what it needs, builds, and runs the main job; `make test` passes the tests.

GPURF := target/release/gpurf
OUT := out
# Areas and longest paths over time.
AREAS := synth/areas.jsonl

.PHONY: all tools build test lint msrv book soak fuzz corpus bench compare overheads mutants monitors format workloads release

# The answers of the built-in workloads, their reuse distances, all of them under all designs, a waveform
# of the hardware, its Verilog, its gates, and the papers' claims beside them; at the end all of it on one page.
all: build
	@mkdir -p $(OUT)
	$(GPURF) workloads --check
	$(GPURF) workloads --histogram $(OUT)/reuse_distance.svg --json $(OUT)/workloads.json
	$(GPURF) compare malekeh --out $(OUT)/compare
	$(GPURF) sim sgemm --design malekeh --engine rtl --cycles 2000 \
	  --waveform $(OUT)/sub_core.fst --pipeline $(OUT)/sub_core.kanata --json $(OUT)/sub_core.json > /dev/null
	$(GPURF) verilog --out $(OUT)/verilog
	$(GPURF) overheads --last $(AREAS) --json $(OUT)/overheads.json
	$(GPURF) report --results $(OUT)
	@echo "Waveform: $(OUT)/sub_core.fst (GTKWave, Surfer). Pipeline: $(OUT)/sub_core.kanata (Konata). Verilog: $(OUT)/verilog."
	@echo "All results on one page: open $(OUT)/report.html in a browser."

# Yosys, Verilator, Icarus Verilog and what they need; does nothing when they are there.
tools:
	@tools/setup

build: tools
	cargo build --release

# Ends with what was skipped, counted and named.
test:
	@tools/test

# Formatting, Clippy, documentation and the book, all without a warning, and licences of dependencies.
lint: tools
	@tools/lint

# The oldest Rust that the project says it needs compiles it.
msrv:
	@tools/msrv

# The pages as a book with a search: out/book/index.html.
book:
	@tools/book $(OUT)/book

# Every workload under every design with all engines in lockstep, every trace whole, hardware over long random
# stimulus: hours. SEED draws the parameters and the stimulus of the hardware that it does not name.
SEED := $(shell date +%s)
soak: tools
	@echo "SEED=$(SEED)"
	PROPTEST_RNG_SEED=$(SEED) PROPTEST_CASES=500 cargo test --release --workspace --test model_and_rtl --test verilog
	cargo test --release --workspace -- --ignored --nocapture
	GPURF_PROVE=all cargo test --release -p gpurf-synth --test tests monitor::

# All proofs of monitors at the sizes of the tests, which then look only for those of changed hardware.
monitors: tools
	GPURF_PROVE=record cargo test -p gpurf-synth --test tests monitor::

# Damaged listings, launch files and traces, 1,200,000 of them in six tests: an error or a run, never a panic or a hang.
# Not a release: numbers that overflow panic as well.
fuzz:
	PROPTEST_CASES=200000 cargo test -p gpurf-workloads-tests -p gpurf-trace -p gpurf-sim-tests --test tests damaged::

# Every kernel of the project and every function of the CUDA headers: how many are right, what refuses others, which
# are wrong. The functions are compiled with NVIDIA's compiler, which `make workloads` installs.
corpus:
	cargo run -p gpurf-workloads --example corpus

# The papers' evaluations: Malekeh's designs on every workload at medium size, with fixed STHLD and one thing changed
# at a time at small size; loads that warps share; more resident thread blocks; register caches.
compare: build
	$(GPURF) compare malekeh --size medium --out $(OUT)/compare_medium
	$(GPURF) compare malekeh --also sthld,ablations --out $(OUT)/compare_small
	$(GPURF) compare multicast --also tables --out $(OUT)/multicast
	$(GPURF) compare finereg --also ablations --out $(OUT)/finereg
	$(GPURF) compare register-cache --size medium --out $(OUT)/register_cache

# Everything that the papers' overheads need, synthesized again, the large modules included: first as sums by module, then
# flattened, which takes half an hour. What moved is said and recorded.
overheads: build
	@mkdir -p $(OUT)
	$(GPURF) overheads --by-module --record $(AREAS) --json $(OUT)/overheads.json
	$(GPURF) overheads --against $(AREAS) --record $(AREAS) --json $(OUT)/overheads.json

# The tool with manual pages and completions as one archive, and with the Python module as a wheel.
release: build
	tools/release $(GPURF) $(OUT) --tag
	tools/wheel $(OUT)

# Small faults in the Verilog of every module, and which of them its testbench finds: hours.
mutants: build
	@mkdir -p $(OUT)
	$(GPURF) mutants --set width=32 --json $(OUT)/mutants.json

format:
	@tools/format

# Speeds of engines, SM, emulator and trace reader: docs/performance.md.
bench: build
	cargo bench --workspace
	$(GPURF) speeds

# Compiles the CUDA sources of the built-in workloads again, with NVIDIA's compiler from PyPI. The listings are
# part of the repository: this is needed only after a change to a source.
workloads:
	workloads/build
