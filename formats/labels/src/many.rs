//! Files with many utterances.

use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Caps, Format, KeyPredicate, Reader, Request, WriteSummary, Writer};
use spr_core::model::{DatasetInfo, KeySet, KeySource, Utterance};
use spr_core::{Error, Remedy, Result};
use spr_syntax::lines::Lines;

use crate::probe;

/// A parser of utterances in lines.
pub(crate) trait Grammar: Send {
    /// Fills the next utterance, and returns `false` if there is none.
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool>;
}

/// A reader of utterances with a grammar.
pub(crate) struct ManyReader<G> {
    grammar: G,
    lines: Lines,
    wanted: Option<KeyPredicate>,
    info: DatasetInfo,
    done: bool,
}

impl<G: Grammar> ManyReader<G> {
    pub(crate) fn new(grammar: G, lines: Lines, keys: KeySource, request: &mut Request) -> Self {
        let mut info = DatasetInfo::new(keys);
        info.compression = lines.compression();
        Self {
            grammar,
            lines,
            wanted: request.take_keys(),
            info,
            done: false,
        }
    }
}

impl<G: Grammar> Reader for ManyReader<G> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.done {
            let more = self.grammar.next(&mut self.lines, utt);
            self.done = match &more {
                Ok(more) => !more,
                Err(error) => !error.can_continue(),
            };
            if !more? {
                break;
            }
            if self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A writer of utterances in sequence.
pub(crate) struct ManyWriter<F> {
    format: &'static dyn Format,
    /// The start of the file.
    head: Box<[u8]>,
    caps: Caps,
    sink: Sink,
    encode: F,
    /// The keys so far, if each must be unique.
    seen: Option<KeySet>,
    bytes: Vec<u8>,
    written: WriteSummary,
}

impl<F> ManyWriter<F>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send,
{
    /// Creates a writer with the capabilities `caps` that starts with `head`; `encode` appends the
    /// lines of an utterance. With `unique` each key may occur only once.
    pub(crate) fn new(
        format: &'static dyn Format,
        output: &Output,
        caps: Caps,
        head: &[u8],
        unique: bool,
        encode: F,
    ) -> Result<Self> {
        let mut sink = output.create(Part::Main, false)?;
        sink.put(head)?;
        Ok(Self {
            format,
            head: head.into(),
            caps,
            sink,
            encode,
            seen: unique.then(KeySet::default),
            bytes: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    /// Formats the lines of an utterance.
    fn encode(&mut self, utt: &Utterance) -> Result<()> {
        self.bytes.clear();
        self.caps.check(utt)?;
        if self
            .seen
            .as_ref()
            .is_some_and(|seen| seen.contains(&utt.key))
        {
            let error = Error::unfit("a second utterance with this name");
            return Err(error.suggest(Remedy::KeepOnlyOne));
        }
        (self.encode)(utt, &mut self.bytes)?;
        match self.written.utterances {
            0 => probe::check_own(self.format, &[&self.head, &*self.bytes].concat()),
            _ => Ok(()),
        }
    }
}

impl<F> Writer for ManyWriter<F>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send,
{
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.encode(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.sink.put(&self.bytes)?;
        if let Some(seen) = &mut self.seen {
            seen.insert(&utt.key);
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}
