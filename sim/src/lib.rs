// SPDX-License-Identifier: Apache-2.0
//! Reference models and the streaming multiprocessor around them.
//!
//! The model of a caching collector for three cycles: an instruction enters and asks for its source, a bank
//! answers, and the instruction is ready.
//!
//! ```
//! use gpurf_blocks::ports::CollectorIn;
//! use gpurf_blocks::{Clocked, Parameters};
//! use gpurf_sim::collector::Ccu;
//!
//! let mut ccu = Ccu::<u32>::new(&Parameters::default());
//! let mut issue = CollectorIn { issue: true, warp: 3, ..Default::default() };
//! (issue.source_valid[0], issue.source_register[0]) = (true, 5);
//! let outputs = ccu.settle(&issue);
//! assert!(outputs.request[0] && !outputs.hit[0]);
//! ccu.tick();
//!
//! let answer = CollectorIn { s_valid: true, s_slot: 0, s_data: 42, ..Default::default() };
//! assert!(!ccu.settle(&answer).ready);
//! ccu.tick();
//!
//! let outputs = ccu.settle(&CollectorIn::default());
//! assert!(outputs.ready);
//! assert_eq!(outputs.operand_data[0], 42);
//! ```
//!
//! A trace through the SM:
//!
//! ```
//! use gpurf_sim::config::Config;
//! use gpurf_sim::engines::Engines;
//! use gpurf_sim::sm::{Design, Gpu};
//!
//! let workload = gpurf_trace::open(gpurf_fixtures::OWN_TRACE)?;
//! let (config, design, seed) = (Config::default(), Design::TRADITIONAL, 1);
//! let mut gpu = Gpu::new(&config, design, seed, Engines::models(&config, design, seed));
//! gpu.run(&workload, None)?;
//! let summary = gpu.statistics("model", 0).summary;
//! assert_eq!(summary.counters.warp_instructions, 1_594);
//! assert!(summary.hit_ratio > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod bits;
pub mod cells;
mod checkpoint;
pub mod collector;
pub mod config;
mod design;
pub mod energy;
pub mod engines;
pub mod finereg;
pub mod gemm_traffic;
pub mod issue;
pub mod modern;
pub mod multicast;
pub mod operand_stage;
pub mod register_cache;
pub mod register_file;
pub mod register_traffic;
pub mod sm;
pub mod stage_recording;
pub mod statistics;
pub mod sub_core;
mod sub_core_engine;
pub mod words;
