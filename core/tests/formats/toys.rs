//! Toy formats, and files in memory.

use std::sync::{Arc, Mutex};

use spr_core::bytes::{
    ByteOrder, Claim, Env, Location, MemoryStore, Nested, ObjectBounds, Output, Part, SampleStream,
    Sink, Source,
};
use spr_core::format::{
    AudioCaps, Caps, Count, FeatureCaps, FileVariants, Format, FormatInfo, Keys, LabelModels,
    LabelTable, Medium, OneReader, OneWriter, OpenedDataset, OptionSpec, Options, Probe,
    RandomAccess, Reader, Registry, Request, Score, Variant, WholeFolder, WriteSummary, Writer,
};
use spr_core::model::{
    About, DatasetInfo, Dtype, Key, Matrix, Rank, RecordingFacts, Utterance, Waveform,
};
use spr_core::{Error, Limits, Result};

use crate::toy_samples::ToySamples;

type Fill = fn(&mut Source, &mut Utterance, &Env) -> Result<()>;

/// A format of one utterance a file, which tells itself by its first bytes or by its name.
pub(crate) struct Toy {
    info: FormatInfo,
    probe: fn(&Probe<'_>) -> Score,
    caps: fn(Medium) -> Caps,
    fill: Fill,
    is_sound: bool,
    /// The folders that are one data set: those with a file of this name.
    whole: Option<&'static str>,
}

impl Toy {
    const fn new(info: FormatInfo, probe: fn(&Probe<'_>) -> Score, fill: Fill) -> Self {
        Self {
            info,
            probe,
            caps: feature_caps,
            fill,
            is_sound: false,
            whole: None,
        }
    }
}

const HEADER: &[OptionSpec] = &[OptionSpec {
    name: "header",
    value: "FILE",
    help: "the header of files without one",
}];

const DEEP: &[Variant] = &[Variant {
    extension: "deep",
    option: ("header", "deep"),
}];

/// `NUM1`, then 32-bit floats, a frame each.
pub(crate) static NUM: Toy = Toy::new(
    FormatInfo::new("num", "numbers", &["num"])
        .also(&["dat"])
        .options(HEADER)
        .variants(FileVariants::by_extension(DEEP).headerless("header")),
    |head| magic(head, b"NUM1"),
    numbers,
);

/// The same with other magic bytes.
pub(crate) static VEC: Toy = Toy::new(
    FormatInfo::new("vec", "vectors", &["vec"]),
    |head| magic(head, b"VEC1"),
    numbers,
);

/// `PCM1` or `PCM2`, the rate, the channels, then 16-bit samples. Only the first tells its facts
/// without being read.
pub(crate) static PCM: Toy = Toy {
    caps: sound_caps,
    is_sound: true,
    ..Toy::new(
        FormatInfo::new("pcm", "sound", &["pcm"]),
        |head| match head.head.starts_with(b"PCM") {
            true => Score::Certain,
            false => Score::No,
        },
        samples,
    )
};

/// Sound beside numbers: no file of sound.
pub(crate) static TAKE: Toy = Toy {
    caps: |medium| {
        let mut caps = sound_caps(medium);
        caps.features = feature_caps(medium).features;
        caps
    },
    is_sound: true,
    ..Toy::new(
        FormatInfo::new("take", "sound and numbers", &["take"]),
        |_| Score::No,
        samples,
    )
};

/// Any text, which is its words.
pub(crate) static WORDS: Toy = Toy {
    caps: text_caps,
    ..Toy::new(
        FormatInfo::new("words", "text", &["words"]).listed_in(&["list"]),
        |head| match head.is_text() {
            true => Score::AnyText,
            false => Score::No,
        },
        words,
    )
};

/// Text of lines `name=value`, in whatever files.
pub(crate) static PAIRS: Toy = Toy {
    caps: text_caps,
    ..Toy::new(
        FormatInfo::new("pairs", "pairs", &["pairs"]),
        |head| match head.head.contains(&b'=') {
            true => Score::Possible(5),
            false => Score::No,
        },
        words,
    )
};

/// As the one above; nothing tells them apart but their names.
pub(crate) static TWINS: Toy = Toy {
    caps: text_caps,
    ..Toy::new(
        FormatInfo::new("twins", "pairs again", &["twins"]),
        |head| match head.head.contains(&b'=') {
            true => Score::Possible(5),
            false => Score::No,
        },
        words,
    )
};

/// Files that are known by their names alone.
pub(crate) static RAW: Toy = Toy::new(
    FormatInfo::new("raw", "numbers without a header", &["raw"]),
    |head| match head.extension() {
        Some("raw") => Score::NameOnly,
        _ => Score::No,
    },
    numbers,
);

/// A folder with a file `toy.conf`.
pub(crate) static BOX: Toy = Toy {
    whole: Some("toy.conf"),
    ..Toy::new(
        FormatInfo::new("box", "folders", &[]),
        |_| Score::No,
        numbers,
    )
};

/// Another of the same folders.
pub(crate) static CRATE: Toy = Toy {
    whole: Some("toy.conf"),
    ..Toy::new(
        FormatInfo::new("crate", "folders again", &[]),
        |_| Score::No,
        numbers,
    )
};

pub(crate) fn all() -> Registry {
    Registry::new([
        &NUM as &dyn Format,
        &VEC,
        &PCM,
        &WORDS,
        &PAIRS,
        &RAW,
        &BOX,
        &LINES,
    ])
}

fn magic(head: &Probe<'_>, magic: &[u8]) -> Score {
    match head.head.starts_with(magic) {
        true => Score::Certain,
        false => Score::No,
    }
}

fn feature_caps(medium: Medium) -> Caps {
    let mut caps = Caps::new(Count::One, Keys::of_files(medium));
    caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
    caps
}

fn sound_caps(medium: Medium) -> Caps {
    let mut caps = Caps::new(Count::One, Keys::of_files(medium));
    caps.audio = AudioCaps::samples(&[Dtype::I16]);
    caps
}

fn text_caps(medium: Medium) -> Caps {
    let mut caps = Caps::new(Count::One, Keys::of_files(medium));
    caps.text = true;
    caps
}

fn numbers(source: &mut Source, utt: &mut Utterance, env: &Env) -> Result<()> {
    utt.start();
    source.skip(4)?;
    let bytes = source.rest("numbers", &env.limits)?;
    if bytes.len() % 4 > 0 {
        return Err(source.malformed("half a number"));
    }
    let values = bytes
        .chunks(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    let values: Vec<_> = values.collect();
    utt.features = Some(Matrix::from_rows(&values, 1, Rank::Matrix)?);
    Ok(())
}

fn samples(source: &mut Source, utt: &mut Utterance, env: &Env) -> Result<()> {
    utt.start();
    read_samples(source, utt, env)
}

fn read_samples(source: &mut Source, utt: &mut Utterance, env: &Env) -> Result<()> {
    source.skip(4)?;
    let rate = source.read_u32(ByteOrder::Little)?;
    let channels = source.byte()?.into();
    let bytes = source.rest("samples", &env.limits)?;
    let values = bytes
        .chunks(2)
        .map(|b| i16::from_le_bytes(b.try_into().unwrap()));
    let values: Vec<_> = values.collect();
    let samples = Matrix::from_rows(&values, channels, Rank::Matrix)?;
    utt.audio = Some(Waveform { rate, samples }.into());
    Ok(())
}

fn words(source: &mut Source, utt: &mut Utterance, env: &Env) -> Result<()> {
    utt.start();
    utt.text = Some(source.rest("text", &env.limits)?);
    Ok(())
}

impl Format for Toy {
    fn info(&self) -> &'static FormatInfo {
        // Every toy is a static.
        let all: [&'static Self; 10] = [
            &NUM, &VEC, &PCM, &TAKE, &WORDS, &PAIRS, &TWINS, &RAW, &BOX, &CRATE,
        ];
        let own = all.into_iter().find(|toy| toy.info.name == self.info.name);
        &own.unwrap().info
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        (self.probe)(head)
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        Ok((self.caps)(medium))
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let mut info = DatasetInfo::default();
        info.compression = source.compression();
        let reader = OneReader::new(source, info, env, self.fill)?;
        Ok(OpenedDataset::stream(reader))
    }

    fn create(&self, output: Output, _: &Options, _: &About, _: &Env) -> Result<Box<dyn Writer>> {
        let caps = (self.caps)(output.medium());
        let encode = |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
            let values = utt.features.as_ref().unwrap().as_slice::<f32>().unwrap();
            if values.contains(&0.0) {
                return Err(Error::unfit("has a zero"));
            }
            put(b"NUM1")?;
            values
                .iter()
                .try_for_each(|value| put(&value.to_le_bytes()))
        };
        let extension = self.info.extensions[0];
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        self.is_sound.then_some(self)
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        self.whole.is_some().then_some(self)
    }

