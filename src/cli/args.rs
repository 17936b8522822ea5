//! Options that several verbs have.

use clap::{Args, ValueEnum, ValueHint};
use spr_core::Result;
use spr_core::bytes::Location;

use super::beside::JoinArgs;
use super::filter::FilterArgs;
use super::recording_args::RecordingArgs;
use super::shard_args::ShardArgs;
use super::words::{data_set, dtype, file, label_dtype, loss};
use crate::builder::Duplicates;
use crate::step::Step;

// Options of everything that reads.
#[derive(Args, Debug, Clone)]
pub(super) struct ReadArgs {
    /// Read this format, whatever the content looks like
    #[arg(short, long, value_name = "FORMAT")]
    pub(super) from: Option<String>,
    /// Set an option of the input's format
    #[arg(long = "oo", value_name = "KEY=VALUE", hide_short_help = true)]
    pub(super) input_options: Vec<String>,
    /// Frame shift in seconds, such as 0.01, for data that don't state it
    #[arg(long, value_name = "SECONDS")]
    pub(super) frame_shift: Option<String>,
    /// Take speakers from the names of utterances, such as '{speaker}/{chapter}/{name}'
    #[arg(long, value_name = "PATTERN", hide_short_help = true)]
    pub(super) speaker_from: Option<String>,
    /// Map the columns of a table of sound files by number, from 1, or header name, such as
    /// 'file=4,text=what,speaker=3'
    #[arg(long, value_name = "MEANING=COLUMN,...", hide_short_help = true)]
    pub(super) columns_of: Option<String>,
    #[command(flatten)]
    pub(super) sound: SoundArgs,
    #[command(flatten)]
    pub(super) recordings: RecordingArgs,
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// Read names inside files (lists, manifests, data directories) that begin with OLD as if they
    /// began with NEW
    #[arg(long, value_name = "OLD=NEW", hide_short_help = true)]
    pub(super) map_path: Vec<String>,
    /// What to do with faulty utterances
    #[arg(
        long,
        value_enum,
        default_value = "stop",
        value_name = "stop|skip",
        hide_possible_values = true
    )]
    pub(super) on_error: OnErrorArg,
    /// The largest object to hold in memory, such as 512m or 4g [default: 4g, but
    /// less of compressed data that expand more than fifty times]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub(super) max_alloc: Option<String>,
    /// Run commands that script files contain
    #[arg(long, conflicts_with = "safe", hide_short_help = true)]
    pub(super) allow_pipes: bool,
    /// Run no commands at all, and follow no URLs found in files
    #[arg(long, hide_short_help = true)]
    pub(super) safe: bool,
    /// Follow URLs found in files to these hosts and buckets, apart from the file's own host; to any
    /// without a list
    #[arg(
        long,
        value_name = "HOST,...",
        num_args = 0..=1,
        require_equals = true,
        value_delimiter = ',',
        conflicts_with = "safe",
        hide_short_help = true
    )]
    pub(super) allow_urls: Option<Vec<String>>,
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
    /// Print facts as JSON, and errors too
    #[arg(long)]
    pub(super) json: bool,
    /// Print nothing but errors, and what data were left out
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Explain how arguments were understood
    #[arg(short, long, hide_short_help = true)]
    pub(super) verbose: bool,
    /// Explain how arguments are understood, and stop
    #[arg(long)]
    pub(super) explain: bool,
}

// A comment for rustdoc would stand at the head of each verb's help.
#[cfg(feature = "remote")]
#[derive(Args, Debug, Clone)]
pub(super) struct RemoteArgs {
    /// How much to read ahead from a URL, or to send to one at a time
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "8m",
        help_heading = "URLs",
        hide_short_help = true
    )]
    pub(super) remote_block: String,
    /// How long a server may be silent before it is asked again
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "30",
        help_heading = "URLs",
        hide_short_help = true
    )]
    pub(super) remote_timeout: u64,
    /// Allow unencrypted requests to servers other than this machine
    #[arg(long, help_heading = "URLs", hide_short_help = true)]
    pub(super) allow_http: bool,
}

