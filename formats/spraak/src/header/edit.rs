//! Editing of the header of a file without changing its data.
//!
//! ```
//! use std::sync::Arc;
//! use spr_core::bytes::{Env, Locator, MemoryStore, Source};
//! use spr_format_spraak::header::edit::HeaderFile;
//!
//! let bytes = b".spr\nDATA TRACK\nTYPE I8\nFORMAT BIN01\nDIM1 1\nDIM2 2\n#\n\x01\x02".to_vec();
//! let store = MemoryStore::new();
//! let env = Env::default().with_store(Arc::new(store.clone()));
//! let mut file = HeaderFile::open(Source::from_bytes("a.spr", bytes)?, &env)?;
//! file.set("speaker", b"ann")?;
//! let output = env.output(&Locator::file("b.spr"));
//! file.write(&output)?;
//! output.commit()?;
//! assert!(store.get("b.spr").is_some_and(|b| b.ends_with(b"\nspeaker\tann\n#\n\x01\x02")));
//! # Ok::<(), spr_core::Error>(())
//! ```

use spr_core::bytes::{Env, Output, Part, Source};
use spr_core::{Error, Remedy, Result};

use super::{Dialect, End, Entry, EntryPosition, Header, magic, print, shown};
use crate::probe;

/// The number of bytes copied at a time.
const BLOCK: usize = 256 << 10;

/// A file whose header has been read, and whose data have not.
pub struct HeaderFile {
    source: Source,
    pub(super) header: Header,
}

/// The key with the size of the header, for programs that skip it.
const LENGTH: &str = "HEADER_LEN";

impl HeaderFile {
    /// Reads the header of a file. The last of several lines with the same key is kept. A key with
    /// the size of the header is kept up to date.
    ///
    /// # Errors
    /// There is no header, or it is invalid.
    pub fn open(mut source: Source, env: &Env) -> Result<Self> {
        let head = source.peek(64 << 10)?;
        if magic(head).is_none() && !probe::is_bare_key_header(head) {
            return Err(source
                .malformed("no header: the first line is neither .spr nor .key")
                .suggest(Remedy::LookInside));
        }
        let header = Header::read(&mut source, Some(Dialect::Key), End::Required, env)?;
        let mut file = Self { source, header };
        file.recount()?;
        Ok(file)
    }

    /// Returns the type of the header.
    pub fn dialect(&self) -> Dialect {
        self.header.dialect
    }

