//! Data that are never on a disk.

use std::path::Path;
use std::sync::Arc;

use spr_convert::builder::PlanBuilder;
use spr_convert::builtin;
use spr_convert::core::bytes::MemoryStore;
use spr_convert::job::Job;
use spr_convert::plan::Input;

use super::{TWO, conversion, read_in, run};

#[test]
fn a_whole_conversion_happens_in_memory() {
    let store = MemoryStore::new();
    store.insert("no such folder/in.jsonl", TWO.as_bytes().to_vec());
    let labels = "{\"key\":\"b\",\"labels\":[7],\"meta\":{}}\n{\"key\":\"a\",\"labels\":[8,9],\"meta\":{}}\n";
    store.insert("no such folder/labels.jsonl", labels.as_bytes().to_vec());
    let env = builtin::env().with_store(Arc::new(store.clone()));
    let at = |name: &str| format!("no such folder/{name}");
    for output in ["x.pfile", "x.pkl", "x.jsonl"] {
        let mut builder = conversion(&at("in.jsonl"), &at(output), &env).unwrap();
        let registry = builtin::registry();
        builder.labels(&at("labels.jsonl")).unwrap();
        let plan = builder.verify(true).hash(true).finish().unwrap();
        let outcome = Job::new(plan).run(&registry, &env, &mut ()).unwrap();
        assert!(outcome.verified && outcome.hash.is_some(), "{output}");
        assert_eq!(outcome.written.frames, 3, "{output}");
        let back = read_in(&at(output), &env).unwrap();
        let labels: Vec<_> = back
            .iter()
            .map(|utt| (utt.key.to_string(), utt.labels.as_ref().unwrap()))
            .map(|(key, labels)| (key, labels.values::<i32>().unwrap().to_vec()))
            .collect();
        assert_eq!(
            labels,
            [("a".to_owned(), vec![8, 9]), ("b".to_owned(), vec![7])]
        );
    }
    // Patterns are looked up there, too.
    let mut builder = PlanBuilder::new(&builtin::registry(), &env);
    let all = builder.input(&at("*.jsonl")).unwrap().finish().unwrap();
    let all: Vec<_> = all.inputs().iter().map(Input::text).collect();
    assert_eq!(all, ["in.jsonl", "labels.jsonl", "x.jsonl"].map(at));
    let tables = format!("ark,scp:{},{}", at("t.ark"), at("t.scp"));
    run(&at("in.jsonl"), &tables, &env).unwrap();
    run(&at("t.scp"), &at("folder.spr/"), &env).unwrap();
    run(&at("folder.spr"), &at("back.jsonl"), &env).unwrap();
    let names: Vec<_> = store.locations().iter().map(ToString::to_string).collect();
    assert!(names.contains(&at("folder.spr/b.spr")), "{names:?}");
    assert_eq!(
        store.get(at("back.jsonl").as_str()).unwrap(),
        TWO.as_bytes()
    );
    assert!(!Path::new("no such folder").exists());
    // Nothing is replaced there, either, whoever comes.
    let env = builtin::env().with_store(Arc::new(store));
    let error = run(&at("in.jsonl"), &at("t.ark"), &env).unwrap_err();
    assert!(error.to_string().contains("exists"), "{error}");
}
