// SPDX-License-Identifier: Apache-2.0
//! Reference models of the register cache, written from C §IV and §V-B and the rules of the hardware,
//! `hw/src/register_cache`.

gpurf_rtl::modules!("src/register_cache");
