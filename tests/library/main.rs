//! What other programs do with the library: readers and writers of their own, outputs that are there
//! only when they are finished, no commands unless they are allowed, inputs that are never replaced,
//! and data that are never on a disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod logging;
mod memory;
mod objects;
mod own;
mod plans;
mod shards;
mod skipping;
mod spans;
mod stages;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use spr_convert::builder::PlanBuilder;
use spr_convert::core::bytes::{Access, Env};
use spr_convert::core::format::{Reader, Request, Writer};
use spr_convert::core::model::{Key, Matrix, Rank, Utterance};
use spr_convert::job::{Job, Observer, Outcome, Progress};
use spr_convert::{Error, ErrorKind, Result, builtin};

/// Utterances of the canonical form: two of features.
const TWO: &str = r#"{"key":"a","features":{"dtype":"f32","shape":[2,1],"data":[[1],[2]]},"labels":null,"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1,1],"data":[[3]]},"labels":null,"meta":{}}
"#;

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path as it stands in arguments.
    fn at(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), bytes).unwrap();
        self.at(name)
    }

    /// All that is there, by path.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => drop(files.insert(path.clone(), fs::read(path).unwrap())),
                }
            }
        }
        files
    }
}

/// Begins the plan of a conversion.
fn conversion(input: &str, output: &str, env: &Env) -> Result<PlanBuilder> {
    let mut builder = PlanBuilder::new(&builtin::registry(), env);
    builder.input(input)?.output(output)?;
    Ok(builder)
}

fn job(input: &str, output: &str, env: &Env) -> Result<Job> {
    Ok(Job::new(conversion(input, output, env)?.finish()?))
}

fn run(input: &str, output: &str, env: &Env) -> Result<Outcome> {
    job(input, output, env)?.run(&builtin::registry(), env, &mut ())
}

fn drain(mut reader: Box<dyn Reader>) -> Result<Vec<Utterance>> {
    let (mut utt, mut all) = (Utterance::default(), Vec::new());
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    Ok(all)
}

fn read_in(input: &str, env: &Env) -> Result<Vec<Utterance>> {
    let registry = builtin::registry();
    let plan = PlanBuilder::new(&registry, env).input(input)?.finish()?;
    drain(plan.open(Request::all(), &registry, env)?.reader)
}

fn read(input: &str) -> Vec<Utterance> {
    drain(spr_convert::open(input).unwrap()).unwrap()
}

