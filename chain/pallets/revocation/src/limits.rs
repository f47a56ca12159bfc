//! Limits of a revocation registry and of calls.

/// Greatest number of DIDs of a policy.
pub const MAX_POLICY: u32 = 15;
/// Greatest number of indexes in one call, those set and those cleared together.
pub const MAX_INDEXES: u32 = 1_000;
/// Smallest length of a status list, in bits. It hides a holder in a crowd.
pub const MIN_LENGTH: u32 = 131_072;
/// Largest length of a status list, in bits.
pub const MAX_LENGTH: u32 = 1 << 20;
/// Greatest number of members that an accumulator can number. This bounds what is stored about removed ones.
pub const MAX_MEMBERS: u32 = MAX_LENGTH;
/// Greatest number of bytes of an accumulator's public key or value.
pub const MAX_ACCUMULATOR_FIELD: u32 = 256;
/// Greatest number of bytes of the information from which holders update their witnesses.
pub const MAX_WITNESS_UPDATE: u32 = 64 * 1_024;
