//! Size of an update by what it names, regardless of what is stored. One walk serves the limits and the weight.

use alloc::collections::BTreeMap;
use frame_support::ensure;
use sp_runtime::DispatchError;

use crate::{
    limits::{MAX_CHANGES, MAX_CURRENCIES, MAX_DELEGATES, MAX_PRICES_OF_CALL},
    Config, Currency, Error, IssuerOp, IssuersUpdate, Metadata, MetadataUpdate, PricesInput, SchemaOp, SchemasUpdate,
    VerifiersUpdate,
};

/// Size of what an update names.
#[derive(Default)]
pub struct Size {
    /// Number of schemas, issuers and verifiers.
    pub listed: u32,
    /// Number of prices.
    pub prices: u32,
    /// Number of issuers that may lose their delegates.
    leaving: u32,
    /// The greatest number of currencies of one issuer.
    currencies: u32,
    /// Whether some currency's symbol is not a valid one.
    has_bad_currency: bool,
    /// Whether a list of changes is empty.
    has_empty: bool,
    /// Whether a collection is replaced, so that a change made in between would be lost.
    pub replaces: bool,
    /// Whether everything stored under a name has to be visited.
    is_whole: bool,
}

impl Size {
    /// Greatest number of changes that the update may make, for its weight.
    pub fn most_changes(&self) -> u32 {
        if self.is_whole {
            return MAX_CHANGES;
        }
        self.listed.saturating_add(self.leaving.saturating_mul(MAX_DELEGATES)).min(MAX_CHANGES)
    }

    /// Refuses an update that is too large or malformed, then one that does nothing.
    pub fn check<T: Config>(&self, stored: u32) -> Result<(), DispatchError> {
        ensure!(self.listed.saturating_add(stored) <= MAX_CHANGES, Error::<T>::TooManyChanges);
        ensure!(self.prices <= MAX_PRICES_OF_CALL, Error::<T>::TooManyPrices);
        ensure!(self.currencies <= MAX_CURRENCIES, Error::<T>::TooManyCurrencies);
        ensure!(!self.has_bad_currency, Error::<T>::BadCurrency);
        ensure!(!self.has_empty, Error::<T>::EmptyUpdate);
        Ok(())
    }

    fn list(&mut self, count: usize) {
        self.listed = self.listed.saturating_add(count as u32);
    }

    fn add_prices<V>(&mut self, prices: &BTreeMap<alloc::vec::Vec<u8>, V>) {
        self.prices = self.prices.saturating_add(prices.len() as u32);
        self.currencies = self.currencies.max(prices.len() as u32);
        self.has_bad_currency |= prices.keys().any(|symbol| Currency::parse(symbol).is_none());
    }

    fn add_issuers<'a>(&mut self, issuers: impl ExactSizeIterator<Item = &'a PricesInput>) {
        self.list(issuers.len());
        issuers.for_each(|prices| self.add_prices(prices));
    }

    fn add_metadata(&mut self, metadata: &Metadata) {
        self.add_issuers(metadata.issuers.values());
        self.list(metadata.verifiers.as_ref().map_or(0, |verifiers| verifiers.len()));
    }

    fn add_schema(&mut self, op: &SchemaOp) {
        match op {
            SchemaOp::Set(metadata) => {
                self.replaces = true;
                self.is_whole = true;
                self.add_metadata(metadata);
            }
            SchemaOp::Add(metadata) => self.add_metadata(metadata),
            SchemaOp::Remove | SchemaOp::Discard => self.is_whole = true,
            SchemaOp::Modify(update) => {
                self.has_empty |= update.issuers.is_none() && update.verifiers.is_none();
                self.add_update(update);
            }
            SchemaOp::Ensure(update) => self.add_update(update),
        }
    }

    fn add_update(&mut self, update: &MetadataUpdate) {
        self.replaces |= update.replaces();
        self.is_whole |= update.replaces();
        match &update.issuers {
            Some(IssuersUpdate::Set(issuers)) => self.add_issuers(issuers.values()),
            Some(IssuersUpdate::Modify(ops)) => {
                self.has_empty |= ops.is_empty();
                self.list(ops.len());
                ops.values().for_each(|op| self.add_issuer(op));
            }
            None => {}
        }
        match &update.verifiers {
            Some(VerifiersUpdate::Set(verifiers)) => self.list(verifiers.len()),
            Some(VerifiersUpdate::Modify(ops)) => {
                self.has_empty |= ops.is_empty();
                self.list(ops.len());
            }
            None => {}
        }
    }

    fn add_issuer(&mut self, op: &IssuerOp) {
        match op {
            IssuerOp::Set(prices) | IssuerOp::Add(prices) => self.add_prices(prices),
            IssuerOp::Modify(ops) => {
                self.has_empty |= ops.is_empty();
                self.add_prices(ops);
            }
            IssuerOp::Remove | IssuerOp::Discard => self.leaving = self.leaving.saturating_add(1),
            IssuerOp::Ensure => {}
        }
    }
}

impl SchemasUpdate {
    /// Measures what the update names.
    pub fn size(&self) -> Size {
        let mut size = Size::default();
        match self {
            Self::Set(schemas) => {
                size.replaces = true;
                size.is_whole = true;
                size.list(schemas.len());
                schemas.values().for_each(|metadata| size.add_metadata(metadata));
            }
            Self::Modify(ops) => {
                size.has_empty = ops.is_empty();
                size.list(ops.len());
                ops.values().for_each(|op| size.add_schema(op));
            }
        }
        size
    }
}

impl SchemaOp {
    /// Whether all stored participants have to be visited.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Set(_) | Self::Remove | Self::Discard => true,
            Self::Modify(update) | Self::Ensure(update) => update.replaces(),
            Self::Add(_) => false,
        }
    }
}

impl MetadataUpdate {
    /// Whether all issuers or all verifiers are replaced.
    fn replaces(&self) -> bool {
        matches!(self.issuers, Some(IssuersUpdate::Set(_))) || matches!(self.verifiers, Some(VerifiersUpdate::Set(_)))
    }
}
