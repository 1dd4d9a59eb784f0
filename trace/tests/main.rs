//! Tests of the trace formats, as one program.

mod damaged;
mod dialects;
mod real_traces;
mod streams;