    fn label_models(&self) -> Option<&dyn LabelModels> {
        (self.info.name == "box").then_some(&Models)
    }
}

impl Nested for Toy {
    fn claim(&self, head: &[u8]) -> Claim {
        match head.starts_with(b"PCM") {
            true => Claim::Magic,
            // Silence of 8 or of 16 bytes.
            false if head.starts_with(b"\0\0\0\0") => Claim::Lengths([Some(8), Some(16)]),
            false => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        _: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        match source.peek(1)?.first() {
            Some(0) => {
                utt.text = Some(source.rest("silence", &env.limits)?);
                Ok(())
            }
            _ => read_samples(source, utt, env),
        }
    }

    fn facts(&self, source: &mut Source, _: &Env) -> Result<RecordingFacts> {
        let is_told = source.array::<4>()? == *b"PCM1";
        let rate = source.read_u32(ByteOrder::Little)?;
        let channels = source.byte()?;
        let bytes = source.remaining().unwrap();
        Ok(RecordingFacts {
            rate: Some(rate),
            channels: Some(channels.into()),
            samples: is_told.then_some(bytes / 2 / u64::from(channels)),
            duration: None,
        })
    }

    fn samples(&self, mut source: Source, env: &Env) -> Result<Box<dyn SampleStream>> {
        let mut utt = Utterance::default();
        self.read(&mut source, ObjectBounds::Whole, &mut utt, env)?;
        match utt.waveform().cloned() {
            Some(sound) => Ok(Box::new(ToySamples { sound, next: 0 })),
            None => Err(source.malformed("holds no sound")),
        }
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, _: &Utterance, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        Err(Error::unsupported("sound is only read"))
    }
}

impl WholeFolder for Toy {
    fn fits(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.whole == Some(name))
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let source = env.open_file(&folder.join("all.lines"))?;
        LINES.open(source, options, request, env)
    }
}

/// Models that begin with a word.
struct Models;

impl LabelModels for Models {
    fn names(&self) -> &'static [&'static str] {
        &["toy.model"]
    }

