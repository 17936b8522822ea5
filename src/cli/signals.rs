//! Stopping on a signal: nothing half done is left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::builtin::Places;

/// Signals that end the program tidily. It is for a process that does nothing else: signals are
/// everybody's.
pub struct Signals {
    /// Set once a signal has come.
    come: Arc<AtomicBool>,
}

impl Signals {
    /// Lets an interrupt, a hang-up, a request to end, a timer or a limit on time stop the process:
    /// what `places` has not finished is removed, one line says so in the name of `program`, and the
    /// exit status is 128 and the signal's number, as shells have it. A limit on the size of files
    /// becomes an error of whoever writes. Where there are no signals nothing happens.
    ///
    /// A signal that is ignored from the start, as `nohup` does it, stays so.
    pub fn watch(places: &Places, program: &'static str) -> Self {
        let come = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        unix::watch(places.clone(), come.clone(), program);
        #[cfg(not(unix))]
        let _ = (places, program);
        Self { come }
    }

    /// Waits for the end of the process if a signal has come: the status and the last word are the
    /// signal's then.
    pub fn settle(&self) {
        while self.come.load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::io::Write;
    use std::process;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        SIGXFSZ,
    };
    use signal_hook::flag;
    use signal_hook::iterator::Signals;

    use crate::builtin::Places;

    /// Signals that end a process which does not expect them.
    const ENDING: [i32; 10] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
    ];

    pub(super) fn watch(places: Places, come: Arc<AtomicBool>, program: &'static str) {
        let ignored = ignored();
        let heard = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        if heard(&SIGXFSZ) {
            // The write that went too far fails then, and says so.
            let _ = flag::register(SIGXFSZ, Arc::default());
        }
        let wanted = ENDING.into_iter().filter(heard);
        // Without a watcher a signal ends the program all the same, only less tidily.
        let Ok(mut signals) = Signals::new(wanted) else {
            return;
        };
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                come.store(true, Ordering::SeqCst);
                places.abandon();
                let what = match signal {
                    SIGINT => "interrupted",
                    SIGHUP => "stopped, the terminal is gone",
                    SIGXCPU => "stopped, the time that it may take is up",
                    _ => "stopped by a signal",
                };
                let _ = writeln!(std::io::stderr(), "{program}: {what}, nothing was written");
                process::exit(128 + signal);
            }
        };
        let _ = thread::Builder::new().name("signals".into()).spawn(wait);
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
}
