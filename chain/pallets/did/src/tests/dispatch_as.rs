use frame_support::{assert_noop, assert_ok, dispatch::DispatchResultWithPostInfo};
use sp_runtime::DispatchError;

use super::*;
use crate::limits::*;

/// An action that is not signed yet.
#[derive(Clone)]
pub struct Act {
    seed: u8,
    payload: ActionPayload<H256, u64, RuntimeCall>,
}

/// The first action of a DID, through its first key.
pub fn first_act(did: impl Into<Did>, seed: u8, calls: Vec<Call<Test>>) -> Act {
    let did = did.into();
    let payload = ActionPayload {
        tag: ACTION_TAG,
        genesis_hash: GENESIS,
        transaction_version: 1,
        did: did.clone(),
        key_id: if matches!(did, Did::Svc(_)) { 1 } else { 0 },
        nonce: 1,
        valid_until: NOW + 60_000,
        submitter: SUBMITTER,
        calls: calls.into_iter().map(RuntimeCall::Dids).collect(),
    };
    Act { seed, payload }
}

impl Act {
    /// Returns the action with a field changed.
    pub fn with(mut self, change: impl FnOnce(&mut ActionPayload<H256, u64, RuntimeCall>)) -> Self {
        change(&mut self.payload);
        self
    }

    /// Returns the authorisation that its signer hands over.
    pub fn authorization(&self) -> Authorization {
        let ActionPayload { did, key_id, nonce, valid_until, .. } = self.payload.clone();
        Authorization { did, key_id, nonce, valid_until, signature: self.signature() }
    }

    /// Returns its calls.
    pub fn calls(&self) -> Vec<RuntimeCall> {
        self.payload.calls.clone()
    }

    /// Returns the bytes that are signed.
    pub fn bytes(&self) -> Vec<u8> {
        self.payload.encode()
    }

    fn signature(&self) -> [u8; 64] {
        pair(self.seed).sign(&self.bytes()).0
    }

    /// Sends the action, signed over its own payload.
    pub fn send(&self) -> DispatchResult {
        outcome(self.send_signed(self.signature()))
    }

    /// Sends the action with a given signature.
    pub fn send_signed(&self, signature: [u8; 64]) -> DispatchResultWithPostInfo {
        let ActionPayload { did, key_id, nonce, valid_until, submitter, calls, .. } = self.payload.clone();
        let authorization = Box::new(Authorization { did, key_id, nonce, valid_until, signature });
        RuntimeCall::Dids(Call::dispatch_as { authorization, calls }).dispatch(RuntimeOrigin::signed(submitter))
    }

    fn call_hash(&self) -> [u8; 32] {
        blake2_256(&self.payload.calls.encode())
    }
}

/// Sets a service.
pub fn set(did: DidId, id: &str) -> Call<Test> {
    Call::set_service { did, service: service(id, "urn:x") }
}

#[test]
fn calls_run_in_order_as_the_did_and_their_events_follow_the_dispatch() {
    ledger(|| {
        let did = created(1);
        let act = first_act(did, 1, vec![set(did, "a"), set(did, "b")]);
        assert_ok!(act.send());
        let told = |id: &str| {
            let (id, new) = stored(service(id, "urn:x"));
            Event::ServiceSet { did, id, old: None, new }
        };
        let call_hash = act.call_hash();
        let dispatched = Event::Dispatched { did: did.into(), key_id: 1, nonce: 1, submitter: SUBMITTER, call_hash };
        assert_eq!(events(), [dispatched, told("a"), told("b")]);
        assert_eq!(Nonces::<Test>::get(Did::from(did)), 1);
    });
}

