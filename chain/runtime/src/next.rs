//! A runtime that comes after this one, for the test of an upgrade with a migration. No chain is meant to run it.

use alloc::borrow::Cow;
use frame_support::{traits::OnRuntimeUpgrade, weights::Weight};
use pallet_trust_registry::{Event, Registries, Registry, RegistryState};
use sp_core::H256;
use sp_version::RuntimeVersion;

use crate::{apis, Runtime, RuntimeEvent, System};

/// Its `spec_version` is higher than that of any release.
#[sp_version::runtime_version]
pub const VERSION: RuntimeVersion = RuntimeVersion {
    spec_name: Cow::Borrowed("accredit"),
    impl_name: Cow::Borrowed("accredit"),
    authoring_version: 1,
    spec_version: 1_000_000,
    impl_version: 1,
    apis: apis::RUNTIME_API_VERSIONS,
    transaction_version: 1,
    system_version: 1,
};

/// The migrations of storage in this upgrade.
pub type Migrations = (CapitalNames,);

/// Writes the names of trust registries in capitals.
pub struct CapitalNames;

impl OnRuntimeUpgrade for CapitalNames {
    fn on_runtime_upgrade() -> Weight {
        let mut visited = 0;
        Registries::<Runtime>::translate(|registry_id, state: RegistryState| {
            visited += 1;
            Some(match state {
                RegistryState::Active(registry) => RegistryState::Active(in_capitals(registry_id, registry)),
                RegistryState::Removed => RegistryState::Removed,
            })
        });
        <Runtime as frame_system::Config>::DbWeight::get().reads_writes(visited, visited)
    }
}

/// Returns the registry with its new name. An event says so, as for any other change.
fn in_capitals(registry_id: H256, mut registry: Registry) -> Registry {
    let old_name = registry.name.clone();
    for letter in registry.name.iter_mut() {
        letter.make_ascii_uppercase();
    }
    let gov_framework = registry.gov_framework.clone();
    System::deposit_event(RuntimeEvent::TrustRegistry(Event::TrustRegistryUpdated {
        registry_id,
        old_name,
        new_name: registry.name.clone(),
        old_gov_framework: gov_framework.clone(),
        new_gov_framework: gov_framework,
    }));
    registry
}
