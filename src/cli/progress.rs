//! Progress on standard error.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use spr_core::bytes::Output;
use spr_core::{Error, Result};
use spr_text::json_line;

use super::args::ProgressArg;
use super::document::Document;
use super::messages;
use super::skipped::Teller;
use crate::job::{Observer, Progress as Done};

/// How often something is shown.
const EVERY: Duration = Duration::from_millis(200);

/// Shows progress and takes down what was skipped.
pub(super) struct Progress {
    show: Show,
    log: Option<Document>,
    /// Why the log could not be written.
    failed: Option<Error>,
    skipped: Teller,
    started: Instant,
    last: Instant,
    so_far: Done,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Json,
}

impl Progress {
    pub(super) fn new(how: ProgressArg, quiet: bool, log: Option<Document>) -> Self {
        let show = match how {
            ProgressArg::Json => Show::Json,
            ProgressArg::Always => Show::Bar(bar(ProgressDrawTarget::stderr())),
            ProgressArg::Auto if !quiet && std::io::stderr().is_terminal() => {
                Show::Bar(bar(ProgressDrawTarget::stderr()))
            }
            _ => Show::Nothing,
        };
        let now = Instant::now();
        Self {
            show,
            log,
            failed: None,
            skipped: Teller::new(quiet),
            started: now,
            last: now,
            so_far: Done::default(),
        }
    }

    /// Clears the line, and completes the log if all is `done`, which the caller commits.
    ///
    /// # Errors
    /// The log can't be written.
    pub(super) fn log(&mut self, done: bool) -> Result<Option<Output>> {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
        match (self.failed.take(), self.log.take()) {
            (Some(error), _) => Err(error),
            (None, Some(log)) if done => log.complete().map(Some),
            _ => Ok(None),
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
        } = self.so_far;
        let line = json!({
            "utterances": utterances,
            "frames": frames,
            "bytes": bytes.map(|(at, _)| at),
            "bytes_total": bytes.map(|(_, of)| of),
            "entries": entries.map(|(at, _)| at),
            "entries_total": entries.map(|(_, of)| of),
            "seconds": self.started.elapsed().as_secs_f64(),
            "done": done,
        });
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

fn bar(target: ProgressDrawTarget) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
        bar.set_style(style);
    }
    bar
}

/// `1200 utterances, 360000 frames, 1.2 M frames/s, 43 %, 12 s left`.
#[expect(
    clippy::cast_precision_loss,
    reason = "rates are shown with two digits"
)]
fn describe(so_far: Done, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let mut text = format!(
        "{}, {}, {:.1} M frames/s",
        messages::count(so_far.utterances, "utterance"),
        messages::count(so_far.frames, "frame"),
        so_far.frames as f64 / seconds / 1e6
    );
    // A file that is read at once says nothing of what is left to do.
    let bytes = so_far.bytes.filter(|(at, of)| at < of);
    if let Some((at, of)) = bytes.or(so_far.entries).filter(|(at, _)| *at > 0) {
        let share = at as f64 / of as f64;
        let left = seconds * (1.0 / share - 1.0);
        text.push_str(&format!(", {:.0} %, {} left", share * 100.0, time(left)));
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
        if self.failed.is_some() {
            return ControlFlow::Break(());
        }
        if matches!(self.show, Show::Nothing) || self.last.elapsed() < EVERY {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_message(describe(so_far, self.started.elapsed()));
                bar.tick();
            }
            Show::Json => self.json(false),
        }
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, error: &Error) {
        self.skipped.tell(error);
        if let Some(log) = &mut self.log {
            let line = json_line(messages::error_json(error).to_string()) + "\n";
            if let Err(error) = log.put(line.as_bytes()) {
                self.failed.get_or_insert(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_where_the_length_is_known() {
        let so_far = Done {
            utterances: 1,
            frames: 2_000_000,
            bytes: Some((25, 100)),
            entries: None,
        };
        let text = describe(so_far, Duration::from_secs(4));
        assert_eq!(
            text,
            "1 utterance, 2000000 frames, 0.5 M frames/s, 25 %, 12 s left"
        );
        let all = Done {
            bytes: Some((100, 100)),
            ..so_far
        };
        let folder = Done {
            entries: Some((3, 4)),
            ..all
        };
        assert!(describe(folder, Duration::from_secs(3)).ends_with(", 75 %, 1 s left"));
        assert!(describe(all, Duration::from_secs(3)).ends_with("frames/s"));
        let so_far = Done {
            bytes: None,
            ..so_far
        };
        assert!(describe(so_far, Duration::from_secs(4)).ends_with("frames/s"));
        assert_eq!([100.0, 7200.0].map(time), ["2 min", "2.0 h"]);
    }
}
