use frame_support::{assert_noop, assert_ok};

use super::*;

#[test]
fn a_removed_service_is_told_as_it_was() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, Call::set_service { did, service: service("web", "urn:a") }));
        events();
        assert_ok!(act(did, Call::remove_service { did, id: b"web".to_vec() }));
        let (id, old) = stored(service("web", "urn:a"));
        assert_eq!(events(), [Event::ServiceRemoved { did, id, old }]);
        assert_noop!(act(did, Call::remove_service { did, id: b"web".to_vec() }), Error::<Test>::ServiceNotFound);
    });
}

#[test]
fn impossible_ids_and_strangers_are_refused() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        for id in [vec![], vec![b'x'; 10_000]] {
            assert_noop!(act(did, Call::remove_service { did, id }), Error::<Test>::ServiceNotFound);
        }
        assert_ok!(act(did, Call::set_service { did, service: service("web", "urn:a") }));
        assert_noop!(act(other, Call::remove_service { did, id: b"web".to_vec() }), Error::<Test>::NotAuthorized);
    });
}
