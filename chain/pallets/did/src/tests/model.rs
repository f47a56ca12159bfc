//! A naive model of the pallet without a ledger: plain maps, with each rule where the specification names it.

use std::collections::BTreeSet;

use sp_runtime::DispatchError;

use super::{history::Deed, plain::Plain, *};
use crate::limits::*;

/// The error of a refused call.
type Refusal = Error<Test>;

impl Plain {
    /// Returns the DIDs after a deed, or the error that refuses it.
    pub fn after(&self, deed: &Deed) -> Result<Self, DispatchError> {
        let mut next = self.clone();
        match deed {
            Deed::Create(creation) => next.create(creation)?,
            Deed::Act(Did::Svc(actor), _) if !self.last_key.contains_key(actor) => {
                return Err(DispatchError::BadOrigin);
            }
            Deed::Act(actor, call) => next.act(actor.clone(), call)?,
        }
        Ok(next)
    }

    fn create(&mut self, creation: &Creation) -> Result<(), Refusal> {
        let did = id_of(creation.first);
        if self.last_key.contains_key(&did) || self.deactivated.contains(&did) {
            return Err(Error::AlreadyExists);
        }
        self.last_key.insert(did, 0);
        for entry in &creation.keys {
            self.take_up(did, &entry.key, entry.relationships)?;
        }
        for controller in creation.controllers.iter().collect::<BTreeSet<_>>() {
            self.add_controller(did, controller.clone())?;
        }
        for service in &creation.services {
            let (id, service) = service.clone().bounded().ok_or(Error::BadService)?;
            if self.services.insert((did, id), service).is_some() {
                return Err(Error::AlreadyExists);
            }
        }
        Ok(())
    }

    fn act(&mut self, actor: Did, call: &Call<Test>) -> Result<(), Refusal> {
        let (Call::add_keys { did, .. }
        | Call::rotate_key { did, .. }
        | Call::revoke_keys { did, .. }
        | Call::add_controllers { did, .. }
        | Call::remove_controllers { did, .. }
        | Call::set_service { did, .. }
        | Call::remove_service { did, .. }
        | Call::deactivate { did }) = call
        else {
            panic!("a call that no DID makes");
        };
        let did = *did;
        if self.deactivated.contains(&did) {
            return Err(Error::Deactivated);
        }
        if !self.last_key.contains_key(&did) {
            return Err(Error::NotFound);
        }
        if actor != Did::Svc(did) && !self.controllers.contains(&(did, actor)) {
            return Err(Error::NotAuthorized);
        }
        self.change(did, call)?;
        if self.last_key.contains_key(&did) && !self.is_controlled(did) {
            return Err(Error::LastControl);
        }
        Ok(())
    }

    fn change(&mut self, did: DidId, call: &Call<Test>) -> Result<(), Refusal> {
        match call {
            Call::add_keys { keys, .. } => {
                not_empty(keys.len())?;
                keys.iter().try_for_each(|input| self.prove(did, input))
            }
            Call::rotate_key { old, new, .. } => {
                self.keys.remove(&(did, *old)).ok_or(Error::KeyNotFound)?;
                self.prove(did, new)
            }
            Call::revoke_keys { keys, .. } => {
                not_empty(keys.len())?;
                keys.iter().try_for_each(|number| self.revoke(did, *number))
            }
            Call::add_controllers { controllers, .. } => {
                not_empty(controllers.len())?;
                controllers.iter().try_for_each(|controller| self.add_controller(did, controller.clone()))
            }
            Call::remove_controllers { controllers, .. } => {
                not_empty(controllers.len())?;
                let mut removed =
                    controllers.iter().map(|controller| self.controllers.remove(&(did, controller.clone())));
                if removed.all(|was_there| was_there) {
                    Ok(())
                } else {
                    Err(Error::ControllerNotFound)
                }
            }
            Call::set_service { service, .. } => {
                let (id, service) = service.clone().bounded().ok_or(Error::BadService)?;
                self.services.insert((did, id), service);
                Ok(())
            }
            Call::remove_service { id, .. } => {
                let id = id.clone().try_into().map_err(|_| Error::ServiceNotFound)?;
                self.services.remove(&(did, id)).map(|_| ()).ok_or(Error::ServiceNotFound)
            }
            _ if Convening::get().contains(&did.into()) => Err(Error::StillConvener),
            _ => {
                self.bury(did);
                Ok(())
            }
        }
    }

    fn prove(&mut self, did: DidId, input: &DidKeyInput) -> Result<(), Refusal> {
        let is_proven = (1..6).any(|seed| history::known(did, seed) == *input);
        if matches!(input.key, PublicKey::Ed25519(_)) && !is_proven {
            return Err(Error::BadPossession);
        }
        self.take_up(did, &input.key, input.relationships)
    }

    fn take_up(&mut self, did: DidId, key: &PublicKey, asked: Relationships) -> Result<(), Refusal> {
        let able = key.capabilities().0;
        if asked.0 & !able != 0 {
            return Err(Error::BadRelationships);
        }
        let in_use = self.keys.keys().filter(|(of, _)| *of == did).count();
        if in_use >= MAX_KEYS as usize {
            return Err(Error::TooManyKeys);
        }
        let number = self.last_key.get_mut(&did).expect("an active DID");
        *number += 1;
        let uses = if asked.0 == 0 { able } else { asked.0 };
        self.keys.insert((did, *number), (key.encode(), uses));
        Ok(())
    }

    fn revoke(&mut self, did: DidId, number: u32) -> Result<(), Refusal> {
        if number == 0 || number > self.last_key[&did] {
            return Err(Error::KeyNotFound);
        }
        self.keys.remove(&(did, number));
        if self.revoked.insert((did, number)) {
            Ok(())
        } else {
            Err(Error::AlreadyRevoked)
        }
    }

    fn add_controller(&mut self, did: DidId, controller: Did) -> Result<(), Refusal> {
        let controls = match controller {
            Did::Svc(other) => other != did && self.has_control_key(other),
            Did::Key(key) => matches!(key, DidKey::Ed25519(_)),
            Did::Other(_) => false,
        };
        if !controls {
            return Err(Error::BadController);
        }
        if self.controllers.insert((did, controller)) {
            Ok(())
        } else {
            Err(Error::AlreadyExists)
        }
    }

    fn has_control_key(&self, did: DidId) -> bool {
        let controls = |(key, uses): &(Vec<u8>, u8)| key[0] == 0 && uses & 4 != 0;
        self.keys.iter().any(|((of, _), key)| *of == did && controls(key))
    }

    fn is_controlled(&self, did: DidId) -> bool {
        self.has_control_key(did) || self.controllers.iter().any(|(of, _)| *of == did)
    }
}

fn not_empty(count: usize) -> Result<(), Refusal> {
    if count == 0 {
        return Err(Error::EmptyUpdate);
    }
    Ok(())
}
