//! Sound that is chosen, and what is told of it.

use std::f64::consts::TAU;

use serde_json::Value;

use crate::Scratch;

/// A wave file of 16-bit samples, channel beside channel.
pub(super) fn wave(rate: u32, channels: u16, samples: &[i16]) -> Vec<u8> {
    let bytes: Vec<u8> = samples.iter().flat_map(|v| v.to_le_bytes()).collect();
    let length = u32::try_from(bytes.len()).unwrap();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + length).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate * 2 * u32::from(channels)).to_le_bytes());
    file.extend((2 * channels).to_le_bytes());
    file.extend(b"\x10\0data");
    file.extend(length.to_le_bytes());
    file.extend(bytes);
    file
}

/// A tone of half the full range, the same in all channels but for its sign.
fn tone(rate: u32, channels: u16, n: usize) -> Vec<u8> {
    let at = |i: usize| (TAU * 440.0 * i as f64 / f64::from(rate)).sin() * 16384.0;
    let signs = |c: u16| if c.is_multiple_of(2) { 1.0 } else { -0.5 };
    let samples = (0..n).flat_map(|i| (0..channels).map(move |c| at(i) * signs(c)));
    #[expect(clippy::cast_possible_truncation, reason = "half the range")]
    let samples: Vec<_> = samples.map(|v| v.round() as i16).collect();
    wave(rate, channels, &samples)
}

/// The sound of the one utterance of a file: rate, samples and channels, and the samples.
fn sound(s: &Scratch, name: &str) -> (u64, usize, Vec<i64>) {
    s.ok(&format!("{name} {name}.jsonl"));
    let line: Value = serde_json::from_slice(&s.read(&format!("{name}.jsonl"))).unwrap();
    let audio = &line["audio"];
    assert_eq!(audio["dtype"], "i16");
    let rows = audio["data"].as_array().unwrap();
    let values = rows.iter().flat_map(|row| row.as_array().unwrap());
    (
        audio["rate"].as_u64().unwrap(),
        rows.len(),
        values.map(|v| v.as_i64().unwrap()).collect(),
    )
}

#[test]
fn channels_and_rates_are_chosen() {
    let s = Scratch::new();
    s.write("a.wav", tone(44100, 2, 4410));
    s.ok("a.wav left.wav --channel 0");
    s.ok("a.wav,channel=1 right.wav");
    s.ok("a.wav,channel=mix mix.wav");
    let (rate, rows, left) = sound(&s, "left.wav");
    assert_eq!((rate, rows), (44100, 4410));
    let mix = sound(&s, "mix.wav").2;
    let quarter = |(l, m): (&i64, &i64)| (*l as f64 / 4.0 - *m as f64).abs() <= 0.75;
    assert!(left.iter().zip(&mix).all(quarter));
    let half = |(l, r): (&i64, &i64)| (*l as f64 / 2.0 + *r as f64).abs() <= 1.0;
    assert!(left.iter().zip(&sound(&s, "right.wav").2).all(half));
    s.ok("a.wav b.wav --rate 16000 --channel 0");
    s.ok("a.wav c.wav --stages channel(0)|resample(16000)");
    let (rate, rows, values) = sound(&s, "b.wav");
    assert_eq!((rate, rows), (16000, 1600));
    assert_eq!(sound(&s, "c.wav").2, values);
    let wanted = |i: usize| (TAU * 440.0 * i as f64 / 16000.0).sin() * 16384.0;
    let off = (400..1200).map(|i| (values[i] as f64 - wanted(i)).abs());
    assert!(off.fold(0.0, f64::max) <= 1.0);
}

/// Sound in another type than was asked for is told of, as features are.
#[test]
fn types_that_a_format_does_not_hold_are_told() {
    let s = Scratch::new();
    s.write("a.wav", tone(16000, 1, 160));
    for (line, told) in [
        (
            "a.wav b.flac --dtype f32",
            "the format holds no f32: rounded to it, written as i32",
        ),
        (
            "a.wav b.wav --dtype u16",
            "the format holds no u16: rounded to it, written as i32",
        ),
    ] {
        let said = s.ok(line).err;
        assert!(said.contains(told), "{line}: {said}");
    }
    let said = s.ok("a.wav c.wav --dtype i32").err;
    assert!(!said.contains("holds no"), "{said}");
}

