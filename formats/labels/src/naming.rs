//! The names of segments, and labels for gaps between them.

use std::sync::Arc;

use spr_core::bytes::{Env, Location};
use spr_core::format::{OptionSpec, Options};
use spr_core::model::{Decimal, Segment};
use spr_core::{Error, Result, Symbols};

/// A table of names and numbers.
pub(crate) const SYMBOLS: OptionSpec = OptionSpec {
    name: "symbols",
    value: "FILE",
    help: "lines NAME NUMBER: names are read as their numbers, and numbers written as their names",
};

/// The label of gaps.
pub(crate) const GAPS: OptionSpec = OptionSpec {
    name: "gaps",
    value: "NAME",
    help: "fill the gaps before, between and after segments with this label, such as SIL",
};

/// The options for names and gaps.
#[derive(Clone)]
pub(crate) struct Naming {
    symbols: Option<Arc<Symbols>>,
    gaps: Option<Box<[u8]>>,
}

impl Naming {
    /// Parses the options, and reads the table of names.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(crate) fn of(options: &Options, env: &Env) -> Result<Self> {
        let table = options.get(SYMBOLS.name).map(Location::from);
        let table = table.map(|file| Symbols::read(&file, env)).transpose()?;
        let naming = Self {
            symbols: table.map(Arc::new),
            gaps: None,
        };
        let gaps = options.get(GAPS.name).map(str::as_bytes);
        let gaps = gaps.map(|label| naming.read(label)).transpose();
        Ok(Self {
            gaps: gaps.map_err(|why| Error::usage(format!("option {}: {why}", GAPS.name)))?,
            ..naming
        })
    }

    /// Returns the label for a name.
    pub(crate) fn read(&self, name: &[u8]) -> Result<Box<[u8]>, String> {
        match &self.symbols {
            Some(symbols) => symbols.id(name).map(Vec::into_boxed_slice),
            None => Ok(name.into()),
        }
    }

    /// Returns the name for a label.
    pub(crate) fn write<'a>(&'a self, label: &'a [u8]) -> Result<&'a [u8]> {
        match &self.symbols {
            Some(symbols) => symbols.name(label).map_err(Error::unfit),
            None => Ok(label),
        }
    }

    /// Fills gaps with segments, if requested, up to `end` or, if that is unknown, to the end of
    /// the utterance. Existing segments are not changed.
    pub(crate) fn fill(&self, segments: &mut Vec<Segment>, end: Option<Decimal>) {
        let Some(label) = &self.gaps else { return };
        let mut filled = Vec::with_capacity(2 * segments.len() + 1);
        let mut at = Some(Decimal::ZERO);
        for segment in segments.drain(..) {
            if let Some(from) = at.filter(|at| *at < segment.start) {
                filled.push(Segment::new(from, Some(segment.start), label));
            }
            at = at.zip(segment.end).map(|(at, end)| at.max(end));
            filled.push(segment);
        }
        if let Some(from) = at.filter(|at| end.is_none_or(|end| *at < end)) {
            filled.push(Segment::new(from, end, label));
        }
        *segments = filled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(segments: &[Segment]) -> String {
        let one = |s: &Segment| {
            let end = s.end.map_or("-".to_owned(), |end| end.to_string());
            format!("{}:{}:{end}", String::from_utf8_lossy(&s.label), s.start)
        };
        segments.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_lies_between_is_filled() {
        let naming = Naming {
            symbols: None,
            gaps: Some(b"sil".as_slice().into()),
        };
        let time = |text| Decimal::parse(text);
        let segment = |start, end| Segment::new(time(start).unwrap(), time(end), b"a");
        for (segments, end, filled) in [
            (vec![], None, "sil:0:-"),
            (vec![], time("2"), "sil:0:2"),
            (vec![segment("0", "2")], time("2"), "a:0:2"),
            (
                vec![segment("0.5", "1"), segment("1", "2"), segment("2.5", "3")],
                None,
                "sil:0:0.5 a:0.5:1 a:1:2 sil:2:2.5 a:2.5:3 sil:3:-",
            ),
            (
                vec![segment("0", "2"), segment("1", "1.5"), segment("3", "-")],
                None,
                "a:0:2 a:1:1.5 sil:2:3 a:3:-",
            ),
        ] {
            let mut segments = segments;
            naming.fill(&mut segments, end);
            assert_eq!(shown(&segments), filled);
        }
    }
}
