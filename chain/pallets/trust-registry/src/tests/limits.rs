//! Every limit is tested one below it, at it and one above. The limits of `set_schemas_metadata` are tested with that
//! call.

use super::*;
use crate::limits::*;

/// The counts around a limit, each with whether it is allowed.
pub fn around(limit: u32) -> [(u32, bool); 3] {
    [(limit - 1, true), (limit, true), (limit + 1, false)]
}

/// The result of a call.
pub fn expected(allowed: bool, refusal: Error<Test>) -> DispatchResult {
    if allowed {
        Ok(())
    } else {
        Err(refusal.into())
    }
}

/// This many DIDs.
pub fn many(count: u32) -> Vec<Did> {
    (0..count).map(numbered).collect()
}

fn called(name: u32, gov_framework: u32) -> DispatchResult {
    let text = |length: u32| vec![b'x'; length as usize];
    let (name, gov_framework) = (text(name), text(gov_framework));
    act(CONVENER, Call::init_or_update_trust_registry { registry_id: REGISTRY, name, gov_framework })
}

#[test]
fn a_name_has_64_bytes_and_a_governance_reference_1024_at_most() {
    for (length, allowed) in around(MAX_NAME) {
        ledger(|| assert_eq!(called(length, 1), expected(allowed, Error::NameTooLong), "{length}"));
        with_registry(|| assert_eq!(called(length, 1), expected(allowed, Error::NameTooLong), "{length}"));
    }
    for (length, allowed) in around(MAX_GOV_FRAMEWORK) {
        ledger(|| assert_eq!(called(1, length), expected(allowed, Error::GovFrameworkTooLong), "{length}"));
        with_registry(|| assert_eq!(called(1, length), expected(allowed, Error::GovFrameworkTooLong), "{length}"));
    }
}

#[test]
fn an_issuer_has_16_delegates_at_most() {
    let named = |delegated| act(did(2), Call::update_delegated_issuers { registry_id: REGISTRY, delegated });
    for (count, allowed) in around(MAX_DELEGATES) {
        let all: Vec<Did> = many(count);
        with_registry(|| {
            add(schema(1), metadata(&[did(2)], &[]));
            let result = named(DelegatedUpdate::Set(all.iter().cloned().collect()));
            assert_eq!(result, expected(allowed, Error::TooManyDelegates), "{count}");
        });
        with_registry(|| {
            add(schema(1), metadata(&[did(2)], &[]));
            delegate(did(2), &all[1..]);
            let result = named(DelegatedUpdate::Modify([(all[0].clone(), DelegateOp::Add)].into()));
            assert_eq!(result, expected(allowed, Error::TooManyDelegates), "{count}");
        });
    }
    // One call may exchange all delegates.
    with_registry(|| {
        add(schema(1), metadata(&[did(2)], &[]));
        let all = many(2 * MAX_DELEGATES + 1);
        let (old, new) = all[1..].split_at(MAX_DELEGATES as usize);
        delegate(did(2), old);
        let removed = old.iter().map(|did| (did.clone(), DelegateOp::Remove));
        let mut ops: BTreeMap<_, _> = removed.chain(new.iter().map(|did| (did.clone(), DelegateOp::Add))).collect();
        ops.insert(all[0].clone(), DelegateOp::Add);
        assert_eq!(named(DelegatedUpdate::Modify(ops.clone())), Err(Error::<Test>::TooManyDelegates.into()));
        ops.remove(&all[0]);
        assert_eq!(named(DelegatedUpdate::Modify(ops)), Ok(()));
    });
}

#[test]
fn a_call_suspends_or_unsuspends_250_dids_at_most() {
    for (count, allowed) in around(MAX_SUSPENSIONS) {
        with_registry(|| {
            let all = many(count);
            let dids = || all.iter().cloned().collect();
            add(schema(1), metadata(&all, &all));
            let outcome = expected(allowed, Error::TooManySuspensions);
            let (issuers, verifiers) = (dids(), dids());
            assert_eq!(act(CONVENER, Call::suspend_issuers { registry_id: REGISTRY, issuers }), outcome, "{count}");
            let issuers = dids();
            assert_eq!(act(CONVENER, Call::unsuspend_issuers { registry_id: REGISTRY, issuers }), outcome, "{count}");
            let call = Call::suspend_verifiers { registry_id: REGISTRY, verifiers };
            assert_eq!(act(CONVENER, call), outcome, "{count}");
            let call = Call::unsuspend_verifiers { registry_id: REGISTRY, verifiers: dids() };
            assert_eq!(act(CONVENER, call), outcome, "{count}");
        });
    }
}
