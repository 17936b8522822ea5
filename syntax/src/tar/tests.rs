#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use spr_core::bytes::{Env, Finish, Output, Part, Source};
use spr_core::model::Limits;
use spr_core::{ErrorKind, Result};

use super::*;

/// A stream whose bytes can be seen afterwards.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Finish for Kept {
    fn finish(self: Box<Self>) -> std::io::Result<()> {
        Ok(())
    }
}

type Members = Vec<(Vec<u8>, Vec<u8>)>;

fn archive(members: &[(&[u8], &[u8])]) -> Vec<u8> {
    let kept = Kept::default();
    let output = Output::stream("x.tar", Box::new(kept.clone()));
    let mut writer = TarWriter::new(output.create(Part::Main, false).unwrap());
    for (name, data) in members {
        writer.append(name, data).unwrap();
    }
    let size = writer.finish().unwrap();
    output.commit().unwrap();
    let bytes = kept.0.lock().unwrap().clone();
    assert_eq!(size, bytes.len() as u64);
    bytes
}

fn reader(bytes: &[u8]) -> TarReader {
    let source = Source::from_bytes("x.tar", bytes.to_vec()).unwrap();
    TarReader::new(source, Limits::default())
}

/// All files of an archive, up to the first error.
fn files(reader: &mut TarReader) -> (Members, Result<()>) {
    let mut found = Vec::new();
    let mut read = || -> Result<()> {
        while let Some(member) = reader.next_member()? {
            if member.kind == MemberKind::File {
                found.push((member.name, reader.data("a member")?));
            }
        }
        reader.check_end()
    };
    let ended = read();
    (found, ended)
}

fn owned(members: &[(&[u8], &[u8])]) -> Members {
    let owned = |(name, data): &(&[u8], &[u8])| (name.to_vec(), data.to_vec());
    members.iter().map(owned).collect()
}

/// A header of our own making, for what the writer does not write.
fn block(name: &str, kind: u8, size: &[u8; 12]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[124..136].copy_from_slice(size);
    block[156] = kind;
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn octal(size: usize) -> [u8; 12] {
    format!("{size:011o}\0").into_bytes().try_into().unwrap()
}

fn padded(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(BLOCK), 0);
    data
}

const LONG: &str = "a/long/path/of/which/the/name/alone/is/far/longer/than/the/hundred/bytes/that/the/\
                    field/of/the/header/holds/u1.wav";

const MEMBERS: [(&[u8], &[u8]); 5] = [
    (b"u1.txt", b"hello"),
    (b"u1.wav", &[7; 1024]),
    (b"d/u2.json", b""),
    (LONG.as_bytes(), b"x"),
    ("dé-4.txt".as_bytes(), b"y"),
];

#[test]
fn what_is_written_is_read_with_its_places() {
    let bytes = archive(&MEMBERS);
    assert_eq!(bytes.len() % 10240, 0);
    assert!(is_tar(&bytes));
    let mut reader = reader(&bytes);
    for (name, data) in MEMBERS {
        let member = reader.next_member().unwrap().unwrap();
        assert_eq!(
            (member.name.as_slice(), member.size),
            (name, data.len() as u64)
        );
        let start = usize::try_from(member.offset).unwrap();
        assert_eq!(&bytes[start..start + data.len()], data);
    }
    assert_eq!(reader.next_member().unwrap(), None);
    reader.check_end().unwrap();
    assert_eq!(reader.next_member().unwrap(), None);
}

/// A folder is told by its kind, or as in old archives by its name; its size is of nothing that follows.
#[test]
fn folders_hold_nothing() {
    for (name, kind) in [("d", b'5'), ("d/", b'5'), ("d/", b'0'), ("d/", 0)] {
        let bytes = [&block(name, kind, &octal(700))[..], &archive(&MEMBERS)].concat();
        let mut reader = reader(&bytes);
        let folder = reader.next_member().unwrap().unwrap();
        assert_eq!(
            (folder.kind, folder.size),
            (MemberKind::Folder, 0),
            "{name} {kind}"
        );
        assert_eq!(files(&mut reader).0, owned(&MEMBERS), "{name} {kind}");
    }
}

#[test]
fn gnu_and_old_headers_are_read() {
    let long = padded(format!("{LONG}\0").as_bytes());
    let mut base = [0; 12];
    (base[0], base[11]) = (0x80, 5);
    let bytes = [
        block("././@LongLink", b'L', &octal(LONG.len() + 1)).as_slice(),
        &long,
        &block("short", b'0', &octal(5)),
        &padded(b"hello"),
        &block("v7", 0, b"        5 \0\0"),
        &padded(b"there"),
        &block("folder/", 0, &octal(0)),
        &block("big", b'0', &base),
        &padded(b"again"),
        // A hard link with the size of its file.
        &block("link", b'1', &octal(5)),
        &[0; 2 * BLOCK],
    ]
    .concat();
    let (found, ended) = files(&mut reader(&bytes));
    ended.unwrap();
    let expected: [(&[u8], &[u8]); 3] = [
        (LONG.as_bytes(), b"hello"),
        (b"v7", b"there"),
        (b"big", b"again"),
    ];
    assert_eq!(found, owned(&expected));
}

#[test]
fn a_global_header_is_no_member() {
    let mut records = Vec::new();
    pax::put("comment", b"of all", &mut records);
    let bytes = [
        block("pax_global_header", b'g', &octal(records.len())).as_slice(),
        &padded(&records),
        &archive(&MEMBERS[..1]),
    ]
    .concat();
    let (found, ended) = files(&mut reader(&bytes));
    ended.unwrap();
    assert_eq!(found, owned(&MEMBERS[..1]));
}

