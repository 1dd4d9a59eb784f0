// SPDX-License-Identifier: Apache-2.0
//! FineReg: live registers of stalled CTAs in a register file of their own. R §V.
//!
//! R is *FineReg: Fine-Grained Register File Management for Augmenting GPU Throughput*. The
//! [`CtaStatusMonitor`] says which pending CTA goes on. The [`Rmu`] moves registers between the register file
//! of active CTAs (ACRF, the ordinary banks) and that of pending CTAs, the [`Pcrf`].

crate::dialect::modules!("src/finereg");
