//! `check` of the sound that data sets refer to.

use std::fs;

use super::Scratch;
use super::sound_folders::lossy;

/// A wave file of one channel of 16 bits with so many samples at 1000 Hz.
pub(super) fn wave(samples: u32) -> Vec<u8> {
    let mut file = b"RIFF".to_vec();
    file.extend((36 + 2 * samples).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(1000u32.to_le_bytes());
    file.extend(2000u32.to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend((2 * samples).to_le_bytes());
    let sample = |i: u32| i16::try_from(i * 7919 % 1999).unwrap() - 999;
    file.extend((0..samples).flat_map(|i| sample(i).to_le_bytes()));
    file
}

/// Three utterances of two recordings of a second each, and their sound.
pub(super) fn directory(s: &Scratch) {
    for (name, text) in [
        ("utt2spk", "a-1 a\na-2 a\nb-1 b\n"),
        ("spk2utt", "a a-1 a-2\nb b-1\n"),
        ("text", "a-1 ONE\na-2 TWO\nb-1 THREE\n"),
        ("segments", "a-1 r1 0 0.5\na-2 r1 0.5 1\nb-1 r2 0.2 0.9\n"),
        ("wav.scp", "r1 wav/r1.wav\nr2 wav/r2.wav\n"),
    ] {
        s.write(&format!("data/{name}"), text);
    }
    s.write("wav/r1.wav", wave(1000));
    s.write("wav/r2.wav", wave(1000));
}

/// Sound that a data directory names is opened and measured.
#[test]
fn sound_of_data_directories() {
    let s = Scratch::new();
    directory(&s);
    let said = s.shell("spr-convert check data");
    let whole = "note: data/feats.scp: is not there, and validate_data_dir.sh has to be told so\n\
                 data: 0 faults, 1 note (kaldi-data, 3 utterances, 1.70 s of sound)\n";
    assert_eq!((said.status, &*said.out), (0, whole), "{}", said.err);
    for (line, faults) in [
        (
            "rm wav/r2.wav; spr-convert check data",
            &["wav/r2.wav: utterance b-1: cannot open"][..],
        ),
        (
            "head -c 500 wav/r1.wav > r; mv r wav/r1.wav; spr-convert check data --all",
            &["wav/r1.wav", "utterance a-1: ", "utterance a-2: "],
        ),
        (
            "cp short.wav wav/r2.wav; spr-convert check data",
            &["wav/r2.wav: utterance b-1: ends at 0.9 s, more than 0.5 s after the end"],
        ),
    ] {
        directory(&s);
        s.write("short.wav", wave(300));
        let said = s.shell(line);
        assert_eq!(said.status, 1, "{line}: {}{}", said.out, said.err);
        for fault in faults {
            assert!(said.out.contains(fault), "{line}: {fault}: {}", said.out);
        }
        let lines = said.out.lines().filter(|line| line.starts_with("fault: "));
        assert!(
            lines.clone().all(|line| line.contains("wav/r")),
            "{}",
            said.out
        );
    }
    // A quick look opens nothing, but sees what is missing.
    directory(&s);
    let said = s.shell("rm wav/r2.wav; spr-convert check --quick data");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    assert!(
        said.out
            .contains("utterance b-1: its sound is in wav/r2.wav, which does not exist"),
        "{}",
        said.out
    );
    // What is cut at the end is noted; commands do not run unless they may.
    directory(&s);
    s.write("wav/r2.wav", wave(800));
    s.write("data/wav.scp", "r1 cat wav/r1.wav |\nr2 wav/r2.wav\n");
    let said = s.ok("check data");
    for note in [
        "note: wav/r2.wav: utterance b-1: ends at 0.9 s, 0.100 s after the end of the recording",
        "utterance a-1: the first of 2 utterances whose sound is not checked: ",
    ] {
        assert!(said.out.contains(note), "{note}: {}", said.out);
    }
    let said = s.ok("check data --allow-pipes");
    assert!(!said.out.contains("not checked"), "{}", said.out);
}

/// Sound that other data sets refer to is opened and measured as well.
#[test]
fn sound_of_manifests() {
    let s = Scratch::new();
    directory(&s);
    s.ok("data,parts=wav+text good.json --to nemo");
    s.ok("data,parts=wav+text good.jsonl");
    for input in ["good.json", "good.jsonl"] {
        directory(&s);
        let said = s.ok(&format!("check {input}"));
        assert!(said.out.contains("nothing wrong"), "{}", said.out);
        s.write("wav/r1.wav", &wave(1000)[..500]);
        fs::remove_file(s.path("wav/r2.wav")).unwrap();
        let said = s.run(&format!("check {input} --all"));
        assert_eq!(said.status, 1, "{input}: {}{}", said.out, said.err);
        for fault in [
            "wav/r1.wav",
            "utterance a-1: ",
            "utterance a-2: ",
            "wav/r2.wav: utterance b-1: cannot open",
        ] {
            assert!(said.out.contains(fault), "{input}: {fault}: {}", said.out);
        }
    }
    // A file that is shorter than the manifest says.
    s.write("wav/r1.wav", wave(1000));
    s.write(
        "one.json",
        "{\"audio_filepath\": \"wav/r1.wav\", \"duration\": 3.5, \"text\": \"ONE\"}\n",
    );
    let said = s.run("check one.json");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    assert!(
        said.out
            .contains("the sound lasts 1.000 s, said to be 3.5 s"),
        "{}",
        said.out
    );
}

/// Nearly all MP3 files end in a tag, and every player skips it.
#[test]
fn tags_after_sound_are_notes() {
    let s = Scratch::new();
    let sound = lossy("mono.mp3");
    let ape = b"APETAGEX\xd0\x07\0\0\x20\0\0\0\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\0";
    let id3 = [&b"TAG"[..], &[b'x'; 125]].concat();
    for tag in [&id3[..], ape] {
        s.write("a.mp3", [&sound, tag].concat());
        let said = s.shell("spr-convert check a.mp3");
        assert_eq!(said.status, 0, "{}", said.out);
        assert!(said.out.contains("note: a.mp3@"), "{}", said.out);
        assert!(said.out.contains("a.mp3: 0 faults, 1 note"), "{}", said.out);
    }
}
