//! Files made by other programs: each reads as its `expect.jsonl` says, and what must be refused
//! is refused with the words of its `error.txt`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use spr_convert::builder::PlanBuilder;
use spr_convert::core::bytes::Locator;
use spr_convert::core::format::Request;
use spr_convert::core::model::{Audio, Matrix, Span, Utterance, Waveform};
use spr_convert::verbs::info::inspect;
use spr_convert::{Result, builtin};

/// Folders of fixtures that are not of a format: programs that make some, data specs, which have
/// a test of their own, a corpus, and sound that is not kept to the bit.
const OTHERS: [&str; 4] = ["lossy", "makers", "pdnn", "samples"];
/// The formats, and folders, that this machine can't read.
const REFUSED: &[&str] = match cfg!(target_endian = "big") {
    true => &["hf"],
    false => &[],
};

/// The folders with cases of formats, and how many of each are to be read and to be refused: so that
/// a case that is lost can't make the tests pass.
fn cases() -> Vec<(PathBuf, [usize; 2])> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = folders(&root.join("fixtures"));
    for format in folders(&root.join("formats")) {
        let name = format.file_name().unwrap();
        let found = all.iter().any(|folder| folder.file_name() == Some(name));
        assert!(found, "there is no fixtures/{}", name.display());
    }
    let counts = |folder: &Path| {
        let file = folder.join("cases.txt");
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let words: Vec<_> = text.split_whitespace().collect();
        let [read, "read,", refused, "refused"] = words[..] else {
            panic!("{}: not understood: {text}", file.display());
        };
        [read, refused].map(|count| count.parse().unwrap())
    };
    let is_other = |folder: &PathBuf| {
        let mut others = OTHERS.iter().chain(REFUSED);
        others.any(|other| folder.ends_with(other))
    };
    let formats = all.into_iter().filter(|folder| !is_other(folder));
    formats
        .map(|folder| (folder.clone(), counts(&folder)))
        .collect()
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = fs::read_dir(of)
        .unwrap_or_else(|e| panic!("{}: {e}", of.display()))
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir() && p.file_name().unwrap() != "refused")
        .collect();
    folders.sort();
    folders
}

/// The file or folder that a case is about: its script file if it has one, else `input…`.
fn input(case: &Path) -> PathBuf {
    let script = case.join("input.scp");
    if script.exists() {
        return script;
    }
    let mut found: Vec<_> = fs::read_dir(case)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| {
            p.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("input")
        })
        .filter(|p| p.extension().is_none_or(|e| e != "utt2num_frames"))
        .collect();
    assert_eq!(found.len(), 1, "{}: {found:?}", case.display());
    found.remove(0)
}

/// What a file holds, and the name of its format.
fn read(path: &Path) -> Result<(Vec<Utterance>, &'static str)> {
    let registry = builtin::registry();
    let env = builtin::env();
    let mut builder = PlanBuilder::new(&registry, &env);
    let plan = builder.input(path.to_str().unwrap())?.finish()?;
    let opened = plan.open(Request::all(), &registry, &env)?;
    let mut reader = opened.reader;
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    Ok((all, opened.format.info().name))
}

/// Text has one NaN; its bits are not compared.
fn one_nan(matrix: &mut Option<Matrix>) {
    let Some(matrix) = matrix else { return };
    for value in matrix.as_slice_mut::<f32>().unwrap_or_default() {
        if value.is_nan() {
            *value = f32::NAN;
        }
    }
    for value in matrix.as_slice_mut::<f64>().unwrap_or_default() {
        if value.is_nan() {
            *value = f64::NAN;
        }
    }
}

fn same(mut got: Vec<Utterance>, mut expected: Vec<Utterance>) -> bool {
    for utt in got.iter_mut().chain(&mut expected) {
        one_nan(&mut utt.features);
        one_nan(&mut utt.labels);
    }
    got == expected
}

/// Names the sound file that an utterance refers to as seen from the folder of its case. How a duration
/// is meant has no place in the canonical form.
fn within(utt: &mut Utterance, case: &Path) {
    let Some(Audio::Reference(place)) = &mut utt.audio else {
        return;
    };
    if let Span::First(length) = place.span {
        (place.span, place.recording.duration) = (Span::Whole, Some(length));
    }
    if let Locator::File(file) | Locator::FileAt(file, _) = &mut place.at
        && let Some(inside) = file.relative_to(&case.into())
    {
        *file = inside;
    }
}

