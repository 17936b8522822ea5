//! Files that are cut at lines: all parts together are the whole.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use spr_core::bytes::{Env, Location, MemoryStore, Store};
use spr_core::format::{Options, Request};
use spr_core::model::Utterance;
use spr_format_jsonl::FORMAT;

const TEXT: &str = "{\"key\":\"a\",\"text\":\"x\"}\n\n{\"key\":\"b\",\"text\":\"x\"}\r\n \n{\"key\":\"c\",\"text\":\"xyz\"}\n{\"key\":\"d\",\"text\":\"x\"}";

/// The keys of the lines that start in these bytes.
fn keys(lines: Option<[u64; 2]>, env: &Env) -> Vec<String> {
    let source = env.open_file(&Location::from("x.jsonl")).unwrap();
    let request = Request::all().within(lines);
    let opened = request.open(&FORMAT, source, &Options::default(), env);
    let mut reader = opened.unwrap().into_stream().unwrap();
    let (mut utt, mut keys) = (Utterance::default(), Vec::new());
    while reader.read(&mut utt).unwrap() {
        keys.push(utt.key.to_string());
    }
    keys
}

#[test]
fn every_line_is_in_one_part() {
    let store = MemoryStore::new();
    store.insert("x.jsonl", TEXT.as_bytes().to_vec());
    let env = Env::default().with_store(Arc::new(store) as Arc<dyn Store>);
    let whole = keys(None, &env);
    assert_eq!(whole, ["a", "b", "c", "d"]);
    let end = TEXT.len() as u64;
    for first in 0..=end {
        for second in first..=end {
            let cuts = [[0, first], [first, second], [second, end]];
            let parts = cuts.map(|cut| keys(Some(cut), &env));
            assert_eq!(parts.concat(), whole, "{first} {second}");
        }
    }
}
