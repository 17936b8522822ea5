//! The description of a format.

use super::OptionSpec;
use crate::model::Utterance;
use crate::name::Variant;

/// The index that locates the utterances of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// None besides the file itself, which contains the keys.
    Own,
    /// A script file with this extension: one line `key file:byte` per utterance.
    Script(&'static str),
    /// The [side file](crate::tables::side) with names and lengths.
    SideFile,
}

/// The partitions that PDNN makes of a file of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partitioning {
    /// Partitions of the usual size.
    #[default]
    Partitions,
    /// Partitions rounded down to batches of this number of frames; shuffled together unless
    /// streamed.
    Batches(u64),
    /// A single partition.
    Whole,
}

/// A kind of file of the format for data that the usual one can't hold.
#[derive(Clone, Copy, Debug)]
pub struct DataVariant {
    /// Returns `true` if an utterance has such data.
    pub is: fn(&Utterance) -> bool,
    /// The option set by default, and its value.
    pub option: (&'static str, &'static str),
}

/// The kinds of file that a format has beside its usual one. SPRAAK has many of them; Kaldi's
/// alignments and transcripts with speakers are one each.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct FileVariants {
    /// Those that an extension asks for.
    pub by_extension: &'static [Variant],
    /// Those that the data ask for.
    pub by_data: &'static [DataVariant],
    /// The option that replaces a missing header, so that any file may be read.
    pub headerless: Option<&'static str>,
}

impl FileVariants {
    /// The usual kind of file alone.
    pub const NONE: Self = Self {
        by_extension: &[],
        by_data: &[],
        headerless: None,
    };

    /// The kinds of file that an extension asks for.
    pub const fn by_extension(variants: &'static [Variant]) -> Self {
        Self {
            by_extension: variants,
            ..Self::NONE
        }
    }

    /// With kinds of file that the data ask for.
    #[must_use]
    pub const fn by_data(mut self, variants: &'static [DataVariant]) -> Self {
        self.by_data = variants;
        self
    }

    /// With an option that replaces a missing header.
    #[must_use]
    pub const fn headerless(mut self, option: &'static str) -> Self {
        self.headerless = Some(option);
        self
    }
}

/// The habits of Kaldi's tables, which no other format shares.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct TableHabits {
    /// The option, and its value, for reading wide numbers as they were written, if readers take
    /// them for narrower ones.
    pub wide: Option<(&'static str, &'static str)>,
}

impl TableHabits {
    /// Tables that are read as they are.
    pub const NONE: Self = Self { wide: None };

    /// Sets the option, and its value, for reading wide numbers as they were written.
    #[must_use]
    pub const fn wide(mut self, option: &'static str, value: &'static str) -> Self {
        self.wide = Some((option, value));
        self
    }
}

/// The description of a format: its names, options and habits.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The name in arguments, as in `pfile:feats.pfile`.
    pub name: &'static str,
    /// A description in a few words.
    pub title: &'static str,
    /// File extensions without the point, the usual one first.
    pub extensions: &'static [&'static str],
    /// Extensions of other formats that its files may have, if the format is named.
    pub also: &'static [&'static str],
    /// Extensions of lists that name its files, which are read and not written.
    pub listed_in: &'static [&'static str],
    /// The options for reading and writing.
    pub options: &'static [OptionSpec],
    /// The options of a file that was written that reading needs as well, because the file can't hold
    /// what they say.
    pub needed: &'static [&'static str],
    /// The index of its files.
    pub index: IndexKind,
    /// The kinds of file beside the usual one.
    pub variants: FileVariants,
    /// The habits that it shares with Kaldi's tables.
    pub tables: TableHabits,
    /// The partitions that PDNN makes of its files.
    pub pdnn: Partitioning,
}

