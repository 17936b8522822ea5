//! Outputs.

use spr_core::loss::LossKind;
use spr_core::{Error, Remedy, Result};

use super::PlanBuilder;
use crate::argument::Target;
use crate::plan::numbered::SHARD;
use crate::plan::{Owner, Rule, Sink, Split};
use crate::step::Step;

impl PlanBuilder {
    /// Sets the format of the output, whatever its name.
    ///
    /// # Errors
    /// There is no such format.
    pub fn output_format(&mut self, name: &str) -> Result<&mut Self> {
        self.to = Some(self.registry.get(name)?);
        Ok(self)
    }

    /// Sets an option of the output's format.
    pub fn output_option(&mut self, key: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.output_options.push((key.into(), value.into()));
        self
    }

    /// Writes a folder of the same format as the inputs, if they are folders that are data sets of one
    /// format as a whole, and the name of the output says no format.
    pub fn keep_form(&mut self) -> &mut Self {
        self.keeps_form = true;
        self
    }

    /// Writes to what an argument names, with the format and options that were set.
    ///
    /// # Errors
    /// The argument is malformed, its format is unknown, or only some of its files are numbered.
    pub fn output(&mut self, text: &str) -> Result<&mut Self> {
        let (registry, env) = (&self.registry, &self.env);
        let (to, options) = (self.to, self.output_options.as_slice());
        let target = match self.keeps_form {
            true => Target::parse_like(&self.plan.inputs, text, to, options, registry, env)?,
            false => Target::parse(text, to, options, registry, env)?,
        };
        // A wrong option is reported before an existing file. The number of a shard is not known yet.
        let mut values = target.sink().options.iter().map(|(_, value)| value);
        if !values.any(|value| value.contains(SHARD)) {
            target.caps()?;
        }
        self.plan.output = Some(target.sink().clone());
        Ok(self)
    }

    /// Writes labels to an output of their own.
    ///
    /// # Errors
    /// As for [`output`](Self::output).
    pub fn labels_output(&mut self, text: &str) -> Result<&mut Self> {
        self.plan.labels_output = Some(self.sink(text)?);
        Ok(self)
    }

    /// Writes a manifest of the sound files that the output consists of.
    ///
    /// # Errors
    /// As for [`output`](Self::output).
    pub fn manifest(&mut self, text: &str) -> Result<&mut Self> {
        self.plan.manifest = Some(self.sink(text)?);
        Ok(self)
    }

    /// Returns the output with its format.
    ///
    /// # Errors
    /// There is none.
    pub fn target(&self) -> Result<Target> {
        let output = self.plan.output.as_ref();
        let output = output.ok_or_else(|| Error::usage("nothing says where to write"))?;
        Target::of(output, &self.registry)
    }

    fn sink(&self, text: &str) -> Result<Sink> {
        let target = Target::parse(text, None, &[], &self.registry, &self.env)?;
        Ok(target.sink().clone())
    }

    /// Copies sound to an output that could name its files as well.
    ///
    /// # Errors
    /// The output only names files.
    pub fn copy_sound(&mut self) -> Result<&mut Self> {
        let target = self.target()?;
        let audio = target.caps()?.audio;
        if !audio.references {
            return Ok(self);
        }
        if audio.dtypes.is_empty() {
            let error = Error::usage("the format names sound files and holds none");
            return Err(error.file(target.text()).suggest(Remedy::WriteSounds));
        }
        let step = Step::new("samples", [] as [(&str, &str); 0])?;
        Ok(self.add(Owner::Output, step))
    }

    /// Distributes utterances over several outputs.
    ///
    /// # Errors
    /// The rule takes utterances as they come, and speakers or a balance are given.
    pub fn split(&mut self, split: Split) -> Result<&mut Self> {
        if split.is_grouped() && matches!(split.rule, Rule::Frames(_) | Rule::Bytes(_)) {
            let message = "speakers and a balance go with a number of parts or with shares";
            return Err(Error::usage(message));
        }
        self.plan.split = Some(split);
        Ok(self)
    }

    /// Permits a loss.
    pub fn allow(&mut self, kind: LossKind) -> &mut Self {
        self.plan.policy.allow(kind);
        self
    }

    /// Permits a loss by its name, or `all`.
    ///
    /// # Errors
    /// There is no such loss.
    pub fn allow_named(&mut self, name: &str) -> Result<&mut Self> {
        match name {
            "all" => self.plan.policy.allow_all(),
            name => self.plan.policy.allow(name.parse()?),
        }
        Ok(self)
    }

    /// Replaces existing files, and the content of folders, if `yes`.
    pub fn overwrite(&mut self, yes: bool) -> &mut Self {
        self.plan.run.overwrite = yes;
        self
    }

    /// Adds files to an existing folder, if `yes`.
    pub fn add_files(&mut self, yes: bool) -> &mut Self {
        self.plan.run.add = yes;
        self
    }

    /// Writes nothing, if `yes`.
    pub fn dry_run(&mut self, yes: bool) -> &mut Self {
        self.plan.run.dry_run = yes;
        self
    }

    /// Reads outputs back and compares them before they get their names, if `yes`.
    pub fn verify(&mut self, yes: bool) -> &mut Self {
        self.plan.run.verify = yes;
        self
    }

    /// Hashes the output, if `yes`.
    pub fn hash(&mut self, yes: bool) -> &mut Self {
        self.plan.run.hash = yes;
        self
    }
}
