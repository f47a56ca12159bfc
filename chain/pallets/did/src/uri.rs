//! Syntax of URIs (RFC 3986) and of DIDs.

/// Whether some bytes are a URI: a scheme, a colon, and then an authority or a path, a query and a fragment, each made
/// of the characters that it may have.
pub fn is_uri(bytes: &[u8]) -> bool {
    let Some((scheme, rest)) = split(bytes, b':') else { return false };
    let (rest, fragment) = split(rest, b'#').unwrap_or((rest, &[]));
    let (place, query) = split(rest, b'?').unwrap_or((rest, &[]));
    let (authority, path) = match place.strip_prefix(b"//") {
        Some(place) => place.split_at(place.iter().position(|byte| *byte == b'/').unwrap_or(place.len())),
        None => (&[][..], place),
    };
    is_scheme(scheme)
        && !place.is_empty()
        && place != b"//"
        && is_made_of(authority, |byte| is_path_character(byte) || matches!(byte, b'[' | b']'))
        && is_made_of(path, |byte| is_path_character(byte) || byte == b'/')
        && is_fragment(query)
        && is_fragment(fragment)
}

/// Whether some bytes may follow the `#` of a URI. The part after the `?` is made of the same characters.
pub fn is_fragment(bytes: &[u8]) -> bool {
    is_made_of(bytes, |byte| is_path_character(byte) || matches!(byte, b'/' | b'?'))
}

/// Whether some bytes may be the id of a service, the part behind the `#` of its DID URL: a fragment in the normal form of
/// RFC 3986, section 6.2.2, so that each id has one spelling, and none of those that keys have.
pub fn is_service_id(bytes: &[u8]) -> bool {
    is_fragment(bytes) && is_normal(bytes) && !is_key_id(bytes)
}

/// Whether some bytes are a DID (DID Core, section 3.1) of a method that is neither this ledger's nor `did:key`, whose
/// DIDs have forms of their own here.
pub fn is_did_of_another_method(bytes: &[u8]) -> bool {
    let Some((method, id)) = bytes.strip_prefix(b"did:").and_then(|rest| split(rest, b':')) else { return false };
    let is_method = !method.is_empty() && method.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_last = |byte: &u8| *byte != b':';
    is_method
        && !matches!(method, b"svc" | b"key")
        && id.last().is_some_and(is_last)
        && is_made_of(id, |byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte))
}

/// Whether percent-encoding, in capital letters, stands only where it is needed.
fn is_normal(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((_, after)) = split(rest, b'%') {
        let [high, low, tail @ ..] = after else { return false };
        let digit = |byte: &u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'A'..=b'F' => Some(byte - b'A' + 10),
            _ => None,
        };
        let (Some(high), Some(low)) = (digit(high), digit(low)) else { return false };
        let byte = high << 4 | low;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            return false;
        }
        rest = tail;
    }
    true
}

/// Whether it is `keys-1`, `key-2` and so on: the ids of keys.
fn is_key_id(bytes: &[u8]) -> bool {
    let number = bytes.strip_prefix(b"keys-").or_else(|| bytes.strip_prefix(b"key-"));
    number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

fn split(bytes: &[u8], mark: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == mark)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

fn is_scheme(bytes: &[u8]) -> bool {
    let is_further = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(is_further)
}

/// `pchar` without its percent-encoded form.
fn is_path_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte)
}

/// Whether each byte is allowed or part of a percent-encoded one.
fn is_made_of(mut bytes: &[u8], is_allowed: impl Fn(u8) -> bool) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            [byte, rest @ ..] if is_allowed(*byte) => rest,
            _ => return false,
        };
    }
}
