use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn add(did: DidId, controllers: Vec<Did>) -> Call<Test> {
    Call::add_controllers { did, controllers: controllers.into_iter().collect() }
}

#[test]
fn controllers_are_told_one_by_one_and_may_change_the_did() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_ok!(act(did, add(did, vec![did_key(3), other.into()])));
        let told = |controller| Event::ControllerAdded { did, controller };
        assert_eq!(events(), [told(other.into()), told(did_key(3))]);
        for controller in [other.into(), did_key(3)] {
            assert_ok!(act(controller, Call::set_service { did, service: service("web", "urn:x") }));
        }
    });
}

#[test]
fn control_goes_one_step_only() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_ok!(act(did, add(did, vec![other.into()])));
        assert_ok!(act(other, add(other, vec![did_key(3)])));
        assert_noop!(act(did_key(3), add(did, vec![did_key(4)])), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn a_controller_is_another_did_that_can_control() {
    ledger(|| {
        let (did, gone, controlled) = (created(1), created(2), created(3));
        assert_ok!(act(gone, Call::deactivate { did: gone }));
        assert_ok!(act(controlled, add(controlled, vec![did_key(4)])));
        assert_ok!(act(controlled, Call::revoke_keys { did: controlled, keys: [1].into() }));
        let secp = Did::Key(DidKey::Secp256k1([2; 33]));
        for bad in [did.into(), gone.into(), controlled.into(), Did::Svc(DidId([1; 32])), secp] {
            assert_noop!(act(did, add(did, vec![bad])), Error::<Test>::BadController);
        }
    });
}

#[test]
fn no_controllers_known_controllers_and_too_many_are_refused() {
    ledger(|| {
        let did = created(1);
        assert_noop!(act(did, add(did, vec![])), Error::<Test>::EmptyUpdate);
        let many = |count: u32| (0..count).map(|number| did_key(50 + number as u8)).collect();
        assert_noop!(act(did, add(did, many(MAX_CONTROLLERS + 1))), Error::<Test>::TooManyControllers);
        assert_ok!(act(did, add(did, many(MAX_CONTROLLERS))));
        assert_noop!(act(did, add(did, many(1))), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn only_a_controller_adds_another() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_noop!(act(other, add(did, vec![other.into()])), Error::<Test>::NotAuthorized);
    });
}
