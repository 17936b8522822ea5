//! Hints about errors in terms of the program's options.

use spr_core::format::Registry;
use spr_core::loss::LossKind;
use spr_core::{Error, ErrorKind, Remedy};

use crate::{builtin, capabilities};

/// Returns the hint for an error, if there is one, with the formats of `registry`.
pub(super) fn hint(error: &Error, registry: &Registry) -> Option<String> {
    let remedy = error.remedy()?;
    if let Some(text) = fixed(remedy) {
        return Some(text.to_owned());
    }
    let file = |unnamed| error.file_name().unwrap_or(unnamed);
    Some(match remedy {
        Remedy::AllowUrls(Some(host)) => {
            format!("if you trust the file, allow its URLs of {host} with --allow-urls={host}")
        }
        Remedy::AllowLosses(kinds) => allow_losses(kinds),
        Remedy::ReadAs(names) if error.kind() == ErrorKind::Ambiguous => {
            format!("say which with --from {}", names.join(" or --from "))
        }
        Remedy::ReadAs(_) => {
            with_left_out("`spr-convert formats` lists what is read; --from NAME forces a format")
        }
        Remedy::WriteAs(names) if names.len() <= FEW => {
            format!("say it with --to {}", names.join(" or --to "))
        }
        Remedy::WriteAs(_) => {
            with_left_out("say it with --to NAME; `spr-convert formats` lists the names")
        }
        Remedy::ReadByContent(name) => {
            format!("it looks like {name}, as which it is read if no format is named")
        }
        Remedy::ListNames => format!("`spr-convert ls {}` lists what there is", file("IN")),
        Remedy::ListFormats(what) => list_formats(what, registry),
        Remedy::WriteVariant(variant) => {
            let (extension, (key, value)) = (variant.extension, variant.option);
            format!("write .{extension}, or add ,{key}={value}")
        }
        Remedy::Repair => {
            format!(
                "`spr-convert repair {} -o OUT` saves what is intact",
                file("IN")
            )
        }
        Remedy::NameFolder => {
            format!("write to a folder: end the name with /, {}/", file("OUT"))
        }
        Remedy::ListStarts(file) => {
            format!("`spr-convert ls {file}` shows where utterances start")
        }
        Remedy::CutByTier(names) if names.iter().all(String::is_empty) => {
            "--cut-by segments takes a single tier, whatever its name".to_owned()
        }
        Remedy::CutByTier(names) => {
            let words = names.iter().map(|name| match name.as_str() {
                "" => "''".to_owned(),
                name => quoted(name),
            });
            let words: Vec<_> = words.collect();
            format!("--cut-by NAME takes one: {}", words.join(", "))
        }
        Remedy::PickTier(names) => format!("tier=NAME picks one: {}", names.join(", ")),
        Remedy::MapPath { old, new } => {
            let (flag, known) = (
                quoted(&format!("{old}={new}")),
                "reads the files where they are now",
            );
            format!("--map-path {flag} {known}")
        }
        // One without a switch here.
        other => other.to_string(),
    })
}

/// Adds the formats that this build lacks, if there are some.
fn with_left_out(hint: &str) -> String {
    match builtin::LEFT_OUT {
        [] => hint.to_owned(),
        names => format!("{hint}; this build is without {}", names.join(", ")),
    }
}

/// Returns a word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The flag that allows losses, and what keeps the data instead.
fn allow_losses(kinds: &[LossKind]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    let instead = if names.contains(&"labels") {
        "to keep labels apart, add --labels-out FILE; "
    } else if names.contains(&"text") {
        "where there are no labels, --labels-out ark,t:FILE keeps it, \
         and of sound files in a folder --manifest FILE; "
    } else if names.contains(&"tiers") {
        "to pick a tier, add tier=NAME to the input after a comma; "
    } else {
        ""
    };
    let names = names.join(",");
    format!("{instead}to go on all the same, add --allow-loss {names}")
}

/// The formats that hold something.
fn list_formats(what: &str, registry: &Registry) -> String {
    let all = "`spr-convert formats` says what each format holds";
    let holding = capabilities::holding(what, registry);
    match holding.split_at_checked(FEW) {
        _ if holding.is_empty() => all.to_owned(),
        Some((first, rest)) if !rest.is_empty() => {
            let (first, more) = (first.join(", "), rest.len());
            format!("{first} and {more} others hold {what}; {all}")
        }
        _ => format!("{} can hold {what}", holding.join(", ")),
    }
}

