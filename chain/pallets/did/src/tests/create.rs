use frame_support::{assert_noop, assert_ok};

use super::*;
use crate::limits::*;

#[test]
fn a_created_did_tells_all_that_it_holds_and_its_id_follows_from_first_key_and_salt() {
    ledger(|| {
        let bbs = PublicKey::Bls12381G2([3; 96]);
        let agreement = PublicKey::X25519([4; 32]);
        let mut creation = creation(1);
        creation.keys.push(KeyEntry { key: bbs.clone(), relationships: Relationships::ALL });
        creation.keys.push(KeyEntry { key: agreement.clone(), relationships: Relationships::ALL });
        creation.controllers.push(did_key(2));
        creation.services.push(service("web", "https://example.org"));
        assert_ok!(creation.send());

        let did = id_of(1);
        let (id, new) = stored(service("web", "https://example.org"));
        let added = |key_id, key, relationships| Event::KeyAdded { did, key_id, key, relationships };
        assert_eq!(
            events(),
            [
                Event::Created { did, submitter: SUBMITTER },
                added(1, public(1), Relationships(7)),
                added(2, bbs, Relationships::ASSERTION_METHOD),
                added(3, agreement, Relationships::KEY_AGREEMENT),
                Event::ControllerAdded { did, controller: did_key(2) },
                Event::ServiceSet { did, id, old: None, new },
            ]
        );
        assert!(Pallet::<Test>::is_active(&did.into()));
    });
}

#[test]
fn an_id_is_taken_once() {
    ledger(|| {
        created(1);
        assert_noop!(creation(1).send(), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn the_id_of_a_deactivated_did_is_never_used_again() {
    ledger(|| {
        let did = created(1);
        assert_ok!(act(did, Call::deactivate { did }));
        assert_noop!(creation(1).send(), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn the_first_key_must_be_able_to_control() {
    ledger(|| {
        let firsts = [
            vec![],
            vec![KeyEntry { key: PublicKey::X25519([1; 32]), relationships: Relationships::ALL }],
            vec![KeyEntry { key: PublicKey::Sr25519([1; 32]), relationships: Relationships::ALL }],
            vec![KeyEntry { key: public(1), relationships: Relationships::AUTHENTICATION }],
            vec![KeyEntry { key: public(1), relationships: Relationships(0x80) }],
        ];
        for keys in firsts {
            assert_noop!(Creation { keys, ..creation(1) }.send(), Error::<Test>::FirstKeyCannotControl);
        }
    });
}

#[test]
fn a_signature_is_good_for_exactly_what_it_was_made_for() {
    ledger(|| {
        let creation = creation(1);
        let signed = creation.payload();
        let others = [
            CreationPayload { tag: *b"accredit/did/create/v2", ..signed.clone() },
            CreationPayload { genesis_hash: H256([8; 32]), ..signed.clone() },
            CreationPayload { salt: [1; 32], ..signed.clone() },
            CreationPayload { keys: vec![entry(1), entry(2)], ..signed.clone() },
            CreationPayload { controllers: [did_key(2)].into(), ..signed.clone() },
            CreationPayload { services: vec![service("web", "urn:x")], ..signed.clone() },
            CreationPayload { submitter: SUBMITTER + 1, ..signed },
        ];
        for other in others {
            assert_noop!(creation.send_signed(&other), Error::<Test>::BadSignature);
        }
        assert_noop!(Creation { first: 2, ..creation }.send(), Error::<Test>::BadSignature);
    });
}

#[test]
fn a_key_is_refused_for_what_its_kind_cannot_do() {
    ledger(|| {
        let cases = [
            (public(2), Relationships::KEY_AGREEMENT),
            (PublicKey::X25519([1; 32]), Relationships::AUTHENTICATION),
            (PublicKey::Bls12381G2([1; 96]), Relationships::CAPABILITY_INVOCATION),
            (PublicKey::Bls12381G2Plus2022([1; 96]), Relationships::AUTHENTICATION),
            (PublicKey::BabyJubJub([1; 32]), Relationships(3)),
            (PublicKey::Secp256k1([1; 33]), Relationships(15)),
            (PublicKey::Sr25519([1; 32]), Relationships(16)),
        ];
        for (key, relationships) in cases {
            let keys = vec![entry(1), KeyEntry { key, relationships }];
            assert_noop!(Creation { keys, ..creation(1) }.send(), Error::<Test>::BadRelationships);
        }
    });
}

#[test]
fn only_others_who_can_act_become_controllers() {
    ledger(|| {
        let gone = created(5);
        assert_ok!(act(gone, Call::deactivate { did: gone }));
        let cases = [id_of(1).into(), Did::Svc(DidId([1; 32])), gone.into(), Did::Key(DidKey::Secp256k1([2; 33]))];
        for controller in cases {
            let controllers = vec![controller];
            assert_noop!(Creation { controllers, ..creation(1) }.send(), Error::<Test>::BadController);
        }
    });
}

#[test]
fn a_service_needs_id_type_and_endpoint_within_their_limits() {
    ledger(|| {
        let good = service("web", "https://example.org");
        let long = vec![b'x'; MAX_SERVICE_FIELD as usize + 1];
        let endpoint = [b"urn:", &long[4..]].concat();
        let cases = [
            ServiceEntry { id: vec![], ..good.clone() },
            ServiceEntry { id: long.clone(), ..good.clone() },
            ServiceEntry { service_type: vec![], ..good.clone() },
            ServiceEntry { service_type: long.clone(), ..good.clone() },
            ServiceEntry { endpoints: vec![], ..good.clone() },
            ServiceEntry { endpoints: vec![vec![]], ..good.clone() },
            ServiceEntry { endpoints: vec![endpoint], ..good.clone() },
            ServiceEntry { endpoints: vec![b"urn:x".to_vec(); MAX_ENDPOINTS as usize + 1], ..good.clone() },
        ];
        for service in cases {
            let services = vec![service];
            assert_noop!(Creation { services, ..creation(1) }.send(), Error::<Test>::BadService);
        }
        let services = vec![good.clone(), good];
        assert_noop!(Creation { services, ..creation(1) }.send(), Error::<Test>::AlreadyExists);
    });
}

#[test]
fn a_did_holds_as_much_as_the_limits_say_and_no_more() {
    ledger(|| {
        let full = Creation {
            first: 1,
            keys: (0..MAX_KEYS).map(|number| entry(1 + number as u8)).collect(),
            controllers: (0..MAX_CONTROLLERS).map(|number| did_key(100 + number as u8)).collect(),
            services: (0..MAX_SERVICES).map(|number| service(&number.to_string(), "urn:x")).collect(),
        };
        let too_many_keys = Creation { keys: [full.keys.clone(), vec![entry(200)]].concat(), ..creation(1) };
        assert_noop!(too_many_keys.send(), Error::<Test>::TooManyKeys);
        let controllers = [full.controllers.clone(), vec![did_key(200)]].concat();
        assert_noop!(Creation { controllers, ..creation(1) }.send(), Error::<Test>::TooManyControllers);
        let services = [full.services.clone(), vec![service("one-more", "urn:x")]].concat();
        assert_noop!(Creation { services, ..creation(1) }.send(), Error::<Test>::TooManyServices);
        assert_ok!(full.send());
    });
}

#[test]
fn an_account_creates_not_a_did() {
    ledger(|| {
        let CreationPayload { salt, keys, controllers, services, .. } = creation(1).payload();
        let call = Call::create { salt, keys, controllers, services, signature: [0; 64] };
        assert_noop!(act(did_key(1), call), sp_runtime::DispatchError::BadOrigin);
    });
}
