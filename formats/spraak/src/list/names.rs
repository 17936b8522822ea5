//! Names of a corpus: entries that share a file have keys of their own.

use std::collections::HashMap;

use spr_core::model::Key;

/// The file of the line before.
pub(crate) const SAME: &[u8] = b"-";

/// Gives each entry a key: the name of its file, and for the further entries of a file its name
/// with `#2`, `#3`, … . No key is given twice.
#[derive(Default)]
pub(crate) struct Names {
    /// Keys given, with the number of the last entry of that file.
    given: HashMap<Vec<u8>, u64>,
    last: Vec<u8>,
}

impl Names {
    /// The file and the key of an entry whose first field is `field`; `None` if that stands for
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

    /// The first field of an entry that is to get `key`, or why there is none.
    pub(crate) fn field(&mut self, key: &Key) -> Result<Vec<u8>, &'static str> {
        let wanted = key.as_bytes();
        if wanted == SAME || key.check_word().is_err() {
            return Err("the name can't stand in a list: it is '-', empty or has blanks");
        }
        let shared = wanted
            .iter()
            .rposition(|b| *b == b'#')
            .map(|at| &wanted[..at]);
        let shared =
            shared.filter(|file| self.given.contains_key(*file) && self.next_of(file).0 == wanted);
        let file = match shared {
            Some(file) => file,
            None if self.given.contains_key(wanted) => {
                return Err("a second utterance of this name");
            }
            None => wanted,
        };
        let same = file == self.last;
        let number = if shared.is_some() {
            self.next_of(file).1
        } else {
            1
        };
        self.last = file.to_vec();
        self.give(wanted.to_vec(), number);
        Ok(if same { SAME } else { file }.to_vec())
    }

    /// The key of the next entry of a file, and its number.
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
        assert_eq!(names.field(&"a".into()), Ok(b"a".to_vec()));
        for key in ["", "-", "a b", "a"] {
            assert!(names.field(&key.into()).is_err(), "{key}");
        }
        assert_eq!(names.field(&"a#2".into()), Ok(SAME.to_vec()));
    }

    proptest! {
        #[test]
        fn keys_come_back(fields in prop::collection::vec("a|b|a#2|-|b#3", 1..12)) {
            let mut reader = Names::default();
            let keys: Vec<_> = fields
                .iter()
                .filter_map(|field| Some(reader.key(field.as_bytes())?.1))
                .collect();
            let (mut writer, mut again) = (Names::default(), Names::default());
            for key in &keys {
                let field = writer.field(key).unwrap();
                prop_assert_eq!(&again.key(&field).unwrap().1, key);
            }
        }
    }
}