    fn units(&self) -> &'static [&'static str] {
        &[]
    }

    fn missing_unit(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn is_model(&self, head: &[u8]) -> bool {
        head.starts_with(b"MODEL")
    }

    fn read(&self, _: Source, _: &str, _: &Env) -> Result<LabelTable> {
        Ok(LabelTable::default())
    }
}

/// `LINES`, then an utterance a line: its key and the values of its frames. A lookup gets a table.
pub(crate) struct Lines;

pub(crate) static LINES: Lines = Lines;

impl Format for Lines {
    fn info(&self) -> &'static FormatInfo {
        static INFO: FormatInfo = FormatInfo::new("lines", "lines", &["lines"]);
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        magic(head, b"LINES\n")
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
        Ok(caps)
    }

    fn open(
        &self,
        mut source: Source,
        _: &Options,
        request: &mut Request,
        _: &Env,
    ) -> Result<OpenedDataset> {
        source.skip(6)?;
        let reader = LineReader(source, DatasetInfo::default());
        Ok(match request.lookup {
            true => OpenedDataset::Table(Box::new(LineTable(reader))),
            false => OpenedDataset::stream(reader),
        })
    }

    fn create(&self, output: Output, _: &Options, _: &About, _: &Env) -> Result<Box<dyn Writer>> {
        let caps = self.caps(&Options::default(), output.medium())?;
        let mut sink = output.create(Part::Main, false)?;
        sink.put(b"LINES\n")?;
        Ok(Box::new(LineWriter(sink, caps, WriteSummary::default())))
    }
}

