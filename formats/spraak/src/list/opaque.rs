//! Dictionaries, units and other lists, and files of a custom layout, which are copied unchanged.

use spr_core::bytes::{Env, Source};
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Meta, Object, Origin, Tag, Utterance};
use spr_core::{Error, Result};

use super::head::{ListKind, check_tag, claimed_lines, data};
use super::lines;
use crate::contents::tag;
use crate::header::{End, Entry, Header, shown};
use crate::options::Writing;
use crate::vocabulary::{Dialect, UNNAMED};

/// The number of bytes read at a time.
const BLOCK: usize = 64 << 10;

/// A reader of a file as one object.
pub(crate) struct OpaqueReader {
    utterance: Option<Utterance>,
    info: DatasetInfo,
}

/// Reads everything after a header.
pub(crate) fn open(
    mut source: Source,
    header: &Header,
    kind: &'static str,
    env: &Env,
) -> Result<OpaqueReader> {
    let mut bytes = Vec::new();
    loop {
        let block = source.peek(BLOCK)?;
        if block.is_empty() {
            break;
        }
        let n = block.len();
        bytes.extend_from_slice(block);
        source.skip(n as u64)?;
        source.hold("a list", bytes.len() as u64, &env.limits)?;
    }
    if kind == "spraak-list" {
        let more = lines::check(&bytes, claimed_lines(header)?);
        if let Some(more) = more.map_err(|e| e.file(source.name()).byte(source.offset()))? {
            env.warn(&header.error(header.end, more));
        }
    }
    let (key, keys) = env.key_of(&source)?;
    let mut info = DatasetInfo::new(keys);
    info.utterances = Some(1);
    info.compression = source.compression();
    Ok(OpaqueReader {
        utterance: Some(Utterance {
            key,
            object: Some(Object::opaque(kind, bytes)),
            meta: Meta {
                tags: tags(header),
                ..Meta::default()
            },
            origin: Origin {
                file: Some(source.name().into()),
                ..Origin::default()
            },
            ..Utterance::default()
        }),
        info,
    })
}

impl Reader for OpaqueReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let next = self.utterance.take();
        let more = next.is_some();
        if let Some(next) = next {
            *utt = next;
        }
        Ok(more)
    }
}

/// Returns all lines of a header, in terms of an spr header.
fn tags(header: &Header) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut add = |key: &str, value: &[u8]| {
        if header.get(key).is_none() {
            tags.push(tag(key.as_bytes(), value));
        }
    };
    add("DATA", data(header));
    if header.dialect == Dialect::Key {
        add("LAYOUT", b"LIST");
        add("TYPE", b"STRING");
        add("FORMAT", b"ASCII");
    }
    tags.retain(|tag| !tag.value.is_empty());
    let handed = |key: &[u8]| key != b"HEADER_LEN" && key != b"COMPRESS";
    let handed = |entry: &&Entry| handed(entry.key()) && !header.is_nameless(entry);
    let entries = header.entries.iter().filter(handed);
    // A `DES` with the name of a dictionary is a dictionary.
    tags.extend(entries.map(|entry| match entry.key() {
        b"DATA" => tag(b"DATA", data(header)),
        key => tag(key, &entry.value),
    }));
    tags
}

/// Returns the header of an object, and its body.
///
/// # Errors
/// The dialect cannot represent it, or it would be read back differently.
pub(crate) fn header<'a>(
    utt: &'a Utterance,
    options: &Writing,
    env: &Env,
) -> Result<(Vec<u8>, &'a [u8])> {
    let dialect = options.dialect;
    if options.code.is_some() || options.packed.is_some() || !options.header {
        return Err(Error::unfit(
            "is not made of numbers, and the options are for those",
        ));
    }
    let Some(Object::Opaque { kind, bytes }) = &utt.object else {
        let what = utt.other().unwrap_or("nothing");
        return Err(Error::not_held(format!("has {what}")));
    };
    if utt.meta.frame_shift.is_some() || utt.meta.frame_offset.is_some() {
        return Err(Error::unfit("has times of frames, which go with frames"));
    }
    let mut out = [dialect.magic(), b"\n"].concat();
    let get = |key: &[u8]| {
        let tag = utt.meta.tags.iter().find(|tag| tag.key == key);
        tag.map(|tag| tag.value.as_slice())
    };
    let word = get(b"DATA").unwrap_or_default();
    let asked = options.data.as_ref();
    if let Some(asked) = asked.filter(|asked| asked.as_bytes() != word) {
        let message = format!("is {} data, not {asked}", shown(word));
        return Err(Error::unfit(message));
    }
    if dialect == Dialect::Key && get(b"TYPE").is_none() {
        super::tags::write_line(dialect, word, b"TYPE", b"STRING", &mut out)?;
    }
    for tag in &utt.meta.tags {
        check_tag(tag, |key| key == b"HEADER_LEN" || key == b"COMPRESS")?;
        let key = match (dialect, tag.key.as_slice(), tag.value.as_slice()) {
            (Dialect::Key, b"LAYOUT", b"LIST") | (Dialect::Key, b"FORMAT", b"ASCII") => continue,
            (Dialect::Key, b"LAYOUT" | b"FORMAT", value)
            | (Dialect::Key, b"TYPE", value @ (b"CUSTOM" | b"")) => {
                let (key, value) = (shown(&tag.key), shown(value));
                let message = format!("has {key} {value}, which a key header can't say");
                return Err(Error::unfit(message));
            }
            // The key with the name of the list implies the kind.
            (Dialect::Key, b"DATA", b"DICTIONARY") if get(b"DICTIONARY").is_some() => continue,
            (Dialect::Key, b"DATA", b"DICTIONARY") => {
                super::tags::write_line(dialect, word, b"DICTIONARY", UNNAMED, &mut out)?;
                continue;
            }
            _ => tag.key.as_slice(),
        };
        super::tags::write_line(dialect, word, key, &tag.value, &mut out)?;
    }
    out.extend_from_slice(b"#\n");
    check(&out, dialect, (kind, bytes), utt, env)?;
    Ok((out, bytes))
}

/// Checks that the output is read back unchanged.
fn check(
    out: &[u8],
    dialect: Dialect,
    (kind, body): (&str, &[u8]),
    utt: &Utterance,
    env: &Env,
) -> Result<()> {
    let mut source = Source::from_bytes("header", out.to_vec())?;
    let header = Header::read(
        &mut source,
        Some(dialect),
        End::Required,
        &env.listening(|_| {}),
    )?;
    if !matches!(ListKind::of(&header), Some(ListKind::Opaque(read)) if read == kind) {
        let message = format!("its header lines do not say that it is a {kind}");
        return Err(Error::unfit(message));
    }
    // In a key header the list type and the text form are implied.
    let said = |tag: &Tag| match (tag.key.as_slice(), tag.value.as_slice()) {
        (b"LAYOUT", b"LIST") | (b"TYPE", b"STRING") | (b"FORMAT", b"ASCII") => {
            dialect == Dialect::Spr
        }
        _ => true,
    };
    let sorted = |mut tags: Vec<Tag>| {
        tags.retain(said);
        tags.sort_by(|a, b| (&a.key, &a.value).cmp(&(&b.key, &b.value)));
        tags
    };
    let (back, had) = (sorted(tags(&header)), sorted(utt.meta.tags.clone()));
    if back != had {
        return Err(Error::unfit("its header lines can't be stored as they are"));
    }
    if kind == "spraak-list" {
        lines::check(body, claimed_lines(&header)?)?;
    }
    Ok(())
}
