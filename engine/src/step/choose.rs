//! Readers that choose utterances by names, speakers and lengths.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use spr_core::bytes::{Env, FileKind, FileStatus, Location, MemoryCounter};
use spr_core::format::{Count, Medium, Options, Reader, Registry, Request, Score};
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::stage::{Filter, FolderReader, KeyFilter, speaker_of};
use spr_core::{Error, Result};
use spr_stats::Row;

use super::kind::Surroundings;
use super::values::Values;

/// Which keys a step chooses.
#[derive(Clone)]
pub(super) struct SelectionRules {
    /// Keys like one of these.
    filters: Vec<KeyFilter>,
    /// A file of keys, whose keys have to be there.
    list: Option<Location>,
    /// Keys by name, which have to be there, too.
    named: Option<Arc<HashSet<Key>>>,
    /// The first pattern that is a key as a whole.
    literal: Option<String>,
}

impl SelectionRules {
    /// The keys that the values of a step name.
    ///
    /// # Errors
    /// They name none, or in two ways, or something is no pattern.
    pub(super) fn of(values: &Values) -> Result<Self> {
        let mut filters = Vec::new();
        for text in values.all("pattern") {
            filters.push(values.made("pattern", KeyFilter::glob(text))?);
        }
        let by_pattern = !filters.is_empty();
        for text in values.all("regex") {
            filters.push(values.made("regex", KeyFilter::regex(text))?);
        }
        let by_regex = values.says("regex");
        let lists: Vec<_> = values.all("keys").collect();
        let named: HashSet<_> = values.all("key").map(Key::from).collect();
        match (by_pattern, by_regex, lists.as_slice(), named.is_empty()) {
            (true, false, [], true)
            | (false, true, [], true)
            | (false, false, [_], true)
            | (false, false, [], false) => {}
            _ => return Err(values.refused("expected one of a pattern, key=, regex= and keys=")),
        }
        let literal = values
            .all("pattern")
            .find(|text| !text.contains(['*', '?', '[']));
        Ok(Self {
            literal: literal.map(str::to_owned),
            list: lists.first().map(|file| Location::from(*file)),
            named: (!named.is_empty()).then(|| Arc::new(named)),
            filters,
        })
    }

    fn holds(&self, key: &Key, listed: Option<&HashSet<Key>>) -> bool {
        match listed {
            Some(keys) => keys.contains(key),
            None => self.filters.iter().any(|filter| filter.holds(key)),
        }
    }

    /// The keys of the list or by name, if they are chosen so.
    ///
    /// # Errors
    /// The list can't be read.
    fn listed(&self, at: &Surroundings<'_>) -> Result<Option<Arc<HashSet<Key>>>> {
        if let Some(named) = &self.named {
            return Ok(Some(named.clone()));
        }
        let keys = |file| at.files.keys(file, || key_list(file, at.registry, at.env));
        self.list.as_ref().map(keys).transpose()
    }

    /// The utterances of `inner` with these keys, or with `held` false those with others. Keys of
    /// the list that never come are warned of.
    pub(super) fn over(
        &self,
        inner: Box<dyn Reader>,
        held: bool,
        at: &Surroundings<'_>,
    ) -> Result<Box<dyn Reader>> {
        let listed = self.listed(at)?;
        Ok(Box::new(SelectedReader {
            info: inner.info().without_totals(),
            inner,
            missing: listed.as_deref().filter(|_| held).cloned(),
            listed,
            wanted: self.clone(),
            held,
            found: !held,
            env: at.env.clone(),
        }))
    }

    /// Returns the predicate that tells by the key alone whether an utterance must be read.
    ///
    /// # Errors
    /// The list can't be read.
    pub(super) fn filter(
        &self,
        held: bool,
        at: &Surroundings<'_>,
    ) -> Result<spr_core::format::KeyPredicate> {
        let (wanted, listed) = (self.clone(), self.listed(at)?);
        let filter = move |key: &Key| wanted.holds(key, listed.as_deref()) == held;
        Ok(Arc::new(filter))
    }

