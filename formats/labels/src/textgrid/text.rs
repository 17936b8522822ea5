//! The long and the short text form.

use spr_core::bytes::MemoryCounter;
use spr_core::model::{Decimal, Segment, Utterance};
use spr_core::{Error, ErrorKind, Limits, Result};

use super::grid::{Builder, Grid, Item, POINTS};
use super::tokens::{Token, Tokens, meant};
use crate::naming::Naming;

/// The first bytes of every Praat text file.
pub(super) const MAGIC: &str = "File type = \"ooTextFile\"";

/// The types of file that are read. Older versions of Praat give the short form one of its own.
pub(super) const TYPES: [&str; 2] = ["ooTextFile", "ooTextFile short"];
/// The first line of Praat's chronological form, which is not read.
const CHRONOLOGICAL: &str = "\"Praat chronological TextGrid text file\"";

/// Returns `true` if text starts like a grid of any form.
pub(super) fn starts(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let is_type = |kind: &&str| first.contains(&format!("\"{kind}\""));
    let is_grid = |line: &str| line.contains("\"TextGrid\"");
    is_chronological(text) || TYPES.iter().any(is_type) && lines.next().is_some_and(is_grid)
}

fn is_chronological(text: &str) -> bool {
    text.trim_start().starts_with(CHRONOLOGICAL)
}

/// Tokens with checks of their type.
struct TypedTokens<'a>(Tokens<'a>);

impl<'a> TypedTokens<'a> {
    fn next(&mut self, what: &str) -> Result<Token<'a>> {
        let end = |tokens: &Tokens<'_>| {
            let error = tokens.error(format!("the file ends where {what} should be"));
            Error::new(ErrorKind::Truncated, error.message()).line(error.line_number().unwrap_or(1))
        };
        self.0.next()?.ok_or_else(|| end(&self.0))
    }

    fn wrong(&self, what: &str, found: &Token<'_>) -> Error {
        let found = match found {
            Token::Text(text) => format!("the text \"{}\"", spr_core::model::Key::from(*text)),
            Token::Number(number) => number.to_string(),
            Token::Flag(flag) => (*flag).to_owned(),
        };
        self.0.error(format!("expected {what}, found {found}"))
    }

    fn text(&mut self, what: &str) -> Result<String> {
        match self.next(what)? {
            Token::Text(text) => Ok(meant(text)),
            other => Err(self.wrong(what, &other)),
        }
    }

    fn number(&mut self, what: &str) -> Result<Decimal> {
        match self.next(what)? {
            Token::Number(number) => Ok(number),
            other => Err(self.wrong(what, &other)),
        }
    }

    /// Reads a count. It sizes no allocation.
    fn count(&mut self, what: &str) -> Result<u64> {
        let number = self.number(what)?;
        let count = number.to_string().parse();
        count.map_err(|_| self.0.error(format!("{what} is {number}")))
    }

    fn flag(&mut self, what: &str) -> Result<bool> {
        match self.next(what)? {
            Token::Flag("<exists>") => Ok(true),
            Token::Flag("<absent>") => Ok(false),
            other => Err(self.wrong(what, &other)),
        }
    }
}

/// Reads a grid.
pub(super) fn read(
    text: &str,
    naming: &Naming,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    if is_chronological(text) {
        let message = "a chronological TextGrid, which is not read";
        let error = Error::new(ErrorKind::Unsupported, message);
        return Err(error.hint("in Praat: Read from file, then Save as text file"));
    }
    let mut tokens = TypedTokens(Tokens::new(text));
    for (what, known) in [
        ("\"ooTextFile\"", &TYPES[..]),
        ("\"TextGrid\"", &["TextGrid"]),
    ] {
        let found = tokens.text(what)?;
        if !known.contains(&&*found) {
            let found = spr_core::model::Key::from(&*found);
            return Err(tokens
                .0
                .error(format!("expected {what}, found \"{found}\"")));
        }
    }
    let (start, end) = (tokens.number("the start")?, tokens.number("the end")?);
    let mut grid = Builder::new(naming, start, end).map_err(|why| tokens.0.error(why))?;
    let count = match tokens.flag("<exists>")? {
        true => tokens.count("the number of tiers")?,
        false => 0,
    };
    if count == 0 {
        return Err(tokens.0.error("the grid has no tiers"));
    }
    let mut held = MemoryCounter::new("a list of segments");
    for _ in 0..count {
        let class = tokens.text("a class of tier")?;
        let name = tokens.text("the name of a tier")?;
        held.keep(size_of::<Segment>() + name.len(), limits)?;
        grid.tier(&class, name).map_err(|why| tokens.0.error(why))?;
        tokens.number("the start of a tier")?;
        tokens.number("the end of a tier")?;
        for _ in 0..tokens.count("the number of labels of a tier")? {
            let start = tokens.number("the time of a label")?;
            let end = match class == POINTS {
                true => start,
                false => tokens.number("the end of a label")?,
            };
            let text = tokens.text("a label")?;
            held.keep(size_of::<Segment>() + text.len(), limits)?;
            let item = Item { start, end, text };
            grid.add(item).map_err(|why| tokens.0.error(why))?;
        }
    }
    if !tokens.0.is_over() {
        return Err(tokens.0.error("the file goes on after the grid"));
    }
    grid.finish(utt);
    Ok(())
}

/// Formats a grid in the long form, as Praat does.
pub(super) fn long(grid: &Grid<'_>) -> String {
    let (start, end, size) = (grid.start, grid.end, grid.tiers.len());
    let mut out = format!(
        "{MAGIC}\nObject class = \"TextGrid\"\n\nxmin = {start} \nxmax = {end} \n\
         tiers? <exists> \nsize = {size} \nitem []: \n"
    );
    for (n, tier) in grid.tiers.iter().enumerate() {
        let (list, class, name) = match tier.points {
            true => ("points", tier.class(), quoted(tier.name)),
            false => ("intervals", tier.class(), quoted(tier.name)),
        };
        let (number, size) = (n + 1, tier.items.len());
        out += &format!(
            "    item [{number}]:\n        class = \"{class}\" \n        name = {name} \n        \
             xmin = {start} \n        xmax = {end} \n        {list}: size = {size} \n"
        );
        for (n, (from, to, text)) in tier.items.iter().enumerate() {
            let (number, text) = (n + 1, quoted(text));
            out += &match tier.points {
                true => format!(
                    "        points [{number}]:\n            number = {from} \n            \
                     mark = {text} \n"
                ),
                false => format!(
                    "        intervals [{number}]:\n            xmin = {from} \n            \
                     xmax = {to} \n            text = {text} \n"
                ),
            };
        }
    }
    out
}

/// Formats a grid in the short form.
pub(super) fn short(grid: &Grid<'_>) -> String {
    let (start, end, size) = (grid.start, grid.end, grid.tiers.len());
    let mut out =
        format!("{MAGIC}\nObject class = \"TextGrid\"\n\n{start}\n{end}\n<exists>\n{size}\n");
    for tier in &grid.tiers {
        let (class, name, size) = (tier.class(), quoted(tier.name), tier.items.len());
        out += &format!("\"{class}\"\n{name}\n{start}\n{end}\n{size}\n");
        for (from, to, text) in &tier.items {
            let text = quoted(text);
            out += &match tier.points {
                true => format!("{from}\n{text}\n"),
                false => format!("{from}\n{to}\n{text}\n"),
            };
        }
    }
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
