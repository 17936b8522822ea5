//! Kaldi's own grammar for tables and files on a command line: `ark,t:-`, `scp:feats.scp`,
//! `ark,scp:A,S`, `gunzip -c x.gz |`, `feats.ark:18734`.

use spr_core::bytes::{Env, Locator, Output};
use spr_core::format::{Notation, Specified};
use spr_core::{Error, Result};

/// The two forms of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Keys and objects one after the other in one stream.
    Ark,
    /// Lines of a key and the place of its object.
    Script,
}

/// A table to read, such as `ark,s,cs:feats.ark`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rspecifier {
    /// Its form.
    pub table: Table,
    /// Where it is.
    pub locator: Locator,
    /// `p`: entries that can't be read are left out.
    pub permissive: bool,
    /// `o`: each key is asked for once.
    pub once: bool,
    /// `s`: the keys are sorted.
    pub sorted: bool,
    /// `cs`: the keys are asked for in sorted order.
    pub called_sorted: bool,
    /// `bg`: entries are read ahead.
    pub background: bool,
}

/// A table to write, such as `ark,scp:feats.ark,feats.scp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wspecifier {
    /// Where the objects go, if to an archive.
    pub archive: Option<Locator>,
    /// Where the script file goes that is written beside an archive.
    pub script: Option<Locator>,
    /// Where the script file is that names the files to write, as text that [`rxfilename`] takes.
    pub list: Option<String>,
    /// `t`: text.
    pub text: bool,
    /// `f`: every entry is flushed.
    pub flush: bool,
    /// `p`: keys that a script file does not list are left out.
    pub permissive: bool,
}

impl Rspecifier {
    /// The options for [`FORMAT`](crate::FORMAT) that it means.
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
    /// The options for [`FORMAT`](crate::FORMAT) that it means.
    pub fn options(&self) -> impl Iterator<Item = (String, String)> {
        let archive = self.archive.is_some().then_some(("table", "ark"));
        let text = self.text.then_some(("text", "true"));
        let list = self.list.as_deref().map(|list| ("list", list));
        let pairs = archive.into_iter().chain(text).chain(list);
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned()))
    }

    /// Where the objects go. Where they go to files that a list names, that is its name: it is only
    /// read, but what is written is called so.
    pub fn locator(&self) -> Locator {
        match (&self.archive, &self.list) {
            (Some(archive), _) => archive.clone(),
            (None, list) => Locator::file(list.as_deref().unwrap_or_default()),
        }
    }

    /// The output that it means.
    pub fn output(&self, env: &Env) -> Output {
        let output = env.output(&self.locator());
        match &self.script {
            Some(script) => output.with_named("scp", script.clone()),
            None => output,
        }
    }
}

/// Kaldi's specifiers as the notation of the [format](crate::FORMAT).
pub(crate) struct Specifiers;

impl Notation for Specifiers {
    fn input(&self, text: &str) -> Option<Result<Specified>> {
        let specified = |spec: Rspecifier| {
            let options = spec.options();
            let options = options.map(|(key, value)| (key.to_owned(), value.to_owned()));
            let mut specified = Specified::new("a Kaldi rspecifier", spec.locator.clone());
            specified.options = options.collect();
            specified.permissive = spec.permissive;
            specified
        };
        Some(rspecifier(text)?.map(specified))
    }

    fn output(&self, text: &str) -> Option<Result<Specified>> {
        let specified = |spec: Wspecifier| {
            let mut specified = Specified::new("a Kaldi wspecifier", spec.locator());
            specified.options = spec.options().collect();
            specified.companions = spec
                .script
                .map(|script| ("scp", script))
                .into_iter()
                .collect();
            specified.permissive = spec.permissive;
            specified
        };
        Some(wspecifier(text)?.map(specified))
    }
}

/// Reads `text` as a table to read; `None` if it is none by Kaldi's rules.
///
/// # Errors
/// It is one, but what follows the colon can't be read from.
pub fn rspecifier(text: &str) -> Option<Result<Rspecifier>> {
    let (options, rest) = split(text)?;
    let mut table = None;
    let mut spec = Rspecifier {
        table: Table::Ark,
        locator: Locator::Standard,
        permissive: false,
        once: false,
        sorted: false,
        called_sorted: false,
        background: false,
    };
    for option in options.split([',', ' ']) {
        match option {
            "ark" | "scp" if table.is_some() => return None,
            "ark" => table = Some(Table::Ark),
            "scp" => table = Some(Table::Script),
            "b" | "t" => {}
            "o" | "no" => spec.once = option == "o",
            "p" | "np" => spec.permissive = option == "p",
            "s" | "ns" => spec.sorted = option == "s",
            "cs" | "ncs" => spec.called_sorted = option == "cs",
            "bg" => spec.background = true,
            _ => return None,
        }
    }
    spec.table = table?;
    Some(rxfilename(rest).map(|locator| Rspecifier { locator, ..spec }))
}

