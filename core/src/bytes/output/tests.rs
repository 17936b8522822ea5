//! Atomic outputs in both stores.

use std::fs;
use std::path::Path;

use super::*;
use crate::bytes::{Access, Change, DraftOptions, Local, MemoryStore, New, Part};
use crate::error::{ErrorKind, Remedy};
use crate::model::Limits;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn write(output: &Output, part: Part<'_>, bytes: &[u8]) -> Result<u64> {
    let mut sink = output.create(part, false)?;
    sink.put(bytes)?;
    sink.finish()
}

fn memory() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let env = Env::default().with_store(Arc::new(store.clone()));
    (store, env)
}

#[test]
fn files_appear_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pfile");
    let env = Env::default();
    let at = Locator::file(&path);
    for commit in [false, true] {
        let output = env.output(&at);
        let mut main = output.create(Part::Main, true).unwrap();
        let mut side = output.create(Part::Suffix(".keys"), false).unwrap();
        main.put(b"xxdata").unwrap();
        main.patch(0, b"ok").unwrap();
        side.put(b"k\n").unwrap();
        side.finish().unwrap();
        assert_eq!(main.finish().unwrap(), 6);
        assert!(!path.exists());
        if commit {
            output.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"okdata");
            assert_eq!(names(folder.path()), ["a.pfile", "a.pfile.keys"]);
        } else {
            drop(output);
            assert_eq!(names(folder.path()), [""; 0]);
        }
    }
    assert!(env.output(&at).create(Part::Main, false).is_err());
    let over = env.output(&at).overwrite(true);
    assert!(over.create(Part::Main, false).is_ok());
}

#[cfg(feature = "gzip")]
#[test]
fn compressed_outputs_can_be_patched() {
    let folder = tempfile::tempdir().unwrap();
    let (_, memory) = memory();
    for env in [Env::default(), memory] {
        for name in ["a.gz", "a.bz2", "a.zst"] {
            let at = Locator::file(folder.path().join(name));
            let output = env.output(&at);
            let mut sink = output.create(Part::Main, true).unwrap();
            sink.put(b"----rest").unwrap();
            sink.patch(0, b"head").unwrap();
            sink.finish().unwrap();
            output.commit().unwrap();
            let mut source = env.open(&at).unwrap();
            assert_eq!(source.layers().len(), 1);
            assert_eq!(source.array::<8>().unwrap(), *b"headrest");
        }
    }
}

#[test]
fn a_folder_appears_whole() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("out");
    let (_, memory) = memory();
    for env in [Env::default(), memory] {
        let at = Locator::folder(&folder);
        let output = env.output(&at);
        for key in ["a", "s/b"] {
            write(&output, Part::Utterance(&key.into(), "spr"), b"x").unwrap();
        }
        let again = output.create(Part::Utterance(&"a".into(), "spr"), true);
        let error = again.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unfit);
        assert_eq!(error.remedy(), Some(&Remedy::KeepOnlyOne));
        // An unfinished file does not appear.
        drop(output.create(Part::Utterance(&"cut".into(), "spr"), false));
        assert!(!env.exists(&Location::from(&folder)));
        output.commit().unwrap();
        let mut files = env.list(&Location::from(&folder)).unwrap();
        files.sort();
        let expected = ["a.spr", "s/b.spr"].map(|name| Location::from(folder.join(name)));
        assert_eq!(files, expected);
        let again = env.output(&at);
        let part = Part::Utterance(&"c".into(), "spr");
        assert!(again.create(part, true).is_err());
        drop(again);
        let more = env.output(&at).adding(true);
        write(&more, part, b"y").unwrap();
        more.commit().unwrap();
        assert_eq!(env.list(&Location::from(&folder)).unwrap().len(), 3);
    }
    assert_eq!(names(&folder), ["a.spr", "c.spr", "s"]);
    assert_eq!(names(parent.path()), ["out"]);
}

