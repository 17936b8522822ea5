//! The format and its registration.

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    Audit, Caps, ChunkSupport, Count, Empty, ErrorPolicy, FeatureCaps, FileVariants, Format,
    FormatInfo, IndexKind, Keys, LabelCaps, LabelModels, Lists, Medium, Notation, OpenedDataset,
    OptionSpec, Options, Probe, RandomAccess, Request, Score, TableHabits, Tags, Variant,
    WholeFolder, Writer,
};
use spr_core::model::{About, Dtype, Key};
use spr_core::{Error, Result};

use crate::archive::{ArchiveReader, RANGE, is_bare_file, is_place, no_range, read_key};
use crate::audio::SoundForm;
use crate::audit::tables::Tables;
use crate::choice::{Content, NAME};
use crate::compress::{Compress, STORED};
use crate::decide;
use crate::files::Files;
use crate::jobs::JobFolder;
use crate::kind::{HOLDERS, Precision};
use crate::lists::ScriptFiles;
use crate::notation::Specifiers;
use crate::object::DTYPES;
use crate::packed::PACKED;
use crate::probe;
use crate::random::{ArchiveTable, ScriptTable};
use crate::recognise::{self, TOKEN};
use crate::salvage::SalvageReader;
use crate::script::ScriptReader;
use crate::sinks::Sinks;
use crate::specifier::Table;
use crate::text_parts::ObjectEnd;
use crate::transitions::TransitionModels;
use crate::write_object::{KINDS, Style};
use crate::writer::{KaldiWriter, TableStyle};

/// Kaldi archives and script files.
///
/// Entries that are not requested are skipped: their files named in a script file are not opened,
/// and in an archive their values are not read if the headers contain their length.
///
/// ```
/// use spr_core::bytes::{Env, Source};
/// use spr_core::format::{Format, Options, Request};
/// use spr_format_kaldi::FORMAT;
/// let table = Source::from_bytes("feats.scp", b"ann-1 gone.ark:6\n".to_vec())?;
/// let bobs = Request::all().keys(|key| key.as_bytes().starts_with(b"bob"));
/// let options = Options::new(FORMAT.info(), [("table", "scp")])?;
/// let reader = bobs.open(&FORMAT, table, &options, &Env::default())?.into_stream()?;
/// assert_eq!(reader.into_iter().count(), 0);
/// # Ok::<(), spr_core::Error>(())
/// ```
pub static FORMAT: Kaldi = Kaldi;

static JOBS: JobFolder = JobFolder(&FORMAT);

/// Kaldi's tables: archives, and script files that point into them.
pub struct Kaldi;

static INFO: FormatInfo = FormatInfo::new(
    NAME,
    "Kaldi archives and script files, binary and text",
    &["ark", "scp", "ali"],
)
.options(OPTIONS)
.needed(&["compress"])
.variants(FileVariants::by_extension(&[Variant {
    extension: "ali",
    option: ("text", "true"),
}]))
.index(IndexKind::Script("scp"))
.tables(TableHabits::NONE.wide("dtype", "f64"));

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "table",
        value: "ark|scp",
        help: "what the data are: objects, or lines that name their files (default: by content)",
    },
    OptionSpec {
        name: "holder",
        value: "NAME",
        help: "what the input holds, where its bytes don't tell: float-matrix, int32, posterior, token, …",
    },
    OptionSpec {
        name: "all",
        value: "true|false",
        help: "of a file without keys: read all objects, or only the first (default: several are an error)",
    },
    OptionSpec {
        name: RANGE,
        value: "ROWS[,COLUMNS]",
        help: "of a single object read these rows and columns, each FIRST:LAST (as in FILE:OFFSET[0:51,89:100])",
    },
    OptionSpec {
        name: "dtype",
        value: "f32|f64",
        help: "the type of the numbers in text (default: f32; when writing, both)",
    },
    OptionSpec {
        name: "permissive",
        value: "true|false",
        help: "leave out entries that can't be read",
    },
    OptionSpec {
        name: "text",
        value: "true|false",
        help: "write text (default: binary)",
    },
    OptionSpec {
        name: "flush",
        value: "true|false",
        help: "when writing, pass on each entry as soon as it is made (Kaldi's f)",
    },
    OptionSpec {
        name: "list",
        value: "FILE",
        help: "when writing, a script file that names a file for each object (Kaldi's scp:FILE)",
    },
    OptionSpec {
        name: "once",
        value: "true|false",
        help: "when looking up keys, ask for each only once (Kaldi's o)",
    },
    OptionSpec {
        name: "sorted",
        value: "true|false",
        help: "when looking up keys, the table is sorted by key (Kaldi's s)",
    },
    OptionSpec {
        name: "called-sorted",
        value: "true|false",
        help: "when looking up keys, they are asked for in order (Kaldi's cs)",
    },
    OptionSpec {
        name: "compress",
        value: "auto|1|2|3|4|5|6|7|keep",
        help: "compress matrices by Kaldi's method of that number (auto is 1), or keep those as \
               stored that are compressed already (when reading, too)",
    },
    OptionSpec {
        name: "audio",
        value: "kaldi|flac|wav",
        help: "when writing, keep sound as Kaldi's waves (default), or as files of that format, each \
               after its size, as ESPnet reads them",
    },
    OptionSpec {
        name: "digits",
        value: "shortest|kaldi",
        help: "digits in text: enough to read the same value back, or Kaldi's seven",
    },
];

