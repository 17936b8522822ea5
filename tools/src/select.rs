//! The tools that consist of one stage: `subset-feats`, `select-feats`, `splice-feats`.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spr_core::format::{Reader, Request};
use spr_core::model::{Key, Utterance};
use spr_core::stage::{Columns, Context, SelectColumns, Take};
use spr_core::{Error, Result};
use spr_format_kaldi::specifier;

use super::options::Spec;
use super::session::Session;
use super::table::Holder;
use super::{DONE, NOTHING, Tool};

pub(super) static SUBSET_FEATS: Tool = Tool {
    name: "subset-feats",
    usage: "\
Copies some utterances: the first ones, or those that a list names or does not name.

Usage: subset-feats [options] <in-rspecifier> <out-wspecifier>
 e.g.: subset-feats --n=10 ark:- ark:-
       subset-feats --include=uttlist ark:- ark:-
       subset-feats --exclude=uttlist ark:- ark:-",
    options: &[
        Spec::int("n", FIRST, "How many of the first utterances to copy"),
        Spec::text(
            "include",
            "",
            "A list whose first words are the keys to copy",
        ),
        Spec::text(
            "exclude",
            "",
            "A list whose first words are the keys to leave out",
        ),
    ],
    arguments: (2, 2),
    run: subset_feats,
};

/// The default of `--n`, which may be given together with the lists.
const FIRST: i32 = 10;

pub(super) static SELECT_FEATS: Tool = Tool {
    name: "select-feats",
    usage: "\
Copies some columns, in the order in which they are named.

Usage: select-feats [options] <selection> <in-rspecifier> <out-wspecifier>
 e.g.: select-feats 0,24-22,3-12 scp:feats.scp ark,scp:out.ark,out.scp",
    options: &[],
    arguments: (3, 3),
    run: select_feats,
};

pub(super) static SPLICE_FEATS: Tool = Tool {
    name: "splice-feats",
    usage: "\
Puts beside each frame its neighbours; at the edges the first and the last frame are repeated.

Usage: splice-feats [options] <in-rspecifier> <out-wspecifier>
 e.g.: splice-feats --left-context=3 --right-context=3 scp:feats.scp ark:-",
    options: &[
        Spec::int("left-context", 4, "Frames before"),
        Spec::int("right-context", 4, "Frames after"),
    ],
    arguments: (2, 2),
    run: splice_feats,
};

fn subset_feats(session: &Session) -> Result<u8> {
    let options = &session.options;
    let n = options.int("n");
    let listed = options.text("exclude").is_empty();
    let list = if listed {
        options.text("include")
    } else {
        options.text("exclude")
    };
    if !listed && !options.text("include").is_empty() {
        return Err(Error::usage("should not have both --exclude and --include"));
    }
    if !list.is_empty() && n != FIRST {
        return Err(Error::usage("should not have both a list and --n"));
    }
    let first = u64::try_from(n).ok().filter(|n| *n > 0);
    let Some(first) = first else {
        return Err(Error::usage(format!(
            "Invalid option --n={n}. Should be at least 1"
        )));
    };
    let (from, to) = (session.argument(0), session.argument(1));
    if list.is_empty() {
        let reader = session.read_table(from, Holder::Matrix)?;
        let mut writer = session.write_table(to, &[])?;
        writer.write_all(&mut Take::new(reader, first))?;
        writer.finish()?;
        return Ok(DONE);
    }
    let keys = keys(session, list)?;
    let seen = Arc::new(AtomicU64::new(0));
    let counter = seen.clone();
    let request = Request::all().keys(move |key| {
        counter.fetch_add(1, Ordering::Relaxed);
        keys.contains(key) == listed
    });
    let mut reader = session.read_requested(from, Holder::Matrix, request)?;
    let mut writer = session.write_table(to, &[])?;
    writer.write_all(reader.as_mut())?;
    let (count, seen) = (writer.count, seen.load(Ordering::Relaxed));
    writer.finish()?;
    session
        .log
        .info(format!(" Wrote {count} out of {seen} utterances."));
    Ok(if count > 0 { DONE } else { NOTHING })
}

/// Reads the first word of each line.
fn keys(session: &Session, list: &str) -> Result<HashSet<Key>> {
    let mut source = session.env.open(&specifier::rxfilename(list)?)?;
    let (mut line, mut number) = (Vec::new(), 0);
    let mut keys = HashSet::new();
    while source.line(&mut line, &session.env.limits)? {
        number += 1;
        let mut words = line
            .split(|b| matches!(b, b' ' | b'\t' | b'\r'))
            .filter(|word| !word.is_empty());
        let Some(key) = words.next() else {
            return Err(Error::malformed("a blank line").file(list).line(number));
        };
        keys.insert(Key::from(key));
    }
    Ok(keys)
}

fn select_feats(session: &Session) -> Result<u8> {
    // Kaldi reads numbers after white space.
    let list = session.argument(0).split(',').map(|part| {
        let ends: Vec<_> = part.split('-').map(str::trim).collect();
        ends.join("-")
    });
    let columns: Columns = list.collect::<Vec<_>>().join(",").parse()?;
    let reader = session.read_table(session.argument(1), Holder::Matrix)?;
    let mut reader = SelectColumns::new(reader, columns, session.env.limits);
    let mut utt = Utterance::default();
    if !reader.read(&mut utt)? {
        session.log.warning("Empty archive provided.");
    } else {
        let mut writer = session.write_table(session.argument(2), &[])?;
        writer.write(&utt)?;
        writer.write_all(&mut reader)?;
        writer.finish()?;
    }
    Ok(DONE)
}

fn splice_feats(session: &Session) -> Result<u8> {
    let frames = |option| {
        usize::try_from(session.options.int(option))
            .map_err(|_| Error::usage(format!("--{option} is a number of frames from 0 on")))
    };
    let (left, right) = (frames("left-context")?, frames("right-context")?);
    let reader = session.read_table(session.argument(0), Holder::Matrix)?;
    let mut reader = Context::new(reader, left, right, session.env.limits);
    let mut writer = session.write_table(session.argument(1), &[])?;
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        if utt.frames() == 0 {
            return Err(Error::unfit("has no frames to splice").utterance(&utt.key));
        }
        writer.write(&utt)?;
    }
    writer.finish()?;
    Ok(DONE)
}
