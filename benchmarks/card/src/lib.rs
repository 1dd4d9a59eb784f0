// SPDX-License-Identifier: Apache-2.0
//! Windows of silicon as machine code of GPUs, and the GPU that runs them: through NVIDIA's driver alone,
//! without a toolkit.

mod driver;
mod encode;
mod frame;

pub use driver::{Driver, Error, Gpu};
pub use encode::Encoding;
pub use frame::{Architecture, Frame};
