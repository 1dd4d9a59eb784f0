# `make` sets up what it needs, builds, and runs the main job; `make test` passes the tests.

GPURF := target/release/gpurf

.PHONY: all tools build test bench

all: build
	$(GPURF) overheads

# Yosys, Verilator, Icarus Verilog and what they need; does nothing when they are there.
tools:
	@tools/setup

build: tools
	cargo build --release

test: tools
	cargo test --workspace

bench: tools
	cargo bench --workspace
