//! Several inputs as one reader: what is at fault in one costs no other.

use std::sync::{Arc, Mutex};

use spr_convert::builder::PlanBuilder;
use spr_convert::builtin;
use spr_convert::core::bytes::{Env, MemoryStore};
use spr_convert::core::format::{ErrorPolicy, Request};
use spr_convert::core::model::Utterance;

/// Files of an utterance each, some of which are at fault.
const FILES: [(&str, &str); 3] = [
    ("a.jsonl", "{\"key\":\"a\",\"text\":\"x\"}\n"),
    ("cut.jsonl", "{\"key\":\"c\",\"text\":\"x\"}\n{\"key\":"),
    ("wrong.jsonl", "\0\0\0\0"),
];

/// Reads inputs, of which faults are skipped, and returns the keys and what was told.
fn read(names: &[&str], skips: bool) -> (Result<Vec<String>, String>, Vec<String>) {
    let store = MemoryStore::new();
    for (name, text) in FILES {
        store.insert(name, text.as_bytes().to_vec());
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let env: Env = builtin::env().with_store(Arc::new(store));
    let env = env.telling_skipped(move |error| heard.lock().unwrap().push(error.to_string()));
    let registry = builtin::registry();
    let mut builder = PlanBuilder::new(&registry, &env);
    for name in names {
        builder.input(name).unwrap();
    }
    builder.on_error(ErrorPolicy::skip_if(skips));
    let plan = builder.finish().unwrap();
    let keys = || {
        let mut reader = plan.open(Request::all(), &registry, &env)?.reader;
        let (mut utt, mut keys) = (Utterance::default(), Vec::new());
        while reader.read(&mut utt)? {
            keys.push(utt.key.to_string());
        }
        Ok(keys)
    };
    let keys = keys().map_err(|error: spr_convert::Error| error.to_string());
    let told = told.lock().unwrap().clone();
    (keys, told)
}

#[test]
fn the_next_input_follows_wherever_the_fault_is() {
    for bad in ["cut.jsonl", "wrong.jsonl", "gone.jsonl"] {
        for names in [[bad, "a.jsonl"], ["a.jsonl", bad]] {
            let (keys, told) = read(&names, true);
            let keys = keys.unwrap_or_else(|error| panic!("{names:?}: {error}"));
            assert!(keys.contains(&"a".to_owned()), "{names:?}: {keys:?}");
            assert_eq!(keys.len(), 1 + usize::from(bad == "cut.jsonl"), "{names:?}");
            assert_eq!(told.len(), 1, "{names:?}: {told:?}");
            assert!(told[0].starts_with(bad), "{told:?}");
            let (stopped, told) = read(&names, false);
            assert!(stopped.unwrap_err().starts_with(bad), "{names:?}");
            assert!(told.is_empty(), "{told:?}");
        }
    }
    assert!(read(&["gone.jsonl", "none.jsonl"], true).0.is_err());
}
