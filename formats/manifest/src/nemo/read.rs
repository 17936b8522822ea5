//! The reader.

use spr_core::bytes::{Env, Locator, Source};
use spr_core::format::{KeyPredicate, Options, Reader, Request};
use spr_core::model::{DatasetInfo, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::Lines;
use spr_syntax::manifest::Places;

use super::line::{Line, MadeUpKeys};
use super::names::SHARD;

pub(super) struct NemoReader {
    lines: Lines,
    places: Places,
    made_up: MadeUpKeys,
    wanted: Option<KeyPredicate>,
    /// The number of lines that are marked to be left out.
    left: u64,
    env: Env,
    info: DatasetInfo,
}

impl NemoReader {
    pub(super) fn new(
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        Ok(Self {
            places: Places::new(source.location(), env),
            lines: Lines::of_json(source, env),
            made_up: MadeUpKeys::of(options, request.distinct)?,
            wanted: request.take_keys(),
            left: 0,
            env: env.clone(),
            info,
        })
    }

    /// Reads the line into `utt`, and returns `false` if the line is marked as skipped.
    fn entry(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(line) = Line::parse(self.lines.line())? else {
            self.left += 1;
            return Ok(false);
        };
        if line.object.has(SHARD) {
            return Err(
                Error::unsupported("a tarred manifest, whose sound is inside tar files")
                    .hint("nemo-tarred:FOLDER reads the folder with the tar files"),
            );
        }
        let at = Locator::File(self.places.find(&line.file));
        line.fill(at, &mut self.made_up, utt)?;
        if let Some(warning) = self.made_up.take_warning() {
            self.env.warn(&self.lines.placed(warning));
        }
        Ok(true)
    }
}

impl Reader for NemoReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.lines.advance()? {
            let read = self.entry(utt);
            let there = read.map_err(|e| self.lines.placed(e).continuable())?;
            if there && self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                utt.origin = self.lines.origin();
                return Ok(true);
            }
        }
        let lines = match std::mem::take(&mut self.left) {
            0 => return Ok(false),
            1 => "1 line is".to_owned(),
            count => format!("{count} lines are"),
        };
        let warning = Error::unfit(format!("{lines} marked with _skipme and left out"));
        self.env.warn_left_out(&warning.file(self.lines.file()));
        Ok(false)
    }
}
