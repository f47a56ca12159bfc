//! Who convenes a registry.

use pallet_did::Did;

use super::{allowed, Refusal};
use crate::*;

/// The registry itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Chair {
    /// Who decides.
    pub convener: Did,
    /// The registry's name.
    pub name: Vec<u8>,
    /// To whom it is offered.
    pub offer: Option<Did>,
    /// Grows with each change of schemas.
    pub version: u32,
}

impl Chair {
    /// Whether a DID may decide.
    pub fn decides(&self, actor: Did) -> Result<(), Refusal> {
        allowed(actor == self.convener)
    }

    /// Whether another DID, which can act, may convene instead.
    pub fn goes_to(&self, did: Did) -> Result<(), Refusal> {
        match did {
            _ if did == self.convener => Err(Error::AlreadyExists),
            Did::Svc(_) => Err(Error::Inactive),
            Did::Key(_) => Ok(()),
        }
    }
}
