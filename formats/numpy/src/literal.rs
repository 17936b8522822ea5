//! The text of a header: a Python dict of literals, parsed as strictly as by NumPy.

/// A value of the dict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal<'a> {
    /// A string without escapes.
    Text(&'a str),
    /// `True` or `False`.
    Truth(bool),
    /// A tuple of whole numbers that are not negative.
    Sizes(Vec<u64>),
    /// A list of fields, which is not parsed.
    List,
}

/// Parses `text` as a dict, up to a list, after which parsing stops. Returns `None` if it is not a
/// dict.
pub(crate) fn dict(text: &str) -> Option<Vec<(&str, Literal<'_>)>> {
    let mut left = Cursor(text);
    let mut pairs = Vec::new();
    left.take('{')?;
    while left.take('}').is_none() {
        let key = left.text()?;
        left.take(':')?;
        let value = left.value()?;
        let is_list = value == Literal::List;
        pairs.push((key, value));
        if is_list {
            return Some(pairs);
        }
        if left.take(',').is_none() {
            left.take('}')?;
            break;
        }
    }
    left.skip_space();
    left.0.is_empty().then_some(pairs)
}

/// The rest of the text.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn skip_space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
    }

    /// Consumes `wanted`, if that comes next.
    fn take(&mut self, wanted: char) -> Option<()> {
        self.skip_space();
        self.0 = self.0.strip_prefix(wanted)?;
        Some(())
    }

    fn text(&mut self) -> Option<&'a str> {
        self.skip_space();
        let quote = self.0.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, rest) = self.0.strip_prefix(quote)?.split_once(quote)?;
        self.0 = rest;
        (!text.contains(['\\', '\n', '\r'])).then_some(text)
    }

    fn value(&mut self) -> Option<Literal<'a>> {
        self.skip_space();
        match self.0.chars().next()? {
            '\'' | '"' => self.text().map(Literal::Text),
            '(' => self.sizes().map(Literal::Sizes),
            '[' => Some(Literal::List),
            _ => self.truth().map(Literal::Truth),
        }
    }

    fn truth(&mut self) -> Option<bool> {
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Some(value);
            }
        }
        None
    }

    /// Reads a tuple. A single number needs a trailing comma, because otherwise it is only in
    /// parentheses.
    fn sizes(&mut self) -> Option<Vec<u64>> {
        self.take('(')?;
        let mut sizes = Vec::new();
        let mut comma = true;
        while self.take(')').is_none() {
            if !comma {
                return None;
            }
            sizes.push(self.whole()?);
            comma = self.take(',').is_some();
        }
        (comma || sizes.len() > 1).then_some(sizes)
    }

    fn whole(&mut self) -> Option<u64> {
        self.skip_space();
        let end = self.0.find(|c: char| !c.is_ascii_digit());
        let (digits, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        // Python 2 marked long integers.
        self.0 = rest.strip_prefix('L').unwrap_or(rest);
        let padded = digits.len() > 1 && digits.starts_with('0');
        digits.parse().ok().filter(|_| !padded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Option<Vec<u64>> {
        let text = format!("{{'s': {text}}}");
        match dict(&text)?.pop()?.1 {
            Literal::Sizes(sizes) => Some(sizes),
            _ => None,
        }
    }

    #[test]
    fn dicts_are_taken_apart() {
        let text = "{'descr': '<f4', \"fortran_order\":False,'shape': (3, 2), }   \n";
        let pairs = dict(text).unwrap();
        assert_eq!(pairs[0], ("descr", Literal::Text("<f4")));
        assert_eq!(pairs[1], ("fortran_order", Literal::Truth(false)));
        assert_eq!(pairs[2], ("shape", Literal::Sizes(vec![3, 2])));
        assert_eq!(dict("{}"), Some(Vec::new()));
        let records = dict("{'descr': [('a', '<f4')], 'shape'").unwrap();
        assert_eq!(records, [("descr", Literal::List)]);
        for bad in [
            "",
            "{",
            "{'a'}",
            "{'a': }",
            "{'a': 'b",
            "{'a': 'b\\'}",
            "{'a': 'b'} x",
            "{'a': True 'b': True}",
            "{, }",
            "{'a': Truely}",
            "{'a': 1}",
            "dict(a=1)",
        ] {
            assert_eq!(dict(bad), None, "{bad}");
        }
    }

    #[test]
    fn tuples_are_pythons() {
        for (text, expected) in [
            ("()", Some(vec![])),
            ("(3,)", Some(vec![3])),
            ("(3L, 20L)", Some(vec![3, 20])),
            ("( 0 , 7, )", Some(vec![0, 7])),
            ("(3)", None),
            ("(,)", None),
            ("(3,,)", None),
            ("(3 4)", None),
            ("(-1,)", None),
            ("(03,)", None),
            ("(99999999999999999999,)", None),
            ("(3,", None),
        ] {
            assert_eq!(sizes(text), expected, "{text}");
        }
    }
}
