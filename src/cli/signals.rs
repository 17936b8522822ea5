//! Stopping on a signal: nothing half done is left behind.

use std::io::Write;
use std::process;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use spr_core::bytes::abandon_outputs;

/// Lets an interrupt, a hang-up or a request to end stop the program: temporary files are removed,
/// one line says so, and the exit status is 128 and the signal's number, as shells have it.
///
/// A signal that is ignored from the start, as `nohup` does it, stays so.
pub(crate) fn watch(program: &'static str) {
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| ignored & (1 << (signal - 1)) == 0);
    // Without a watcher a signal ends the program all the same, only less tidily.
    let Ok(mut signals) = Signals::new(wanted) else {
        return;
    };
    let _ = thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                abandon_outputs();
                let what = match signal {
                    SIGINT => "interrupted",
                    SIGHUP => "stopped, the terminal is gone",
                    _ => "stopped by a signal",
                };
                let _ = writeln!(std::io::stderr(), "{program}: {what}, nothing was written");
                process::exit(128 + signal);
            }
        });
}

/// The signals that are ignored, the first in the lowest bit, where the system tells.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok())
        .unwrap_or(0)
}