#[test]
fn what_cannot_be_chosen_is_told() {
    let s = Scratch::new();
    s.write("a.wav", tone(16000, 2, 160));
    for (line, fault) in [
        (
            "a.wav b.wav --channel 2",
            "there are only 2, counted from 0",
        ),
        (
            "a.wav b.wav --channel left",
            "channel: 'left' is not a channel",
        ),
        ("a.wav b.wav --rate 16m", "resample: '16m' is not a rate"),
        ("a.wav,resample=0 b.wav", "'0' is not a rate"),
        ("a.wav b.wav --dither", "dither: nothing is rounded"),
        ("a.wav b.wav --seed 1", "nothing is shuffled"),
        ("a.wav b.jsonl --stages resample", "expected a rate"),
    ] {
        let error = s.fails(line);
        assert!(error.contains(fault), "{line}: {error}");
    }
    // A target that needs another rate says how to get it, and resamples nothing by itself.
    let error = s.run("a.wav b.htk --channel 0 --rate 44100").err;
    assert!(error.contains("no whole number of 100 ns"), "{error}");
    assert!(
        error.contains("hint: --rate gives sound another rate"),
        "{error}"
    );
    assert_eq!(s.names(), ["a.wav"]);
}

/// The same bytes for every number of threads, other noise for another seed.
#[test]
fn threads_change_no_sample() {
    let s = Scratch::new();
    std::fs::create_dir(s.path("in")).unwrap();
    for (i, rate) in [8000, 11025, 16000, 22050, 44100].iter().enumerate() {
        s.write(&format!("in/{i}.wav"), tone(*rate, 2, 3000 + 77 * i));
    }
    let run = |out: &str, how: &str| {
        s.ok(&format!("in {out} --rate 16000 --channel mix {how}"));
        s.read(out)
    };
    let plain = run("a.ark", "-j 1");
    assert_eq!(plain, run("b.ark", "-j 4"));
    let noisy = run("c.ark", "-j 1 --dither --seed 1");
    assert_ne!(plain, noisy);
    assert_eq!(noisy, run("d.ark", "-j 4 --dither --seed 1"));
    assert_ne!(noisy, run("e.ark", "--dither --seed 2"));
    let info = s.ok("info a.ark").out;
    assert!(info.contains("1 channel of i16, 16000 Hz"), "{info}");
}

/// What goes beyond the samples' type is clipped and told; floats hold it.
#[test]
fn clipping_is_told() {
    let s = Scratch::new();
    let square: Vec<_> = (0..8000)
        .map(|n| [i16::MAX, i16::MIN][n / 40 % 2])
        .collect();
    s.write("a.wav", wave(8000, 1, &square));
    let said = s.ok("a.wav b.wav --rate 16000").err;
    assert!(
        said.contains("samples of 1 utterance went beyond their type"),
        "{said}"
    );
    assert!(said.contains("--dtype f32 holds them"), "{said}");
    let said = s.ok("a.wav c.wav --rate 16000 --dtype f32").err;
    assert!(!said.contains("beyond"), "{said}");
}

/// Times and text stay with sound of another rate, and sound by reference is loaded for it.
#[test]
fn text_and_times_stay() {
    let s = Scratch::new();
    s.write("rec.wav", tone(16000, 1, 16000));
    let folder = s.path("data");
    std::fs::create_dir(&folder).unwrap();
    s.write("data/wav.scp", "rec rec.wav\n");
    s.write("data/segments", "a rec 0.25 0.75\nb rec 0.5 1.0\n");
    s.write("data/text", "a one\nb two\n");
    s.write("data/utt2spk", "a s\nb s\n");
    s.write("data/spk2utt", "s a b\n");
    s.ok("data out.jsonl --rate 8000 --allow-loss all");
    let lines = String::from_utf8(s.read("out.jsonl")).unwrap();
    for (line, text) in lines.lines().zip(["one", "two"]) {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["text"], text);
        assert_eq!(line["audio"]["rate"], 8000);
        assert_eq!(line["audio"]["data"].as_array().unwrap().len(), 4000);
    }
    assert_eq!(lines.lines().count(), 2);
}

