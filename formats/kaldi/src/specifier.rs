//! Kaldi's grammar for tables and files on a command line: `ark,t:-`, `scp:feats.scp`,
//! `ark,scp:A,S`, `gunzip -c x.gz |`, `feats.ark:18734`.

use spr_core::bytes::{Env, Locator, Output, Source};
use spr_core::{Error, Result};

use crate::archive::has_no_keys;
pub use crate::file_name::{rxfilename, wxfilename};
pub use crate::table_options::Table;
use crate::table_options::{reading, split, writing};

/// A table for reading, such as `ark,s,cs:feats.ark`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rspecifier {
    /// Its form.
    pub table: Table,
    /// Its location.
    pub locator: Locator,
    /// `p`: skips entries that cannot be read.
    pub permissive: bool,
    /// `o`: each key is looked up once.
    pub once: bool,
    /// `s`: the keys are sorted.
    pub sorted: bool,
    /// `cs`: keys are looked up in sorted order.
    pub called_sorted: bool,
    /// `bg`: entries are read ahead.
    pub background: bool,
}

/// A table for writing, such as `ark,scp:feats.ark,feats.scp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wspecifier {
    /// The location of the archive, if there is one.
    pub archive: Option<Locator>,
    /// The location of the script file that is written with an archive.
    pub script: Option<Locator>,
    /// The location of a script file that names the files to write, as text for [`rxfilename`].
    pub list: Option<String>,
    /// `t`: text.
    pub text: bool,
    /// `f`: every entry is flushed.
    pub flush: bool,
    /// `p`: skips keys that a script file does not list.
    pub permissive: bool,
}

impl Rspecifier {
    /// Opens the table.
    ///
    /// # Errors
    /// The system refuses, or an archive starts with an object without a key.
    pub fn open(&self, env: &Env) -> Result<Source> {
        let mut source = env.open(&self.locator)?;
        if self.table == Table::Ark && has_no_keys(&mut source, env)? {
            let error = source.malformed("starts with an object, expected its key before it");
            return Err(error.hint("a file of one object is named without ark:"));
        }
        Ok(source)
    }

    /// Returns the place of the table if it has words, which `text` names.
    ///
    /// # Errors
    /// It is a script file.
    pub(crate) fn words(self, text: &str) -> Result<Locator> {
        match self.table {
            Table::Ark => Ok(self.locator),
            Table::Script => Err(Error::usage(format!("'{text}' is not an archive of words"))),
        }
    }

    /// Returns the equivalent options for [`FORMAT`](crate::FORMAT).
    pub fn options(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let table = match self.table {
            Table::Ark => "ark",
            Table::Script => "scp",
        };
        let flags = [
            ("once", self.once),
            ("sorted", self.sorted),
            ("called-sorted", self.called_sorted),
        ];
        let flags = flags.into_iter().filter(|(_, set)| *set);
        std::iter::once(("table", table)).chain(flags.map(|(name, _)| (name, "true")))
    }
}

impl Wspecifier {
    /// Returns the equivalent options for [`FORMAT`](crate::FORMAT).
    pub fn options(&self) -> impl Iterator<Item = (String, String)> {
        // With a script file it is an archive in any case.
        let alone = self.archive.is_some() && self.script.is_none();
        let archive = alone.then_some(("table", "ark"));
        let text = self.text.then_some(("text", "true"));
        let flush = self.flush.then_some(("flush", "true"));
        let list = self.list.as_deref().map(|list| ("list", list));
        let pairs = archive.into_iter().chain(text).chain(flush).chain(list);
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned()))
    }

    /// Returns the location of the objects. If a list names their files, that is the location of
    /// the list, which is only read.
    pub fn locator(&self) -> Locator {
        match (&self.archive, &self.list) {
            (Some(archive), _) => archive.clone(),
            (None, list) => Locator::file(list.as_deref().unwrap_or_default()),
        }
    }

    /// Returns the output.
    pub fn output(&self, env: &Env) -> Output {
        let output = env.output(&self.locator());
        match &self.script {
            Some(script) => output.with_named("scp", script.clone()),
            None => output,
        }
    }
}

/// Parses `text` as a table for reading, or returns `None` if it is not one by Kaldi's rules.
///
/// # Errors
/// It is one, but the text after the colon is not readable.
pub fn rspecifier(text: &str) -> Option<Result<Rspecifier>> {
    let (options, rest) = split(text)?;
    let options = reading(options)?;
    Some(rxfilename(rest).map(|locator| Rspecifier {
        table: options.table,
        locator,
        permissive: options.permissive,
        once: options.once,
        sorted: options.sorted,
        called_sorted: options.called_sorted,
        background: options.background,
    }))
}

