//! Keys of corpus entries, which are unique even if entries share a file.

use std::collections::HashMap;

use spr_core::model::Key;

/// The placeholder for the file of the line before.
pub(crate) const SAME: &[u8] = b"-";

/// A generator of keys: the name of the file and, for further entries of a file, its name with
/// `#2`, `#3`, … . Keys are unique.
#[derive(Default)]
pub(crate) struct Names {
    /// The keys so far, with the number of the last entry of that file.
    given: HashMap<Vec<u8>, u64>,
    last: Vec<u8>,
}

impl Names {
    /// Returns file and key of an entry whose first field is `field`, or `None` if that refers to
    /// the line before and there is none.
    pub(crate) fn key(&mut self, field: &[u8]) -> Option<(&[u8], Key)> {
        if field != SAME {
            self.last = field.to_vec();
        } else if self.last.is_empty() {
            return None;
        }
        let (key, number) = self.next_of(&self.last);
        self.give(key.clone(), number);
        Some((&self.last, Key::from(key)))
    }

    /// Returns the first field of an entry with the given `key`, or the reason why there is none.
    /// Without `file` its file has its name.
    pub(crate) fn field(&self, key: &Key, file: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let name = file.unwrap_or(key.as_bytes());
        let shown = Key::from(name);
        if name == SAME || shown.check_word().is_err() {
            return Err(format!(
                "the name '{shown}' can't stand in a list: it is '-', empty or has blanks"
            ));
        }
        let (expected, _) = self.next_of(name);
        if expected != key.as_bytes() {
            return Err(match file {
                None => "a second utterance with this name".to_owned(),
                Some(_) => format!(
                    "expected {} as the next entry of the file {shown}",
                    Key::from(expected)
                ),
            });
        }
        Ok(if name == self.last { SAME } else { name }.to_vec())
    }

    /// Adds an entry whose [field](Self::field) was written.
    pub(crate) fn add(&mut self, key: &Key, file: Option<&[u8]>) {
        self.last = file.unwrap_or(key.as_bytes()).to_vec();
        let (key, number) = self.next_of(&self.last);
        self.give(key, number);
    }

    /// Returns the key of the next entry of a file, and its number.
    fn next_of(&self, file: &[u8]) -> (Vec<u8>, u64) {
        let Some(mut number) = self.given.get(file).copied() else {
            return (file.to_vec(), 1);
        };
        loop {
            number += 1;
            let key = [file, format!("#{number}").as_bytes()].concat();
            if !self.given.contains_key(&key) {
                return (key, number);
            }
        }
    }

    fn give(&mut self, key: Vec<u8>, number: u64) {
        self.given.insert(self.last.clone(), number);
        self.given.entry(key).or_insert(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(fields: &[&str]) -> Vec<String> {
        let mut names = Names::default();
        let mut key = |field: &&str| names.key(field.as_bytes()).unwrap().1.to_string();
        fields.iter().map(&mut key).collect()
    }

    #[test]
    fn further_entries_of_a_file_are_numbered() {
        assert_eq!(
            keys(&["a", "-", "a", "b", "a"]),
            ["a", "a#2", "a#3", "b", "a#4"]
        );
        assert_eq!(keys(&["a", "-", "a#2"]), ["a", "a#2", "a#2#2"]);
        assert_eq!(keys(&["a#2", "a", "-", "-"]), ["a#2", "a", "a#3", "a#4"]);
        assert!(Names::default().key(SAME).is_none());
    }

    #[test]
    fn names_that_no_list_holds() {
        let mut names = Names::default();
        for _ in 0..2 {
            assert_eq!(names.field(&"a".into(), None), Ok(b"a".to_vec()));
        }
        names.add(&"a".into(), None);
        for (key, file) in [
            ("", None),
            ("-", None),
            ("a b", None),
            ("a", None),
            ("a#3", Some("a")),
            ("b#2", Some("b")),
            ("c", Some("a")),
        ] {
            let field = names.field(&key.into(), file.map(str::as_bytes));
            assert!(field.is_err(), "{key}");
        }
        assert_eq!(names.field(&"a#2".into(), Some(b"a")), Ok(SAME.to_vec()));
    }

    #[test]
    fn a_file_is_not_taken_for_another() {
        let mut names = Names::default();
        for key in ["a", "a#2"] {
            assert_eq!(names.field(&key.into(), None), Ok(key.into()));
            names.add(&key.into(), None);
        }
    }

    proptest! {
        #[test]
        fn keys_come_back(fields in prop::collection::vec("a|b|a#2|-|b#3", 1..12)) {
            let mut reader = Names::default();
            let keys: Vec<_> = fields
                .iter()
                .filter_map(|field| {
                    let (file, key) = reader.key(field.as_bytes())?;
                    Some((file.to_vec(), key))
                })
                .collect();
            let (mut writer, mut again) = (Names::default(), Names::default());
            for (file, key) in &keys {
                let field = writer.field(key, Some(file)).unwrap();
                writer.add(key, Some(file));
                let (back, given) = again.key(&field).unwrap();
                prop_assert_eq!((back, &given), (file.as_slice(), key));
            }
        }
    }
}