    /// Returns keys and values in order, without quotes.
    pub fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let entries = self.header.entries.iter();
        entries.map(|entry| (&entry.word[..], &entry.value[..]))
    }

    /// Returns the size of the header that was read, in bytes.
    pub fn header_bytes(&self) -> u64 {
        self.header.end
    }

    /// Returns the size of the data in bytes, if it is known without reading them.
    pub fn data_bytes(&self) -> Option<u64> {
        self.source.remaining()
    }

    /// Sets the value of a key; a new key is appended.
    ///
    /// # Errors
    /// The header cannot represent it, or has another name for it.
    pub fn set(&mut self, key: &str, value: &[u8]) -> Result<()> {
        let file = self.header.file.clone();
        print::pair(self.header.dialect, key.as_bytes(), value, &mut Vec::new())
            .map_err(|why| Error::usage(format!("{key} can't be set: {why}")).file(&*file))?;
        let own = |entry: &&mut Entry| entry.word == key.as_bytes();
        match self.header.entries.iter_mut().find(own) {
            Some(entry) => entry.value = value.to_vec(),
            None => {
                let name = self.header.name_of(key);
                if name != key {
                    let message = format!("{key} is called {name} in this header");
                    return Err(Error::usage(message).file(&*file));
                }
                self.header.entries.push(Entry {
                    word: key.as_bytes().to_vec(),
                    standard: None,
                    value: value.to_vec(),
                    position: EntryPosition { file, at: None },
                });
            }
        }
        self.header.understand();
        self.recount()
    }

    /// Deletes a key.
    ///
    /// # Errors
    /// The key does not exist; the error lists the existing keys.
    pub fn delete(&mut self, key: &str) -> Result<()> {
        let entries = &mut self.header.entries;
        let Some(at) = entries.iter().position(|e| e.word == key.as_bytes()) else {
            let there: Vec<_> = entries.iter().map(|e| shown(&e.word)).collect();
            return Err(
                Error::usage(format!("has no key {}", shown(key.as_bytes())))
                    .file(&*self.header.file)
                    .hint(format!("it has: {}", there.join(", "))),
            );
        };
        entries.remove(at);
        self.header.understand();
        self.recount()
    }

    /// Adds the size of the header as the key `HEADER_LEN`.
    ///
    /// # Errors
    /// A header line cannot be represented.
    pub fn count(&mut self) -> Result<()> {
        self.set(LENGTH, b"0")
    }

    /// Updates the size in the header, if it has one. The digits of the size change the size
    /// itself. It is found by iteration, which converges because the size only grows or only
    /// shrinks.
    pub(super) fn recount(&mut self) -> Result<()> {
        let own = |entry: &Entry| entry.word == LENGTH.as_bytes();
        let Some(at) = self.header.entries.iter().position(own) else {
            return Ok(());
        };
        loop {
            let length = self.print()?.len().to_string().into_bytes();
            if self.header.entries[at].value == length {
                return Ok(());
            }
            self.header.entries[at].value = length;
        }
    }

    /// Formats the header: the magic line, one line per key, the end line.
    ///
    /// # Errors
    /// A line cannot be represented.
    pub fn print(&self) -> Result<Vec<u8>> {
        let dialect = self.header.dialect;
        let mut out = [dialect.magic(), b"\n"].concat();
        for entry in &self.header.entries {
            print::pair(dialect, &entry.word, &entry.value, &mut out).map_err(|why| {
                let word = shown(&entry.word);
                let message = format!("the header line {word} can't be written: {why}");
                entry.place(Error::unfit(message))
            })?;
        }
        out.extend_from_slice(b"#\n");
        Ok(out)
    }

    /// Writes the header, and copies the data.
    ///
    /// # Errors
    /// A line cannot be represented, reading fails, or the system refuses.
    pub fn write(mut self, output: &Output) -> Result<()> {
        let header = self.print()?;
        let mut sink = output.create(Part::Main, false)?;
        sink.put(&header)?;
        loop {
            let block = self.source.peek(BLOCK)?;
            let n = block.len();
            sink.put(block)?;
            self.source.skip(n as u64)?;
            if n == 0 {
                return sink.finish().map(drop);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spr_core::bytes::{Locator, MemoryStore};

    use super::*;

    const TRACK: &str = ".spr\nx 1\nDATA TRACK\nTYPE I16\nFORMAT BIN10\nDIM1 1\nDIM2 1\n#\n";

    fn open(head: &str) -> HeaderFile {
        let bytes = [head.as_bytes(), b"\x01\x02#\n\r\n"].concat();
        let source = Source::from_bytes("h", bytes).unwrap();
        HeaderFile::open(source, &Env::default()).unwrap()
    }

    fn text(file: &HeaderFile) -> String {
        String::from_utf8(file.print().unwrap()).unwrap()
    }

    #[test]
    fn lines_are_set_and_deleted_in_their_place() {
        let mut file = open(TRACK);
        file.set("x", b" two ").unwrap();
        file.set("note", b"").unwrap();
        file.delete("DIM1").unwrap();
        assert_eq!(
            text(&file),
            ".spr\nx\t\" two \"\nDATA\tTRACK\nTYPE\tI16\nFORMAT\tBIN10\nDIM2\t1\nnote\t\"\"\n#\n"
        );
        let error = file.delete("DIM1").unwrap_err();
        assert_eq!(error.to_string(), "h: has no key DIM1");
        assert!(error.hint_text().unwrap().contains("DIM2"));
        assert!(file.set("a b", b"").is_err());
    }

    #[test]
    fn data_stay_as_they_are() {
        let file = open(TRACK);
        assert_eq!((file.header_bytes(), file.data_bytes()), (58, Some(6)));
        let store = MemoryStore::new();
        let env = Env::default().with_store(Arc::new(store.clone()));
        let output = env.output(&Locator::file("out"));
        file.write(&output).unwrap();
        output.commit().unwrap();
        let written = store.get("out").unwrap();
        assert!(written.ends_with(b"\nDIM2\t1\n#\n\x01\x02#\n\r\n"));
    }

    #[test]
    fn keys_have_one_name() {
        let mut file = open(".key\nDATATYPE SEG\nNSEG 3\n##\n");
        let error = file.set("DIM2", b"1").unwrap_err();
        assert_eq!(error.to_string(), "h: DIM2 is called NENTRY in this header");
        let error = file.set("DIM1", b"1").unwrap_err();
        assert_eq!(error.to_string(), "h: DIM1 is called NSEG in this header");
        file.set("NENTRY", b"1").unwrap();
        assert_eq!(text(&file), ".key\nDATATYPE\tSEG\nNSEG\t3\nNENTRY\t1\n#\n");
        assert!(file.set("x", b" blank").is_err());
    }

    #[test]
    fn the_length_counts_itself() {
        for filler in 0..120 {
            let mut file = open(TRACK);
            file.set("note", "a".repeat(filler).as_bytes()).unwrap();
            file.count().unwrap();
            let header = text(&file);
            assert!(header.contains(&format!("\nHEADER_LEN\t{}\n", header.len())));
            // Once present, it is kept up to date.
            let mut again = open(&header);
            again.set("x", b"longer than before").unwrap();
            let header = text(&again);
            assert!(header.contains(&format!("\nHEADER_LEN\t{}\n", header.len())));
            again.delete("HEADER_LEN").unwrap();
            assert!(!text(&again).contains("HEADER_LEN"));
        }
    }
}
