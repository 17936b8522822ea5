//! Progress on standard error.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use spr_core::Error;

use super::args::ProgressArg;
use super::report;
use crate::job::Observer;

/// How often something is shown.
const EVERY: Duration = Duration::from_millis(200);

/// Shows progress and takes down what was skipped.
pub(super) struct Progress {
    show: Show,
    log: Option<std::fs::File>,
    quiet: bool,
    started: Instant,
    last: Instant,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Json,
}

impl Progress {
    pub(super) fn new(how: ProgressArg, quiet: bool, log: Option<std::fs::File>) -> Self {
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
            quiet,
            started: now,
            last: now,
        }
    }

    /// Clears the line.
    pub(super) fn end(&self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }
}

fn bar(target: ProgressDrawTarget) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
        bar.set_style(style);
    }
    bar
}

impl Observer for Progress {
    fn progress(&mut self, utterances: u64, frames: u64) {
        if matches!(self.show, Show::Nothing) || self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        let seconds = self.started.elapsed().as_secs_f64();
        match &self.show {
            Show::Nothing => {}
            #[expect(
                clippy::cast_precision_loss,
                reason = "a rate is shown with two digits"
            )]
            Show::Bar(bar) => {
                let rate = frames as f64 / seconds.max(1e-9);
                bar.set_message(format!(
                    "{utterances} utterances, {frames} frames, {:.1} M frames/s",
                    rate / 1e6
                ));
                bar.tick();
            }
            Show::Json => {
                let line = json!({"utterances": utterances, "frames": frames, "seconds": seconds});
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }

    fn skipped(&mut self, error: &Error) {
        if !self.quiet {
            report::say("skipped", &error.to_string());
        }
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "{}", report::error_json(error));
        }
    }
}
