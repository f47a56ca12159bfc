//! What a DID may hold.

/// Keys that are in use at one time.
pub const MAX_KEYS: u32 = 32;
/// Keys that a DID may number in its life, so that what is kept about revoked ones is bounded.
pub const MAX_KEY_NUMBERS: u32 = 1_024;
/// Controllers besides itself.
pub const MAX_CONTROLLERS: u32 = 8;
/// Services.
pub const MAX_SERVICES: u32 = 16;
/// Endpoints of a service.
pub const MAX_ENDPOINTS: u32 = 8;
/// Bytes of a service's id, type or endpoint.
pub const MAX_SERVICE_FIELD: u32 = 256;
/// Calls of one dispatch.
pub const MAX_CALLS: u32 = 64;
/// How far ahead of the ledger's clock an authorisation may stay valid, in milliseconds.
pub const MAX_VALIDITY_MS: u64 = 60 * 60 * 1_000;
