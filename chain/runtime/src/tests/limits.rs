use frame_support::dispatch::{DispatchClass, GetDispatchInfo};
use pallet_trust_registry::{IssuerOp, IssuersUpdate, MetadataUpdate, SchemaOp, SchemasUpdate};

use super::*;

#[test]
fn the_largest_change_of_a_registry_fits_in_a_block() {
    let did = |number: u32| {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&number.to_be_bytes());
        Did::Key(pallet_did::DidKey::Ed25519(key))
    };
    let prices = |number: u32| (0..number).map(|n| (format!("CURRENCY{n}").into_bytes(), u128::MAX)).collect();
    let ops = (0..999).map(|number| (did(number), IssuerOp::Set(prices(5)))).collect();
    let update = MetadataUpdate { issuers: Some(IssuersUpdate::Modify(ops)), verifiers: None };
    let whole = [(H256([1; 32]), SchemaOp::Ensure(update)), (H256([2; 32]), SchemaOp::Discard)];
    let call = RuntimeCall::TrustRegistry(pallet_trust_registry::Call::set_schemas_metadata {
        registry_id: H256([1; 32]),
        update: SchemasUpdate::Modify(whole.into()),
        expected_version: None,
    });
    let call = RuntimeCall::Utility(pallet_utility::Call::force_batch { calls: vec![dispatch(1, 1, vec![call])] });
    let weights = <Runtime as frame_system::Config>::BlockWeights::get();
    let most = weights.get(DispatchClass::Normal).max_extrinsic.expect("a limit");
    let weight = call.get_dispatch_info().call_weight;
    assert!(weight.all_lte(most), "{weight:?} of {most:?}");
    let lengths = <Runtime as frame_system::Config>::BlockLength::get();
    assert!(call.encoded_size() + 200 < *lengths.max.get(DispatchClass::Normal) as usize);
}
