//! Benchmarks of what the calls cost at most. Each runs on a DID that holds as much as it can.

use alloc::{collections::BTreeSet, vec, vec::Vec};
use codec::Encode;
use frame_benchmarking::v2::*;
use frame_system::RawOrigin;
use sp_core::{crypto::KeyTypeId, ed25519};
use sp_io::{
    crypto::{ed25519_generate, ed25519_sign},
    hashing::blake2_256,
};

use crate::{limits::*, payload::*, *};

const KEYS: KeyTypeId = KeyTypeId(*b"accr");
/// The DID that acts and is changed.
const DID: DidId = DidId([1; 32]);

fn sign(key: &ed25519::Public, payload: &impl Encode) -> [u8; 64] {
    ed25519_sign(KEYS, key, &payload.encode()).expect("the key is in the keystore").0
}

/// A key pair of the keystore, by number. It is made from a seed, which costs less than from words.
fn pair(number: u32) -> ed25519::Public {
    ed25519_generate(KEYS, Some(alloc::format!("0x{number:064x}").into_bytes()))
}

fn ed25519_entry(key: &ed25519::Public) -> KeyEntry {
    KeyEntry { key: PublicKey::Ed25519(key.0), relationships: Relationships(7) }
}

/// A key of the longest kind.
fn long_entry() -> KeyEntry {
    KeyEntry { key: PublicKey::Bls12381G2([7; 96]), relationships: Relationships::ASSERTION_METHOD }
}

/// A new key that proves its possession.
fn proven<T: Config>(number: u32) -> DidKeyInput {
    let public = pair(number);
    let KeyEntry { key, relationships } = ed25519_entry(&public);
    let payload = PossessionPayload {
        tag: POSSESSION_TAG,
        genesis_hash: Pallet::<T>::genesis_hash(),
        did: DID,
        key: key.clone(),
    };
    DidKeyInput { key, relationships, possession: Some(sign(&public, &payload)) }
}

/// A service whose texts have this many bytes each. An endpoint has at least the 3 bytes that a URI needs.
fn service(number: u32, bytes: u32) -> ServiceEntry {
    let text = |filling: u8| {
        let mut text = vec![filling; bytes.clamp(1, MAX_SERVICE_FIELD) as usize];
        text[0] = b'a' + number as u8;
        text
    };
    let mut endpoint = vec![b'z'; bytes.clamp(3, MAX_SERVICE_FIELD) as usize];
    endpoint[1] = b':';
    ServiceEntry { id: text(b'x'), service_type: text(b'y'), endpoints: vec![endpoint; MAX_ENDPOINTS as usize] }
}

fn controller(number: u32) -> DidId {
    DidId([100 + number as u8; 32])
}

/// Controllers that are DIDs of the ledger: they cost most to check.
fn controllers<T: Config>(count: u32) -> BTreeSet<Did> {
    let made = |number| {
        let record = DidRecord { last_key: 1, keys: 1, control_keys: 1, ..Default::default() };
        Dids::<T>::insert(controller(number), DidState::Active(record));
        Did::Svc(controller(number))
    };
    (0..count).map(made).collect()
}

/// A DID with these numbers of keys, controllers and services. All key numbers before those in use are revoked.
fn holding<T: Config>(keys: u32, controllers_: u32, services: u32) -> T::RuntimeOrigin {
    let first = MAX_KEY_NUMBERS - MAX_KEYS;
    for number in 0..keys {
        let entry = ed25519_entry(&ed25519::Public::from_raw([number as u8; 32]));
        Keys::<T>::insert(DID, first + number, entry);
    }
    for controller in controllers::<T>(controllers_) {
        Controllers::<T>::insert(DID, controller, ());
    }
    for number in 0..services {
        let (id, service) = service(number, MAX_SERVICE_FIELD).bounded().expect("within the limits");
        Services::<T>::insert(DID, id, service);
    }
    let revoked: BTreeSet<u32> = (1..first).collect();
    RevokedKeys::<T>::insert(DID, frame_support::BoundedBTreeSet::try_from(revoked).expect("within the limit"));
    let record =
        DidRecord { last_key: first + keys - 1, keys, control_keys: keys, controllers: controllers_, services };
    Dids::<T>::insert(DID, DidState::Active(record));
    DidOrigin { did: DID.into(), relationships: Relationships(7) }.into()
}

fn full<T: Config>() -> T::RuntimeOrigin {
    holding::<T>(MAX_KEYS, MAX_CONTROLLERS, MAX_SERVICES)
}

fn record<T: Config>() -> DidRecord {
    Pallet::<T>::record(DID).expect("the DID is active")
}

#[benchmarks(where <T as Config>::RuntimeCall: From<Call<T>>)]
mod calls {
    use super::*;

