//! Progress on standard error.

use std::fmt;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;
use spr_core::bytes::SpoolProgress;
use spr_core::{Error, Result};

use super::args::ProgressArg;
use super::messages;
use super::out::print_json;
use super::skipped::Teller;
use crate::job::{Observer, Outcome, Progress as Done};

/// The interval between updates.
const EVERY: Duration = Duration::from_millis(200);

/// Shows progress, skipped utterances, and the outcome for programs.
pub(super) struct Progress {
    show: Show,
    skipped: Teller,
    /// Prints the outcome before the files get their names.
    prints_outcome: bool,
    started: Instant,
    last: Instant,
    so_far: Done,
    waiting: SpoolProgress,
}

enum Show {
    Nothing,
    /// A line, and what it says, which goes on by itself while an output is completed.
    Bar(ProgressBar, Arc<Mutex<Line>>),
    Json,
}

/// The content of the line.
struct Line {
    so_far: Done,
    waiting: SpoolProgress,
    started: Instant,
    /// When what waited began to be passed on.
    passing: Option<Instant>,
}

impl Progress {
    /// `waiting` is what outputs hold back until the end.
    pub(super) fn new(
        how: ProgressArg,
        skipped: Teller,
        prints_outcome: bool,
        waiting: SpoolProgress,
    ) -> Self {
        let terminal = !skipped.is_quiet() && std::io::stderr().is_terminal();
        let show = match how {
            ProgressArg::Json => Show::Json,
            ProgressArg::Always => bar(waiting.clone()),
            ProgressArg::Auto if terminal => bar(waiting.clone()),
            _ => Show::Nothing,
        };
        let now = Instant::now();
        Self {
            show,
            skipped,
            prints_outcome,
            started: now,
            last: now,
            so_far: Done::default(),
            waiting,
        }
    }

    /// Clears the line.
    pub(super) fn clear(&self) {
        if let Show::Bar(bar, _) = &self.show {
            bar.finish_and_clear();
            messages::LINE_SHOWN.store(false, Ordering::Relaxed);
        }
    }

    /// Tells the end, to programs.
    pub(super) fn end(mut self) {
        self.so_far.bytes = self.so_far.bytes.map(|(_, of)| (of, of));
        self.so_far.entries = self.so_far.entries.map(|(_, of)| (of, of));
        if matches!(self.show, Show::Json) {
            self.json(true);
        }
    }

    fn json(&self, done: bool) {
        let Done {
            utterances,
            frames,
            bytes,
            entries,
            ..
        } = self.so_far;
        let (passed, waiting) = self.waiting.bytes();
        messages::json(&json!({
            "utterances": utterances,
            "frames": frames,
            "bytes": bytes.map(|(at, _)| at),
            "bytes_total": bytes.map(|(_, of)| of),
            "entries": entries.map(|(at, _)| at),
            "entries_total": entries.map(|(_, of)| of),
            "completed": passed,
            "to_complete": waiting,
            "seconds": self.started.elapsed().as_secs_f64(),
            "done": done,
        }));
    }
}

/// A line that is drawn anew by itself.
fn bar(waiting: SpoolProgress) -> Show {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let line = Arc::new(Mutex::new(Line {
        so_far: Done::default(),
        waiting,
        started: Instant::now(),
        passing: None,
    }));
    let shown = line.clone();
    let style = ProgressStyle::with_template("{spinner} {line} [{elapsed}]");
    if let Ok(style) = style {
        let tell = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let mut line = shown.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = out.write_str(&line.text());
        };
        bar.set_style(style.with_key("line", tell));
    }
    Show::Bar(bar, line)
}

impl Line {
    fn text(&mut self) -> String {
        let waiting = self.waiting.bytes();
        let passing = match waiting {
            (0, _) => None,
            _ => Some(self.passing.get_or_insert_with(Instant::now).elapsed()),
        };
        describe(self.so_far, self.started.elapsed(), waiting, passing)
    }
}