/// Sound that is as it should be, and three kinds that are not.
fn set(s: &Scratch) {
    std::fs::create_dir(s.path("set")).unwrap();
    s.write("set/a.wav", tone(16000, 1, 16000));
    let clipped: Vec<_> = (0..8000)
        .map(|n| [i16::MAX, i16::MIN][n / 40 % 2])
        .collect();
    s.write("set/clipped.wav", wave(8000, 1, &clipped));
    s.write("set/shifted.wav", wave(16000, 2, &[3277; 1600]));
    s.write("set/silent.wav", wave(16000, 1, &[0; 8000]));
}

#[test]
fn levels_are_told() {
    let s = Scratch::new();
    set(&s);
    let info = s.ok("info set").out;
    for fact in [
        "4 utterances, 2.55 s in all, 32800 samples",
        "1 or 2 channels of i16, 8000 or 16000 Hz",
        "peak 0.00 dB (1.0000)",
        "clipped     8000 samples in 1 utterance",
        "exactly 0, all in 1 utterance",
    ] {
        assert!(info.contains(fact), "{fact}: {info}");
    }
    let stats = s.ok("stats set").out;
    assert!(
        stats.contains("Hz: 8000 in 1 utterance, 16000 in 3 utterances"),
        "{stats}"
    );
    assert!(!stats.contains("0 frames"), "{stats}");
    let json: Value = serde_json::from_str(&s.ok("info set/a.wav --json").out).unwrap();
    let sound = &json["sound"];
    assert_eq!(
        (&sound["samples"], &sound["clipped"]),
        (&16000.into(), &0.into())
    );
    let rms = sound["rms_db"].as_f64().unwrap();
    assert!((rms + 9.03).abs() < 0.01, "{rms}");
    let quick: Value = serde_json::from_str(&s.ok("info set/a.wav --json --quick").out).unwrap();
    assert_eq!(
        (&quick["sample_rate"], &quick["sound"]),
        (&16000.into(), &Value::Null)
    );
    let listed = s.ok("ls set").out;
    let line = listed.lines().next().unwrap();
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(words, ["a", "1.000", "16000", "1", "-", "-"]);
    let listed = s.ok("ls set --tsv").out;
    assert!(listed.contains("\t16000\t-6.02"), "{listed}");
    let closing = s.ok("set all.ark").err;
    assert!(
        closing.contains("4 utterances, 2.55 s of sound, 0 skipped"),
        "{closing}"
    );
}

#[test]
fn bad_sound_is_a_note() {
    let s = Scratch::new();
    set(&s);
    let said = s.ok("check set --all");
    for note in [
        "utterance clipped: 8000 of 8000 samples are at the end of their range",
        "utterance clipped: 8000 Hz, the first has 16000",
        "utterance shifted: the samples of channel 1 are 10.0% of full scale off 0",
        "utterance shifted: channels: 2, the first has 1",
        "utterance silent: all samples are 0",
        "0 faults, 6 notes (wav, 4 utterances, 2.55 s of sound)",
    ] {
        assert!(said.out.contains(note), "{note}: {}{}", said.out, said.err);
    }
    assert!(s.ok("check set/a.wav").out.contains("nothing wrong"));
}

#[test]
fn how_much_sound_differs_is_told() {
    let s = Scratch::new();
    s.write("a.wav", tone(16000, 1, 16000));
    s.ok("a.wav b.wav --dtype f32");
    s.ok("b.wav c.au --dtype i16");
    assert_eq!(s.ok("diff a.wav b.wav").out, "");
    assert_eq!(s.ok("diff a.wav c.au").out, "");
    s.ok("a.wav d.wav --dtype i8 --dither --allow-loss all --to wav");
    let said = s.run("diff a.wav d.wav");
    assert_eq!(said.status, 1);
    assert!(said.out.contains("audio: RMS error -"), "{}", said.out);
    assert!(said.out.contains(" dB ("), "{}", said.out);
    assert!(
        said.err.contains("sound that differs: RMS error"),
        "{}",
        said.err
    );
    let json: Value = serde_json::from_str(&s.run("diff a.wav d.wav --json").out).unwrap();
    let snr = json["sound"]["snr_db"].as_f64().unwrap();
    // 8 bits with triangular noise.
    assert!((34.0..42.0).contains(&snr), "{snr}");
    s.ok("a.wav e.wav --rate 8000");
    let out = s.run("diff a.wav e.wav").out;
    assert!(
        out.contains("16000 Hz and 8000 Hz") && !out.contains("RMS"),
        "{out}"
    );
}

