//! Sources: positions, ends and compression.

use std::io::{self, Cursor, Read};

use spr_core::ErrorKind;
use spr_core::bytes::{Codec, Env, Locator, Part, Source};

use super::memory;

/// The bytes packed in a file with this extension.
fn packed(bytes: &[u8], extension: &str) -> Vec<u8> {
    let (store, env) = memory([]);
    let output = env.output(&Locator::file(format!("a.{extension}")));
    let mut sink = output.create(Part::Main, false).unwrap();
    sink.put(bytes).unwrap();
    sink.finish().unwrap();
    output.commit().unwrap();
    store.remove(format!("a.{extension}")).unwrap()
}

fn pipe(bytes: &[u8]) -> Source {
    Source::from_reader("pipe", Box::new(Cursor::new(bytes.to_vec()))).unwrap()
}

#[test]
fn compression_is_found_by_content() {
    let (_, env) = memory([
        ("a.txt", packed(b"data", "gz")),
        ("b.gz", b"data".to_vec()),
        ("c.zst", packed(&packed(b"data", "gz"), "zst")),
        ("d.bz2", vec![]),
    ]);
    for (name, compression, plain) in [
        ("a.txt", Some("gzip"), false),
        ("b.gz", None, true),
        ("c.zst", Some("zstd+gzip"), false),
    ] {
        let mut source = env.open_file(&name.into()).unwrap();
        assert_eq!(source.compression().as_deref(), compression, "{name}");
        assert_eq!(
            (source.is_plain_file(), source.can_seek()),
            (plain, plain),
            "{name}"
        );
        assert_eq!(source.location(), Some(&name.into()));
        assert_eq!(
            source.rest("bytes", &env.limits).unwrap(),
            b"data",
            "{name}"
        );
    }
    let error = env.open_file(&"d.bz2".into()).err().unwrap();
    let message = "d.bz2@0: the file is empty, and so no bzip2 file";
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Truncated, message)
    );
    // Five times over is a bomb.
    let mut bytes = b"data".to_vec();
    for n in 1..=5 {
        bytes = packed(&bytes, "gz");
        let source = Source::from_bytes("bomb", bytes.clone());
        match n {
            5 => {
                let error = source.err().unwrap();
                let message = "bomb@0: compressed more than 4 times over";
                assert_eq!(
                    (error.kind(), &*error.to_string()),
                    (ErrorKind::Limit, message)
                );
            }
            n => assert_eq!(source.unwrap().layers(), vec![Codec::Gzip; n]),
        }
    }
}

#[test]
fn a_place_in_a_file_is_one_of_stored_bytes() {
    let (_, env) = memory([
        ("a", b"0123456789".to_vec()),
        ("b.gz", packed(b"data", "gz")),
    ]);
    let at = |file: &str, byte| env.open(&Locator::FileAt(file.into(), byte));
    let mut source = at("a", 3).unwrap();
    assert_eq!((source.offset(), source.byte().unwrap()), (3, b'3'));
    assert_eq!(at("b.gz", 0).unwrap().byte().unwrap(), b'd');
    let error = at("b.gz", 2).err().unwrap();
    let message = "b.gz: byte 2 is a place in a gzip file, which can only be read from the start";
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Unsupported, message)
    );
    let error = at("a", 11).err().unwrap();
    let message = "a@11: byte 11 is past the end, at 10";
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Truncated, message)
    );
    assert!(at("a", 10).unwrap().at_end().unwrap());
}