#[test]
fn sparse_members_and_volumes_are_refused() {
    let mut records = Vec::new();
    pax::put("GNU.sparse.major", b"1", &mut records);
    let pax = [
        block("x", b'x', &octal(records.len())).as_slice(),
        &padded(&records),
        &archive(&MEMBERS[..1]),
    ]
    .concat();
    let gnu = block("s.bin", b'S', &octal(0)).to_vec();
    let volume = block("m.bin", b'M', &octal(0)).to_vec();
    for bytes in [pax, gnu, volume] {
        let error = reader(&bytes).next_member().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}

#[test]
fn a_damaged_header_is_never_the_end() {
    let bytes = archive(&MEMBERS);
    // The second header, behind one block of data.
    for at in (1024..1024 + 155).chain(1024 + 156..1024 + 500) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x15;
        let mut reader = reader(&broken);
        let (found, ended) = files(&mut reader);
        assert_eq!(found, owned(&MEMBERS[..1]), "byte {at}");
        let error = ended.unwrap_err();
        assert_eq!(
            (error.kind(), error.byte_offset()),
            (ErrorKind::Malformed, Some(1024))
        );
        assert_eq!(reader.resume().unwrap(), Some(1024 + 512 + 1024));
        let (found, ended) = files(&mut reader);
        ended.unwrap();
        assert_eq!(found, owned(&MEMBERS[2..]), "byte {at}");
    }
}

#[test]
fn every_cut_is_noticed() {
    let bytes = archive(&MEMBERS);
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    for len in 1..=end {
        let (found, ended) = files(&mut reader(&bytes[..len]));
        assert!(ended.is_err(), "{len} bytes");
        assert!(owned(&MEMBERS).starts_with(&found), "{len} bytes");
    }
}

#[test]
fn what_is_behind_the_end_is_told() {
    let one = archive(&MEMBERS[..1]);
    let (found, ended) = files(&mut reader(&[one.clone(), one.clone()].concat()));
    assert_eq!(found, owned(&MEMBERS[..1]));
    assert_eq!(ended.unwrap_err().byte_offset(), Some(one.len() as u64));
}

#[test]
fn a_second_archive_is_gone_on_in() {
    let [one, two] = [0, 1].map(|n| archive(&MEMBERS[n..=n]));
    let mut reader = reader(&[one.clone(), two].concat());
    assert!(files(&mut reader).1.is_err());
    assert_eq!(reader.resume().unwrap(), Some(one.len() as u64));
    let (found, ended) = files(&mut reader);
    ended.unwrap();
    assert_eq!(found, owned(&MEMBERS[1..2]));
}

#[test]
fn an_end_of_half_a_block_is_told() {
    let mut bytes = archive(&MEMBERS[..1]);
    bytes.push(0);
    let error = files(&mut reader(&bytes)).1.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn members_are_found_again_by_their_headers() {
    let bytes = archive(&MEMBERS);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tar");
    std::fs::write(&path, bytes).unwrap();
    let source = Env::default().open_file(&path.into()).unwrap();
    let mut reader = TarReader::new(source, Limits::default());
    let mut starts = Vec::new();
    while let Some(member) = reader.next_member().unwrap() {
        starts.push(member.start);
    }
    for (start, (name, data)) in starts.into_iter().zip(MEMBERS).rev() {
        reader.go_to(start).unwrap();
        assert_eq!(reader.next_member().unwrap().unwrap().name, name);
        let head = &data[..data.len().min(3)];
        assert_eq!(reader.head(3).unwrap(), head);
        assert_eq!(reader.data("a member").unwrap(), data);
    }
}

#[test]
fn claims_allocate_nothing() {
    for size in [
        *b"77777777777\0",
        [0xBF; 12],
        [
            0x80, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        ],
    ] {
        for kind in [b'0', b'x', b'L', b'g'] {
            let bytes = [block("u1", kind, &size).as_slice(), &[1; 600]].concat();
            assert!(reader(&bytes).next_member().is_err());
            let live = Source::from_reader("-", Box::new(std::io::Cursor::new(bytes))).unwrap();
            let mut reader = TarReader::new(live, Limits::default());
            let read = reader.next_member().and_then(|_| reader.data("a member"));
            assert!(read.is_err());
        }
    }
}

#[test]
fn wrong_members_are_not_written() {
    let output = Output::stream("x.tar", Box::new(Kept::default()));
    let mut writer = TarWriter::new(output.create(Part::Main, false).unwrap());
    for name in [b"".as_slice(), b"a\0b"] {
        assert!(writer.append(name, b"x").is_err());
    }
    writer.begin(b"u1", 3).unwrap();
    writer.put(b"ab").unwrap();
    assert!(writer.put(b"cd").is_err());
    assert!(writer.append(b"u2", b"x").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_names_and_data_come_back(
        members in prop::collection::vec(
            ("[^\0]{1,300}", prop::collection::vec(any::<u8>(), 0..1500)),
            0..6,
        )
    ) {
        let plain: Vec<_> = members
            .iter()
            .filter(|(name, _)| !name.ends_with('/'))
            .map(|(name, data)| (name.as_bytes(), data.as_slice()))
            .collect();
        let (found, ended) = files(&mut reader(&archive(&plain)));
        ended.unwrap();
        prop_assert_eq!(found, owned(&plain));
    }

    #[test]
    fn no_bytes_make_it_fall_over(at in 0usize..4000, with in any::<[u8; 4]>()) {
        let mut bytes = archive(&MEMBERS);
        bytes[at..at + 4].copy_from_slice(&with);
        let mut reader = reader(&bytes);
        let _ = files(&mut reader);
        while reader.resume().unwrap().is_some() {
            let _ = files(&mut reader);
        }
    }
}
