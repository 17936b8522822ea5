//! What an environment allows, counts and tells.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Access, Env, Leftover, Location, Locator, OpenedFiles, Part, Source};
use spr_core::format::Medium;
use spr_core::{Error, ErrorKind, Remedy};

use super::memory;

/// What was logged, with the target.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}: {}", record.level(), record.target(), record.args());
        LOGGED.lock().unwrap().push(line);
    }

    fn flush(&self) {}
}

#[test]
fn warnings_go_to_the_logger_unless_something_listens() {
    log::set_logger(&Logger).unwrap();
    log::set_max_level(log::LevelFilter::Warn);
    let env = Env::default();
    env.warn(&Error::unfit("is \u{1b}[31mred").file("a.ark").hint("look"));
    env.tell_skipped(&Error::unfit("no labels").utterance(&"b".into()));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (warned, skipped) = (heard.clone(), heard.clone());
    let env = env
        .listening(move |e| warned.lock().unwrap().push(format!("warned {e}")))
        .telling_skipped(move |e| skipped.lock().unwrap().push(format!("skipped {e}")));
    env.warn(&Error::unfit("x"));
    env.tell_skipped(&Error::unfit("y"));
    assert_eq!(*heard.lock().unwrap(), ["warned x", "skipped y"]);
    assert_eq!(
        *LOGGED.lock().unwrap(),
        [
            "WARN spr_core: a.ark: is \\u{1b}[31mred (look)",
            "WARN spr_core: utterance b: no labels",
        ]
    );
}

#[test]
fn warnings_of_one_sort_come_from_one_place() {
    let sorts = Arc::new(Mutex::new(Vec::new()));
    let heard = sorts.clone();
    let env = Env::default().sorting(move |_, sort| heard.lock().unwrap().push(sort));
    for message in ["a", "b"] {
        env.warn(&Error::unfit(message));
    }
    env.warn(&Error::unfit("a"));
    let sorts = sorts.lock().unwrap();
    assert_eq!(sorts[0], sorts[1]);
    assert_ne!(sorts[1], sorts[2]);
}

#[test]
fn what_can_not_be_read_is_refused() {
    let (_, env) = memory([("d/a", vec![1])]);
    for (at, kind, message, remedy) in [
        (
            Locator::Nowhere,
            ErrorKind::Usage,
            "nothing can be read from nowhere",
            None,
        ),
        (
            Locator::Command("date".to_owned()),
            ErrorKind::Usage,
            "refused to run 'date'",
            Some(Remedy::AllowCommands),
        ),
        (
            Locator::folder("d"),
            ErrorKind::Usage,
            "d: is a folder, expected one file",
            None,
        ),
    ] {
        let error = env.open(&at).err().unwrap();
        assert_eq!((error.kind(), &*error.to_string()), (kind, message));
        assert_eq!(error.remedy(), remedy.as_ref());
    }
    assert!(env.open(&Locator::file("b")).err().unwrap().is_missing());
    assert!(env.exists(&"d/a".into()) && env.exists(&"d".into()) && !env.exists(&"b".into()));
    assert!(env.is_folder(&"d".into()) && !env.is_folder(&"d/a".into()));
}

#[test]
fn without_formats_no_object_is_known() {
    let env = Env::default();
    let missing = "holds an object of the format wav, which is not built in";
    assert_eq!(env.nested("wav").err().unwrap().message(), missing);
    let source = Source::from_bytes("it", b"RIFF".to_vec()).unwrap();
    assert_eq!(env.finder("wav", source).err().unwrap().message(), missing);
    assert_eq!(env.sound_by_extension("wav"), None);
    assert_eq!(env.nested_by_magic(b"RIFF"), None);
    assert_eq!(env.nested_lengths(b"RIFF"), []);
}

#[test]
fn bytes_and_files_are_counted_as_they_are_stored() {
    let (_, env) = memory([("a", vec![1; 700]), ("b", vec![2; 50])]);
    let (read, files) = (Arc::new(AtomicU64::new(0)), OpenedFiles::default());
    let env = env
        .counting([Location::from("a")], read.clone())
        .measuring(files.clone());
    for name in ["a", "b", "a"] {
        let mut source = env.open_file(&name.into()).unwrap();
        source.rest("bytes", &env.limits).unwrap();
    }
    assert_eq!(read.load(Ordering::Relaxed), 1400, "of a, twice");
    assert_eq!(files.sum(), (2, 750), "each once");
}

