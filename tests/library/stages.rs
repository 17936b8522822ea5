//! Stages over data sets: batches, passes, files in turn, threads.

use spr_convert::core::Limits;
use spr_convert::core::bytes::Env;
use spr_convert::core::format::Reader;
use spr_convert::core::model::Utterance;
use spr_convert::core::stage::{
    Batching, Interleave, Passes, ReaderExt, ThreadedReader, Utterances,
};
use spr_convert::step::Steps;
use spr_convert::{Result, open};

use super::{Scratch, TWO};

fn sample() -> Result<Box<dyn Reader>> {
    let file = "fixtures/samples/kaldi/fbank.scp";
    open(&format!("{}/{file}", env!("CARGO_MANIFEST_DIR")))
}

#[test]
fn an_epoch_of_batches_holds_every_frame_once() {
    let stages: Steps = "shuffle(1000,seed=1)|context(5,5)|batch(256)|prefetch(4)"
        .parse()
        .unwrap();
    let mut passes =
        Passes::new(move |pass| stages.in_pass(pass, sample()?, &Env::default())).unwrap();
    let mut seen: Vec<Vec<f32>> = Vec::new();
    for pass in 0..3 {
        let mut first = Vec::new();
        let mut frames = 0;
        for batch in Utterances::new(&mut passes) {
            let features = batch.unwrap().features.unwrap();
            assert_eq!(features.cols(), 11 * 40);
            frames += features.rows();
            let values = features.values::<f32>().unwrap();
            first.extend(values.iter().step_by(11 * 40));
        }
        assert_eq!(frames, 3111, "pass {pass}");
        assert!(!seen.contains(&first), "pass {pass}: another order");
        seen.push(first);
        passes.reset().unwrap();
    }
    for order in &mut seen {
        order.sort_by(f32::total_cmp);
    }
    assert!(
        seen.windows(2).all(|pair| pair[0] == pair[1]),
        "the same frames"
    );
}

#[test]
fn padded_batches_find_every_utterance_again() {
    let batching = Batching::padded_frames(1500).buckets([250, 290]);
    let batches = sample()
        .unwrap()
        .batch(batching, Limits::default())
        .unwrap();
    let mut found = Vec::new();
    for batch in batches {
        let batch = batch.unwrap();
        let (features, sequences) = (batch.features.unwrap(), batch.sequences.unwrap());
        assert!(features.rows() <= 1500);
        let rows = features.view::<f32>().unwrap();
        for (n, key) in sequences.keys().iter().enumerate() {
            let own = sequences.rows(n).unwrap();
            found.push((key.clone(), rows.slice(ndarray::s![own, ..]).to_owned()));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found.len(), 12);
    for (utt, (key, rows)) in sample().unwrap().into_iter().zip(found) {
        let utt = utt.unwrap();
        assert_eq!(utt.key, key);
        assert_eq!(utt.features.unwrap().view::<f32>().unwrap(), rows);
    }
}

#[test]
fn files_and_threads_in_parallel_change_nothing() {
    let s = Scratch::new();
    let files: Vec<_> = (0..5)
        .map(|n| {
            s.write(
                &format!("{n}.jsonl"),
                TWO.replace("\"key\":\"", &format!("\"key\":\"{n}")),
            )
        })
        .collect();
    let keys = |threads| {
        let openers = files.clone().into_iter().map(|file| move || open(&file));
        let reader = Interleave::new(openers, 2, threads).unwrap();
        let keys = Utterances::new(reader).map(|utt| utt.unwrap().key.to_string());
        keys.collect::<Vec<_>>()
    };
    let expected = ["0a", "1a", "0b", "1b", "2a", "3a", "2b", "3b", "4a", "4b"];
    for threads in 1..5 {
        assert_eq!(keys(threads), expected, "{threads} threads");
    }
    let shared = ThreadedReader::new(sample().unwrap());
    let frames: u64 = std::thread::scope(|scope| {
        let count = |own: ThreadedReader| {
            Utterances::new(own)
                .map(|utt| utt.unwrap().frames())
                .sum::<u64>()
        };
        let workers: Vec<_> = (0..3)
            .map(|_| shared.clone())
            .map(|own| scope.spawn(move || count(own)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(frames, 3111);
}

#[test]
fn the_page_about_stages_has_them_all_in_their_words() {
    let page = format!("{}/docs/stages.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let mut seen = 0;
    for (usage, what) in Steps::list() {
        let row = format!("| `{}` | {what} |\n", usage.replace('|', "\\|"));
        assert!(page.contains(&row), "{row}");
        seen += 1;
    }
    assert_eq!((seen, page.matches("\n| `").count()), (39, 39));
}

#[test]
fn a_look_ahead_tells_the_end() {
    let s = Scratch::new();
    let mut reader = open(&s.write("two.jsonl", TWO)).unwrap().peekable();
    let (mut utt, mut keys) = (Utterance::default(), Vec::new());
    while reader.has_next() {
        let next = reader.peek().unwrap().key.clone();
        assert!(reader.read(&mut utt).unwrap());
        assert_eq!(utt.key, next);
        keys.push(next.to_string());
    }
    assert_eq!(keys, ["a", "b"]);
}
