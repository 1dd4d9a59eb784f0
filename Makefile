# `make` sets up what it needs, builds, and runs the main job; `make test` passes the tests.

GPURF := target/release/gpurf
OUT := out

.PHONY: all tools build test bench

# A stream of GPU code through both designs, a waveform of the hardware, its Verilog, its gates, and
# the papers' claims beside them.
all: build
	@mkdir -p $(OUT)
	$(GPURF) sim tiled_ffma --design baseline
	$(GPURF) sim tiled_ffma --design traditional
	$(GPURF) sim tiled_ffma --design traditional --engine rtl --cycles 2000 \
	  --vcd $(OUT)/operand_stage.vcd --json $(OUT)/operand_stage.json > /dev/null
	$(GPURF) verilog --out $(OUT)/verilog
	$(GPURF) overheads --json $(OUT)/overheads.json
	@echo "Waveform: $(OUT)/operand_stage.vcd (GTKWave, Surfer). Verilog: $(OUT)/verilog. Overheads: $(OUT)/overheads.json."

# Yosys, Verilator, Icarus Verilog and what they need; does nothing when they are there.
tools:
	@tools/setup

build: tools
	cargo build --release

test: tools
	cargo test --workspace

bench: tools
	cargo bench --workspace
