//! Warnings go to the program's logger, unless somebody listens.

use std::sync::{Arc, Mutex, Once};
use std::thread::{self, ThreadId};

use log::{LevelFilter, Log, Metadata, Record};
use spr_convert::{OpenOptions, builtin};

use super::{Scratch, TWO, drain};

/// Keeps what is logged, by tests of this process, with the thread that did it.
struct Kept(Mutex<Vec<(ThreadId, String)>>);

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

impl Log for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = format!("{} {}: {}", record.level(), record.target(), record.args());
        let line = (thread::current().id(), line);
        self.0.lock().unwrap().push(line);
    }

    fn flush(&self) {}
}

/// Listens to what is logged from now on.
pub(super) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&KEPT).unwrap();
        log::set_max_level(LevelFilter::Debug);
    });
}

/// Returns what this thread has logged since it last asked.
pub(super) fn logged() -> Vec<String> {
    let mut lines = KEPT.0.lock().unwrap();
    let own = lines.extract_if(.., |(thread, _)| *thread == thread::current().id());
    own.map(|(_, line)| line).collect()
}

#[test]
fn warnings_are_logged_unless_somebody_listens() {
    listen();
    let s = Scratch::new();
    let pfile = s.at("nameless.pfile");
    spr_convert::convert(&s.write("in.jsonl", TWO), &pfile).unwrap();
    let logged = || {
        let mut lines = logged();
        lines.retain(|line| line.contains(&pfile) && line.contains("are generated"));
        lines
    };
    drain(spr_convert::open(&pfile).unwrap()).unwrap();
    assert_eq!(logged(), Vec::<String>::new());
    std::fs::remove_file(s.path("nameless.pfile.utt2num_frames")).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = heard.clone();
    let listening = builtin::env().listening(move |warning| {
        hear.lock().unwrap().push(warning.to_string());
    });
    let listening = OpenOptions::within(&builtin::registry(), &listening);
    drain(listening.open(&pfile).unwrap()).unwrap();
    assert_eq!(logged(), Vec::<String>::new());
    drain(spr_convert::open(&pfile).unwrap()).unwrap();
    let (heard, logged) = (heard.lock().unwrap(), logged());
    assert_eq!((heard.len(), logged.len()), (1, 1), "{heard:?} {logged:?}");
    assert!(heard[0].contains("so names are generated"), "{heard:?}");
    assert_eq!(logged[0], format!("WARN spr_core: {}", heard[0]));
}
