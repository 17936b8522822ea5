//! Outputs: their places, and what becomes of them.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Finish, Locator, MemoryStore, Output, Part};
use spr_core::format::Medium;
use spr_core::{Error, ErrorKind, Remedy, Result};

use super::memory;

/// A stream whose bytes are kept, and whether it was finished.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<(Vec<u8>, bool)>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().0.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for Kept {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.lock().unwrap().1 = true;
        Ok(())
    }
}

fn put(output: &Output, part: Part<'_>, bytes: &[u8]) -> Result<u64> {
    let mut sink = output.create(part, false)?;
    sink.put(bytes)?;
    sink.finish()
}

#[test]
fn a_stream_of_the_caller_is_written_once() {
    for patch in [false, true] {
        let kept = Kept::default();
        let env = Env::default();
        let output = Output::stream("pipe", Box::new(kept.clone())).within(&env);
        assert_eq!(
            (output.name(), output.medium()),
            ("pipe".to_owned(), Medium::Stream)
        );
        assert_eq!(output.locator(), Locator::Standard);
        output.reserve().unwrap();
        let mut sink = output.create(Part::Main, patch).unwrap();
        sink.put(b"xxdata").unwrap();
        sink.flush().unwrap();
        assert_eq!((sink.name(), sink.position()), ("pipe", 6));
        let patched = sink.patch(0, b"ok");
        match patch {
            true => patched.unwrap(),
            false => assert_eq!(
                patched.unwrap_err().to_string(),
                "pipe@0: this output can't be changed afterwards"
            ),
        }
        assert_eq!(env.waiting.bytes(), (0, if patch { 6 } else { 0 }));
        assert_eq!(sink.finish().unwrap(), 6);
        assert_eq!(
            env.waiting.bytes(),
            (if patch { 6 } else { 0 }, if patch { 6 } else { 0 })
        );
        let expected: &[u8] = if patch { b"okdata" } else { b"xxdata" };
        assert_eq!(*kept.0.lock().unwrap(), (expected.to_vec(), true));
        assert!(output.create(Part::Main, false).is_err(), "it is taken");
    }
}

#[test]
fn places_are_those_that_were_named() {
    let (store, env) = memory([]);
    let output = env
        .output(&Locator::file("a.ark"))
        .with_named("scp", Locator::file("b.scp"));
    assert_eq!(output.companion("scp"), Some(Locator::file("b.scp")));
    assert_eq!(output.companion("keys"), None);
    assert_eq!(output.locations(), ["a.ark".into(), "b.scp".into()]);
    put(&output, Part::Main, b"data").unwrap();
    put(&output, Part::Named("scp"), b"names").unwrap();
    let error = put(&output, Part::Named("keys"), b"").unwrap_err();
    assert_eq!(error.message(), "no place was given for the keys");
    let error = put(&output, Part::Member("x"), b"").unwrap_err();
    assert_eq!(error.to_string(), "a.ark: expected a folder");
    assert_eq!(output.staged(), ["a.ark".into(), "b.scp".into()]);
    let written = output.written().unwrap();
    assert_eq!(written, [("a.ark".into(), 4), ("b.scp".into(), 5)]);
    assert!(store.locations().is_empty());
    output.commit().unwrap();
    assert_eq!(store.get("b.scp").unwrap(), b"names");
    // A place in a file can only be read, a folder has no side files, and nowhere takes all.
    let within = env.output(&Locator::FileAt("c".into(), 7));
    let message = "c:7: is a place in a file, which can only be read";
    assert_eq!(
        put(&within, Part::Main, b"").unwrap_err().to_string(),
        message
    );
    assert_eq!(within.reserve().unwrap_err().to_string(), message);
    let folder = env.output(&Locator::folder("d"));
    let error = put(&folder, Part::Suffix(".keys"), b"").unwrap_err();
    assert_eq!(error.message(), "d has no place for a side file");
    let nowhere = env.output(&Locator::Nowhere);
    assert_eq!(nowhere.medium(), Medium::File);
    assert_eq!(put(&nowhere, Part::Main, b"data").unwrap(), 4);
    assert_eq!(put(&nowhere, Part::Suffix(".keys"), b"k").unwrap(), 1);
    // A command in a file is not run.
    let command = Locator::Command("true".to_owned());
    let error = put(&nowhere, Part::At(&command), b"").unwrap_err();
    assert_eq!(error.remedy(), Some(&Remedy::AllowPipes));
}

