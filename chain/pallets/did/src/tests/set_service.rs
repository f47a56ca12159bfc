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
        assert_ok!(act(did, set(did, "web", "urn:a")));
        assert_ok!(act(did, set(did, "web", "urn:b")));
        let ((id, first), (_, second)) = (stored(service("web", "urn:a")), stored(service("web", "urn:b")));
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
        assert_ok!(act(did, set(did, "web", "urn:a")));
        events();
        assert_ok!(act(did, set(did, "web", "urn:a")));
        assert_eq!(events(), []);
    });
}

#[test]
fn empty_texts_too_many_services_and_strangers_are_refused() {
    ledger(|| {
        let (did, other) = (created(1), created(2));
        assert_noop!(act(did, set(did, "", "urn:a")), Error::<Test>::BadService);
        assert_noop!(act(did, set(did, "web", "")), Error::<Test>::BadService);
        assert_noop!(act(other, set(did, "web", "urn:a")), Error::<Test>::NotAuthorized);
        for number in 0..MAX_SERVICES {
            assert_ok!(act(did, set(did, &number.to_string(), "urn:a")));
        }
        assert_noop!(act(did, set(did, "web", "urn:a")), Error::<Test>::TooManyServices);
        assert_ok!(act(did, set(did, "0", "urn:b")));
    });
}

/// Each service has one form, `<did>#<id>`: absolute forms are refused, and so is text that no URI may contain.
#[test]
fn an_id_is_a_fragment_without_its_mark() {
    ledger(|| {
        let did = created(1);
        for id in [
            "didcomm",
            "linked-domains",
            "a/b?c",
            "~._!$&'()*+,;=:@",
            "%C3%BC",
            "%20",
            "7",
            "keys",
            "keys-a",
            "a-keys-1",
        ] {
            assert_ok!(act(did, set(did, id, "urn:a")));
        }
        for id in [
            "#didcomm",
            "did:svc:abc#didcomm",
            "hub with space",
            "ü",
            "a\n",
            "%",
            "%2",
            "%2g",
            "a^b",
            "[a]",
            "<a>",
            "\"",
            "%c3%bc",
            "%64idcomm",
            "a%2Db",
            "a%7E",
            "keys-1",
            "key-0",
            "keys-4294967296",
        ] {
            assert_noop!(act(did, set(did, id, "urn:a")), Error::<Test>::BadService);
            let services = vec![service(id, "urn:a")];
            assert_noop!(Creation { services, ..creation(2) }.send(), Error::<Test>::BadService);
        }
    });
}

#[test]
fn an_endpoint_is_a_uri() {
    ledger(|| {
        let did = created(1);
        let good = [
            "https://example.org",
            "https://user@[2001:db8::1]:8443/a;b/c?d=/e?f#g/h?i",
            "http://xn--bcher-kva.example/%C3%BC",
            "did:svc:abc?service=hub#key-1",
            "mailto:registry@university.example",
            "urn:x",
            "wss://hub.example",
            "a+b-c.9:x",
        ];
        for endpoint in good {
            assert_ok!(act(did, set(did, "web", endpoint)));
        }
        let bad = [
            "not a uri at all",
            "example.org/path",
            "//example.org",
            ":x",
            "1a:x",
            "a b:x",
            "ü:x",
            "https:",
            "https://",
            "https:#a",
            "https:?a",
            "https://example.org/a b",
            "https://example.org/ü",
            "https://example.org/[a]",
            "https://example.org/?[a]",
            "https://example.org/#a#b",
            "https://example.org/%",
            "https://example.org/%zz",
            "https://example.org/?%4",
            "https://exa%mple.org/",
            "https://example.org/{a}",
            "https://example.org\\a",
        ];
        for endpoint in bad {
            assert_noop!(act(did, set(did, "web", endpoint)), Error::<Test>::BadService);
        }
        let endpoints = ["urn:a", "not a uri at all"].map(|text| text.as_bytes().to_vec()).to_vec();
        let one_bad = ServiceEntry { endpoints, ..service("web", "urn:a") };
        assert_noop!(act(did, Call::set_service { did, service: one_bad }), Error::<Test>::BadService);
    });
}

/// Software that reads the document as linked data turns a name into a URI.
#[test]
fn a_type_is_a_name_or_a_uri() {
    ledger(|| {
        let did = created(1);
        let of = |text: &str| {
            let service_type = text.as_bytes().to_vec();
            Call::set_service { did, service: ServiceEntry { service_type, ..service("web", "urn:a") } }
        };
        for good in ["LinkedDomains", "a-B.c_9", "https://university.example/Registry", "urn:x"] {
            assert_ok!(act(did, of(good)));
        }
        for bad in ["", "Linked Domains", "a/b", "@type", "ü", ":", "a#b", "https://a b"] {
            assert_noop!(act(did, of(bad)), Error::<Test>::BadService);
        }
    });
}
