//! Archives of text that are cut at bytes: all parts together are the whole.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use spr_core::bytes::{Env, Location, MemoryStore, Store};
use spr_core::format::{ErrorPolicy, Format, Options, Request};
use spr_core::model::Utterance;
use spr_core::{Error, Result};
use spr_format_kaldi::FORMAT;

/// Matrices and vectors, some of them empty, with all kinds of white space and brackets in keys.
const MATRICES: &str = "a  [\n  1 2\n  3 4 ]\nb [ ]\nc  [ 5 6 7 ]\nd [ ]\n\n e] [ 8 ]\r\n \r\nf\n[\n 9 ] g [ 1 ]\n[h] [ 2 ]\n[ [ 3 ]\ni [ 4 ]\n";
const INTEGERS: &str = "a 1 2 3\nb\n\nc 4 \r\n d 5 6\n \n\ne 7 8\n";
const WORDS: &str = "a one [ two ]\nb\n\nc three ]\r\n d [ 1 ]\n \n\ne x y\n";
const POSTERIORS: &str = "a [ 1 0.5 2 0.5 ] [ 3 1 ]\nb [ 4 1 ] \n\nc [ 5 1 ] [ ]\nd [ 6 1 ]\n";

/// The key of an utterance, and what it holds.
type Held = (String, String);

fn env(text: &[u8]) -> Env {
    let store = MemoryStore::new();
    store.insert("x.ark", text.to_vec());
    Env::default().with_store(Arc::new(store) as Arc<dyn Store>)
}

/// The utterances that belong to these bytes, and the error at their end.
fn read(within: Option<[u64; 2]>, lenient: bool, env: &Env) -> (Vec<Held>, Result<()>) {
    let mut all = Vec::new();
    let read = (|| {
        let source = env.open_file(&Location::from("x.ark"))?;
        let request = Request::all()
            .within(within)
            .on_error(ErrorPolicy::skip_if(lenient));
        let opened = request.open(&FORMAT, source, &Options::default(), env);
        let mut reader = opened?.into_stream()?;
        let mut utt = Utterance::default();
        loop {
            match reader.read(&mut utt) {
                Ok(false) => return Ok(()),
                Ok(true) => {
                    let held = [&utt.features, &utt.labels].map(|matrix| {
                        let matrix = matrix.as_ref();
                        matrix.map(|m| (m.rank(), m.rows(), m.cols(), m.as_bytes().to_vec()))
                    });
                    let held = format!("{held:?} {:?}", utt.object);
                    all.push((utt.key.to_string(), held));
                }
                Err(error) if lenient && error.can_continue() => {}
                Err(error) => return Err(error),
            }
        }
    })();
    (all, read)
}

/// Reads a text in all parts of three, and returns the keys with which parts start, and the first
/// fault.
fn check(text: &[u8], lenient: bool) -> (Vec<String>, Option<Error>) {
    let env = env(text);
    let (whole, end) = read(None, lenient, &env);
    end.unwrap();
    assert!(whole.len() > 2);
    let (mut starts, mut fault) = (Vec::new(), None);
    let len = text.len() as u64;
    for first in 0..=len {
        for second in first..=len {
            let cuts = [[0, first], [first, second], [second, len]];
            let parts = cuts.map(|cut| read(Some(cut), lenient, &env));
            let mut all = Vec::new();
            for (n, (held, end)) in parts.into_iter().enumerate() {
                starts.extend(held.first().filter(|_| n > 0).map(|held| held.0.clone()));
                all.extend(held);
                if let Err(error) = end {
                    fault = fault.or(Some(error));
                    all.clone_from(&whole);
                    break;
                }
            }
            assert!(all == whole, "{first} {second}: {all:?}");
        }
    }
    starts.sort();
    starts.dedup();
    (starts, fault)
}

#[test]
fn every_entry_is_in_one_part() {
    for (text, expected) in [
        // Not those without numbers, nor behind another on one line.
        (MATRICES, &["[", "[h]", "a", "c", "e]", "f", "i"][..]),
        (INTEGERS, &["a", "b", "c", "d", "e"]),
        (WORDS, &["a", "b", "c", "d", "e"]),
        (POSTERIORS, &["a", "b", "c", "d"]),
    ] {
        for lenient in [false, true] {
            let (starts, fault) = check(text.as_bytes(), lenient);
            assert_eq!(starts, expected);
            assert!(fault.is_none(), "{fault:?}");
        }
    }
}

/// Text inside a binary object looks like an entry.
#[test]
fn a_part_that_starts_inside_an_entry_is_a_fault() {
    let mut text = b"a [ 1 2 ]\nb [ 3 ]\nx \0BFV \x04\x06\0\0\0".to_vec();
    text.extend_from_slice(b"  ]\nc [ 1 ]\nd [ 2 ]\n    ");
    text.extend_from_slice(b"e [ 4 5 ]\nf [ 6 ]\n");
    let (_, fault) = check(&text, false);
    let fault = fault.unwrap().to_string();
    assert!(
        fault.contains("expected the start of an entry at byte"),
        "{fault}"
    );
}

#[test]
fn only_text_of_a_known_form_is_cut() {
    for (text, expected) in [
        (MATRICES, true),
        (INTEGERS, true),
        (WORDS, true),
        (POSTERIORS, true),
        ("a \0BFV \x04\x01\0\0\0\0\0\0\0", false),
        (" [ 1 2 3 ]\n", false),
        ("a b.ark:5\nc b.ark:80\n", false),
        // A fault is left to the reader.
        ("a [ x ]\n", true),
        ("", false),
    ] {
        let env = env(text.as_bytes());
        let source = env.open_file(&Location::from("x.ark")).unwrap();
        let can = FORMAT.can_cut(source, &Options::default(), &env).unwrap();
        assert_eq!(can, expected, "{text:?}");
    }
    // What can't be cut is not read as a whole.
    let env = env(b"a b.ark:5\n");
    let (_, read) = read(Some([0, 3]), false, &env);
    let error = read.unwrap_err().to_string();
    assert!(error.contains("it can't be cut"), "{error}");
}
