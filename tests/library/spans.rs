//! Segments of recordings cost their own bytes, whatever they are written to and in whatever order they
//! come: opens and bytes are counted.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use spr_convert::core::Result;
use spr_convert::core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, Env, FileStatus, Finish, Identity, Leftover,
    Location, MemoryStore, OpenedFile, Store,
};
use spr_convert::core::format::Reader;
use spr_convert::core::model::{Matrix, Rank, Utterance, Waveform};
use spr_convert::{ConvertOptions, OpenOptions, builtin};

/// The number of samples of a recording, at 16 kHz.
const SAMPLES: u32 = 20 * 16_000;
/// The seconds of a segment, and from the start of one to the next.
const LENGTH: f64 = 0.5;
const STEP: f64 = 0.8;
/// The number of segments of a recording.
const COUNT: u32 = 25;

/// A store that counts how often recordings are opened.
#[derive(Debug)]
struct CountingStore {
    inner: MemoryStore,
    opens: Arc<AtomicUsize>,
}

impl Store for CountingStore {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        self.inner.look(at)
    }

    fn identify(&self, at: &Location) -> Identity {
        self.inner.identify(at)
    }

    fn resolve(&self, at: &Location) -> Location {
        self.inner.resolve(at)
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        let is_sound = at.to_string().starts_with("sound/");
        self.opens
            .fetch_add(usize::from(is_sound), Ordering::Relaxed);
        self.inner.open(at)
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.inner.list(folder)
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.inner.entries(folder)
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        self.inner.write_to(stream)
    }

    fn may_create(&self, target: &Location, is_folder: bool, how: DraftOptions) -> Result<()> {
        self.inner.may_create(target, is_folder, how)
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.inner.create(target, how)
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.inner.create_folder(target, how)
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        self.inner.commit(changes, kept, durable)
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        self.inner.make_folder(folder, durable)
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        self.inner.settle_folder(folder, stays);
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.inner.leftovers(target)
    }
}

/// Two recordings of noise in a format, as `sound/a` and `sound/b`.
fn recordings(extension: &str) -> (MemoryStore, [u64; 2]) {
    let store = MemoryStore::new();
    let env = builtin::env().with_store(Arc::new(store.clone()));
    let sizes = ["a", "b"].map(|name| {
        let noise = |n: u32| i16::try_from(n.wrapping_mul(2_654_435_761) >> 20).unwrap();
        let samples: Vec<i16> = (0..SAMPLES).map(noise).collect();
        let samples = Matrix::from_rows(&samples, 1, Rank::Matrix).unwrap();
        let utt = Utterance {
            key: name.into(),
            audio: Some(
                Waveform {
                    rate: 16_000,
                    samples,
                }
                .into(),
            ),
            ..Utterance::default()
        };
        let file = format!("sound/{name}.{extension}");
        let options = ConvertOptions::within(&builtin::registry(), &env);
        let mut writer = options.create(&file).unwrap();
        spr_convert::core::format::Writer::write(&mut writer, &utt).unwrap();
        spr_convert::core::DatasetWriter::finish(writer).unwrap();
        store.get(&*file).unwrap().len() as u64
    });
    (store, sizes)
}

/// Inserts a data directory with segments of the recordings, in an order.
fn segments(store: &MemoryStore, extension: &str, order: &str) -> usize {
    let mut spans: Vec<_> = match order {
        "in turn" => (0..COUNT).flat_map(|n| [("a", n), ("b", n)]).collect(),
        _ => ["a", "b"]
            .into_iter()
            .flat_map(|name| (0..COUNT).map(move |n| (name, n)))
            .collect(),
    };
    if order == "backwards" {
        spans.reverse();
    }
    let mut lines = [String::new(), String::new()];
    for (number, (name, n)) in spans.iter().enumerate() {
        let (key, start) = (format!("{number:04}-{name}"), f64::from(*n) * STEP);
        lines[0] += &format!("{key} {name} {start:.2} {:.2}\n", start + LENGTH);
        lines[1] += &format!("{key} {key}\n");
    }
    let [segments, speakers] = lines;
    store.insert("d/segments", segments.into_bytes());
    store.insert("d/utt2spk", speakers.into_bytes());
    let scp = ["a", "b"].map(|name| format!("{name} sound/{name}.{extension}\n"));
    store.insert("d/wav.scp", scp.concat().into_bytes());
    spans.len()
}

#[test]
fn segments_cost_their_own_bytes_in_any_order() {
    let targets = [
        ("out.ark", &[][..]),
        ("out.npz", &[]),
        ("out.jsonl", &[]),
        ("out.parquet", &[]),
        ("out.tar", &[("webdataset", "")]),
        ("out/", &[("wav", "")]),
    ];
    let mut cases = 0;
    for extension in ["wav", "flac", "au", "sph"] {
        let (inner, sizes) = recordings(extension);
        let whole: u64 = sizes.iter().sum();
        for order in ["in order", "in turn", "backwards"] {
            let count = segments(&inner, extension, order);
            for (target, format) in targets {
                let (opens, read) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicU64::new(0)));
                let store = CountingStore {
                    inner: inner.clone(),
                    opens: opens.clone(),
                };
                let sounds = ["a", "b"].map(|name| format!("sound/{name}.{extension}"));
                let sounds = sounds.iter().map(|name| Location::from(name.as_str()));
                let env = builtin::env().with_store(Arc::new(store));
                let env: Env = env.counting(sounds, read.clone());
                let mut options = ConvertOptions::within(&builtin::registry(), &env);
                options.overwrite(true).stages("samples");
                if let [(name, _)] = format {
                    options.output_format(name);
                }
                let outcome = options.convert("d", target).unwrap();
                let case = format!("{extension}, {order}, {target}");
                assert_eq!(outcome.written.utterances, count as u64, "{case}");
                let (opens, read) = (opens.load(Ordering::Relaxed), read.load(Ordering::Relaxed));
                assert_eq!(opens, 2, "{case}");
                // Each jump in a FLAC file looks for a frame.
                let search = u64::from(extension == "flac" && order == "backwards") * 8192;
                let most = whole + whole / 10 + search * count as u64;
                assert!(read <= most, "{case}: {read} bytes of {whole}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 72);
}

#[test]
fn a_segment_in_the_middle_leaves_the_rest_unread() {
    for extension in ["wav", "flac", "au"] {
        let (inner, sizes) = recordings(extension);
        inner.insert("d/segments", b"u a 10.0 10.5\n".to_vec());
        inner.insert("d/utt2spk", b"u u\n".to_vec());
        inner.insert("d/wav.scp", format!("a sound/a.{extension}\n").into_bytes());
        let read = Arc::new(AtomicU64::new(0));
        let sound = Location::from(format!("sound/a.{extension}").as_str());
        let env = builtin::env().with_store(Arc::new(inner));
        let env = env.counting([sound], read.clone());
        let mut options = OpenOptions::within(&builtin::registry(), &env);
        let mut utt = Utterance::default();
        let mut reader = options.stages("samples").open("d").unwrap();
        assert!(reader.read(&mut utt).unwrap());
        assert_eq!(utt.waveform().unwrap().samples.rows(), 8000);
        let read = read.load(Ordering::Relaxed);
        assert!(
            read < sizes[0] / 5,
            "{extension}: {read} bytes of {}",
            sizes[0]
        );
    }
}