    /// `b`: bytes of all services together, as far as the services have room for them.
    #[benchmark]
    fn create(
        k: Linear<1, MAX_KEYS>,
        c: Linear<0, MAX_CONTROLLERS>,
        s: Linear<0, MAX_SERVICES>,
        b: Linear<160, 40_960>,
    ) {
        let submitter: T::AccountId = whitelisted_caller();
        let first = pair(1);
        let mut keys = vec![ed25519_entry(&first)];
        keys.resize(k as usize, long_entry());
        let payload = CreationPayload {
            tag: CREATION_TAG,
            genesis_hash: Pallet::<T>::genesis_hash(),
            salt: [0; 32],
            keys,
            controllers: controllers::<T>(c),
            services: (0..s).map(|number| service(number, b / (10 * s))).collect(),
            submitter: submitter.clone(),
        };
        let signature = sign(&first, &payload);
        let did =
            DidId(blake2_256(&IdPayload { tag: ID_TAG, key: payload.keys[0].key.clone(), salt: [0; 32] }.encode()));
        let CreationPayload { salt, keys, controllers, services, .. } = payload;

        #[extrinsic_call]
        _(RawOrigin::Signed(submitter), salt, keys, controllers, services, signature);

        assert!(Pallet::<T>::is_active(&did.into()));
    }

    /// `b`: bytes of the calls. The one call is refused at once, so that it costs next to nothing itself.
    #[benchmark]
    fn dispatch_as(b: Linear<0, 1_000_000>) {
        let submitter: T::AccountId = whitelisted_caller();
        full::<T>();
        let public = pair(1);
        Keys::<T>::insert(DID, 1, ed25519_entry(&public));
        let id = vec![7; b.max(MAX_SERVICE_FIELD + 1) as usize];
        let payload = ActionPayload {
            tag: ACTION_TAG,
            genesis_hash: Pallet::<T>::genesis_hash(),
            transaction_version: Pallet::<T>::transaction_version(),
            did: DID.into(),
            key_id: 1,
            nonce: 1,
            valid_until: <T::Time as frame_support::traits::Time>::now(),
            submitter: submitter.clone(),
            calls: vec![<T as Config>::RuntimeCall::from(Call::remove_service { did: DID, id })],
        };
        let signature = sign(&public, &payload);
        let ActionPayload { did, key_id, nonce, valid_until, calls, .. } = payload;
        let authorization = Authorization { did, key_id, nonce, valid_until, signature };
        let result;

        #[block]
        {
            result = Pallet::<T>::do_dispatch_as(submitter, authorization, calls);
        }

        assert_eq!(result.map_err(|refusal| refusal.error), Err(Error::<T>::ServiceNotFound.into()));
    }

    #[benchmark]
    fn add_keys(k: Linear<1, { MAX_KEYS - 1 }>) {
        let actor = holding::<T>(1, MAX_CONTROLLERS, MAX_SERVICES);
        let keys: Vec<_> = (0..k).map(proven::<T>).collect();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, keys);

        assert_eq!(record::<T>().keys, k + 1);
    }

    #[benchmark]
    fn rotate_key() {
        let actor = full::<T>();
        let old = record::<T>().last_key;

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, old, proven::<T>(1));

        assert_eq!(record::<T>().last_key, old + 1);
    }

    #[benchmark]
    fn revoke_keys(k: Linear<1, { MAX_KEYS - 1 }>) {
        let actor = full::<T>();
        let first = record::<T>().last_key - k;
        let keys: BTreeSet<u32> = (first..first + k).collect();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, keys);

        assert_eq!(record::<T>().keys, MAX_KEYS - k);
    }

    #[benchmark]
    fn add_controllers(c: Linear<1, MAX_CONTROLLERS>) {
        let actor = holding::<T>(MAX_KEYS, 0, MAX_SERVICES);

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, controllers::<T>(c));

        assert_eq!(record::<T>().controllers, c);
    }

    #[benchmark]
    fn remove_controllers(c: Linear<1, MAX_CONTROLLERS>) {
        let actor = full::<T>();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, controllers::<T>(c));

        assert_eq!(record::<T>().controllers, MAX_CONTROLLERS - c);
    }

    /// `b`: bytes of the service. It replaces one of the greatest length.
    #[benchmark]
    fn set_service(b: Linear<10, 2_560>) {
        let actor = full::<T>();
        let replaced = service(0, MAX_SERVICE_FIELD).id;
        let new = ServiceEntry { id: replaced, service_type: vec![b'9'], ..service(0, b / 10) };

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, new);

        assert_eq!(record::<T>().services, MAX_SERVICES);
    }

    #[benchmark]
    fn remove_service() {
        let actor = full::<T>();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID, service(0, MAX_SERVICE_FIELD).id);

        assert_eq!(record::<T>().services, MAX_SERVICES - 1);
    }

    #[benchmark]
    fn deactivate() {
        let actor = full::<T>();

        #[extrinsic_call]
        _(actor as T::RuntimeOrigin, DID);

        assert!(!Pallet::<T>::is_active(&DID.into()));
    }

    impl_benchmark_test_suite!(Pallet, crate::tests::for_benchmarks(), crate::tests::Test);
}
