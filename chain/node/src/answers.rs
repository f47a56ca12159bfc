//! Answers of JSON-RPC that leave at once.
use std::{
    fs, io,
    os::fd::{BorrowedFd, RawFd},
};

use socket2::SockRef;

const OPEN_FILES: &str = "/proc/self/fd";

/// Sets `TCP_NODELAY` on every socket that listens here, from which the connections inherit it. The kernel would hold
/// back the second piece of an answer (all above 8 kB have one) until the first is acknowledged, which takes 44 ms. The
/// SDK's server has no setting for it. Does nothing where there is no `/proc`.
pub fn leave_at_once() -> io::Result<()> {
    let Ok(files) = fs::read_dir(OPEN_FILES) else { return Ok(()) };
    for file in files {
        let Some(number) = file?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok()) else { continue };
        // SAFETY: a number that is closed or given anew meanwhile leads to an error, or to the option on another socket.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let socket = SockRef::from(&file);
        if socket.is_listener().unwrap_or(false)
            && socket.local_addr().is_ok_and(|address| address.is_ipv4() || address.is_ipv6())
        {
            socket.set_nodelay(true)?;
        }
    }
    Ok(())
}
