//! JSON objects only, without the alternatives that serde would accept.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// A `T` written as an object; serde by itself would accept a list of its fields too.
pub(crate) struct Braces<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Braces<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Braces<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Braces<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Braces)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// Objects with names, in order.
pub(crate) struct NamedObjects<T>(pub(crate) Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for NamedObjects<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Names<T> {
            type Value = NamedObjects<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NamedObjects<T>, A::Error> {
                let mut all = Vec::new();
                while let Some((name, Braces(value))) = map.next_entry()? {
                    all.push((name, value));
                }
                Ok(NamedObjects(all))
            }
        }
        deserializer.deserialize_map(Names(PhantomData))
    }
}
