//! Remedies for errors.

use std::borrow::Cow;
use std::fmt;

use super::loss_kind::LossKind;
use crate::name::Variant;

/// A remedy for an error. A setting is named by what it does, so that a program can name its own
/// switch for it. The words here are for users of the library, and for programs that have no words
/// for a remedy.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Advice in words, independent of the cause.
    Advice(String),
    /// Allow existing outputs to be replaced.
    Overwrite,
    /// Allow the content of the folder to be replaced, or files to be added to it.
    ReplaceFolder,
    /// Allow commands.
    AllowCommands,
    /// Allow commands in files.
    AllowPipes,
    /// Follow URLs in files on this bucket or server; with `None`, everything that lists at URLs
    /// name.
    AllowUrls(Option<String>),
    /// Allow servers without encryption.
    AllowHttp,
    /// Use a build with support for URLs.
    BuildRemote,
    /// Raise the limit on one object in memory.
    RaiseLimit,
    /// Allow compressed data to expand to objects of that size.
    TrustPacked,
    /// Raise the memory for sorting, or set another folder for temporary files.
    MoreMemory,
    /// Raise the limit on frames shuffled together, or shuffle fewer.
    ShuffleLess,
    /// Permit these losses.
    AllowLosses(Vec<LossKind>),
    /// Name one of these formats for reading.
    ReadAs(Vec<&'static str>),
    /// Name one of these formats for writing.
    WriteAs(Vec<&'static str>),
    /// Name the format separately, so that a file name may contain a comma.
    NameFormat,
    /// Give the features, with these labels joined.
    JoinLabels,
    /// Omit the joined labels.
    LeaveOutLabels,
    /// Omit the joined text.
    LeaveOutText,
    /// Accept a small difference in the number of labels.
    TolerateLengths,
    /// Write labels separately.
    LabelsApart,
    /// Change sound so that it is rounded.
    RoundSound,
    /// Set the frame shift.
    TellFrameShift,
    /// Give features or audio, with this text joined.
    JoinText,
    /// Read it as the format of its content.
    ReadByContent(&'static str),
    /// Omit the given frame shift.
    LeaveOutFrameShift,
    /// Omit stages that do not return utterances.
    KeepUtterances,
    /// Shuffle the frames.
    Shuffle,
    /// Choose one of several utterances with the same key, or keep all.
    KeepOne,
    /// Name the model that says what labels stand for.
    NameModel,
    /// Choose one of several utterances with the same key, as the format holds no more.
    KeepOnlyOne,
    /// Give a table of speakers.
    NameSpeakers,
    /// Skip faulty utterances.
    SkipErrors,
    /// Rename utterances, or skip those with such names.
    RenameKeys,
    /// Use one element type for all utterances.
    OneType,
    /// Give all labels one element type.
    LabelType,
    /// Omit the verification of outputs.
    LeaveOutVerify,
    /// List the utterances.
    ListNames,
    /// Look where the utterances of this file start.
    ListStarts(String),
    /// Pick one of these tiers of segments.
    PickTier(Vec<String>),
    /// Join the segments that utterances are cut by.
    JoinSegments,
    /// Cut by one of these tiers.
    CutByTier(Vec<String>),
    /// Give the pieces of recordings other keys.
    OtherPieceKeys,
    /// Give names their numbers by a table.
    NumberNames,
    /// List the formats that can hold the named data, as in a sentence.
    ListFormats(Cow<'static, str>),
    /// Write another variant of the format: its extension, or an option and its value.
    WriteVariant(Variant),
    /// Look at the content of the file.
    LookInside,
    /// Convert the data, not only the header.
    ConvertData,
    /// Repair the data.
    Repair,
    /// Sort both data sets, or raise the memory for comparing them.
    SortFirst,
    /// Write 16-bit samples.
    SixteenBits,
    /// Write samples as floats.
    FloatSamples,
    /// Write to a folder instead of a file of this name.
    NameFolder,
    /// Redirect the output to a file or program, or write text.
    Redirect,
    /// Resample the audio.
    Resample,
    /// Write sound files to a folder, and what names them with it.
    WriteSounds,
    /// Read names inside files that begin with `old` as if they began with `new`.
    MapPath {
        /// The beginning that is wrong.
        old: String,
        /// Where the files are now.
        new: String,
    },
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Advice(text) => text,
            Self::Overwrite => "allow it to be replaced",
            Self::ReplaceFolder => "allow all that it holds to be replaced, or files to be added",
            Self::AllowCommands => "allow the commands that the caller names",
            Self::AllowPipes => "if you trust the file, allow its commands",
            Self::AllowUrls(Some(host)) => {
                return write!(
                    f,
                    "if you trust the file, allow the URLs of {host} in files"
                );
            }
            Self::AllowUrls(None) => "if you trust the list, allow all places that it names",
            Self::AllowHttp => "use https, or allow to ask without encryption",
            Self::BuildRemote => "URLs are known to builds with the feature remote",
            Self::RaiseLimit => "if the size is right, raise the limit",
            Self::TrustPacked => "if the file is to be trusted, allow objects of that size",
            Self::MoreMemory => "TMPDIR names another folder; with more memory less is kept there",
            Self::ShuffleLess => "raise the limit, or shuffle partition by partition",
            Self::AllowLosses(kinds) => {
                let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                return write!(
                    f,
                    "to go on all the same, allow the loss of {}",
                    names.join(", ")
                );
            }
            Self::ReadAs(names) | Self::WriteAs(names) => {
                return write!(f, "name the format: {}", names.join(", "));
            }
            Self::NameFormat => "name the format, and the file may be called ./a,b",
            Self::JoinLabels => "give the features, and join these labels to them",
            Self::JoinText => "give features or sound, and join this text to them",
            Self::ReadByContent(name) => return write!(f, "its content looks like {name}"),
            Self::LeaveOutLabels => "leave out the labels that are joined",
            Self::LeaveOutText => "leave out the text that is joined",
            Self::TolerateLengths => "if they are only a few, allow the longer to be cut",
            Self::LabelsApart => "write the labels to an output of their own",
            Self::TellFrameShift => "say the frame shift",
            Self::LeaveOutFrameShift => "leave out the frame shift, which is for data without one",
            Self::KeepUtterances => "leave it out, where utterances are to be written",
            Self::RoundSound => "it is for another rate or type, or the mean of channels",
            Self::Shuffle => "shuffle the frames",
            Self::KeepOne | Self::KeepOnlyOne => "say which of them is kept",
            Self::NameModel => "name the model by which the data were aligned",
            Self::NameSpeakers => "a table says who speaks each utterance",
            Self::SkipErrors => "pass over such utterances",
            Self::RenameKeys => "rename the utterances, or pass over those with such names",
            Self::OneType => "give all utterances one element type",
            Self::LabelType => "give all labels one element type",
            Self::LeaveOutVerify => "do not read the output back",
            Self::ListNames => "list the names in it",
            Self::ListStarts(file) => {
                return write!(f, "list where the utterances of {file} start");
            }
            Self::PickTier(names) => return write!(f, "pick a tier: {}", names.join(", ")),
            Self::JoinSegments => "join the segments to it as labels",
            Self::CutByTier(names) => return write!(f, "cut by a tier: '{}'", names.join("', '")),
            Self::OtherPieceKeys => "use another pattern for keys, such as {recording}-{n:05}",
            Self::NumberNames => "a table of symbols gives numbers to names",
            Self::WriteVariant(variant) => {
                let (extension, (key, value)) = (variant.extension, variant.option);
                return write!(f, "write a .{extension} file, or set {key}={value}");
            }
            Self::ListFormats(what) => return write!(f, "write a format that can hold {what}"),
            Self::LookInside => "look what the file holds",
            Self::ConvertData => "convert the data together with their header",
            Self::Repair => "write what is whole to another file",
            Self::SortFirst => "sort both first, or allow more memory",
            Self::SixteenBits => "write samples of 16 bits",
            Self::FloatSamples => "floats hold them: write samples as f32",
            Self::NameFolder => "write to a folder: end the name with /",
            Self::Redirect => "send it to a file or program, or write text",
            Self::Resample => "give sound a rate that it holds",
            Self::WriteSounds => "write sound files, and the manifest with them",
            Self::MapPath { old, new } => {
                return write!(f, "what is named in {old} is now in {new}");
            }
        };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_name_what_they_are_about() {
        let names = || vec!["htk", "kaldi"];
        let own = |text: &str| text.to_owned();
        for (remedy, text) in [
            (Remedy::Advice(own("look twice")), "look twice"),
            (
                Remedy::AllowUrls(Some(own("host:81"))),
                "if you trust the file, allow the URLs of host:81 in files",
            ),
            (
                Remedy::AllowUrls(None),
                "if you trust the list, allow all places that it names",
            ),
            (
                Remedy::AllowLosses(vec![LossKind::Labels, LossKind::Text]),
                "to go on all the same, allow the loss of labels, text",
            ),
            (Remedy::ReadAs(names()), "name the format: htk, kaldi"),
            (Remedy::WriteAs(names()), "name the format: htk, kaldi"),
            (Remedy::ReadByContent("htk"), "its content looks like htk"),
            (
                Remedy::ListStarts(own("a.ark")),
                "list where the utterances of a.ark start",
            ),
            (
                Remedy::PickTier(vec![own("words"), own("phones")]),
                "pick a tier: words, phones",
            ),
            (
                Remedy::CutByTier(vec![own("words"), own("")]),
                "cut by a tier: 'words', ''",
            ),
            (
                Remedy::ListFormats("labels".into()),
                "write a format that can hold labels",
            ),
            (
                Remedy::WriteVariant(Variant {
                    extension: "key",
                    option: ("text", "true"),
                }),
                "write a .key file, or set text=true",
            ),
            (
                Remedy::MapPath {
                    old: own("/old"),
                    new: own("/new"),
                },
                "what is named in /old is now in /new",
            ),
        ] {
            assert_eq!(remedy.to_string(), text);
        }
    }

    /// A remedy without words would be a hint that is empty, and two of the same words one too few.
    #[test]
    fn every_setting_has_words_of_its_own() {
        use Remedy::*;
        let all = [
            Overwrite,
            ReplaceFolder,
            AllowCommands,
            AllowPipes,
            AllowHttp,
            BuildRemote,
            RaiseLimit,
            TrustPacked,
            MoreMemory,
            ShuffleLess,
            NameFormat,
            JoinLabels,
            LeaveOutLabels,
            LeaveOutText,
            TolerateLengths,
            LabelsApart,
            TellFrameShift,
            JoinText,
            RoundSound,
            LeaveOutFrameShift,
            KeepUtterances,
            Shuffle,
            KeepOne,
            NameModel,
            NameSpeakers,
            SkipErrors,
            RenameKeys,
            OneType,
            LabelType,
            LeaveOutVerify,
            ListNames,
            JoinSegments,
            OtherPieceKeys,
            NumberNames,
            LookInside,
            ConvertData,
            Repair,
            SortFirst,
            SixteenBits,
            FloatSamples,
            NameFolder,
            Redirect,
            Resample,
            WriteSounds,
        ];
        let mut words: Vec<_> = all.iter().map(Remedy::to_string).collect();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), all.len());
        assert!(
            words
                .iter()
                .all(|words| words.len() > 8 && !words.ends_with('.'))
        );
        assert_eq!(KeepOne.to_string(), KeepOnlyOne.to_string());
    }
}
