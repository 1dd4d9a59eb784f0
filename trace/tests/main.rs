//! Tests of the trace formats, as one program.

mod damaged;
mod real_traces;
mod streams;