#[test]
fn a_did_key_acts_without_registration() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, Call::add_controllers { did, controllers: [did_key(2)].into() }));
        assert_ok!(first_act(did_key(2), 2, vec![set(did, "a")]).send());
        assert_noop!(
            first_act(did_key(2), 2, vec![set(did, "b")]).with(|p| p.key_id = 1).send(),
            Error::<Test>::KeyNotFound
        );
        let secp = Did::Key(DidKey::Secp256k1([2; 33]));
        assert_noop!(first_act(secp, 2, vec![set(did, "b")]).send(), Error::<Test>::KeyNotAuthorized);
    });
}

#[test]
fn consecutive_nonces_work_in_one_block_and_no_act_works_twice() {
    ledger(|| {
        let did = created(1);
        let first = first_act(did, 1, vec![set(did, "a")]);
        let second = first.clone().with(|p| p.nonce = 2);
        assert_noop!(second.send(), Error::<Test>::BadNonce);
        assert_ok!(first.send());
        assert_ok!(second.send());
        assert_noop!(first.send(), Error::<Test>::BadNonce);
        assert_noop!(second.send(), Error::<Test>::BadNonce);
    });
}

#[test]
fn a_failing_call_takes_back_the_ones_before_it_and_the_nonce() {
    ledger(|| {
        let did = created(1);
        let failing = Call::remove_service { did, id: b"none".to_vec() };
        assert_noop!(first_act(did, 1, vec![set(did, "a"), failing]).send(), Error::<Test>::ServiceNotFound);
        assert_ok!(first_act(did, 1, vec![set(did, "a")]).send());
    });
}

#[test]
fn any_other_field_ledger_submitter_or_version_makes_the_signature_worthless() {
    ledger(|| {
        let did = created(1);
        let act = first_act(did, 1, vec![set(did, "a")]);
        let others = [
            act.clone().with(|p| p.tag = *b"accredit/did/dispatch/v2"),
            act.clone().with(|p| p.genesis_hash = H256([8; 32])),
            act.clone().with(|p| p.transaction_version = 2),
            act.clone().with(|p| p.did = did_key(1)),
            act.clone().with(|p| p.key_id = 2),
            act.clone().with(|p| p.nonce = 2),
            act.clone().with(|p| p.valid_until += 1),
            act.clone().with(|p| p.submitter += 1),
            act.clone().with(|p| p.calls.clear()),
            Act { seed: 2, ..act.clone() },
        ];
        for other in others {
            assert_noop!(outcome(act.send_signed(other.signature())), Error::<Test>::BadSignature);
        }
        TransactionVersion::set(2);
        assert_noop!(act.send(), Error::<Test>::BadSignature);
        TransactionVersion::set(1);
        assert_ok!(act.send());
    });
}

#[test]
fn only_calls_of_dids_are_made_and_no_creation_or_dispatch_among_them() {
    ledger(|| {
        let did = created(1);
        let act = first_act(did, 1, vec![set(did, "a")]);
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let ActionPayload { did: actor, key_id, nonce, valid_until, .. } = act.payload.clone();
        let authorization = Box::new(Authorization { did: actor, key_id, nonce, valid_until, signature: [0; 64] });
        let nested = RuntimeCall::Dids(Call::dispatch_as { authorization, calls: vec![] });
        let CreationPayload { salt, keys, controllers, services, .. } = creation(2).payload();
        let create = RuntimeCall::Dids(Call::create { salt, keys, controllers, services, signature: [0; 64] });
        for call in [remark, nested, create] {
            assert_noop!(act.clone().with(|p| p.calls.push(call)).send(), Error::<Test>::CallNotAllowed);
        }
    });
}

#[test]
fn a_dispatch_has_one_to_64_calls() {
    ledger(|| {
        let did = created(1);
        let many = |count: u32| first_act(did, 1, (0..count).map(|_| set(did, "a")).collect());
        assert_noop!(many(0).send(), Error::<Test>::EmptyUpdate);
        assert_noop!(many(MAX_CALLS + 1).send(), Error::<Test>::TooManyCalls);
        assert_ok!(many(MAX_CALLS).send());
    });
}

