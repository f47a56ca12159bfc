//! The participants of one schema.

use std::collections::{BTreeMap, BTreeSet};

use super::{allowed, Refusal};
use crate::{tests::*, *};

/// A schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSchema {
    /// Whether anyone may verify the schema.
    pub public: bool,
    /// Issuers with their prices.
    pub issuers: BTreeMap<Did, BTreeMap<Vec<u8>, u128>>,
    /// Listed verifiers.
    pub verifiers: BTreeSet<Did>,
}

impl ModelSchema {
    /// Refuses a state that no schema may have.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.public && self.issuers.values().any(|prices| !prices.is_empty()) {
            return Err(Error::PublicSchemaPriced);
        }
        Ok(())
    }

    /// Changes one issuer. `own` says that the issuer makes the change itself, `decides` that the convener makes it.
    pub fn issuer(&mut self, own: bool, decides: bool, did: Did, op: &IssuerOp) -> Result<(), Refusal> {
        let listed = self.issuers.contains_key(&did);
        match op {
            IssuerOp::Add(_) if listed => return Err(Error::AlreadyExists),
            IssuerOp::Remove | IssuerOp::Modify(_) if !listed => return Err(Error::NotFound),
            _ => {}
        }
        allowed(decides || own && listed)?;
        match op {
            IssuerOp::Set(prices) | IssuerOp::Add(prices) => drop(self.issuers.insert(did, prices.clone())),
            IssuerOp::Remove | IssuerOp::Discard => drop(self.issuers.remove(&did)),
            IssuerOp::Ensure => drop(self.issuers.entry(did).or_default()),
            IssuerOp::Modify(ops) => {
                let prices = self.issuers.get_mut(&did).expect("a listed issuer");
                for (symbol, op) in ops {
                    match op {
                        PriceOp::Set(price) => drop(prices.insert(symbol.clone(), *price)),
                        PriceOp::Add(_) if prices.contains_key(symbol) => return Err(Error::AlreadyExists),
                        PriceOp::Add(price) => drop(prices.insert(symbol.clone(), *price)),
                        PriceOp::Remove => drop(prices.remove(symbol).ok_or(Error::NotFound)?),
                    }
                }
            }
        }
        Ok(())
    }

    /// Changes one verifier. `own` says that the verifier makes the change itself, `decides` that the convener makes
    /// it.
    pub fn verifier(&mut self, own: bool, decides: bool, did: Did, op: &VerifierOp) -> Result<(), Refusal> {
        let listed = self.verifiers.contains(&did);
        match op {
            VerifierOp::Add if listed => return Err(Error::AlreadyExists),
            VerifierOp::Remove if !listed => return Err(Error::NotFound),
            _ => {}
        }
        allowed(decides || own && listed)?;
        match op {
            VerifierOp::Add | VerifierOp::Ensure => {
                self.verifiers.insert(did);
                self.public = false;
            }
            VerifierOp::Remove | VerifierOp::Discard => drop(self.verifiers.remove(&did)),
        }
        Ok(())
    }
}
