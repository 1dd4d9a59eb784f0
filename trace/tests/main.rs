// SPDX-License-Identifier: Apache-2.0
//! Tests of the trace formats, as one program.

mod advice;
mod damaged;
mod dialects;
mod real_traces;
mod streams;