#[test]
fn the_actor_exists_is_active_and_has_the_key() {
    ledger(|| {
        let did = created(1);
        let gone = created(2);
        assert_ok!(act(gone, Call::deactivate { did: gone }));
        let calls = || vec![set(did, "a")];
        assert_noop!(first_act(DidId([1; 32]), 1, calls()).send(), Error::<Test>::NotFound);
        assert_noop!(first_act(gone, 2, calls()).send(), Error::<Test>::Deactivated);
        assert_noop!(first_act(did, 1, calls()).with(|p| p.key_id = 2).send(), Error::<Test>::KeyNotFound);
    });
}

#[test]
fn a_key_acts_that_is_ed25519_and_for_authentication_or_capability_invocation() {
    ledger(|| {
        let mut creation = creation(1);
        let sr25519 = KeyEntry { key: PublicKey::Sr25519([1; 32]), relationships: Relationships::ALL };
        let asserting = KeyEntry { key: public(3), relationships: Relationships::ASSERTION_METHOD };
        let authenticating = KeyEntry { key: public(4), relationships: Relationships::AUTHENTICATION };
        creation.keys.extend([sr25519, asserting, authenticating]);
        assert_ok!(creation.send());
        let did = id_of(1);
        let through = |key_id: u32, seed: u8| first_act(did, seed, vec![set(did, "a")]).with(|p| p.key_id = key_id);
        assert_noop!(through(2, 2).send(), Error::<Test>::KeyNotAuthorized);
        assert_noop!(through(3, 3).send(), Error::<Test>::KeyNotAuthorized);
        // The key may act, but to change a DID it needs capabilityInvocation.
        assert_noop!(through(4, 4).send(), DispatchError::BadOrigin);
    });
}

#[test]
fn refusals_come_in_the_order_of_the_checks() {
    ledger(|| {
        let did = created(1);
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        let mut act = first_act(DidId([1; 32]), 9, vec![]).with(|p| {
            p.calls = vec![remark];
            p.key_id = 5;
            p.valid_until = 0;
            p.nonce = 9;
        });
        assert_noop!(act.send(), Error::<Test>::CallNotAllowed);
        act.payload.calls = vec![RuntimeCall::Dids(Call::remove_service { did, id: vec![] })];
        assert_noop!(act.send(), Error::<Test>::NotFound);
        act.payload.did = did.into();
        assert_noop!(act.send(), Error::<Test>::KeyNotFound);
        act.payload.key_id = 1;
        assert_noop!(act.send(), Error::<Test>::Expired);
        act.payload.valid_until = NOW;
        assert_noop!(act.send(), Error::<Test>::BadNonce);
        act.payload.nonce = 1;
        assert_noop!(act.send(), Error::<Test>::BadSignature);
        act.seed = 1;
        assert_noop!(act.send(), Error::<Test>::ServiceNotFound);
    });
}

#[test]
fn a_did_that_deactivates_itself_does_nothing_after_that() {
    ledger(|| {
        let did = created(1);
        let calls = vec![Call::deactivate { did }, set(did, "a")];
        assert_noop!(first_act(did, 1, calls).send(), DispatchError::BadOrigin);
    });
}

#[test]
fn a_dispatch_never_weighs_more_than_declared() {
    ledger(|| {
        let did = created(1);
        let act = first_act(did, 1, vec![set(did, "a"), set(did, "b")]);
        let ActionPayload { did: actor, key_id, nonce, valid_until, calls, .. } = act.payload.clone();
        let authorization =
            Box::new(Authorization { did: actor, key_id, nonce, valid_until, signature: act.signature() });
        let call = RuntimeCall::Dids(Call::dispatch_as { authorization, calls });
        let info = frame_support::dispatch::GetDispatchInfo::get_dispatch_info(&call);
        let result = call.dispatch(RuntimeOrigin::signed(SUBMITTER));
        assert_ok!(result);
        let actual = frame_support::dispatch::extract_actual_weight(&result, &info);
        assert!(actual.all_lte(info.call_weight));
    });
}
