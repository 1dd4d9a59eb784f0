// SPDX-License-Identifier: Apache-2.0
//! Reference models of the collectors, written from the papers.

gpurf_rtl::modules!("src/collector");
