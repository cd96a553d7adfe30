//! Values as bytes that say whether they are whole.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// How many bytes of its hash stand before a value.
const CHECK_BYTES: usize = 8;

/// The start of the value's hash, then the value, compressed.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // Files are many, and most values small: what they are written to first is used again.
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        let bytes = postcard::to_extend(value, std::mem::take(buffer));
        *buffer = bytes.expect("facts and manifests have no unserialisable part");
        let packed = lz4_flex::compress_prepend_size(buffer);
        [&blake3::hash(&packed).as_bytes()[..CHECK_BYTES], &packed].concat()
    })
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The value that was [encoded](encode), if the bytes are whole and of its type.
pub(crate) fn decode<T: DeserializeOwned>(value: &[u8]) -> Option<T> {
    let (check, packed) = value.split_at_checked(CHECK_BYTES)?;
    if check != &blake3::hash(packed).as_bytes()[..CHECK_BYTES] {
        return None;
    }
    let bytes = lz4_flex::decompress_size_prepended(packed).ok()?;
    postcard::from_bytes(&bytes).ok()
}
