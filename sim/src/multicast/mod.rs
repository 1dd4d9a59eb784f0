// SPDX-License-Identifier: Apache-2.0
//! Reference models of inter-warp multicasting, written from I §3 and the rules of the hardware,
//! `hw/src/multicast`.

gpurf_rtl::modules!("src/multicast");