/// Parses `text` as a table for writing, or returns `None` if it is not one by Kaldi's rules.
///
/// # Errors
/// It is one, but the text after the colon is not writable, or `ark,scp` lacks a name.
pub fn wspecifier(text: &str) -> Option<Result<Wspecifier>> {
    let (options, rest) = split(text)?;
    let options = writing(options)?;
    let mut spec = Wspecifier {
        archive: None,
        script: None,
        list: None,
        text: options.text,
        flush: options.flush,
        permissive: options.permissive,
    };
    let places = match (options.archive, options.script) {
        (true, false) => (Some(rest), None),
        (false, true) => {
            spec.list = Some(rest.to_owned());
            return Some(rxfilename(rest).map(|_| spec));
        }
        (true, true) => match rest.split_once(',') {
            Some((archive, script)) => (Some(archive), Some(script)),
            None => {
                return Some(Err(Error::usage(format!(
                    "'{text}' does not name a script file: expected a comma and a second name"
                ))));
            }
        },
        (false, false) => return None,
    };
    let locate = |place: Option<&str>| place.map(wxfilename).transpose();
    let both = locate(places.0).and_then(|archive| Ok((archive, locate(places.1)?)));
    Some(both.map(|(archive, script)| Wspecifier {
        archive,
        script,
        ..spec
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Rspecifier {
        rspecifier(text).unwrap().unwrap()
    }

    fn write(text: &str) -> Wspecifier {
        wspecifier(text).unwrap().unwrap()
    }

    #[test]
    fn rspecifiers() {
        let spec = read("s,ark,cs,p,bg,o:gunzip -c a.gz |");
        assert_eq!(spec.table, Table::Ark);
        assert_eq!(spec.locator, Locator::Command("gunzip -c a.gz".into()));
        assert!(spec.permissive && spec.once && spec.sorted && spec.called_sorted);
        assert!(spec.background);
        let spec = read("scp t p np:-");
        assert_eq!(
            (spec.table, spec.locator),
            (Table::Script, Locator::Standard)
        );
        assert!(!spec.permissive);
        assert_eq!(read("ark:a:b").locator, Locator::File("a:b".into()));
        assert_eq!(read("ark:a:007").locator, Locator::FileAt("a".into(), 7));
        assert_eq!(read("ark:").locator, Locator::Standard);
        for text in [
            "",
            "ark",
            "a.ark",
            "t:x",
            "ark, t:x",
            " ark:x",
            "ark,:x",
            "ark:x ",
            "ark,scp:a,b",
            "scp,scp:x",
            "ark,f:x",
            "ark,nbg:x",
            "ARK:x",
            "C:x",
            "p,:",
        ] {
            assert!(rspecifier(text).is_none(), "{text}");
        }
        for text in [
            "ark:ark:x",
            "ark:|x",
            "scp:a|b",
            "ark: x",
            "ark:x:99999999999999999999",
        ] {
            assert!(rspecifier(text).unwrap().is_err(), "{text}");
        }
    }

    #[test]
    fn wspecifiers() {
        let spec = write("ark,t,scp:a,b,c");
        assert_eq!(spec.archive, Some(Locator::File("a".into())));
        assert_eq!(spec.script, Some(Locator::File("b,c".into())));
        assert!(spec.text && !spec.flush);
        let spec = write("b,ark:|gzip -c > x");
        assert_eq!(spec.archive, Some(Locator::Command("gzip -c > x".into())));
        assert_eq!((spec.script, spec.text), (None, false));
        let spec = write("scp,p,f:x.scp");
        assert_eq!((&spec.archive, &spec.script), (&None, &None));
        assert_eq!(
            (spec.list.as_deref(), spec.permissive),
            (Some("x.scp"), true)
        );
        assert!(spec.flush);
        let spec = write("b,ark,scp:,");
        assert_eq!(spec.archive, Some(Locator::Standard));
        assert_eq!(spec.script, Some(Locator::Standard));
        for text in [
            "",
            "f",
            "nf:x",
            "scp,ark:a,b",
            "ark,ark:x",
            "ark,np:x",
            "ark,o:x",
            "ark:x ",
        ] {
            assert!(wspecifier(text).is_none(), "{text}");
        }
        for text in [
            "ark,scp:a",
            "ark:a |",
            "ark:a:5",
            "ark:scp:x",
            "ark:a|b",
            "ark:|",
        ] {
            assert!(wspecifier(text).unwrap().is_err(), "{text}");
        }
    }
}
