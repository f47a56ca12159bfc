//! Every limit is tested one below it, at it and one above.

use frame_support::assert_noop;

use super::{dispatch_as::first_act, *};
use crate::limits::*;

/// The counts around a limit, each with whether it is allowed.
fn around(limit: u32) -> [(u32, bool); 3] {
    [(limit - 1, true), (limit, true), (limit + 1, false)]
}

fn expected(allowed: bool, refusal: Error<Test>) -> DispatchResult {
    if allowed {
        Ok(())
    } else {
        Err(refusal.into())
    }
}

fn agreement() -> DidKeyInput {
    unproven(PublicKey::X25519([1; 32]))
}

#[test]
fn a_did_has_32_keys_in_use_at_most() {
    for (count, allowed) in around(MAX_KEYS) {
        ledger(|| {
            let keys = (0..count).map(|_| entry(1)).collect();
            let result = Creation { keys, ..creation(1) }.send();
            assert_eq!(result, expected(allowed, Error::TooManyKeys), "{count}");
        });
        ledger(|| {
            let did = created(1);
            let keys = (1..count).map(|_| agreement()).collect();
            let result = frame_support::storage::with_storage_layer(|| act(did, Call::add_keys { did, keys }));
            assert_eq!(result, expected(allowed, Error::TooManyKeys), "{count}");
        });
    }
}

#[test]
fn a_did_numbers_1024_keys_in_its_life_at_most() {
    ledger(|| {
        let did = created(1);
        let add = |count: u32| act(did, Call::add_keys { did, keys: (0..count).map(|_| agreement()).collect() });
        let revoke = |numbers: std::ops::Range<u32>| act(did, Call::revoke_keys { did, keys: numbers.collect() });
        for round in 0..(MAX_KEY_NUMBERS - 2) / 31 {
            assert_eq!(add(31), Ok(()));
            assert_eq!(revoke(2 + 31 * round..2 + 31 * (round + 1)), Ok(()));
        }
        // The rest of a round brings the given numbers to 1,023, the first key's among them. One number is left.
        let given = 1 + 31 * ((MAX_KEY_NUMBERS - 2) / 31);
        assert_eq!(add(MAX_KEY_NUMBERS - 1 - given), Ok(()));
        assert_noop!(add(2), Error::<Test>::TooManyKeys);
        assert_eq!(add(1), Ok(()));
        assert_noop!(add(1), Error::<Test>::TooManyKeys);
        assert_noop!(act(did, Call::rotate_key { did, old: 1, new: proven(did, 2) }), Error::<Test>::TooManyKeys);
    });
}

#[test]
fn a_did_has_8_controllers_besides_itself_at_most() {
    let many = |count: u32| (0..count).map(|number| did_key(100 + number as u8));
    for (count, allowed) in around(MAX_CONTROLLERS) {
        ledger(|| {
            let result = Creation { controllers: many(count).collect(), ..creation(1) }.send();
            assert_eq!(result, expected(allowed, Error::TooManyControllers), "{count}");
        });
        ledger(|| {
            let did = created(1);
            let result = act(did, Call::add_controllers { did, controllers: many(count - 1).collect() });
            assert_eq!(result, Ok(()));
            let one_more = act(did, Call::add_controllers { did, controllers: [did_key(99)].into() });
            assert_eq!(one_more, expected(allowed, Error::TooManyControllers), "{count}");
        });
    }
}

#[test]
fn a_did_has_16_services_at_most() {
    for (count, allowed) in around(MAX_SERVICES) {
        ledger(|| {
            let services = (0..count).map(|number| service(&number.to_string(), "urn:x")).collect();
            let result = Creation { services, ..creation(1) }.send();
            assert_eq!(result, expected(allowed, Error::TooManyServices), "{count}");
        });
        ledger(|| {
            let did = created(1);
            let set = |number: u32| act(did, Call::set_service { did, service: service(&number.to_string(), "urn:x") });
            for number in 1..count {
                assert_eq!(set(number), Ok(()));
            }
            assert_eq!(set(count), expected(allowed, Error::TooManyServices), "{count}");
        });
    }
}

#[test]
fn a_text_of_a_service_has_256_bytes_at_most_and_a_service_8_endpoints() {
    let good = service("web", "urn:x");
    let set = |service: ServiceEntry, allowed: bool| {
        ledger(|| {
            let did = created(1);
            let result = act(did, Call::set_service { did, service });
            assert_eq!(result, expected(allowed, Error::BadService));
        });
    };
    for (length, allowed) in around(MAX_SERVICE_FIELD) {
        let text = vec![b'x'; length as usize];
        set(ServiceEntry { id: text.clone(), ..good.clone() }, allowed);
        set(ServiceEntry { service_type: text.clone(), ..good.clone() }, allowed);
        set(ServiceEntry { endpoints: vec![[b"urn:", &text[4..]].concat()], ..good.clone() }, allowed);
    }
    for (count, allowed) in around(MAX_ENDPOINTS) {
        set(ServiceEntry { endpoints: vec![b"urn:x".to_vec(); count as usize], ..good.clone() }, allowed);
    }
    set(ServiceEntry { endpoints: vec![], ..good }, false);
}

#[test]
fn no_kind_of_key_has_more_than_256_bytes() {
    use codec::MaxEncodedLen;
    assert!(PublicKey::max_encoded_len() <= 256);
}

#[test]
fn a_dispatch_has_64_calls_at_most() {
    for (count, allowed) in around(MAX_CALLS) {
        ledger(|| {
            let did = created(1);
            let set = || Call::set_service { did, service: service("web", "urn:x") };
            let result = first_act(did, 1, (0..count).map(|_| set()).collect()).send();
            assert_eq!(result, expected(allowed, Error::TooManyCalls), "{count}");
        });
    }
}

#[test]
fn an_authorisation_is_valid_for_an_hour_at_most_and_until_its_last_millisecond() {
    let cases = [
        (NOW - 1, Err(Error::<Test>::Expired)),
        (NOW, Ok(())),
        (NOW + 1, Ok(())),
        (NOW + MAX_VALIDITY_MS - 1, Ok(())),
        (NOW + MAX_VALIDITY_MS, Ok(())),
        (NOW + MAX_VALIDITY_MS + 1, Err(Error::<Test>::ValidTooLong)),
    ];
    for (valid_until, expected) in cases {
        ledger(|| {
            let did = created(1);
            let call = Call::set_service { did, service: service("web", "urn:x") };
            let result = first_act(did, 1, vec![call]).with(|payload| payload.valid_until = valid_until).send();
            assert_eq!(result, expected.map_err(Into::into), "{valid_until}");
        });
    }
}

#[test]
fn a_nonce_that_cannot_grow_any_more_authorises_nothing() {
    ledger(|| {
        let did = created(1);
        let call = Call::set_service { did, service: service("web", "urn:x") };
        let at = |nonce: u32| first_act(did, 1, vec![call.clone()]).with(|payload| payload.nonce = nonce);
        Nonces::<Test>::insert(Did::from(did), u32::MAX - 1);
        assert_eq!(at(u32::MAX).send(), Ok(()));
        assert_noop!(at(0).send(), Error::<Test>::BadNonce);
        assert_noop!(at(u32::MAX).send(), Error::<Test>::BadNonce);
    });
}
