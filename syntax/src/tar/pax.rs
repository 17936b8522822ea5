//! Records of PAX headers: `LENGTH KEY=VALUE` and a line feed.

/// The relevant records about members.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Records {
    /// The name.
    pub(super) path: Option<Vec<u8>>,
    /// The size of the data.
    pub(super) size: Option<u64>,
    /// Whether the member has holes.
    pub(super) is_sparse: bool,
}

impl Records {
    /// Takes the records of a header. Returns `false` if they are malformed.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let Some((key, value, rest)) = record(bytes) else {
                return false;
            };
            match key {
                b"path" => self.path = Some(value.to_vec()),
                b"size" => match number(value) {
                    Some(size) => self.size = Some(size),
                    None => return false,
                },
                key if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
            bytes = rest;
        }
        true
    }
}

/// Splits off the first record: its key, its value and what follows.
fn record(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = bytes.iter().take(20).position(|byte| *byte == b' ')?;
    let len = usize::try_from(number(bytes.get(..blank)?)?).ok()?;
    let (record, rest) = bytes.split_at_checked(len)?;
    let body = record.get(blank + 1..)?.strip_suffix(b"\n")?;
    let sign = body.iter().position(|byte| *byte == b'=')?;
    let (key, value) = body.split_at(sign);
    Some((key, value.get(1..)?, rest))
}

fn number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Appends a record.
pub(super) fn put(key: &str, value: &[u8], out: &mut Vec<u8>) {
    // A blank, a sign and a line feed; the length counts its own digits.
    let rest = key.len() + value.len() + 3;
    let mut len = rest;
    while rest + len.to_string().len() != len {
        len = rest + len.to_string().len();
    }
    out.extend_from_slice(format!("{len} {key}=").as_bytes());
    out.extend_from_slice(value);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_count_their_own_digits() {
        for len in [1, 90, 91, 92, 93, 94, 985, 986, 987, 988, 989, 990, 5000] {
            let value = vec![b'x'; len];
            let mut bytes = Vec::new();
            put("path", &value, &mut bytes);
            put("size", b"12", &mut bytes);
            let mut records = Records::default();
            assert!(records.take(&bytes), "{len}");
            assert_eq!(records.path, Some(value));
            assert_eq!(records.size, Some(12));
        }
    }

    #[test]
    fn damaged_records_are_refused() {
        for bytes in [
            "8 path=x\n",
            "11 path=x\n",
            "x path=x\n",
            "10 path=xy",
            "7 path\n",
            "12 size=1a2\n",
            "99999999999999999999 path=x\n",
            "-1 a=b\n",
        ] {
            assert!(!Records::default().take(bytes.as_bytes()), "{bytes}");
        }
    }
}
