//! Public keys of a DID and what each may be used for.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;

/// A public key by kind. Its length is checked; no curve arithmetic is done.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub enum PublicKey {
    /// Ed25519: the only kind that authorises actions.
    #[codec(index = 0)]
    Ed25519([u8; 32]),
    /// X25519, for key agreement.
    #[codec(index = 1)]
    X25519([u8; 32]),
    /// Baby Jubjub.
    #[codec(index = 2)]
    BabyJubJub([u8; 32]),
    /// BLS12-381 in G2, for BBS.
    #[codec(index = 3)]
    Bls12381G2([u8; 96]),
    /// secp256k1, compressed (deprecated).
    #[codec(index = 4)]
    Secp256k1([u8; 33]),
    /// sr25519 (deprecated).
    #[codec(index = 5)]
    Sr25519([u8; 32]),
    /// BLS12-381 in G2, for BBS+ of 2022, whose keys are multiples of another point than those for BBS.
    #[codec(index = 6)]
    Bls12381G2Plus2022([u8; 96]),
}

impl PublicKey {
    /// Everything that a key of this kind can be used for.
    pub fn capabilities(&self) -> Relationships {
        match self {
            Self::Ed25519(_) | Self::Secp256k1(_) | Self::Sr25519(_) => Relationships(
                Relationships::AUTHENTICATION.0
                    | Relationships::ASSERTION_METHOD.0
                    | Relationships::CAPABILITY_INVOCATION.0,
            ),
            Self::BabyJubJub(_) | Self::Bls12381G2(_) | Self::Bls12381G2Plus2022(_) => Relationships::ASSERTION_METHOD,
            Self::X25519(_) => Relationships::KEY_AGREEMENT,
        }
    }
}

/// Verification relationships as flags: authentication 1, assertionMethod 2, capabilityInvocation 4, keyAgreement 8.
/// Zero on input means all that the kind of key can do. Storage and events never hold zero.
#[derive(Clone, Copy, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Relationships(pub u8);

impl Relationships {
    /// All that the kind of key can do.
    pub const ALL: Self = Self(0);
    /// The key logs in as the DID.
    pub const AUTHENTICATION: Self = Self(1);
    /// The key signs credentials.
    pub const ASSERTION_METHOD: Self = Self(2);
    /// The key changes DIDs.
    pub const CAPABILITY_INVOCATION: Self = Self(4);
    /// The key encrypts.
    pub const KEY_AGREEMENT: Self = Self(8);
    /// The two relationships of which a key needs one to act on the ledger.
    pub const ACTING: Self = Self(Self::AUTHENTICATION.0 | Self::CAPABILITY_INVOCATION.0);

    /// Whether the two have a flag in common.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A key as a DID publishes it.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct KeyEntry {
    /// The key.
    pub key: PublicKey,
    /// The key's verification relationships.
    pub relationships: Relationships,
}

impl KeyEntry {
    /// Returns the entry with its relationships as explicit flags, or `None` if its kind cannot do what is asked.
    pub fn resolved(self) -> Option<Self> {
        let all = self.key.capabilities();
        let relationships = match self.relationships {
            Relationships::ALL => all,
            asked if asked.0 & !all.0 == 0 => asked,
            _ => return None,
        };
        Some(Self { relationships, ..self })
    }

    /// Whether the key can change DIDs: an Ed25519 key with capabilityInvocation.
    pub fn controls(&self) -> bool {
        matches!(self.key, PublicKey::Ed25519(_)) && self.relationships.intersects(Relationships::CAPABILITY_INVOCATION)
    }
}

/// A key to be added to an existing DID.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct DidKeyInput {
    /// The key.
    pub key: PublicKey,
    /// The key's verification relationships. Zero means all that its kind can have.
    pub relationships: Relationships,
    /// For Ed25519 keys: the key's own signature over the possession payload.
    pub possession: Option<[u8; 64]>,
}
