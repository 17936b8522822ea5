//! Options for opening, converting and creating data sets, as [`std::fs::OpenOptions`] has them for
//! files.

use spr_core::bytes::Env;
use spr_core::format::{ErrorPolicy, Reader, Registry, Request};
use spr_core::loss::LossKind;
use spr_core::model::Dtype;
use spr_core::{DatasetWriter, Error, Result};

use crate::builder::PlanBuilder;
use crate::builtin;
use crate::job::{Job, Outcome};
use crate::plan::Plan;

/// The settings so far, and the first error in them, which is returned in the end.
struct Settings {
    builder: PlanBuilder,
    error: Option<Error>,
}

impl Settings {
    fn new(registry: &Registry, env: &Env) -> Self {
        let env = env.clone().with_formats(registry.clone());
        Self {
            builder: PlanBuilder::new(registry, &env),
            error: None,
        }
    }

    fn set<'a>(
        &'a mut self,
        call: impl FnOnce(&'a mut PlanBuilder) -> Result<&'a mut PlanBuilder>,
    ) {
        if let Err(error) = call(&mut self.builder) {
            self.error.get_or_insert(error);
        }
    }

    /// Returns the builder of one run.
    fn builder(&self) -> Result<PlanBuilder> {
        match &self.error {
            Some(error) => Err(error.copy()),
            None => Ok(self.builder.clone()),
        }
    }
}

/// Defines the options for what is read.
macro_rules! reading_options {
    ($options:ident) => {
        impl Default for $options {
            /// The built-in formats and the [safe environment](builtin::env).
            fn default() -> Self {
                Self::new()
            }
        }

        impl $options {
            /// Begins with the built-in formats and the [safe environment](builtin::env).
            pub fn new() -> Self {
                Self::within(&builtin::registry(), &builtin::env())
            }

            /// Sets the format of the input, whatever its content.
            pub fn format(&mut self, name: &str) -> &mut Self {
                self.settings.set(|builder| builder.format(name));
                self
            }

            /// Sets an option of the input: one of its format, or a [data
            /// option](crate::step::option_keys).
            pub fn option(&mut self, key: &str, value: &str) -> &mut Self {
                self.settings.set(|builder| Ok(builder.option(key, value)));
                self
            }

            /// Adds steps as they are [written](crate::step::Steps).
            pub fn stages(&mut self, text: &str) -> &mut Self {
                self.settings.set(|builder| builder.stages(text));
                self
            }

            /// Joins the labels of another data set by key.
            pub fn labels(&mut self, input: &str) -> &mut Self {
                self.settings.set(|builder| builder.labels(input));
                self
            }

            /// Joins the transcripts of another data set by key.
            pub fn text(&mut self, input: &str) -> &mut Self {
                self.settings.set(|builder| builder.text(input));
                self
            }

            /// Joins the speakers of a table of lines `utterance speaker`.
            pub fn speakers(&mut self, table: &str) -> &mut Self {
                self.settings.set(|builder| builder.speakers(table));
                self
            }

            /// Sets the treatment of faulty utterances.
            pub fn on_error(&mut self, on_error: ErrorPolicy) -> &mut Self {
                self.settings.set(|builder| Ok(builder.on_error(on_error)));
                self
            }
        }
    };
}

/// Options for [opening](Self::open) a data set.
///
/// ```
/// # #[cfg(feature = "kaldi")] {
/// use spr_convert::OpenOptions;
///
/// let first = OpenOptions::new()
///     .option("context", "5")
///     .stages("select(ann-*)|first(1)")
///     .open("fixtures/samples/kaldi/fbank.scp")?
///     .into_iter()
///     .next()
///     .unwrap()?;
/// assert_eq!(first.features.unwrap().cols(), 440);
/// # }
/// # Ok::<(), spr_convert::Error>(())
/// ```
pub struct OpenOptions {
    settings: Settings,
}

reading_options!(OpenOptions);

impl OpenOptions {
    /// Begins with formats and an environment of the caller's choice.
    pub fn within(registry: &Registry, env: &Env) -> Self {
        Self {
            settings: Settings::new(registry, env),
        }
    }

    /// Opens `input`, an argument as on the command line, as a stream of utterances.
    ///
    /// # Errors
    /// An option or the argument is wrong, no format matches, or the header is invalid.
    pub fn open(&self, input: &str) -> Result<Box<dyn Reader>> {
        let mut builder = self.settings.builder()?;
        let plan = builder.input(input)?.finish()?;
        let opened = plan.open(Request::all(), builder.registry(), builder.env())?;
        Ok(opened.reader)
    }
}

