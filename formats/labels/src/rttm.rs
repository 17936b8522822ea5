//! The format `rttm`: speakers with times.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe, Recordings,
    Request, Score, SegmentCaps, Writer,
};
use spr_core::model::{About, KeySource, Segment, SourceField, Utterance};
use spr_syntax::lines::{Lines, end_after, fields, shown, time, word};

use crate::joined::RecordingWriter;
use crate::many::{ManyReader, ManyWriter};
use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::recordings::{
    ByRecording, COMMENT, Line, NonLabel, Syntax, TIMES, channel, in_recordings, score,
};
use crate::{probe, write};

/// Speakers and their times: RTTM.
pub static RTTM: Rttm = Rttm;

/// The format `rttm`.
#[derive(Clone, Copy, Debug)]
pub struct Rttm;

static INFO: FormatInfo = FormatInfo::new("rttm", "NIST RTTM, who speaks when", &["rttm"])
    .options(&[SYMBOLS, GAPS, TIMES])
    .needed(&[SYMBOLS.name]);

/// The placeholder for an empty field.
const NONE: &[u8] = b"<NA>";
const SPEAKER: &[u8] = b"SPEAKER";
const LEXEME: &[u8] = b"LEXEME";
/// The last line of ESPnet's lists, whose times are sample numbers.
const END: &[u8] = b"END";
/// The types of lines that are neither speakers nor words.
const OTHERS: [&[u8]; 12] = [
    b"SEGMENT",
    b"NOSCORE",
    b"NO_RT_METADATA",
    b"NON-LEX",
    b"NON-SPEECH",
    b"FILLER",
    b"EDIT",
    b"IP",
    b"SU",
    b"CB",
    b"A/P",
    b"SPKR-INFO",
];

impl Format for Rttm {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::by_lines(&INFO, head, Some(COMMENT), 80, is_line)
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        let mut segments = SegmentCaps::PLAIN;
        (segments.scores, segments.speakers, segments.spoken) = (true, true, true);
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.segments = Some(write::whole_lines(segments));
        caps.source = &[SourceField::Channel];
        caps.recordings = in_recordings(options)?.unwrap_or(Recordings::Joined);
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let grammar = ByRecording::new(Turns, Naming::of(options, env)?, source.location(), env)?;
        let lines = Lines::new(source, Some(COMMENT), env);
        let lines = lines.closed_by(|line| line.ends_with(NONE) && Turns.parse(line).is_ok());
        let reader = ManyReader::new(grammar, lines, KeySource::Stored, request);
        Ok(OpenedDataset::stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let naming = Naming::of(options, env)?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| encode(utt, &naming, out);
        let caps = self.caps(options, output.medium())?;
        Ok(match caps.recordings {
            Recordings::Joined => {
                Box::new(RecordingWriter::new(&output, caps, env.limits, encode)?)
            }
            _ => Box::new(ManyWriter::new(&RTTM, &output, caps, b"", true, encode)?),
        })
    }
}

/// Returns `true` for a line of RTTM.
pub(crate) fn is_line(line: &[u8]) -> bool {
    /// The fields of a line of any type, without the last ones, which tools leave out.
    const FIELDS: usize = 8;
    match Turns.recording(line) {
        Ok(_) => Turns.parse(line).is_ok(),
        Err(NonLabel::Sort(_)) => fields(line).count() >= FIELDS,
        Err(NonLabel::Wrong(_)) => false,
    }
}

/// The syntax of lines `TYPE FILE CHANNEL START LENGTH WORD SUBTYPE SPEAKER [SCORE [LOOKAHEAD]]`.
struct Turns;

impl Syntax for Turns {
    fn tiers(&self) -> &'static [&'static [u8]] {
        &[b"speakers", b"words"]
    }

    fn recording<'a>(&self, line: &'a [u8]) -> Result<&'a [u8], NonLabel<'a>> {
        let mut fields = fields(line);
        let sort = fields.next().unwrap_or_default();
        match sort {
            SPEAKER | LEXEME => word(fields.next().unwrap_or_default()).map_err(NonLabel::Wrong),
            END => Err(NonLabel::Wrong(
                "a line END ends lists whose times are numbers of samples, which are not read"
                    .into(),
            )),
            _ if OTHERS.contains(&sort) => Err(NonLabel::Sort(sort)),
            _ => {
                let sort = shown(sort);
                Err(NonLabel::Wrong(format!(
                    "'{sort}' is not a sort of line of RTTM"
                )))
            }
        }
    }

    fn parse<'a>(&self, line: &'a [u8]) -> Result<Line<'a>, String> {
        let fields: Vec<_> = fields(line).collect();
        let [
            sort,
            _,
            channel,
            start,
            length,
            text,
            _,
            name,
            ref rest @ ..,
        ] = *fields.as_slice()
        else {
            return Err(format!("expected 8 to 10 fields, found {}", fields.len()));
        };
        let confidence = match *rest {
            [] => NONE,
            [score] | [score, _] => score,
            _ => return Err(format!("expected 8 to 10 fields, found {}", fields.len())),
        };
        let start = time(start)?;
        let end = end_after(start, length)?;
        let told = |field: &'a [u8]| (field != NONE).then_some(field);
        let spoken = sort == SPEAKER;
        let label = told(if spoken { name } else { text });
        let label = label.ok_or_else(|| match spoken {
            true => "the speaker is not told".to_owned(),
            false => "the word is not told".to_owned(),
        })?;
        let mut segment = Segment::new(start, Some(end), word(label)?);
        segment.score = told(confidence).map(score).transpose()?;
        segment.speaker = told(name).map(word).transpose()?.map(Into::into);
        Ok(Line {
            channel: word(channel)?,
            tier: usize::from(!spoken),
            segment,
            spoken,
            unkept: None,
        })
    }
}

fn encode(utt: &Utterance, naming: &Naming, out: &mut Vec<u8>) -> Result<()> {
    let file = utt.key.as_bytes();
    let segments = write::segments(utt);
    // All segments have the same type; the other type forms a separate tier.
    let turns = segments
        .iter()
        .all(|s| s.speaker.as_ref() == Some(&s.label));
    for segment in segments {
        let label = write::told(naming.write(&segment.label)?, "label", &[NONE])?;
        let length = write::length(segment.start, write::end(segment)?)?.to_string();
        let start = segment.start.to_string();
        let score = segment.score.map(|score| score.to_string());
        let score = score.as_ref().map_or(NONE, |score| score.as_bytes());
        let (sort, word, kind, name) = match turns {
            true => (SPEAKER, NONE, NONE, label),
            false => {
                let speaker = match &segment.speaker {
                    Some(speaker) => write::told(speaker, "speaker", &[NONE])?,
                    None => NONE,
                };
                (LEXEME, label, &b"lex"[..], speaker)
            }
        };
        let (start, length) = (start.as_bytes(), length.as_bytes());
        let fields = [
            sort,
            file,
            channel(utt)?,
            start,
            length,
            word,
            kind,
            name,
            score,
            NONE,
        ];
        write::line(fields, out);
    }
    Ok(())
}
