//! Files of lines that start with a key, as data folders hold them.

use spr_core::bytes::{Env, Location};
use spr_core::model::Key;
use spr_core::{Error, Result};

use super::findings::Findings;

const SORT: &str = "LC_ALL=C sort orders it";

/// A line behind its key.
pub(super) struct Line<'a> {
    pub(super) key: &'a Key,
    /// What follows the key and its blanks.
    pub(super) rest: &'a str,
    file: &'a str,
    number: u64,
}

impl Line<'_> {
    /// Something that is wrong with it.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        let error = Error::malformed(message).file(self.file).line(self.number);
        error.utterance(self.key)
    }
}

/// Reads a file, checks what holds for all such files, and hands each line on. The keys come back
/// in their order in the file.
pub(super) fn read(
    at: &Location,
    env: &Env,
    found: &mut Findings<'_>,
    mut each: impl FnMut(Line<'_>, &mut Findings<'_>),
) -> Result<Vec<Key>> {
    let mut source = env.open_file(at)?;
    let file = at.to_string();
    let mut keys: Vec<Key> = Vec::new();
    let (mut line, mut number, mut sorted) = (Vec::new(), 0, true);
    loop {
        let start = source.offset();
        if !source.line(&mut line, &env.limits)? {
            break;
        }
        number += 1;
        let error = |message: &str| Error::malformed(message).file(&file).line(number);
        if source.offset() - start == line.len() as u64 {
            found.fault("lines", error("the last line has no end"));
        }
        let Ok(text) = std::str::from_utf8(&line) else {
            found.fault("lines", error("the line is not UTF-8"));
            continue;
        };
        if text.contains('\0') {
            found.fault("lines", error("a NUL byte"));
        }
        if text.contains('\r') {
            let hint = "write lines with LF, as dos2unix does";
            found.fault("lines", error("a carriage return").hint(hint));
        }
        let text = text.trim_end();
        if text.starts_with(char::is_whitespace) || text.is_empty() {
            found.fault("lines", error("the line does not start with a key"));
            continue;
        }
        let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let key = Key::from(word);
        if let Some(last) = keys.last().filter(|last| sorted && **last > key) {
            sorted = false;
            let message = format!("comes after {last}: the file is not sorted");
            found.fault("order", error(&message).utterance(&key).hint(SORT));
        }
        let rest = rest.trim_start();
        let (file, key) = (file.as_str(), &key);
        let line = Line {
            key,
            rest,
            file,
            number,
        };
        each(line, found);
        keys.push(key.clone());
    }
    let mut ordered: Vec<_> = keys.iter().collect();
    ordered.sort_unstable();
    for pair in ordered.windows(2).filter(|pair| pair[0] == pair[1]) {
        let error = Error::malformed("appears more than once");
        found.fault("duplicates", error.file(&file).utterance(pair[0]));
    }
    if keys.is_empty() {
        found.fault("lines", Error::malformed("the file is empty").file(&file));
    }
    Ok(keys)
}
