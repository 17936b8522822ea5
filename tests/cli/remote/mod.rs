//! URLs in the place of paths, against a server of our own that can be told to fail.

mod faults;
mod reads;
mod trust;
mod writes;

use std::process::Command;

use spr_testkit::server::Server;

use crate::{Said, Scratch, said, sample};

/// A server, and a folder to work in.
struct Remote {
    server: Server,
    scratch: Scratch,
}

impl Remote {
    fn new() -> Self {
        Self {
            server: Server::start().unwrap(),
            scratch: Scratch::new(),
        }
    }

    /// With the sample corpus as `b/x.ark` and `b/x.scp`.
    fn with_corpus() -> Self {
        let remote = Self::new();
        remote
            .server
            .put("b/x.ark", std::fs::read(sample("fbank.ark")).unwrap());
        let list = std::fs::read_to_string(sample("fbank.scp")).unwrap();
        let lines = list.lines().map(|line| {
            let (key, place) = line.split_once(' ').unwrap();
            let (_, byte) = place.rsplit_once(':').unwrap();
            format!("{key} x.ark:{byte}\n")
        });
        remote.server.put("b/x.scp", lines.collect::<String>());
        remote
    }

    /// The program with the server as its S3.
    fn command(&self) -> Command {
        let mut command = self.scratch.command();
        for name in [
            "http_proxy",
            "HTTP_PROXY",
            "all_proxy",
            "ALL_PROXY",
            "AWS_PROFILE",
        ] {
            command.env_remove(name);
        }
        command
            .env("AWS_ENDPOINT", self.server.url())
            .env("AWS_ACCESS_KEY_ID", "someone")
            .env("AWS_SECRET_ACCESS_KEY", "secret-words")
            .env("AWS_REGION", "us-east-1");
        command
    }

    /// Runs the program; `WEB` in the words stands for the server's URL.
    fn run(&self, line: &str) -> Said {
        let line = line.replace("WEB", &self.server.url());
        said(
            self.command()
                .args(line.split_whitespace())
                .output()
                .unwrap(),
        )
    }

    fn ok(&self, line: &str) -> Said {
        let said = self.run(line);
        assert_eq!(said.status, 0, "{line}: {}", said.err);
        said
    }

    /// Runs the program, which is to fail and to leave nothing, and returns what it says.
    fn fails(&self, line: &str) -> String {
        let before = (self.server.names(), self.scratch.names());
        let said = self.run(line);
        assert_eq!(said.status, 2, "{line}: {}", said.err);
        let errors = said.err.lines().filter(|line| line.contains(": error: "));
        assert_eq!(errors.count(), 1, "{line}: {}", said.err);
        for hidden in ["panicked", "secret-words", "sign="] {
            assert!(!said.err.contains(hidden), "{line}: {}", said.err);
        }
        let after = (self.server.names(), self.scratch.names());
        assert_eq!(after, before, "{line}: left something behind");
        assert_eq!(self.server.uploads(), 0, "{line}: left an upload");
        said.err
    }

    /// What the corpus is as one line a key.
    fn listing(&self, input: &str) -> String {
        self.ok(&format!("{input} jsonl:- -q")).out
    }
}

/// The corpus as it is to be read.
fn expected() -> String {
    let scratch = Scratch::new();
    scratch
        .ok(&format!("{} jsonl:- -q", sample("fbank.scp")))
        .out
}
