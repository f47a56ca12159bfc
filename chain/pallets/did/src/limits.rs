//! Limits of a DID and of its actions.

/// Greatest number of keys of a DID in use at one time.
pub const MAX_KEYS: u32 = 32;
/// Greatest number of keys that a DID numbers in its life. This bounds what is stored about revoked ones.
pub const MAX_KEY_NUMBERS: u32 = 1_024;
/// Greatest number of controllers of a DID besides itself.
pub const MAX_CONTROLLERS: u32 = 8;
/// Greatest number of services of a DID.
pub const MAX_SERVICES: u32 = 16;
/// Greatest number of endpoints of a service.
pub const MAX_ENDPOINTS: u32 = 8;
/// Greatest number of bytes of a service's id, type or endpoint.
pub const MAX_SERVICE_FIELD: u32 = 256;
/// Greatest number of calls of one dispatch.
pub const MAX_CALLS: u32 = 64;
/// Longest time that an authorisation may stay valid after the ledger's clock, in milliseconds.
pub const MAX_VALIDITY_MS: u64 = 60 * 60 * 1_000;
/// Greatest number of bytes of a DID of another method.
pub const MAX_DID_TEXT: u32 = 512;
