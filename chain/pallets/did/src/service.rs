//! Service endpoints of a DID.

use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedVec};
use scale_info::TypeInfo;

use crate::{
    limits::{MAX_ENDPOINTS, MAX_SERVICE_FIELD},
    uri::{is_service_id, is_uri},
};

/// One text of a service.
pub type ServiceField = BoundedVec<u8, ConstU32<MAX_SERVICE_FIELD>>;

/// A service as a call gives it.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, PartialEq, TypeInfo)]
pub struct ServiceEntry {
    /// The fragment that names the service inside the DID, without its `#`. The URI `<did>#<id>` has this one form.
    pub id: Vec<u8>,
    /// Its type: a name of letters, digits, `-`, `.` and `_`, or a URI.
    pub service_type: Vec<u8>,
    /// Its endpoints: at least one URI.
    pub endpoints: Vec<Vec<u8>>,
}

/// A service as it is stored.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Service {
    /// Its type.
    pub service_type: ServiceField,
    /// Its endpoints; at least one.
    pub endpoints: BoundedVec<ServiceField, ConstU32<MAX_ENDPOINTS>>,
}

impl ServiceEntry {
    /// Returns the id and the service. Returns `None` if a text is empty or too long, the id is not a fragment in its one spelling or is one of a key, the
    /// type is neither a name nor a URI, an endpoint is not a URI, or there are no endpoints or too many.
    pub fn bounded(self) -> Option<(ServiceField, Service)> {
        if self.endpoints.is_empty() || self.endpoints.len() > MAX_ENDPOINTS as usize {
            return None;
        }
        let is_type = is_name(&self.service_type) || is_uri(&self.service_type);
        if !is_service_id(&self.id) || !is_type || !self.endpoints.iter().all(|endpoint| is_uri(endpoint)) {
            return None;
        }
        let endpoints = self.endpoints.into_iter().map(field).collect::<Option<Vec<_>>>()?;
        let service = Service { service_type: field(self.service_type)?, endpoints: endpoints.try_into().ok()? };
        Some((field(self.id)?, service))
    }
}

fn is_name(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte))
}

fn field(bytes: Vec<u8>) -> Option<ServiceField> {
    if bytes.is_empty() {
        return None;
    }
    bytes.try_into().ok()
}