#[test]
fn a_folder_is_replaced_as_a_whole_or_added_to() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("out");
    let (_, memory) = memory();
    for env in [Env::default(), memory] {
        let at = Locator::folder(&folder);
        let fill = |output: &Output, key: &str| {
            write(output, Part::Utterance(&key.into(), "x"), key.as_bytes()).map(drop)
        };
        let files = || {
            let mut files = env.list(&Location::from(&folder)).unwrap();
            files.sort();
            let names = files
                .iter()
                .map(|f| f.relative_to(&Location::from(&folder)).unwrap());
            names.map(|name| name.to_string()).collect::<Vec<_>>()
        };
        let first = env.output(&at);
        fill(&first, "a").unwrap();
        fill(&first, "s/b").unwrap();
        first.commit().unwrap();
        // It is an obstacle, and so is each of its files for added ones.
        for output in [env.output(&at), env.output(&at)] {
            let error = output.reserve().unwrap_err();
            assert_eq!(error.remedy(), Some(&Remedy::ReplaceFolder));
        }
        let more = env.output(&at).adding(true);
        more.reserve().unwrap();
        fill(&more, "c").unwrap();
        fill(&more, "a").unwrap();
        let error = more.commit().unwrap_err();
        assert_eq!(error.remedy(), Some(&Remedy::Overwrite));
        assert!(error.file_name().unwrap().ends_with("a.x"), "{error}");
        assert_eq!(files(), ["a.x", "s/b.x"]);
        let over = env.output(&at).adding(true).overwrite(true);
        fill(&over, "c").unwrap();
        fill(&over, "a").unwrap();
        over.commit().unwrap();
        assert_eq!(files(), ["a.x", "c.x", "s/b.x"]);
        // All or nothing: if one name cannot be changed, the old files are restored.
        let whole = |key: &str| {
            let output = env.output(&at).overwrite(true);
            output.reserve().unwrap();
            fill(&output, key).unwrap();
            output
        };
        let bad = env.output(&Locator::file(parent.path().join("bad")));
        write(&bad, Part::Main, b"bad").unwrap();
        // Another process was faster.
        env.store()
            .commit(
                vec![made_by_another(&env, &parent.path().join("bad"))],
                &HashSet::new(),
                false,
            )
            .unwrap();
        assert!(Output::commit_all([whole("new"), bad]).is_err());
        assert_eq!(files(), ["a.x", "c.x", "s/b.x"]);
        whole("s/new").commit().unwrap();
        assert_eq!(files(), ["s/new.x"]);
        // No input in it is removed.
        drop(env.open_file(&folder.join("s/new.x").into()).unwrap());
        let error = whole("other").commit().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.file_name().unwrap().ends_with("out"), "{error}");
        assert_eq!(files(), ["s/new.x"]);
    }
    assert_eq!(names(parent.path()), ["bad", "out"]);
}

fn made_by_another(env: &Env, at: &Path) -> Change {
    let draft = env
        .store()
        .create(&at.into(), DraftOptions::default())
        .unwrap();
    Change::new(
        at.into(),
        New::File(draft.finish().unwrap()),
        DraftOptions::default(),
    )
}

#[test]
fn no_two_outputs_go_to_one_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("d")).unwrap();
    let env = Env::default();
    let file = |name: &str| Locator::file(folder.path().join(name));
    let dir = |name: &str| Locator::folder(folder.path().join(name));
    // Any number of outputs goes to the device that keeps nothing.
    let stdout = fs::canonicalize("/dev/stdout");
    let is_void = stdout.is_ok_and(|at| at.as_os_str() == "/dev/null");
    let mut tried = 0;
    for (first, second, is_inside) in [
        (file("a"), file("d/../a"), false),
        (file("none/../a"), file("a"), false),
        (file("none/../a"), file("other/../a"), false),
        (dir("n"), dir("d/../n"), false),
        (dir("n"), file("n/x"), true),
        (file("n/x"), dir("n"), true),
        (dir("n"), dir("n/d"), true),
        (Locator::Standard, Locator::Standard, false),
        (Locator::Standard, Locator::file("/dev/stdout"), false),
    ] {
        let held = env.output(&first);
        held.reserve().unwrap();
        tried += 1;
        if is_void && first == Locator::Standard {
            env.output(&second).reserve().unwrap();
            continue;
        }
        let error = env.output(&second).reserve().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{first} {second}: {error}");
        // Another folder helps where one is inside the other.
        assert_eq!(
            error.remedy().is_some(),
            is_inside,
            "{first} {second}: {error}"
        );
        drop(held);
        env.output(&second).reserve().unwrap();
    }
    assert_eq!(tried, 9);
    // The same holds for two streams of one output.
    let output = env.output(&file("a")).with_named("scp", file("d/../a"));
    assert!(output.reserve().is_err());
    drop(output);
    let output = env.output(&file("a"));
    let _main = output.create(Part::Main, false).unwrap();
    assert!(output.create(Part::At(&file("d/../a")), false).is_err());
    assert!(output.create(Part::Main, false).is_err());
    // Some destinations accept several writers.
    let null = Locator::file("/dev/null");
    let both = [&null, &null].map(|at| env.output(at));
    both.iter().for_each(|output| output.reserve().unwrap());
}