/// Reads `text` as a table to write; `None` if it is none by Kaldi's rules.
///
/// # Errors
/// It is one, but what follows the colon can't be written to, or `ark,scp` lacks a name.
pub fn wspecifier(text: &str) -> Option<Result<Wspecifier>> {
    let (options, rest) = split(text)?;
    let (mut ark, mut scp) = (false, false);
    let mut spec = Wspecifier {
        archive: None,
        script: None,
        list: None,
        text: false,
        flush: false,
        permissive: false,
    };
    for option in options.split([',', ' ']) {
        match option {
            "ark" if ark || scp => return None,
            "scp" if scp => return None,
            "ark" => ark = true,
            "scp" => scp = true,
            "b" | "t" => spec.text = option == "t",
            "f" | "nf" => spec.flush = option == "f",
            "p" => spec.permissive = true,
            _ => return None,
        }
    }
    let places = match (ark, scp) {
        (true, false) => (Some(rest), None),
        (false, true) => {
            spec.list = Some(rest.to_owned());
            return Some(rxfilename(rest).map(|_| spec));
        }
        (true, true) => match rest.split_once(',') {
            Some((archive, script)) => (Some(archive), Some(script)),
            None => {
                return Some(Err(Error::usage(format!(
                    "'{text}' names no script file: a comma and a second name are due"
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

/// The options and what follows the first colon.
fn split(text: &str) -> Option<(&str, &str)> {
    if text.ends_with(is_space) {
        return None;
    }
    text.split_once(':')
}

/// Reads `text` as a place to read from.
///
/// # Errors
/// Kaldi would not read from it.
pub fn rxfilename(text: &str) -> Result<Locator> {
    if text.is_empty() || text == "-" {
        return Ok(Locator::Standard);
    }
    if text.starts_with('|') {
        return Err(refused(text, "a command to read from ends with '|'"));
    }
    if let Some(command) = text.strip_suffix('|') {
        return match command.trim_matches(is_space) {
            "" => Err(refused(text, "the command is empty")),
            command => Ok(Locator::Command(command.to_owned())),
        };
    }
    check_name(text)?;
    if let Some((name, digits)) = offset(text) {
        if name.is_empty() {
            return Err(refused(text, "the file has no name"));
        }
        let offset = digits
            .parse()
            .map_err(|_| refused(text, "the offset is no 64-bit number"))?;
        return Ok(Locator::FileAt(name.into(), offset));
    }
    check_pipe(text)?;
    Ok(Locator::File(text.into()))
}

/// Reads `text` as a place to write to.
///
/// # Errors
/// Kaldi would not write to it.
pub fn wxfilename(text: &str) -> Result<Locator> {
    if text.is_empty() || text == "-" {
        return Ok(Locator::Standard);
    }
    if let Some(command) = text.strip_prefix('|') {
        return match command.trim_matches(is_space) {
            "" => Err(refused(text, "the command is empty")),
            command => Ok(Locator::Command(command.to_owned())),
        };
    }
    if text.ends_with('|') {
        return Err(refused(text, "a command to write to starts with '|'"));
    }
    check_name(text)?;
    if offset(text).is_some() {
        return Err(refused(text, "an offset can't be written to"));
    }
    check_pipe(text)?;
    Ok(Locator::File(text.into()))
}

fn check_name(text: &str) -> Result<()> {
    if text.starts_with(is_space) || text.ends_with(is_space) {
        return Err(refused(text, "there is white space around it"));
    }
    if text.starts_with(['a', 's']) && is_specifier(text) {
        return Err(refused(text, "it names a table, where a file is due"));
    }
    Ok(())
}

fn check_pipe(text: &str) -> Result<()> {
    match text.contains('|') {
        true => Err(refused(text, "'|' stands first or last, or not at all")),
        false => Ok(()),
    }
}

/// Whether the part before the colon makes `text` a table of either sort; the rest is not looked
/// at, so that tables inside tables end here.
fn is_specifier(text: &str) -> bool {
    let classifies = |head: &str| rspecifier(head).is_some() || wspecifier(head).is_some();
    split(text).is_some_and(|(options, _)| classifies(&format!("{options}:-")))
}

/// The name and the digits of `name:digits`.
fn offset(text: &str) -> Option<(&str, &str)> {
    let (name, digits) = text.rsplit_once(':')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some((name, digits))
}

/// White space as C has it.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

fn refused(text: &str, why: &str) -> Error {
    Error::usage(format!("'{text}' is no valid Kaldi file name: {why}"))
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

    #[test]
    fn file_names() {
        for text in [
            " ",
            " a ",
            "a ",
            "|b",
            "| b ",
            "ark,s,cs:a b c",
            "scp:a b c",
            "a|b",
            ":5",
        ] {
            assert!(rxfilename(text).is_err(), "{text}");
        }
        let file = |name: &str| Locator::File(name.into());
        for text in ["a", "a b c/3", "a b c:", "sp:c", "x:y:"] {
            assert_eq!(rxfilename(text).unwrap(), file(text));
        }
        assert_eq!(rxfilename(" b c|").unwrap(), Locator::Command("b c".into()));
        let at = Locator::FileAt("a b c".into(), 123);
        assert_eq!(rxfilename("a b c:123").unwrap(), at);
        assert!(wxfilename("b c|").is_err() && wxfilename("a:3").is_err());
        assert_eq!(wxfilename("a b").unwrap(), Locator::File("a b".into()));
    }
}
