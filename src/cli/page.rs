//! A manual page: what `clap` knows of a command, and what it does not.

use std::io;

use clap::Command;
use clap_mangen::Man;

/// The heading of the examples in the help of every verb.
const EXAMPLES: &str = "Examples:\n";

/// The meaning of each exit status.
const STATUS: &[(&str, &str)] = &[
    (
        "0",
        "Done. A reader of the output that stops early, such as head, is not an error.",
    ),
    (
        "1",
        "Done, and the answer is no: diff found differences, check found faults, shards are missing.",
    ),
    (
        "2",
        "An error, or bad usage. No output was left behind, but for the page of report on damaged data.",
    ),
    (
        "3",
        "Done, but faulty utterances were skipped, as --on-error skip asks, or left out by repair.",
    ),
];

const FILES: &[(&str, &str)] = &[
    (
        "OUT.utt2num_frames",
        "The names and lengths of utterances, next to outputs that have no room for them. \
         It is read with them; keys=none leaves it out.",
    ),
    (
        ".OUT.spr-*",
        "An unfinished output, in the folder where it will be. A run that was killed leaves it behind; \
         the next run that writes OUT reports it.",
    ),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "TMPDIR",
        "Where to put data that do not fit in memory while they are sorted or shuffled.",
    ),
    (
        "NO_COLOR, COLORTERM, TERM",
        "Whether messages and pictures in the terminal have colours, and how many.",
    ),
    (
        "SPR_SHARD, SLURM_ARRAY_TASK_ID, SGE_TASK_ID, PBS_ARRAY_INDEX, LSB_JOBINDEX, JOB_COMPLETION_INDEX",
        "The number of the task in an array job, for --shard auto/N; the first that is set counts.",
    ),
    (
        "AWS_*, GOOGLE_*, AZURE_*",
        "Keys and regions of object stores, where the program was built with the feature remote.",
    ),
];

/// The page of a command.
///
/// # Errors
/// Those of a writer, which memory has none of.
pub(super) fn render(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let source = concat!("spr\\-convert ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(source);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    let usage = command.clone().render_usage().to_string();
    let forms = usage.trim_start_matches("Usage:").lines().map(str::trim);
    section("SYNOPSIS", &mut page);
    as_typed(forms.filter(|form| !form.is_empty()), &mut page);
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let after = command.get_after_help().map(ToString::to_string);
    let after = after.unwrap_or_default();
    let (notes, examples) = after.split_once(EXAMPLES).unwrap_or((&after, ""));
    if !notes.trim().is_empty() {
        section("NOTES", &mut page);
        for paragraph in notes.trim_end().lines() {
            let line = match paragraph {
                "" => ".PP".to_owned(),
                text => escaped(text),
            };
            page.extend(line.bytes().chain([b'\n']));
        }
    }
    section("EXAMPLES", &mut page);
    as_typed(examples.lines(), &mut page);
    for (name, list) in [
        ("\"EXIT STATUS\"", STATUS),
        ("FILES", FILES),
        ("ENVIRONMENT", ENVIRONMENT),
    ] {
        section(name, &mut page);
        for (term, text) in list {
            let lines = [
                ".TP".to_owned(),
                format!("\\fB{}\\fR", escaped(term)),
                escaped(text),
            ];
            page.extend(lines.join("\n").bytes().chain([b'\n']));
        }
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    Ok(page)
}

fn section(name: &str, page: &mut Vec<u8>) {
    page.extend(format!(".SH {name}\n").bytes());
}

/// Lines that stay as they are, as wide as they are.
fn as_typed<'a>(lines: impl Iterator<Item = &'a str>, page: &mut Vec<u8>) {
    page.extend(b".nf\n");
    for line in lines {
        page.extend(escaped(line).bytes().chain([b'\n']));
    }
    page.extend(b".fi\n");
}

/// Text in which nothing means anything to `man`, and quotes and hyphens can be copied.
fn escaped(text: &str) -> String {
    let plain = text.replace('\\', "\\e").replace('-', "\\-");
    let plain = plain.replace('\'', "\\(aq").replace('`', "\\(ga");
    match plain.starts_with('.') {
        true => format!("\\&{plain}"),
        false => plain,
    }
}
