//! Keys and signatures that prove nothing.

use frame_support::{assert_noop, assert_ok};

use super::{
    dispatch_as::{first_act, set},
    *,
};

fn bytes(hex: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * place..2 * place + 2], 16).expect("two hexadecimal digits");
    }
    bytes
}

/// Every encoding of a point of small order of Ed25519, with either sign.
fn small_order() -> Vec<[u8; 32]> {
    let unsigned = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    unsigned.into_iter().map(bytes).flat_map(|point| [point, negative(point)]).collect()
}

fn negative(mut point: [u8; 32]) -> [u8; 32] {
    point[31] ^= 0x80;
    point
}

/// The base point and 1. For a key of small order, this is a valid signature over any message.
fn forged() -> [u8; 64] {
    let mut signature = [0x66; 64];
    signature[0] = 0x58;
    signature[32..].copy_from_slice(&bytes("0100000000000000000000000000000000000000000000000000000000000000"));
    signature
}

fn weak_keys() -> Vec<PublicKey> {
    let x25519 = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    let baby_jubjub = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "000000f093f5e1439170b97948e833285d588181b64550b829a031e1724e6430",
        "77d6d0af811efdaba0b534826dc591b72c94a64b7d12c16314d3721121b7ab0a",
        "8a292f4012d7e497f0ba84f7da22a27030c4da3539338f5415cdbecf5197b825",
    ];
    let mut infinity = [0; 96];
    infinity[0] = 0xc0;
    let both_signs = |hex| [bytes(hex), negative(bytes(hex))];
    let mut keys = vec![
        PublicKey::Bls12381G2([0; 96]),
        PublicKey::Bls12381G2(infinity),
        PublicKey::Bls12381G2Plus2022([0; 96]),
        PublicKey::Bls12381G2Plus2022(infinity),
        PublicKey::Secp256k1([0; 33]),
        PublicKey::Sr25519([0; 32]),
    ];
    keys.extend(x25519.into_iter().flat_map(both_signs).map(PublicKey::X25519));
    keys.extend(baby_jubjub.into_iter().flat_map(both_signs).map(PublicKey::BabyJubJub));
    keys
}

#[test]
fn a_forged_signature_satisfies_the_equation_of_the_curve() {
    ledger(|| {
        for key in small_order() {
            let (key, signature) = (ed25519::Public::from_raw(key), ed25519::Signature::from_raw(forged()));
            assert!(sp_io::crypto::ed25519_verify(&signature, b"anything", &key));
        }
    });
}

#[test]
fn no_did_begins_with_a_key_that_proves_nothing() {
    ledger(|| {
        for key in small_order().into_iter().map(PublicKey::Ed25519) {
            let keys = vec![KeyEntry { key, relationships: Relationships::ALL }];
            assert_noop!(Creation { keys, ..creation(1) }.send(), Error::<Test>::WeakKey);
        }
    });
}

#[test]
fn no_did_takes_up_a_key_of_any_kind_that_proves_nothing() {
    ledger(|| {
        let did = created(1);
        for key in weak_keys() {
            let mut creation = creation(2);
            creation.keys.push(KeyEntry { key: key.clone(), relationships: Relationships::ALL });
            assert_noop!(creation.send(), Error::<Test>::WeakKey);
            let call = Call::add_keys { did, keys: vec![unproven(key)] };
            assert_noop!(act(did, call), Error::<Test>::WeakKey);
        }
    });
}

#[test]
fn a_weak_key_with_a_forged_proof_of_possession_is_refused() {
    ledger(|| {
        let did = created(1);
        for key in small_order().into_iter().map(PublicKey::Ed25519) {
            let weak = || DidKeyInput { possession: Some(forged()), ..unproven(key.clone()) };
            for call in [Call::add_keys { did, keys: vec![weak()] }, Call::rotate_key { did, old: 1, new: weak() }] {
                assert_noop!(act(did, call), Error::<Test>::WeakKey);
            }
        }
    });
}

#[test]
fn a_did_key_that_proves_nothing_does_not_act() {
    ledger(|| {
        let did = created(1);
        for key in small_order() {
            let actor = Did::Key(DidKey::Ed25519(key));
            let through = first_act(did, 1, vec![set(did, "a")])
                .with(|payload| (payload.did, payload.key_id, payload.nonce) = (actor, 0, 1));
            assert_noop!(outcome(through.send_signed(forged())), Error::<Test>::WeakKey);
        }
    });
}

#[test]
fn a_weak_key_that_is_stored_already_cannot_act() {
    ledger(|| {
        let did = created(1);
        let key = PublicKey::Ed25519(bytes("0100000000000000000000000000000000000000000000000000000000000000"));
        let entry = KeyEntry { relationships: key.capabilities(), key };
        Keys::<Test>::insert(did, 1, entry);
        let through = first_act(did, 1, vec![set(did, "a")]);
        assert_noop!(outcome(through.send_signed(forged())), Error::<Test>::WeakKey);
    });
}

#[test]
fn a_did_key_that_proves_nothing_controls_nobody() {
    ledger(|| {
        let did = created(1);
        for key in small_order() {
            let controllers = [Did::Key(DidKey::Ed25519(key))].into();
            assert_noop!(act(did, Call::add_controllers { did, controllers }), Error::<Test>::BadController);
        }
        assert_ok!(act(did, Call::add_controllers { did, controllers: [did_key(2)].into() }));
    });
}

#[test]
fn a_signature_that_begins_with_a_point_of_small_order_is_no_signature() {
    ledger(|| {
        let did = created(1);
        for point in small_order() {
            for rest in [[0; 32], [7; 32]] {
                let mut signature = [0; 64];
                signature[..32].copy_from_slice(&point);
                signature[32..].copy_from_slice(&rest);
                let through = first_act(did, 1, vec![set(did, "a")]);
                assert_noop!(outcome(through.send_signed(signature)), Error::<Test>::BadSignature);
            }
        }
    });
}
