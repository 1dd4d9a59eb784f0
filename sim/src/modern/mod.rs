// SPDX-License-Identifier: Apache-2.0
//! Reference models of the sub-core that ships, written from H §4 and §5.

gpurf_rtl::modules!("src/modern");
