//! Cycle testbenches of every hardware module.
