//! What every format does, and what only Kaldi's does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::Limits;
use spr_core::model::{Dtype, Utterance};
use spr_format_kaldi::FORMAT;
use spr_testkit::{Suite, suite};

#[test]
fn binary() {
    suite(&Suite {
        self_delimiting: true,
        ..Suite::new(FORMAT)
    });
}

fn features_as(utt: &mut Utterance, dtype: Dtype) {
    if let Some(features) = &mut utt.features {
        features.cast(dtype, &Limits::default()).unwrap();
    }
}

#[test]
fn text() {
    let text = Suite {
        text: true,
        self_delimiting: true,
        ..Suite::new(FORMAT)
    };
    suite(&Suite {
        options: &[&[("text", "true"), ("dtype", "f32")]],
        prepare: |utt| features_as(utt, Dtype::F32),
        ..text
    });
    suite(&Suite {
        options: &[&[("text", "true"), ("dtype", "f64")]],
        prepare: |utt| features_as(utt, Dtype::F64),
        ..text
    });
}
