//! What a registry and a call may hold.

/// Bytes of a registry's name.
pub const MAX_NAME: u32 = 64;
/// Bytes of a governance reference.
pub const MAX_GOV_FRAMEWORK: u32 = 1_024;
/// Primitive changes that a call may make or have to look at.
pub const MAX_CHANGES: u32 = 1_000;
/// Prices in one call.
pub const MAX_PRICES_OF_CALL: u32 = 5_000;
/// Currencies in which an issuer may have a price.
pub const MAX_CURRENCIES: u32 = 25;
/// Bytes of a currency's symbol.
pub const MAX_SYMBOL: u32 = 10;
/// Ids in one field of a query's filter.
pub const MAX_ANY_OF: u32 = 64;
/// Ids in a page of an answer.
pub const MAX_IDS: u32 = 1_000;
/// Registries in a page of an answer that tells about each.
pub const MAX_INFOS: u32 = 100;
/// Schemas in a page of an answer that names the participants of each.
pub const MAX_METADATA: u32 = 20;
/// Entries that a query may read.
pub const MAX_READS: u32 = 10_000;
/// Delegates of an issuer.
pub const MAX_DELEGATES: u32 = 16;
/// DIDs in one suspension call.
pub const MAX_SUSPENSIONS: u32 = 250;