#[test]
fn what_is_created_is_there_once_it_is_finished() {
    let s = Scratch::new();
    let utt = Utterance {
        key: Key::from("a"),
        features: Some(Matrix::from_rows(&[1f32, 2.0], 2, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    for output in ["x.ark", "x.pfile", "x.spr/"] {
        let mut writer = spr_convert::create(&s.at(output)).unwrap();
        writer.write(&utt).unwrap();
        assert!(!s.path(output).exists(), "{output}");
        let written = writer.finish().unwrap();
        assert_eq!((written.utterances, written.frames), (1, 1), "{output}");
        let back = read(&s.at(output));
        assert_eq!((&back[0].key, &back[0].features), (&utt.key, &utt.features));
        // It is not replaced.
        let before = s.files();
        let again = spr_convert::create(&s.at(output)).and_then(|mut writer| {
            writer.write(&utt)?;
            writer.finish()
        });
        assert!(again.is_err(), "{output}");
        assert_eq!(s.files(), before, "{output}");
    }
    let before = s.files();
    for output in ["y.ark", "y.pfile", "y.spr/"] {
        let mut writer = spr_convert::create(&s.at(output)).unwrap();
        writer.write(&utt).unwrap();
        drop(writer);
        assert_eq!(s.files(), before, "{output}");
        assert!(!s.path(output).exists(), "{output}");
    }
}

#[cfg(unix)]
#[test]
fn commands_run_only_where_they_are_allowed() {
    let s = Scratch::new();
    let input = s.write("in.jsonl", TWO);
    let refused = |error: Error| {
        let text = error.to_string();
        assert!(text.contains("refused to run"), "{text}");
    };
    refused(spr_convert::open("ark:echo hi |").err().unwrap());
    refused(spr_convert::convert(&input, "ark:|cat").unwrap_err());
    let line = format!("ark:touch {} |", s.at("ran"));
    refused(spr_convert::open(&line).err().unwrap());
    assert!(!s.path("ran").exists());

    let mut typed = builtin::env();
    typed.access = Access::Typed;
    let hi = read_in("ark:echo 'hi  [ 1 2 ]' |", &typed).unwrap();
    let values = hi[0].features.as_ref().unwrap().values::<f32>().unwrap();
    assert_eq!(
        (hi[0].key.as_bytes(), values),
        (&b"hi"[..], &[1.0, 2.0][..])
    );
    run(&input, &format!("ark,t:|cat > {}", s.at("out")), &typed).unwrap();
    assert_eq!(
        fs::read_to_string(s.path("out")).unwrap(),
        "a  [\n  1 \n  2 ]\nb  [\n  3 ]\n"
    );
    // A file from a stranger still runs none.
    let script = s.write("x.scp", format!("a cat {} |\n", s.at("out")));
    refused(read_in(&script, &typed).unwrap_err());
}

/// Stops behind so many utterances.
struct Impatient(u64);

impl Observer for Impatient {
    fn watches(&self) -> bool {
        true
    }

    fn progress(&mut self, so_far: Progress) -> ControlFlow<()> {
        match so_far.utterances < self.0 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn skipped(&mut self, error: &Error) {
        panic!("skipped: {error}");
    }
}

#[test]
fn a_conversion_can_be_stopped() {
    let s = Scratch::new();
    let (env, input) = (builtin::env(), s.write("in.jsonl", TWO));
    let before = s.files();
    for output in ["x.ark", "x.pfile", "x.spr/", "x.jsonl"] {
        for patience in [1, 2] {
            let job = job(&input, &s.at(output), &env).unwrap();
            let mut observer = Impatient(patience);
            let error = job
                .run(&builtin::registry(), &env, &mut observer)
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Stopped, "{output}: {error}");
            assert_eq!(s.files(), before, "{output}");
            assert!(!s.path(output).exists(), "{output}");
        }
        let job = job(&input, &s.at(output), &env).unwrap();
        let mut observer = Impatient(3);
        job.run(&builtin::registry(), &env, &mut observer).unwrap();
        match s.path(output).is_dir() {
            true => fs::remove_dir_all(s.path(output)).unwrap(),
            false => fs::remove_file(s.path(output)).unwrap(),
        }
        let side = s.path(&format!("{output}.utt2num_frames"));
        if side.exists() {
            fs::remove_file(side).unwrap();
        }
    }
}

#[test]
fn inputs_are_never_replaced() {
    let s = Scratch::new();
    let env = builtin::env();
    let features = s.write("f.jsonl", TWO);
    run(&features, &format!("spr:{}/", s.at("feats")), &env).unwrap();
    let text = "{\"key\":\"a\",\"text\":\"one\",\"meta\":{}}\n";
    run(&s.write("t.jsonl", text), &s.at("t.cor"), &env).unwrap();
    let header = ".spr\nDATA\tTRACK\nTYPE\tI16\nFORMAT\tBIN10\nDIM1\t1\nDIM2\t2\n#\n";
    s.write("hdr.spr", header);
    s.write("raw.raw", b"\x01\x02\x03\x04");
    let before = s.files();
    let at = |name| s.at(name);
    for (input, output, good) in [
        (
            format!("{},root={},suffix=spr", at("t.cor"), at("feats")),
            format!("spr:{}/", at("feats")),
            at("x.jsonl"),
        ),
        (
            format!("spr:{},header={}", at("raw.raw"), at("hdr.spr")),
            format!("spr:{}", at("hdr.spr")),
            at("y.jsonl"),
        ),
    ] {
        let overwriting = |output: &str| {
            let env = builtin::env();
            let mut builder = conversion(&input, output, &env)?;
            let plan = builder.overwrite(true).allow_named("all")?.finish()?;
            Job::new(plan).run(&builtin::registry(), &env, &mut ())
        };
        let error = overwriting(&output).unwrap_err();
        let said = error.to_string();
        let refused = ["read", "is a folder that holds the input"];
        assert!(refused.iter().any(|words| said.contains(words)), "{error}");
        assert_eq!(s.files(), before, "{input} {output}");
        // To anywhere else it goes.
        assert_eq!(overwriting(&good).unwrap().written.utterances, 1);
        fs::remove_file(good).unwrap();
    }
}
