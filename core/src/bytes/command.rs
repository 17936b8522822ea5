//! Commands at the other end of a pipe.

use std::io::{self, Read, Write};
use std::process::{self, Child, ChildStdin, ChildStdout, Stdio};

use super::Location;
use super::finish::Finish;

/// A shell command that is read from or written to, and whose failure is an error.
pub(super) struct Command<P> {
    line: String,
    child: Child,
    pipe: Option<P>,
}

fn shell(line: &str) -> process::Command {
    let mut command = process::Command::new("sh");
    command.arg("-c");
    // On Windows a backslash in a line is the shell's, not one of a name.
    match cfg!(windows) {
        true => command.arg(line),
        // The line may contain names whose bytes are represented by private characters.
        false => command.arg(Location::from(line).as_os_str()),
    };
    command
}

/// Starts a shell, which Windows alone has not in itself.
fn start(command: &mut process::Command) -> io::Result<Child> {
    command.spawn().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => io::Error::new(e.kind(), "there is no sh, which runs commands"),
        _ => e,
    })
}

impl Command<ChildStdout> {
    /// Starts `line` to read its output.
    pub(super) fn reading(line: &str) -> io::Result<Self> {
        let mut shell = shell(line);
        let mut child = start(shell.stdin(Stdio::inherit()).stdout(Stdio::piped()))?;
        let pipe = child.stdout.take();
        Ok(Self {
            line: line.to_owned(),
            child,
            pipe,
        })
    }
}

impl Command<ChildStdin> {
    /// Starts `line` to write its input.
    pub(super) fn writing(line: &str) -> io::Result<Self> {
        let mut child = start(shell(line).stdin(Stdio::piped()))?;
        let pipe = child.stdin.take();
        Ok(Self {
            line: line.to_owned(),
            child,
            pipe,
        })
    }
}

impl<P> Command<P> {
    fn wait(&mut self) -> io::Result<()> {
        self.pipe = None;
        let status = self.child.wait()?;
        if status.success() {
            return Ok(());
        }
        let how = match status.code() {
            Some(code) => format!("exit status {code}"),
            None => "killed by a signal".to_owned(),
        };
        Err(io::Error::other(format!(
            "command failed with {how}: {}",
            self.line
        )))
    }
}

impl Read for Command<ChildStdout> {
    /// At the end of the data the command's status is checked: a failure is an error, not an end.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(0);
        };
        let n = pipe.read(out)?;
        if n == 0 && !out.is_empty() {
            self.wait()?;
        }
        Ok(n)
    }
}

impl Write for Command<ChildStdin> {
    /// If the command stops reading, its status is checked: a failure is reported as its error, not
    /// as a broken pipe.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.pipe {
            Some(pipe) => pipe.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        if matches!(&written, Err(error) if error.kind() == io::ErrorKind::BrokenPipe) {
            self.wait()?;
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipe.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Finish for Command<ChildStdin> {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.wait()
    }
}

impl<P> Drop for Command<P> {
    /// Closes the pipe, which ends the command, and waits for it.
    fn drop(&mut self) {
        if self.pipe.take().is_some() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
