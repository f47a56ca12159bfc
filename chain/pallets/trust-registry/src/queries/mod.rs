//! Queries that anyone may make, as of a block: which DIDs are in which registry, and what they may do. Each query
//! reads a bounded number of entries and finds them through an index of its own; none walks over all registries.

mod authorization;
mod filter;
mod preview;
mod registries;
mod schemas;

use alloc::{collections::BTreeSet, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode};
use frame_support::ensure;
use scale_info::TypeInfo;
use sp_core::H256;

use crate::limits::MAX_READS;

pub use authorization::Authorization;
pub use filter::{Filter, FilterBy};
pub use preview::{EndedDelegation, Preview};
pub use registries::{Participation, RegistryInfo};
pub use schemas::{IssuerInfo, SchemaMetadata, VerifierInfo};

/// The role of a DID.
#[derive(Clone, Copy, Debug, Decode, DecodeWithMemTracking, Encode, Eq, Ord, PartialEq, PartialOrd, TypeInfo)]
pub enum Role {
    /// It issues, as a listed issuer or as the delegate of one.
    #[codec(index = 0)]
    Issuer,
    /// It is listed as a verifier.
    #[codec(index = 1)]
    Verifier,
}

/// The reason why a query has no answer.
#[derive(Clone, Copy, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum QueryError {
    /// More than 10,000 entries would have to be read. An index of the ledger answers such queries.
    #[codec(index = 0)]
    TooManyReads,
}

/// A part of an answer, in the order of ids.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct Page<Item> {
    /// The items found.
    pub list: Vec<Item>,
    /// The id after which the next page begins; none on the last page.
    pub next: Option<H256>,
}

impl<Item> Page<Item> {
    /// The answer to a query that asks for nothing.
    pub(crate) fn empty() -> Self {
        Self { list: Vec::new(), next: None }
    }

    /// The same page with other items, one for each of its own.
    fn with<Other>(self, list: Vec<Other>) -> Page<Other> {
        Page { list, next: self.next }
    }
}

impl Page<H256> {
    /// The ids after the cursor, at most `most` of them.
    fn of(ids: BTreeSet<H256>, cursor: Option<H256>, most: usize) -> Self {
        let mut list: Vec<_> = ids.into_iter().filter(|id| cursor.is_none_or(|cursor| *id > cursor)).collect();
        let has_more = list.len() > most;
        list.truncate(most);
        let next = list.last().copied().filter(|_| has_more);
        Self { list, next }
    }
}

/// Number of entries that a query may still read.
struct Reads(u32);

impl Reads {
    fn new() -> Self {
        Self(MAX_READS)
    }

    fn one(&mut self) -> Result<(), QueryError> {
        ensure!(self.0 > 0, QueryError::TooManyReads);
        self.0 -= 1;
        Ok(())
    }

    /// Collects the items and counts each as one entry read.
    fn all<Item, C: FromIterator<Item>>(&mut self, items: impl Iterator<Item = Item>) -> Result<C, QueryError> {
        items.map(|item| self.one().map(|()| item)).collect()
    }
}
