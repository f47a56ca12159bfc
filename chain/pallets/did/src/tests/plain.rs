//! All DIDs as plain maps, either read from storage or rebuilt from events.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The DIDs as one set of plain maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plain {
    /// The highest key number of each active DID.
    pub last_key: BTreeMap<DidId, u32>,
    /// Keys in use, encoded, with their relationships.
    pub keys: BTreeMap<(DidId, u32), (Vec<u8>, u8)>,
    /// Keys that were revoked.
    pub revoked: BTreeSet<(DidId, u32)>,
    /// Controllers besides the DID itself.
    pub controllers: BTreeSet<(DidId, Did)>,
    /// Services.
    pub services: BTreeMap<(DidId, ServiceField), Service>,
    /// DIDs that were deactivated.
    pub deactivated: BTreeSet<DidId>,
    /// Nonces of the DIDs that acted.
    pub nonces: BTreeMap<Did, u32>,
}

impl Plain {
    /// Reads the DIDs from storage.
    pub fn stored() -> Self {
        let mut plain = Self::default();
        for (did, state) in crate::Dids::<Test>::iter() {
            match state {
                DidState::Active(record) => drop(plain.last_key.insert(did, record.last_key)),
                DidState::Deactivated => drop(plain.deactivated.insert(did)),
            }
        }
        let key = |entry: KeyEntry| (entry.key.encode(), entry.relationships.0);
        plain.keys = Keys::<Test>::iter().map(|(did, number, entry)| ((did, number), key(entry))).collect();
        let numbers = |(did, numbers): (DidId, _)| BTreeSet::<u32>::into_iter(numbers).map(move |number| (did, number));
        plain.revoked =
            RevokedKeys::<Test>::iter().map(|(did, set)| (did, set.into_inner())).flat_map(numbers).collect();
        plain.controllers = Controllers::<Test>::iter_keys().collect();
        plain.services = Services::<Test>::iter().map(|(did, id, service)| ((did, id), service)).collect();
        plain.nonces = Nonces::<Test>::iter().collect();
        plain
    }

    /// Applies an event, which must fit the state before it.
    pub fn tell(&mut self, event: Event<Test>) {
        match event {
            Event::Created { did, .. } => assert_eq!(self.last_key.insert(did, 0), None),
            Event::Dispatched { did, nonce, .. } => {
                assert_eq!(self.nonces.insert(did, nonce).unwrap_or(0) + 1, nonce);
            }
            Event::KeyAdded { did, key_id, key, relationships } => {
                assert_eq!(self.last_key.insert(did, key_id), Some(key_id - 1));
                assert_eq!(self.keys.insert((did, key_id), (key.encode(), relationships.0)), None);
            }
            Event::KeyRetired { did, key_id } => assert!(self.keys.remove(&(did, key_id)).is_some()),
            Event::KeyRevoked { did, key_id } => {
                self.keys.remove(&(did, key_id));
                assert!(self.revoked.insert((did, key_id)));
            }
            Event::ControllerAdded { did, controller } => assert!(self.controllers.insert((did, controller))),
            Event::ControllerRemoved { did, controller } => assert!(self.controllers.remove(&(did, controller))),
            Event::ServiceSet { did, id, old, new } => {
                assert_ne!(old.as_ref(), Some(&new));
                assert_eq!(self.services.insert((did, id), new), old);
            }
            Event::ServiceRemoved { did, id, old } => assert_eq!(self.services.remove(&(did, id)), Some(old)),
            Event::Deactivated { did } => {
                assert!(self.last_key.contains_key(&did));
                self.bury(did);
            }
            Event::__Ignore(..) => unreachable!(),
        }
    }

    /// Removes all of a DID but its tombstone.
    pub fn bury(&mut self, did: DidId) {
        self.last_key.remove(&did);
        self.keys.retain(|(of, _), _| *of != did);
        self.revoked.retain(|(of, _)| *of != did);
        self.controllers.retain(|(of, _)| *of != did);
        self.services.retain(|(of, _), _| *of != did);
        self.nonces.remove(&did.into());
        self.deactivated.insert(did);
    }
}
