//! Suggestions for words that name nothing.

use std::ffi::{OsStr, OsString};

use clap::Command;
use spr_core::bytes::{Env, FileKind, FileStatus, Location};
use spr_core::format::{Format, FormatInfo, Registry, Request};
use spr_core::model::Utterance;
use spr_core::{Error, ErrorKind, Remedy, nearest};

use crate::argument::prefix_meant;
use crate::builder::PlanBuilder;

/// A word that is not a file may be meant as a verb.
pub(super) fn verb(word: &str, program: impl FnOnce() -> Command, env: &Env) -> Option<Error> {
    // Servers are not searched for names.
    let place = Location::from(word);
    // A verb is no place: NAME:REST names a format, and a slash a folder.
    if place.is_url() || word.contains([':', '/']) || env.exists(&place) {
        return None;
    }
    let error = Error::new(ErrorKind::Io, "is neither a file nor a verb").file(word);
    let program = program();
    if let Some((_, ours)) = VERBS.iter().find(|(theirs, _)| *theirs == word) {
        return Some(error.hint(format!("did you mean the verb '{ours}'?")));
    }
    if let Some((_, flag)) = DONE_BY_FLAGS.iter().find(|(theirs, _)| *theirs == word) {
        return Some(error.hint(format!(
            "that is done on the way: spr-convert IN OUT {flag}"
        )));
    }
    let verb = nearest(word, program.get_subcommands().map(Command::get_name));
    match verb {
        Some(verb) if verb == word => Some(late(verb)),
        Some(verb) => Some(error.hint(format!("did you mean the verb '{verb}'?"))),
        // Files mostly have a point or a slash in their names.
        None => {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let hint = "`spr-convert --help` lists the verbs";
            let plain =
                word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(plain);
            plain.then(|| error.hint(hint))
        }
    }
}

/// Returns the error about a verb behind options.
fn late(verb: &str) -> Error {
    let message = format!("the verb '{verb}' comes before all options");
    Error::usage(message).hint(format!("spr-convert {verb} [OPTIONS] …"))
}

/// Returns an error if the first word that is no option is a verb, and options are before it.
/// `words` begin with the program's name.
pub(super) fn late_verb(words: &[OsString], program: &Command, env: &Env) -> Option<Error> {
    let takes_value = |word: &str| {
        let mut options = program.get_arguments();
        options.any(|option| {
            let long = option
                .get_long()
                .is_some_and(|long| word.strip_prefix("--") == Some(long));
            let short = option
                .get_short()
                .is_some_and(|short| word == format!("-{short}"));
            (long || short) && option.get_action().takes_values()
        })
    };
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    let mut options = 0;
    loop {
        let word = words.next()?;
        match word.as_ref() {
            "-" | "--" => return None,
            option if option.starts_with('-') => {
                options += 1;
                if takes_value(option) {
                    words.next();
                }
            }
            verb => {
                let is_late = options > 0 && program.find_subcommand(verb).is_some();
                return (is_late && !env.exists(&verb.into())).then(|| late(verb));
            }
        }
    }
}

/// Verbs of other programs, and what they are called here.
const VERBS: &[(&str, &str)] = &[
    ("cat", "show"),
    ("compare", "diff"),
    ("concat", "merge"),
    ("copy", "convert"),
    ("head", "show"),
    ("list", "ls"),
    ("subset", "select"),
    ("summary", "stats"),
    ("validate", "check"),
    ("verify", "check"),
    ("view", "show"),
];

/// Verbs of other programs, and the flags of conversions that do the same.
const DONE_BY_FLAGS: &[(&str, &str)] = &[
    ("downmix", "--channel mix"),
    ("remix", "--channel mix"),
    ("resample", "--rate HZ"),
];

/// The verb of that name, below a program or another verb.
///
/// # Errors
/// There is none.
pub(super) fn sub<'a>(word: &str, of: &'a Command) -> Result<&'a Command, Error> {
    of.find_subcommand(word).ok_or_else(|| {
        if !of.has_subcommands() {
            return Error::usage(format!("'{word}' is a word too many"));
        }
        let error = Error::usage(format!("unknown verb '{word}'"));
        match nearest(word, of.get_subcommands().map(Command::get_name)) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error.hint("spr-convert --help lists the verbs"),
        }
    })
}