    /// Returns `true` if the wanted keys are listed or named.
    pub(super) fn has_list(&self) -> bool {
        self.list.is_some() || self.named.is_some()
    }
}

/// The chosen utterances.
struct SelectedReader {
    inner: Box<dyn Reader>,
    wanted: SelectionRules,
    listed: Option<Arc<HashSet<Key>>>,
    held: bool,
    /// Keys of the list that have not come yet.
    missing: Option<HashSet<Key>>,
    /// Whether an utterance was chosen, or no warning is due.
    found: bool,
    env: Env,
    info: DatasetInfo,
}

impl SelectedReader {
    /// Warns of keys that never came, once.
    fn warn(&mut self) {
        let missing = self.missing.take().unwrap_or_default();
        if let Some(key) = missing.iter().min() {
            let message = unknown("the data have no such utterance", missing.len());
            let warning = Error::unfit(message).utterance(key);
            self.env.warn_left_out(&match &self.wanted.list {
                Some(list) => warning.file(list.to_string()),
                None => warning,
            });
        }
        if !std::mem::replace(&mut self.found, true)
            && let Some(literal) = &self.wanted.literal
        {
            let warning = Error::unfit(format!("no utterance is called '{literal}'"));
            let hint = format!("'{literal}*' is like all names that begin so");
            self.env.warn_left_out(&warning.hint(hint));
        }
    }
}

impl Reader for SelectedReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            if let Some(missing) = &mut self.missing {
                missing.remove(&utt.key);
            }
            if self.wanted.holds(&utt.key, self.listed.as_deref()) == self.held {
                self.found = true;
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}

/// Returns `first`, which says of a listed name that it never came, with the number of others.
fn unknown(first: &str, names: usize) -> String {
    match names {
        1 => first.to_owned(),
        n => format!("{first}, nor {} more of the list", n - 1),
    }
}

/// Reads the keys of a list, which are the first words of its lines, or of a data set if the
/// content is certainly one.
///
/// # Errors
/// It cannot be read, or is neither.
fn key_list(file: &Location, registry: Option<&Registry>, env: &Env) -> Result<HashSet<Key>> {
    let folder = |look: &FileStatus| look.kind == FileKind::Folder;
    if let Some(registry) = registry
        && !file.is_url()
        && env
            .look(file)
            .is_ok_and(|look| look.is_some_and(|look| folder(&look)))
    {
        return keys_of(folder_of_data(file, registry, env)?, env);
    }
    let mut source = env.open_file(file)?;
    let ranked = registry.map(|registry| registry.rank(&mut source));
    let best = ranked.transpose()?.and_then(|all| all.first().copied());
    let Some((Score::Certain, format)) = best else {
        return KeyFilter::keys(source, &env.limits);
    };
    let opened = Request::names().open(format, source, &Options::default(), env)?;
    keys_of(opened.into_stream()?, env)
}

/// Opens a folder that is a data set, for its keys.
///
/// # Errors
/// It is none, or one of several formats.
fn folder_of_data(folder: &Location, registry: &Registry, env: &Env) -> Result<Box<dyn Reader>> {
    env.check_finished(folder, |_| true)?;
    let options = Options::default();
    let open = |format, kin: &[&str]| {
        let opened = Request::names().open_folder(format, folder, kin, &options, env);
        opened?.into_stream()
    };
    if let Some(format) = registry.detect_folder(folder, env)? {
        return open(format, &[]);
    }
    let content = FolderReader::detect(folder, registry, env)?;
    let format = content.format;
    let refused = |message: String| {
        let error = Error::unsupported(message).file(folder.to_string());
        Err(error.hint("a list of the keys does as well: one a line"))
    };
    let name = format.info().name;
    if let Some((rival, _)) = content.rivals.first() {
        let rival = rival.info().name;
        return refused(format!("holds files of the formats {name} and {rival}"));
    }
    if format.caps(&options, Medium::Folder)?.count != Count::One {
        return refused(format!(
            "is a folder with {name} files of many utterances each"
        ));
    }
    let kin = content.kin.iter().chain([&content.extension]);
    open(format, &kin.map(String::as_str).collect::<Vec<_>>())
}