// Which sound is wanted; its loudness stays, and nothing is resampled that nobody asked for. Each is
// also an option of an input: FILE,channel=0,resample=16000,dither=True.
#[derive(Args, Debug, Clone)]
pub(super) struct SoundArgs {
    /// Take one channel of sound, counted from 0, or with mix the mean of all
    #[arg(
        long,
        value_name = "N|mix",
        help_heading = "Sound",
        hide_short_help = true
    )]
    pub(super) channel: Option<String>,
    /// Resample sound to N samples per second, such as 16000 or 16k
    #[arg(
        long,
        value_name = "N",
        alias = "resample",
        help_heading = "Sound",
        hide_short_help = true
    )]
    pub(super) rate: Option<String>,
    /// Add noise of one step before samples are rounded by --rate, --channel mix or --dtype; the same
    /// --seed gives the same noise
    #[arg(long, help_heading = "Sound", hide_short_help = true)]
    pub(super) dither: bool,
}

// PDNN's data options, for all inputs; each is also a key of the data spec FILE,key=value,…
#[derive(Args, Debug, Clone)]
pub(super) struct DataArgs {
    /// Read SPEC, like IN; the name is PDNN's
    #[arg(
        long,
        value_name = "SPEC",
        visible_alias = "valid-data",
        help_heading = "Data options",
        hide_short_help = true
    )]
    // Here for the help and the completions: words::plain puts SPEC in its place before this is read,
    // and leaves the number of inputs that were typed as --valid-data, if there are any.
    pub(super) train_data: Option<String>,
    /// Splice each frame with N frames on either side, or L before and R after it
    #[arg(
        long,
        value_name = "N|L:R",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) context: Option<String>,
    /// Splice each frame with the N frames before it
    #[arg(
        long,
        value_name = "N",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) lcxt: Option<String>,
    /// Splice each frame with the N frames after it
    #[arg(
        long,
        value_name = "N",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) rcxt: Option<String>,
    /// Leave out frames with these labels, such as 0:3-9
    #[arg(
        long,
        value_name = "LABELS",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) ignore_label: Option<String>,
    /// Replace labels, such as 1:0/4-6:2
    #[arg(
        long,
        value_name = "FROM:TO/...",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) map_label: Option<String>,
    /// Put the frames in random order, as random=True does
    #[arg(long, help_heading = "Data options", hide_short_help = true)]
    pub(super) shuffle: bool,
    /// Shuffle with this seed instead of PDNN's
    #[arg(
        long,
        value_name = "N",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) seed: Option<String>,
    /// The size of partitions; with {part} in the output's name each gets its own file
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) partition: Option<String>,
    /// Shuffle a PFile partition by partition, as stream=True does
    #[arg(long, help_heading = "Data options", hide_short_help = true)]
    pub(super) stream: bool,
}