/// Flags of other programs, and what they are called here.
const SYNONYMS: &[(&str, &str)] = &[
    ("--force", "--overwrite"),
    ("--replace", "--overwrite"),
    ("-y", "--overwrite"),
    ("--threads", "--jobs"),
    ("--num-threads", "--jobs"),
    ("--input-format", "--from"),
    ("--output-format", "--to"),
    ("--format", "--to"),
    ("--type", "--dtype"),
    ("--bits", "--dtype, such as --dtype i16"),
    ("--bit-depth", "--dtype, such as --dtype i16"),
    ("--bits-per-sample", "--dtype, such as --dtype i16"),
    ("-b", "--dtype, such as --dtype i16"),
    ("-e", "--dtype, such as --dtype i16"),
    ("--codec", "--to, or the extension of the output"),
    ("--acodec", "--to, or the extension of the output"),
    ("--in-format", "--from"),
    ("--out-format", "--to"),
    ("--clobber", "--overwrite"),
    ("--workers", "--jobs"),
    ("--num-workers", "--jobs"),
    ("--skip-bad", "--on-error skip"),
    ("--skip-errors", "--on-error skip"),
    ("--ignore-errors", "--on-error skip"),
    ("--mono", "--channel mix"),
    ("--downmix", "--channel mix"),
    ("--remix", "--channel mix"),
    ("--left", "--channel 0"),
    ("--right", "--channel 1"),
    ("--ac", "--channel"),
    ("-c", "--channel"),
    ("-a", "--channel mix for -ac 1, and --rate HZ for -ar HZ"),
    ("-r", "--rate"),
    ("--ar", "--rate"),
    ("--sr", "--rate"),
    ("--fs", "--rate"),
    ("--allow-downsample", "--rate"),
    ("--allow-upsample", "--rate"),
    ("--subset", "the verb select"),
    ("--random", "--shuffle"),
    ("--recursive", "a folder in the place of a file"),
];

/// Parts of the names of flags of other programs, and what is meant by all of these.
const TOPICS: &[(&str, &str)] = &[
    ("channel", "--channel"),
    ("mono", "--channel mix"),
    ("stereo", "--channel"),
    ("mix", "--channel mix"),
    ("sampl", "--rate"),
    ("freq", "--rate"),
];

/// What is done to sound by other programs, and not here.
const EFFECTS: &[&str] = &[
    "--gain",
    "--vol",
    "--volume",
    "--norm",
    "--normalize",
    "--normalise",
    "--trim",
    "--pad",
    "--speed",
    "--tempo",
    "--silence",
    "--bitrate",
    "--filter",
];

/// A flag that there is not may be another's: one of another verb, or one by another name. `usage` names the verb that
/// was typed.
pub(super) fn flag(
    word: &str,
    usage: Option<&str>,
    program: &Command,
    registry: &Registry,
) -> Option<String> {
    let word = word.split('=').next().unwrap_or(word);
    if ["-i", "--in", "--input", "--infile"].contains(&word) {
        return Some("the input has no flag: spr-convert IN OUT".to_owned());
    }
    if let Some((_, ours)) = SYNONYMS.iter().find(|(theirs, _)| *theirs == word) {
        return Some(format!("that is {ours} here"));
    }
    let has = |verb: &&Command| {
        let mut flags = verb.get_arguments().filter_map(clap::Arg::get_long);
        flags.any(|flag| word.strip_prefix("--") == Some(flag))
    };
    let verbs: Vec<_> = program.get_subcommands().filter(has).collect();
    let names: Vec<_> = verbs.iter().map(|verb| verb.get_name()).collect();
    if !names.is_empty() {
        return Some(format!("{word} is a flag of {}", names.join(", ")));
    }
    if EFFECTS.contains(&word) {
        let hint = "sound keeps its level and length here; sox and ffmpeg change them";
        return Some(hint.to_owned());
    }
    let typed = usage.and_then(|usage| program.find_subcommand(usage.split_whitespace().nth(1)?));
    let begins = |flag: &str| {
        let rest = word
            .strip_prefix("--")
            .and_then(|word| word.strip_prefix(flag));
        rest.is_some_and(|rest| rest.starts_with('-') && rest != "-rate")
    };
    let mut own = typed.into_iter().flat_map(Command::get_arguments);
    if own.any(|own| own.get_long().is_some_and(begins)) {
        return None;
    }
    if let Some((_, ours)) = TOPICS.iter().find(|(part, _)| word.contains(part)) {
        return Some(format!("that is {ours} here"));
    }
    let option = word.strip_prefix("--")?;
    let flags = program.get_arguments().filter_map(clap::Arg::get_long);
    if nearest(option, flags).is_some() {
        return None;
    }
    let formats = registry.formats().map(Format::info);
    let knows = |info: &&FormatInfo| info.options.iter().any(|own| own.name == option);
    let formats: Vec<_> = formats.filter(knows).map(|info| info.name).collect();
    (!formats.is_empty()).then(|| {
        let formats = formats.join(", ");
        format!("{option} is an option of {formats}, behind a comma: FILE,{option}=VALUE")
    })
}

