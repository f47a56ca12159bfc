//! The one definition of who may issue or verify.

use codec::{Decode, DecodeWithMemTracking, Encode};
use frame_support::traits::Contains;
use pallet_did::Did;
use scale_info::TypeInfo;
use sp_core::H256;

use super::{QueryError, Reads, Role};
use crate::{Config, Entries, Pallet, Schemas, Standings};

/// Whether a DID may issue or verify a schema in a registry, and why.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub enum Authorization {
    /// Yes: it is listed itself.
    #[codec(index = 0)]
    Direct,
    /// Yes: it issues as a delegate.
    #[codec(index = 1)]
    Delegated {
        /// The lowest of the listed issuers that delegate to it and are neither suspended nor deactivated.
        via: Did,
    },
    /// Yes: anyone may verify the schema.
    #[codec(index = 2)]
    PublicSchema,
    /// No: it is suspended.
    #[codec(index = 3)]
    Suspended,
    /// No: every issuer that delegates to it is suspended or deactivated.
    #[codec(index = 4)]
    DelegatorSuspended,
    /// No: it was deactivated.
    #[codec(index = 5)]
    Deactivated,
    /// No: nothing authorises it.
    #[codec(index = 6)]
    NotListed,
    /// No: there is no such registry in use.
    #[codec(index = 7)]
    UnknownRegistry,
    /// No: the registry has no such schema.
    #[codec(index = 8)]
    UnknownSchema,
}

impl Authorization {
    /// Whether the answer is yes.
    pub fn is_authorized(&self) -> bool {
        matches!(self, Self::Direct | Self::Delegated { .. } | Self::PublicSchema)
    }
}

impl<T: Config> Pallet<T> {
    pub(crate) fn find_authorization(
        registry_id: H256,
        schema_id: H256,
        did: Did,
        role: Role,
    ) -> Result<Authorization, QueryError> {
        if Self::registry(registry_id).is_err() {
            return Ok(Authorization::UnknownRegistry);
        }
        let Some(schema) = Schemas::<T>::get(registry_id, schema_id) else {
            return Ok(Authorization::UnknownSchema);
        };
        if let Some(barred) = Self::barred(registry_id, &did) {
            return Ok(barred);
        }
        let entry = Entries::<T>::get((registry_id, schema_id, &did)).unwrap_or_default();
        match role {
            Role::Verifier if entry.verifier => Ok(Authorization::Direct),
            Role::Verifier if schema.public => Ok(Authorization::PublicSchema),
            Role::Verifier => Ok(Authorization::NotListed),
            Role::Issuer if entry.issuer.is_some() => Ok(Authorization::Direct),
            Role::Issuer => Self::delegated(registry_id, schema_id, &did),
        }
    }

    fn delegated(registry_id: H256, schema_id: H256, did: &Did) -> Result<Authorization, QueryError> {
        let mut reads = Reads::new();
        let mut answer = Authorization::NotListed;
        for issuer in Self::delegators(registry_id, did, &mut reads)? {
            reads.one()?;
            let issues =
                Entries::<T>::get((registry_id, schema_id, &issuer)).is_some_and(|entry| entry.issuer.is_some());
            match Self::barred(registry_id, &issuer) {
                None if issues => return Ok(Authorization::Delegated { via: issuer }),
                Some(_) if issues => answer = Authorization::DelegatorSuspended,
                _ => {}
            }
        }
        Ok(answer)
    }

    /// Returns the reason that bars a DID from everything in a registry, on every path.
    fn barred(registry_id: H256, did: &Did) -> Option<Authorization> {
        if T::DeactivatedDids::contains(did) {
            return Some(Authorization::Deactivated);
        }
        Standings::<T>::get(registry_id, did).suspended.then_some(Authorization::Suspended)
    }
}