/// `1200 utterances, 360000 frames, 1.2 M frames/s, 43 %, 12 s left`. What waits to be compressed once
/// all is read takes a time that nobody knows until it is being `passing` on.
#[expect(
    clippy::cast_precision_loss,
    reason = "rates are shown with two digits"
)]
fn describe(
    so_far: Done,
    elapsed: Duration,
    (passed, all): (u64, u64),
    passing: Option<Duration>,
) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let mut text = format!(
        "{}, {}",
        messages::count(so_far.utterances, "utterance"),
        messages::count(so_far.frames, "frame"),
    );
    let left = |share: f64, seconds: f64| time(seconds * (1.0 / share - 1.0));
    if let Some(passing) = passing {
        let share = passed as f64 / all as f64;
        let left = left(share, passing.as_secs_f64());
        text.push_str(&format!(
            ", completing the output: {:.0} %, {left} left",
            share * 100.0
        ));
        return text;
    }
    let rate = so_far.frames as f64 / seconds / 1e6;
    text.push_str(&format!(", {rate:.1} M frames/s"));
    // A file that is read at once says nothing of what is left to do.
    let bytes = so_far.bytes.filter(|(at, of)| at < of);
    let Some((at, of)) = bytes.or(so_far.entries).filter(|(at, _)| *at > 0) else {
        return text;
    };
    let share = at as f64 / of as f64;
    match all {
        0 => {
            let left = left(share, seconds);
            text.push_str(&format!(", {:.0} %, {left} left", share * 100.0));
        }
        _ => text.push_str(&format!(", {:.0} % read", share * 100.0)),
    }
    text
}

/// `12 s`, `3 min`, `2.5 h`.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

impl Observer for Progress {
    fn watches(&self) -> bool {
        !matches!(self.show, Show::Nothing)
    }

    fn progress(&mut self, so_far: Done) -> ControlFlow<()> {
        self.so_far = so_far;
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar, line) => {
                line.lock().unwrap_or_else(PoisonError::into_inner).so_far = so_far;
                // Before something is done, an error may come that wants the terminal for itself.
                if !messages::LINE_SHOWN.swap(!bar.is_hidden(), Ordering::Relaxed) {
                    bar.enable_steady_tick(EVERY);
                }
            }
            Show::Json if self.last.elapsed() < EVERY => {}
            Show::Json => {
                self.last = Instant::now();
                self.json(false);
            }
        }
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, error: &Error) {
        self.skipped.tell(error);
    }

    fn hint(&self, error: &Error) -> Option<String> {
        self.skipped.hint(error)
    }

    fn written(&mut self, outcome: &Outcome) -> Result<()> {
        self.clear();
        if !self.prints_outcome {
            return Ok(());
        }
        // The data are written even if the outcome has no reader.
        match print_json(&outcome.json()) {
            Err(error) if !error.is_broken_pipe() => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_where_the_length_is_known() {
        let mut so_far = Done::default();
        (so_far.utterances, so_far.frames) = (1, 2_000_000);
        so_far.bytes = Some((25, 100));
        let reading = |so_far, elapsed| describe(so_far, elapsed, (0, 0), None);
        let text = reading(so_far, Duration::from_secs(4));
        assert_eq!(
            text,
            "1 utterance, 2000000 frames, 0.5 M frames/s, 25 %, 12 s left"
        );
        let mut all = so_far;
        all.bytes = Some((100, 100));
        let mut folder = all;
        folder.entries = Some((3, 4));
        assert!(reading(folder, Duration::from_secs(3)).ends_with(", 75 %, 1 s left"));
        assert!(reading(all, Duration::from_secs(3)).ends_with("frames/s"));
        let mut all_but_one = so_far;
        all_but_one.bytes = Some((99, 100));
        so_far.bytes = None;
        assert!(reading(so_far, Duration::from_secs(4)).ends_with("frames/s"));
        // A file that is compressed at the end takes longer than it is read.
        let text =
            |waiting, passing| describe(all_but_one, Duration::from_secs(3), waiting, passing);
        assert!(text((0, 50), None).ends_with("M frames/s, 99 % read"));
        let completing = text((10, 50), Some(Duration::from_secs(1)));
        assert!(completing.ends_with(", completing the output: 20 %, 4 s left"));
        assert_eq!([100.0, 7200.0].map(time), ["2 min", "2.0 h"]);
    }
}
