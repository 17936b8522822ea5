//! JSON whose objects keep the order of their members, which is that of columns and fields.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use spr_syntax::json::write_text;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
    /// A number, a truth value or null, as it is written.
    Other(String),
}

impl Json {
    /// Parses a value. Returns `None` if it is none, or nested too deeply.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // Each level is parsed by itself, so that the parser's own limit is not reached.
        (depth(text) <= MAX_DEPTH).then(|| serde_json::from_str(text).ok())?
    }

    /// Makes an object.
    pub(crate) fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let members = members.into_iter();
        Self::Map(
            members
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn number(number: impl ToString) -> Self {
        Self::Other(number.to_string())
    }

    /// Returns a member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let mut members = self.members()?.iter();
        members.find(|(own, _)| own == name).map(|(_, value)| value)
    }

    pub(crate) fn members(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a whole number.
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Other(text) => text.parse().ok(),
            _ => None,
        }
    }
}

/// Returns an upper bound of the nesting of a value.
fn depth(text: &str) -> usize {
    let (mut now, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => now += 1,
            b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| {
            let mut out = Vec::new();
            write_text(text, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        let comma = |n: usize| if n > 0 { ", " } else { "" };
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Other(text) => f.write_str(text),
            Self::List(items) => {
                f.write_str("[")?;
                for (n, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", comma(n))?;
                }
                f.write_str("]")
            }
            Self::Map(members) => {
                f.write_str("{")?;
                for (n, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{}: {value}", comma(n), quoted(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let parsed = match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str(text).map(|Members(members)| Self::Map(members)),
            Some(b'[') => serde_json::from_str(text).map(|Items(items)| Self::List(items)),
            Some(b'"') => serde_json::from_str(text).map(Self::Text),
            _ => Ok(Self::Other(text.to_owned())),
        };
        parsed.map_err(serde::de::Error::custom)
    }
}

struct Members(Vec<(String, Json)>);
struct Items(Vec<Json>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Items;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order() {
        let text = r#"{"b": [1, -0, null, true], "a": {"z": "\"", "y": []}, "c": 1.50}"#;
        let value = Json::parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(
            value.get("a").and_then(|a| a.get("z")?.as_str()),
            Some("\"")
        );
        assert_eq!(
            value.get("b").unwrap().items().unwrap()[0].as_int(),
            Some(1)
        );
        assert!(Json::parse("{").is_none() && Json::parse("1 2").is_none());
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(Json::parse(&nested(MAX_DEPTH)).is_some());
        assert!(Json::parse(&nested(100_000)).is_none());
    }
}
