//! Flags that cut recordings into utterances, and join them again.

use clap::Args;

use crate::argument::Pair;

// Each flag is also an option of an input, --key as cut-key.
#[derive(Args, Debug, Clone)]
pub(super) struct RecordingArgs {
    /// Make an utterance of each segment: of the only tier (segments), of words (text), of a turn
    /// (speaker) or of the tier of that name
    #[arg(
        long,
        value_name = "segments|text|speaker|TIER",
        help_heading = "Recordings",
        hide_short_help = true
    )]
    cut_by: Option<String>,
    /// With --cut-by, the keys of utterances, such as '{recording}-{start:010.3}-{end:010.3}' [default:
    /// {key}-{n:05}]
    #[arg(
        long,
        value_name = "PATTERN",
        help_heading = "Recordings",
        hide_short_help = true
    )]
    key: Option<String>,
    /// With --cut-by, leave out segments with these labels, such as those of silence
    #[arg(
        long,
        value_name = "LABEL,...",
        help_heading = "Recordings",
        hide_short_help = true
    )]
    drop_labels: Option<String>,
    /// With --cut-by, make one utterance of segments of one speaker with so short a pause between them
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Recordings",
        hide_short_help = true
    )]
    gap: Option<String>,
    /// With --cut-by, add so much before and after each segment, within the recording
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Recordings",
        hide_short_help = true
    )]
    pad: Option<String>,
    /// Make one utterance of those that are parts of one recording
    #[arg(
        long,
        value_name = "recording",
        help_heading = "Recordings",
        hide_short_help = true
    )]
    join_by: Option<String>,
}

impl RecordingArgs {
    /// The data options that are given.
    pub(super) fn options(&self) -> impl Iterator<Item = Pair> {
        let given = [
            ("cut-by", &self.cut_by),
            ("cut-key", &self.key),
            ("drop-labels", &self.drop_labels),
            ("gap", &self.gap),
            ("pad", &self.pad),
            ("join-by", &self.join_by),
        ];
        let given = given.map(|(key, value)| Some((key.to_owned(), value.clone()?)));
        given.into_iter().flatten()
    }
}
