//! DIDs, as actors and as parties that calls name.

use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedVec};
use scale_info::TypeInfo;

use crate::{limits::MAX_DID_TEXT, uri::is_did_of_another_method};

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

/// The text of a DID of a method that this ledger has no form of its own for, such as `did:web`. It is read only where it
/// is such a DID (DID Core, section 3.1).
#[derive(Clone, Debug, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, Ord, PartialEq, PartialOrd, TypeInfo)]
pub struct DidText(BoundedVec<u8, ConstU32<MAX_DID_TEXT>>);

impl DidText {
    /// Returns the text if it is a DID of another method.
    pub fn new(text: BoundedVec<u8, ConstU32<MAX_DID_TEXT>>) -> Option<Self> {
        is_did_of_another_method(&text).then_some(Self(text))
    }
}

impl Decode for DidText {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        Self::new(BoundedVec::decode(input)?).ok_or_else(|| "not a DID of another method".into())
    }
}

/// A DID of any method.
#[derive(
    Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, Ord, PartialEq, PartialOrd, TypeInfo,
)]
pub enum Did {
    /// A DID of this ledger.
    #[codec(index = 0)]
    Svc(DidId),
    /// A `did:key`, known by its key alone.
    #[codec(index = 1)]
    Key(DidKey),
    /// A DID of another method. It can be named but cannot act.
    #[codec(index = 2)]
    Other(DidText),
}

impl Did {
    /// A DID of the greatest length, which differs from others only in its last digits: it costs calls most. The benchmarks
    /// of all pallets use it.
    pub fn longest(number: u32) -> Self {
        let width = MAX_DID_TEXT as usize - "did:web:".len();
        let text = alloc::format!("did:web:{number:0width$}").into_bytes();
        let text = BoundedVec::try_from(text).expect("of the greatest length");
        Self::Other(DidText::new(text).expect("a DID of another method"))
    }
}

impl From<DidId> for Did {
    fn from(id: DidId) -> Self {
        Did::Svc(id)
    }
}