/// Options for [converting](Self::convert) a data set, and for [creating](Self::create) one.
///
/// ```
/// # #[cfg(feature = "kaldi")] {
/// use std::sync::Arc;
/// use spr_convert::core::bytes::MemoryStore;
/// use spr_convert::{ConvertOptions, builtin};
///
/// let store = MemoryStore::new();
/// store.insert("a.ark", b"ann  [ 1 2 ]\nbob  [ 3 4 ]\n".to_vec());
/// let env = builtin::env().with_store(Arc::new(store.clone()));
/// let outcome = ConvertOptions::within(&builtin::registry(), &env)
///     .stages("first(1)")
///     .output_option("text", "true")
///     .convert("a.ark", "b.ark")?;
/// assert_eq!(outcome.written.utterances, 1);
/// assert_eq!(store.get("b.ark").unwrap(), b"ann  [ 1 2 ]\n");
/// # }
/// # Ok::<(), spr_convert::Error>(())
/// ```
pub struct ConvertOptions {
    settings: Settings,
    overwrite: bool,
    add: bool,
}

reading_options!(ConvertOptions);

impl ConvertOptions {
    /// Begins with formats and an environment of the caller's choice.
    pub fn within(registry: &Registry, env: &Env) -> Self {
        Self {
            settings: Settings::new(registry, env),
            overwrite: false,
            add: false,
        }
    }

    /// Sets the format of the output, whatever its name.
    pub fn output_format(&mut self, name: &str) -> &mut Self {
        self.settings.set(|builder| builder.output_format(name));
        self
    }

    /// Sets an option of the output's format.
    pub fn output_option(&mut self, key: &str, value: &str) -> &mut Self {
        self.settings
            .set(|builder| Ok(builder.output_option(key, value)));
        self
    }

    /// Writes labels to an output of their own.
    pub fn labels_output(&mut self, output: &str) -> &mut Self {
        self.settings.set(|builder| builder.labels_output(output));
        self
    }

    /// Changes the element type of features and sound, which permits what that loses.
    pub fn dtype(&mut self, dtype: Dtype) -> &mut Self {
        self.settings.set(|builder| Ok(builder.dtype(dtype)));
        self
    }

    /// Permits a loss.
    pub fn allow(&mut self, kind: LossKind) -> &mut Self {
        self.settings.set(|builder| Ok(builder.allow(kind)));
        self
    }

    /// Replaces existing files, and the content of folders, if `yes`.
    pub fn overwrite(&mut self, yes: bool) -> &mut Self {
        self.overwrite = yes;
        self
    }

    /// Adds files to an existing folder, if `yes`.
    pub fn add(&mut self, yes: bool) -> &mut Self {
        self.add = yes;
        self
    }

    /// Reads outputs back and compares them before they get their names, if `yes`.
    pub fn verify(&mut self, yes: bool) -> &mut Self {
        self.settings.set(|builder| Ok(builder.verify(yes)));
        self
    }

    /// Returns the plan of converting `input` to `output`, for a [`Job`] that is watched.
    ///
    /// # Errors
    /// An option or an argument is wrong.
    pub fn plan(&self, input: &str, output: &str) -> Result<Plan> {
        let mut builder = self.settings.builder()?;
        builder.overwrite(self.overwrite).add_files(self.add);
        builder.input(input)?.output(output)?.finish()
    }

    /// Converts `input` to `output`, which are arguments as on the command line.
    ///
    /// # Errors
    /// An option or an argument is wrong, the input is faulty, data would be lost, or the system
    /// refuses.
    pub fn convert(&self, input: &str, output: &str) -> Result<Outcome> {
        let builder = &self.settings.builder;
        let job = Job::new(self.plan(input, output)?);
        job.run(builder.registry(), builder.env(), &mut ())
    }

    /// Begins a data set at `output`, written as on the command line. It is there once it is
    /// [finished](DatasetWriter::finish). What is written must fit its format as it is.
    ///
    /// # Errors
    /// An option or the argument is wrong, or the output exists or can't be made.
    pub fn create(&self, output: &str) -> Result<DatasetWriter> {
        let mut builder = self.settings.builder()?;
        let target = builder.output(output)?.target()?;
        let place = target.output(self.overwrite, self.add, builder.env())?;
        DatasetWriter::create(target.format(), place, &target.options()?, builder.env())
    }
}
