//! Steps of sound, as they are written.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{Matrix, Rank, Utterance, Waveform};
use spr_engine::step::Steps;

use super::script::{Step, script};

#[test]
fn typed_stages() {
    for (text, fault) in [
        ("channel(-1)", "'-1' is not a channel"),
        ("channel(left)", "'left' is not a channel"),
        ("resample(0)", "'0' is not a rate"),
        ("resample(0.0001k)", "'0.0001k' is not a rate"),
        ("resample(k)", "'k' is not a rate"),
        ("resample(-1k)", "'-1k' is not a rate"),
        ("resample(16777217)", "is not a rate"),
        ("resample(8000,seed=1)", "the seed is for dither"),
    ] {
        let error = text.parse::<Steps>().unwrap_err().to_string();
        assert!(error.contains(fault), "{text}: {error}");
    }
    let stages: Steps = "channel(mix)|resample(8000,dither,seed=3)".parse().unwrap();
    let samples = Matrix::from_rows(&[5i16; 32], 2, Rank::Matrix).unwrap();
    let sound = Utterance {
        key: "a".into(),
        audio: Some(
            Waveform {
                rate: 16000,
                samples,
            }
            .into(),
        ),
        ..Utterance::default()
    };
    let mut reader = stages
        .over(script(&[Step::Given(sound)]), &Env::default())
        .unwrap();
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    let got = utt.waveform().unwrap();
    assert_eq!(
        (got.rate, got.samples.rows(), got.samples.cols()),
        (8000, 8, 1)
    );
}
