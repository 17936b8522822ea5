//! What is told of a data set: sums, and the columns of its utterances.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::json;
use spr_convert::core::ErrorKind;
use spr_convert::core::format::Reader;
use spr_convert::core::model::Utterance;
use spr_convert::stats::{COLUMNS, Cell, Groups, ListColumn, Row, Scope, Survey};
use spr_convert::verbs::groups;
use spr_convert::verbs::stats::{AudioLoader, Facts};
use spr_convert::{Error, Result};

use crate::failure::apart;
use crate::input::DatasetPlan;
use crate::settings::Settings;
use crate::text;

/// Sums up a data set, or its groups with equal values in columns. Returns an object of JSON, or a
/// list of them.
#[pyfunction]
pub(crate) fn stats(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    by: Vec<String>,
) -> PyResult<String> {
    let at = settings.surroundings();
    let told = apart(py, || {
        let input = asked.get().input(&at)?;
        let by = groups::parse(&by)?;
        let (mut reader, format) = AudioLoader::open(&input, &at.registry, &at.env)?;
        let told = if by.is_empty() {
            let mut survey = Survey::new(Scope::Numbers, reader.info());
            survey.read(&mut reader)?;
            json!(Facts::of(&survey, input.text(), format))
        } else {
            let mut all = Groups::new(&by, reader.info());
            all.read(&mut reader)?;
            for name in all.unknown() {
                let warning = Error::unfit(format!("no utterance has '{name}'"));
                at.env.warn(&warning.file(input.text()));
            }
            json!(groups::objects((input.text(), format), &by, &all, None))
        };
        match reader.fault() {
            Some(error) if error.kind() == ErrorKind::Io => return Err(error),
            Some(error) => at.env.warn(&error),
            None => {}
        }
        Ok(told.to_string())
    });
    at.close(py)?;
    told
}

/// A value of a column, apart from its utterance.
enum Value {
    Unknown,
    Count(u64),
    Number(f64),
    Text(Vec<u8>),
    Words(Vec<String>),
}

impl From<Option<Cell<'_>>> for Value {
    fn from(cell: Option<Cell<'_>>) -> Self {
        match cell {
            None => Self::Unknown,
            Some(Cell::Count(count)) => Self::Count(count),
            Some(Cell::Number(number)) => Self::Number(number),
            Some(Cell::Text(text)) => Self::Text(text.to_vec()),
            Some(Cell::Words(words)) => {
                Self::Words(words.iter().map(ToString::to_string).collect())
            }
        }
    }
}

impl Value {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Unknown => py.None().into_bound(py),
            Self::Count(count) => count.into_pyobject(py)?.into_any(),
            Self::Number(number) => number.into_pyobject(py)?.into_any(),
            Self::Text(bytes) => text::of_bytes(py, bytes)?.into_any(),
            Self::Words(words) => PyList::new(py, words)?.into_any(),
        })
    }
}

/// Returns the columns of `ls` of these names, or all, each as the list of its values.
#[pyfunction]
pub(crate) fn columns<'py>(
    py: Python<'py>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    names: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let at = settings.surroundings();
    let data = asked.get().resolve(py, &at)?;
    let listed = apart(py, || {
        let shown = names.iter().map(|name| ListColumn::find(name));
        let mut shown = shown.collect::<Result<Vec<_>>>()?;
        if shown.is_empty() {
            shown.extend(COLUMNS);
        }
        let mut values: Vec<Vec<Value>> = shown.iter().map(|_| Vec::new()).collect();
        let mut reader = asked.get().open(data, 0, &at)?;
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            let of_all = reader.info().frame_shift;
            utt.meta.frame_shift = utt.meta.frame_shift.or(of_all);
            let row = Row::new(&utt, None);
            for (column, values) in shown.iter().zip(&mut values) {
                values.push(column.take(&row).into());
            }
        }
        Ok((shown, values))
    });
    at.close(py)?;
    let (shown, values) = listed?;
    let table = PyDict::new(py);
    for (column, values) in shown.iter().zip(&values) {
        let values = values.iter().map(|value| value.to_python(py));
        let values = values.collect::<PyResult<Vec<_>>>()?;
        table.set_item(column.name, PyList::new(py, values)?)?;
    }
    Ok(table)
}
