//! What is wanted of a data set.

use std::sync::Arc;

use super::{Portioned, RandomAccess, Reader};
use crate::model::{Key, Utterance};
use crate::{Error, Result};

/// Says of a key whether its utterance is wanted.
pub type Wanted = Arc<dyn Fn(&Key) -> bool + Send + Sync>;

/// Which parts of utterances are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Features.
    pub features: bool,
    /// Frame labels.
    pub labels: bool,
    /// Sound.
    pub audio: bool,
    /// Segments.
    pub segments: bool,
    /// What was said.
    pub text: bool,
    /// Objects of other kinds.
    pub objects: bool,
    /// Named arrays.
    pub arrays: bool,
}

impl Parts {
    /// Everything.
    pub const ALL: Self = Self {
        features: true,
        labels: true,
        audio: true,
        segments: true,
        text: true,
        objects: true,
        arrays: true,
    };

    /// Only what goes by frames in labels' stead or as labels: labels, segments and text.
    pub const LABELS: Self = Self {
        features: false,
        audio: false,
        objects: false,
        arrays: false,
        ..Self::ALL
    };

    /// What is in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            features: self.features || other.features,
            labels: self.labels || other.labels,
            audio: self.audio || other.audio,
            segments: self.segments || other.segments,
            text: self.text || other.text,
            objects: self.objects || other.objects,
            arrays: self.arrays || other.arrays,
        }
    }

    /// Takes away what is not wanted.
    pub fn keep(&self, utt: &mut Utterance) {
        if !self.features {
            utt.features = None;
        }
        if !self.labels {
            utt.labels = None;
        }
        if !self.audio {
            utt.audio = None;
        }
        if !self.segments {
            utt.tiers.clear();
        }
        if !self.text {
            utt.text = None;
        }
        if !self.objects {
            utt.object = None;
        }
        if !self.arrays {
            utt.arrays.clear();
        }
    }
}

/// Some utterances of a data set, by their numbers, which count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Of the utterances whose keys are wanted, one of several equal shares: every `count`-th from the
    /// `index`-th on.
    Dealt {
        /// Which share, from 0.
        index: u64,
        /// How many shares there are.
        count: u64,
    },
    /// Of all utterances, or entries at fault in their places, those from `first` to before `end`;
    /// those with other keys than are wanted count as well.
    Run {
        /// The first.
        first: u64,
        /// The one behind the last.
        end: u64,
    },
}

impl Share {
    /// Checks that there is such a share.
    ///
    /// # Errors
    /// There is none.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Dealt { index, count } if index >= count => Err(Error::usage(format!(
                "part {index} of {count}: parts count from 0"
            ))),
            _ => Ok(()),
        }
    }

    /// Whether the utterance of this number is in it.
    pub fn has(self, number: u64) -> bool {
        match self {
            Self::Dealt { index, count } => number % count == index,
            Self::Run { first, end } => (first..end).contains(&number),
        }
    }

    /// Whether neither this utterance nor any behind it is in it.
    pub fn is_over(self, number: u64) -> bool {
        match self {
            Self::Dealt { .. } => false,
            Self::Run { end, .. } => number >= end,
        }
    }

    /// How many of so many utterances are in it.
    pub fn of(self, all: u64) -> u64 {
        match self {
            Self::Dealt { index, count } => all / count + u64::from(index < all % count),
            Self::Run { first, end } => end.min(all).saturating_sub(first),
        }
    }

    /// Whether it is dealt before keys are looked at.
    fn goes_first(self) -> bool {
        matches!(self, Self::Run { .. })
    }
}

/// What is wanted of a data set. A format does what it can do better than reading all: it goes past
/// what nobody wants. The rest is done by stages behind its reader, so that a request means the same
/// for every format.
///
/// ```
/// use spr_core::format::Request;
/// use spr_core::model::Key;
/// let request = Request::all().keys(|key: &Key| key.as_bytes().starts_with(b"ann")).headers();
/// assert!(!request.values);
/// ```
#[derive(Clone)]
pub struct Request {
    keys: Option<Wanted>,
    share: Option<Share>,
    /// Whether the values of features are wanted. Where they are not, readers may give matrices of
    /// the right type and shape that hold anything, and pass over the bytes in the file.
    pub values: bool,
    /// Whether those of labels are; the same holds for them.
    pub label_values: bool,
    /// Which parts are wanted.
    pub parts: Parts,
    /// What whoever asks can hold. A data set that has its utterances in several forms, such as sound
    /// and features of it, gives them in one of these, if it has any; else in all.
    pub forms: Parts,
    /// Whether sound is wanted as samples, and not as it is stored or where it is.
    pub samples: bool,
    /// Formats of sound files that whoever asks takes as they are stored, whole and unread.
    pub files: &'static [&'static str],
    /// Whether what is whole is to be read from damaged data: each damaged stretch is an error that
    /// [can continue](crate::Error::can_continue), where the format lets the rest be found again.
    pub damaged: bool,
    /// Whether utterances will be asked for by key, in any order.
    pub lookup: bool,
    /// Whether utterances at fault will be passed over: then none of them, not even the first, may
    /// decide what the others are taken for.
    pub lenient: bool,
    /// Whether a key that several data sets have, which are read one after the other, is an error.
    pub distinct: bool,
    /// How long utterances may be given, so that none of them has to be in memory as a whole. One who
    /// reads on past what is at fault, looks up keys or takes a share gets whole ones.
    pub portions: Portioned,
}

