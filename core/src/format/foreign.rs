//! Recognition of widespread formats that are not supported.

use crate::text::unmarked;

/// A format and its magic bytes.
struct Foreign {
    /// The offset of the magic bytes.
    at: usize,
    magic: &'static [u8],
    name: &'static str,
    /// Whether it is audio, which many programs decode.
    sound: bool,
}

const fn sound(magic: &'static [u8], name: &'static str) -> Foreign {
    Foreign {
        at: 0,
        magic,
        name,
        sound: true,
    }
}

const fn other(at: usize, magic: &'static [u8], name: &'static str) -> Foreign {
    Foreign {
        at,
        magic,
        name,
        sound: false,
    }
}

/// Sorted by the length of the magic bytes, longest first.
const KNOWN: [Foreign; 29] = [
    other(0, b"\xef\xbb\xbfFile type = \"oo", "a Praat file"),
    other(0, b"File type = \"oo", "a Praat file"),
    other(0, b"ooBinaryFile", "a Praat file"),
    other(0, b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    other(0, b"\xfd7zXZ\0", "a file packed by xz"),
    other(257, b"ustar", "a tar file"),
    sound(b"fLaC", "a FLAC file"),
    sound(b"OggS", "an Ogg file"),
    sound(b"FORM", "an AIFF file"),
    sound(b"\x1aE\xdf\xa3", "a WebM or Matroska file"),
    sound(b"0&\xb2u\x8ef\xcf\x11", "a WMA or ASF file"),
    sound(b"wvpk", "a WavPack file"),
    sound(b"#!AMR", "an AMR file"),
    sound(b"ADIF", "an AAC file"),
    sound(b"\xff\xf1", "an AAC file"),
    sound(b"\xff\xf9", "an AAC file"),
    Foreign {
        at: 4,
        ..sound(b"ftyp", "an MP4 file, such as M4A")
    },
    sound(b"caff", "a CAF file"),
    other(0, b"PAR1", "a Parquet file"),
    other(
        0,
        b"PK\x03\x04",
        "a zip file, but not one of arrays such as .npz",
    ),
    sound(b"ID3", "an MP3 file"),
    sound(b"\xff\xfb", "an MP3 file"),
    sound(b"\xff\xf3", "an MP3 file"),
    sound(b"\xff\xf2", "an MP3 file"),
    other(0, b"\xfe\xff", "text in UTF-16"),
    other(0, b"\xff\xfe", "text in UTF-16"),
    other(8, b"{\"", "a safetensors file"),
    other(0, b"{", "JSON, but not of the format jsonl"),
    other(0, b"[{", "JSON, but not of the format jsonl"),
];

/// Kinds of text that are not read, by the extensions of their files.
const BY_EXTENSION: [(&str, &[&str]); 7] = [
    (
        "NIST UEM, the parts of recordings that are scored",
        &["uem"],
    ),
    (
        "a shell script",
        &["sh", "bash", "zsh", "csh", "ksh", "fish"],
    ),
    (
        "source code",
        &[
            "awk", "c", "cc", "cpp", "cs", "cu", "cxx", "go", "h", "hh", "hpp", "java", "jl", "js",
            "lua", "m", "mk", "pl", "pm", "py", "r", "rb", "rs", "sql", "swift", "ts",
        ],
    ),
    (
        "a page of text",
        &["htm", "html", "md", "rst", "tex", "xml"],
    ),
    (
        "a file of settings",
        &["cfg", "conf", "ini", "toml", "yaml", "yml"],
    ),
    ("a table of columns", &["csv", "tsv"]),
    ("a log", &["log"]),
];

/// Returns the kind of text whose files have this extension, if it is not one that is read.
pub(super) fn by_extension(extension: &str) -> Option<&'static str> {
    let extension = extension.to_ascii_lowercase();
    let mut all = BY_EXTENSION.iter();
    let found = all.find(|(_, extensions)| extensions.contains(&&*extension));
    found.map(|(kind, _)| *kind)
}

/// Returns the first bytes of a text that open another kind of text than lines of words and
/// numbers, and that kind.
pub(super) fn opening(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = unmarked(head);
    // Kaldi's matrices without a key have a blank before the bracket.
    if text.starts_with(b"[") {
        return Some(("'['", "JSON"));
    }
    let openings = [
        ("{", "'{'", "JSON"),
        ("\"", "'\"'", "quoted text"),
        ("<", "'<'", "XML"),
        ("#!", "'#!'", "a script"),
    ];
    let text = text.trim_ascii_start();
    let mut openings = openings.into_iter();
    let found = openings.find(|(start, ..)| text.starts_with(start.as_bytes()));
    found.map(|(_, shown, kind)| (shown, kind))
}

/// The number of first bytes that [`foreign`] inspects.
pub(super) const HEAD: usize = 262;

/// Returns the name of an unsupported format by its first bytes.
pub fn foreign(head: &[u8]) -> Option<&'static str> {
    find(head).map(|known| known.name)
}

/// Returns a hint for such a file, if there is one.
pub(super) fn hint(head: &[u8]) -> Option<&'static str> {
    find(head)
        .filter(|known| known.sound)
        .map(|_| "decode it first: `sox FILE OUT.wav` or `ffmpeg -i FILE OUT.wav`")
}

fn find(head: &[u8]) -> Option<&'static Foreign> {
    let fits = |known: &&Foreign| {
        let bytes = head.get(known.at..);
        bytes.is_some_and(|bytes| bytes.starts_with(known.magic))
    };
    KNOWN.iter().find(fits)
}
