//! The builder as its calls find it.

use spr_core::bytes::{Env, Location};
use spr_core::format::{ErrorPolicy, Format, Registry};

use super::model::Translation;
use crate::argument::Pair;
use crate::plan::Plan;

/// The only maker of [plans](Plan).
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, MemoryStore};
/// use spr_core::format::Registry;
/// use spr_engine::builder::PlanBuilder;
/// use spr_engine::job::Job;
///
/// let store = MemoryStore::new();
/// store.insert("a.ark", b"ann [ 1 2 ]\nbob [ 3 4 ]\n".to_vec());
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
/// let plan = PlanBuilder::new(&registry, &env)
///     .input("a.ark")?
///     .stages("first(1)")?
///     .output("ark,t:b.ark")?
///     .finish()?;
/// let outcome = Job::new(plan).run(&registry, &env, &mut ())?;
/// assert_eq!(outcome.written.utterances, 1);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct PlanBuilder {
    pub(super) registry: Registry,
    pub(super) env: Env,
    pub(super) plan: Plan,
    /// The format of inputs that follow.
    pub(super) from: Option<&'static dyn Format>,
    /// Options of inputs that follow.
    pub(super) options: Vec<Pair>,
    /// The number of arguments that named inputs.
    pub(super) arguments: usize,
    /// The number of them that name validation data.
    pub(super) validation: Option<usize>,
    pub(super) on_error: ErrorPolicy,
    pub(super) tolerance: Option<u64>,
    pub(super) translation: Option<Translation>,
    pub(super) symbols: Option<Location>,
    /// The format of the output.
    pub(super) to: Option<&'static dyn Format>,
    pub(super) output_options: Vec<Pair>,
    pub(super) keeps_form: bool,
}

impl PlanBuilder {
    /// Begins a plan without inputs.
    pub fn new(registry: &Registry, env: &Env) -> Self {
        Self::of(Plan::empty(), registry, env)
    }

    /// Goes on with a plan.
    pub fn of(plan: Plan, registry: &Registry, env: &Env) -> Self {
        Self {
            registry: registry.clone(),
            env: env.clone(),
            plan,
            from: None,
            options: Vec::new(),
            arguments: 0,
            validation: None,
            on_error: ErrorPolicy::Stop,
            tolerance: None,
            translation: None,
            symbols: None,
            to: None,
            output_options: Vec::new(),
            keeps_form: false,
        }
    }

    /// Returns the environment.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Returns the formats.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }
}
