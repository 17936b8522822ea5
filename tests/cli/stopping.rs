//! A run that is stopped at any moment, by a signal or by force, leaves the final name absent or
//! whole; one that is asked to stop also removes what it had begun.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::faults::OUTPUTS;
use crate::{Scratch, sample};

/// A corpus of some megabytes.
pub(crate) fn corpus(s: &Scratch) {
    let one = std::fs::read(sample("fbank.ark")).unwrap();
    let mut all = Vec::new();
    for n in 0..6 {
        let mut copy = one.clone();
        // `ann-001` becomes `ann-101` and so on.
        for mark in places(&one, b" \0BFM ") {
            copy[mark - 3] = b'0' + n;
        }
        all.extend(copy);
    }
    s.write("in.ark", all);
}

fn places(bytes: &[u8], word: &[u8]) -> Vec<usize> {
    (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(word))
        .collect()
}

fn kill(child: &Child, signal: &str) {
    let id = child.id().to_string();
    // The shell's own, as a program of that name is not on every machine.
    let mut shell = Command::new("sh");
    let done = shell
        .args(["-c", "kill \"$0\" \"$1\"", signal, &id])
        .status();
    let done = done.unwrap();
    assert!(done.success());
}

/// Starts a run that waits for more input, once it has begun its output.
fn waiting(s: &Scratch, output: &str) -> Child {
    let mut command = s.command();
    command.args(["-", "-f", "kaldi", output, "-q"]);
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let bytes = s.read("in.ark");
    let half = &bytes[..bytes.len() / 2];
    let pipe = child.stdin.as_mut().unwrap();
    pipe.write_all(half).unwrap();
    pipe.flush().unwrap();
    for _ in 0..2000 {
        if s.names().len() > 1 {
            return child;
        }
        sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    panic!("{output}: no temporary file in ten seconds");
}

/// Whether the signal of that number is ignored here, which programs started from here inherit.
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut ignored = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored
        .next()
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[test]
fn signals_clean_up() {
    let s = Scratch::new();
    corpus(&s);
    for (n, output) in OUTPUTS.into_iter().enumerate() {
        let signals = [
            ("-INT", 2),
            ("-TERM", 15),
            ("-HUP", 1),
            ("-USR1", 10),
            ("-ALRM", 14),
            ("-XCPU", 24),
            ("-QUIT", 3),
            ("-USR2", 12),
            ("-VTALRM", 26),
        ];
        // A test run in the background may be deaf to some, and the program is then too.
        let heard = Some(signals[n % signals.len()]);
        let heard = heard.filter(|(_, number)| !is_ignored(*number));
        let (signal, number) = heard.unwrap_or(signals[1]);
        let status = 128 + number;
        let mut child = waiting(&s, output);
        // The end of its input, which half of the corpus may be, must not come before the signal.
        let input = child.stdin.take();
        kill(&child, signal);
        let said = crate::said(child.wait_with_output().unwrap());
        drop(input);
        assert_eq!(said.status, status, "{output}: {}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{output}: {}", said.err);
        assert!(said.err.contains("nothing was written"), "{}", said.err);
        assert_eq!(s.names(), ["in.ark"], "{output}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let s = Scratch::new();
    corpus(&s);
    for output in OUTPUTS {
        let line = format!("ulimit -f 8; exec spr-convert in.ark {output}");
        let said = s.shell(&line);
        assert_eq!(said.status, 2, "{output}: {}", said.err);
        assert!(
            said.err.contains("cannot write: File too large"),
            "{output}: {}",
            said.err
        );
        assert_eq!(s.names(), ["in.ark"], "{output}");
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let s = Scratch::new();
    let program = env!("CARGO_BIN_EXE_spr-convert");
    let line = format!("trap '' HUP; exec {program} - -f kaldi x.jsonl");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(s.path(""));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let bytes = std::fs::read(sample("fbank.ark")).unwrap();
    child.stdin.as_mut().unwrap().write_all(&bytes).unwrap();
    kill(&child, "-HUP");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(s.names(), ["x.jsonl"]);
}

#[test]
fn kaldi_tools_stop_alike() {
    let s = Scratch::new();
    corpus(&s);
    let link = s.path("copy-feats");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_spr-convert"), &link).unwrap();
    let mut command = Command::new(&link);
    command.args(["ark:-", "ark:x.ark"]).current_dir(s.path(""));
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let bytes = s.read("in.ark");
    // The pipe stays open until the program is gone: at its end it would be done.
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&bytes[..bytes.len() / 2]).unwrap();
    kill(&child, "-TERM");
    let said = crate::said(child.wait_with_output().unwrap());
    assert_eq!(said.status, 143, "{}", said.err);
    assert_eq!(s.names(), ["copy-feats", "in.ark"]);
}

#[test]
fn killed_at_any_moment() {
    let s = Scratch::new();
    corpus(&s);
    let mut interrupted = 0;
    for output in OUTPUTS {
        // What a whole run writes, and how long it takes.
        let started = std::time::Instant::now();
        s.ok(&format!("in.ark {output}"));
        let whole = contents(&s);
        let took = started.elapsed();
        clear(&s);
        for n in 1..=20 {
            let mut command = s.command();
            let mut child = command.args(["in.ark", output, "-q"]).spawn().unwrap();
            sleep(took * n / 20);
            let _ = child.kill();
            let status = child.wait().unwrap();
            interrupted += usize::from(status.code().is_none());
            let left = contents(&s);
            for (name, bytes) in &left {
                let found = whole.iter().find(|(other, _)| other == name);
                assert!(
                    found.is_some_and(|(_, all)| all == bytes),
                    "{output}: {name}"
                );
            }
            // The file that users open comes last, so where it is all is.
            let last = match output {
                "ark,scp:x.ark,x.scp" => "x.scp",
                "x.pfile" => "x.pfile",
                "x.pkl" => "x.pkl",
                _ => "",
            };
            if left.iter().any(|(name, _)| name == last) {
                assert_eq!(left, whole, "{output}");
            }
            clear(&s);
        }
    }
    assert!(interrupted > 20, "{interrupted} runs were killed in time");
}

/// Files below the scratch folder that have final names, without the input.
fn contents(s: &Scratch) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for name in s.names() {
        if name.starts_with('.') || name == "in.ark" {
            continue;
        }
        if s.path(&name).is_dir() {
            for file in crate::names(&s.path(&name)) {
                let file = format!("{name}/{file}");
                found.push((file.clone(), s.read(&file)));
            }
        } else {
            found.push((name.clone(), s.read(&name)));
        }
    }
    found
}

fn clear(s: &Scratch) {
    for name in s.names().iter().filter(|name| *name != "in.ark") {
        let path = s.path(name);
        match path.is_dir() {
            true => std::fs::remove_dir_all(path).unwrap(),
            false => std::fs::remove_file(path).unwrap(),
        }
    }
}

#[test]
fn without_waiting_for_the_disk_the_bytes_are_the_same() {
    let s = Scratch::new();
    s.shell("mkdir waited not");
    for output in OUTPUTS {
        let input = sample("fbank.ark");
        let line = |folder: &str, flag: &str| {
            format!("cd {folder} && exec spr-convert {flag} --overwrite {input} {output}")
        };
        for (folder, flag) in [("waited", "-q"), ("not", "-q --no-sync")] {
            let said = s.shell(&line(folder, flag));
            assert_eq!(said.status, 0, "{output}: {}", said.err);
        }
    }
    assert!(s.shell("ls waited").out.contains("x.pkl"));
    let said = s.shell("diff -r waited not");
    assert_eq!((said.status, said.out.as_str()), (0, ""));
}
