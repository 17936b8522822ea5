//! Single objects inside containers.

use std::slice;

use spr_core::bytes::{Nested, ObjectBounds, Source};
use spr_core::model::{Audio, Object, Rank, Utterance, Waveform};
use spr_core::{Error, ErrorKind, Result};

use super::{Bench, named};
use crate::faults;
use crate::generate::{self, Other};

pub(super) fn run(bench: &Bench<'_>) {
    let Some(nested) = bench.suite.format.nested() else {
        return;
    };
    let mut held = 0;
    for utt in candidates(bench) {
        let mut bytes = Vec::new();
        let written = nested.write(&utt, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        });
        match written {
            Ok(()) => {
                held += 1;
                let tried = Tried {
                    bench,
                    nested,
                    utt,
                    bytes,
                };
                tried.returns();
                tried.is_refused_in_pieces();
            }
            Err(e) if !matches!(e.kind(), ErrorKind::Unfit | ErrorKind::Unsupported) => {
                bench.fail("writing an object to nest", e);
            }
            Err(e) if !bytes.is_empty() => {
                bench.fail("an object to nest is refused when it is half written", e);
            }
            Err(_) => {}
        }
    }
    // What stands in a container has no options, and may not go with these.
    if held == 0 && bench.pairs.is_empty() {
        bench.fail("objects to nest", "none can be written");
    }
}

/// Something of every sort.
fn candidates(bench: &Bench<'_>) -> Vec<Utterance> {
    let plans = generate::plans(&bench.caps).into_iter();
    let mut all: Vec<_> = plans.flat_map(|plan| bench.sample(plan, 1)).collect();
    all.push(named(0));
    for kind in Object::KINDS {
        let object = Some(generate::object(kind, 2));
        all.push(Utterance { object, ..named(0) });
    }
    for &dtype in bench.caps.audio.dtypes {
        let channels = generate::channels(&bench.caps.audio, 2);
        let samples = generate::plain(dtype, Rank::Matrix, 5, channels);
        let samples = generate::held_bits(samples, &bench.caps.audio);
        let audio = Some(Audio::Samples(Waveform {
            rate: generate::rate(&bench.caps.audio, 1),
            samples,
        }));
        all.push(Utterance { audio, ..named(0) });
    }
    for &dtype in bench.caps.features.map_or(&[][..], |caps| caps.dtypes) {
        let cols = generate::only_cols(&bench.caps).unwrap_or(3);
        let features = Some(generate::plain(dtype, Rank::Matrix, 4, cols));
        all.push(Utterance {
            features,
            ..named(0)
        });
    }
    for other in Other::ALL.iter().filter(|other| other.is_held(&bench.caps)) {
        let mut utt = named(0);
        other.put(&mut utt, &bench.caps, 3, None);
        all.push(utt);
    }
    bench.prepared(all)
}

/// An object as it was written.
struct Tried<'a> {
    bench: &'a Bench<'a>,
    nested: &'a dyn Nested,
    utt: Utterance,
    bytes: Vec<u8>,
}

/// What stands behind an object.
const REST: &[u8; 4] = b"rest";

impl Tried<'_> {
    #[track_caller]
    fn fail(&self, step: &str, what: impl std::fmt::Display) -> ! {
        let others: Vec<_> = self.utt.others().collect();
        let matrices = (&self.utt.features, &self.utt.labels);
        self.bench
            .fail(format_args!("{step}, {matrices:?} {others:?} nested"), what)
    }

    /// Reads an object into an utterance of which the container has said something.
    fn read(&self, source: &mut Source, extent: ObjectBounds) -> Result<Utterance> {
        let mut utt = faults::stale();
        utt.start();
        utt.meta.recording = Some("outside".into());
        self.nested
            .read(source, extent, &mut utt, &self.bench.env)?;
        if utt.meta.recording.take() != Some("outside".into()) || utt.key != "stale".into() {
            self.fail("reading", "what the container said is gone");
        }
        utt.key = self.utt.key.clone();
        Ok(utt)
    }

    /// It comes back, and what stands behind it is left alone.
    fn returns(&self) {
        let len = self.bytes.len() as u64;
        if !self.nested.claim(&self.bytes).holds(Some(len)) {
            self.fail("recognising", "it is not claimed");
        }
        let check = |step: &str, got: Result<Utterance>| match got {
            Ok(got) => {
                let (want, got) = (slice::from_ref(&self.utt), slice::from_ref(&got));
                if let Err(e) = crate::compare_all(want, got, true, self.bench.suite.text) {
                    self.fail(step, e);
                }
            }
            Err(e) => self.fail(step, e),
        };
        let followed = [b"head", &self.bytes[..], REST].concat();
        let sources = |bytes: &[u8]| {
            let memory = Source::from_bytes(crate::MEMORY, bytes.to_vec());
            [memory, faults::one_byte(bytes)].map(|source| source.expect("a source"))
        };
        for mut source in sources(&self.bytes) {
            check("reading all", self.read(&mut source, ObjectBounds::Whole));
        }
        for mut source in sources(&followed) {
            source.skip(4).expect("four bytes");
            check("reading its own", self.read(&mut source, ObjectBounds::Own));
            match source.array::<4>() {
                Ok(rest) if rest == *REST && source.offset() == followed.len() as u64 => {}
                other => self.fail("reading behind it", format_args!("{other:?}")),
            }
        }
        for mut source in sources(&followed[4..]) {
            let warned = self.bench.suite.warns_of_more;
            if self.read(&mut source, ObjectBounds::Whole).is_ok() && !warned {
                self.fail("with bytes behind it", "no error");
            }
        }
    }

    /// A part of it is an error, and so is a place that takes nothing.
    fn is_refused_in_pieces(&self) {
        for n in 0..self.bytes.len() {
            for extent in [ObjectBounds::Whole, ObjectBounds::Own] {
                let source = Source::from_bytes(crate::MEMORY, self.bytes[..n].to_vec());
                if source
                    .and_then(|mut source| self.read(&mut source, extent))
                    .is_ok()
                {
                    self.fail(&format!("cut to {n} of {}", self.bytes.len()), "no error");
                }
            }
        }
        let full = |_: &[u8]| Err(Error::unfit("full"));
        if self.nested.write(&self.utt, &mut { full }).is_ok() {
            self.fail("writing to where nothing fits", "no error");
        }
    }
}
