//! The writer.

mod encoder;
mod entries;
mod joined;

use spr_core::bytes::Output;
use spr_core::format::{Caps, Options, Writer};
use spr_core::model::{Matrix, Utterance};
use spr_core::{Error, Result};

use crate::coding::{StringCoding, encode_raw_unicode};
use crate::latin1;
use crate::layout::Layout;
use crate::protocol::Protocol;
use entries::EntryWriter;
use joined::JoinedWriter;

/// The number of bytes encoded or copied at a time.
const BLOCK: usize = 64 << 10;

/// Creates a writer of the layout set by the options, with the capabilities `caps`.
///
/// # Errors
/// The value of an option is invalid, or the output cannot be created.
pub(crate) fn create(
    output: &Output,
    options: &Options,
    caps: Caps,
    threads: usize,
) -> Result<Box<dyn Writer>> {
    Ok(match Layout::of(options)? {
        None | Some(Layout::Pdnn) => {
            Box::new(JoinedWriter::create(output, options, caps, threads)?)
        }
        Some(layout) => Box::new(EntryWriter::create(output, options, layout, caps)?),
    })
}

/// Returns the features of an utterance, which fits `caps`.
fn features_of<'a>(utt: &'a Utterance, caps: &Caps) -> Result<&'a Matrix> {
    caps.check(utt)?;
    if utt.labels.as_ref().is_some_and(|labels| labels.cols() == 0) {
        return Err(Error::unfit("has labels of 0 columns"));
    }
    let features = utt.features.as_ref();
    features.ok_or_else(|| Error::unfit("has no features, which a pickle needs"))
}

/// Checks that the protocol can represent `len` bytes and those of `matrix`.
fn check_len(protocol: Protocol, len: u64, matrix: &Matrix) -> Result<()> {
    // The upper bound is usually sufficient, so that nothing is counted.
    let most = protocol.coding().widest() * matrix.as_bytes().len() as u64;
    if len.saturating_add(most) > protocol.max_len()
        && len.saturating_add(encoded_len(protocol.coding(), matrix)) > protocol.max_len()
    {
        return Err(Error::unsupported(format!(
            "the arrays grow over {} bytes, the most that this pickle protocol can hold",
            protocol.max_len()
        ))
        .hint("write a later one: protocol=4"));
    }
    Ok(())
}

/// Returns the encoded size of the elements in bytes, if it must be counted.
fn encoded_len(coding: StringCoding, matrix: &Matrix) -> u64 {
    match coding {
        StringCoding::Utf8 => latin1::encoded_len(matrix.as_bytes()),
        _ => matrix.as_bytes().len() as u64,
    }
}

/// Encodes the elements of `matrix` with `put`, and returns the number of bytes.
fn encode(
    coding: StringCoding,
    matrix: &Matrix,
    scratch: &mut Vec<u8>,
    mut put: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let bytes = matrix.as_bytes();
    if coding == StringCoding::Raw {
        put(bytes)?;
        return Ok(bytes.len() as u64);
    }
    let mut len = 0;
    for block in bytes.chunks(BLOCK) {
        scratch.clear();
        encode_block(coding, block, scratch);
        put(scratch)?;
        len += scratch.len() as u64;
    }
    Ok(len)
}

/// Appends `bytes` in their encoding.
fn encode_block(coding: StringCoding, bytes: &[u8], out: &mut Vec<u8>) {
    match coding {
        StringCoding::Utf8 => latin1::encode(bytes, out),
        StringCoding::RawUnicode => encode_raw_unicode(bytes, out),
        // No protocol that is written uses escapes.
        StringCoding::Raw | StringCoding::Escaped => out.extend_from_slice(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    #[test]
    fn refuses_more_than_the_protocol_can_count() {
        let matrix = Matrix::from_rows(&[-1.0f32], 1, Rank::Matrix).unwrap();
        // -1.0 is 00 00 80 bf: two of its bytes take two in Latin-1 text.
        for (protocol, most) in [("1", -6), ("2", -6), ("3", -4)] {
            let protocol = protocol_of(protocol);
            let full = u64::from(u32::MAX).wrapping_add_signed(most);
            check_len(protocol, full, &matrix).unwrap();
            let error = check_len(protocol, full + 1, &matrix).unwrap_err();
            assert_eq!(
                error.hint_text().as_deref(),
                Some("write a later one: protocol=4")
            );
        }
        for protocol in ["0", "4", "5"] {
            check_len(protocol_of(protocol), 1 << 40, &matrix).unwrap();
        }
    }

    fn protocol_of(number: &str) -> Protocol {
        let info = spr_core::format::Format::info(&crate::FORMAT);
        Protocol::of(&Options::new(info, [("protocol", number)]).unwrap()).unwrap()
    }
}
