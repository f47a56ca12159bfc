//! Limits of a network's governance.

/// Greatest number of validators: as many as the pallets of blocks and of finality hold.
pub const MAX_VALIDATORS: u32 = 32;
