//! The format as the converter sees it.

use spr_core::bytes::{Codec, Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, Lookup, OptionSpec,
    Options, Place, Probe, RandomAccess, Reader, Score, Tags, Writer,
};
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use crate::archive::{ArchiveReader, is_bare_file};
use crate::encode::Compress;
use crate::files::Files;
use crate::object::DTYPES;
use crate::probe;
use crate::put::{self, Style};
use crate::random::{ArchiveTable, ScriptTable};
use crate::salvage::SalvageReader;
use crate::script::ScriptReader;
use crate::select::Select;
use crate::specifier::Table;
use crate::writer::KaldiWriter;

/// Kaldi archives and script files.
pub static FORMAT: Kaldi = Kaldi;

/// Kaldi's tables: archives, and script files that point into them.
pub struct Kaldi;

static INFO: FormatInfo = FormatInfo {
    name: "kaldi",
    title: "Kaldi archives and script files, binary and text",
    extensions: &["ark", "scp", "ali"],
    options: &[
        OptionSpec {
            name: "table",
            value: "ark|scp",
            help: "what the input is: objects, or lines that name their files (default: found out)",
        },
        OptionSpec {
            name: "holder",
            value: "NAME",
            help: "what the input holds, where its bytes don't tell: float-matrix, int32, posterior, token, …",
        },
        OptionSpec {
            name: "dtype",
            value: "f32|f64",
            help: "the type of the numbers in text (default: f32; in writing, both)",
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
            name: "list",
            value: "FILE",
            help: "in writing, a script file that names a file for each object (scp:FILE)",
        },
        OptionSpec {
            name: "once",
            value: "true|false",
            help: "in looking up keys, each is asked for once (o)",
        },
        OptionSpec {
            name: "sorted",
            value: "true|false",
            help: "in looking up keys, the table is sorted by them (s)",
        },
        OptionSpec {
            name: "called-sorted",
            value: "true|false",
            help: "in looking up keys, they are asked for in sorted order (cs)",
        },
        OptionSpec {
            name: "compress",
            value: "auto|1|2|3|4|5|6|7|keep",
            help: "compress matrices by Kaldi's method of that number (auto is 1), or keep those as \
                   stored that are compressed already (in reading, too)",
        },
        OptionSpec {
            name: "digits",
            value: "shortest|kaldi",
            help: "digits in text: enough to read the same value back, or Kaldi's seven",
        },
    ],
};

const YES_NO: &[(&str, bool)] = &[("true", true), ("false", false)];
const TABLES: &[(&str, Table)] = &[("ark", Table::Ark), ("scp", Table::Script)];
const LARGEST: u64 = i32::MAX as u64;

/// How the options ask for the output to look, and the element types it takes.
fn style(options: &Options) -> Result<(Style, &'static [Dtype])> {
    let text = options.choice("text", YES_NO)?.unwrap_or(false);
    let digits = [("shortest", Style::Text), ("kaldi", Style::SevenDigits)];
    let digits = options.choice("digits", &digits)?.unwrap_or(Style::Text);
    let both: &[Dtype] = &[Dtype::F32, Dtype::F64];
    if !text {
        return Ok((Style::Binary, both));
    }
    Ok((
        digits,
        options
            .choice("dtype", DTYPES)?
            .map_or(both, |(_, one)| one),
    ))
}

/// Checks the options that only others act on.
fn check(options: &Options) -> Result<()> {
    let flags = ["permissive", "once", "sorted", "called-sorted"];
    flags
        .iter()
        .try_for_each(|name| options.flag(name).map(drop))
}

/// Opens a table to be asked for keys, whatever that takes.
pub(crate) fn keyed(
    mut source: Source,
    options: &Options,
    env: &Env,
) -> Result<Box<dyn RandomAccess>> {
    check(options)?;
    Ok(match table(&mut source, options)? {
        Table::Ark => Box::new(ArchiveTable::new(source, options, env)?),
        Table::Script => Box::new(ScriptTable::new(source, options, env)?),
    })
}

fn table(source: &mut Source, options: &Options) -> Result<Table> {
    match options.choice("table", TABLES)? {
        Some(table) => Ok(table),
        None => table_of(source),
    }
}

