//! Files with one utterance, line by line.

use spr_core::bytes::{Env, MemoryCounter, Output, Source};
use spr_core::format::{
    Caps, Count, Format, Keys, Medium, OneReader, OneWriter, OpenedDataset, SegmentCaps, Writer,
};
use spr_core::model::{DatasetInfo, Decimal, Segment, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::Lines;

use crate::naming::Naming;
use crate::{order, probe, write};

/// The fault of a file without labels, which no writer makes.
pub(crate) const NO_LABELS: &str = "the file holds no labels";

/// Returns the capabilities of a file with one tier of labels.
pub(crate) fn caps(medium: Medium) -> Caps {
    let mut caps = Caps::new(Count::One, Keys::of_files(medium));
    caps.segments = Some(write::whole_lines(SegmentCaps::PLAIN));
    caps
}

/// Creates a reader of one utterance with `fill`.
pub(crate) fn reader<F>(source: Source, env: &Env, fill: F) -> Result<OpenedDataset>
where
    F: FnMut(&mut Source, &mut Utterance, &Env) -> Result<()> + Send + 'static,
{
    let mut info = DatasetInfo::default();
    info.compression = source.compression();
    let mut fill = fill;
    let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
        utt.start();
        fill(source, utt, env)
    };
    Ok(OpenedDataset::stream(OneReader::new(
        source, info, env, fill,
    )?))
}

/// Creates a reader of a file with one segment per line. `parse` returns `None` for a line without
/// a segment.
pub(crate) fn by_line<P>(
    source: Source,
    naming: Naming,
    env: &Env,
    parse: P,
) -> Result<OpenedDataset>
where
    P: Fn(&mut Lines<&mut Source>) -> Result<Option<Segment>, String> + Send + 'static,
{
    reader(source, env, move |source, utt, env| {
        let mut lines = Lines::new(&mut *source, None, env).with_optional_end();
        let mut held = MemoryCounter::new("a list of segments");
        let mut segments = Vec::new();
        while lines.advance()? {
            lines.hold(&mut held, size_of::<Segment>() + lines.line().len())?;
            let parsed = parse(&mut lines).and_then(|segment| match segment {
                None => Ok(None),
                Some(segment) if lines.lacks_end() && segment.label.is_empty() => Err(format!(
                    "the stretch from {} on has no label",
                    segment.start
                )),
                Some(segment) => Ok(Some(Segment {
                    label: naming.read(&segment.label)?,
                    ..segment
                })),
            });
            segments.extend(parsed.map_err(|why| lines.error(why))?);
        }
        if segments.is_empty() {
            return Err(Error::malformed(NO_LABELS).file(source.name()));
        }
        if order::sort(&mut segments) {
            env.warn(&Error::unfit(order::SORTED).file(source.name()));
        }
        naming.fill(&mut segments, None);
        utt.tiers.push(Tier::only(segments));
        Ok(())
    })
}

/// Creates a writer of files with the capabilities `caps`; `encode` appends the bytes of a file.
pub(crate) fn writer<F>(
    format: &'static dyn Format,
    output: Output,
    caps: Caps,
    extension: &'static str,
    mut encode: F,
) -> Box<dyn Writer>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send + 'static,
{
    let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
        let mut bytes = Vec::new();
        encode(utt, &mut bytes)?;
        probe::check_own(format, &bytes)?;
        put(&bytes)
    };
    Box::new(OneWriter::new(output, caps, extension, encode))
}

/// Appends a line for each segment, which `encode` formats from start, end and label.
pub(crate) fn encode(
    utt: &Utterance,
    naming: &Naming,
    out: &mut Vec<u8>,
    encode: impl Fn(&Segment, &[u8], &mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    for segment in write::segments(utt) {
        encode(segment, naming.write(&segment.label)?, out)?;
    }
    Ok(())
}

/// Returns the start and the end of a segment in ticks.
pub(crate) fn ticks(segment: &Segment, rate: u32) -> Result<(u64, u64)> {
    let tick = |time: Decimal| {
        let n = time.sample(rate);
        n.ok_or_else(|| Error::unfit(format!("the time {time} is too large")))
    };
    Ok((tick(segment.start)?, tick(write::end(segment)?)?))
}

/// Checks that a label is a non-empty line of text without surrounding blanks.
pub(crate) fn phrase(label: &[u8]) -> Result<&[u8]> {
    write::text(label)?;
    match label.is_empty() {
        true => Err(Error::unfit("has a segment without a label")),
        false => Ok(label),
    }
}
