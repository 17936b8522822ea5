//! Channels and rates of sound.

use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{Audio, DatasetInfo, Dtype, Element, Matrix, Rank, Utterance, Waveform};
use spr_core::stage::{Channels, SoundChoice};
use spr_core::{Limits, Result};

/// Utterances from memory.
struct List(std::vec::IntoIter<Utterance>, DatasetInfo);

impl Reader for List {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let next = self.0.next();
        let more = next.is_some();
        *utt = next.unwrap_or_default();
        Ok(more)
    }
}

fn sound<T: Element>(key: &str, rate: u32, values: &[T], channels: usize) -> Utterance {
    let samples = Matrix::from_rows(values, channels, Rank::Matrix).unwrap();
    Utterance {
        key: key.into(),
        audio: Some(Waveform { rate, samples }.into()),
        ..Utterance::default()
    }
}

fn changed_in(choice: SoundChoice, utts: Vec<Utterance>, env: &Env) -> Vec<Result<Utterance>> {
    let list = Box::new(List(utts.into_iter(), DatasetInfo::default()));
    let mut reader = choice.over(list, env);
    let mut all = Vec::new();
    loop {
        let mut utt = Utterance::default();
        match reader.read(&mut utt) {
            Ok(true) => all.push(Ok(utt)),
            Ok(false) => return all,
            Err(error) => all.push(Err(error)),
        }
    }
}

fn changed(choice: SoundChoice, utt: Utterance) -> Waveform {
    let mut all = changed_in(choice, vec![utt], &Env::default());
    let utt = all.remove(0).unwrap();
    utt.audio.unwrap().into_waveform()
}

fn channels(text: &str) -> SoundChoice {
    SoundChoice {
        channels: Some(text.parse().unwrap()),
        ..SoundChoice::default()
    }
}

fn rate(rate: u32) -> SoundChoice {
    SoundChoice {
        rate: Some(rate),
        ..SoundChoice::default()
    }
}

fn sine(rate: u32, n: usize, hertz: f64) -> Vec<f64> {
    let at = |i: usize| (TAU * hertz * i as f64 / f64::from(rate)).sin() * 0.5;
    (0..n).map(at).collect()
}

#[test]
fn one_channel_is_as_it_was() {
    let stereo = [1i16, -1, 2, -2, 300, -32768];
    for (wanted, samples) in [("0", [1i16, 2, 300]), ("1", [-1, -2, -32768])] {
        let got = changed(channels(wanted), sound("a", 8000, &stereo, 2));
        assert_eq!(got.samples.as_slice::<i16>(), Some(&samples[..]));
        assert_eq!((got.rate, got.samples.cols()), (8000, 1));
    }
    let all = changed_in(
        channels("2"),
        vec![sound("a", 8000, &stereo, 2), sound("b", 8000, &stereo, 3)],
        &Env::default(),
    );
    let error = all[0].as_ref().unwrap_err();
    assert_eq!(
        error.to_string(),
        "utterance a: channel 2 was asked for, but there are only 2, counted from 0"
    );
    assert!(error.can_continue() && all[1].is_ok());
}

/// In every type a mean is rounded the same way, halves away from silence.
#[test]
fn the_mean_keeps_its_type_and_never_clips() {
    let stereo = [
        1i16,
        2,
        -1,
        -2,
        3,
        3,
        i16::MIN,
        i16::MIN,
        i16::MAX,
        i16::MAX,
    ];
    let got = changed(channels("mix"), sound("a", 8000, &stereo, 2));
    let samples = [2i16, -2, 3, i16::MIN, i16::MAX];
    assert_eq!(got.samples.as_slice::<i16>(), Some(&samples[..]));
    let bytes = [128u8, 129, 127, 128, 0, 0, 255, 255];
    let got = changed(channels("mix"), sound("a", 8000, &bytes, 2));
    assert_eq!(got.samples.as_slice::<u8>(), Some(&[129, 127, 0, 255][..]));
    let floats = [0.5f32, -0.25, 2.0, 2.0];
    let got = changed(channels("mix"), sound("a", 8000, &floats, 2));
    assert_eq!(got.samples.as_slice::<f32>(), Some(&[0.125, 2.0][..]));
    for dtype in Dtype::ALL {
        let mut utt = sound("a", 8000, &[100u8, 101, 102, 3, 2, 1], 3);
        let Some(Audio::Samples(wave)) = &mut utt.audio else {
            panic!("samples")
        };
        wave.cast(*dtype, &Limits::default()).unwrap();
        let got = changed(channels("mix"), utt);
        assert_eq!((got.samples.dtype(), got.samples.rows()), (*dtype, 2));
    }
}

