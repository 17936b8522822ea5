//! Marks inside the text of captions.

/// Text without its marks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) text: Vec<u8>,
    /// Set if there were marks.
    pub(super) is_changed: bool,
}

/// The names of tags that players of SRT know. Others are words, such as `<unk>`.
const TAGS: [&[u8]; 5] = [b"i", b"b", b"u", b"s", b"font"];

/// Returns the name of a tag and the text after it: `<i>`, `</i>`, `<font color="red">`.
fn tag(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"<")?;
    let end = inside.iter().position(|b| *b == b'>')?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// Returns the name of a tag without the slash of its end and what follows a blank or a point.
fn name(tag: &[u8]) -> &[u8] {
    let tag = tag.strip_prefix(b"/").unwrap_or(tag);
    let end = tag
        .iter()
        .position(|b| b.is_ascii_whitespace() || *b == b'.');
    &tag[..end.unwrap_or(tag.len())]
}

/// Removes the marks that players of SRT know: tags, and positions such as `{\an8}`.
pub(super) fn of_srt(text: &[u8]) -> Plain {
    let mut plain = Plain::default();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let known = tag(rest).filter(|(tag, _)| {
            let name = name(tag).to_ascii_lowercase();
            TAGS.contains(&&*name)
        });
        let position = rest.strip_prefix(b"{\\").and_then(|inside| {
            let end = inside.iter().position(|b| *b == b'}')?;
            Some(&inside[end + 1..])
        });
        match known.map(|(_, after)| after).or(position) {
            Some(after) => (rest, plain.is_changed) = (after, true),
            None => {
                plain.text.push(*first);
                rest = after;
            }
        }
    }
    plain
}

/// The text of one voice.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Voice {
    pub(super) speaker: Option<Vec<u8>>,
    pub(super) plain: Plain,
}

/// Splits the text of WebVTT by voices, `<v Ann>text</v>`, and removes other tags.
pub(super) fn of_vtt(text: &[u8]) -> Vec<Voice> {
    let mut voices = vec![Voice::default()];
    let mut rest = text;
    let mut changed = false;
    while let Some((first, after)) = rest.split_first() {
        let Some((inside, after)) = tag(rest).filter(|_| *first == b'<') else {
            let (bytes, after) = match *first {
                b'&' => entity(rest).unwrap_or_else(|| (b"&".to_vec(), after)),
                other => (vec![other], after),
            };
            if let Some(voice) = voices.last_mut() {
                voice.plain.text.extend(bytes);
            }
            rest = after;
            continue;
        };
        rest = after;
        match (name(inside), inside.first()) {
            (b"v", Some(b'/')) => voices.push(Voice::default()),
            (b"v", _) => {
                let blank = inside.iter().position(u8::is_ascii_whitespace);
                let speaker = blank.map(|at| inside[at..].trim_ascii());
                voices.push(Voice {
                    speaker: speaker.map(unescaped).filter(|name| !name.is_empty()),
                    ..Voice::default()
                });
            }
            _ => changed = true,
        }
    }
    voices.retain(|voice| !voice.plain.text.trim_ascii().is_empty());
    if let Some(voice) = voices.first_mut() {
        voice.plain.is_changed = changed;
    }
    voices
}

/// The characters that WebVTT writes by name.
const ENTITIES: [(&[u8], &str); 6] = [
    (b"&amp;", "&"),
    (b"&lt;", "<"),
    (b"&gt;", ">"),
    (b"&nbsp;", "\u{a0}"),
    (b"&lrm;", "\u{200e}"),
    (b"&rlm;", "\u{200f}"),
];

/// Returns the character of a name at the start of text, and the text after it.
fn entity(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let known = ENTITIES
        .iter()
        .find_map(|(name, c)| Some((c.as_bytes().to_vec(), text.strip_prefix(*name)?)));
    known.or_else(|| {
        // By its number, in tens or sixteens.
        let inside = text.strip_prefix(b"&#")?;
        let end = inside.iter().take(9).position(|b| *b == b';')?;
        let digits = std::str::from_utf8(&inside[..end]).ok()?;
        let number = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let c = char::from_u32(number.ok()?).filter(|c| !c.is_control())?;
        Some((c.to_string().into_bytes(), &inside[end + 1..]))
    })
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let (bytes, after) = entity(rest).unwrap_or_else(|| (vec![*first], after));
        plain.extend(bytes);
        rest = after;
    }
    plain
}

/// Writes `&`, `<` and `>` by name.
pub(super) fn escaped(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    for b in text {
        match b {
            b'&' => escaped.extend_from_slice(b"&amp;"),
            b'<' => escaped.extend_from_slice(b"&lt;"),
            b'>' => escaped.extend_from_slice(b"&gt;"),
            other => escaped.push(*other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_srt() {
        for (text, plain, changed) in [
            ("<i>one</i> two", "one two", true),
            ("{\\an8}<FONT color=\"#ff0000\">one</FONT>", "one", true),
            ("<unk> a < b > c {x}", "<unk> a < b > c {x}", false),
            ("<i", "<i", false),
        ] {
            let found = of_srt(text.as_bytes());
            assert_eq!(found.text, plain.as_bytes(), "{text}");
            assert_eq!(found.is_changed, changed, "{text}");
        }
    }

    #[test]
    fn voices_of_vtt() {
        let voice = |text: &str| -> Vec<(Option<String>, String)> {
            let name = |name: Vec<u8>| String::from_utf8(name).unwrap();
            let voices = of_vtt(text.as_bytes()).into_iter();
            voices
                .map(|voice| (voice.speaker.map(name), name(voice.plain.text)))
                .collect()
        };
        let one = |speaker: Option<&str>, text: &str| (speaker.map(str::to_owned), text.to_owned());
        for (text, voices) in [
            ("one", vec![one(None, "one")]),
            ("<v Ann B>one</v>", vec![one(Some("Ann B"), "one")]),
            ("<v.loud A&amp;B>one", vec![one(Some("A&B"), "one")]),
            (
                "<v A>x</v> <v B>y</v>",
                vec![one(Some("A"), "x"), one(Some("B"), "y")],
            ),
            (
                "<00:01.000><c.red>o</c>ne &lt;b&gt; &#233;&#x20;x",
                vec![one(None, "one <b> \u{e9} x")],
            ),
            ("AT&T &nope; &#0;", vec![one(None, "AT&T &nope; &#0;")]),
        ] {
            assert_eq!(voice(text), voices, "{text}");
        }
        assert!(of_vtt(b"<i>x</i>")[0].plain.is_changed);
        assert_eq!(escaped(b"a<b> & c"), b"a&lt;b&gt; &amp; c");
    }
}