#[test]
fn files_of_other_programs() {
    let mut faults = Vec::new();
    let mut formats = BTreeSet::new();
    for (folder, counts) in cases() {
        let mut found = [0, 0];
        for case in folders(&folder) {
            found[0] += 1;
            let (expected, _) = read(&case.join("expect.jsonl")).unwrap();
            let got = read(&input(&case)).map(|(mut got, format)| {
                formats.insert(format);
                got.iter_mut().for_each(|utt| within(utt, &case));
                got
            });
            match got {
                Ok(got) if same(got.clone(), expected.clone()) => {}
                Ok(got) => faults.push(format!(
                    "{}: got {}, expected {}",
                    case.display(),
                    show(&got),
                    show(&expected)
                )),
                Err(e) => faults.push(format!("{}: {e}", case.display())),
            }
        }
        for case in folders(&folder.join("refused")) {
            found[1] += 1;
            let phrase = fs::read_to_string(case.join("error.txt")).unwrap();
            match read(&input(&case)) {
                // The phrase is not to be found in the path.
                Err(e)
                    if e.to_string()
                        .replace(case.to_str().unwrap(), "")
                        .contains(phrase.trim()) => {}
                Err(e) => faults.push(format!(
                    "{}: '{}' not in: {e}",
                    case.display(),
                    phrase.trim()
                )),
                Ok((got, _)) => faults.push(format!("{}: read as {}", case.display(), show(&got))),
            }
        }
        assert_eq!(found, counts, "{}: read and refused", folder.display());
    }
    for format in builtin::registry().names() {
        if !formats.contains(format) && !LOSSY.contains(&format) && !REFUSED.contains(&format) {
            faults.push(format!("no case is read as {format}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Sound that is not kept to the bit: by which formats, and how far two decoders may differ.
const LOSSY: [&str; 2] = ["mp3", "ogg"];
const NEAR: f32 = 1e-5;

/// What is decoded is as loud as what another decoder made of the same file, moment for moment.
#[test]
fn lossy_sound_is_what_others_decode() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lossy");
    for name in ["mono", "stereo"] {
        for format in LOSSY {
            let file = folder.join(format!("{name}.{format}"));
            let (got, read_as) = read(&file).unwrap();
            assert_eq!(read_as, format, "{}", file.display());
            let (expected, _) = read(&folder.join(format!("{name}.{format}.wav"))).unwrap();
            let [got, expected] =
                [&got, &expected].map(|utts| utts[0].waveform().expect("samples"));
            let shape = |sound: &Waveform| (sound.rate, sound.samples.rows(), sound.samples.cols());
            assert_eq!(shape(got), shape(expected), "{}", file.display());
            let [got, expected] =
                [got, expected].map(|sound| sound.samples.as_slice::<f32>().unwrap());
            let far = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
            let most = far.fold(0.0, f32::max);
            assert!(most < NEAR, "{}: {most} apart", file.display());
        }
    }
}

/// `info` says the same of a file as of what it is expected to hold.
#[test]
fn info_is_right() {
    let registry = builtin::registry();
    let facts = |path: &Path| {
        let env = builtin::env();
        let mut builder = PlanBuilder::new(&registry, &env);
        let plan = builder
            .input(path.to_str().unwrap())
            .unwrap()
            .finish()
            .unwrap();
        let (facts, result) = inspect(&plan, false, &registry, &env);
        result.unwrap();
        serde_json::to_value(&facts).unwrap()
    };
    for (folder, _) in cases() {
        for case in folders(&folder) {
            let got = facts(&input(&case));
            let expected = facts(&case.join("expect.jsonl"));
            for field in [
                "utterances",
                "frames",
                "dim",
                "dtype",
                "kinds",
                "label_columns",
                "labels",
                "frame_shift",
                "duration",
                "sample_rate",
            ] {
                // SPRAAK's default is told of the data, and no utterance has it.
                let has_default = folder.ends_with("spraak") && got["frame_shift"] == 0.01;
                let timed = matches!(field, "frame_shift" | "duration");
                if timed && has_default && expected["frame_shift"].is_null() {
                    continue;
                }
                // The sound files that the canonical form names are measured only where they lie.
                let measured = matches!(field, "sample_rate" | "duration") && names_sound(&case);
                if measured && expected[field].is_null() {
                    continue;
                }
                assert_eq!(got[field], expected[field], "{}: {field}", case.display());
            }
        }
    }
}

/// Returns `true` if the canonical form of a fixture names sound files.
fn names_sound(case: &Path) -> bool {
    let (utts, _) = read(&case.join("expect.jsonl")).unwrap();
    let is_named = |utt: &Utterance| matches!(utt.audio, Some(Audio::Reference(_)));
    utts.iter().any(is_named)
}

/// The beginning of what was read.
fn show(utts: &[Utterance]) -> String {
    let mut text = format!("{} utterances: {:?}", utts.len(), utts.first());
    if let Some(features) = utts.first().and_then(|u| u.features.as_ref()) {
        text.push_str(&format!(
            " {:?}",
            features.as_bytes().iter().take(24).collect::<Vec<_>>()
        ));
    }
    text
}
