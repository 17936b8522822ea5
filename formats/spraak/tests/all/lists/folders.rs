//! Folders with a list for each utterance.

use super::*;

/// Writes a list for each utterance into `out`, and returns the folder and the errors of those that
/// were refused.
fn write_each(options: &[(&str, &str)], utts: &[Utterance]) -> (MemoryStore, Vec<String>) {
    let store = MemoryStore::new();
    let env = Env::default().with_store(Arc::new(store.clone()));
    let output = env.output(&Locator::folder("out"));
    let options = Options::new(SPR.info(), options.iter().copied()).unwrap();
    let about = Default::default();
    let mut writer = SPR.create(output.clone(), &options, &about, &env).unwrap();
    let mut refused = Vec::new();
    for utt in utts {
        match writer.accept(utt) {
            Ok(()) => writer.write(utt).unwrap(),
            Err(error) => {
                assert!(error.can_continue(), "{error}");
                assert_eq!(
                    writer.write(utt).unwrap_err().to_string(),
                    error.to_string()
                );
                refused.push(error.to_string());
            }
        }
    }
    let written = writer.finish().unwrap();
    assert_eq!(written.utterances, (utts.len() - refused.len()) as u64);
    output.commit().unwrap();
    let files = store.locations().into_iter();
    let sizes = files.map(|at| store.get(at).unwrap().len() as u64);
    assert_eq!(written.bytes, sizes.sum::<u64>());
    (store, refused)
}

/// Returns the files in a folder that was written, sorted.
fn names(store: &MemoryStore) -> Vec<String> {
    let mut names: Vec<_> = store.locations().iter().map(ToString::to_string).collect();
    names.sort();
    names
}

#[test]
fn each_utterance_has_a_list_of_its_own() {
    for (data, utts) in [
        (
            "SEG",
            [
                segmented("a", &[segment("x", 0.0, 0.5), segment("y", 0.5, 1.0)]),
                segmented("b/c", &[segment("z", 0.0, 0.25)]),
            ],
        ),
        (
            "CORPUS",
            [said("a", "one two", &[]), said("b/c", "three", &[])],
        ),
    ] {
        let options = [("data", data)];
        let (store, refused) = write_each(&options, &utts);
        assert_eq!(refused, [""; 0]);
        assert_eq!(names(&store), ["out/a.spr", "out/b/c.spr"], "{data}");
        for (name, utt) in names(&store).into_iter().zip(utts) {
            let alone = write_memory(&SPR, &options, &[utt]).unwrap();
            assert_eq!(store.get(name.clone()).unwrap(), alone, "{name}");
        }
    }
}

#[test]
fn what_no_list_holds_leaves_no_file() {
    let good = segmented("a", &[segment("x", 0.0, 0.5)]);
    let blank = segmented("b", &[segment("x y", 0.0, 0.5)]);
    let utts = [
        good.clone(),
        blank,
        said("c", "text", &[]),
        segmented("d", &[]),
    ];
    let (store, refused) = write_each(&[("data", "SEG")], &utts);
    assert_eq!(names(&store), ["out/a.spr"]);
    let keys: Vec<_> = refused.iter().map(|error| &error[..12]).collect();
    assert_eq!(keys, ["utterance b:", "utterance c:", "utterance d:"]);
    // A header of its own is one of a list, which others need not have.
    let mut first = good.clone();
    first.meta.tags = vec![tag("SPEAKER", "ann")];
    let mut other = segmented("b", &[segment("x", 0.0, 0.5)]);
    other.meta.tags = vec![tag("SPEAKER", "bob")];
    let (store, refused) = write_each(&[("data", "SEG")], &[first, other]);
    assert_eq!((names(&store).len(), refused.len()), (2, 0));
    let bob = store.get("out/b.spr").unwrap();
    assert!(bob.windows(11).any(|w| w == b"SPEAKER\tbob"));
}
