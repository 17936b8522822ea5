//! The format `timit`: phones or words with sample numbers.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, OptionSpec, Options, Probe, Request, Score,
    Writer,
};
use spr_core::model::{About, Decimal, Segment, Utterance};
use spr_core::number::parse_integer;
use spr_core::{Error, Result};
use spr_syntax::lines::{self, Lines, is_blank, shown};

use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::{one, probe};

/// Label files of TIMIT.
pub static TIMIT: Timit = Timit;

/// The format `timit`.
#[derive(Clone, Copy, Debug)]
pub struct Timit;

const RATE: OptionSpec = OptionSpec {
    name: "rate",
    value: "N",
    help: "samples a second, which the files don't say; 16000 as in TIMIT",
};

static INFO: FormatInfo = FormatInfo::new(
    "timit",
    "phones or words of TIMIT, by sample numbers",
    &["phn", "wrd"],
)
.also(&["txt"])
.options(&[RATE, SYMBOLS, GAPS])
.needed(&[RATE.name, SYMBOLS.name]);

impl Format for Timit {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::by_lines(&INFO, head, None, 65, |line| parse(line, 16000).is_ok())
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        let mut caps = one::caps(medium);
        if let Some(segments) = &mut caps.segments {
            segments.ticks = Some(rate(options)?);
        }
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let rate = rate(options)?;
        let naming = Naming::of(options, env)?;
        one::by_line(
            source,
            naming,
            env,
            move |lines: &mut Lines<&mut Source>| parse(lines.line(), rate).map(Some),
        )
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let (naming, rate) = (Naming::of(options, env)?, rate(options)?);
        let caps = self.caps(options, output.medium())?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| {
            one::encode(utt, &naming, out, |segment, name, out| {
                let (start, end) = one::ticks(segment, rate)?;
                out.extend_from_slice(format!("{start} {end} ").as_bytes());
                out.extend_from_slice(one::phrase(name)?);
                out.push(b'\n');
                Ok(())
            })
        };
        Ok(one::writer(&TIMIT, output, caps, "phn", encode))
    }
}

/// Returns the sampling rate in Hz.
fn rate(options: &Options) -> Result<u32> {
    match options.parse::<u32>(RATE.name)?.unwrap_or(16000) {
        0 => Err(Error::usage(
            "option rate: there is no time without samples",
        )),
        rate => Ok(rate),
    }
}

/// Parses a line `START END LABEL`, with sample numbers as times.
fn parse(line: &[u8], rate: u32) -> Result<Segment, String> {
    let mut rest = line.trim_ascii();
    let mut next = || {
        let end = rest.iter().position(is_blank).unwrap_or(rest.len());
        let (field, after) = rest.split_at(end);
        rest = after.trim_ascii_start();
        let n: Option<u64> = parse_integer(field);
        n.ok_or_else(|| format!("'{}' is not the number of a sample", shown(field)))
    };
    let (start, end) = (next()?, next()?);
    if start > end {
        return Err(format!(
            "the stretch starts at {start} and ends before that, at {end}"
        ));
    }
    let time = |n| {
        let time = Decimal::near_sample(n, rate).filter(|time| time.sample(rate) == Some(n));
        time.ok_or_else(|| format!("the sample {n} is too far from the start"))
    };
    let (start, end) = (time(start)?, time(end)?);
    match lines::text(rest)? {
        [] => Err("expected two sample numbers and a label".to_owned()),
        label => Ok(Segment::new(start, Some(end), label)),
    }
}
