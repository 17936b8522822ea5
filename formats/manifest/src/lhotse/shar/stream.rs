//! The entries of a field in a shard: pairs of members of a tar file, or lines.

use serde_json::value::RawValue;
use spr_core::bytes::{Env, Location, Source};
use spr_core::model::Key;
use spr_core::{Error, ErrorKind, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::lines::Lines;
use spr_syntax::tar::{Member, MemberKind, TarReader};

use super::layout::{FieldFile, Form};

/// The extensions of the members of a cut without data.
pub(super) const NO_DATA: &str = "nodata";
pub(super) const NO_META: &str = "nometa";
/// The extension of descriptions.
pub(super) const META: &str = "json";

/// The entry of a cut.
pub(super) struct Entry {
    /// The extension of the data, by which their form is told.
    pub(super) extension: String,
    /// The byte at which the data start, and their number.
    pub(super) extent: (u64, u64),
    /// The data, if they were read.
    pub(super) data: Option<Vec<u8>>,
    pub(super) value: Value,
}

/// What an entry says.
pub(super) enum Value {
    /// The cut does not have the field.
    Missing,
    /// The description of the data.
    Meta(Vec<u8>),
    /// The value itself, as it is written in JSON.
    Json(String),
}

/// The entries of a field in a shard.
pub(super) struct FieldStream {
    pub(super) field: String,
    /// The name of the file for messages.
    pub(super) name: String,
    /// The file, if data can be read from their byte in it.
    pub(super) plain: Option<Location>,
    body: Body,
    /// The entry that comes next, as far as it was read.
    head: Option<Head>,
    pub(super) has_ended: bool,
    /// The first damage that was not told yet.
    pub(super) damage: Option<Error>,
    /// Whether entries may have been lost by damage.
    is_damaged: bool,
}

enum Body {
    Tar(Box<TarReader>),
    Lines(Box<Lines>),
}

struct Head {
    id: String,
    extension: String,
    extent: (u64, u64),
    value: Option<String>,
}

impl FieldStream {
    /// Opens the file of a field.
    ///
    /// # Errors
    /// It cannot be opened, or is compressed in a way that is not read.
    pub(super) fn open(file: &FieldFile, env: &Env) -> Result<Self> {
        let mut source = env.open_file(&file.at)?;
        check_codec(&mut source)?;
        let plain = source.is_plain_file() && source.can_seek() && !file.at.is_url();
        Ok(Self {
            field: file.field.clone(),
            name: source.name().to_owned(),
            plain: plain.then(|| file.at.clone()),
            body: match file.form {
                Form::Tar => Body::Tar(Box::new(TarReader::new(source, env.limits))),
                Form::Lines => Body::Lines(Box::new(Lines::of_json(source, env))),
            },
            head: None,
            has_ended: false,
            damage: None,
            is_damaged: false,
        })
    }

    /// Returns the cut of the next entry, and whether that has data. Damage before it is kept, to be
    /// told with the cut that is lost by it.
    pub(super) fn peek(&mut self) -> Option<(&str, bool)> {
        while self.head.is_none() && !self.has_ended {
            match self.next_head() {
                Ok(head) => {
                    self.has_ended = head.is_none();
                    self.head = head;
                }
                // What is found behind the first damage follows from it.
                Err(error) => drop(self.damage.get_or_insert(error)),
            }
        }
        let head = self.head.as_ref()?;
        Some((&head.id, head.extension != NO_DATA))
    }

    fn next_head(&mut self) -> Result<Option<Head>> {
        match &mut self.body {
            Body::Lines(lines) => {
                let more = lines.advance();
                if !more.inspect_err(|_| self.has_ended = true)? {
                    return Ok(None);
                }
                let head = line_head(&self.field, lines.line());
                head.map(Some).map_err(|e| lines.placed(e))
            }
            Body::Tar(_) => {
                let Some(head) = self.member()? else {
                    return Ok(None);
                };
                if [META, NO_META].contains(&head.extension.as_str()) {
                    let message = "a description without data before it";
                    return Err(self.fault(message, &head.id, head.extent.0));
                }
                Ok(Some(head))
            }
        }
    }

    /// Reads the header of the next member.
    fn member(&mut self) -> Result<Option<Head>> {
        let Body::Tar(tar) = &mut self.body else {
            return Ok(None);
        };
        match tar.next_member() {
            Ok(Some(member)) => member_head(&member)
                .map(Some)
                .map_err(|e| e.file(&self.name).byte(member.offset)),
            Ok(None) => Ok(None),
            Err(error) => {
                self.is_damaged = true;
                // What is cut off has nothing behind it.
                let goes_on = error.kind() != ErrorKind::Truncated;
                self.has_ended = !goes_on || !matches!(tar.resume(), Ok(Some(_)));
                Err(error)
            }
        }
    }

    fn fault(&self, message: &str, id: &str, byte: u64) -> Error {
        let error = Error::malformed(message).utterance(&Key::from(id));
        error.file(&self.name).byte(byte)
    }

    /// Takes the entry that [`peek`](Self::peek) returned, with its data if they are wanted.
    ///
    /// # Errors
    /// The file is damaged, or the entry has no description.
    pub(super) fn take(&mut self, data: bool) -> Result<Entry> {
        let Some(head) = self.head.take() else {
            return Err(Error::malformed("has no further entry").file(&self.name));
        };
        let taken = self.entry(head, data);
        taken.map_err(Error::continuable)
    }

    fn entry(&mut self, head: Head, wanted: bool) -> Result<Entry> {
        let mut entry = Entry {
            extension: head.extension,
            extent: head.extent,
            data: None,
            value: Value::Missing,
        };
        let Body::Tar(tar) = &mut self.body else {
            if let Some(value) = head.value {
                entry.value = Value::Json(value);
            }
            return Ok(entry);
        };
        let has_data = entry.extension != NO_DATA;
        if wanted && has_data {
            let data = tar.data("the data of a cut");
            let data = data.inspect_err(|_| self.has_ended = true)?;
            entry.data = Some(data);
        }
        let meta = self.member()?;
        let wanted = if has_data { META } else { NO_META };
        match meta {
            Some(meta) if (&*meta.id, &*meta.extension) == (&*head.id, wanted) => {}
            other => {
                self.head = other.filter(|other| ![META, NO_META].contains(&&*other.extension));
                let message = format!("has no member {}.{wanted} behind its data", head.id);
                return Err(self.fault(&message, &head.id, head.extent.0));
            }
        }
        if let Body::Tar(tar) = &mut self.body
            && has_data
        {
            let meta = tar.data("the description of a cut");
            entry.value = Value::Meta(meta.inspect_err(|_| self.has_ended = true)?);
        }
        Ok(entry)
    }

    /// At the end, tells what is wrong with it.
    pub(super) fn check_end(&mut self, env: &Env) {
        if let Body::Tar(tar) = &mut self.body
            && !self.is_damaged
            && let Err(error) = tar.check_end()
        {
            env.warn(&error.file(&self.name));
        }
    }
}

/// Refuses xz, which Python opens and this program does not.
fn check_codec(source: &mut Source) -> Result<()> {
    match source.peek(6)? == b"\xFD7zXZ\0" {
        true => Err(Error::unsupported("compressed by xz, which is not read")
            .file(source.name())
            .hint("`xz -d` decompresses it")),
        false => Ok(()),
    }
}

fn member_head(member: &Member) -> Result<Head> {
    let named = |error: Error| member.error(error);
    if member.kind != MemberKind::File {
        return Err(named(Error::unsupported("a member that is no file")));
    }
    let name = str::from_utf8(&member.name);
    let name = name.map_err(|_| named(Error::malformed("the name of a member is not UTF-8")))?;
    let split = name.rsplit_once('.');
    let split =
        split.filter(|(id, end)| !id.is_empty() && !id.ends_with('/') && !end.contains('/'));
    let (id, extension) =
        split.ok_or_else(|| named(Error::malformed("the name of a member has no extension")))?;
    Ok(Head {
        id: id.to_owned(),
        extension: extension.to_owned(),
        extent: (member.offset, member.size),
        value: None,
    })
}

fn line_head(field: &str, line: &[u8]) -> Result<Head> {
    let mut object = Object::of_line(line)?;
    let id = json::text(object.require("cut_id")?, "cut_id")?.into_owned();
    let value = object.take_if(field, |raw: &RawValue| Some(raw.get().to_owned()));
    Ok(Head {
        id,
        extension: if value.is_some() { META } else { NO_DATA }.to_owned(),
        extent: (0, 0),
        value,
    })
}
