//! What can be done about an error.

use std::borrow::Cow;
use std::fmt;

use crate::format::Variant;
use crate::loss::LossKind;

/// What can be done about an error. A setting is named by what it does, so that a program can name
/// its own switch for it; the words here are for users of the library. The list is a closed one, so
/// that a program which words all of them notices when there is a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Something that helps however the error came about, in words.
    Advice(String),
    /// Allow outputs that exist to be replaced.
    Overwrite,
    /// Allow all that the folder holds to be replaced, or files to be added to it.
    ReplaceFolder,
    /// Allow commands at all.
    AllowCommands,
    /// Allow the commands that stand in files.
    AllowPipes,
    /// Follow the URLs of this bucket or server that stand in files; without one, all places that
    /// lists behind URLs name.
    AllowUrls(Option<String>),
    /// Allow servers to be asked without encryption.
    AllowHttp,
    /// Use a build that knows URLs.
    BuildRemote,
    /// Raise the limit on one object in memory.
    RaiseLimit,
    /// Raise the memory that sorting may take, or name another folder for what it has no room for.
    MoreMemory,
    /// Raise the limit on what is shuffled together, or shuffle less at once.
    ShuffleLess,
    /// Allow these losses.
    AllowLosses(Vec<LossKind>),
    /// Say which of these formats is to be read.
    ReadAs(Vec<&'static str>),
    /// Say which of these formats is to be written.
    WriteAs(Vec<&'static str>),
    /// Name the format apart, so that a file name may hold a comma.
    NameFormat,
    /// Give the features, and these labels beside them.
    JoinLabels,
    /// Leave out the labels that are joined.
    LeaveOutLabels,
    /// Leave out the text that is joined.
    LeaveOutText,
    /// Take labels for a few frames more or fewer.
    TolerateLengths,
    /// Write labels apart.
    LabelsApart,
    /// Say the frame shift.
    TellFrameShift,
    /// Give features or sound, and this text beside them.
    JoinText,
    /// Read it as the format that its content is of.
    ReadByContent(&'static str),
    /// Leave out the frame shift that was given.
    LeaveOutFrameShift,
    /// Leave out stages that make something else of utterances.
    KeepUtterances,
    /// Shuffle the frames.
    Shuffle,
    /// Say which of several utterances of one key is kept.
    KeepOne,
    /// Name a table of who speaks each utterance.
    NameSpeakers,
    /// Pass over utterances at fault.
    SkipErrors,
    /// Give all utterances one element type.
    OneType,
    /// Do not read outputs back.
    LeaveOutVerify,
    /// Look which utterances there are.
    ListNames,
    /// Look which formats can hold what is named here, as in a sentence.
    ListFormats(Cow<'static, str>),
    /// Write another sort of file of the format: its extension, or an option and its value.
    WriteVariant(Variant),
    /// Look what the file holds.
    LookInside,
    /// Convert the data, not the header alone.
    ConvertData,
    /// Write what is whole of the data anew.
    Repair,
    /// Sort both data sets, or raise the memory for comparing them.
    SortFirst,
    /// Write samples of 16 bits.
    SixteenBits,
    /// Write samples as floats.
    FloatSamples,
    /// Write to a folder instead of a file of this name.
    NameFolder,
    /// Send the output to a file or program, or write text.
    Redirect,
    /// Give sound another rate.
    Resample,
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
            Self::Shuffle => "shuffle the frames",
            Self::KeepOne => "say which of them is kept",
            Self::NameSpeakers => "a table says who speaks each utterance",
            Self::SkipErrors => "pass over such utterances",
            Self::OneType => "give all utterances one element type",
            Self::LeaveOutVerify => "do not read the output back",
            Self::ListNames => "list the names in it",
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
        };
        f.write_str(text)
    }
}
