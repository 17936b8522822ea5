//! Writing line by line.

use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Writer, Written};
use spr_core::model::{Audio, Dtype, Matrix, Meta, Rank, Segment, Utterance};
use spr_core::{Error, Result, dispatch};

use crate::{line, numbers, object, segments, text};

/// Bytes of a line after which they are passed on.
const BLOCK: usize = 256 << 10;

pub(crate) struct JsonlWriter {
    sink: Sink,
    line: Vec<u8>,
    written: Written,
}

impl JsonlWriter {
    pub(crate) fn new(output: &Output) -> Result<Self> {
        Ok(Self {
            sink: output.create(Part::Main, false)?,
            line: Vec::new(),
            written: Written::default(),
        })
    }

    fn write_features(&mut self, features: &Matrix) -> Result<()> {
        let (rows, cols) = (features.rows(), features.cols());
        let shape = match features.rank() {
            Rank::Scalar => String::new(),
            Rank::Vector => format!("{rows}"),
            Rank::Matrix => format!("{rows},{cols}"),
        };
        let head = format!(
            "{{\"dtype\":\"{}\",\"shape\":[{shape}],\"data\":",
            features.dtype()
        );
        self.line.extend_from_slice(head.as_bytes());
        self.write_data(features)?;
        self.line.push(b'}');
        Ok(())
    }

    fn write_data(&mut self, matrix: &Matrix) -> Result<()> {
        dispatch!(matrix.dtype(), T => {
            let values = matrix.as_slice::<T>().unwrap_or_default();
            match matrix.rank() {
                Rank::Scalar => numbers::write(values, &mut self.line),
                Rank::Vector => {
                    self.line.push(b'[');
                    for (n, block) in values.chunks(BLOCK / 16).enumerate() {
                        self.part(n)?;
                        numbers::write(block, &mut self.line);
                    }
                    self.line.push(b']');
                }
                Rank::Matrix => {
                    self.line.push(b'[');
                    for row in 0..matrix.rows() {
                        self.part(row)?;
                        self.line.push(b'[');
                        let start = row * matrix.cols();
                        numbers::write(&values[start..start + matrix.cols()], &mut self.line);
                        self.line.push(b']');
                    }
                    self.line.push(b']');
                }
            }
        });
        Ok(())
    }

    /// Parts item `n` of a list from the one before, and passes on what has piled up.
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

    fn write_audio(&mut self, audio: &Audio) -> Result<()> {
        let (rows, cols) = (audio.samples.rows(), audio.samples.cols());
        let head = format!(
            ",\"audio\":{{\"rate\":{},\"dtype\":\"{}\",\"shape\":[{rows},{cols}],\"data\":",
            audio.rate,
            audio.samples.dtype()
        );
        self.line.extend_from_slice(head.as_bytes());
        self.write_data(&audio.samples)?;
        self.line.push(b'}');
        Ok(())
    }

