//! Testbenches of the operand stage, which has the same ports whatever its collectors are.

mod boc_stage;
mod ccu_stage;
mod ocu_stage;
mod scenarios;
mod stimulus;