#[test]
fn a_rehearsal_checks_all_and_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("there"), "old").unwrap();
    let env = Env::default();
    let file = |name: &str| Locator::file(folder.path().join(name));
    assert!(
        env.output(&file("there"))
            .rehearse()
            .create(Part::Main, false)
            .is_err()
    );
    let output = env.output(&file("new")).rehearse();
    write(&output, Part::Main, b"new").unwrap();
    write(&output, Part::Suffix(".side"), b"new").unwrap();
    assert!(env.output(&file("new")).reserve().is_err());
    let files = env
        .output(&Locator::folder(folder.path().join("f")))
        .rehearse();
    assert!(files.is_folder());
    let part = Part::Utterance(&"a".into(), "x");
    write(&files, part, b"new").unwrap();
    assert!(write(&files, part, b"new").is_err());
    Output::commit_all([output, files]).unwrap();
    assert_eq!(names(folder.path()), ["there"]);
}

#[test]
fn memory_takes_all_or_nothing() {
    let (store, env) = memory();
    store.insert("b", b"old".to_vec());
    let outputs = |names: [&str; 2]| {
        names.map(|name| {
            let output = env.output(&Locator::file(name)).overwrite(true);
            write(&output, Part::Main, name.as_bytes()).unwrap();
            output.overwrite(name != "b")
        })
    };
    // The second may not be replaced.
    assert!(Output::commit_all(outputs(["a", "b"])).is_err());
    assert_eq!(store.locations(), ["b".into()]);
    assert_eq!(store.get("b").unwrap(), b"old");
    Output::commit_all(outputs(["a", "c"])).unwrap();
    let output = env.output(&Locator::file("a")).overwrite(true);
    write(&output, Part::Main, b"new").unwrap();
    let reading = env.open_file(&"a".into()).unwrap();
    let error = output.commit().unwrap_err();
    assert_eq!(error.kind_and_place(), (ErrorKind::Usage, "a".to_owned()));
    assert!(error.remedy().is_some());
    drop(reading);
    assert_eq!(store.get("a").unwrap(), b"a");
    let over = env.with_store(Arc::new(store.clone()));
    store.insert("d.x", Vec::new());
    for overwrite in [false, true] {
        let output = over.output(&Locator::file("d")).overwrite(overwrite);
        output.discard(Part::Suffix(".x"));
        write(&output, Part::Main, b"d").unwrap();
        assert_eq!(output.commit().is_ok(), overwrite);
    }
    let left = ["a", "b", "c", "d"].map(Location::from);
    assert_eq!(store.locations(), left);
}

#[cfg(unix)]
#[test]
fn commands_run_only_if_allowed() {
    let at = Locator::Command("cat > /dev/null".into());
    let env = |access| Env::new(Limits::default(), access, |_| {});
    let typed = |env: &Env| env.output(&at).create(Part::Main, false).map(drop);
    let found = |env: &Env| {
        let output = env.output(&Locator::Nowhere);
        output.create(Part::At(&at), false).map(drop)
    };
    let read = Locator::Command("true".into());
    let open = |env: &Env| env.open(&read).map(drop);
    let open_from = |env: &Env| env.open_from(None, &read).map(drop);
    for (env, allowed) in [
        (Env::default(), [false; 4]),
        (env(Access::Safe), [false; 4]),
        (env(Access::Typed), [true, false, true, false]),
        (env(Access::Files), [true; 4]),
    ] {
        let tried = [typed(&env), found(&env), open(&env), open_from(&env)];
        for (result, allowed) in tried.into_iter().zip(allowed) {
            assert_eq!(result.is_ok(), allowed, "{:?}: {result:?}", env.access);
            let kind = result.map_or_else(|e| e.kind(), |()| ErrorKind::Usage);
            assert_eq!(kind, ErrorKind::Usage);
        }
    }
}

