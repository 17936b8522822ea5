//! The decision between the formats that a file may be of.
//!
//! Magic bytes decide alone. Text has none: its look decides only where the name of the file and
//! its first bytes leave it to it.

use super::{Format, Score, foreign};

/// The reason why a file is held for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Its content: magic bytes, or a form that fits its name.
    Content,
    /// Its name alone.
    Name,
    /// The look of its text, which the name does not confirm.
    Guess,
}

type Decision = (&'static dyn Format, Basis);
type ScoredFormat = (Score, &'static dyn Format);

/// Several formats that a file may be of, with a sentence about them.
pub(super) struct Doubt {
    pub(super) message: String,
    pub(super) formats: Vec<&'static str>,
}

impl Doubt {
    fn between(formats: &[ScoredFormat]) -> Self {
        let formats = names(formats.iter().map(|(_, format)| *format));
        Self {
            message: format!("may be {}", formats.join(" or ")),
            formats,
        }
    }
}

/// The scores of the start of a file.
pub(super) struct Look {
    /// The formats that match, best first.
    pub(super) ranked: Vec<ScoredFormat>,
    /// The limits of a guess, if the file is text.
    pub(super) text: Option<TextLook>,
}

/// The limits of a guess about text.
pub(super) struct TextLook {
    /// The extension, unless it says no more than that the file is text.
    extension: Option<String>,
    /// The first bytes, if they open another kind of text, and that kind.
    opening: Option<(&'static str, &'static str)>,
}

impl TextLook {
    /// The extension that any text has.
    const PLAIN: &'static str = "txt";

    pub(super) fn of(head: &[u8], extension: Option<&str>) -> Self {
        let extension = extension.filter(|extension| !extension.eq_ignore_ascii_case(Self::PLAIN));
        Self {
            extension: extension.map(str::to_owned),
            opening: foreign::opening(head),
        }
    }

    /// Returns `true` if the format has files of this name.
    fn fits(&self, format: &dyn Format) -> bool {
        let info = format.info();
        self.extension.as_deref().is_some_and(|extension| {
            let extensions = [extension.to_owned(), extension.to_ascii_lowercase()];
            let mut extensions = extensions.iter().map(String::as_str);
            extensions.any(|name| info.goes_by(name) || info.listed_in.contains(&name))
        })
    }

    /// Returns the formats that the extension belongs to.
    fn owners(&self, formats: &[&'static dyn Format]) -> Vec<&'static dyn Format> {
        let Some(extension) = self.extension.as_deref().map(str::to_ascii_lowercase) else {
            return Vec::new();
        };
        let owns = |format: &&'static dyn Format| {
            let info = format.info();
            let mut own = info.extensions.iter();
            own.any(|own| own.eq_ignore_ascii_case(&extension))
                || info.variant(&extension).is_some()
        };
        formats.iter().copied().filter(owns).collect()
    }
}

impl Look {
    /// Returns the format, or `None` if none matches.
    ///
    /// # Errors
    /// Several are left.
    pub(super) fn decide(
        &self,
        formats: &[&'static dyn Format],
    ) -> Result<Option<Decision>, Doubt> {
        match (&self.text, self.ranked.first()) {
            (_, None) => Ok(None),
            (Some(text), Some((Score::AnyText | Score::Possible(_), _))) => {
                self.guess(text, formats)
            }
            (_, Some((score, _))) => {
                let basis = match score {
                    Score::NameOnly => Basis::Name,
                    _ => Basis::Content,
                };
                best(&self.ranked, basis)
            }
        }
    }

    /// Decides by the look of text, as far as the name and the first bytes allow.
    fn guess(
        &self,
        text: &TextLook,
        formats: &[&'static dyn Format],
    ) -> Result<Option<Decision>, Doubt> {
        let of = |wanted: fn(&Score) -> bool| -> Vec<ScoredFormat> {
            let scored = self.ranked.iter().copied();
            scored.filter(|(score, _)| wanted(score)).collect()
        };
        let mut looks = of(|score| matches!(score, Score::Possible(_)));
        let has_form = !looks.is_empty();
        if !has_form {
            looks = of(|score| *score == Score::AnyText);
        }
        let fitting: Vec<_> = looks
            .iter()
            .copied()
            .filter(|(_, f)| text.fits(*f))
            .collect();
        if let (Some(fits), Some(first)) = (fitting.first(), looks.first()) {
            // A form that is more special than that of the name is as good as the name.
            if fits.0 < first.0 {
                return Err(Doubt::between(&[*first, *fits]));
            }
            // Any text fits the name, also that of another kind.
            let found = names(fitting.iter().map(|(_, format)| *format));
            return match text.opens_another(&found).filter(|_| !has_form) {
                Some(why) => Err(why),
                None => best(&fitting, Basis::Content),
            };
        }
        let named = of(|score| *score == Score::NameOnly);
        if !has_form && !named.is_empty() {
            return best(&named, Basis::Name);
        }
        let found = names(looks.iter().map(|(_, format)| *format));
        if let Some(why) = text.refusal(&found, has_form, formats) {
            return Err(why);
        }
        match looks.as_slice() {
            [(_, format)] => Ok(Some((*format, Basis::Guess))),
            several => Err(Doubt::between(several)),
        }
    }
}

impl TextLook {
    /// Returns what the first bytes say against formats.
    fn opens_another(&self, found: &[&'static str]) -> Option<Doubt> {
        let (opening, kind) = self.opening?;
        let look = found.join(" or ");
        Some(Doubt {
            message: format!("has lines as {look}, but starts with {opening} as {kind} does"),
            formats: found.to_vec(),
        })
    }

    /// Returns what speaks against formats that only the look of the text speaks for. `has_form` is
    /// `false` if they would take any text.
    fn refusal(
        &self,
        found: &[&'static str],
        has_form: bool,
        formats: &[&'static dyn Format],
    ) -> Option<Doubt> {
        let look = found.join(" or ");
        let owners = names(self.owners(formats).into_iter());
        let extension = self.extension.as_deref();
        let kind = extension.and_then(foreign::by_extension);
        let message = match (extension, kind) {
            (Some(extension), _) if !owners.is_empty() => {
                let owners = owners.join(" or ");
                format!("has lines as {look}, but .{extension} is the extension of {owners}")
            }
            (Some(extension), Some(kind)) => {
                format!("has lines as {look}, but .{extension} is the extension of {kind}")
            }
            _ if self.opening.is_some() => return self.opens_another(found),
            (Some(extension), None) if !has_form => {
                format!(
                    "may be {look}, as any text may, but .{extension} is no extension of {look}"
                )
            }
            _ => return None,
        };
        Some(Doubt {
            message,
            formats: [found, &owners].concat(),
        })
    }
}

/// Returns the first of several, best first, unless the second is as good.
fn best(ranked: &[ScoredFormat], basis: Basis) -> Result<Option<Decision>, Doubt> {
    match ranked {
        [first, second, ..] if first.0 == second.0 => Err(Doubt::between(&[*first, *second])),
        [(_, format), ..] => Ok(Some((*format, basis))),
        [] => Ok(None),
    }
}

fn names(formats: impl Iterator<Item = &'static dyn Format>) -> Vec<&'static str> {
    formats.map(|format| format.info().name).collect()
}