struct LineReader(Source, DatasetInfo);

impl Reader for LineReader {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut line = Vec::new();
        if !self.0.line(&mut line, &Limits::default())? {
            return Ok(false);
        }
        utt.start();
        let line = String::from_utf8(line).unwrap();
        let mut words = line.split_whitespace();
        utt.key.set(words.next().unwrap_or_default().as_bytes());
        let values: Result<Vec<f32>, _> = words.map(str::parse).collect();
        let values = values.map_err(|_| {
            let error = self.0.malformed("no number").utterance(&utt.key);
            error.continuable()
        })?;
        utt.features = Some(Matrix::from_rows(&values, 1, Rank::Matrix)?);
        Ok(true)
    }
}

/// Finds the lines behind the last one that was found.
struct LineTable(LineReader);

impl RandomAccess for LineTable {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        while self.0.read(utt)? {
            if utt.key == *key {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn keys(&self) -> Option<Vec<Key>> {
        None
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        Ok(None)
    }
}

struct LineWriter(Sink, Caps, WriteSummary);

impl Writer for LineWriter {
    fn caps(&self) -> &Caps {
        &self.1
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.1.check(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        let values = utt.features.as_ref().unwrap().as_slice::<f32>().unwrap();
        let values: Vec<_> = values.iter().map(|value| format!(" {value}")).collect();
        self.0
            .put(format!("{}{}\n", utt.key, values.concat()).as_bytes())?;
        self.2.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.2;
        written.bytes = self.0.finish()?;
        Ok(written)
    }
}

/// The bytes of a file of numbers.
pub(crate) fn num(values: &[f32]) -> Vec<u8> {
    [
        b"NUM1".to_vec(),
        values.iter().flat_map(|v| v.to_le_bytes()).collect(),
    ]
    .concat()
}

/// Surroundings with these files in memory and the formats of [`all`].
pub(crate) struct World {
    pub(crate) env: Env,
    pub(crate) store: MemoryStore,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl World {
    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let store = MemoryStore::new();
        for (name, bytes) in files {
            store.insert(name, bytes);
        }
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let heard = warnings.clone();
        let env = Env::default()
            .with_store(Arc::new(store.clone()))
            .with_formats(all())
            .listening(move |warning| heard.lock().unwrap().push(warning.to_string()));
        Self {
            env,
            store,
            warnings,
        }
    }

    /// The warnings since the last call.
    pub(crate) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap())
    }
}

/// The key and the values of each utterance, or its error.
pub(crate) fn read_all(mut reader: impl Reader) -> Vec<String> {
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) => all.push(format!("{}{}", utt.key, values(&utt))),
            Ok(false) => return all,
            Err(error) => {
                all.push(error.to_string());
                if !error.can_continue() {
                    return all;
                }
            }
        }
    }
}

fn values(utt: &Utterance) -> String {
    let Some(features) = &utt.features else {
        return String::new();
    };
    let values = features.as_slice::<f32>().unwrap();
    values.iter().map(|value| format!(" {value}")).collect()
}
