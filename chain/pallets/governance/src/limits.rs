//! Limits of a network's governance.

/// Greatest number of validators: as many as the pallets of blocks and of finality hold.
pub const MAX_VALIDATORS: u32 = 32;

/// Greatest number of open motions. A council has 32 members at most: the twelve of them that could fill all places can
/// vote down every motion anyway.
pub const MAX_MOTIONS: u32 = 48;

/// Greatest number of open motions of one member.
pub const MAX_MOTIONS_OF_MEMBER: usize = 4;

/// Number of authority sets for whose votes a validator can still be called to account. Where each of 32 validators
/// changes its keys every day these are eight days; a set that nobody changes counts as one, however long it lasts.
pub const KEPT_SETS: u32 = 256;

/// Number of sessions whose keys can be proved: a change of the set ends two.
pub const KEPT_SESSIONS: u32 = 2 * KEPT_SETS;
