// SPDX-License-Identifier: Apache-2.0
//! Reference models of the issue stage, written from W §5 to §7 and F §IV-B.

gpurf_rtl::modules!("src/issue");
