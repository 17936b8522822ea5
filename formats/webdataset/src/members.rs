//! Members of archives that belong to samples.

use spr_core::bytes::{Env, Source};
use spr_core::model::Key;
use spr_core::{Error, ErrorKind, Result};
use spr_syntax::tar::{Member, MemberKind, TarReader};

use crate::name;

/// What becomes of the bytes behind the end of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BehindEnd {
    Refused,
    Read,
    LeftOut,
}

/// A member of a sample, whose data come next.
pub(crate) struct SampleMember {
    pub(crate) key: Key,
    /// The extension in small letters.
    pub(crate) extension: String,
    pub(crate) member: Member,
}

/// The next member, or why there is none.
pub(crate) enum Next {
    Member(SampleMember),
    /// The archive ends here, and further data may follow: no sample goes on.
    EndOfOne,
    End,
}

/// Reads the members of samples, without what WebDataset passes over, which is told.
pub(crate) struct Members {
    pub(crate) archive: TarReader,
    behind: BehindEnd,
    /// Whether what stands behind an error is read.
    goes_on: bool,
    env: Env,
    /// The error behind the last sample.
    after: Option<Error>,
    is_over: bool,
}

impl Members {
    pub(crate) fn new(source: Source, (behind, goes_on): (BehindEnd, bool), env: &Env) -> Self {
        Self {
            archive: TarReader::new(source, env.limits),
            behind,
            goes_on,
            env: env.clone(),
            after: None,
            is_over: false,
        }
    }

    /// Returns the next member.
    ///
    /// # Errors
    /// The archive is damaged, or goes on behind its end. [`resume`](Self::resume) goes on.
    pub(crate) fn next(&mut self) -> Result<Next> {
        if let Some(error) = self.after.take() {
            return Err(error);
        }
        if self.is_over {
            return Ok(Next::End);
        }
        while let Some(member) = self.archive.next_member()? {
            match member.kind {
                MemberKind::File => {}
                MemberKind::Folder => continue,
                MemberKind::Link => {
                    self.tell(&member, "is a link, which is not followed");
                    continue;
                }
                MemberKind::Other => {
                    self.tell(&member, "is no file, and is passed over");
                    continue;
                }
            }
            let Some((key, extension)) = name::split(&member.name) else {
                self.tell(&member, "has a name that WebDataset passes over");
                continue;
            };
            let Ok(extension) = std::str::from_utf8(extension) else {
                let error = Error::malformed("has an extension that is not UTF-8");
                return Err(self.placed(&member, error));
            };
            return Ok(Next::Member(SampleMember {
                key: Key::from(key),
                extension: extension.to_lowercase(),
                member,
            }));
        }
        self.end()
    }

    /// Looks at what is behind the end of the archive.
    fn end(&mut self) -> Result<Next> {
        let checked = self.archive.check_end();
        self.is_over = true;
        let Err(error) = checked else {
            return Ok(Next::End);
        };
        // Without an end the last sample may lack members.
        if error.kind() == ErrorKind::Truncated {
            return Err(error);
        }
        let more = self.behind != BehindEnd::LeftOut && self.archive.resume()?.is_some();
        match self.behind {
            BehindEnd::Read if more => {
                self.is_over = false;
                return Ok(Next::EndOfOne);
            }
            BehindEnd::LeftOut => {
                self.env.warn_left_out(&error);
                return Ok(Next::End);
            }
            _ => {}
        }
        self.is_over = !(more && self.goes_on);
        self.after = Some(match more {
            true => error.hint("all=true reads what follows as well, all=false leaves it out"),
            false => error,
        });
        Ok(Next::EndOfOne)
    }

    /// Returns an error again at the next call.
    pub(crate) fn defer(&mut self, error: Error) {
        self.after = Some(error);
    }

    /// Goes on at the next header behind damage, if there is one.
    ///
    /// # Errors
    /// Reading fails.
    pub(crate) fn resume(&mut self) -> Result<()> {
        if !self.is_over {
            self.is_over = self.archive.resume()?.is_none();
        }
        Ok(())
    }

    /// Moves to the member whose headers start at byte `at`.
    ///
    /// # Errors
    /// The archive can't be gone back in.
    pub(crate) fn go_to(&mut self, at: u64) -> Result<()> {
        (self.after, self.is_over) = (None, false);
        self.archive.go_to(at)
    }

    /// Warns of a member, by the sort of the caller.
    #[track_caller]
    fn tell(&self, member: &Member, what: &str) {
        self.env
            .warn_left_out(&self.placed(member, Error::malformed(what)));
    }

    fn placed(&self, member: &Member, error: Error) -> Error {
        let name = self.archive.source().name();
        member.error(error).file(name).byte(member.start)
    }
}
