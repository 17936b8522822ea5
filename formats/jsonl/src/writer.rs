//! The writer.

use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Dtype, Element, Matrix, NamedArray, Rank, Utterance, Waveform};
use spr_core::{Error, Result, dispatch};

use crate::{arrays, audio, meta, numbers, object, segments, text};

/// The size in bytes after which a part of a line is written out.
const BLOCK: usize = 256 << 10;

/// The start of a line, and that of one with the version of its schema.
const STARTS: [&[u8]; 2] = [b"{\"key\":", b"{\"schema\":1,\"key\":"];

pub(crate) struct JsonlWriter {
    caps: Caps,
    start: &'static [u8],
    sink: Sink,
    line: Vec<u8>,
    written: WriteSummary,
}

impl JsonlWriter {
    pub(crate) fn new(output: &Output, caps: Caps, with_schema: bool) -> Result<Self> {
        Ok(Self {
            caps,
            start: STARTS[usize::from(with_schema)],
            sink: output.create(Part::Main, false)?,
            line: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    fn write_features(&mut self, features: &Matrix) -> Result<()> {
        let (sizes, dimensions) = sizes(features);
        self.open_array(features.dtype(), &sizes[..dimensions]);
        self.write_matrix(features)?;
        self.line.push(b'}');
        Ok(())
    }

    /// Appends everything before the data of an array.
    fn open_array(&mut self, dtype: Dtype, sizes: &[usize]) {
        let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
        let sizes = sizes.join(",");
        let head = format!("{{\"dtype\":\"{dtype}\",\"shape\":[{sizes}],\"data\":");
        self.line.extend_from_slice(head.as_bytes());
    }

    fn write_matrix(&mut self, matrix: &Matrix) -> Result<()> {
        let (sizes, dimensions) = sizes(matrix);
        self.write_data(matrix, &sizes[..dimensions])
    }

    fn write_data(&mut self, values: &Matrix, sizes: &[usize]) -> Result<()> {
        dispatch!(values.dtype(), T => self.write_lists(values.values::<T>()?, sizes))
    }

    /// Appends nested lists of these sizes.
    fn write_lists<T: Element>(&mut self, values: &[T], sizes: &[usize]) -> Result<()> {
        match *sizes {
            [] => numbers::write(values, &mut self.line),
            [_] => {
                self.line.push(b'[');
                for (n, block) in values.chunks(BLOCK / 16).enumerate() {
                    self.part(n)?;
                    numbers::write(block, &mut self.line);
                }
                self.line.push(b']');
            }
            [len, ref inner @ ..] => {
                self.line.push(b'[');
                let step = values.len().checked_div(len).unwrap_or(0);
                for n in 0..len {
                    self.part(n)?;
                    self.write_lists(&values[n * step..(n + 1) * step], inner)?;
                }
                self.line.push(b']');
            }
        }
        Ok(())
    }

    /// Separates item `n` of a list from the one before, and writes out a full buffer.
    fn part(&mut self, n: usize) -> Result<()> {
        if n > 0 {
            self.line.push(b',');
        }
        if self.line.len() >= BLOCK {
            self.sink.put(&self.line)?;
            self.line.clear();
        }
        Ok(())
    }

    fn write_audio(&mut self, fields: &[u8], samples: Option<&Waveform>) -> Result<()> {
        self.line.extend_from_slice(b",\"audio\":{");
        self.line.extend_from_slice(fields);
        if let Some(sound) = samples {
            self.line.extend_from_slice(b",\"data\":");
            self.write_matrix(&sound.samples)?;
        }
        self.line.push(b'}');
        Ok(())
    }

    fn write_arrays(&mut self, arrays: &[NamedArray]) -> Result<()> {
        self.line.extend_from_slice(b",\"arrays\":{");
        for (n, NamedArray { name, array }) in arrays.iter().enumerate() {
            self.part(n)?;
            text::write(name.as_bytes(), &mut self.line);
            self.line.push(b':');
            self.open_array(array.dtype(), array.shape());
            self.write_data(array.values(), array.shape())?;
            self.line.push(b'}');
        }
        self.line.push(b'}');
        Ok(())
    }

    fn write_labels(&mut self, labels: &Matrix) -> Result<()> {
        self.write_matrix(labels)?;
        if labels.dtype() != Dtype::I32 {
            let field = format!(",\"label_dtype\":\"{}\"", labels.dtype());
            self.line.extend_from_slice(field.as_bytes());
        }
        if labels.rank() == Rank::Matrix && labels.rows() == 0 {
            let field = format!(",\"label_columns\":{}", labels.cols());
            self.line.extend_from_slice(field.as_bytes());
        }
        Ok(())
    }
}

impl JsonlWriter {
    fn small(&self, utt: &Utterance) -> Result<Small> {
        Small::of(utt, &self.caps)
            .map_err(|e| e.utterance(&utt.key).file(self.sink.name()).continuable())
    }
}

impl Writer for JsonlWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.small(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        // Everything that may fail comes first, before any part of the line is written.
        let small = self.small(utt)?;
        self.line.clear();
        self.line.extend_from_slice(self.start);
        text::write(utt.key.as_bytes(), &mut self.line);
        self.line.extend_from_slice(b",\"features\":");
        match &utt.features {
            Some(features) => self.write_features(features)?,
            None => self.line.extend_from_slice(b"null"),
        }
        self.line.extend_from_slice(b",\"labels\":");
        match &utt.labels {
            Some(labels) => self.write_labels(labels)?,
            None => self.line.extend_from_slice(b"null"),
        }
        if let Some(object) = &small.object {
            self.line.push(b',');
            self.line.extend_from_slice(object);
        }
        if let Some(audio) = &small.audio {
            self.write_audio(audio, utt.waveform())?;
        }
        segments::write(&utt.tiers, &mut self.line);
        if let Some(said) = &utt.text {
            self.line.extend_from_slice(b",\"text\":");
            text::write(said, &mut self.line);
        }
        if !utt.arrays.is_empty() {
            self.write_arrays(&utt.arrays)?;
        }
        self.line.extend_from_slice(b",\"meta\":{");
        meta::write(&utt.meta, &mut self.line);
        self.line.extend_from_slice(b"}}\n");
        self.sink.put(&self.line)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}

/// The parts of a line that cannot always be represented, already formatted.
struct Small {
    object: Option<Vec<u8>>,
    /// The audio fields, except the data of samples.
    audio: Option<Vec<u8>>,
}

impl Small {
    /// Formats those of an utterance, after checking that all of it could be read back.
    fn of(utt: &Utterance, caps: &Caps) -> Result<Self> {
        caps.check(utt)?;
        if let Some(name) = arrays::twice(&utt.arrays) {
            let name = name.escape_debug();
            return Err(Error::unfit(format!("has two arrays called '{name}'")));
        }
        let mut object = Vec::new();
        if let Some(other) = &utt.object {
            object::write(other, &mut object)?;
        }
        Ok(Self {
            object: utt.object.is_some().then_some(object),
            audio: utt.audio.as_ref().map(audio::fields).transpose()?,
        })
    }
}

/// Returns the sizes of a matrix to be written, and their number.
fn sizes(matrix: &Matrix) -> ([usize; 2], usize) {
    let dimensions = match matrix.rank() {
        Rank::Scalar => 0,
        Rank::Vector => 1,
        Rank::Matrix => 2,
    };
    ([matrix.rows(), matrix.cols()], dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::CAPS;
    use spr_core::bytes::{Env, Locator, MemoryStore};
    use spr_core::model::{Array, Decimal, Object, Segment, Sparse, Tag, Tier};
    use std::sync::Arc;

    fn written(utt: &Utterance) -> String {
        let store = MemoryStore::new();
        let env = Env::default().with_store(Arc::new(store.clone()));
        let output = env.output(&Locator::file("memory"));
        let mut writer = Box::new(JsonlWriter::new(&output, CAPS, false).unwrap());
        writer.write(utt).unwrap();
        writer.finish().unwrap();
        output.commit().unwrap();
        String::from_utf8(store.get("memory").unwrap()).unwrap()
    }

    #[test]
    fn writes_the_canonical_form() {
        let mut utt = Utterance {
            key: "A-03".into(),
            features: Some(
                Matrix::from_rows(&[1.5f32, -2.0, f32::NAN, 0.1], 2, Rank::Matrix).unwrap(),
            ),
            ..Utterance::default()
        };
        assert_eq!(
            written(&utt),
            concat!(
                r#"{"key":"A-03","features":{"dtype":"f32","shape":[2,2],"data":[[1.5,-2],["nan",0.1]]},"#,
                r#""labels":null,"meta":{}}"#,
                "\n"
            )
        );
        utt.features = None;
        utt.labels = Some(Matrix::from_rows(&[3u8, 4], 1, Rank::Vector).unwrap());
        utt.meta.frame_shift = Decimal::parse("0.010");
        utt.meta.tags.push(Tag::new("spraak", "SITE", [0xe9]));
        assert_eq!(
            written(&utt),
            concat!(
                r#"{"key":"A-03","features":null,"labels":[3,4],"label_dtype":"u8","#,
                r#""meta":{"frame_shift":0.010,"tags":[["spraak","SITE",{"bytes":"e9"}]]}}"#,
                "\n"
            )
        );
    }

    #[test]
    fn writes_tiers_arrays_and_what_is_known_of_the_source() {
        let time = |text| Decimal::parse(text).unwrap();
        let mut segment = Segment::new(time("0.450"), Some(time("1")), b"ah");
        (segment.score, segment.speaker) = (Some(time("-1.5")), Some(b"ann".as_slice().into()));
        let mut utt = Utterance {
            key: "a".into(),
            tiers: vec![Tier::only(vec![segment])],
            ..Utterance::default()
        };
        utt.meta.speaker = Some("ann".into());
        utt.meta.end = Some(time("2.50"));
        let segments = r#"[{"start":0.450,"end":1,"label":"ah","score":-1.5,"speaker":"ann"}]"#;
        let meta = r#""meta":{"speaker":"ann","end":2.50}}"#;
        let start = r#"{"key":"a","features":null,"labels":null"#;
        assert_eq!(
            written(&utt),
            format!("{start},\"segments\":{segments},{meta}\n")
        );
        utt.tiers[0].name = b"phones".as_slice().into();
        utt.tiers.push(Tier {
            points: true,
            ..Tier::default()
        });
        let tiers = format!(
            r#""tiers":[{{"name":"phones","segments":{segments}}},{{"name":"","points":true,"segments":[]}}]"#
        );
        assert_eq!(written(&utt), format!("{start},{tiers},{meta}\n"));
        utt.tiers.clear();
        let bits = Matrix::from_rows(&[true, false], 1, Rank::Vector).unwrap();
        for (name, sizes) in [("b", &[2, 1, 1][..]), ("a", &[2])] {
            let array = Array::of(bits.clone(), sizes).unwrap();
            let name = name.to_owned();
            utt.arrays.push(NamedArray { name, array });
        }
        let arrays = concat!(
            r#""arrays":{"b":{"dtype":"bool","shape":[2,1,1],"data":[[[1]],[[0]]]},"#,
            r#""a":{"dtype":"bool","shape":[2],"data":[1,0]}}"#
        );
        assert_eq!(written(&utt), format!("{start},{arrays},{meta}\n"));
    }

    #[test]
    fn refuses_what_it_could_not_read_back() {
        let output = Env::default().output(&Locator::Nowhere);
        let mut writer = JsonlWriter::new(&output, CAPS, false).unwrap();
        let labels = |rank| Matrix::from_rows(&[1i32], 1, rank).ok();
        let scalar = Utterance {
            labels: labels(Rank::Scalar),
            ..Utterance::default()
        };
        let of = |object| Utterance {
            object: Some(object),
            ..Utterance::default()
        };
        let false_kind = of(Object::opaque("int32", Vec::new()));
        let sparse = of(Object::SparseVector(Sparse {
            dtype: Dtype::I32,
            dim: 1,
            rows: [[(0, 1.0)]].into_iter().collect(),
        }));
        let twins = Utterance {
            arrays: vec![NamedArray::default(); 2],
            ..Utterance::default()
        };
        let mut wide = Matrix::from_rows(&[1f32, 2.0], 2, Rank::Matrix).unwrap();
        wide.reshape(Rank::Vector, 1, 2).unwrap();
        let wide = Utterance {
            features: Some(wide),
            ..Utterance::default()
        };
        for utt in [
            Utterance::default(),
            scalar,
            false_kind,
            sparse,
            twins,
            wide,
        ] {
            let error = writer.write(&utt).unwrap_err();
            assert!(
                error.can_continue() && error.file_name().is_some(),
                "{error}"
            );
        }
    }
}
