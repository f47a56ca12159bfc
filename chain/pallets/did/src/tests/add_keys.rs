use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn add(did: DidId, keys: Vec<DidKeyInput>) -> Call<Test> {
    Call::add_keys { did, keys }
}

#[test]
fn keys_of_all_kinds_get_the_next_numbers() {
    ledger(|| {
        let did = created(1);
        let kinds = [
            PublicKey::X25519([1; 32]),
            PublicKey::BabyJubJub([2; 32]),
            PublicKey::Bls12381G2([3; 96]),
            PublicKey::Secp256k1([4; 33]),
            PublicKey::Sr25519([5; 32]),
            PublicKey::Bls12381G2Plus2022([6; 96]),
        ];
        let mut keys: Vec<_> = kinds.iter().cloned().map(unproven).collect();
        keys.push(proven(did, 2));
        assert_ok!(act(did, add(did, keys)));
        let told = |(key_id, key): (u32, PublicKey)| {
            let relationships = key.capabilities();
            Event::KeyAdded { did, key_id, key, relationships }
        };
        let expected: Vec<_> = (2..).zip(kinds.into_iter().chain([public(2)])).map(told).collect();
        assert_eq!(events(), expected);
    });
}

#[test]
fn an_ed25519_key_proves_its_possession_to_this_did_on_this_ledger() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        let bad = [
            DidKeyInput { possession: None, ..proven(did, 3) },
            DidKeyInput { possession: Some([0; 64]), ..proven(did, 3) },
            DidKeyInput { key: public(4), ..proven(did, 3) },
            proven(other, 3),
        ];
        for key in bad {
            assert_noop!(act(did, add(did, vec![key])), Error::<Test>::BadPossession);
        }
        assert_ok!(act(did, add(did, vec![proven(did, 3)])));
    });
}

#[test]
fn no_keys_too_many_keys_and_uses_foreign_to_their_kind_are_refused() {
    ledger(|| {
        let did = created(1);
        assert_noop!(act(did, add(did, vec![])), Error::<Test>::EmptyUpdate);
        let agreement = || unproven(PublicKey::X25519([1; 32]));
        let signing = DidKeyInput { relationships: Relationships::AUTHENTICATION, ..agreement() };
        assert_noop!(act(did, add(did, vec![signing])), Error::<Test>::BadRelationships);
        let many = |count: u32| (0..count).map(|_| agreement()).collect();
        assert_noop!(act(did, add(did, many(MAX_KEYS))), Error::<Test>::TooManyKeys);
        assert_ok!(act(did, add(did, many(MAX_KEYS - 1))));
    });
}

#[test]
fn a_did_numbers_a_bounded_count_of_keys_in_its_life() {
    ledger(|| {
        let did = created(1);
        for number in 2..=MAX_KEY_NUMBERS {
            assert_ok!(act(did, add(did, vec![unproven(PublicKey::X25519([1; 32]))])));
            if number < MAX_KEY_NUMBERS {
                assert_ok!(act(did, Call::revoke_keys { did, keys: [number].into() }));
            }
        }
        let one_more = add(did, vec![unproven(PublicKey::X25519([1; 32]))]);
        assert_noop!(act(did, one_more), Error::<Test>::TooManyKeys);
    });
}

#[test]
fn only_a_controller_adds_through_a_key_for_capability_invocation() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        let keys = || add(did, vec![proven(did, 3)]);
        assert_noop!(act(other, keys()), Error::<Test>::NotAuthorized);
        assert_noop!(act(did_key(1), keys()), Error::<Test>::NotAuthorized);
        assert_noop!(act_through(did, Relationships(3), keys()), sp_runtime::DispatchError::BadOrigin);
        let signed = RuntimeCall::Dids(keys()).dispatch(RuntimeOrigin::signed(SUBMITTER));
        assert_eq!(outcome(signed), Err(sp_runtime::DispatchError::BadOrigin));
        assert_ok!(act(did, Call::add_controllers { did, controllers: [other.into()].into() }));
        assert_ok!(act(other, keys()));
    });
}

#[test]
fn a_did_that_is_not_there_is_not_changed() {
    ledger(|| {
        let (actor, gone) = (created(1), created(2));
        assert_ok!(act(gone, Call::deactivate { did: gone }));
        let nowhere = DidId([1; 32]);
        assert_noop!(act(actor, add(nowhere, vec![proven(nowhere, 3)])), Error::<Test>::NotFound);
        assert_noop!(act(actor, add(gone, vec![proven(gone, 3)])), Error::<Test>::Deactivated);
    });
}
