//! `spr-convert info IN...`.

use clap::Args;
use spr_core::{Error, Result};

use super::args::ReadArgs;
use super::exit::{DONE, FAILED};
use super::out::{print_json, print_lines};
use super::session::Session;
use super::words::data_set;
use super::{messages, plan};
use crate::verbs::info::{Facts, inspect};

pub(super) const EXAMPLES: &str = "\
Everything is read, so that a damaged file is found out: what was read until then is told, and the
exit status is 2.

Examples:
  spr-convert info feats.scp               the same as spr-convert feats.scp
  spr-convert info *.pfile --quick         by headers alone, some counts are unknown
  spr-convert info train.pfile --json      an object a line, for programs";

#[derive(Args, Debug, Clone)]
pub(super) struct InfoArgs {
    /// Data to look into
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    pub(super) paths: Vec<String>,
    /// Read headers only
    #[arg(long)]
    pub(super) quick: bool,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

/// Different sizes or types that are told one by one.
const MANY: usize = 6;

/// Tells what data sets hold; what could be found out of a damaged one is told too.
pub(super) fn run(args: &InfoArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let mut status = DONE;
    let (inputs, skipped) = plan::readable(&args.paths, &args.read, registry, &env)?;
    if args.read.explain {
        return plan::explain(&inputs, registry, &env);
    }
    for input in inputs {
        let (facts, result) = inspect(&input, args.quick, registry, &env);
        if !facts.format.is_empty() {
            if args.read.json {
                let line = serde_json::to_string(&facts)
                    .map_err(|e| Error::io("cannot write", e.into()))?;
                print_json(line)?;
            } else {
                print_lines(&describe(&facts))?;
            }
        }
        if let Err(error) = result {
            if error.is_broken_pipe() {
                return Err(error);
            }
            session.error(error);
            status = FAILED;
        }
    }
    Ok(skipped.status(status))
}

/// The facts for people, a line each.
fn describe(facts: &Facts) -> Vec<String> {
    let holds = |kind: &str| facts.kinds.iter().any(|own| own == kind);
    let mut lines = vec![facts.input.clone()];
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<12}{text}"));
    let mut format = facts.format.clone();
    if let Some(order) = facts.byte_order {
        format.push_str(&format!(", {order} endian"));
    }
    if let Some(coder) = &facts.compression {
        format.push_str(&format!(", {coder}"));
    }
    line("format", format);
    if let (Some(utterances), Some(frames)) = (facts.utterances, facts.frames) {
        let mut text = format!(
            "{}, {}",
            messages::count(utterances, "utterance"),
            messages::count(frames, "frame")
        );
        match facts.shapes.frames {
            Some((least, most)) if least < most => {
                text.push_str(&format!(" ({least} to {most} each)"));
            }
            Some((each, _)) if utterances > 1 => text.push_str(&format!(" ({each} each)")),
            _ => {}
        }
        if frames == 0 {
            text = messages::count(utterances, "utterance");
        }
        if let Some(duration) = facts.duration.filter(|_| holds("audio")) {
            text.push_str(&format!(", {duration:.2} s in all"));
        }
        line("holds", text);
    }
    if holds("features") {
        line("features", features(facts));
    }
    if holds("labels") {
        line("labels", labels(facts));
    }
    let told = ["features", "labels", "audio"];
    let others = facts.kinds.iter().map(String::as_str);
    let others: Vec<_> = others.filter(|kind| !told.contains(kind)).collect();
    if !others.is_empty() {
        line("objects", others.join(", "));
    }
    if holds("audio") {
        line("audio", audio(facts));
    }
    if let Some(shift) = &facts.shapes.frame_shift {
        let mut text = format!("{shift} s");
        if let Some(duration) = facts.duration {
            text.push_str(&format!(", {duration:.2} s in all"));
        }
        line("frame shift", text);
    }
    let keys = match facts.keys {
        "sidecar" => "in a side file",
        "generated" => "none, made up on reading",
        _ => "stored",
    };
    line("names", keys.to_owned());
    lines
}

fn features(facts: &Facts) -> String {
    let columns = match facts.dim {
        Some(dim) => messages::count(dim, "column"),
        None => format!("{} columns", alternatives(&facts.shapes.dims)),
    };
    let dtype = match facts.dtype {
        Some(dtype) => dtype.to_owned(),
        None => alternatives(&facts.shapes.dtypes),
    };
    let ranks: Vec<_> = facts
        .shapes
        .ranks
        .iter()
        .copied()
        .filter(|r| *r != "matrix")
        .collect();
    let mut text = format!("{columns} of {dtype}");
    if !ranks.is_empty() {
        text = format!("{}, {dtype}", ranks.join(" or "));
    }
    text
}

fn audio(facts: &Facts) -> String {
    let shapes = &facts.shapes;
    let mut parts = Vec::new();
    if !shapes.channels.is_empty() {
        let noun = match shapes.channels.iter().eq(&[1]) {
            true => "channel",
            false => "channels",
        };
        let mut channels = format!("{} {noun}", alternatives(&shapes.channels));
        if !shapes.samples.is_empty() {
            channels.push_str(&format!(" of {}", alternatives(&shapes.samples)));
        }
        parts.push(channels);
    }
    match facts.sample_rate {
        Some(rate) => parts.push(format!("{rate} samples/s")),
        None if shapes.samples.is_empty() => {}
        None => parts.push("several rates".to_owned()),
    }
    if !shapes.encoded.is_empty() {
        parts.push(format!("as {}", alternatives(&shapes.encoded)));
    }
    if shapes.references > 0 {
        let of = messages::count(shapes.references, "utterance");
        parts.push(format!("of {of} in sound files"));
    }
    parts.join(", ")
}

/// `a`, `a or b`, `a, b or c`; of very many the first.
fn alternatives<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<_> = all.into_iter().map(|one| one.to_string()).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) if all.len() <= MANY => format!("{} or {last}", first.join(", ")),
        _ => format!(
            "{}, …",
            all.iter()
                .take(MANY)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

fn labels(facts: &Facts) -> String {
    let mut text = match facts.label_columns {
        Some(1) => "1 a frame".to_owned(),
        Some(n) => format!("{n} a frame"),
        None => "some".to_owned(),
    };
    if let Some(range) = &facts.labels {
        text.push_str(&format!(", {} to {}", range.min, range.max));
        if let Some(distinct) = range.distinct {
            text.push_str(&format!(", {distinct} different"));
        }
    }
    text
}
