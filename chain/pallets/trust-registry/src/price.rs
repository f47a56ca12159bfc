//! Prices by currency.

use alloc::{collections::BTreeMap, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedBTreeMap, BoundedVec};
use scale_info::TypeInfo;

use crate::limits::{MAX_CURRENCIES, MAX_SYMBOL};

/// A currency's symbol: 1 to 10 characters of A to Z and 0 to 9.
#[derive(
    Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, Ord, PartialEq, PartialOrd, TypeInfo,
)]
pub struct Currency(pub BoundedVec<u8, ConstU32<MAX_SYMBOL>>);

/// Prices of an issuer in a schema, by currency, in millionths of a unit. 0 is free; a currency that is absent is
/// unpriced.
pub type Prices = BoundedBTreeMap<Currency, u128, ConstU32<MAX_CURRENCIES>>;

/// Prices as a call gives them, not checked yet.
pub type PricesInput = BTreeMap<Vec<u8>, u128>;

impl Currency {
    /// Returns the symbol if it is a valid one.
    pub fn parse(symbol: &[u8]) -> Option<Self> {
        let is_symbol = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        if symbol.is_empty() || !symbol.iter().all(is_symbol) {
            return None;
        }
        symbol.to_vec().try_into().ok().map(Self)
    }
}
