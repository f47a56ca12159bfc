//! Limits of a registry, of calls and of queries.

/// Most bytes of a registry's name.
pub const MAX_NAME: u32 = 64;
/// Most bytes of a governance reference.
pub const MAX_GOV_FRAMEWORK: u32 = 1_024;
/// Most primitive changes that a call may make or have to visit.
pub const MAX_CHANGES: u32 = 1_000;
/// Most prices in one call.
pub const MAX_PRICES_OF_CALL: u32 = 5_000;
/// Most currencies in which an issuer may have a price.
pub const MAX_CURRENCIES: u32 = 25;
/// Most bytes of a currency's symbol.
pub const MAX_SYMBOL: u32 = 10;
/// Most ids in one field of a query's filter.
pub const MAX_ANY_OF: u32 = 64;
/// Most ids in a page of an answer.
pub const MAX_IDS: u32 = 1_000;
/// Most registries in a page of an answer that describes each.
pub const MAX_INFOS: u32 = 100;
/// Most schemas in a page of an answer that names the participants of each.
pub const MAX_METADATA: u32 = 20;
/// Most entries that a query may read.
pub const MAX_READS: u32 = 10_000;
/// Most delegates of an issuer.
pub const MAX_DELEGATES: u32 = 16;
/// Most DIDs in one suspension call.
pub const MAX_SUSPENSIONS: u32 = 250;