#[test]
fn inputs_are_not_replaced() {
    let (_, env) = memory([("a", vec![1]), ("b", vec![2])]);
    env.open_file(&"a".into()).unwrap();
    env.reads(&"b".into());
    for name in ["a", "b"] {
        let error = env.check_unread(&name.into()).unwrap_err();
        assert_eq!(
            (error.kind(), error.file_name()),
            (ErrorKind::Usage, Some(name))
        );
        let output = env.output(&Locator::file(name)).overwrite(true);
        assert_eq!(
            output.create(Part::Main, false).err().unwrap().to_string(),
            error.to_string()
        );
    }
    env.check_unread(&"c".into()).unwrap();
}

#[test]
fn names_are_matched_from_the_working_folder_on_and_at_urls() {
    let files = [
        "a.ark",
        "b.scp",
        "x/c.ark",
        "x/y/d.ark",
        "s3://b/e.ark",
        "s3://b/z/f.ark",
        "/top.ark",
    ];
    let (_, env) = memory(files.map(|name| (name, vec![1])));
    let env = env.listening(|warning| panic!("{warning}"));
    for (pattern, expected) in [
        ("*.ark", "a.ark"),
        ("x/*.ark", "x/c.ark"),
        ("x/", "x"),
        ("x/**/d.*", "x/y/d.ark"),
        // What is no folder has nothing below it.
        ("[ax]*/**/*.ark", "x/c.ark x/y/d.ark"),
        ("s3://b/*.ark", "s3://b/e.ark"),
        ("s3://b/**/*.ark", "s3://b/e.ark s3://b/z/f.ark"),
        ("/*.ark", "/top.ark"),
        ("a.ark/*", ""),
        ("none*", ""),
    ] {
        let found = env.matching(pattern).unwrap();
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.join(" "), expected, "{pattern}");
    }
    let error = env.matching("x/[a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(
        error
            .message()
            .starts_with("'x/[a' is not a valid pattern: "),
        "{error}"
    );
}

#[test]
fn names_in_a_list_are_found_beside_it() {
    let (_, env) = memory(["lists/a.scp", "lists/x.ark", "y.ark"].map(|name| (name, vec![1])));
    let (near, far) = ("lists/a.scp".into(), "https://host/d/a.scp".into());
    let at = |name: &str| Locator::file(name);
    for (list, named, found) in [
        (Some(&near), at("x.ark"), at("lists/x.ark")),
        (Some(&near), at("y.ark"), at("y.ark")),
        (Some(&near), at("gone.ark"), at("gone.ark")),
        (None, at("x.ark"), at("x.ark")),
        (Some(&far), at("y.ark"), at("https://host/d/y.ark")),
        (
            Some(&near),
            Locator::FileAt("x.ark".into(), 7),
            Locator::FileAt("lists/x.ark".into(), 7),
        ),
    ] {
        assert_eq!(env.found_from(list, &named), found, "{named}");
    }
    let list = Some(&near);
    assert_eq!(
        env.open_from(list, &at("x.ark")).unwrap().name(),
        "lists/x.ark"
    );
    let command = Locator::Command("date".to_owned());
    let are_files = [at("x.ark"), at("gone.ark"), command.clone()];
    let are_files = are_files.map(|named| env.is_file_from(list, &named));
    assert_eq!(are_files, [true, false, false]);
    let error = env.open_from(list, &command).err().unwrap();
    assert_eq!(error.remedy(), Some(&Remedy::AllowPipes));
    // What is named is not replaced, even if it is never opened.
    env.names(list, &at("y.ark"));
    env.check_unread(&"y.ark".into()).unwrap();
    let output = env.output(&at("y.ark")).overwrite(true);
    output.reserve().unwrap();
    env.names(list, &at("y.ark"));
    env.check_unread(&"y.ark".into()).unwrap_err();
}