#[test]
fn a_file_holds_one_utterance_and_a_folder_one_of_a_name() {
    let (_, env) = memory([]);
    let key = "a".into();
    let file = env.output(&Locator::file("a.num"));
    file.accept(&key, "num").unwrap();
    put(&file, Part::Utterance(&key, "num"), b"x").unwrap();
    let error = file.accept(&key, "num").unwrap_err();
    assert_eq!(
        error.to_string(),
        "utterance a: a second utterance, but the file holds one"
    );
    assert_eq!(error.remedy(), Some(&Remedy::NameFolder));
    let error = file.file_of(&key, "num").unwrap_err();
    assert_eq!(error.to_string(), "a.num: expected a folder");
    let folder = env.output(&Locator::folder("d"));
    assert_eq!(folder.file_of(&key, "num").unwrap(), "d/a.num".into());
    assert_eq!(folder.take_begun(), None);
    folder.accept(&key, "num").unwrap();
    put(&folder, Part::Utterance(&key, "num"), b"x").unwrap();
    assert_eq!(folder.take_begun(), Some("d/a.num".into()));
    assert_eq!(folder.take_begun(), None);
    let error = folder.accept(&key, "num").unwrap_err();
    assert!(error.can_continue() && error.kind() == ErrorKind::Unfit);
    assert_eq!(
        (error.key(), error.file_name()),
        (Some(&key), Some("d/a.num"))
    );
    folder.accept(&key, "wav").unwrap();
}

#[test]
fn a_rehearsal_keeps_nothing() {
    let (store, env) = memory([("old", vec![1])]);
    let file = env.output(&Locator::file("a")).rehearse();
    let mut sink = file.create(Part::Main, true).unwrap();
    sink.put(b"data").unwrap();
    sink.patch(0, b"x").unwrap();
    assert_eq!(sink.finish().unwrap(), 4);
    let folder = env.output(&Locator::folder("d")).rehearse();
    let key = "k".into();
    put(&folder, Part::Utterance(&key, "num"), b"x").unwrap();
    assert!(put(&folder, Part::Utterance(&key, "num"), b"x").is_err());
    put(&folder, Part::Member("b.txt"), b"x").unwrap();
    let seeing = env.seeing(&folder);
    assert!(
        seeing.open_file(&"d/k.num".into()).is_err(),
        "its bytes are gone"
    );
    let command = env
        .output(&Locator::Command("touch x".to_owned()))
        .rehearse();
    assert!(
        put(&command, Part::Main, b"x").is_err(),
        "that is refused all the same"
    );
    // What is in the way is found.
    let over = env.output(&Locator::file("old")).rehearse();
    assert!(put(&over, Part::Main, b"x").is_err());
    Output::commit_all([file, folder]).unwrap();
    assert_eq!(store.locations(), ["old".into()]);
}

#[test]
fn outputs_of_two_stores_are_not_committed_together() {
    let ((one, first), (two, second)) = (memory([]), memory([]));
    let outputs = [&first, &second].map(|env| {
        let output = env.output(&Locator::file("a"));
        put(&output, Part::Main, b"x").unwrap();
        output
    });
    let error = Output::commit_all(outputs).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a: goes to another store than what is committed with it"
    );
    assert!(one.locations().is_empty() && two.locations().is_empty());
}

