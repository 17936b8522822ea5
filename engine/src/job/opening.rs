//! The inputs of a job as one reader, with all work on them.

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{AudioCaps, ChunkSupport, FieldSet, Keys, Reader, Registry, Request};
use spr_core::model::SourceField;

use super::meter::Meter;
use crate::argument::{OpenedInput, Target};
use crate::open::{self, Faults, IntactSound, open_all};
use crate::plan::order::Order;
use crate::plan::{Plan, Work};
use crate::step::{ListCache, Needed, Unmet};

/// What the type of values is about.
const VALUES: Needed = Needed {
    what: "features or sound",
    is_in: |utt| utt.features.is_some() || utt.audio.is_some(),
};

/// What the type of labels is about: they, or what may become labels.
const LABELS: Needed = Needed {
    what: "labels",
    is_in: |utt| {
        let becomes = !utt.tiers.is_empty() || utt.text.is_some() || utt.object.is_some();
        utt.labels.is_some() || becomes
    },
};

/// The opening of a job: the order of its work, and the request for its inputs.
pub(super) struct Opening<'a> {
    plan: &'a Plan,
    order: Order,
    request: Request,
    meter: Meter,
    files: ListCache,
}

impl<'a> Opening<'a> {
    /// Creates the opening of a plan that writes to these targets.
    ///
    /// # Errors
    /// An option of a target is wrong, or something has to be read twice and can't be.
    pub(super) fn of(
        plan: &'a Plan,
        target: &Target,
        others: &[&Target],
        env: &Env,
    ) -> Result<Self> {
        let targets = || std::iter::once(target).chain(others.iter().copied());
        let caps = targets().map(Target::caps).collect::<Result<Vec<_>>>()?;
        let tells = caps
            .iter()
            .any(|caps| caps.source.contains(&SourceField::Speaker));
        let order = Order::of(plan, tells)?;
        open::check_pipes(&order, env)?;
        // If no key is stored, keys need not be unique.
        let named = caps.iter().any(|caps| caps.keys != Keys::None);
        let forms = caps.iter().map(|caps| caps.forms());
        let forms = forms.reduce(FieldSet::or).unwrap_or(FieldSet::ALL);
        let looks =
            plan.split.is_some() || plan.run.verify || plan.run.hash || plan.manifest.is_some();
        let chunked = match looks || target.on_error.skips() || !order.passes_chunks() {
            true => ChunkSupport::No,
            false => caps
                .iter()
                .map(|caps| caps.chunked)
                .fold(ChunkSupport::Any, Ord::min),
        };
        // The audio goes only to the first of them. Targets that store references in place of
        // files, such as JSON lines, get samples that can be read.
        let audio = target.caps()?.audio;
        let files = match audio.references {
            true => &[],
            false => audio.encoded,
        };
        let request = plan
            .request()
            .distinct(plan.distinct && named)
            .chunks(chunked)
            .forms(forms)
            .files(files)
            .references(names_sound(target, &audio))
            .keep_stored(target.keeps_stored().then(|| target.format().info().name));
        Ok(Self {
            plan,
            order,
            request,
            meter: Meter::default(),
            files: ListCache::default(),
        })
    }

    /// The same, with what is read counted.
    pub(super) fn metered(self, meter: Meter) -> Self {
        Self { meter, ..self }
    }

    /// Opens all inputs as one reader, with everything that is to become of it.
    ///
    /// # Errors
    /// The first input can't be opened, or what joins it.
    pub(super) fn open(&self, registry: &Registry, env: &Env) -> Result<OpenedInput> {
        let (inputs, each, files) = (&self.order.inputs, &self.order.each, &self.files);
        let faults = Faults::RETURNED;
        let request = self.request.clone();
        let request = open::keys_first(&self.order.steps, request, files, (registry, env))?;
        let metered = self.meter.watch(env);
        let opened = open_all(
            inputs,
            each,
            request.clone(),
            faults,
            files,
            (registry, &metered),
        )?;
        let at = (registry, env);
        // A job's shard, if it is one, is cut before: there is nothing beyond it here.
        let again = |_| open::open_again(inputs, each, request.clone(), faults, files, at);
        let work = [&self.order.steps[..], &self.order.joins].concat();
        let partitioning = opened.format.info().pdnn;
        let mut reader = self.meter.attach(opened.reader);
        if self.plan.damaged {
            reader = Box::new(IntactSound::new(reader, env));
        }
        let reader = open::over(reader, &work, (0, partitioning), &again, files, at)?;
        let reader = self.typed(reader, env);
        Ok(OpenedInput { reader, ..opened })
    }

    /// Warns of types that were asked for in vain.
    fn typed(&self, mut reader: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
        if let Some(dtype) = self.plan.dtype {
            reader = Box::new(Unmet::new(reader, VALUES, format!("the type {dtype}"), env));
        }
        if let Some(dtype) = self.plan.label_dtype {
            let asked = format!("the type {dtype} of labels");
            reader = Box::new(Unmet::new(reader, LABELS, asked, env));
        }
        reader
    }

    /// Opens what is read beforehand only for `facts`, with the steps, and without a word.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(super) fn open_to_count(
        &self,
        facts: &Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let quiet = env.listening(|_| {});
        // Faulty utterances that will be skipped are not counted, which requires reading
        // everything.
        let skips = self.skips();
        let mut request = self
            .plan
            .request()
            .on_error(self.plan.on_error())
            .distinct(self.plan.distinct);
        let (inputs, each, files) = (&self.order.inputs, &self.order.each, &self.files);
        let only_measures = |work: &Work| matches!(work, Work::Measure(_));
        let faults = Faults::RETURNED;
        if self.order.steps.iter().all(only_measures) && !skips {
            (request.values, request.parts) = (facts.values, facts.parts);
        }
        let at = (registry, &quiet);
        let opened = open_all(inputs, each, request.clone(), faults, files, at)?;
        // A job's shard, if it is one, is cut before: there is nothing beyond it here.
        let again = |_| open::open_again(inputs, each, request.clone(), faults, files, at);
        let partitioning = opened.format.info().pdnn;
        // Utterances without labels are skipped as well.
        let joins = if skips { &self.order.joins[..] } else { &[] };
        let work = [&self.order.steps[..], joins].concat();
        let reader = open::over(opened.reader, &work, (0, partitioning), &again, files, at)?;
        Ok(OpenedInput { reader, ..opened })
    }

    /// Returns `true` if faulty utterances are skipped, at least of one input.
    pub(super) fn skips(&self) -> bool {
        self.plan.on_error().skips()
    }

    /// Returns the meter of what was read and decoded.
    pub(super) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Checks that what is read can be read a second time.
    ///
    /// # Errors
    /// An input is a pipe.
    pub(super) fn check_lasting(&self, env: &Env) -> Result<()> {
        open::check_lasting(&self.order, env)
    }
}

/// Returns `true` if an output names sound files rather than holding their sound: it holds none, or it
/// is a folder in which names stand for it.
fn names_sound(target: &Target, audio: &AudioCaps) -> bool {
    let is_folder = target.format().folder().is_some() && target.is_folder();
    audio.references && (audio.dtypes.is_empty() || is_folder)
}
