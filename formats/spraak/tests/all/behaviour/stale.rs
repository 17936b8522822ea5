//! Header lines that stages invalidate.

use super::*;
use spr_core::stage::{Context, IgnoreLabels, Partition, PartitionSize, ReaderExt};

/// A track of two channels with lines about its columns, its frames, and other things.
const HEAD: &str = ".spr\nDATA TRACK\nTYPE I8\nFORMAT BIN01\nDIM1 4\nDIM2 6\nNCHAN 2\nCHANLEN 640\n\
    SAMPLEFREQ 16000\nspeaker ann\n#\n";

fn opened(options: &[(&str, &str)], env: &Env) -> Box<dyn Reader> {
    let source = Source::from_bytes("f", file(HEAD, &[1; 24])).unwrap();
    let options = Options::new(SPR.info(), options.iter().copied()).unwrap();
    let opened = Request::all().open(&SPR, source, &options, env).unwrap();
    opened.into_stream().unwrap()
}

/// Returns the keys of the tags of the first utterance.
fn keys(mut reader: Box<dyn Reader>) -> Vec<String> {
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    let keys = utt.meta.tags.iter().map(|tag| tag.key.escape_ascii());
    keys.map(|key| key.to_string()).collect()
}

#[test]
fn a_line_about_what_a_stage_changed_is_left_out_and_told() {
    let labelled = |env: &Env| {
        let labels = |utt: &mut Utterance| {
            let labels = Matrix::from_rows(&[0i32, 1, 0, 1], 1, Rank::Vector)?;
            utt.labels = Some(labels);
            Ok(())
        };
        opened(&[], env).map(1, labels)
    };
    let ignored = || {
        let mut set = spr_core::stage::LabelSet::default();
        set.insert(1, 1);
        set
    };
    let all = ["NCHAN", "CHANLEN", "SAMPLEFREQ", "speaker"];
    let of_columns = ["CHANLEN", "SAMPLEFREQ", "speaker"];
    let of_frames = ["NCHAN", "SAMPLEFREQ", "speaker"];
    type Stages<'a> = &'a dyn Fn(&Env) -> Box<dyn Reader>;
    let limits = Limits::default();
    let mut tried = 0;
    for (stages, left, told) in [
        (&(|env: &Env| opened(&[], env)) as Stages<'_>, &all[..], 0),
        (&|env| opened(&[("columns", "0:5")], env), &all, 0),
        (&|env| opened(&[("columns", "0:2")], env), &of_columns, 1),
        (&|env| opened(&[("columns", "5,0-4")], env), &of_columns, 1),
        (&|env| opened(&[("frames", "0:3")], env), &all, 0),
        (&|env| opened(&[("frames", "1:3")], env), &of_frames, 1),
        (
            &|env| Box::new(Context::new(opened(&[], env), 1, 1, limits).telling(env)),
            &of_columns,
            1,
        ),
        (
            &|env| Box::new(Context::new(opened(&[], env), 0, 0, limits).telling(env)),
            &all,
            0,
        ),
        (
            &|env| Box::new(IgnoreLabels::new(labelled(env), ignored(), env)),
            &of_frames,
            1,
        ),
        (
            &|env| {
                let size = PartitionSize::of_bytes(72);
                Box::new(Partition::new(opened(&[], env), Some(size), limits))
            },
            &of_frames,
            0,
        ),
    ] {
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let ear = heard.clone();
        let env = Env::new(Limits::default(), Access::default(), move |e| {
            ear.lock().unwrap().push(e.to_string());
        });
        assert_eq!(keys(stages(&env)), left, "case {tried}");
        let heard = heard.lock().unwrap();
        assert_eq!(heard.len(), told, "{heard:?}");
        assert!(
            heard
                .iter()
                .all(|w| w.ends_with("as they were and is left out"))
        );
        tried += 1;
    }
    assert_eq!(tried, 10);
}

#[test]
fn integers_without_a_sign_in_a_key_file_come_back_as_they_were() {
    let mut tried = 0;
    for text in ["false", "true"] {
        for (dtype, name) in [
            (Dtype::U8, "BYTE"),
            (Dtype::U16, "SHORT"),
            (Dtype::U32, "INT"),
        ] {
            let utt = Utterance {
                key: "utt000000".into(),
                features: Some(generate::matrix(dtype, Rank::Matrix, 3, 4, 1)),
                ..Utterance::default()
            };
            let options = [("unsigned", "true"), ("text", text)];
            let bytes = write_memory(&KEY, &options, std::slice::from_ref(&utt)).unwrap();
            let head = String::from_utf8_lossy(&bytes).into_owned();
            assert!(
                head.contains(name) && head.contains("\nUNSIGNED\tTRUE\n"),
                "{head}"
            );
            assert_eq!(read(&KEY, &[], &bytes).unwrap(), (utt.clone(), vec![]));
            // With the option they are read as an old header means them.
            let signed = read(&KEY, &[("unsigned", "false")], &bytes);
            let signed = signed.map(|(utt, _)| utt.features.unwrap().dtype().is_signed());
            assert!(signed.unwrap_or(text == "true"));
            tried += 1;
        }
    }
    assert_eq!(tried, 6);
    // Signed integers have no such line, and elsewhere it is an ordinary line.
    let signed = Utterance {
        features: Some(generate::matrix(Dtype::I8, Rank::Matrix, 3, 4, 1)),
        ..Utterance::default()
    };
    let bytes = write_memory(&KEY, &[], &[signed]).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("UNSIGNED"));
    let spr = ".spr\nTYPE I8\nFORMAT BIN01\nDIM1 1\nDIM2 1\nUNSIGNED TRUE\n#\n";
    let (utt, _) = read(&SPR, &[], &file(spr, b"\x80")).unwrap();
    assert_eq!(utt.features.as_ref().unwrap().dtype(), Dtype::I8);
    assert!(write_memory(&KEY, &[], &[utt]).is_err());
}
