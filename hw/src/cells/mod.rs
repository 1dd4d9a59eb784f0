//! Small cells that the larger modules share.

crate::dialect::modules!("src/cells");
