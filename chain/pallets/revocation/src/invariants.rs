//! Invariants that hold between any two calls.

use frame_support::ensure;

use crate::{chunk::CHUNK_BITS, limits::MAX_MEMBERS, Chunks, Config, Kind, Pallet, Registries, RegistryState};

impl<T: Config> Pallet<T> {
    /// Checks that no policy is empty and that status bits belong to a registry and lie inside it.
    pub fn check_invariants() -> Result<(), &'static str> {
        for state in Registries::<T>::iter_values() {
            if let RegistryState::Active(registry) = state {
                ensure!(!registry.policy.is_empty(), "a registry nobody can change");
            }
        }
        for (registry_id, number, chunk) in Chunks::<T>::iter() {
            let Some(RegistryState::Active(registry)) = Registries::<T>::get(registry_id) else {
                return Err("status bits belong to no registry");
            };
            ensure!(!chunk.is_zero(), "a chunk without a set bit is stored");
            let length = match registry.kind {
                Kind::StatusList { length } => length,
                Kind::Accumulator { .. } => MAX_MEMBERS,
            };
            let first = number.checked_mul(CHUNK_BITS).ok_or("a chunk has an impossible number")?;
            let beyond = (first..first.saturating_add(CHUNK_BITS)).filter(|index| *index >= length);
            ensure!(beyond.into_iter().all(|index| !chunk.get(index)), "a bit beyond the end is set");
        }
        Ok(())
    }
}
