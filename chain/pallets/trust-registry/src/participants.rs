//! Suspensions and delegations.

use alloc::collections::BTreeSet;
use frame_support::{ensure, pallet_prelude::DispatchResult};
use pallet_did::Did;
use sp_core::H256;
use sp_runtime::DispatchError;

use crate::{
    limits::{MAX_DELEGATES, MAX_SUSPENSIONS},
    Config, DelegateOp, DelegatedUpdate, Delegates, Delegations, Error, Event, Pallet, Standings,
};

impl<T: Config> Pallet<T> {
    pub(crate) fn do_suspend_issuers(actor: Did, registry_id: H256, issuers: BTreeSet<Did>) -> DispatchResult {
        Self::check_suspension(actor, registry_id, &issuers)?;
        for issuer in issuers {
            let has_role = Standings::<T>::get(registry_id, &issuer).issuer_schemas > 0
                || Delegations::<T>::iter_key_prefix((&issuer, registry_id)).next().is_some();
            Self::suspend(registry_id, &issuer, has_role)?;
            Self::deposit_event(Event::IssuerSuspended { registry_id, issuer });
        }
        Ok(())
    }

    pub(crate) fn do_suspend_verifiers(actor: Did, registry_id: H256, verifiers: BTreeSet<Did>) -> DispatchResult {
        Self::check_suspension(actor, registry_id, &verifiers)?;
        for verifier in verifiers {
            let has_role = Standings::<T>::get(registry_id, &verifier).verifier_schemas > 0;
            Self::suspend(registry_id, &verifier, has_role)?;
            Self::deposit_event(Event::VerifierSuspended { registry_id, verifier });
        }
        Ok(())
    }

    pub(crate) fn do_unsuspend_issuers(actor: Did, registry_id: H256, issuers: BTreeSet<Did>) -> DispatchResult {
        Self::check_suspension(actor, registry_id, &issuers)?;
        for issuer in issuers {
            Self::unsuspend(registry_id, &issuer)?;
            Self::deposit_event(Event::IssuerUnsuspended { registry_id, issuer });
        }
        Ok(())
    }

    pub(crate) fn do_unsuspend_verifiers(actor: Did, registry_id: H256, verifiers: BTreeSet<Did>) -> DispatchResult {
        Self::check_suspension(actor, registry_id, &verifiers)?;
        for verifier in verifiers {
            Self::unsuspend(registry_id, &verifier)?;
            Self::deposit_event(Event::VerifierUnsuspended { registry_id, verifier });
        }
        Ok(())
    }

    fn check_suspension(actor: Did, registry_id: H256, dids: &BTreeSet<Did>) -> DispatchResult {
        let registry = Self::registry(registry_id)?;
        ensure!(dids.len() <= MAX_SUSPENSIONS as usize, Error::<T>::TooManySuspensions);
        ensure!(!dids.is_empty(), Error::<T>::EmptyUpdate);
        ensure!(actor == registry.convener, Error::<T>::NotAuthorized);
        Ok(())
    }

    fn suspend(registry_id: H256, did: &Did, has_role: bool) -> DispatchResult {
        ensure!(has_role, Error::<T>::NotFound);
        let mut standing = Standings::<T>::get(registry_id, did);
        ensure!(!standing.suspended, Error::<T>::AlreadySuspended);
        standing.suspended = true;
        Self::put_standing(registry_id, did, &standing);
        Ok(())
    }

    fn unsuspend(registry_id: H256, did: &Did) -> DispatchResult {
        let mut standing = Standings::<T>::get(registry_id, did);
        ensure!(standing.suspended, Error::<T>::NotSuspended);
        standing.suspended = false;
        Self::put_standing(registry_id, did, &standing);
        Ok(())
    }

    pub(crate) fn do_update_delegated_issuers(
        actor: Did,
        registry_id: H256,
        update: DelegatedUpdate,
    ) -> DispatchResult {
        Self::registry(registry_id)?;
        update.check::<T>()?;
        let mut standing = Standings::<T>::get(registry_id, &actor);
        ensure!(standing.issuer_schemas > 0, Error::<T>::NotAuthorized);
        ensure!(!standing.suspended, Error::<T>::Suspended);
        let old = standing.delegates;
        let new = Self::delegates_after(&actor, &old, update)?;
        for delegate in old.union(&new) {
            match (old.contains(delegate), new.contains(delegate)) {
                (true, false) => Self::withdraw(registry_id, actor.clone(), delegate.clone()),
                (false, true) => {
                    Delegations::<T>::insert((delegate, registry_id, &actor), ());
                    let (issuer, delegate) = (actor.clone(), delegate.clone());
                    Self::deposit_event(Event::DelegateAdded { registry_id, issuer, delegate });
                }
                _ => {}
            }
        }
        standing.delegates = new;
        Self::put_standing(registry_id, &actor, &standing);
        Ok(())
    }

    fn delegates_after(issuer: &Did, old: &Delegates, update: DelegatedUpdate) -> Result<Delegates, DispatchError> {
        let new = match update {
            DelegatedUpdate::Set(delegates) => delegates,
            DelegatedUpdate::Modify(ops) => {
                let mut delegates = old.clone().into_inner();
                for (delegate, op) in ops {
                    match op {
                        DelegateOp::Add => ensure!(delegates.insert(delegate), Error::<T>::AlreadyExists),
                        DelegateOp::Remove => ensure!(delegates.remove(&delegate), Error::<T>::NotFound),
                    }
                }
                delegates
            }
        };
        ensure!(!new.contains(issuer), Error::<T>::SelfDelegation);
        Delegates::try_from(new).map_err(|_| Error::<T>::TooManyDelegates.into())
    }
}

impl DelegatedUpdate {
    /// Refuses an update that is too large by itself, then one that does nothing.
    fn check<T: Config>(&self) -> DispatchResult {
        match self {
            Self::Set(delegates) => {
                ensure!(delegates.len() <= MAX_DELEGATES as usize, Error::<T>::TooManyDelegates);
            }
            Self::Modify(ops) => {
                ensure!(ops.len() <= 2 * MAX_DELEGATES as usize, Error::<T>::TooManyDelegates);
                ensure!(!ops.is_empty(), Error::<T>::EmptyUpdate);
            }
        }
        Ok(())
    }
}
