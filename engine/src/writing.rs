//! Sequential writing of utterances that do not come from a reader.

use spr_core::adapt::Adapter;
use spr_core::bytes::{Env, Output};
use spr_core::format::{Registry, WriteSummary, Writer, create};
use spr_core::loss::{LossPolicy, LossReport};
use spr_core::model::{About, Dtype, Utterance};
use spr_core::{Error, Result};

use crate::argument::Target;
use crate::places;

/// The permissions for losses and replacement.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// The permitted losses.
    pub policy: LossPolicy,
    /// The new element type of the features, if it changes.
    pub dtype: Option<Dtype>,
    /// Whether existing files, and the content of folders, may be replaced.
    pub overwrite: bool,
    /// Whether files may be added to an existing folder.
    pub add: bool,
}

/// A data set that is written utterance by utterance, each made to fit as a [`Job`](crate::job::Job)
/// does it. It is there once it is [finished](Self::finish); dropping it leaves nothing.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, MemoryStore};
/// use spr_core::format::Registry;
/// use spr_core::model::{Dtype, Matrix, Rank, Utterance};
/// use spr_engine::argument::Target;
/// use spr_engine::writing::{Permissions, Writing};
///
/// let store = MemoryStore::new();
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
/// let target = Target::parse("ark,t:out.txt", None, &[], &registry, &env)?;
/// let permissions = Permissions { dtype: Some(Dtype::F32), ..Permissions::default() };
/// let mut writing = Writing::begin(target, permissions, registry, env)?;
/// for value in [0.5, 0.1] {
///     let features = Matrix::from_rows(&[value], 1, Rank::Matrix)?;
///     let mut utt = Utterance { key: "a".into(), features: Some(features), ..Utterance::default() };
///     // Of these two only 0.5 is as precise as an f32.
///     assert_eq!(writing.write(&mut utt).is_ok(), value == 0.5);
/// }
/// assert!(store.get("out.txt").is_none());
/// assert_eq!(writing.finish()?.utterances, 1);
/// assert!(store.get("out.txt").is_some());
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct Writing {
    target: Target,
    permissions: Permissions,
    registry: Registry,
    env: Env,
    open: Option<OpenOutput>,
    /// Whether an error of the output was already returned.
    lost: bool,
}

struct OpenOutput {
    writer: Box<dyn Writer>,
    output: Output,
    adapter: Adapter,
}

impl Writing {
    /// Creates a data set.
    ///
    /// # Errors
    /// The output exists or cannot be created, or an option is invalid.
    pub fn begin(
        target: Target,
        permissions: Permissions,
        registry: Registry,
        env: Env,
    ) -> Result<Self> {
        if target.is_numbered() {
            let error = Error::usage("has {part}, but is not written in parts");
            return Err(error.file(target.text()));
        }
        let mut writing = Self {
            permissions: Permissions {
                policy: target.policy(&permissions.policy),
                ..permissions
            },
            target,
            registry,
            env,
            open: None,
            lost: false,
        };
        match writing.target.follows_data() {
            // The variant depends on the first utterance; permission to write does not.
            true => drop(writing.output()?),
            false => writing.open = Some(writing.opened()?),
        }
        Ok(writing)
    }

    fn output(&self) -> Result<Output> {
        let Permissions { overwrite, add, .. } = self.permissions;
        self.target.output(overwrite, add, &self.env)
    }

    fn opened(&self) -> Result<OpenOutput> {
        let (target, env) = (&self.target, &self.env);
        let output = self.output()?;
        let overwrite = self.permissions.overwrite;
        places::discard_old(target, &output, overwrite, &self.registry, env)?;
        let format = target.format();
        Ok(OpenOutput {
            writer: create(
                format,
                output.clone(),
                &target.options()?,
                &About::default(),
                env,
            )?,
            output,
            adapter: Adapter::new(target.caps()?, self.permissions.dtype, false, env),
        })
    }

    /// Adapts an utterance, and writes it.
    ///
    /// # Errors
    /// If it [`can_continue`](Error::can_continue), the utterance is not written and others can be,
    /// as after a loss that is not permitted. Otherwise the output is lost.
    pub fn write(&mut self, utt: &mut Utterance) -> Result<()> {
        if self.lost {
            return Err(self.is_lost());
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => {
                self.target = self.target.suited_to(utt);
                self.opened()?
            }
        };
        let result = open.write(utt, &self.permissions.policy, &self.target);
        match &result {
            Err(error) if !error.can_continue() => self.lost = true,
            _ => self.open = Some(open),
        }
        result
    }

    /// Returns the permitted losses so far.
    pub fn losses(&self) -> LossReport {
        let adapter = self.open.as_ref().map(|open| &open.adapter);
        adapter.map_or_else(LossReport::default, |adapter| adapter.report().clone())
    }

    /// Completes and commits all files.
    ///
    /// # Errors
    /// The system refuses, or the output was lost before.
    pub fn finish(mut self) -> Result<WriteSummary> {
        if self.lost {
            return Err(self.is_lost());
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.opened()?,
        };
        let written = open.writer.finish()?;
        let format = self.target.format().info().name;
        let policy = &self.permissions.policy;
        if let Some(error) = written.lost.denied(policy, format) {
            return Err(error.file(self.target.text()));
        }
        open.output.commit()?;
        Ok(written)
    }

    fn is_lost(&self) -> Error {
        Error::unfit("was given up after an error").file(self.target.text())
    }
}

impl OpenOutput {
    fn write(&mut self, utt: &mut Utterance, policy: &LossPolicy, target: &Target) -> Result<()> {
        self.adapter.apply(utt)?;
        let format = target.format().info().name;
        if let Some(error) = self.adapter.denied(policy, format) {
            let error = error.file(target.text()).utterance(&utt.key);
            return Err(error.continuable());
        }
        self.writer.write(utt).map_err(|e| e.utterance(&utt.key))?;
        self.adapter.keep();
        Ok(())
    }
}
