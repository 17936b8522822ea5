//! What a format is called, takes and means.

use super::OptionSpec;
use crate::model::Utterance;

/// What finds the utterances of a file that has been written already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// Nothing but the file itself, which holds the names.
    Own,
    /// A script file of this extension: a line `key file:byte` an utterance.
    Script(&'static str),
    /// The [side file](crate::side) with names and lengths.
    SideFile,
}

/// How PDNN goes through a file of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioning {
    /// Partition by partition.
    Partitions,
    /// Partition by partition in whole batches of so many frames; when it is shuffled, all together
    /// unless it is streamed.
    Batches(u64),
    /// All of it is one partition.
    Whole,
}

/// A sort of file of the format that holds something else than the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The extension that asks for it.
    pub extension: &'static str,
    /// The option that it sets, and its value.
    pub option: (&'static str, &'static str),
}

/// A sort of file of the format for data that the usual one can't hold.
#[derive(Clone, Copy, Debug)]
pub struct Suited {
    /// Whether an utterance is of such data.
    pub is: fn(&Utterance) -> bool,
    /// The option that is set where the user does not set it, and its value.
    pub option: (&'static str, &'static str),
}

/// What a format is called, takes and means.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The name users type, as in `pfile:feats.pfile`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// File extensions without the point, the usual one first.
    pub extensions: &'static [&'static str],
    /// Extensions of other formats by which its files go as well, where the format is named.
    pub also: &'static [&'static str],
    /// The options it knows, for reading and writing.
    pub options: &'static [OptionSpec],
    /// Sorts of files that hold something else.
    pub variants: &'static [Variant],
    /// Sorts of files for data that the usual one can't hold.
    pub suited: &'static [Suited],
    /// The option that says what a header would, so that any file may be read.
    pub headerless: Option<&'static str>,
    /// What finds utterances in its files.
    pub index: IndexKind,
    /// How PDNN goes through its files.
    pub partitioning: Partitioning,
    /// Whether readers of the format depend on the order of keys.
    pub sorted: bool,
    /// The option, and its value, with which wide numbers are read back as they were written, where
    /// readers take them for narrower ones.
    pub wide: Option<(&'static str, &'static str)>,
}

impl FormatInfo {
    /// A format without options, whose files hold the names of their utterances.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        extensions: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            title,
            extensions,
            also: &[],
            options: &[],
            variants: &[],
            suited: &[],
            headerless: None,
            index: IndexKind::Own,
            partitioning: Partitioning::Partitions,
            sorted: false,
            wide: None,
        }
    }

    /// With extensions of other formats by which its files go as well.
    #[must_use]
    pub const fn also(mut self, extensions: &'static [&'static str]) -> Self {
        self.also = extensions;
        self
    }

    /// With options.
    #[must_use]
    pub const fn options(mut self, options: &'static [OptionSpec]) -> Self {
        self.options = options;
        self
    }

    /// With sorts of files that hold something else.
    #[must_use]
    pub const fn variants(mut self, variants: &'static [Variant]) -> Self {
        self.variants = variants;
        self
    }

    /// With sorts of files for data that the usual one can't hold.
    #[must_use]
    pub const fn suited(mut self, suited: &'static [Suited]) -> Self {
        self.suited = suited;
        self
    }

    /// With an option that says what a header would.
    #[must_use]
    pub const fn headerless(mut self, option: &'static str) -> Self {
        self.headerless = Some(option);
        self
    }

    /// With what finds utterances in its files.
    #[must_use]
    pub const fn index(mut self, index: IndexKind) -> Self {
        self.index = index;
        self
    }

    /// With the way PDNN goes through its files.
    #[must_use]
    pub const fn partitioning(mut self, partitioning: Partitioning) -> Self {
        self.partitioning = partitioning;
        self
    }

    /// With an option, and its value, for reading wide numbers back as they were written.
    #[must_use]
    pub const fn wide(mut self, option: &'static str, value: &'static str) -> Self {
        self.wide = Some((option, value));
        self
    }

    /// With readers that depend on the order of keys.
    #[must_use]
    pub const fn sorted(mut self) -> Self {
        self.sorted = true;
        self
    }

    /// Whether the name of one of its files may have this extension.
    pub fn goes_by(&self, extension: &str) -> bool {
        let mut all = self.extensions.iter().chain(self.also);
        all.any(|own| *own == extension) || self.variant(extension).is_some()
    }

    /// The sort of file that an extension asks for, if it is another than the usual one.
    pub fn variant(&self, extension: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|v| v.extension == extension)
    }
}