/// Reads the keys of a data set.
fn keys_of(mut reader: Box<dyn Reader>, env: &Env) -> Result<HashSet<Key>> {
    let (mut keys, mut held) = (HashSet::new(), MemoryCounter::new("the keys of a data set"));
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        if !keys.contains(&utt.key) {
            held.keep(size_of::<Key>() + utt.key.as_bytes().len(), &env.limits)?;
            keys.insert(utt.key.clone());
        }
    }
    Ok(keys)
}

/// Returns the number of frames of an utterance.
///
/// # Errors
/// It has other data, such as sound, and no frames; the next utterance can be read.
pub(super) fn frames(utt: &Utterance) -> Result<u64> {
    match (utt.frames(), utt.features.as_ref().or(utt.labels.as_ref())) {
        (0, None) => match utt.other() {
            Some(what) => {
                let error =
                    Error::unfit(format!("has {what}, but no frames that could be counted"));
                Err(error.utterance(&utt.key).continuable())
            }
            None => Ok(0),
        },
        (frames, _) => Ok(frames),
    }
}

/// The utterances of these speakers, which are those of `list` if there is one.
pub(super) fn of_speakers(
    inner: Box<dyn Reader>,
    speakers: Arc<HashSet<Key>>,
    list: Option<Location>,
    env: &Env,
) -> Box<dyn Reader> {
    Box::new(SpeakersReader {
        info: inner.info().without_totals(),
        inner,
        missing: Some(speakers.iter().cloned().collect()),
        speakers,
        list,
        env: env.clone(),
    })
}

/// The utterances of chosen speakers.
struct SpeakersReader {
    inner: Box<dyn Reader>,
    speakers: Arc<HashSet<Key>>,
    list: Option<Location>,
    /// Speakers who have not come yet.
    missing: Option<HashSet<Key>>,
    env: Env,
    info: DatasetInfo,
}

impl SpeakersReader {
    /// Warns of speakers who never came, once.
    fn warn(&mut self) {
        let missing = self.missing.take().unwrap_or_default();
        if let Some(name) = missing.iter().min() {
            let message = format!("the data have no speaker '{name}'");
            let warning = Error::unfit(unknown(&message, missing.len()));
            self.env.warn_left_out(&match &self.list {
                Some(list) => warning.file(list.to_string()),
                None => warning,
            });
        }
    }
}

impl Reader for SpeakersReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            let speaker = speaker_of(utt)?;
            if let Some(missing) = &mut self.missing {
                missing.remove(speaker);
            }
            if self.speakers.contains(speaker) {
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}

/// The first `n` utterances of each speaker.
pub(super) fn per_speaker(inner: Box<dyn Reader>, n: u64, env: &Env) -> Box<dyn Reader> {
    let (mut counts, mut held) = (HashMap::<Key, u64>::new(), MemoryCounter::new("speakers"));
    let limits = env.limits;
    Box::new(Filter::new(inner, move |utt: &Utterance| {
        let speaker = speaker_of(utt)?;
        if let Some(count) = counts.get_mut(speaker) {
            *count += 1;
            return Ok(*count <= n);
        }
        held.keep(speaker.as_bytes().len(), &limits)?;
        counts.insert(speaker.clone(), 1);
        Ok(n > 0)
    }))
}

/// Utterances from the first on, as long as they last no longer than so many hours together. One that
/// lasts longer than what is left is left out.
pub(super) fn hours(inner: Box<dyn Reader>, hours: f64) -> Box<dyn Reader> {
    let mut left = hours * 3600.0;
    Box::new(Filter::new(inner, move |utt: &Utterance| {
        let seconds = Row::new(utt, None).duration();
        let seconds = seconds.map_err(Error::continuable)?;
        let fits = seconds <= left;
        left -= if fits { seconds } else { 0.0 };
        Ok(fits)
    }))
}
