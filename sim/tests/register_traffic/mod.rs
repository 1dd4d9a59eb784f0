// SPDX-License-Identifier: Apache-2.0
//! The study of register caches: against plain models on random instructions, rule by rule on small streams,
//! and against RFC-sim's counts on traces of real GPUs.

mod paper_model;
mod paper_rules;
mod random;
mod reference;
mod rfc_sim_model;
mod rfc_sim_rules;
mod streams;
