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
            for of_shard in ["entries", "within", "start", "skips"] {
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
            "on_error": self.on_error,
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
    use spr_core::bytes::{Env, Locator};
    use spr_core::format::Registry;

    use super::*;
    use crate::argument::{Input, Target};
    use crate::step::Step;

    fn plan(output: &str, options: &[(&str, &str)]) -> Plan {
        let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
        let env = Env::default();
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let pairs: Vec<_> = options.iter().map(own).collect();
        let inputs = Input::parse("in.ark", None, &[], &registry, &env).unwrap();
        let mut plan = Plan::new(inputs);
        let target = Target::parse(output, None, &pairs, &registry, &env).unwrap();
        plan.output = Some(target.sink().clone());
        plan
    }

    #[test]
    fn what_changes_no_byte_is_no_part_of_it() {
        let one = plan("a.ark", &[]);
        let mut other = plan("b.ark", &[]);
        other.run.overwrite = true;
        other.run.dry_run = true;
        other.inputs[0].entries = Some([3, 4]);
        other.policy.allow_all();
        assert_eq!(one.identity(None), other.identity(None));
    }

    #[test]
    fn what_changes_bytes_is() {
        let one = plan("a.ark", &[]);
        let mut others = vec![
            plan("a.ark", &[("compress", "5")]),
            plan("ark,t:a.ark", &[]),
        ];
        let change = |work: fn(&mut Plan)| {
            let mut other = one.clone();
            work(&mut other);
            other
        };
        others.push(change(|plan| {
            plan.steps.push(Step::new("first", [("n", "1")]).unwrap())
        }));
        others.push(change(|plan| plan.labels_output = plan.output.clone()));
        others.push(change(|plan| {
            plan.joins.speakers = Some(Locator::file("utt2spk"))
        }));
        others.push(change(|plan| plan.manifest = plan.output.clone()));
        others.push(change(|plan| {
            plan.on_error = spr_core::format::ErrorPolicy::Skip
        }));
        others.push(change(|plan| {
            plan.inputs[0]
                .options
                .push(("holder".into(), "token".into()))
        }));
        others.push(change(|plan| plan.paths.add("/old=/new").unwrap()));
        for other in &others {
            assert_ne!(one.identity(None), other.identity(None), "{other:?}");
        }
        assert_eq!(others.len(), 9);
    }
}
