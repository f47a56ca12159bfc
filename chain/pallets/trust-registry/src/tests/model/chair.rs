//! The convener of a registry.

use pallet_did::Did;

use super::{allowed, Refusal};
use crate::*;

/// The state of the registry itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Chair {
    /// Its convener.
    pub convener: Did,
    /// The registry's name.
    pub name: Vec<u8>,
    /// The DID to which it is offered.
    pub offer: Option<Did>,
    /// Its version, which grows with each change of schemas.
    pub version: u32,
}

impl Chair {
    /// Checks that a DID is the convener.
    pub fn decides(&self, actor: Did) -> Result<(), Refusal> {
        allowed(actor == self.convener)
    }

    /// Checks that a DID is another one and can act, so that it may become the convener.
    pub fn goes_to(&self, did: Did) -> Result<(), Refusal> {
        match did {
            _ if did == self.convener => Err(Error::AlreadyExists),
            Did::Svc(_) | Did::Other(_) => Err(Error::Inactive),
            Did::Key(_) => Ok(()),
        }
    }
}
