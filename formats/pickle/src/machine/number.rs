//! Integers and floats.

use spr_core::number::parse_f64;

use super::*;

/// The largest size of a binary integer in bytes.
const MAX_LONG: usize = 1 << 10;

impl Machine<'_> {
    pub(super) fn text_number(&mut self, code: u8) -> Result<()> {
        let line = self.short_line()?.trim_ascii();
        let value = match (code, line) {
            (INT, b"00") => Some(Value::Bool(false)),
            (INT, b"01") => Some(Value::Bool(true)),
            (FLOAT, _) => parse_f64(line).map(Value::Float),
            _ => {
                let digits = line.strip_suffix(b"L").filter(|_| code == LONG);
                integer(digits.unwrap_or(line))
            }
        };
        match value {
            Some(value) => self.push(value),
            None => Err(Error::malformed(format!(
                "'{}' is not a number",
                line.escape_ascii()
            ))),
        }
    }

    pub(super) fn binary_long(&mut self, len: u64) -> Result<()> {
        if len > MAX_LONG as u64 {
            return Err(Error::limit(format!("an integer of {len} bytes")));
        }
        self.check_left("an integer", len)?;
        let mut bytes = [0; MAX_LONG];
        let bytes = &mut bytes[..usize::try_from(len).unwrap_or(0)];
        self.source.fill(bytes)?;
        // Two's complement: all bytes but the low eight repeat the sign.
        let sign = if bytes.last().is_some_and(|&b| b >= 0x80) {
            0xff
        } else {
            0
        };
        let (low, high) = bytes.split_at(bytes.len().min(8));
        let mut word = [sign; 8];
        word[..low.len()].copy_from_slice(low);
        let value = i64::from_le_bytes(word);
        let fits = high.iter().all(|&b| b == sign) && (value < 0) == (sign == 0xff);
        self.push(if fits {
            Value::Int(value)
        } else {
            Value::BigInt
        })
    }
}

/// Parses a decimal integer of any size.
fn integer(digits: &[u8]) -> Option<Value> {
    if let Some(value) = parse_integer(digits) {
        return Some(Value::Int(value));
    }
    let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
    let sound = !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit);
    sound.then_some(Value::BigInt)
}
