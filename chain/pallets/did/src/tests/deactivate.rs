use frame_support::{assert_noop, assert_ok};

use super::*;

#[test]
fn of_a_deactivated_did_a_tombstone_is_left_and_nothing_else() {
    ledger(|| {
        let mut creation = creation(1);
        creation.keys.push(entry(2));
        creation.controllers.push(did_key(3));
        creation.services.push(service("web", "urn:x"));
        assert_ok!(creation.send());
        let did = id_of(1);
        assert_ok!(act(did, Call::revoke_keys { did, keys: [2].into() }));
        events();
        assert_ok!(act(did_key(3), Call::deactivate { did }));
        assert_eq!(events(), [Event::Deactivated { did }]);
        assert_eq!(crate::Dids::<Test>::get(did), Some(DidState::Deactivated));
        assert!(!Pallet::<Test>::is_active(&did.into()));
        assert_noop!(act(did_key(3), Call::deactivate { did }), Error::<Test>::Deactivated);
        assert_noop!(act(did, Call::deactivate { did }), sp_runtime::DispatchError::BadOrigin);
    });
}

#[test]
fn a_convener_is_not_deactivated() {
    ledger(|| {
        let did = created(1);
        Convening::set(vec![did.into()]);
        assert_noop!(act(did, Call::deactivate { did }), Error::<Test>::StillConvener);
        Convening::set(vec![]);
        assert_ok!(act(did, Call::deactivate { did }));
    });
}

#[test]
fn only_a_controller_deactivates() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_noop!(act(other, Call::deactivate { did }), Error::<Test>::NotAuthorized);
        assert_noop!(act(did, Call::deactivate { did: DidId([1; 32]) }), Error::<Test>::NotFound);
    });
}

#[test]
fn a_did_whose_last_controller_was_deactivated_stays_as_it_is_and_nobody_changes_it() {
    ledger(|| {
        let (did, controller) = (created(1), created(2));
        assert_ok!(act(did, Call::add_controllers { did, controllers: [controller.into()].into() }));
        assert_ok!(act(did, Call::revoke_keys { did, keys: [1].into() }));
        assert_ok!(act(controller, Call::deactivate { did: controller }));
        assert!(Pallet::<Test>::is_active(&did.into()));
        assert_noop!(act(controller, Call::deactivate { did }), sp_runtime::DispatchError::BadOrigin);
    });
}
