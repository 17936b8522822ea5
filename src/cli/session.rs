//! State shared by one run of the program.

use std::sync::{Arc, OnceLock};

use clap::Command;
use spr_core::bytes::{Access, Env};
use spr_core::format::Registry;
use spr_core::{Error, Limits};

use super::warnings::Warnings;
use super::{messages, misspelt};
use crate::builtin::Places;

/// The state of one run of the program: one store for all that it reads and writes, and one
/// registry.
pub(super) struct Session {
    pub(super) registry: Registry,
    pub(super) store: Arc<Places>,
    pub(super) warnings: Arc<Warnings>,
    /// The surroundings whose replacements of names are told if they applied to none.
    moving: OnceLock<Env>,
    /// Whether errors are told as JSON.
    json: bool,
    /// Gives the verbs and their arguments, for these formats.
    command: fn(&Registry) -> Command,
}

impl Session {
    pub(super) fn new(
        registry: Registry,
        places: &Places,
        json: bool,
        command: fn(&Registry) -> Command,
    ) -> Self {
        Self {
            store: Arc::new(places.clone()),
            warnings: Arc::new(Warnings::new(registry.clone())),
            registry,
            moving: OnceLock::new(),
            json,
            command,
        }
    }

    /// The verbs and their arguments.
    pub(super) fn command(&self) -> Command {
        (self.command)(&self.registry)
    }

    /// Surroundings that print warnings; quiet ones only those of what was left out.
    pub(super) fn env(&self, limits: Limits, access: Access, quiet: bool) -> Env {
        let warnings = self.warnings.clone();
        Env::new(limits, access, |_| {})
            .sorting(move |warning, sort| {
                if !quiet || sort.leaves_out() {
                    warnings.hear(warning, sort, quiet);
                }
            })
            .with_store(self.store.clone())
            .with_formats(self.registry.clone())
    }

    /// Has replacements of names in these surroundings told at the end, if they applied to none.
    pub(super) fn moves(&self, env: &Env) {
        self.moving.get_or_init(|| env.clone());
    }

    /// Tells which replacements of names applied to none.
    pub(super) fn tell_idle_paths(&self) {
        let idle = self.moving.get().map(Env::idle_paths);
        for text in idle.unwrap_or_default() {
            messages::say(
                "warning",
                &format!("--map-path {text}: no name that was read begins so"),
            );
        }
    }

    /// Surroundings for what takes no data from outside.
    pub(super) fn plain_env(&self, quiet: bool) -> Env {
        self.env(Limits::default(), Access::Typed, quiet)
    }

    /// Surroundings without warnings, for looking at what may have been meant.
    pub(super) fn silent_env(&self) -> Env {
        self.plain_env(true).listening(|_| {})
    }

    /// Tells an error, with what may have been meant.
    pub(super) fn error(&self, error: Error) {
        let error = misspelt::file(error, &self.registry, &self.silent_env());
        match self.json {
            true => {
                let mut told = messages::error_json(&error, &self.registry);
                told["status"] = super::exit::FAILED.into();
                messages::json(&told);
            }
            false => messages::error(&error, &self.registry),
        }
    }

    /// Tells what clap has to say of the arguments, help or a complaint, and gives the exit status.
    pub(super) fn usage(&self, error: &clap::Error) -> u8 {
        match messages::usage(error, || self.command(), &self.registry) {
            Ok(status) => status,
            Err(error) if error.is_broken_pipe() => super::exit::DONE,
            Err(error) => {
                self.error(error);
                super::exit::FAILED
            }
        }
    }
}
