//! The reach of steps, the columns they compare, and the facts they need.

use spr_core::format::Partitioning;
use spr_core::model::Dtype;
use spr_engine::step::{Step, Steps};
use spr_stats::{AudioNeed, COLUMNS};

fn step(text: &str) -> Step {
    let steps: Steps = text.parse().unwrap();
    steps.into_vec().remove(0)
}

#[test]
fn a_step_needs_of_sound_what_its_columns_need() {
    for (text, need) in [
        ("where('text')", AudioNeed::Nothing),
        ("where('seconds > 1 and text')", AudioNeed::Facts),
        ("where('text or not (peak_db < -3)')", AudioNeed::Levels),
        (
            "where('seconds > 1 and dtype = \"i16\"')",
            AudioNeed::Levels,
        ),
        ("seconds(1-)", AudioNeed::Facts),
        ("hours(1)", AudioNeed::Facts),
        ("sort", AudioNeed::Nothing),
        ("sort(speaker,-seconds)", AudioNeed::Facts),
        ("sort(clipped)", AudioNeed::Levels),
        ("sample(5)", AudioNeed::Nothing),
        ("sample(5,by=speaker)", AudioNeed::Nothing),
        ("sample(5,by=rate)", AudioNeed::Facts),
        ("sample(10h)", AudioNeed::Facts),
        ("sample(10h,by=zeros)", AudioNeed::Levels),
        ("check", AudioNeed::Nothing),
        ("check(dim=3)", AudioNeed::Nothing),
        ("check(channels=1)", AudioNeed::Facts),
        ("length(5-)", AudioNeed::Nothing),
        ("speakers(a)", AudioNeed::Nothing),
        ("cmvn(speaker)", AudioNeed::Nothing),
    ] {
        assert_eq!(step(text).audio_need(), need, "{text}");
    }
}

#[test]
fn steps_look_at_columns_that_there_are() {
    let used = |text: &str| -> Vec<_> {
        let step = step(text);
        let names = COLUMNS.iter().map(|column| column.name);
        names.filter(|name| step.uses(name)).collect()
    };
    for (text, columns) in [
        ("speakers(a)", &["speaker"][..]),
        ("per-speaker(2)", &["speaker"]),
        ("seconds(-2)", &["seconds"]),
        ("hours(2)", &["seconds"]),
        ("sample(2s,by=gender)", &["seconds", "gender"]),
        ("sort(-text)", &["text"]),
        ("cmvn", &[]),
        ("cmvn(speaker)", &["speaker"]),
        ("cmvn-stats", &["speaker", "text"]),
        ("check(rate=1)", &["rate"]),
        ("where('gender = language')", &["gender", "language"]),
    ] {
        assert_eq!(used(text), columns, "{text}");
    }
}

#[test]
fn the_values_of_a_step_say_how_far_it_reaches() {
    for (text, across, twice, chunks) in [
        ("prefetch", false, false, true),
        ("frame-shift(0.01)", false, false, true),
        ("context(1)", false, false, false),
        ("unique", false, false, false),
        ("unique(first)", true, false, false),
        ("unique(last)", true, true, false),
        ("check", true, false, false),
        ("check(dim=2)", false, false, false),
        ("cmvn", false, false, false),
        ("cmvn(global)", true, true, false),
        ("cmvn(global,stats=a.ark)", false, false, false),
        ("cmvn-stats", false, false, false),
        ("cmvn-stats(speaker)", true, false, false),
        ("shard(0,2)", true, false, false),
        ("sample(2)", true, true, false),
    ] {
        let step = step(text);
        assert_eq!(step.looks_across(), across, "{text}");
        assert_eq!(step.reads_twice(), twice, "{text}");
        assert_eq!(step.takes_chunks(), chunks, "{text}");
    }
}

#[test]
fn samples_that_are_calculated_get_a_type_once() {
    let typed = |text: &str| step(text).with_sample_type(Dtype::F32).to_string();
    assert_eq!(typed("resample(8000)"), "sound(rate=8000,dtype=f32)");
    assert_eq!(
        typed("sound(channel=mix,dtype=f64)"),
        "sound(channel=mix,dtype=f64)"
    );
    assert_eq!(typed("context(1)"), "context(1)");
    let step = step("resample(8000)").with_sample_type(Dtype::F32);
    assert_eq!(step.sound().unwrap().dtype, Some(Dtype::F32));
    let same = Step::new("sound", [("rate", "8000"), ("dtype", "f32")]).unwrap();
    assert_eq!(step, same);
    assert_eq!(
        serde_json::to_string(&step).unwrap(),
        serde_json::to_string(&same).unwrap()
    );
}

#[test]
fn only_sound_that_changes_is_not_idle() {
    for (text, idle) in [
        ("sound(dtype=f32)", true),
        ("sound(dtype=f32,dither)", false),
        ("sound(dither)", true),
        ("sound(rate=8k)", false),
        ("context(0)", true),
        ("context(0,1)", false),
        ("rename", true),
        ("rename(prefix=a)", false),
    ] {
        assert_eq!(step(text).is_idle(), idle, "{text}");
    }
}

#[test]
fn files_are_those_that_values_name() {
    for (text, file) in [
        ("select(keys=a)", Some("a")),
        ("select(key=a)", None),
        ("without(keys=a)", Some("a")),
        ("speakers(file=a)", Some("a")),
        ("rename(map=a)", Some("a")),
        ("cmvn(speaker,stats=a)", Some("a")),
        ("ali-to(phones,model=a)", Some("a")),
        ("ali-to(phones)", None),
    ] {
        let step = step(text);
        assert_eq!(
            step.files().collect::<Vec<_>>(),
            Vec::from_iter(file),
            "{text}"
        );
    }
}

#[test]
fn pdnn_decides_what_sizes_mean() {
    use Partitioning::{Batches, Partitions, Whole};
    for (text, partitioning, told) in [
        ("shuffle-frames(1m)", Partitions, "shuffle-frames(1m)"),
        (
            "shuffle-frames(1m,pdnn)",
            Partitions,
            "shuffled in partitions of 1 MiB, seed 0",
        ),
        (
            "shuffle-frames(pdnn,seed=5)",
            Whole,
            "shuffled as a whole, seed 5",
        ),
        (
            "shuffle-frames(pdnn)",
            Batches(7),
            "shuffled as a whole, seed 0",
        ),
        (
            "shuffle-frames(2k,pdnn,stream,seed=1)",
            Batches(7),
            "shuffled in partitions of 2 KiB of whole 7s of frames, seed 1",
        ),
        ("partition(1m)", Partitions, "partition(1m)"),
        (
            "partition(pdnn)",
            Partitions,
            "cut into partitions of 600 MiB",
        ),
        ("partition(pdnn)", Whole, "one partition a file"),
        (
            "cmvn(speaker,vars)",
            Whole,
            "mean 0 and variance 1 for each speaker",
        ),
        ("cmvn(stats=a)", Whole, "mean 0 for each utterance, by a"),
        ("map-label(1:0/4-6:2)", Whole, "labels 1 to 0, 4-6 to 2"),
        (
            "sound(channel=1,rate=8k)",
            Whole,
            "of sound channel 1; sound at 8000 samples a second",
        ),
    ] {
        assert_eq!(step(text).describe(partitioning), told, "{text}");
    }
}