const TABLES: &[(&str, Table)] = &[("ark", Table::Ark), ("scp", Table::Script)];
const LARGEST: u64 = i32::MAX as u64;

/// Returns the output style set by the options, and the element types that it accepts.
fn style(options: &Options) -> Result<(Style, &'static [Dtype])> {
    let text = options.flag("text")?;
    let seven = options.choice("digits", &[("shortest", false), ("kaldi", true)])?;
    let both: &[Dtype] = &[Dtype::F32, Dtype::F64];
    if !text {
        return Ok((Style::Binary, both));
    }
    // The text is read in single precision by default.
    let asked = options.choice("dtype", DTYPES)?;
    let (precision, dtypes) = asked.unwrap_or((Precision::Single, both));
    Ok(match seven {
        Some(true) => (Style::SevenDigits(precision), dtypes),
        _ => (Style::Text(precision), dtypes),
    })
}

/// Checks the options that only other parts use.
fn check(options: &Options) -> Result<()> {
    let flags = ["all", "permissive", "once", "sorted", "called-sorted"];
    flags
        .iter()
        .try_for_each(|name| options.flag(name).map(drop))
}

/// Opens a table for lookup by key, whatever that takes.
pub(crate) fn keyed(
    mut source: Source,
    options: &Options,
    request: &Request,
    env: &Env,
) -> Result<Box<dyn RandomAccess>> {
    check(options)?;
    Ok(match table(&mut source, options)? {
        Table::Ark => Box::new(ArchiveTable::new(source, options, request, env)?),
        Table::Script => Box::new(ScriptTable::new(source, options, request, env)?),
    })
}

fn table(source: &mut Source, options: &Options) -> Result<Table> {
    match options.choice("table", TABLES)? {
        Some(table) => Ok(table),
        None if is_place(source, options) => Ok(Table::Ark),
        None => table_of(source),
    }
}

/// Determines by content whether an input is a script file. The extension decides if it may be
/// either.
fn table_of(source: &mut Source) -> Result<Table> {
    let file = source.location().map(Location::plain);
    let extension = file.as_ref().and_then(|file| file.extension());
    let (head, _) = source.ahead(Probe::HEAD, probe::is_enough)?;
    Ok(match probe::is_list(head, extension) {
        true => Table::Script,
        false => Table::Ark,
    })
}

/// Returns the output style set by the options.
pub(crate) fn table_style(options: &Options) -> Result<TableStyle> {
    check(options)?;
    let (style, dtypes) = style(options)?;
    let compress = Compress::of(options)?;
    let sound = SoundForm::of(options)?;
    let mut features = FeatureCaps::new(dtypes);
    (features.vectors, features.scalars) = (true, true);
    features.max_cols = LARGEST;
    let mut labels = LabelCaps::new(&[Dtype::I32]);
    labels.max_columns = 1;
    labels.with_features = false;
    labels.same_columns = true;
    let mut caps = Caps::new(Count::Many, Keys::Words);
    caps.features = Some(features);
    caps.labels = Some(labels);
    caps.objects = KINDS;
    if style == Style::Binary {
        caps.audio = sound.caps();
    }
    caps.empty = Empty::Shapeless;
    let rounding = match (compress, style) {
        (Some(Compress::By(_)), _) => Some("compressed"),
        (_, Style::SevenDigits(_)) => Some("seven digits"),
        (_, Style::Text(_) | Style::Binary) => None,
    };
    caps.rounded = rounding.is_some();
    // The stored form of a matrix.
    caps.tags = match compress {
        Some(Compress::Keep) => Tags::Named("kaldi", &[STORED, PACKED]),
        _ => Tags::Named("kaldi", &[PACKED]),
    };
    caps.max_rows = LARGEST;
    caps.chunked = match (compress, style) {
        (Some(Compress::By(_)), _) => ChunkSupport::No,
        (_, Style::Binary) => ChunkSupport::Counted,
        (_, Style::SevenDigits(_) | Style::Text(_)) => ChunkSupport::Any,
    };
    Ok(TableStyle {
        style,
        compress,
        sound,
        rounding: rounding.unwrap_or("text is read back as f32 unless dtype=f64"),
        caps,
        flush: options.flag("flush")?,
    })
}

