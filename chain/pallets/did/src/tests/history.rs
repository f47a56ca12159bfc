//! Random histories of three DIDs. Keys, controllers and services are few, so that they meet often.

use std::{collections::BTreeMap, sync::LazyLock};

use proptest::{
    collection::{btree_set, vec},
    prelude::*,
};

use super::*;

/// One call.
#[derive(Clone, Debug)]
pub enum Deed {
    /// `create`, by an account.
    Create(Creation),
    /// Any other call, by a DID.
    Act(Did, Call<Test>),
}

/// The DIDs of a history by the seed of their first key; the second one convenes a registry.
pub const FIRSTS: [u8; 3] = [1, 2, 6];

/// A key with its proof of possession, made once: signing is most of the work of a history.
pub fn known(did: DidId, seed: u8) -> DidKeyInput {
    static KNOWN: LazyLock<BTreeMap<([u8; 32], u8), DidKeyInput>> = LazyLock::new(|| {
        let pairs = FIRSTS.into_iter().flat_map(|first| (1..6).map(move |seed| (id_of(first), seed)));
        pairs.map(|(did, seed)| ((did.0, seed), proven(did, seed))).collect()
    });
    KNOWN[&(did.0, seed)].clone()
}

/// A history that starts with two DIDs.
pub fn histories() -> impl Strategy<Value = Vec<Deed>> {
    let start = [1, 2].map(|seed| Deed::Create(creation(seed))).to_vec();
    vec(deeds(), 1..16).prop_map(move |deeds| [start.clone(), deeds].concat())
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        1 => creations().prop_map(Deed::Create),
        15 => (actors(), calls()).prop_map(|(actor, call)| Deed::Act(actor, call)),
        // A DID often changes itself; otherwise most calls would be refused.
        15 => calls().prop_map(|call| Deed::Act(target(&call), call)),
    ]
}

fn target(call: &Call<Test>) -> Did {
    let first = FIRSTS.iter().map(|seed| id_of(*seed)).find(|did| call.encode()[1..].starts_with(&did.0));
    first.expect("one of the DIDs").into()
}

fn creations() -> impl Strategy<Value = Creation> {
    let keys = prop_oneof![
        Just(vec![]),
        Just(vec![KeyEntry { key: PublicKey::X25519([7; 32]), relationships: Relationships::ALL }]),
        Just(vec![KeyEntry { key: PublicKey::X25519([7; 32]), relationships: Relationships::AUTHENTICATION }]),
    ];
    let services = vec(services(), 0..3);
    (prop_oneof![3 => Just(6u8), 1 => Just(1u8)], keys, vec(controllers(), 0..2), services).prop_map(
        |(first, others, controllers, services)| Creation {
            keys: [vec![entry(first)], others].concat(),
            controllers,
            services,
            ..creation(first)
        },
    )
}

fn targets() -> impl Clone + Strategy<Value = DidId> {
    prop_oneof![3 => Just(1u8), 3 => Just(2u8), 2 => Just(6u8)].prop_map(id_of)
}

/// The three DIDs of the ledger and two of the other method.
fn actors() -> impl Clone + Strategy<Value = Did> {
    prop_oneof![3 => targets().prop_map(Did::from), 1 => (3u8..5).prop_map(did_key)]
}

fn controllers() -> impl Clone + Strategy<Value = Did> {
    prop_oneof![12 => actors(), 1 => Just(Did::Key(DidKey::Secp256k1([2; 33])))]
}

fn services() -> impl Strategy<Value = ServiceEntry> {
    let ids = prop_oneof![4 => Just("a"), 4 => Just("b"), 1 => Just("")];
    (ids, prop_oneof![Just("urn:x"), Just("urn:y")]).prop_map(|(id, endpoint)| service(id, endpoint))
}

fn inputs(did: DidId) -> impl Strategy<Value = DidKeyInput> {
    let agreement = || unproven(PublicKey::X25519([7; 32]));
    let signing = DidKeyInput { relationships: Relationships::ASSERTION_METHOD, ..agreement() };
    prop_oneof![
        8 => (1u8..6).prop_map(move |seed| known(did, seed)),
        4 => Just(agreement()),
        1 => Just(signing),
        1 => Just(unproven(public(1))),
        1 => (1u8..6).prop_map(move |seed| known(if did == id_of(1) { id_of(2) } else { id_of(1) }, seed)),
    ]
}

fn calls() -> impl Strategy<Value = Call<Test>> {
    let numbers = || btree_set(0u32..6, 0..3);
    let many = || btree_set(controllers(), 0..3);
    let ids = || prop_oneof![Just("a"), Just("b")];
    prop_oneof![
        3 => targets().prop_flat_map(|did| vec(inputs(did), 0..3).prop_map(move |keys| Call::add_keys { did, keys })),
        3 => targets().prop_flat_map(|did| {
            (1u32..6, inputs(did)).prop_map(move |(old, new)| Call::rotate_key { did, old, new })
        }),
        2 => (targets(), numbers()).prop_map(|(did, keys)| Call::revoke_keys { did, keys }),
        2 => (targets(), many()).prop_map(|(did, controllers)| Call::add_controllers { did, controllers }),
        2 => (targets(), many()).prop_map(|(did, controllers)| Call::remove_controllers { did, controllers }),
        3 => (targets(), services()).prop_map(|(did, service)| Call::set_service { did, service }),
        1 => (targets(), ids()).prop_map(|(did, id)| Call::remove_service { did, id: id.as_bytes().to_vec() }),
        1 => targets().prop_map(|did| Call::deactivate { did }),
    ]
}