#[test]
fn sound_is_drawn_with_its_frequencies() {
    let s = Scratch::new();
    s.write("a.wav", tone(16000, 2, 8000));
    s.ok("plot a.wav -o a.svg");
    let svg = String::from_utf8(s.read("a.svg")).unwrap();
    for text in [
        "channel 0, amplitude, of full scale",
        "channel 1, frequency in Hz, windows of 25 ms every 10.0 ms",
        ">dB<",
        ">8000<",
        "prefers-color-scheme:dark",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    s.ok("plot a.wav -o b.svg --window 0.05 --shift 0.005 --range 40");
    let svg = String::from_utf8(s.read("b.svg")).unwrap();
    assert!(svg.contains("windows of 50 ms every 5.0 ms"));
    let text = s.ok("plot a.wav --channel 0 --width 60").out;
    assert!(
        text.contains(" 8000 Hz ") && text.contains(" dB\n"),
        "{text}"
    );
    assert!(text.lines().count() < 25, "{text}");
    let said = s.run("plot a.wav --range 0");
    assert_eq!(said.status, 2);
    assert!(
        said.err.contains("expected a number above 0"),
        "{}",
        said.err
    );
}

#[test]
fn a_page_plays_sound_within_a_limit() {
    let s = Scratch::new();
    set(&s);
    s.ok("report set -o a.html");
    let page = String::from_utf8(s.read("a.html")).unwrap();
    assert!(page.contains("<audio controls"), "no sound");
    assert!(page.contains("<dt>Peak</dt><dd>0.00 dB</dd>"));
    assert!(page.contains("<dt>Channels</dt><dd>1, 2</dd>"));
    s.ok("report set -o b.html --max-sound 1k");
    let page = String::from_utf8(s.read("b.html")).unwrap();
    assert!(!page.contains("<audio"));
    assert!(page.contains("<code>--max-sound SIZE</code> allows more"));
}

#[test]
fn samples_without_a_header_say_nothing_of_themselves() {
    let s = Scratch::new();
    s.write("a.wav", tone(8000, 2, 300));
    for order in ["little", "big"] {
        s.ok(&format!("a.wav raw:a.pcm,byteorder={order} --overwrite"));
        let said = format!("dtype=i16,rate=8000,channels=2,byteorder={order}");
        s.ok(&format!("raw:a.pcm,{said} b.wav --overwrite"));
        assert_eq!(s.read("b.wav"), s.read("a.wav"));
    }
    assert_eq!(s.read("a.pcm").len(), 1200);
    // A file whose header is passed over.
    s.ok("raw:a.wav,dtype=i16,rate=8000,channels=2,skip=44 c.wav");
    assert_eq!(s.read("c.wav"), s.read("a.wav"));
    for (line, fault) in [
        (
            "raw:a.pcm,dtype=i16,rate=8000 x.wav",
            "a.pcm: samples without a header do not tell their channels",
        ),
        (
            "raw:a.pcm,dtype=i16,rate=8000,channels=7 x.wav",
            "the file ends here",
        ),
        (
            "a.wav raw:x.pcm,rate=8000",
            "rate: what is written has that of the input",
        ),
        ("a.pcm x.wav", "a.pcm: no known format"),
    ] {
        let error = s.fails(line);
        assert!(error.contains(fault), "{line}: {error}");
    }
    let hint = s.run("a.pcm x.wav").err;
    assert!(hint.contains("read as raw:a.pcm,dtype=i16,"), "{hint}");
}