/// Frequency, level and moment of a tone stay, up to 93 % of the narrower band.
#[test]
fn tones_stay_what_they_are() {
    let rates = [
        (16000, 8000),
        (8000, 16000),
        (44100, 16000),
        (16000, 44100),
        (48000, 16000),
        (11025, 8000),
        (16000, 15999),
    ];
    for (from, to) in rates {
        let band = f64::from(from.min(to)) / 2.0;
        for hertz in [50.0, band / 3.0, band * 0.9, band * 0.93] {
            let n = from as usize * 3 + 3;
            let got = changed(rate(to), sound("a", from, &sine(from, n, hertz), 1));
            let got = got.samples.as_slice::<f64>().unwrap();
            assert_eq!(got.len(), (n * to as usize).div_ceil(from as usize));
            let wanted = sine(to, got.len(), hertz);
            // The ends ring, as there is silence beyond.
            let inner = got.len() / 3..got.len() * 2 / 3;
            let noise: f64 = inner.clone().map(|i| (got[i] - wanted[i]).powi(2)).sum();
            let level: f64 = inner.map(|i| wanted[i].powi(2)).sum();
            let snr = 10.0 * (level / noise).log10();
            assert!(snr > 90.0, "{from} to {to}, {hertz} Hz: {snr:.1} dB");
        }
    }
}

#[test]
fn what_is_above_the_new_band_is_gone() {
    let high = sine(16000, 16000, 5000.0);
    let got = changed(rate(8000), sound("a", 16000, &high, 1));
    let got = &got.samples.as_slice::<f64>().unwrap()[2000..6000];
    let most = got.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    assert!(most < 0.5e-4, "{most}");
}

/// A click is where it was, to less than a sample.
#[test]
fn moments_stay() {
    for (from, to) in [(8000, 16000), (44100, 16000), (16000, 11025)] {
        let mut click = vec![0.0; from as usize];
        click[from as usize / 5] = 1.0;
        let got = changed(rate(to), sound("a", from, &click, 1));
        let got = got.samples.as_slice::<f64>().unwrap();
        let loudest = (0..got.len()).max_by(|a, b| got[*a].abs().total_cmp(&got[*b].abs()));
        let off = loudest.unwrap() as f64 - f64::from(to) / 5.0;
        assert!(off.abs() < 1.0, "{from} to {to}: {off}");
    }
}

#[test]
fn integers_are_rounded_once_and_clipping_is_told() {
    let stereo: Vec<i16> = (0..800).flat_map(|n| [n * 20, -n * 20]).collect();
    let both = SoundChoice {
        rate: Some(16000),
        ..channels("mix")
    };
    let got = changed(both, sound("a", 8000, &stereo, 2));
    assert!(
        got.samples
            .as_slice::<i16>()
            .unwrap()
            .iter()
            .all(|v| *v == 0)
    );
    let square: Vec<i16> = (0..8000)
        .map(|n| if n / 40 % 2 == 0 { i16::MAX } else { i16::MIN })
        .collect();
    let seen = Arc::new(Mutex::new(String::new()));
    let told = seen.clone();
    let env =
        Env::default().listening(move |warning| *told.lock().unwrap() += &warning.to_string());
    let all = changed_in(rate(16000), vec![sound("a", 8000, &square, 1)], &env);
    assert_eq!(all.len(), 1);
    let told = seen.lock().unwrap();
    assert!(
        told.contains("samples of 1 utterance went beyond"),
        "{told}"
    );
}