#[cfg(feature = "gzip")]
#[test]
fn what_is_finished_is_read_back_before_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (store, memory) = memory();
    for env in [Env::default(), memory] {
        let file = Location::from(folder.path().join("a.gz"));
        let output = env.output(&Locator::File(file.clone()));
        let companion = Locator::file(folder.path().join("list"));
        write(&output, Part::At(&companion), b"names").unwrap();
        write(&output, Part::Main, b"data").unwrap();
        assert!(env.open_file(&file).is_err());
        let seeing = env.seeing(&output);
        assert_eq!(output.staged().last(), Some(&file));
        let mut source = seeing.open_file(&file).unwrap();
        assert_eq!(source.location(), Some(&file));
        assert_eq!(source.array::<4>().unwrap(), *b"data");
        assert!(seeing.exists(companion.location().unwrap()));
        output.commit().unwrap();

        let target = Location::from(folder.path().join("f"));
        let output = env.output(&Locator::Folder(target.clone()));
        write(&output, Part::Utterance(&"k".into(), "x"), b"utt").unwrap();
        let seeing = env.seeing(&output);
        let files = seeing.list(&target).unwrap();
        assert_eq!(files, [target.join("k.x")]);
        let mut source = seeing.open_file(&files[0]).unwrap();
        assert_eq!(source.array::<3>().unwrap(), *b"utt");
        write(&output, Part::Member("d/m"), b"inside").unwrap();
        let inside = target.join("d");
        assert!(seeing.is_folder(&inside) && !seeing.is_folder(&inside.join("m")));
        assert!(seeing.exists(&inside.join("m")) && !seeing.exists(&target.join("e")));
        assert_eq!(seeing.list(&inside).unwrap(), [inside.join("m")]);
        assert_eq!(
            seeing.entries(&target).unwrap(),
            [inside, target.join("k.x")]
        );
        drop(output);
        assert!(!seeing.exists(&target) && seeing.list(&target).is_err());
    }
    // Under another name it is the same file, and reading it back does not prevent writing it.
    let env = Env::default();
    fs::create_dir(folder.path().join("d")).unwrap();
    let output = env.output(&Locator::file(folder.path().join("n")));
    write(&output, Part::Main, b"1").unwrap();
    let other = folder.path().join("d/../n").into();
    assert!(env.seeing(&output).open_file(&other).is_ok());
    output.commit().unwrap();
    assert_eq!(store.locations().len(), 2);
}

// Windows removes no file that is open.
#[cfg(unix)]
#[test]
fn a_store_that_was_abandoned_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let local = Local::new();
    let env = Env::default().with_store(Arc::new(local.clone()));
    let at = |name: &str| Locator::file(folder.path().join(name));
    let output = env.output(&at("a"));
    write(&output, Part::Main, b"a").unwrap();
    let open = env.output(&at("b")).create(Part::Main, false).unwrap();
    let files = env.output(&Locator::folder(folder.path().join("f")));
    write(&files, Part::Utterance(&"k".into(), "x"), b"x").unwrap();
    let mut parents = crate::bytes::Parents::default();
    let made = Location::from(folder.path().join("made"));
    parents.make(&made, &env).unwrap();
    assert_eq!(names(folder.path()).len(), 4);
    local.abandon();
    assert_eq!(names(folder.path()), [""; 0]);
    for error in [
        output.commit().unwrap_err(),
        write(&env.output(&at("c")), Part::Main, b"").unwrap_err(),
        write(&files, Part::Utterance(&"l".into(), "x"), b"").unwrap_err(),
        files.commit().unwrap_err(),
        parents.make(&made, &env).unwrap_err(),
    ] {
        assert!(error.is_stopped(), "{error}");
    }
    drop((open, parents));
    local.abandon();
    assert_eq!(names(folder.path()), [""; 0]);
    // Another store is not affected.
    let output = Env::default().output(&at("a"));
    write(&output, Part::Main, b"a").unwrap();
    output.commit().unwrap();
}

#[test]
fn a_folder_has_members_with_names_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (_, in_memory) = memory();
    for env in [Env::default(), in_memory] {
        let at = Location::from(folder.path()).join("train");
        let output = env.output(&Locator::folder(at.clone()));
        // Two are open at the same time.
        let mut text = output.create(Part::Member("text"), false).unwrap();
        let mut archive = output.create(Part::Member("data/x.ark"), false).unwrap();
        text.put(b"ann HI\n").unwrap();
        archive.put(b"frames").unwrap();
        text.finish().unwrap();
        archive.finish().unwrap();
        assert!(output.create(Part::Member("text"), false).is_err());
        assert!(!env.exists(&at));
        output.commit().unwrap();
        let open = |name: &str| env.open_file(&at.join(name)).unwrap();
        assert_eq!(open("text").array::<7>().unwrap(), *b"ann HI\n");
        assert_eq!(open("data/x.ark").array::<6>().unwrap(), *b"frames");
    }
    let file = Env::default().output(&Locator::file(folder.path().join("a")));
    assert!(file.create(Part::Member("text"), false).is_err());
}
