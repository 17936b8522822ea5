//! Hints of errors in terms of the Python functions' arguments.

use spr_convert::core::{Error, Remedy};

/// Returns a hint for an error, if there is one.
pub(crate) fn hint(error: &Error) -> Option<String> {
    let text = match error.remedy()? {
        Remedy::Overwrite => "replace it with overwrite=True",
        Remedy::ReplaceFolder => {
            "replace all that it holds with overwrite=True, or add=True adds to it"
        }
        Remedy::AllowCommands => "drop allow_pipes=False to allow it",
        Remedy::BuildRemote => {
            "this package was built without URLs: maturin build --features remote"
        }
        Remedy::AllowUrls(Some(host)) => {
            return Some(format!("if you trust the file, allow_urls=\"{host}\""));
        }
        Remedy::AllowUrls(None) => "if you trust the list, allow_urls=True",
        Remedy::AllowHttp => "use https",
        Remedy::AllowPipes => "if you trust the file, allow its commands with allow_pipes=True",
        Remedy::RaiseLimit => "if the size is right, raise the limit with max_alloc",
        Remedy::TrustPacked => {
            "if the file is to be trusted, max_alloc=SIZE allows objects of that size"
        }
        Remedy::AllowLosses(kinds) => {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            let names = names.join(",");
            return Some(format!("to go on all the same, allow_loss=\"{names}\""));
        }
        Remedy::ReadAs(names) => {
            return Some(format!("say which with format=: {}", names.join(", ")));
        }
        Remedy::WriteAs(names) => {
            let names = names.join(", ");
            return Some(format!("name the format, \"NAME:PATH\": {names}"));
        }
        Remedy::LeaveOutLabels => "leave out labels=",
        Remedy::LeaveOutText => "leave out the text that is joined",
        Remedy::LabelsApart => "write the labels apart with labels_out=",
        Remedy::NameSpeakers => "utt2spk= names a file of lines `utterance speaker`",
        Remedy::SkipErrors => "on_error=\"skip\" passes over such utterances",
        Remedy::OneType => "give all the same type with dtype=",
        Remedy::LabelType => "give all labels the same type before they are written",
        Remedy::LeaveOutVerify => "leave out verify=True",
        Remedy::FloatSamples => "dtype=\"f32\" holds them",
        Remedy::Resample => "stages=\"resample(16000)\" gives sound another rate",
        Remedy::SixteenBits => "dtype=\"i16\" writes samples of 16 bits",
        Remedy::ListFormats(what) => {
            return Some(format!("spr_convert.formats() says what holds {what}"));
        }
        Remedy::WriteVariant(variant) => {
            let (extension, (key, value)) = (variant.extension, variant.option);
            return Some(format!("write .{extension}, or add \",{key}={value}\""));
        }
        Remedy::TellFrameShift => "say it behind the name of the input: \",frame-shift=0.01\"",
        Remedy::LookInside => "spr_convert.info(...) says what it is",
        // The library's own wording applies.
        _ => return error.hint_text(),
    };
    Some(text.to_owned())
}