/// Noise is that of the seed and the name, whatever the threads, and of no more than a step.
#[test]
fn dither_is_drawn_by_seed_and_name() {
    let stereo: Vec<i16> = (0..2000).flat_map(|n| [n, n + 1]).collect();
    let choice = |seed| SoundChoice {
        dither: Some(seed),
        ..channels("mix")
    };
    let utts = || {
        ["a", "b", "c"]
            .map(|key| sound(key, 8000, &stereo, 2))
            .to_vec()
    };
    let of = |seed, threads| {
        let mut env = Env::default();
        env.threads = threads;
        let all = changed_in(choice(seed), utts(), &env);
        all.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    };
    let first = of(1, 1);
    assert_eq!(first, of(1, 4));
    assert_ne!(first, of(2, 1));
    assert_ne!(first[0].audio, first[1].audio);
    let values = first[0]
        .waveform()
        .unwrap()
        .samples
        .as_slice::<i16>()
        .unwrap();
    let exact = |n: usize| n as f64 + 0.5;
    let errors: Vec<_> = (0..2000).map(|n| f64::from(values[n]) - exact(n)).collect();
    assert!(errors.iter().all(|e| e.abs() <= 1.5));
    let mean = errors.iter().sum::<f64>() / 2000.0;
    assert!(mean.abs() < 0.05, "{mean}");
}

#[test]
fn the_number_of_threads_changes_no_sample() {
    let noise = |n: usize| {
        let bits = |i: usize| i.wrapping_mul(2_654_435_761) >> 7 & 0x7fff;
        let value = |i: usize| i16::try_from(bits(i)).unwrap() - 0x4000;
        (0..n).map(value).collect::<Vec<_>>()
    };
    for (from, to, channels, n) in [
        (16000, 8000, 1, 2_000_001),
        (44100, 16000, 2, 1_300_000),
        (8000, 48000, 1, 600_000),
    ] {
        let on = |threads: usize| {
            let mut env = Env::default();
            env.threads = threads;
            let utts = vec![sound("a", from, &noise(n), channels)];
            changed_in(rate(to), utts, &env).remove(0).unwrap()
        };
        let one = on(1);
        for threads in [2, 3, 7] {
            assert!(one == on(threads), "{from} to {to} on {threads} threads");
        }
    }
}

#[test]
fn what_cannot_be_resampled_is_told_and_passed() {
    let utts = vec![
        sound("nan", 8000, &[0.0, f32::NAN], 1),
        sound("still", 0, &[0.0f32; 4], 1),
        sound("odd", 1 << 30, &[0.0f32; 4], 1),
        sound("empty", 8000, &[0.0f32; 0], 1),
        Utterance::default(),
        sound("same", 16000, &[f32::NAN], 1),
    ];
    let all = changed_in(rate(16001), utts, &Env::default());
    let told = all.iter().map(|result| match result {
        Ok(utt) => utt.key.to_string(),
        Err(error) => error.to_string(),
    });
    let told: Vec<_> = told.collect();
    assert!(
        told[0].starts_with("utterance nan: has samples that are no"),
        "{told:?}"
    );
    assert!(
        told[1].starts_with("utterance still: has no sampling rate"),
        "{told:?}"
    );
    assert!(
        told[2].contains("too little in common with 16001"),
        "{told:?}"
    );
    assert_eq!(told[3..5], ["empty", ""]);
    let limits = Limits {
        max_alloc: 1 << 16,
        ..Limits::default()
    };
    let mut env = Env::default();
    env.limits = limits;
    let all = changed_in(rate(1 << 24), vec![sound("a", 1, &[0i16; 9], 1)], &env);
    let error = all[0].as_ref().unwrap_err();
    assert!(error.to_string().contains("over the limit"), "{error}");
}

#[test]
fn channels_are_numbers_or_a_mix() {
    assert_eq!("mix".parse::<Channels>().unwrap(), Channels::Mix);
    assert!("left".parse::<Channels>().is_err());
}

proptest! {
    #[test]
    fn lengths_are_rounded_up(n in 0usize..3000, from in 1u32..400, to in 1u32..400) {
        let got = changed(rate(to * 100), sound("a", from * 100, &vec![0i16; n], 1));
        prop_assert_eq!(got.samples.rows(), (n * to as usize).div_ceil(from as usize));
        prop_assert_eq!(got.rate, to * 100);
    }
}
