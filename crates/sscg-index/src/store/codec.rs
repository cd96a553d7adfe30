//! Encoding of values with a checksum.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Number of hash bytes before a value.
const CHECK_BYTES: usize = 8;

/// Encodes a value: the start of its hash, then the compressed value.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // There are many files, and most values are small, so the buffer is reused.
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        let bytes = postcard::to_extend(value, std::mem::take(buffer));
        *buffer = bytes.expect("facts and manifests have no unserializable part");
        let packed = lz4_flex::compress_prepend_size(buffer);
        [&blake3::hash(&packed).as_bytes()[..CHECK_BYTES], &packed].concat()
    })
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Decodes an [encoded](encode) value, if the bytes are intact and of its type.
pub(crate) fn decode<T: DeserializeOwned>(value: &[u8]) -> Option<T> {
    let (check, packed) = value.split_at_checked(CHECK_BYTES)?;
    if check != &blake3::hash(packed).as_bytes()[..CHECK_BYTES] {
        return None;
    }
    let bytes = lz4_flex::decompress_size_prepended(packed).ok()?;
    postcard::from_bytes(&bytes).ok()
}
