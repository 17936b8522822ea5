//! The effects of the known functions and classes.

use super::*;

impl Machine<'_> {
    /// REDUCE: computes the result of calling `callee`.
    pub(super) fn call(&mut self, callee: Value, args: Value) -> Result<Value> {
        let known = match self.heap.node(callee) {
            Some(Node::Global(Global::Known(known))) => *known,
            Some(Node::Global(other)) => return Err(refused(&other.to_string())),
            _ => {
                return Err(Error::malformed(format!(
                    "{} can't be called",
                    self.heap.describe(callee)
                )));
            }
        };
        let Some(args) = self.heap.tuple(args) else {
            return Err(Error::malformed("the arguments of a call are not a tuple"));
        };
        let node = match (known, args) {
            (KnownGlobal::Reconstruct, &[class, _, _]) => {
                return self.reconstruct(class);
            }
            (KnownGlobal::FromBuffer, &[data, dtype, shape, order]) => {
                let fortran = match self.heap.word(order) {
                    Some(b"C") => false,
                    Some(b"F") => true,
                    _ => return Err(Error::malformed("the order of an array is neither C nor F")),
                };
                Node::Array(Some(Box::new(ArrayState {
                    shape,
                    dtype,
                    fortran,
                    data,
                })))
            }
            (KnownGlobal::Scalar, &[dtype, data]) => {
                let shape = self.heap.add(Node::Tuple(Vec::new()))?;
                Node::Array(Some(Box::new(ArrayState {
                    shape,
                    dtype,
                    fortran: false,
                    data,
                })))
            }
            (KnownGlobal::Dtype, &[code, ..]) => Node::Dtype { code, state: None },
            (KnownGlobal::Encode, &[text, coding]) => return self.encode(text, coding),
            (KnownGlobal::Bytes, []) => Node::Bytes(Payload::Inline(Box::default())),
            (KnownGlobal::Bytes, &[bytes])
                if matches!(self.heap.node(bytes), Some(Node::Bytes(_))) =>
            {
                return Ok(bytes);
            }
            (KnownGlobal::Bytes, &[text, coding]) => return self.encode(text, coding),
            (KnownGlobal::List, args) if args.len() < 2 => Node::List(self.items(args)?),
            (KnownGlobal::Tuple, args) if args.len() < 2 => Node::Tuple(self.items(args)?),
            (KnownGlobal::Set, args) if args.len() < 2 => Node::Set(self.items(args)?),
            (KnownGlobal::Dict, args) if args.len() < 2 => Node::Dict(self.entries(args)?),
            // The default factory is not called.
            (KnownGlobal::DefaultDict, [_, rest @ ..]) if rest.len() < 2 => {
                Node::Dict(self.entries(rest)?)
            }
            (KnownGlobal::DefaultDict, []) => Node::Dict(Vec::new()),
            _ => {
                return Err(Error::malformed(format!(
                    "{} can't be called with {} arguments of that sort",
                    self.heap.describe(callee),
                    args.len()
                )));
            }
        };
        self.heap.add(node)
    }

    fn reconstruct(&mut self, class: Value) -> Result<Value> {
        match self.heap.node(class) {
            Some(Node::Global(Global::Known(KnownGlobal::Array))) => {
                self.heap.add(Node::Array(None))
            }
            Some(Node::Global(other)) => Err(refused(&other.to_string())),
            _ => Err(Error::malformed("an array of no class")),
        }
    }

    /// Encodes a text as Latin-1. A long text stays in the file; characters outside Latin-1 are
    /// found when it is read.
    fn encode(&mut self, text: Value, coding: Value) -> Result<Value> {
        if !matches!(
            self.heap.word(coding),
            Some(b"latin1" | b"latin-1" | b"iso-8859-1")
        ) {
            return Err(Error::unsupported("bytes in a coding other than latin1"));
        }
        let payload = match self.heap.node(text) {
            Some(Node::Text(Payload::Inline(text))) => {
                let mut bytes = Vec::with_capacity(text.len());
                StringCoding::Utf8
                    .decode(text, true, &mut bytes)
                    .map_err(|(_, fault)| Error::malformed(fault))?;
                Payload::Inline(bytes.into())
            }
            Some(&Node::Text(Payload::Range { at, len, coding })) => Payload::Range {
                at,
                len,
                coding: match coding {
                    StringCoding::Raw => StringCoding::Utf8,
                    other => other,
                },
            },
            _ => return Err(Error::malformed("what should be encoded is not text")),
        };
        self.heap.add(Node::Bytes(payload))
    }

    /// Copies the items of the only argument, or returns none without one.
    fn items(&self, args: &[Value]) -> Result<Vec<Value>> {
        let Some(&container) = args.first() else {
            return Ok(Vec::new());
        };
        match self.heap.node(container) {
            Some(Node::Tuple(items) | Node::List(items) | Node::Set(items)) => Ok(items.clone()),
            _ => Err(Error::malformed(format!(
                "{} is not a list of items",
                self.heap.describe(container)
            ))),
        }
    }

    fn entries(&self, args: &[Value]) -> Result<Vec<(Value, Value)>> {
        if let Some(Node::Dict(entries)) = args.first().and_then(|&a| self.heap.node(a)) {
            return Ok(entries.clone());
        }
        let mut entries = Vec::new();
        for pair in self.items(args)? {
            match self.heap.node(pair) {
                Some(Node::Tuple(items) | Node::List(items)) if items.len() == 2 => {
                    entries.push((items[0], items[1]));
                }
                _ => return Err(Error::malformed("an entry of a dict is not a pair")),
            }
        }
        Ok(entries)
    }

    /// BUILD: sets the state of `value`.
    pub(super) fn build(&mut self, value: Value, state: Value) -> Result<()> {
        if matches!(self.heap.node(value), Some(Node::Wrapper)) {
            return self.unwrap_array(value, state);
        }
        let array = match self.heap.tuple(state) {
            Some(&[Value::Int(1), shape, dtype, order, data]) => Some((shape, dtype, order, data)),
            Some(&[shape, dtype, order, data]) => Some((shape, dtype, order, data)),
            _ => None,
        };
        let is_tuple = self.heap.tuple(state).is_some();
        match self.heap.node_mut(value) {
            Some(Node::Dtype { state: place, .. }) if is_tuple => {
                *place = Some(state);
                Ok(())
            }
            Some(Node::Array(place)) => {
                let Some((shape, dtype, order, data)) = array else {
                    return Err(Error::malformed("the state of an array is not understood"));
                };
                let fortran = match order {
                    Value::Bool(fortran) => fortran,
                    Value::Int(n) => n != 0,
                    _ => return Err(Error::malformed("the order of an array is not a bool")),
                };
                *place = Some(Box::new(ArrayState {
                    shape,
                    dtype,
                    fortran,
                    data,
                }));
                Ok(())
            }
            _ => Err(Error::unsupported(format!(
                "refused to set the state of {}",
                self.heap.describe(value)
            ))),
        }
    }
}
