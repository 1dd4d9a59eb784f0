//! The sub-core without collectors: windows of real silicon, and whole workloads on the compiler's control
//! bits alone.

mod windows;
mod workloads;
