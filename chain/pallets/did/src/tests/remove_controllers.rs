use frame_support::{assert_noop, assert_ok};

use super::*;

fn remove(did: DidId, controllers: Vec<Did>) -> Call<Test> {
    Call::remove_controllers { did, controllers: controllers.into_iter().collect() }
}

fn controlled_by(seeds: &[u8]) -> DidId {
    let did = created(1);
    let controllers = seeds.iter().map(|seed| did_key(*seed)).collect();
    assert_ok!(act(did, Call::add_controllers { did, controllers }));
    events();
    did
}

#[test]
fn a_removed_controller_changes_nothing_any_more() {
    ledger(|| {
        let did = controlled_by(&[2, 3]);
        assert_ok!(act(did_key(2), remove(did, vec![did_key(2), did_key(3)])));
        let mut controllers = [did_key(2), did_key(3)];
        controllers.sort();
        assert_eq!(events(), controllers.map(|controller| Event::ControllerRemoved { did, controller }));
        assert_noop!(act(did_key(2), remove(did, vec![did_key(2)])), Error::<Test>::NotAuthorized);
    });
}

#[test]
fn the_last_control_is_not_removed() {
    ledger(|| {
        let did = controlled_by(&[2]);
        assert_ok!(act(did, Call::revoke_keys { did, keys: [1].into() }));
        assert_noop!(act(did_key(2), remove(did, vec![did_key(2)])), Error::<Test>::LastControl);
    });
}

#[test]
fn no_controllers_unknown_controllers_and_strangers_are_refused() {
    ledger(|| {
        let did = controlled_by(&[2]);
        assert_noop!(act(did, remove(did, vec![])), Error::<Test>::EmptyUpdate);
        assert_noop!(act(did, remove(did, vec![did_key(2), did_key(3)])), Error::<Test>::ControllerNotFound);
        assert_noop!(act(did_key(3), remove(did, vec![did_key(2)])), Error::<Test>::NotAuthorized);
    });
}
