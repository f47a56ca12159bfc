//! One registry as plain maps, either read from storage or rebuilt from events.

use std::collections::BTreeMap;

use super::{
    model::{Chair, Model, ModelSchema},
    *,
};

/// Reads the registry from storage.
pub fn stored() -> Model {
    let mut model = Model::default();
    match Registries::<Test>::get(REGISTRY) {
        Some(RegistryState::Active(Registry { convener, name, version, .. })) => {
            let (name, offer) = (name.into_inner(), Proposals::<Test>::get(REGISTRY));
            model.chair = Some(Chair { convener, name, offer, version });
        }
        Some(RegistryState::Removed) => model.removed = true,
        None => {}
    }
    for (schema_id, schema) in Schemas::<Test>::iter_prefix(REGISTRY) {
        model.schemas.insert(schema_id, ModelSchema { public: schema.public, ..ModelSchema::default() });
    }
    for ((_, schema_id, did), entry) in Entries::<Test>::iter() {
        let schema = model.schemas.get_mut(&schema_id).expect("the schema of an entry");
        if let Some(prices) = entry.issuer {
            schema.issuers.insert(did.clone(), plain(prices));
        }
        if entry.verifier {
            schema.verifiers.insert(did);
        }
    }
    for (did, standing) in Standings::<Test>::iter_prefix(REGISTRY) {
        if standing.suspended {
            model.suspended.insert(did.clone());
        }
        model.delegations.extend(standing.delegates.into_iter().map(|delegate| (did.clone(), delegate)));
    }
    model
}

fn plain(prices: Prices) -> BTreeMap<Vec<u8>, u128> {
    prices.into_iter().map(|(currency, price)| (currency.0.into_inner(), price)).collect()
}

/// Applies an event to the registry. The event must fit the state before it.
pub fn fold(model: &mut Model, event: Event<Test>) {
    fn chair(model: &mut Model) -> &mut Chair {
        model.chair.as_mut().expect("a registry known from its events")
    }
    fn schema(model: &mut Model, id: H256) -> &mut ModelSchema {
        model.schemas.get_mut(&id).expect("a schema known from its events")
    }
    match event {
        Event::SchemaAdded { schema_id, .. } => {
            assert_eq!(model.schemas.insert(schema_id, ModelSchema::default()), None);
        }
        Event::SchemaRemoved { schema_id, .. } => {
            let last = model.schemas.remove(&schema_id).expect("a schema known from its events");
            assert!(last.issuers.is_empty() && last.verifiers.is_empty());
        }
        Event::SchemaPublicSet { schema_id, public, .. } => {
            assert_ne!(std::mem::replace(&mut schema(model, schema_id).public, public), public);
        }
        Event::IssuerChanged { schema_id, issuer, old, new, .. } => {
            assert_ne!(old, new);
            let issuers = &mut schema(model, schema_id).issuers;
            assert_eq!(issuers.remove(&issuer), old.map(plain));
            issuers.extend(new.map(|prices| (issuer, plain(prices))));
        }
        Event::VerifierChanged { schema_id, verifier, old, new, .. } => {
            let verifiers = &mut schema(model, schema_id).verifiers;
            assert_eq!((verifiers.contains(&verifier), new), (old, !old));
            let _ = if new { verifiers.insert(verifier) } else { verifiers.remove(&verifier) };
        }
        Event::SchemasMetadataSet { version, .. } => {
            let last = std::mem::replace(&mut chair(model).version, version);
            assert_eq!(version, last + 1);
        }
        Event::IssuerSuspended { issuer: did, .. } | Event::VerifierSuspended { verifier: did, .. } => {
            assert!(model.suspended.insert(did));
        }
        Event::IssuerUnsuspended { issuer: did, .. } | Event::VerifierUnsuspended { verifier: did, .. } => {
            assert!(model.suspended.remove(&did));
        }
        Event::DelegateAdded { issuer, delegate, .. } => assert!(model.delegations.insert((issuer, delegate))),
        Event::DelegateRemoved { issuer, delegate, .. } => assert!(model.delegations.remove(&(issuer, delegate))),
        Event::TrustRegistryInitialized { convener, name, .. } => {
            assert!(!model.removed);
            let chair = Chair { convener, name: name.into_inner(), offer: None, version: 0 };
            assert_eq!(model.chair.replace(chair), None);
        }
        Event::TrustRegistryUpdated { old_name, new_name, .. } => {
            let last = std::mem::replace(&mut chair(model).name, new_name.into_inner());
            assert_eq!(last, old_name.into_inner());
        }
        Event::TransferProposed { old, new, .. } => assert_eq!(chair(model).offer.replace(new), old),
        Event::Transferred { old, new, .. } => {
            let chair = chair(model);
            assert_eq!(std::mem::replace(&mut chair.convener, new), old);
            chair.offer = None;
        }
        Event::TrustRegistryRemoved { .. } => {
            assert!(model.chair.take().is_some());
            model.removed = true;
        }
        Event::__Ignore(..) => unreachable!(),
    }
}
