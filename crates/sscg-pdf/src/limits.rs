//! Limits on decompression.
//!
//! The PDF and font libraries inflate a stream whole, whatever its size. So each stream is measured first. Streams
//! that hold objects of the file are opened by the library unasked, and are found by a search through the file's
//! bytes. All others are measured when they are decoded.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;
use hayro_font::hayro_syntax::Filter;
use hayro_font::hayro_syntax::object::dict::keys::{
    CID_TO_GID_MAP, COLUMNS, DECODE_PARMS, DESCENDANT_FONTS, DP, ENCODING, F, FILTER, FIRST, FLATE_DECODE,
    FONT_DESC, FONT_FILE, FONT_FILE2, FONT_FILE3, TO_UNICODE, W,
};
use hayro_font::hayro_syntax::object::{Array, Dict, FromBytes, Name, Stream};
use memchr::memmem;

use crate::PdfError;

/// Maximum inflated size of one stream, in bytes.
const MAX_INFLATED: usize = 128 * 1024 * 1024;

/// Maximum inflated size of all streams that the search through a file finds, in bytes. This includes images, which
/// are never inflated.
const MAX_ALL_INFLATED: usize = 1024 * 1024 * 1024;

/// Maximum growth factor of each filter.
const FLATE_GROWTH: usize = 1_032;
const LZW_GROWTH: usize = 4_096;
const RUN_LENGTH_GROWTH: usize = 64;

/// Maximum length of a stream dictionary, in bytes.
const MAX_DICTIONARY: usize = 1024 * 1024;

/// Maximum number of bytes parsed in search of dictionaries, in multiples of the file size or of 16 dictionaries of
/// maximum length, whichever is larger.
const MAX_READINGS: usize = 4;

/// Maximum number of samples in a predictor's row.
const MAX_COLUMNS: usize = 1 << 20;

/// Checks that the file is safe to open, by the inflated size of its streams as far as the bytes of the file show it.
///
/// # Errors
/// [`PdfError::TooLong`] if a limit is exceeded.
pub(crate) fn check_file(bytes: &[u8]) -> Result<(), PdfError> {
    let mut inflated = 0;
    let mut to_read = MAX_READINGS * bytes.len().max(16 * MAX_DICTIONARY);
    for at in memmem::find_iter(bytes, b"obj") {
        let rest = skip_blanks(&bytes[at + b"obj".len()..]);
        if !rest.starts_with(b"<<") {
            continue;
        }
        let rest = &rest[..rest.len().min(MAX_DICTIONARY)];
        let dict = Dict::from_bytes(rest);
        let length = dict.as_ref().map_or(rest.len(), |dict| dict.data().len());
        to_read = to_read.checked_sub(length).ok_or(PdfError::TooLong)?;
        let Some(dict) = dict else { continue };
        let end = dict.data().as_ptr_range().end as usize - bytes.as_ptr() as usize;
        let Some(data) = skip_blanks(&bytes[end..]).strip_prefix(b"stream") else { continue };
        inflated += measure_unopened(&dict, data)?;
        if inflated > MAX_ALL_INFLATED {
            return Err(PdfError::TooLong);
        }
    }
    Ok(())
}

fn skip_blanks(mut bytes: &[u8]) -> &[u8] {
    loop {
        let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0).count();
        bytes = &bytes[blank..];
        if !bytes.starts_with(b"%") {
            return bytes;
        }
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        bytes = &bytes[end.unwrap_or(bytes.len())..];
    }
}

