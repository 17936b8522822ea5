//! Data that are still being made: what came is passed on before the rest is there.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::Scratch;

/// Longer than any machine should take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program between two pipes.
struct Piped {
    child: Child,
    stdin: Option<ChildStdin>,
    /// What it prints, by lines.
    lines: Receiver<Vec<u8>>,
}

impl Piped {
    fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            let mut line = Vec::new();
            while out.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                if send.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// The next lines, as text.
    fn lines(&self, n: usize) -> String {
        let mut text = Vec::new();
        for _ in 0..n {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => text.extend(line),
                Err(error) => panic!("{error}, after {:?}", String::from_utf8_lossy(&text)),
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Closes its input and demands success.
    fn end(mut self) {
        drop(self.stdin.take());
        let mut err = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut err)
            .unwrap();
        assert!(self.child.wait().unwrap().success(), "{err}");
    }
}

fn tagged(n: i32) -> Vec<u8> {
    [&[4][..], &n.to_le_bytes()].concat()
}

/// What it is, two entries, how they look as text, and the holder where the first entry does not
/// tell what they are.
type Table = (&'static str, [Vec<u8>; 2], [&'static str; 2], &'static str);

fn tables() -> Vec<Table> {
    let value = 2f32.to_le_bytes();
    let matrix = |key: &str| {
        let head = format!("{key} \0BFM ");
        [head.as_bytes(), &tagged(1), &tagged(1), &value].concat()
    };
    let vector = |key: &str| [key.as_bytes(), b" \0BFV ", &tagged(1), &value].concat();
    let integers = |key: &str| [key.as_bytes(), b" \0B", &tagged(1), &tagged(5)].concat();
    let number = |key: &str| [key.as_bytes(), b" \0B\x04", &value[..]].concat();
    let text = |first: &str, second: &str| [first.into(), second.into()];
    vec![
        (
            "matrices",
            [matrix("a"), matrix("b")],
            ["a  [\n  2 ]\n", "b  [\n  2 ]\n"],
            "",
        ),
        (
            "vectors",
            [vector("a"), vector("b")],
            ["a  [ 2 ]\n", "b  [ 2 ]\n"],
            "",
        ),
        (
            "labels",
            [integers("a"), integers("b")],
            ["a 5 \n", "b 5 \n"],
            "int32-vector",
        ),
        (
            "numbers",
            [number("a"), number("b")],
            ["a 2 \n", "b 2 \n"],
            "float",
        ),
        (
            "text of matrices",
            text("a  [\n  1 2 \n  3 4 ]\n", "b  [\n  2 3 ]\n"),
            ["a  [\n  1 2 \n  3 4 ]\n", "b  [\n  2 3 ]\n"],
            "",
        ),
        (
            "text of vectors",
            text("a  [ 1 2 ]\n", "b  [ ]\n"),
            ["a  [ 1 2 ]\n", "b  [ ]\n"],
            "",
        ),
        (
            "text of labels",
            text("a 1 2 3 \n", "b 4 \n"),
            ["a 1 2 3 \n", "b 4 \n"],
            "",
        ),
        (
            "text of one",
            text("B 1 \n", "b \n"),
            ["B 1 \n", "b \n"],
            "int32-vector",
        ),
        (
            "words",
            text("a yes no\n", "b\n"),
            ["a yes no \n", "b \n"],
            "",
        ),
        (
            "posteriors",
            text("a [ 1 0.5 ] [ 2 1 ] \n", "b \n"),
            ["a [ 1 0.5 ] [ 2 1 ] \n", "b \n"],
            "",
        ),
    ]
}

/// The program, which passes a table on as text.
fn passing_on(s: &Scratch, holder: &str) -> Piped {
    let mut command = s.command();
    command.args(["ark:-", "ark,t,f:-"]);
    if !holder.is_empty() {
        command.args(["--oo", &format!("holder={holder}")]);
    }
    Piped::start(&mut command)
}

#[test]
fn each_entry_is_out_before_the_next_one_is_in() {
    let s = Scratch::new();
    for (name, entries, texts, holder) in tables() {
        let mut piped = passing_on(&s, holder);
        for (entry, text) in entries.iter().zip(texts) {
            piped.put(entry);
            assert_eq!(piped.lines(text.lines().count()), text, "{name}");
        }
        piped.end();
    }
}

#[test]
fn an_entry_may_come_in_pieces() {
    let s = Scratch::new();
    for (name, entries, texts, holder) in tables() {
        let mut piped = passing_on(&s, holder);
        for byte in entries.concat().chunks(1) {
            piped.put(byte);
            thread::sleep(Duration::from_millis(1));
        }
        let text = texts.concat();
        assert_eq!(piped.lines(text.lines().count()), text, "{name}");
        piped.end();
    }
}

#[test]
fn a_look_at_the_first_ends_with_it() {
    let s = Scratch::new();
    for (name, [entry, _], _, holder) in tables() {
        let mut command = s.command();
        command.args(["show", "ark:-", "--head", "1"]);
        if !holder.is_empty() {
            command.args(["--oo", &format!("holder={holder}")]);
        }
        let mut piped = Piped::start(&mut command);
        piped.put(&entry);
        assert!(!piped.lines(1).is_empty(), "{name}");
        // Its input is still open.
        assert!(piped.child.wait().unwrap().success(), "{name}");
    }
    // Magic bytes are enough where nothing says what it is.
    let (_, [entry, _], ..) = tables().swap_remove(0);
    let mut piped = Piped::start(s.command().args(["show", "-", "--head", "1"]));
    piped.put(&entry);
    assert!(piped.lines(1).contains('a'));
    assert!(piped.child.wait().unwrap().success());
}