    fn write_labels(&mut self, labels: &Matrix) -> Result<()> {
        self.write_data(labels)?;
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

impl Writer for JsonlWriter {
    fn write(&mut self, utt: &Utterance) -> Result<()> {
        check(utt).map_err(|e| e.utterance(&utt.key).file(self.sink.name()).continuable())?;
        self.line.clear();
        self.line.extend_from_slice(b"{\"key\":");
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
        if let Some(object) = &utt.object {
            self.line.push(b',');
            object::write(object, &mut self.line);
        }
        if let Some(audio) = &utt.audio {
            self.write_audio(audio)?;
        }
        if let Some(segments) = &utt.segments {
            self.line.extend_from_slice(b",\"segments\":");
            segments::write(segments, &mut self.line);
        }
        if let Some(said) = &utt.text {
            self.line.extend_from_slice(b",\"text\":");
            text::write(said, &mut self.line);
        }
        self.line.extend_from_slice(b",\"meta\":{");
        write_meta(&utt.meta, &mut self.line);
        self.line.extend_from_slice(b"}}\n");
        self.sink.put(&self.line)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let bytes = self.sink.finish()?;
        Ok(Written {
            bytes,
            ..self.written
        })
    }
}

/// What could not be read back as it is.
fn check(utt: &Utterance) -> Result<()> {
    let matrices = [&utt.features, &utt.labels];
    let audio = utt.audio.as_ref();
    if audio.is_some_and(|audio| !audio.is_of(Dtype::ALL)) {
        return Err(Error::unfit("audio whose samples are no matrix"));
    }
    let mut segments = utt.segments.iter().flatten();
    if !segments.all(Segment::is_proper) {
        return Err(Error::unfit("segments whose times are not in order"));
    }
    if utt.object.is_some() && (utt.others().count() > 1 || matrices.iter().any(|m| m.is_some())) {
        return Err(Error::unfit(
            "an object of another kind that does not stand alone",
        ));
    }
    if matrices.iter().all(|m| m.is_none()) && utt.other().is_none() {
        return Err(Error::unfit("holds nothing but a key"));
    }
    if let (Some(f), Some(l)) = (&utt.features, &utt.labels)
        && f.rows() != l.rows()
    {
        let (f, l) = (f.rows(), l.rows());
        return Err(Error::unfit(format!(
            "{f} frames of features, but labels for {l}"
        )));
    }
    for matrix in matrices.into_iter().flatten() {
        let fits = match matrix.rank() {
            Rank::Scalar => matrix.len() == 1 && matrix.cols() == 1,
            Rank::Vector => matrix.cols() == 1,
            Rank::Matrix => true,
        };
        if !fits {
            return Err(Error::unfit(format!("{matrix:?} is no proper shape")));
        }
    }
    if utt
        .labels
        .as_ref()
        .is_some_and(|l| l.rank() == Rank::Scalar)
    {
        return Err(Error::unfit("a single number is no list of labels"));
    }
    let unknown = |format: &str| line::tag_format(format.as_bytes()).is_none();
    match utt.meta.tags.iter().find(|tag| unknown(tag.format)) {
        Some(tag) => Err(Error::unsupported(format!(
            "header lines of {}",
            tag.format
        ))),
        None => Ok(()),
    }
}

fn write_meta(meta: &Meta, out: &mut Vec<u8>) {
    let start = out.len();
    let times = [
        (&b"\"frame_shift\":"[..], &meta.frame_shift),
        (b"\"frame_offset\":", &meta.frame_offset),
    ];
    for (name, time) in times {
        if let Some(time) = time {
            part_fields(start, out);
            out.extend_from_slice(name);
            text::write_decimal(time, out);
        }
    }
    if meta.tags.is_empty() {
        return;
    }
    part_fields(start, out);
    out.extend_from_slice(b"\"tags\":[");
    for (n, tag) in meta.tags.iter().enumerate() {
        out.extend_from_slice(if n > 0 { b",[" } else { b"[" });
        text::write(tag.format.as_bytes(), out);
        out.push(b',');
        text::write(&tag.key, out);
        out.push(b',');
        text::write(&tag.value, out);
        out.push(b']');
    }
    out.push(b']');
}

fn part_fields(start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Decimal, Tag};

    fn written(utt: &Utterance) -> String {
        let (output, files) = Output::memory();
        let mut writer = Box::new(JsonlWriter::new(&output).unwrap());
        writer.write(utt).unwrap();
        writer.finish().unwrap();
        output.commit().unwrap();
        String::from_utf8(files.lock().unwrap().remove("main").unwrap()).unwrap()
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
        utt.meta.tags.push(Tag {
            format: "spraak",
            key: b"SITE".to_vec(),
            value: vec![0xe9],
        });
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
    fn refuses_what_it_could_not_read_back() {
        let (output, _) = Output::memory();
        let mut writer = JsonlWriter::new(&output).unwrap();
        let labels = |rank| Matrix::from_rows(&[1i32], 1, rank).ok();
        let scalar = Utterance {
            labels: labels(Rank::Scalar),
            ..Utterance::default()
        };
        let mut foreign = Utterance {
            labels: labels(Rank::Vector),
            ..Utterance::default()
        };
        foreign.meta.tags.push(Tag {
            format: "unheard-of",
            key: Vec::new(),
            value: Vec::new(),
        });
        let mut wide = Matrix::from_rows(&[1f32, 2.0], 2, Rank::Matrix).unwrap();
        wide.reshape(Rank::Vector, 1, 2).unwrap();
        let wide = Utterance {
            features: Some(wide),
            ..Utterance::default()
        };
        for utt in [Utterance::default(), scalar, foreign, wide] {
            let error = writer.write(&utt).unwrap_err();
            assert!(
                error.can_continue() && error.file_name().is_some(),
                "{error}"
            );
        }
    }
}