#[test]
fn a_part_of_a_file_ends_where_it_is_said_to() {
    let (_, env) = memory([("a", b"0123456789".to_vec())]);
    let open = || env.open(&Locator::FileAt("a".into(), 3)).unwrap();
    let mut part = open().limited(4).unwrap();
    assert_eq!(
        (part.len(), part.remaining(), part.is_empty()),
        (Some(7), Some(4), false)
    );
    assert_eq!(part.array::<2>().unwrap(), *b"34");
    assert_eq!(part.remaining(), Some(2));
    let error = part.array::<3>().unwrap_err();
    assert_eq!(
        (error.kind(), error.byte_offset()),
        (ErrorKind::Truncated, Some(7))
    );
    assert!(part.at_end().unwrap());
    let error = open().limited(8).err().unwrap();
    assert_eq!(
        error.to_string(),
        "a@3: the file ends here: expected 8 bytes, found 7"
    );
    assert_eq!(pipe(b"abc").len(), None);
    assert!(Source::from_bytes("it", vec![]).unwrap().is_empty());
}

#[test]
fn only_files_are_read_backwards() {
    let (_, env) = memory([("a", vec![7; 2000])]);
    let mut file = env.open_file(&"a".into()).unwrap();
    file.skip(1999).unwrap();
    file.seek(0).unwrap();
    assert_eq!((file.offset(), file.byte().unwrap()), (0, 7));
    assert_eq!(file.seek(2001).unwrap_err().kind(), ErrorKind::Truncated);
    let mut stream = pipe(&[7; 2000]);
    stream.seek(1990).unwrap();
    assert_eq!(stream.offset(), 1990);
    let error = stream.seek(0).unwrap_err();
    let message = "pipe@1990: a pipe can't be read backwards";
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Unsupported, message)
    );
    // A copy of the rest can.
    let mut copy = stream.into_seekable().unwrap();
    assert!(copy.can_seek());
    assert_eq!(copy.rest("bytes", &env.limits).unwrap(), [7; 10]);
    copy.seek(4).unwrap();
    assert_eq!(copy.remaining(), Some(6));
}

/// Some bytes, and then an error.
struct Broken(Cursor<Vec<u8>>);

impl Read for Broken {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(io::Error::other("broken")),
            n => Ok(n),
        }
    }
}

fn broken(bytes: &[u8]) -> Source {
    let broken = Broken(Cursor::new(bytes.to_vec()));
    Source::from_reader("it", Box::new(broken)).unwrap()
}

#[test]
fn what_is_whole_of_a_damaged_stream_can_be_kept() {
    let (mut copy, error) = broken(b"abcdef").into_salvage().unwrap();
    assert_eq!(error.unwrap().to_string(), "it@6: cannot read: broken");
    assert_eq!(copy.array::<6>().unwrap(), *b"abcdef");
    assert!(copy.at_end().unwrap());
    assert!(broken(b"abcdef").into_seekable().is_err());
    // The error comes after what was read before it.
    let mut source = broken(b"abcdef");
    assert_eq!(source.array::<6>().unwrap(), *b"abcdef");
    assert_eq!(
        source.at_end().unwrap_err().to_string(),
        "it@6: cannot read: broken"
    );
    let cut = |extension: &str| {
        let whole = packed(&[5; 5000], extension);
        Source::from_bytes("cut", whole[..whole.len() - 3].to_vec())
    };
    let (mut copy, error) = cut("gz").unwrap().into_salvage().unwrap();
    let message = "cut@5000: the gzip data are cut off";
    let error = error.unwrap();
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Truncated, message)
    );
    assert_eq!(
        copy.rest("bytes", &Env::default().limits).unwrap(),
        [5; 5000]
    );
    // Of a block that is not whole nothing can be kept.
    let error = cut("zst").err().unwrap();
    let message = "cut@0: the zstd data are cut off";
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Truncated, message)
    );
}

#[test]
fn a_codec_that_is_not_seen_is_undone_where_it_is_asked_for() {
    let whole = [b"head".to_vec(), packed(b"body", "gz")].concat();
    let mut source = Source::from_bytes("it", whole).unwrap();
    assert!(source.layers().is_empty());
    source.skip(4).unwrap();
    let mut body = source.undo(Codec::Gzip).unwrap();
    assert_eq!(body.offset(), 4, "positions go on");
    assert_eq!(body.rest("body", &Env::default().limits).unwrap(), b"body");
}
