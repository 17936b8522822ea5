//! The options before the colon of a specifier: `ark,s,cs`, `ark,scp,t`.

/// The two forms of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Keys and objects in one stream.
    Ark,
    /// Lines of a key and the file name of its object.
    Script,
}

/// The options of a table for reading.
pub(crate) struct Reading {
    pub(crate) table: Table,
    pub(crate) permissive: bool,
    pub(crate) once: bool,
    pub(crate) sorted: bool,
    pub(crate) called_sorted: bool,
    pub(crate) background: bool,
}

/// The options of a table for writing, which has an archive, a script file or both.
#[derive(Default)]
pub(crate) struct Writing {
    pub(crate) archive: bool,
    pub(crate) script: bool,
    pub(crate) text: bool,
    pub(crate) flush: bool,
    pub(crate) permissive: bool,
}

/// Parses the options of a table for reading, or returns `None` if they are invalid by Kaldi's
/// rules.
pub(crate) fn reading(options: &str) -> Option<Reading> {
    let mut table = None;
    let mut read = Reading {
        table: Table::Ark,
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
            "o" | "no" => read.once = option == "o",
            "p" | "np" => read.permissive = option == "p",
            "s" | "ns" => read.sorted = option == "s",
            "cs" | "ncs" => read.called_sorted = option == "cs",
            "bg" => read.background = true,
            _ => return None,
        }
    }
    table.map(|table| Reading { table, ..read })
}

/// Parses the options of a table for writing, or returns `None` if they are invalid by Kaldi's
/// rules.
pub(crate) fn writing(options: &str) -> Option<Writing> {
    let mut write = Writing::default();
    for option in options.split([',', ' ']) {
        match option {
            "ark" if write.archive || write.script => return None,
            "scp" if write.script => return None,
            "ark" => write.archive = true,
            "scp" => write.script = true,
            "b" | "t" => write.text = option == "t",
            "f" | "nf" => write.flush = option == "f",
            "p" => write.permissive = true,
            _ => return None,
        }
    }
    (write.archive || write.script).then_some(write)
}

/// Splits the options from the rest after the first colon.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    if text.ends_with(is_space) {
        return None;
    }
    text.split_once(':')
}

/// Returns `true` if the part before the colon makes `text` a table of either type. The rest is not
/// inspected, so that tables inside tables end here.
pub(crate) fn is_specifier(text: &str) -> bool {
    let known = |options: &str| reading(options).is_some() || writing(options).is_some();
    split(text).is_some_and(|(options, _)| known(options))
}

/// Returns `true` for white space as in C.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}