impl FormatInfo {
    /// Creates the description of a format without options, whose files contain the keys.
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
            listed_in: &[],
            options: &[],
            needed: &[],
            index: IndexKind::Own,
            variants: FileVariants::NONE,
            tables: TableHabits::NONE,
            pdnn: Partitioning::Partitions,
        }
    }

    /// Sets extensions of other formats that its files may have.
    #[must_use]
    pub const fn also(mut self, extensions: &'static [&'static str]) -> Self {
        self.also = extensions;
        self
    }

    /// Sets the extensions of lists that name its files.
    #[must_use]
    pub const fn listed_in(mut self, extensions: &'static [&'static str]) -> Self {
        self.listed_in = extensions;
        self
    }

    /// Sets the options.
    #[must_use]
    pub const fn options(mut self, options: &'static [OptionSpec]) -> Self {
        self.options = options;
        self
    }

    /// Sets the options that reading needs as they were when writing.
    #[must_use]
    pub const fn needed(mut self, needed: &'static [&'static str]) -> Self {
        self.needed = needed;
        self
    }

    /// Sets the index of its files.
    #[must_use]
    pub const fn index(mut self, index: IndexKind) -> Self {
        self.index = index;
        self
    }

    /// With kinds of file beside the usual one.
    #[must_use]
    pub const fn variants(mut self, variants: FileVariants) -> Self {
        self.variants = variants;
        self
    }

    /// With habits of Kaldi's tables.
    #[must_use]
    pub const fn tables(mut self, habits: TableHabits) -> Self {
        self.tables = habits;
        self
    }

    /// Sets the partitions that PDNN makes of its files.
    #[must_use]
    pub const fn pdnn(mut self, partitioning: Partitioning) -> Self {
        self.pdnn = partitioning;
        self
    }

    /// Returns `true` if the name of a file may have this extension.
    pub fn goes_by(&self, extension: &str) -> bool {
        let mut all = self.extensions.iter().chain(self.also);
        all.any(|own| *own == extension) || self.variant(extension).is_some()
    }

    /// The kind of file that an extension asks for, if it is another than the usual one.
    pub fn variant(&self, extension: &str) -> Option<&'static Variant> {
        let mut variants = self.variants.by_extension.iter();
        variants.find(|variant| variant.extension == extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEEP: Variant = Variant {
        extension: "deep",
        option: ("depth", "2"),
    };

    #[test]
    fn a_format_is_described_step_by_step() {
        let is = |utt: &Utterance| utt.text.is_some();
        let option = ("text", "true");
        let variants = FileVariants::by_extension(Box::leak(Box::new([DEEP])))
            .by_data(Box::leak(Box::new([DataVariant { is, option }])))
            .headerless("header");
        let info = FormatInfo::new("toy", "a toy", &["toy", "ty"])
            .also(&["txt"])
            .listed_in(&["list"])
            .options(&[])
            .needed(&["depth"])
            .index(IndexKind::Script("scp"))
            .variants(variants)
            .tables(TableHabits::NONE.wide("wide", "true"))
            .pdnn(Partitioning::Batches(256));
        for (extension, goes, is_variant) in [
            ("toy", true, false),
            ("ty", true, false),
            ("txt", true, false),
            ("deep", true, true),
            // Lists name its files and are none.
            ("list", false, false),
            ("TOY", false, false),
            ("", false, false),
        ] {
            assert_eq!(info.goes_by(extension), goes, "{extension}");
            assert_eq!(info.variant(extension).is_some(), is_variant, "{extension}");
        }
        assert_eq!(info.variant("deep"), Some(&DEEP));
        assert_eq!(
            (info.listed_in, info.needed),
            (&["list"][..], &["depth"][..])
        );
        assert_eq!(info.index, IndexKind::Script("scp"));
        assert_eq!(info.variants.headerless, Some("header"));
        assert_eq!(info.variants.by_data[0].option, option);
        assert_eq!(info.tables.wide, Some(("wide", "true")));
        assert_eq!(info.pdnn, Partitioning::Batches(256));
        let plain = FormatInfo::new("toy", "a toy", &["toy"]);
        assert_eq!(
            (plain.index, plain.pdnn),
            (IndexKind::Own, Partitioning::Partitions)
        );
        assert!(plain.variants.by_data.is_empty() && plain.variants.headerless.is_none());
    }
}
