//! What a client asks.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read};

/// A request that was read whole.
pub(super) struct Request {
    pub(super) method: String,
    /// The path without its first slash.
    pub(super) name: String,
    pub(super) query: String,
    headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads the next request; `None` if there is none.
    pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (method, target) = (words.next(), words.next());
        let (Some(method), Some(target)) = (method, target) else {
            return Ok(None);
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Self {
            method: method.to_owned(),
            name: unescaped(path.trim_start_matches('/')),
            query: query.to_owned(),
            headers: BTreeMap::new(),
            body: Vec::new(),
        };
        loop {
            line.clear();
            input.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
            request.headers.insert(name, value);
        }
        let length = request
            .header("content-length")
            .and_then(|n| n.parse().ok());
        input
            .take(length.unwrap_or(0))
            .read_to_end(&mut request.body)?;
        Ok(Some(request))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The value of a field of the query; of one without a value, the empty one.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        self.query.split('&').find_map(|field| {
            let (key, value) = field.split_once('=').unwrap_or((field, ""));
            (key == name).then(|| unescaped(value))
        })
    }

    /// The range that is asked for, of something so long: its first byte and that behind its last.
    pub(super) fn range(&self, length: usize) -> Option<(usize, usize)> {
        let (first, last) = self
            .header("range")?
            .strip_prefix("bytes=")?
            .split_once('-')?;
        let first = first.parse().ok()?;
        let last: usize = last.parse().unwrap_or(usize::MAX);
        Some((first, last.saturating_add(1).min(length)))
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.name)?;
        if !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        match self.header("range") {
            Some(range) => write!(f, " {range}"),
            None => Ok(()),
        }
    }
}

/// Text in which `%41` is `A`.
fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