/// The remedies that need no names.
fn fixed(remedy: &Remedy) -> Option<&str> {
    Some(match remedy {
        Remedy::Advice(text) => text,
        Remedy::Overwrite => "replace it with --overwrite",
        Remedy::ReplaceFolder => {
            "replace all that it holds with --overwrite, or add to it with --add"
        }
        Remedy::AllowCommands => "drop --safe to allow it",
        Remedy::AllowPipes => "if you trust the file, allow its commands with --allow-pipes",
        Remedy::AllowUrls(None) => {
            "if you trust the list, allow all places that it names with --allow-urls"
        }
        Remedy::AllowHttp => "use https, or ask without encryption with --allow-http",
        Remedy::BuildRemote => {
            "this program was built without URLs: cargo install --path . --features remote"
        }
        Remedy::RaiseLimit => "if the size is right, raise the limit with --max-alloc",
        Remedy::TrustPacked => {
            "if the file is to be trusted, --max-alloc SIZE allows objects of that size"
        }
        Remedy::MoreMemory => "TMPDIR names another folder, --memory allows more memory",
        Remedy::ShuffleLess => {
            "raise the limit with --max-alloc, or shuffle partition by partition"
        }
        Remedy::NameFormat => {
            "a file name with a comma is written ./a,b together with --from or --to"
        }
        Remedy::JoinLabels => {
            "features and their labels are joined by --labels, or by label=FILE in the data spec"
        }
        Remedy::JoinText => "text is joined to sound or features by --text: IN --text FILE OUT",
        Remedy::NameModel => "--model FILE, or model=FILE after the data, names the model",
        Remedy::LeaveOutLabels => "leave out --labels, or label= in the spec",
        Remedy::LeaveOutText => "leave out --text",
        Remedy::TolerateLengths => "if they are only a few, --length-tolerance N cuts the longer",
        Remedy::LabelsApart => "write the labels apart with --labels-out FILE",
        Remedy::TellFrameShift => "say it with --frame-shift, such as --frame-shift 0.01",
        Remedy::LeaveOutFrameShift => {
            "leave out --frame-shift, which is for data that don't say it"
        }
        Remedy::KeepUtterances => {
            "batches are for programs that use the library; --shuffle puts frames in random order, \
             --partition with {part} in the output's name writes partitions"
        }
        Remedy::Shuffle => "add --shuffle or random=True",
        Remedy::RoundSound => "it is for --rate, --channel mix and --dtype",
        Remedy::KeepOne => {
            "--duplicates first and --duplicates last keep one of them, --duplicates keep keeps both"
        }
        Remedy::KeepOnlyOne => "--duplicates first and --duplicates last keep one of them",
        Remedy::NameSpeakers => "--utt2spk FILE says it, in lines `utterance speaker`",
        Remedy::SkipErrors => "--on-error skip passes over such utterances",
        Remedy::RenameKeys => {
            "--rename 's/ /_/g' and the like give other names, --on-error skip passes over such utterances"
        }
        Remedy::OneType => "give all the same type with --dtype",
        Remedy::LabelType => "give all labels the same type with --label-dtype, such as i64",
        Remedy::LeaveOutVerify => "leave out --verify",
        Remedy::LookInside => "`spr-convert info FILE` says what it is",
        Remedy::ConvertData => "`spr-convert IN OUT` converts the data too",
        Remedy::SortFirst => "sort both first, `spr-convert sort IN OUT`, or raise --memory",
        Remedy::SixteenBits => "--dtype i16 writes samples of 16 bits",
        Remedy::FloatSamples => "--dtype f32 holds them",
        Remedy::Redirect => "add > FILE or | PROGRAM, or write text, such as ark,t:- or jsonl:-",
        Remedy::Resample => "--rate gives sound another rate, such as --rate 16000",
        Remedy::WriteSounds => {
            "OUT/ --to flac --manifest FILE writes sound files and what names them"
        }
        Remedy::JoinSegments => {
            "--labels FILE joins the segments of a CTM, RTTM, STM or other label file"
        }
        Remedy::OtherPieceKeys => "--key '{key}-{n:05}' gives each piece a key of its own",
        Remedy::NumberNames => "the option symbols=FILE of the segments gives numbers to names",
        _ => return None,
    })
}

/// Formats that are offered one by one.
const FEW: usize = 3;

#[cfg(test)]
mod tests {
    use spr_core::format::Variant;
    use spr_core::loss::LossKind;

    use super::*;

    fn hint_of(kind: ErrorKind, remedy: Remedy) -> String {
        let error = Error::new(kind, "no").suggest(remedy);
        hint(&error, &Registry::default()).unwrap()
    }

    #[test]
    fn settings_are_options_here() {
        assert_eq!(hint(&Error::usage("no"), &Registry::default()), None);
        let advice = Remedy::Advice("yes".to_owned());
        assert_eq!(hint_of(ErrorKind::Usage, advice), "yes");
        let losses = Remedy::AllowLosses(vec![LossKind::Precision, LossKind::Labels]);
        assert_eq!(
            hint_of(ErrorKind::Loss, losses),
            "to keep labels apart, add --labels-out FILE; \
             to go on all the same, add --allow-loss precision,labels"
        );
        let names = || Remedy::ReadAs(vec!["a", "b"]);
        let variant = Variant {
            extension: "seg",
            option: ("data", "SEG"),
        };
        assert_eq!(
            hint_of(ErrorKind::Unfit, Remedy::WriteVariant(variant)),
            "write .seg, or add ,data=SEG"
        );
        assert_eq!(
            hint_of(ErrorKind::Ambiguous, names()),
            "say which with --from a or --from b"
        );
        assert_eq!(
            hint_of(ErrorKind::Unrecognised, names()),
            "`spr-convert formats` lists what is read; --from NAME forces a format"
        );
        let names = |all: &[&'static str]| Remedy::WriteAs(all.to_vec());
        assert_eq!(
            hint_of(ErrorKind::Usage, names(&["a", "b"])),
            "say it with --to a or --to b"
        );
        assert_eq!(
            hint_of(ErrorKind::Usage, names(&["a", "b", "c", "d"])),
            "say it with --to NAME; `spr-convert formats` lists the names"
        );
    }
}
