// SPDX-License-Identifier: Apache-2.0
//! Register cache: the registers that a thread used last, in a small memory in front of the register file. C
//! §IV, §V.
//!
//! C is *Investigating Register Cache Behavior*. The [`RegisterCache`] of a sub-core stands between its
//! collectors and its banks. A [`TagArray`] says what is in it, and the [`WritebackBuffer`] takes what leaves
//! it. LTRF's [`IntervalPrefetcher`] says which registers are read into it before they are needed.

crate::dialect::modules!("src/register_cache");