/// Returns the inflated size of a stream, given its dictionary and the rest of the file.
fn measure_unopened(dict: &Dict<'_>, data: &[u8]) -> Result<usize, PdfError> {
    check_predictor(dict)?;
    let filter = dict.get::<Name<'_>>(FILTER).or_else(|| {
        match dict.get::<Array<'_>>(FILTER)?.iter().collect::<Vec<_>>() {
            filters if filters.len() == 1 => filters.into_iter().next(),
            _ => None,
        }
    });
    let data = data.strip_prefix(b"\r").unwrap_or(data);
    let data = data.strip_prefix(b"\n").unwrap_or(data);
    if filter.is_some_and(|filter| *filter == *FLATE_DECODE)
        && let Some(measured) = measure_zlib(data, MAX_ALL_INFLATED)
    {
        let limit = if holds_objects(dict) { MAX_INFLATED } else { MAX_ALL_INFLATED };
        return if measured > limit { Err(PdfError::TooLong) } else { Ok(measured) };
    }
    // Another filter, or encrypted. Streams without objects are measured when they are opened.
    let is_filtered = dict.contains_key(FILTER) || dict.contains_key(F);
    if !holds_objects(dict) || !is_filtered {
        return Ok(0);
    }
    let length = memmem::find(data, b"endstream").unwrap_or(data.len());
    let most = length * FLATE_GROWTH;
    if most > MAX_INFLATED { Err(PdfError::TooLong) } else { Ok(most) }
}

/// Returns true if a stream with this dictionary holds objects of the file, or their positions.
fn holds_objects(dict: &Dict<'_>) -> bool {
    dict.contains_key(FIRST) || dict.contains_key(W)
}

/// Returns the decoded bytes of a stream; empty if it cannot be decoded.
///
/// # Errors
/// [`PdfError::TooLong`] if the size may exceed the limit.
pub(crate) fn decoded(stream: &Stream<'_>) -> Result<Vec<u8>, PdfError> {
    check(stream)?;
    Ok(stream.decoded_data().map(|data| data.into_owned()).unwrap_or_default())
}

/// Returns the total decoded size of a font's streams, in bytes.
///
/// # Errors
/// [`PdfError::TooLong`] if the size of one may exceed the limit.
pub(crate) fn length_of_font(font: &Dict<'_>) -> Result<usize, PdfError> {
    let mut length = 0;
    let descendant =
        font.get::<Array<'_>>(DESCENDANT_FONTS).and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    for font in [Some(font), descendant.as_ref()].into_iter().flatten() {
        let descriptor = font.get::<Dict<'_>>(FONT_DESC).unwrap_or_default();
        let own = [TO_UNICODE, ENCODING, CID_TO_GID_MAP].map(|key| font.get::<Stream<'_>>(key));
        let program = [FONT_FILE, FONT_FILE2, FONT_FILE3].map(|key| descriptor.get::<Stream<'_>>(key));
        for stream in own.iter().chain(&program).flatten() {
            length += decoded(stream)?.len();
        }
    }
    Ok(length)
}

fn check(stream: &Stream<'_>) -> Result<(), PdfError> {
    check_predictor(stream.dict())?;
    let filters = stream.filters();
    let data = stream.raw_data();
    let growth = |filter: &Filter| match filter {
        Filter::FlateDecode => FLATE_GROWTH,
        Filter::LzwDecode => LZW_GROWTH,
        Filter::RunLengthDecode => RUN_LENGTH_GROWTH,
        _ => 1,
    };
    let most = filters.iter().map(growth).fold(data.len(), usize::saturating_mul);
    let fits = most <= MAX_INFLATED
        || (filters[..] == [Filter::FlateDecode]
            && measure_zlib(&data, MAX_INFLATED).is_some_and(|length| length <= MAX_INFLATED));
    if fits { Ok(()) } else { Err(PdfError::TooLong) }
}

/// Checks the row length of predictors, which allocate a row before reading any data.
fn check_predictor(dict: &Dict<'_>) -> Result<(), PdfError> {
    let sets = [DECODE_PARMS, DP].into_iter().flat_map(|key| {
        let several = dict.get::<Array<'_>>(key).map(|sets| sets.iter::<Dict<'_>>().collect::<Vec<_>>());
        several.unwrap_or_default().into_iter().chain(dict.get::<Dict<'_>>(key))
    });
    let mut columns = sets.filter_map(|set| set.get::<usize>(COLUMNS));
    if columns.any(|columns| columns > MAX_COLUMNS) { Err(PdfError::TooLong) } else { Ok(()) }
}

/// Returns the inflated size of zlib data, or `limit + 1` if it is larger; `None` if the data is invalid.
fn measure_zlib(data: &[u8], limit: usize) -> Option<usize> {
    let mut limited = ZlibDecoder::new(data).take(limit as u64 + 1);
    io::copy(&mut limited, &mut io::sink()).ok().map(|length| length as usize)
}