impl Kaldi {
    /// Opens a table of which some entries are read. What the others name in a script file is not
    /// opened, and in an archive their values are passed over where their headers tell their length.
    ///
    /// ```
    /// use spr_core::bytes::{Env, Source};
    /// use spr_core::format::{Format, Options};
    /// use spr_format_kaldi::{FORMAT, Select};
    /// let table = Source::from_bytes("feats.scp", b"ann-1 gone.ark:6\n".to_vec())?;
    /// let bobs = Select::new(|key| key.as_bytes().starts_with(b"bob"));
    /// let options = Options::new(FORMAT.info(), [("table", "scp")])?;
    /// let reader = FORMAT.open_selected(table, &options, &Env::default(), bobs)?;
    /// assert_eq!(reader.into_iter().count(), 0);
    /// # Ok::<(), spr_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`open`](Format::open).
    pub fn open_selected(
        &self,
        mut source: Source,
        options: &Options,
        env: &Env,
        select: Select,
    ) -> Result<Box<dyn Reader>> {
        check(options)?;
        Ok(match table(&mut source, options)? {
            Table::Ark => Box::new(ArchiveReader::new(source, options, env, select)?),
            Table::Script => Box::new(ScriptReader::new(source, options, env, select)?),
        })
    }
}

impl Format for Kaldi {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::score(head)
    }

    fn caps(&self, options: &Options, _place: Place) -> Result<Caps> {
        check(options)?;
        let (style, dtypes) = style(options)?;
        let text = style != Style::Binary;
        Ok(Caps {
            count: Count::Many,
            keys: Keys::Words,
            boundaries: true,
            features: Some(FeatureCaps {
                dtypes,
                vectors: true,
                scalars: true,
                same_dim: false,
                same_dtype: false,
                max_cols: LARGEST,
            }),
            labels: Some(LabelCaps {
                dtypes: &[Dtype::I32],
                max_columns: 1,
                with_features: false,
                alone: true,
                same_columns: true,
            }),
            objects: put::KINDS,
            audio: if text { &[] } else { &[Dtype::I16] },
            segments: false,
            text: false,
            empty: Empty::Shapeless,
            frame_times: false,
            tags: match Compress::of(options)? {
                Some(Compress::Keep) => Tags::Of("kaldi"),
                _ => Tags::None,
            },
            max_rows: LARGEST,
        })
    }

    fn open(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        self.open_selected(source, options, env, Select::all())
    }

    fn salvage(&self, mut source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        if is_bare_file(&mut source)? || table(&mut source, options)? == Table::Script {
            return self.open(source, options, env);
        }
        check(options)?;
        Ok(Box::new(SalvageReader::new(source, options, env)?))
    }

    fn open_keyed(&self, mut source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        let script = table(&mut source, options)? == Table::Script;
        let sorted = options.flag("sorted")?;
        let bare = !script && is_bare_file(&mut source)?;
        // A pipe would be kept in memory, which those who read it in order do better.
        if bare || !(script || sorted || source.can_seek()) {
            return Ok(Lookup::Ordered(self.open(source, options, env)?));
        }
        Ok(Lookup::Keyed(keyed(source, options, env)?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        check(options)?;
        if options.get("list").is_none() && options.choice("table", TABLES)? == Some(Table::Script)
        {
            return Err(
                Error::usage("a script file names places, it holds no objects")
                    .file(output.name())
                    .hint(
                        "ark,scp:FILE.ark,FILE.scp makes both; scp:FILE writes the files it names",
                    ),
            );
        }
        let (style, dtypes) = style(options)?;
        let writer = match options.get("list") {
            Some(list) => {
                KaldiWriter::of_files(Files::open(list, &output, env)?, style, dtypes, env)?
            }
            None => KaldiWriter::new(&output, style, dtypes, env)?,
        };
        Ok(Box::new(writer.compress(Compress::of(options)?)))
    }
}

/// Whether an input is a script file, by its content; its extension decides what may be either.
fn table_of(source: &mut Source) -> Result<Table> {
    let named = source.path().map(Codec::strip_extension);
    let named = named.is_some_and(|path| path.extension().is_some_and(|e| e == "scp"));
    let head = source.peek(Probe::HEAD)?;
    Ok(match probe::is_script(head, named) {
        true => Table::Script,
        false => Table::Ark,
    })
}
