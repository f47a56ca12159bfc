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

#[test]
fn each_call_at_its_limits_fits_in_a_block_with_its_dispatch() {
    use pallet_did::{limits as did, WeightInfo as _};
    use pallet_revocation::{limits as revocation, WeightInfo as _};
    use pallet_trust_registry::{limits as registry, WeightInfo as _};
    type Dids = pallet_did::Measured<Runtime>;
    type Revocations = pallet_revocation::Measured<Runtime>;
    type Registries = pallet_trust_registry::Measured<Runtime>;

    let (indexes, suspended) = (revocation::MAX_INDEXES, registry::MAX_SUSPENSIONS);
    let chunks = revocation::MAX_LENGTH / pallet_revocation::CHUNK_BITS;
    let weights = <Runtime as frame_system::Config>::BlockWeights::get();
    let most = weights.get(DispatchClass::Normal).max_extrinsic.expect("a limit");
    for (call, weight) in [
        ("did.create", Dids::create(did::MAX_KEYS, did::MAX_CONTROLLERS, did::MAX_SERVICES, 50_000)),
        ("did.add_keys", Dids::add_keys(did::MAX_KEYS)),
        ("did.rotate_key", Dids::rotate_key()),
        ("did.revoke_keys", Dids::revoke_keys(did::MAX_KEY_NUMBERS)),
        ("did.add_controllers", Dids::add_controllers(did::MAX_CONTROLLERS)),
        ("did.remove_controllers", Dids::remove_controllers(did::MAX_CONTROLLERS)),
        ("did.set_service", Dids::set_service(did::MAX_SERVICE_FIELD * (2 + did::MAX_ENDPOINTS))),
        ("did.remove_service", Dids::remove_service()),
        ("did.deactivate", Dids::deactivate()),
        ("trust_registry.init_or_update", Registries::init_or_update_trust_registry()),
        (
            "trust_registry.set_schemas",
            Registries::set_schemas_metadata(registry::MAX_CHANGES, registry::MAX_PRICES_OF_CALL),
        ),
        ("trust_registry.suspend_issuers", Registries::suspend_issuers(suspended)),
        ("trust_registry.unsuspend_issuers", Registries::unsuspend_issuers(suspended)),
        ("trust_registry.suspend_verifiers", Registries::suspend_verifiers(suspended)),
        ("trust_registry.unsuspend_verifiers", Registries::unsuspend_verifiers(suspended)),
        ("trust_registry.update_delegated_issuers", Registries::update_delegated_issuers()),
        ("trust_registry.remove", Registries::remove_trust_registry()),
        ("trust_registry.transfer", Registries::transfer_trust_registry()),
        ("trust_registry.accept", Registries::accept_trust_registry()),
        ("revocation.create", Revocations::create(revocation::MAX_POLICY)),
        ("revocation.set_status", Revocations::set_status(indexes, chunks)),
        (
            "revocation.update_accumulator",
            Revocations::update_accumulator(indexes, chunks, revocation::MAX_WITNESS_UPDATE),
        ),
        ("revocation.remove", Revocations::remove()),
    ] {
        let weight = weight.saturating_add(Dids::dispatch_as(1_000_000));
        assert!(weight.all_lte(most), "{call}: {weight:?} of {most:?}");
    }
}