#[test]
fn a_side_file_of_an_earlier_run_goes_with_what_it_belonged_to() {
    let files = || [("a", vec![1]), ("a.keys", vec![2])];
    let write = |env: &Env, over| {
        let output = env.output(&Locator::file("b")).overwrite(over);
        output.discard(Part::At(&Locator::file("a.keys")));
        put(&output, Part::Main, b"x").unwrap();
        let seeing = env.seeing(&output);
        assert!(!seeing.exists(&"a.keys".into()), "it will be gone");
        assert!(seeing.exists(&"a".into()));
        output.commit()
    };
    let (store, env) = memory(files());
    let error = write(&env, false).unwrap_err();
    assert_eq!(
        (error.file_name(), error.remedy()),
        (Some("a.keys"), Some(&Remedy::Overwrite))
    );
    assert_eq!(store.locations().len(), 2, "nothing was changed");
    write(&env, true).unwrap();
    assert_eq!(store.locations(), ["a".into(), "b".into()]);
}

#[test]
fn finished_files_are_seen_before_they_have_their_names() {
    let (_, env) = memory([("a", vec![1]), ("d/old", vec![2])]);
    let folder = env.output(&Locator::folder("d")).adding(true);
    put(&folder, Part::Member("s/x.num"), b"new").unwrap();
    let seeing = env.seeing(&folder);
    let bytes = |name: &str| {
        let mut source = seeing.open_file(&name.into())?;
        source.rest("bytes", &env.limits)
    };
    assert_eq!(bytes("d/s/x.num").unwrap(), b"new");
    assert_eq!(bytes("a").unwrap(), [1], "other files are where they were");
    assert_eq!(bytes("d/old").unwrap(), [2]);
    assert!(bytes("d/gone").unwrap_err().is_missing());
    assert!(seeing.is_folder(&"d".into()) && seeing.is_folder(&"d/s".into()));
    assert!(!seeing.is_folder(&"d/s/x.num".into()));
    let length = seeing.look(&"d/s/x.num".into()).unwrap().unwrap().length;
    assert_eq!(length, 3);
    assert_eq!(seeing.look(&"d/gone".into()).unwrap(), None);
    assert_eq!(seeing.list(&"d/s".into()).unwrap(), ["d/s/x.num".into()]);
    assert_eq!(seeing.list(&"d".into()).unwrap(), ["d/s/x.num".into()]);
    assert_eq!(seeing.entries(&"d".into()).unwrap(), ["d/s".into()]);
    assert!(!env.exists(&"d/s/x.num".into()), "not without the output");
    // They are no inputs, which could not be replaced.
    env.check_unread(&"d/s/x.num".into()).unwrap();
    drop(folder);
    assert!(bytes("d/s/x.num").is_err());
}

#[test]
fn what_is_in_the_way_is_refused() {
    let files = || [("f", vec![1]), ("d/a", vec![2])];
    let commit = |at: Locator, over: bool, add: bool| -> Result<MemoryStore, Error> {
        let (store, env) = memory(files());
        let output = env.output(&at).overwrite(over).adding(add);
        output.reserve()?;
        match output.is_folder() {
            true => put(&output, Part::Member("a"), b"x")?,
            false => put(&output, Part::Main, b"x")?,
        };
        output.commit().map(|()| store)
    };
    for (at, over, add, remedy) in [
        (Locator::file("f"), false, false, Some(Remedy::Overwrite)),
        (
            Locator::folder("d"),
            false,
            false,
            Some(Remedy::ReplaceFolder),
        ),
        (Locator::folder("d"), false, true, Some(Remedy::Overwrite)),
        (Locator::file("d"), true, true, None),
        (Locator::folder("f"), true, true, None),
    ] {
        let error = commit(at.clone(), over, add).err().unwrap();
        assert_eq!(error.remedy(), remedy.as_ref(), "{at} {error}");
    }
    let store = commit(Locator::folder("d"), true, false).unwrap();
    assert_eq!(store.get("d/a").unwrap(), b"x");
    // What was read stays.
    let (_, env) = memory(files());
    env.open_file(&"d/a".into()).unwrap();
    let output = env.output(&Locator::folder("d")).overwrite(true);
    put(&output, Part::Member("b"), b"x").unwrap();
    let error = output.commit().unwrap_err();
    assert_eq!(
        (error.kind(), error.file_name()),
        (ErrorKind::Usage, Some("d"))
    );
}
