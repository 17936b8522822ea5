//! The identity of a run: everything that changes a byte of the output, and only that.

use serde_json::{Value, json};

use super::{FIELD, Shard};
use crate::plan::{Plan, Sink};

impl Plan {
    /// The plan as canonical JSON without what changes no byte: where outputs go, what may be
    /// replaced or lost, what is checked on the way, and which of the entries a shard takes.
    pub fn identity(&self, shard: Option<Shard>) -> String {
        let inputs = self.inputs.iter().map(|input| {
            let mut input = json!(input);
            for of_shard in ["entries", "within", "start", "number"] {
                input[of_shard] = Value::Null;
            }
            input
        });
        let inputs: Vec<_> = inputs.collect();
        let output = |sink: &Sink| {
            // Each shard has its number in names of its own.
            let plain = |text: &String| match shard {
                Some(shard) => text.replace(&shard.to_string(), FIELD),
                None => text.clone(),
            };
            let options = sink.options.iter();
            let options: Vec<_> = options.map(|(key, value)| (key, plain(value))).collect();
            let beside: Vec<_> = sink.companions.iter().map(|(name, _)| name).collect();
            json!({
                "format": sink.format,
                "options": options,
                "beside": beside,
                "listed": sink.listed,
                "on_error": sink.on_error,
                "level": sink.level,
            })
        };
        let outputs = [&self.output, &self.labels_output];
        let outputs = outputs.map(|sink| sink.as_ref().map(output));
        let mut identity = json!({
            "version": self.version,
            "inputs": inputs,
            "joins": self.joins,
            "steps": self.steps,
            "distinct": self.distinct,
            "outputs": outputs,
            "split": self.split,
            "dtype": self.dtype,
            "label_dtype": self.label_dtype,
            "damaged": self.damaged,
        });
        if let Some(manifest) = &self.manifest {
            identity["manifest"] = output(manifest);
        }
        if !self.paths.is_empty() {
            identity["paths"] = json!(self.paths);
        }
        identity.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spr_core::bytes::{Env, MemoryStore};
    use spr_core::format::{ErrorPolicy, Registry};

    use super::*;
    use crate::builder::PlanBuilder;

    /// A plan of one input and one output, changed by `change`.
    fn plan(output: &str, change: fn(&mut PlanBuilder)) -> Plan {
        let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
        let store = MemoryStore::new();
        store.insert("in.ark", Vec::new());
        let env = Env::default().with_store(Arc::new(store));
        let mut builder = PlanBuilder::new(&registry, &env);
        change(&mut builder);
        builder.input("in.ark").unwrap().output(output).unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn what_changes_no_byte_is_no_part_of_it() {
        let one = plan("a.ark", |_| {});
        let mut other = plan("b.ark", |builder| {
            builder.overwrite(true).dry_run(true);
            builder.allow_named("all").unwrap();
        });
        other.inputs[0].entries = Some([3, 4]);
        assert_eq!(one.identity(None), other.identity(None));
    }

    #[test]
    fn what_changes_bytes_is() {
        let changes: [fn(&mut PlanBuilder); 9] = [
            |builder| {
                builder.output_option("compress", "5");
            },
            |builder| {
                builder.output_option("text", "true");
            },
            |builder| {
                builder.stages("first(1)").unwrap();
            },
            |builder| {
                builder.labels_output("a.ark").unwrap();
            },
            |builder| {
                builder.speakers("utt2spk").unwrap();
            },
            |builder| {
                builder.manifest("a.ark").unwrap();
            },
            |builder| {
                builder.on_error(ErrorPolicy::Skip);
            },
            |builder| {
                builder.option("holder", "token");
            },
            |builder| {
                let mut paths = spr_core::bytes::PathMap::default();
                paths.add("/old=/new").unwrap();
                let env = builder.env().clone().with_path_map(paths);
                *builder = PlanBuilder::new(builder.registry(), &env);
            },
        ];
        let one = plan("a.ark", |_| {});
        for change in changes {
            let other = plan("a.ark", change);
            assert_ne!(one.identity(None), other.identity(None), "{other:?}");
        }
    }
}
