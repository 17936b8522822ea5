//! The elements of arrays as bytes of a pickle.

use spr_core::format::Caps;
use spr_core::model::{Matrix, Utterance};
use spr_core::{Error, Result};

use crate::coding::{StringCoding, encode_raw_unicode};
use crate::latin1;
use crate::protocol::Protocol;

/// The number of bytes encoded or copied at a time.
pub(super) const BLOCK: usize = 64 << 10;

/// Returns the features of an utterance, which fits `caps`.
pub(super) fn features_of<'a>(utt: &'a Utterance, caps: &Caps) -> Result<&'a Matrix> {
    caps.check(utt)?;
    if utt.labels.as_ref().is_some_and(|labels| labels.cols() == 0) {
        return Err(Error::unfit("has labels of 0 columns"));
    }
    let features = utt.features.as_ref();
    features.ok_or_else(|| Error::unfit("has no features, which a pickle needs"))
}

/// Checks that the protocol can represent `len` bytes and those of `matrix`.
pub(super) fn check_len(protocol: Protocol, len: u64, matrix: &Matrix) -> Result<()> {
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
pub(super) fn encoded_len(coding: StringCoding, matrix: &Matrix) -> u64 {
    match coding {
        StringCoding::Utf8 => latin1::encoded_len(matrix.as_bytes()),
        _ => matrix.as_bytes().len() as u64,
    }
}

/// Encodes the elements of `matrix`, in little-endian order, with `put`, and returns the number of bytes.
pub(super) fn encode(
    coding: StringCoding,
    matrix: &Matrix,
    scratch: &mut Vec<u8>,
    mut put: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    if coding == StringCoding::Raw {
        matrix.put_little_endian(put)?;
        return Ok(matrix.as_bytes().len() as u64);
    }
    let mut len = 0;
    matrix.put_little_endian(|bytes| {
        for block in bytes.chunks(BLOCK) {
            scratch.clear();
            encode_block(coding, block, scratch);
            put(scratch)?;
            len += scratch.len() as u64;
        }
        Ok(())
    })?;
    Ok(len)
}

/// Appends `bytes` in their encoding.
pub(super) fn encode_block(coding: StringCoding, bytes: &[u8], out: &mut Vec<u8>) {
    match coding {
        StringCoding::Utf8 => latin1::encode(bytes, out),
        StringCoding::RawUnicode => encode_raw_unicode(bytes, out),
        // No protocol that is written uses escapes.
        StringCoding::Raw | StringCoding::Escaped => out.extend_from_slice(bytes),
    }
}

#[cfg(test)]
mod tests {
    use spr_core::format::Options;
    use spr_core::model::Rank;

    use super::*;

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