#[derive(Args, Debug, Clone)]
pub(super) struct ConvertArgs {
    /// Data to read; the last one is the output unless -o names it
    #[arg(value_name = "IN... OUT", value_parser = data_set(), required = true)]
    pub(super) paths: Vec<String>,
    /// Where to write
    #[arg(short, long, value_name = "OUT", value_parser = data_set())]
    pub(super) output: Option<String>,
    #[command(flatten)]
    pub(super) read: ReadArgs,
    /// Write this format, whatever the extension
    #[arg(short, long, value_name = "FORMAT")]
    pub(super) to: Option<String>,
    /// Set an option of the output's format
    #[arg(long = "co", value_name = "KEY=VALUE", hide_short_help = true)]
    pub(super) output_options: Vec<String>,
    #[command(flatten)]
    pub(super) join: JoinArgs,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    /// Pass the utterances through stages first, such as 'unique|context(5)|shuffle(1000,seed=1)'
    #[arg(long, value_name = "STAGES", hide_short_help = true)]
    pub(super) stages: Option<String>,
    #[command(flatten)]
    pub(super) names: NameArgs,
    /// Write labels to a separate data set
    #[arg(long, value_name = "OUT", value_parser = data_set())]
    pub(super) labels_out: Option<String>,
    /// Write the manifest of the sound files in the folder OUT, with their text and speakers
    #[arg(long, value_name = "OUT", value_parser = data_set(), hide_short_help = true)]
    pub(super) manifest: Option<String>,
    /// Copy sound files, where the output would name those of the input
    #[arg(long, hide_short_help = true)]
    pub(super) copy: bool,
    /// Change the type of features and sound: f32, f64, i16, …
    #[arg(long, value_name = "TYPE", value_parser = dtype(), hide_possible_values = true)]
    pub(super) dtype: Option<String>,
    /// Change the type of labels: i32, i64, u16, …; those beyond it are the loss range
    #[arg(
        long,
        value_name = "TYPE",
        value_parser = label_dtype(),
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(super) label_dtype: Option<String>,
    /// Allow what the target can't hold to be lost: precision, range, labels, keys, boundaries,
    /// metadata, audio, segments, weights, rank, arrays, tiers, scores, speakers, text, all
    #[arg(
        long,
        value_name = "KIND,...",
        value_delimiter = ',',
        value_parser = loss(),
        hide_possible_values = true
    )]
    pub(super) allow_loss: Vec<String>,
    /// Replace existing outputs, folders as a whole
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Add files to an existing folder
    #[arg(long, hide_short_help = true)]
    pub(super) add: bool,
    /// Which of several utterances with one key to keep; by default, a key found in several inputs is
    /// an error
    #[arg(
        long,
        value_enum,
        value_name = "refuse|first|last|keep",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(super) duplicates: Option<DuplicatesArg>,
    /// Write each skipped utterance, and why, as a line of JSON
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        hide_short_help = true
    )]
    pub(super) error_log: Option<Location>,
    /// Write the closing summary as JSON
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        hide_short_help = true
    )]
    pub(super) report: Option<Location>,
    /// Read outputs back and compare them before they get their names
    #[arg(long)]
    pub(super) verify: bool,
    /// Don't wait for the disk: quicker, less safe
    #[arg(long)]
    pub(super) no_sync: bool,
    /// Threads to use; any number gives the same output
    #[arg(short, long, alias = "nj", value_name = "N", default_value = "2")]
    pub(super) jobs: usize,
    /// Do everything except write
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Show progress on standard error
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        value_name = "auto|always|never|json",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(super) progress: ProgressArg,
    #[command(flatten)]
    pub(super) shard: ShardArgs,
    /// Whether folders that are data sets as a whole become such again where nothing else is said
    #[arg(skip)]
    pub(super) same_form: bool,
}

// Other names for utterances; labels that join go by the new ones.
#[derive(Args, Debug, Clone)]
pub(super) struct NameArgs {
    /// Change names as sed does, such as 's/ /_/g'; several are applied in turn
    #[arg(
        long,
        value_name = "s/REGEX/TEXT/",
        help_heading = "Names",
        hide_short_help = true
    )]
    pub(super) rename: Vec<String>,
    /// Rename according to this file of lines `old new`
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        help_heading = "Names",
        hide_short_help = true
    )]
    pub(super) map_keys: Option<Location>,
    /// Prepend this to names
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Names",
        hide_short_help = true
    )]
    pub(super) prefix: Option<String>,
    /// Append this to names
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Names",
        hide_short_help = true
    )]
    pub(super) suffix: Option<String>,
}

impl NameArgs {
    /// The step that renames utterances, if one is asked for: by the table first, then what is
    /// changed, then what is put around it.
    pub(super) fn step(&self) -> Result<Option<Step>> {
        let map = self.map_keys.as_ref().map(|file| ("map", file.to_string()));
        let changes = self.rename.iter().map(|text| ("change", text.clone()));
        let prefix = self.prefix.clone().map(|text| ("prefix", text));
        let suffix = self.suffix.clone().map(|text| ("suffix", text));
        let values = map.into_iter().chain(changes).chain(prefix).chain(suffix);
        let values: Vec<_> = values.collect();
        if values.is_empty() {
            return Ok(None);
        }
        let step = Step::new("rename", values);
        step.map(Some).map_err(|e| e.context("--rename"))
    }
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DuplicatesArg {
    Refuse,
    First,
    Last,
    Keep,
}

impl From<DuplicatesArg> for Duplicates {
    fn from(how: DuplicatesArg) -> Self {
        match how {
            DuplicatesArg::Refuse => Self::Refuse,
            DuplicatesArg::First => Self::First,
            DuplicatesArg::Last => Self::Last,
            DuplicatesArg::Keep => Self::Keep,
        }
    }
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnErrorArg {
    Stop,
    Skip,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgressArg {
    Auto,
    Always,
    Never,
    Json,
}
