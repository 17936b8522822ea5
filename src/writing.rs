//! Writes utterances one after the other to an output, for whoever has no reader of them.

use spr_core::adapt::Adapter;
use spr_core::bytes::{Env, Output};
use spr_core::format::{Registry, Writer, Written};
use spr_core::loss::{LossPolicy, LossReport};
use spr_core::model::{Dtype, Utterance};
use spr_core::{Error, Result};

use crate::argument::Target;
use crate::places;

/// What may become of the data, and of what exists.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// The losses that are allowed.
    pub policy: LossPolicy,
    /// The element type of the features, if it is to change.
    pub dtype: Option<Dtype>,
    /// Whether files that exist may be replaced, and all that a folder holds.
    pub overwrite: bool,
    /// Whether files may be added to a folder that exists.
    pub add: bool,
}

/// A data set that is written utterance by utterance, each made to fit as a [`Job`](crate::job::Job)
/// does it. It is there once it is [finished](Self::finish); dropping it leaves nothing.
///
/// ```
/// use std::sync::Arc;
/// use spr_convert::argument::Target;
/// use spr_convert::core::bytes::MemoryStore;
/// use spr_convert::core::model::{Matrix, Rank, Utterance};
/// use spr_convert::{builtin, writing::{Permissions, Writing}};
///
/// let store = MemoryStore::new();
/// let (registry, env) = (builtin::registry(), builtin::env().with_store(Arc::new(store.clone())));
/// let target = Target::parse("out.pfile", None, &[], &registry, &env)?;
/// let mut writing = Writing::begin(target, Permissions::default(), registry, env)?;
/// for value in [0.5, 0.1] {
///     let features = Matrix::from_rows(&[value], 1, Rank::Matrix)?;
///     let mut utt = Utterance { key: "a".into(), features: Some(features), ..Utterance::default() };
///     // Of these two only 0.5 is as precise as an f32.
///     assert_eq!(writing.write(&mut utt).is_ok(), value == 0.5);
/// }
/// assert!(store.get("out.pfile").is_none());
/// assert_eq!(writing.finish()?.utterances, 1);
/// assert!(store.get("out.pfile").is_some());
/// # Ok::<(), spr_convert::Error>(())
/// ```
pub struct Writing {
    target: Target,
    permissions: Permissions,
    registry: Registry,
    env: Env,
    open: Option<Open>,
    /// Whether a fault of the output was told already.
    lost: bool,
}

struct Open {
    writer: Box<dyn Writer>,
    output: Output,
    adapter: Adapter,
}

impl Writing {
    /// Begins a data set.
    ///
    /// # Errors
    /// The output exists or can't be made, or an option of it is wrong.
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
            // What is written depends on the first utterance; whether it may be does not.
            true => drop(writing.output()?),
            false => writing.open = Some(writing.opened()?),
        }
        Ok(writing)
    }

    fn output(&self) -> Result<Output> {
        let Permissions { overwrite, add, .. } = self.permissions;
        self.target.output(overwrite, add, &self.env)
    }

    fn opened(&self) -> Result<Open> {
        let (target, env) = (&self.target, &self.env);
        let output = self.output()?;
        let overwrite = self.permissions.overwrite;
        places::discard_old(target, &output, overwrite, &self.registry, env)?;
        let format = target.format();
        Ok(Open {
            writer: format.create(output.clone(), &target.options()?, env)?,
            output,
            adapter: Adapter::new(target.caps()?, self.permissions.dtype, false, env),
        })
    }

    /// Makes an utterance fit, and writes it.
    ///
    /// # Errors
    /// With [`can_continue`](Error::can_continue) it is not written and others can be; what would be
    /// lost and is not allowed is such an error. After any other the output is lost.
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

    /// What was lost so far, as allowed.
    pub fn losses(&self) -> LossReport {
        let adapter = self.open.as_ref().map(|open| &open.adapter);
        adapter.map_or_else(LossReport::default, |adapter| adapter.report().clone())
    }

    /// Completes all files and gives them their final names.
    ///
    /// # Errors
    /// The system refuses, or the output was lost before.
    pub fn finish(mut self) -> Result<Written> {
        if self.lost {
            return Err(self.is_lost());
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.opened()?,
        };
        let written = open.writer.finish()?;
        open.output.commit()?;
        Ok(written)
    }

    fn is_lost(&self) -> Error {
        Error::unfit("was given up after an error").file(self.target.text())
    }
}

impl Open {
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
