//! joblib's files: pickles in which each array is directly followed by its numbers.

use super::*;
use crate::array;

/// The largest number of entries in joblib's state of an array, all of which are searched for each
/// array.
const FIELDS: usize = 32;

impl Machine<'_> {
    /// Returns `true` if the top of the stack is joblib's placeholder for an array, without
    /// arguments.
    pub(super) fn is_wrapper(&self) -> bool {
        let [.., class, args] = self.stack.as_slice() else {
            return false;
        };
        let class = self.heap.node(*class);
        matches!(
            class,
            Some(Node::Global(Global::Known(KnownGlobal::Wrapper)))
        ) && self.heap.tuple(*args) == Some(&[])
    }

    /// BUILD for the placeholder `value`: makes it the array whose numbers come next. They are
    /// preceded by padding, whose length is in its first byte, if the state mentions an alignment.
    pub(super) fn unwrap_array(&mut self, value: Value, state: Value) -> Result<()> {
        let Some(Node::Dict(entries)) = self.heap.node(state) else {
            return Err(Error::malformed(
                "the state of joblib's array is not a dict",
            ));
        };
        if entries.len() > FIELDS {
            return Err(Error::malformed(format!(
                "the state of joblib's array has {} entries",
                entries.len()
            )));
        }
        let field = |name: &[u8]| {
            let mut found = entries.iter().rev();
            let entry = found.find(|(key, _)| self.heap.word(*key) == Some(name));
            entry.map_or(Value::None, |(_, value)| *value)
        };
        let (shape, dtype) = (field(b"shape"), field(b"dtype"));
        let fortran = match self.heap.word(field(b"order")) {
            Some(b"C") => false,
            Some(b"F") => true,
            _ => return Err(Error::malformed("the order of an array is neither C nor F")),
        };
        let padded = field(b"numpy_array_alignment_bytes") != Value::None;
        let bytes = array::bytes(self.heap, shape, dtype)?;
        if padded {
            let padding = self.source.byte()?;
            self.source.skip(padding.into())?;
        }
        self.check_left("an array", bytes)?;
        let data = self.payload(bytes)?;
        let data = self.heap.add(Node::Bytes(data))?;
        let array = ArrayState {
            shape,
            dtype,
            fortran,
            data,
        };
        self.heap.charge(size_of_val(&array))?;
        if let Some(node) = self.heap.node_mut(value) {
            *node = Node::Array(Some(Box::new(array)));
        }
        Ok(())
    }
}
