//! Secrets of URLs, which are not shown.

use std::borrow::Cow;

/// Stands for what is left out.
const LEFT_OUT: &str = "\u{2026}";

/// Text in which URLs have lost what follows their question marks, and names and passwords before
/// their hosts: who knows a signed URL may use it.
pub(crate) fn discreet(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return text.into();
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at + "://".len());
        let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '|');
        let (url, after) = url.split_at(url.find(is_end).unwrap_or(url.len()));
        out.push_str(before);
        let (name, query) = match url.split_once('?').filter(|_| before.contains("http")) {
            Some((name, query)) => (name, Some(query)),
            None => (url, None),
        };
        let host = name.split('/').next().unwrap_or_default();
        match host.rsplit_once('@') {
            Some((own, _)) => {
                out.push_str(LEFT_OUT);
                out.push_str(&name[own.len()..]);
            }
            None => out.push_str(name),
        }
        if let Some(query) = query {
            // A mark from an earlier call is skipped, so that it is not left out again.
            let seen = query.strip_prefix(LEFT_OUT).unwrap_or_default();
            out.push('?');
            out.push_str(LEFT_OUT);
            out.push_str(seen);
        }
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_and_passwords_are_left_out() {
        for (text, told) in [
            ("a ?b://", "a ?b://"),
            (
                "https://h/x.ark?sign=a,b: lost",
                "https://h/x.ark?\u{2026} lost",
            ),
            (
                "'http://h/x?y' and 'https://u:p@h/z?w'",
                "'http://h/x?\u{2026}' and 'https://\u{2026}@h/z?\u{2026}'",
            ),
            ("s3://b/a?.ark", "s3://b/a?.ark"),
            (
                "https://h/x?\u{2026}@12: lost",
                "https://h/x?\u{2026}@12: lost",
            ),
        ] {
            assert_eq!(discreet(text), told);
        }
    }
}
