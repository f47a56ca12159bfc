//! Random histories of three registries. DIDs and indexes are few, so that they meet often.

use std::collections::BTreeSet;

use proptest::{
    collection::{btree_set, vec},
    prelude::*,
};

use super::*;
use crate::limits::*;

/// A history of calls by DIDs. It starts with a list, an add-only list and an accumulator.
pub fn histories() -> impl Strategy<Value = Vec<(Did, Call<Test>)>> {
    let start = |add_only: bool| {
        let policy: BTreeSet<Did> = [did(1), did(2)].into();
        let create = |number: u8, add_only: bool, kind: KindInput| {
            let registry_id = H256([number; 32]);
            (ISSUER, Call::create { registry_id, policy: policy.clone(), add_only, kind })
        };
        vec![create(1, false, LIST), create(2, true, LIST), create(3, add_only, accumulator())]
    };
    (any::<bool>(), vec((dids(), calls()), 1..16)).prop_map(move |(add_only, calls)| [start(add_only), calls].concat())
}

fn dids() -> impl Strategy<Value = Did> {
    prop_oneof![4 => Just(1u8), 4 => Just(2u8), 1 => Just(3u8)].prop_map(did)
}

fn registries() -> impl Strategy<Value = H256> {
    prop_oneof![4 => Just(1u8), 4 => Just(2u8), 4 => Just(3u8), 1 => Just(4u8)].prop_map(|number| H256([number; 32]))
}

/// Indexes that meet often, around the borders of bytes, chunks and the list.
fn indexes(border: u32) -> impl Clone + Strategy<Value = u32> {
    prop_oneof![20 => 0u32..6, 12 => 2_046u32..2_050, 4 => border - 2..border, 1 => Just(border)]
}

fn calls() -> impl Strategy<Value = Call<Test>> {
    let some = |border: u32, most: usize| btree_set(indexes(border), 0..most);
    let kinds = prop_oneof![Just(LIST), Just(accumulator()), Just(KindInput::StatusList { length: MIN_LENGTH + 1 }),];
    let create = (registries(), btree_set(dids(), 0..3), any::<bool>(), kinds);
    let update = (registries(), 0u32..5, any::<u8>(), some(MAX_MEMBERS, 3), some(MAX_MEMBERS, 3));
    prop_oneof![
        1 => create.prop_map(|(registry_id, policy, add_only, kind)| {
            Call::create { registry_id, policy, add_only, kind }
        }),
        8 => (registries(), some(MIN_LENGTH, 4), some(MIN_LENGTH, 3)).prop_map(|(registry_id, revoke, unrevoke)| {
            Call::set_status { registry_id, revoke, unrevoke }
        }),
        8 => update.prop_map(|(registry_id, expected_version, value, additions, removals)| {
            let (accumulated, witness_update_info) = (vec![value], vec![value]);
            Call::update_accumulator {
                registry_id, expected_version, accumulated, additions, removals, witness_update_info
            }
        }),
        1 => registries().prop_map(|registry_id| Call::remove { registry_id }),
    ]
}
