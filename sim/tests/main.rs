// SPDX-License-Identifier: Apache-2.0
//! Tests of the SM and of the reference models, as one program.

mod advice;
mod altered;
mod any_machine;
mod checkpoint;
mod compositions;
mod damaged;
mod microbenchmarks;
mod modern;
mod multicast;
mod operands;
mod own_rows;
mod pipeline;
mod random_kernels;
mod register_cache;
mod register_traffic;
mod rounds;
mod sampling;
mod several_sms;
mod sm;
mod sound;
mod streams;
mod switching;
