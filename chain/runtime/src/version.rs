//! Version of this runtime.

use alloc::borrow::Cow;
use sp_version::RuntimeVersion;

use crate::apis;

/// `spec_version` grows with every change, and `transaction_version` grows when old extrinsics or authorisations would
/// mean something else.
#[sp_version::runtime_version]
pub const VERSION: RuntimeVersion = RuntimeVersion {
    spec_name: Cow::Borrowed("accredit"),
    impl_name: Cow::Borrowed("accredit"),
    authoring_version: 1,
    spec_version: 10,
    impl_version: 1,
    apis: apis::RUNTIME_API_VERSIONS,
    transaction_version: 1,
    system_version: 1,
};

/// Migrations of the previous runtime's storage in an upgrade to this one. They deposit an event for each change.
pub type Migrations = ();
