//! Limits of a registry, of calls and of queries.

/// Greatest number of bytes of a registry's name.
pub const MAX_NAME: u32 = 256;
/// Greatest number of bytes of a governance reference.
pub const MAX_GOV_FRAMEWORK: u32 = 1_024;
/// Greatest number of primitive changes that a call may make or visit.
pub const MAX_CHANGES: u32 = 1_000;
/// Greatest number of prices in one call.
pub const MAX_PRICES_OF_CALL: u32 = 5_000;
/// Greatest number of currencies in which an issuer may have a price.
pub const MAX_CURRENCIES: u32 = 25;
/// Greatest number of bytes of a currency's symbol.
pub const MAX_SYMBOL: u32 = 10;
/// Greatest number of ids in one field of a query's filter.
pub const MAX_ANY_OF: u32 = 64;
/// Greatest number of ids in a page of an answer.
pub const MAX_IDS: u32 = 1_000;
/// Greatest number of registries in a page of an answer that describes each.
pub const MAX_INFOS: u32 = 100;
/// Greatest number of schemas in a page of an answer that names the participants of each.
pub const MAX_METADATA: u32 = 20;
/// Greatest number of entries that a query may read.
pub const MAX_READS: u32 = 10_000;
/// Greatest number of delegates of an issuer.
pub const MAX_DELEGATES: u32 = 16;
/// Greatest number of DIDs in one suspension call.
pub const MAX_SUSPENSIONS: u32 = 250;