impl Format for Kaldi {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::score(head)
    }

    fn caps(&self, options: &Options, _medium: Medium) -> Result<Caps> {
        Ok(table_style(options)?.caps)
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        check(options)?;
        let words = (request.words && options.get("holder").is_none())
            .then(|| options.with("holder", "token-vector"));
        let options = words.as_ref().unwrap_or(options);
        let script = table(&mut source, options)? == Table::Script;
        let content = Content::of(request);
        let permissive = ErrorPolicy::skip_if(options.flag("permissive")?);
        request.on_error = request.on_error.or(permissive);
        if script && options.get(RANGE).is_some() {
            return Err(no_range("it is a script file", &source));
        }
        if !script
            && (request.damaged || request.lookup)
            && !is_bare_file(&mut source, options, env)?
        {
            if options.get(RANGE).is_some() {
                return Err(no_range("it has keys", &source));
            }
            if request.damaged {
                let reader = SalvageReader::new(source, options, content, env)?;
                return Ok(OpenedDataset::stream(reader));
            }
            // A pipe would be kept in memory, which sequential reading avoids.
            if options.flag("sorted")? || source.can_seek() {
                return Ok(OpenedDataset::Table(keyed(source, options, request, env)?));
            }
        }
        if !script {
            let reader = ArchiveReader::new(source, options, request, env)?;
            return Ok(OpenedDataset::stream(reader));
        }
        if request.lookup && !request.damaged {
            return Ok(OpenedDataset::Table(keyed(source, options, request, env)?));
        }
        if options.flag("all")? {
            let message = "all: of the files that a script file names one object each is read";
            return Err(Error::usage(message).file(source.name()));
        }
        let reader = ScriptReader::new(source, options, request, env)?;
        Ok(OpenedDataset::stream(reader))
    }

    fn can_cut(&self, mut source: Source, options: &Options, env: &Env) -> Result<bool> {
        if options.get(RANGE).is_some()
            || table(&mut source, options)? == Table::Script
            || is_bare_file(&mut source, options, env)?
            || !read_key(&mut source, &mut Key::default())?
        {
            return Ok(false);
        }
        let head = source.peek(TOKEN)?;
        if head.first() == Some(&0) || recognise::unmarked(head).is_some() {
            return Ok(false);
        }
        // The reader decides by more entries, and reads all in the first part if that differs.
        let kind = match options.choice("holder", HOLDERS)? {
            Some((kind, _)) => Some(kind),
            None => decide::first_kind(&mut source)?,
        };
        Ok(kind.is_none_or(|kind| ObjectEnd::of(kind).is_some()))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let style = table_style(options)?;
        let writer = match (options.get("list"), options.choice("table", TABLES)?) {
            (Some(list), _) => KaldiWriter::of_files(Files::open(list, &output, env)?, style, env)?,
            (None, Some(Table::Script)) => {
                let message = "a script file names places, it holds no objects";
                return Err(Error::usage(message).file(output.name()).hint(
                    "ark,scp:FILE.ark,FILE.scp makes both; scp:FILE writes the files it names",
                ));
            }
            (None, table) => KaldiWriter::new(Sinks::open(&output, table)?, style, env),
        };
        Ok(Box::new(writer))
    }

    fn notation(&self) -> Option<&dyn Notation> {
        Some(&Specifiers)
    }

    fn audit(&self) -> Option<&dyn Audit> {
        Some(&Tables)
    }

    fn lists(&self) -> Option<&dyn Lists> {
        Some(&ScriptFiles)
    }

    fn job_folder(&self) -> Option<&dyn WholeFolder> {
        Some(&JOBS)
    }

    fn label_models(&self) -> Option<&dyn LabelModels> {
        Some(&TransitionModels)
    }
}
