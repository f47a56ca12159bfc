//! DIDs of both methods, as actors and as parties that calls name.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;

/// The 32 bytes of a ledger DID: `did:svc:<base58btc of these bytes>`.
#[derive(
    Clone, Copy, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, Ord, PartialEq, PartialOrd, TypeInfo,
)]
pub struct DidId(pub [u8; 32]);

/// The one key of a `did:key`.
#[derive(
    Clone, Copy, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, Ord, PartialEq, PartialOrd, TypeInfo,
)]
pub enum DidKey {
    /// An Ed25519 key. It can act.
    #[codec(index = 0)]
    Ed25519([u8; 32]),
    /// A secp256k1 key, compressed. It can be named but cannot act.
    #[codec(index = 1)]
    Secp256k1([u8; 33]),
}

/// A DID of either method.
#[derive(
    Clone, Copy, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, Ord, PartialEq, PartialOrd, TypeInfo,
)]
pub enum Did {
    /// A DID of this ledger.
    #[codec(index = 0)]
    Svc(DidId),
    /// A `did:key`, known by its key alone.
    #[codec(index = 1)]
    Key(DidKey),
}

impl From<DidId> for Did {
    fn from(id: DidId) -> Self {
        Did::Svc(id)
    }
}
