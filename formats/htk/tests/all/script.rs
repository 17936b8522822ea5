//! Script files, read and written.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{Env, Locator, MemoryStore, Part};
use spr_core::format::{Format, Options, Reader, Registry, Request};
use spr_core::model::{Decimal, Key, Matrix, Rank, Utterance};
use spr_format_htk::{HTK, SPHINX};
use spr_testkit::write_to;

/// Returns ten frames of one value, which is their number.
fn ten(key: &str) -> Utterance {
    let values: Vec<_> = (0..10u8).map(f32::from).collect();
    let mut utt = Utterance {
        key: Key::from(key),
        features: Some(Matrix::from_rows(&values, 1, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    utt.meta.frame_shift = Decimal::parse("0.01");
    utt
}

fn env() -> Env {
    Env::default().with_store(Arc::new(MemoryStore::new()))
}

fn put(env: &Env, name: &str, bytes: &[u8]) {
    let output = env.output(&Locator::file(name));
    let mut sink = output.create(Part::Main, false).unwrap();
    sink.put(bytes).unwrap();
    sink.finish().unwrap();
    output.commit().unwrap();
}

fn write(env: &Env, at: Locator, pairs: &[(&str, &str)], utts: &[Utterance]) -> Result<()> {
    let options = Options::new(HTK.info(), pairs.iter().copied())?;
    write_to(&HTK, &options, utts, env.output(&at)).map(drop)
}

fn open(env: &Env, list: &str, pairs: &[(&str, &str)]) -> Result<Box<dyn Reader>> {
    let options = Options::new(HTK.info(), pairs.iter().copied())?;
    let source = env.open_file(&list.into())?;
    Request::all()
        .open(&HTK, source, &options, env)?
        .into_stream()
}

/// Returns keys and first values, or messages marked with `!`.
fn told(env: &Env, list: &str, pairs: &[(&str, &str)]) -> Vec<String> {
    let mut reader = open(env, list, pairs).unwrap();
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return all,
            Ok(true) => {
                let values = utt.features.as_ref().unwrap();
                let first = values.values::<f32>().unwrap()[0];
                let shift = utt.meta.frame_shift.map(|shift| shift.to_string());
                assert_eq!(shift.as_deref(), Some("0.01"));
                all.push(format!("{} {first:.0}+{}", utt.key, values.rows()));
            }
            Err(e) if e.can_continue() => all.push(format!("!{e}")),
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn lines_name_files_and_stretches_of_them() {
    for pairs in [
        &[][..],
        &[("compress", "true")],
        &[("check", "true")],
        &[("byteorder", "little")],
        &[("check", "true"), ("compress", "true")],
    ] {
        let env = env();
        write(&env, Locator::folder("d"), pairs, &[ten("a"), ten("b")]).unwrap();
        put(
            &env,
            "l/x.scp",
            b"d/a.htk\r\n\nlate=d/b.htk[7,9]\n\"one=d/b.htk[3,3]\"\nd/b.htk",
        );
        assert_eq!(
            told(&env, "l/x.scp", &[]),
            ["a 0+10", "late 7+3", "one 3+1", "b 0+10"]
        );
    }
}

#[test]
fn files_lie_beside_the_list_where_they_are_not_in_the_working_folder() {
    let env = env();
    write(&env, Locator::file("l/a.htk"), &[], &[ten("a")]).unwrap();
    put(&env, "l/x.scp", b"a.htk\n");
    assert_eq!(told(&env, "l/x.scp", &[]), ["a 0+10"]);
}

#[test]
fn each_fault_has_its_place_and_costs_its_line() {
    let env = env();
    write(&env, Locator::folder("d"), &[], &[ten("a"), ten("s/a")]).unwrap();
    put(&env, "d/bad.htk", b"\0\0\0\x02\0\x01\x86\xa0\0\x04\0\x09\0");
    put(
        &env,
        "x.scp",
        b"d/none.htk\ne=d/a.htk[5,10]\nd/a.htk d/b.htk\nd/bad.htk\nd/a.htk\nd/s/a.htk\nb=d/a.htk[2\nc=d/a.htk[9,9]\n",
    );
    let said = told(&env, "x.scp", &[]);
    let wanted = [
        "d/none.htk: utterance none:",
        "has 10 frames, the list asks for those from 5 to 10",
        "x.scp:3: expected one file name, found several words",
        "!d/bad.htk",
        "a 0+10",
        "x.scp:6: utterance a: a second entry of this key",
        "d/a.htk[2: utterance b: cannot open",
        "c 9+1",
    ];
    assert_eq!(said.len(), wanted.len(), "{said:#?}");
    for (told, wanted) in said.iter().zip(wanted) {
        assert!(told.contains(wanted), "{told}: {wanted}");
    }
    put(&env, "y.scp", b"d/a.htk\nd/s/a.htk\n");
    let paths = &[("keys", "paths")];
    assert_eq!(told(&env, "y.scp", paths), ["d/a 0+10", "d/s/a 0+10"]);
}

#[test]
fn only_what_is_wanted_is_opened() {
    let env = env();
    write(&env, Locator::folder("d"), &[], &[ten("a"), ten("c")]).unwrap();
    put(&env, "x.scp", b"d/a.htk\nd/b.htk\nd/c.htk\n");
    let source = env.open_file(&"x.scp".into()).unwrap();
    let request = Request::all().keys(|key: &Key| key.as_bytes() != b"b");
    let opened = request
        .open(&HTK, source, &Options::default(), &env)
        .unwrap();
    let (mut reader, mut utt) = (opened.into_stream().unwrap(), Utterance::default());
    let mut keys = Vec::new();
    while reader.read(&mut utt).unwrap() {
        keys.push(utt.key.to_string());
    }
    assert_eq!(keys, ["a", "c"]);
}

#[test]
fn a_list_beside_a_folder_leads_back_to_it() {
    let env = env();
    let script: &[_] = &[("script", "x.scp")];
    let utts = [ten("a"), ten("b c"), ten("s/d")];
    write(&env, Locator::folder("d"), script, &utts).unwrap();
    let mut list = env.open_file(&"x.scp".into()).unwrap();
    assert_eq!(
        list.peek(100).unwrap(),
        b"d/a.htk\n\"d/b c.htk\"\nd/s/d.htk\n"
    );
    assert_eq!(told(&env, "x.scp", &[]), ["a 0+10", "b c 0+10", "d 0+10"]);
    let error = write(
        &env,
        Locator::folder("e"),
        &[("script", "y.scp")],
        &[ten("a=b")],
    );
    assert!(error.unwrap_err().to_string().contains("can't hold"));
    let error = write(
        &env,
        Locator::folder("f"),
        &[("script", "f/y.scp")],
        &[ten("a")],
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("next to the folder")
    );
}

#[test]
fn scripts_are_known_by_their_lines() {
    let env = env();
    let registry = Registry::new([&HTK as &'static dyn Format, &SPHINX]);
    for (name, text, found) in [
        ("x.scp", "d/a.htk\n", true),
        ("x.scp", "/d/a\n", true),
        ("x.scp", "a d/a.htk\n", false),
        ("x.lst", "a.mfc\nb.mfc[0,4]\n", true),
        ("x.lst", "a.wav\n", false),
    ] {
        let env = env.clone().with_store(Arc::new(MemoryStore::new()));
        put(&env, name, text.as_bytes());
        let mut source = env.open_file(&name.into()).unwrap();
        assert_eq!(
            registry.detect(&mut source).is_ok(),
            found,
            "{name}: {text}"
        );
    }
}

/// Reads a Sphinx list: keys, rows and first values.
fn sphinx(env: &Env, list: &str, pairs: &[(&str, &str)]) -> Vec<String> {
    let options = Options::new(SPHINX.info(), pairs.iter().copied()).unwrap();
    let source = env.open_file(&list.into()).unwrap();
    let opened = Request::all().open(&SPHINX, source, &options, env).unwrap();
    let (mut reader, mut utt) = (opened.into_stream().unwrap(), Utterance::default());
    let mut all = Vec::new();
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return all,
            Ok(true) => {
                let values = utt.features.as_ref().unwrap();
                let first = values.values::<f32>().unwrap()[0];
                all.push(format!("{} {first}+{}", utt.key, values.rows()));
            }
            Err(e) if e.can_continue() => all.push(format!("!{e}")),
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn lists_of_sphinx_are_read_and_written() {
    let env = env();
    let dim: &[_] = &[("dim", "1")];
    let pairs = [("dim", "1"), ("fileids", "etc/x.fileids")];
    let options = Options::new(SPHINX.info(), pairs).unwrap();
    let utts = ["a", "s/b"].map(|key| {
        let mut utt = ten(key);
        utt.meta.frame_shift = None;
        utt
    });
    let output = env.output(&Locator::folder("feat"));
    write_to(&SPHINX, &options, &utts, output).unwrap();
    let mut list = env.open_file(&"etc/x.fileids".into()).unwrap();
    assert_eq!(list.peek(100).unwrap(), b"a\ns/b\n");
    let there = [("dim", "1"), ("cepdir", "feat")];
    assert_eq!(sphinx(&env, "etc/x.fileids", &there), ["a 0+10", "b 0+10"]);
    put(&env, "feat/y.fileids", b"s/b\na 2 4 late\na 0 -1 whole\n");
    let beside = sphinx(&env, "feat/y.fileids", dim);
    assert_eq!(beside, ["b 0+10", "late 2+3", "whole 0+10"]);
    put(&env, "z.fileids", b"a 2\nnone\na 5 10\ns/b 0 1\nb\n");
    let said = sphinx(&env, "z.fileids", &there);
    let wanted = [
        "z.fileids:1: expected a file, or a file, two numbers",
        "feat/none.mfc: utterance none",
        "has 10 frames, the list asks for those from 5 to 10",
        "b 0+2",
        "z.fileids:5: utterance b: a second entry",
    ];
    assert_eq!(said.len(), wanted.len(), "{said:#?}");
    for (said, wanted) in said.iter().zip(wanted) {
        assert!(said.contains(wanted), "{said}: {wanted}");
    }
    let registry = Registry::new([&HTK as &'static dyn Format, &SPHINX]);
    let mut source = env.open_file(&"z.fileids".into()).unwrap();
    assert_eq!(registry.detect(&mut source).unwrap().info().name, "sphinx");
}
