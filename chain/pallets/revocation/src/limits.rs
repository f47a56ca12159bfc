//! What a revocation registry and a call may hold.

/// DIDs of a policy.
pub const MAX_POLICY: u32 = 15;
/// Indexes in one call, set and cleared together.
pub const MAX_INDEXES: u32 = 1_000;
/// Smallest length of a status list: what hides a holder in a crowd.
pub const MIN_LENGTH: u32 = 131_072;
/// Largest length of a status list.
pub const MAX_LENGTH: u32 = 1 << 20;
/// Members that an accumulator can number, so that what is kept of removed ones is bounded.
pub const MAX_MEMBERS: u32 = MAX_LENGTH;
/// Bytes of an accumulator's public key or value.
pub const MAX_ACCUMULATOR_FIELD: u32 = 256;
/// Bytes of the information from which holders update their witnesses.
pub const MAX_WITNESS_UPDATE: u32 = 64 * 1_024;