/// A word too many, for a verb that names its output by a flag.
pub(super) fn output(word: &str, usage: &str, program: &Command) -> Option<String> {
    let mut typed = usage.split_whitespace().skip(1);
    let verb = program.find_subcommand(typed.next()?)?;
    let mut flags = verb.get_arguments().filter_map(clap::Arg::get_long);
    let named = !word.starts_with('-') && flags.any(|flag| flag == "output");
    named.then(|| format!("the output is named by -o: -o {word}"))
}

/// A file that is not there may be meant as one beside it.
pub(super) fn file(error: Error, registry: &Registry, env: &Env) -> Error {
    let at = Location::from(error.file_name().unwrap_or_default());
    let text = at.to_string();
    let slip = || {
        let mut notations = registry.formats().filter_map(Format::notation);
        notations.find_map(|notation| notation.slip(&text, env))
    };
    if error.kind() == ErrorKind::Unrecognised
        && let Some(hint) = slip()
    {
        return error.suggest_instead(Remedy::Advice(hint));
    }
    if error.kind() == ErrorKind::Truncated && has_whole_entry(&at, registry, env) {
        return error.suggest(Remedy::Repair);
    }
    let missing = match error.kind() {
        // Files on servers are not read for a hint.
        ErrorKind::Io if at.is_url() => false,
        ErrorKind::Io => !env.exists(&at) && !error.is_failure(),
        _ => false,
    };
    if !missing || at.name().is_none() {
        return error;
    }
    if let Some(hint) = slip() {
        return error.hint(hint);
    }
    if let Some(near) = prefix_meant(&text, registry) {
        return error.hint(format!("did you mean the format '{near}:'?"));
    }
    // A place in a file that is not there.
    let place = text
        .rsplit_once(':')
        .filter(|(_, byte)| !byte.is_empty() && byte.bytes().all(|b| b.is_ascii_digit()));
    if let Some((file, byte)) = place {
        let near = beside(&Location::from(file), env);
        let near = near.map_or(String::new(), |near| {
            format!("; did you mean {near}:{byte}?")
        });
        return error.hint(format!(
            "that is byte {byte} of {file}, which is not there{near}"
        ));
    }
    let folder = at.parent().unwrap_or_else(|| ".".into());
    if !env.exists(&folder) {
        return error.hint(format!("there is no folder {folder}"));
    }
    match beside(&at, env) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error,
    }
}

/// Returns `true` if a truncated file has an entry that can be read.
fn has_whole_entry(at: &Location, registry: &Registry, env: &Env) -> bool {
    let is_file = |look: FileStatus| look.kind == FileKind::File;
    if at.is_url() || !env.look(at).is_ok_and(|look| look.is_some_and(is_file)) {
        return false;
    }
    let first = || {
        let mut builder = PlanBuilder::new(registry, env);
        let plan = builder.input(&at.to_string())?.finish()?;
        let mut data = plan.open(Request::all().damaged(), registry, env)?;
        data.reader.read(&mut Utterance::default())
    };
    first().is_ok_and(|any| any)
}

/// The file or folder in the same folder whose name is most like this one's.
fn beside(at: &Location, env: &Env) -> Option<Location> {
    let (name, parent) = (at.name()?, at.parent());
    let folder = parent.clone().unwrap_or_else(|| ".".into());
    let entries = env.entries(&folder).ok()?;
    let names = entries.iter().filter_map(Location::name);
    let names: Vec<_> = names.map(OsStr::as_encoded_bytes).collect();
    let name = name.as_encoded_bytes();
    // Only small and capital letters differ, or the extension is left out.
    let same = names.iter().find(|other| other.eq_ignore_ascii_case(name));
    let longer = |other: &&&[u8]| {
        let rest = other.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(b"."))
    };
    let near = same.or_else(|| names.iter().find(longer)).copied();
    let near = near.or_else(|| nearest(name, names.iter().copied()))?;
    let near = Location::from(String::from_utf8_lossy(near).as_ref());
    Some(parent.map_or(near.clone(), |folder| folder.join(near)))
}
