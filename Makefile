# `make` sets up what it needs, builds, and runs the main job; `make test` passes the tests.

GPURF := target/release/gpurf
OUT := out

.PHONY: all tools build test bench workloads

# The answers of the built-in workloads, their reuse distances, two of them through the designs, a waveform
# of the hardware, its Verilog, its gates, and the papers' claims beside them.
all: build
	@mkdir -p $(OUT)
	$(GPURF) workloads --check
	$(GPURF) workloads --histogram $(OUT)/reuse_distance.svg --json $(OUT)/workloads.json
	$(GPURF) sim sgemm hgemm --design baseline
	$(GPURF) sim sgemm hgemm --design traditional
	$(GPURF) sim sgemm hgemm --design malekeh-gto
	$(GPURF) sim sgemm --design traditional --engine rtl --cycles 2000 \
	  --vcd $(OUT)/operand_stage.vcd --json $(OUT)/operand_stage.json > /dev/null
	$(GPURF) verilog --out $(OUT)/verilog
	$(GPURF) overheads --json $(OUT)/overheads.json
	@echo "Reuse distances: $(OUT)/reuse_distance.svg. Waveform: $(OUT)/operand_stage.vcd (GTKWave, Surfer)."
	@echo "Verilog: $(OUT)/verilog. Overheads: $(OUT)/overheads.json."

# Yosys, Verilator, Icarus Verilog and what they need; does nothing when they are there.
tools:
	@tools/setup

build: tools
	cargo build --release

test: tools
	cargo test --workspace

bench: tools
	cargo bench --workspace

# Compiles the CUDA sources of the built-in workloads anew, with NVIDIA's compiler from PyPI. The listings are
# part of the repository: this is needed only after a change to a source.
workloads:
	workloads/build
