//! Answers, and objects of Python made directly from their reports, without JSON in between. Most callers read a
//! few fields of a large report, so a list of objects in an object, such as the factors of a result, is made only
//! when it is read.

mod builder;

use builder::{BuildError, Builder, Place, Step, Wanted};
use kitbag_cli::HostAnswer;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde::Serialize;

/// The answer to a call.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeAnswer(pub HostAnswer);

/// A class and its fields.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeShape {
    /// The class, and its `__new__`. The shape of a whole report has none: its fields are read one by one.
    class: Option<(Py<PyAny>, Py<PyAny>)>,
    fields: Vec<Field>,
}

/// An object in an answer.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativePart {
    answer: Py<NativeAnswer>,
    /// Steps from the report to the object.
    path: Vec<Step>,
}

/// A field as Python describes it.
#[derive(FromPyObject)]
struct FieldArguments {
    name: Py<PyString>,
    default: Py<PyAny>,
    is_factory: bool,
    is_late: bool,
    shape: Option<Py<NativeShape>>,
}

struct Field {
    key: String,
    name: Py<PyString>,
    /// Value of a field that is not in the report, or a function that returns it.
    default: Py<PyAny>,
    is_factory: bool,
    /// Whether it is made when it is first read.
    is_late: bool,
    /// Shape of the objects in the field.
    shape: Option<Py<NativeShape>>,
}

impl Field {
    fn default<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let default = self.default.bind(py);
        if self.is_factory { default.call0() } else { Ok(default.clone()) }
    }

    fn shape(&self) -> Option<&NativeShape> {
        self.shape.as_ref().map(|shape| shape.get())
    }
}

#[pymethods]
impl NativeAnswer {
    /// Text of a pack.
    #[getter]
    fn content(&self) -> Option<&str> {
        self.0.content()
    }

    /// Time that the engine took, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.0.duration.as_secs_f64()
    }

    /// The whole report as JSON.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.json())
    }

    /// The whole report, to read fields of.
    fn part(slf: Py<Self>) -> NativePart {
        NativePart::whole(slf)
    }
}

impl NativeAnswer {
    pub fn report(&self) -> &impl Serialize {
        self.0.report()
    }
}

#[pymethods]
impl NativeShape {
    #[new]
    fn new(
        py: Python<'_>,
        class: Option<Py<PyAny>>,
        fields: Vec<FieldArguments>,
    ) -> PyResult<Self> {
        let class = match class {
            Some(class) => {
                let new = class.getattr(py, "__new__")?;
                Some((class, new))
            }
            None => None,
        };
        let field = |it: FieldArguments| {
            let FieldArguments { name, default, is_factory, is_late, shape } = it;
            let key = name.to_str(py)?.to_owned();
            Ok(Field { key, name, default, is_factory, is_late, shape })
        };
        Ok(Self { class, fields: fields.into_iter().map(field).collect::<PyResult<_>>()? })
    }
}

impl NativeShape {
    /// Returns the position of a field. Fields usually come in order.
    fn position(&self, key: &str, expected: usize) -> Option<usize> {
        let is_named = |field: &Field| field.key == key;
        if self.fields.get(expected).is_some_and(is_named) {
            return Some(expected);
        }
        self.fields.iter().position(is_named)
    }
}

#[pymethods]
impl NativePart {
    /// Makes the value of a field of this object.
    fn read<'py>(
        &self,
        py: Python<'py>,
        shape: &NativeShape,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(field) = shape.position(name, 0) else {
            return Err(PyAttributeError::new_err(format!("no field `{name}`")));
        };
        let builder = Builder {
            answer: self.answer.bind(py),
            shape: Some(shape),
            place: &Place::Path(&self.path),
            wanted: Some(Wanted { path: &self.path, field }),
        };
        let report = self.answer.get().report();
        report.serialize(builder).map_err(|BuildError(error)| error)
    }
}

impl NativePart {
    /// The report as a whole.
    pub fn whole(answer: Py<NativeAnswer>) -> Self {
        Self { answer, path: Vec::new() }
    }
}
