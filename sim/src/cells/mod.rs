// SPDX-License-Identifier: Apache-2.0
//! Reference models of the small cells.

gpurf_rtl::modules!("src/cells");