impl Default for Request {
    fn default() -> Self {
        Self::all()
    }
}

impl Request {
    /// Everything, front to back, sound as it is stored.
    pub fn all() -> Self {
        Self {
            keys: None,
            share: None,
            values: true,
            label_values: true,
            parts: Parts::ALL,
            forms: Parts::ALL,
            samples: false,
            files: &[],
            damaged: false,
            lookup: false,
            lenient: false,
            distinct: false,
            portions: Portioned::No,
        }
    }

    /// Of all that, the utterances whose keys `wanted` holds true of.
    #[must_use]
    pub fn keys(mut self, wanted: impl Fn(&Key) -> bool + Send + Sync + 'static) -> Self {
        self.keys = Some(match self.keys.take() {
            Some(before) => Arc::new(move |key: &Key| before(key) && wanted(key)),
            None => Arc::new(wanted),
        });
        self
    }

    /// Of all that, one share.
    #[must_use]
    pub fn share(self, share: Share) -> Self {
        Self {
            share: Some(share),
            ..self
        }
    }

    /// Without the values of features.
    #[must_use]
    pub fn headers(self) -> Self {
        Self {
            values: false,
            ..self
        }
    }

    /// Without the values of features and of labels.
    #[must_use]
    pub fn shapes(self) -> Self {
        Self {
            label_values: false,
            ..self.headers()
        }
    }

    /// With sound as samples, wherever it is.
    #[must_use]
    pub fn samples(self) -> Self {
        Self {
            samples: true,
            ..self
        }
    }

    /// For one who takes sound files of these formats as they are stored.
    #[must_use]
    pub fn files(self, files: &'static [&'static str]) -> Self {
        Self { files, ..self }
    }

    /// Only some parts of each utterance.
    #[must_use]
    pub fn parts(self, parts: Parts) -> Self {
        Self { parts, ..self }
    }

    /// For one who can hold no more than these parts.
    #[must_use]
    pub fn forms(self, forms: Parts) -> Self {
        Self { forms, ..self }
    }

    /// What is whole of damaged data.
    #[must_use]
    pub fn damaged(self) -> Self {
        Self {
            damaged: true,
            ..self
        }
    }

    /// To be asked for utterances by their keys.
    #[must_use]
    pub fn lookup(self) -> Self {
        Self {
            lookup: true,
            ..self
        }
    }

    /// For one who passes over what is at fault, if `lenient`.
    #[must_use]
    pub fn lenient(self, lenient: bool) -> Self {
        Self { lenient, ..self }
    }

    /// With keys of which no two data sets have the same, if `distinct`.
    #[must_use]
    pub fn distinct(self, distinct: bool) -> Self {
        Self { distinct, ..self }
    }

    /// With long utterances in portions, if they are `portioned`.
    #[must_use]
    pub fn portions(self, portioned: Portioned) -> Self {
        Self {
            portions: portioned,
            ..self
        }
    }

    /// What goes for each of several data sets, and the share of all of them.
    #[must_use]
    pub fn split_share(mut self) -> (Self, Option<Share>) {
        let share = self.share.take();
        (self, share)
    }

    /// What is wanted of data that are changed by stages before this goes for them: everything,
    /// damaged or not.
    #[must_use]
    pub fn before_stages(&self) -> Self {
        Self {
            damaged: self.damaged,
            lenient: self.lenient,
            forms: self.forms,
            files: self.files,
            ..Self::all()
        }
    }

    /// Whether a share of the data is wanted.
    pub(crate) fn has_share(&self) -> bool {
        self.share.is_some()
    }

    /// For a format: the choice of keys, which it makes from now on. It goes without one where a share
    /// that it has not [taken](Self::take_run) is dealt before.
    pub fn take_keys(&mut self) -> Option<Wanted> {
        match self.share {
            Some(share) if share.goes_first() => None,
            _ => self.keys.take(),
        }
    }

    /// For a format that goes by numbers: a share that is dealt before keys are looked at, which it
    /// deals from now on.
    pub fn take_run(&mut self) -> Option<Share> {
        self.share.take_if(|share| share.goes_first())
    }

    /// For a format that has taken the keys: the share, which it deals from now on.
    pub fn take_share(&mut self) -> Option<Share> {
        match self.keys {
            Some(_) => None,
            None => self.share.take(),
        }
    }
}

/// A data set that is open.
pub enum Opened {
    /// To be read front to back.
    Stream(Box<dyn Reader>),
    /// To be asked for utterances by their keys.
    Table(Box<dyn RandomAccess>),
}

impl Opened {
    /// A stream of utterances.
    pub fn stream(reader: impl Reader + 'static) -> Self {
        Self::Stream(Box::new(reader))
    }

    /// The reader of what was not asked to be looked up in.
    ///
    /// # Errors
    /// It is a table, which only a request with [`Request::lookup`] may give.
    pub fn into_stream(self) -> Result<Box<dyn Reader>> {
        match self {
            Self::Stream(reader) => Ok(reader),
            Self::Table(_) => Err(Error::unsupported("expected a stream, found a table")),
        }
    }
}
