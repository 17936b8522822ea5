//! Kinds of members: what becomes of one by its extension.

use spr_core::Result;
use spr_core::format::Options;
use spr_syntax::sound;

use crate::name;
use crate::options;

/// The kind of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A sound file of this format.
    Audio(&'static str),
    Features,
    Labels,
    /// A named array.
    Array(String),
    Text,
    /// Everything else that is known of the utterance.
    Json,
    /// The number of a class.
    Class,
    /// A member of another kind, which is kept as it is.
    Other,
}

impl Kind {
    /// Returns the name of the field and of the option that chooses its extension, for kinds of
    /// which a sample has one member.
    pub(crate) fn field(&self) -> Option<&'static str> {
        Some(match self {
            Self::Audio(_) => options::SOUND.name,
            Self::Features => options::FEATURES.name,
            Self::Labels => options::LABELS.name,
            Self::Text => options::TEXT.name,
            Self::Json | Self::Class | Self::Array(_) | Self::Other => return None,
        })
    }

    /// Returns the bit of a set of kinds.
    pub(crate) fn bit(&self) -> u8 {
        match self {
            Self::Audio(_) => 1,
            Self::Features => 2,
            Self::Labels => 4,
            Self::Text => 8,
            Self::Json => 16,
            Self::Class => 32,
            Self::Array(_) => 64,
            Self::Other => 128,
        }
    }
}

/// The extension of JSON.
pub(crate) const JSON: &str = "json";
/// The extension of the number of a class.
pub(crate) const CLASS: &str = "cls";
/// The end of the extensions of arrays.
pub(crate) const ARRAY: &str = ".npy";

const FEATURES: [&str; 3] = ["npy", "features.npy", "feats.npy"];
const LABELS: [&str; 2] = ["labels.npy", "ali.npy"];
const TEXT: [&str; 3] = ["txt", "text", "transcript"];

/// The extensions of the fields, which options may choose.
#[derive(Clone, Debug)]
pub(crate) struct Extensions {
    audio: Option<String>,
    features: Option<String>,
    labels: Option<String>,
    text: Option<String>,
}

impl Extensions {
    /// Returns those that the options ask for.
    ///
    /// # Errors
    /// One is no extension of its field.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let array = |extension: &str| extension == "npy" || extension.ends_with(ARRAY);
        let sound = |extension: &str| sound::format_of(extension).is_some();
        let any = |extension: &str| extension != JSON && extension != CLASS;
        let chosen =
            |option, fits: &dyn Fn(&str) -> bool| options::extension(options, option, fits);
        Ok(Self {
            audio: chosen(&options::SOUND, &sound)?,
            features: chosen(&options::FEATURES, &array)?,
            labels: chosen(&options::LABELS, &array)?,
            text: chosen(&options::TEXT, &|extension| {
                any(extension) && !array(extension) && !sound(extension)
            })?,
        })
    }

    /// Returns the kind of a member with this extension, which may end in `.gz`.
    pub(crate) fn kind(&self, extension: &str) -> Kind {
        let plain = extension.strip_suffix(".gz").unwrap_or(extension);
        let is = |chosen: &Option<String>, usual: &[&str]| match chosen {
            Some(chosen) => chosen == plain,
            None => usual.contains(&plain),
        };
        let format = sound::format_of(plain);
        if let Some(format) =
            format.filter(|_| self.audio.as_deref().is_none_or(|own| own == plain))
        {
            return Kind::Audio(format);
        }
        match plain {
            JSON => Kind::Json,
            CLASS => Kind::Class,
            _ if is(&self.features, &FEATURES) => Kind::Features,
            _ if is(&self.labels, &LABELS) => Kind::Labels,
            _ if is(&self.text, &TEXT) => Kind::Text,
            "npy" => Kind::Array(String::new()),
            plain => match plain.strip_suffix(ARRAY) {
                Some(name) => Kind::Array(name::array_name(name)),
                None => Kind::Other,
            },
        }
    }

    /// The extension that features are written with.
    pub(crate) fn features(&self) -> &str {
        self.features.as_deref().unwrap_or(FEATURES[0])
    }

    /// The extension that labels are written with.
    pub(crate) fn labels(&self) -> &str {
        self.labels.as_deref().unwrap_or(LABELS[0])
    }

    /// The extension that text is written with.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(TEXT[0])
    }

    /// Returns the extension of an array.
    pub(crate) fn array(&self, name: &str) -> String {
        let taken = |stem: &str| {
            let extension = format!("{stem}{ARRAY}");
            !matches!(self.kind(&extension), Kind::Array(_))
        };
        name::array_extension(name, taken) + ARRAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(pairs: &[(&str, &str)]) -> Extensions {
        let options = Options::new(&crate::format::INFO, pairs.iter().copied()).unwrap();
        Extensions::of(&options).unwrap()
    }

    #[test]
    fn kinds_go_by_extensions() {
        let usual = extensions(&[]);
        for (extension, kind) in [
            ("wav", Kind::Audio("wav")),
            ("seg.flac", Kind::Audio("flac")),
            ("npy", Kind::Features),
            ("feats.npy", Kind::Features),
            ("labels.npy", Kind::Labels),
            ("x.npy", Kind::Array("x".to_owned())),
            ("txt.gz", Kind::Text),
            ("json", Kind::Json),
            ("seg.json", Kind::Other),
            ("cls", Kind::Class),
            ("pyd", Kind::Other),
            ("", Kind::Other),
        ] {
            assert_eq!(usual.kind(extension), kind, "{extension}");
        }
        let chosen = extensions(&[("sound", "flac"), ("features", "x.npy"), ("text", "lab")]);
        for (extension, kind) in [
            ("wav", Kind::Other),
            ("flac", Kind::Audio("flac")),
            ("npy", Kind::Array(String::new())),
            ("x.npy", Kind::Features),
            ("txt", Kind::Other),
            ("lab", Kind::Text),
        ] {
            assert_eq!(chosen.kind(extension), kind, "{extension}");
        }
        for name in ["", "labels", "Feats", "x"] {
            let extension = usual.array(name);
            assert_eq!(
                usual.kind(&extension),
                Kind::Array(name.to_owned()),
                "{extension}"
            );
        }
    }
}
