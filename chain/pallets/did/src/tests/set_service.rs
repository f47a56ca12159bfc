use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

fn set(did: DidId, id: &str, endpoint: &str) -> Call<Test> {
    Call::set_service { did, service: service(id, endpoint) }
}

#[test]
fn a_service_is_added_replaced_and_told_with_what_it_replaces() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, set(did, "web", "a")));
        assert_ok!(act(did, set(did, "web", "b")));
        let ((id, first), (_, second)) = (stored(service("web", "a")), stored(service("web", "b")));
        assert_eq!(
            events(),
            [
                Event::ServiceSet { did, id: id.clone(), old: None, new: first.clone() },
                Event::ServiceSet { did, id, old: Some(first), new: second },
            ]
        );
    });
}

#[test]
fn the_same_service_again_changes_and_tells_nothing() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, set(did, "web", "a")));
        events();
        assert_ok!(act(did, set(did, "web", "a")));
        assert_eq!(events(), []);
    });
}

#[test]
fn refused_are_empty_texts_too_many_services_and_strangers() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_noop!(act(did, set(did, "", "a")), Error::<Test>::BadService);
        assert_noop!(act(did, set(did, "web", "")), Error::<Test>::BadService);
        assert_noop!(act(other, set(did, "web", "a")), Error::<Test>::NotAuthorized);
        for number in 0..MAX_SERVICES {
            assert_ok!(act(did, set(did, &number.to_string(), "a")));
        }
        assert_noop!(act(did, set(did, "web", "a")), Error::<Test>::TooManyServices);
        assert_ok!(act(did, set(did, "0", "b")));
    });
}