#[test]
fn keys_of_files_are_their_names_below_a_folder() {
    let (_, env) = memory([("d/s/a.num.gz", vec![]), ("d/b.num", vec![7])]);
    let key = |env: &Env| {
        let source = env.open_file(&"d/b.num".into()).unwrap();
        env.key_of(&source).unwrap().0.to_string()
    };
    assert_eq!(key(&env), "b");
    assert_eq!(key(&env.below("".into())), "d/b");
    assert_eq!(key(&env.below("d".into())), "b");
    assert_eq!(key(&env.below("e".into())), "b");
    let source = Source::from_bytes("d/b.num", vec![1]).unwrap();
    assert_eq!(
        env.key_of(&source).unwrap().0,
        "utt000000".into(),
        "that is no file"
    );
}

#[test]
fn a_left_over_file_says_what_to_do_with_it() {
    for (is_old, is_last, target, message, hint) in [
        (
            true,
            true,
            Some("a"),
            "is the old a, from a run that was killed before it replaced it",
            "rename it to a, or delete it if you write it again",
        ),
        (
            true,
            false,
            Some("a"),
            "is the old a, from a run that was killed after it replaced it",
            "delete it if a is in order",
        ),
        (
            false,
            false,
            None,
            "is a part of a file from a run that was killed",
            "delete it",
        ),
    ] {
        let left = Leftover::new("x".into(), is_old, is_last, target.map(Location::from));
        assert_eq!(left.is_unfinished, is_old && is_last);
        let error = left.error();
        assert_eq!((error.file_name(), error.message()), (Some("x"), message));
        assert_eq!(error.hint_text().unwrap(), hint);
        assert!(left.unfinished().is_unfinished);
    }
}

#[cfg(unix)]
mod commands {
    use super::*;

    fn allowed() -> Env {
        let mut env = Env::default();
        env.access = Access::Typed;
        env
    }

    fn read(line: &str) -> (Vec<u8>, Option<String>) {
        let mut source = allowed().open(&Locator::Command(line.to_owned())).unwrap();
        assert!(source.is_live() && !source.can_seek());
        let mut bytes = Vec::new();
        loop {
            match source.byte() {
                Ok(byte) => bytes.push(byte),
                Err(error) => return (bytes, Some(error.to_string())),
            }
            match source.at_end() {
                Ok(true) => return (bytes, None),
                Ok(false) => {}
                Err(error) => return (bytes, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn the_status_of_a_command_is_part_of_its_data() {
        assert_eq!(read("printf abc"), (b"abc".to_vec(), None));
        for (line, how) in [
            ("printf abc; exit 3", "exit status 3"),
            ("printf abc; kill -9 $$", "killed by a signal"),
        ] {
            let (bytes, error) = read(line);
            assert_eq!(bytes, b"abc");
            let expected = format!("{line} |@3: cannot read: command failed with {how}: {line}");
            assert_eq!(error.unwrap(), expected);
        }
    }

    fn write(line: &str, bytes: &[u8]) -> Result<u64, String> {
        let output = allowed().output(&Locator::Command(line.to_owned()));
        assert_eq!(output.medium(), Medium::Stream);
        let write = || {
            let mut sink = output.create(Part::Main, false)?;
            sink.put(bytes)?;
            sink.flush()?;
            sink.finish()
        };
        write().map_err(|error| error.to_string())
    }

    #[test]
    fn a_command_takes_all_bytes_or_fails() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        assert_eq!(write(&format!("cat > {}", file.display()), b"abc"), Ok(3));
        assert_eq!(std::fs::read(&file).unwrap(), b"abc");
        let line = "cat > /dev/null; exit 3";
        let expected = format!("| {line}: cannot write: command failed with exit status 3: {line}");
        assert_eq!(write(line, b"abc"), Err(expected));
        // More than a pipe holds, to one that reads nothing.
        let expected = "| exit 4: cannot write: command failed with exit status 4: exit 4";
        assert_eq!(write("exit 4", &vec![0; 1 << 20]), Err(expected.to_owned()));
        let refused = Env::default().output(&Locator::Command("cat".to_owned()));
        let error = refused.create(Part::Main, false).err().unwrap();
        assert_eq!(error.remedy(), Some(&Remedy::AllowCommands));
        assert_eq!(
            refused.reserve().unwrap_err().to_string(),
            error.to_string()
        );
    }
}
