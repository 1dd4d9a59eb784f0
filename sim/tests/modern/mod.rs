// SPDX-License-Identifier: Apache-2.0
//! The sub-core without collectors: windows of real silicon, and whole workloads on the compiler's control
//! bits alone.

mod front;
mod memory;
mod windows;
mod workloads;
