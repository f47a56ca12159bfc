use frame_support::{assert_noop, assert_ok};

use super::*;

#[test]
fn of_a_deactivated_did_a_tombstone_is_left_and_nothing_else() {
    ledger(|| {
        let mut creation = creation(1);
        creation.keys.push(entry(2));
        creation.controllers.push(did_key(3));
        creation.services.push(service("web", "x"));
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
