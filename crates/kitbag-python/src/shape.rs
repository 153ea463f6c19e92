//! Objects of Python made directly from the JSON of a report: an eighth of the time that `json.loads` and a
//! constructor for each object take.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A class and its fields.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeShape {
    /// The class, and its `__new__`. Without one, the fields become a dictionary.
    class: Option<(Py<PyAny>, Py<PyAny>)>,
    fields: Vec<Field>,
}

/// A field as Python describes it.
#[derive(FromPyObject)]
struct FieldArguments {
    name: Py<PyString>,
    default: Py<PyAny>,
    is_factory: bool,
    is_float: bool,
    shape: Option<Py<NativeShape>>,
}

struct Field {
    key: String,
    name: Py<PyString>,
    /// Value of a field that is not in the JSON, or a function that returns it.
    default: Py<PyAny>,
    is_factory: bool,
    is_float: bool,
    /// Shape of the objects in the field.
    shape: Option<Py<NativeShape>>,
}

impl Field {
    fn default<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let default = self.default.bind(py);
        if self.is_factory { default.call0() } else { Ok(default.clone()) }
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
            let FieldArguments { name, default, is_factory, is_float, shape } = it;
            let key = name.to_str(py)?.to_owned();
            Ok(Field { key, name, default, is_factory, is_float, shape })
        };
        Ok(Self { class, fields: fields.into_iter().map(field).collect::<PyResult<_>>()? })
    }
}

impl NativeShape {
    /// Makes the object of a JSON text.
    pub fn read<'py>(&self, py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let seed = Seed { py, shape: Some(self) };
        seed.deserialize(&mut deserializer)
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }

    /// Returns the position of a field. Fields usually come in order.
    fn position(&self, key: &str, expected: usize) -> Option<usize> {
        let is_named = |field: &Field| field.key == key;
        if self.fields.get(expected).is_some_and(is_named) {
            return Some(expected);
        }
        self.fields.iter().position(is_named)
    }
}

/// Reads a value, or an object of a class if there is a shape, or a list of such objects.
#[derive(Clone, Copy)]
struct Seed<'a, 'py> {
    py: Python<'py>,
    shape: Option<&'a NativeShape>,
}

impl<'py> Seed<'_, 'py> {
    fn dictionary<'de, M: MapAccess<'de>>(self, mut map: M) -> Result<Bound<'py, PyAny>, M::Error> {
        let dictionary = PyDict::new(self.py);
        while let Some(key) = map.next_key::<String>()? {
            dictionary.set_item(key, map.next_value_seed(self)?).map_err(Error::custom)?;
        }
        Ok(dictionary.into_any())
    }

    fn object<'de, M: MapAccess<'de>>(
        self,
        shape: &NativeShape,
        mut map: M,
    ) -> Result<Bound<'py, PyAny>, M::Error> {
        let py = self.py;
        let object = match &shape.class {
            Some((class, new)) => new.bind(py).call1((class,)).map_err(Error::custom)?,
            None => PyDict::new(py).into_any(),
        };
        let set = |field: &Field, value: Bound<'py, PyAny>| match &shape.class {
            Some(_) => object.setattr(field.name.bind(py), value),
            None => object.set_item(field.name.bind(py), value),
        };
        let mut is_set = vec![false; shape.fields.len()];
        let mut expected = 0;
        while let Some(found) = map.next_key_seed(Key { shape, expected })? {
            let Some(position) = found else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let field = &shape.fields[position];
            let nested = field.shape.as_ref().map(|shape| shape.get());
            let value = match field.is_float {
                true => float(py, map.next_value()?)?,
                false => map.next_value_seed(Seed { py, shape: nested })?,
            };
            set(field, value).map_err(Error::custom)?;
            is_set[position] = true;
            expected = position + 1;
        }
        for (field, _) in shape.fields.iter().zip(is_set).filter(|(_, is_set)| !is_set) {
            field.default(py).and_then(|value| set(field, value)).map_err(Error::custom)?;
        }
        Ok(object)
    }
}

impl<'de, 'py> DeserializeSeed<'de> for Seed<'_, 'py> {
    type Value = Bound<'py, PyAny>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'py> Visitor<'de> for Seed<'_, 'py> {
    type Value = Bound<'py, PyAny>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        value.into_pyobject(self.py).map(|it| it.to_owned().into_any()).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        value.into_pyobject(self.py).map(Bound::into_any).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        value.into_pyobject(self.py).map(Bound::into_any).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(PyFloat::new(self.py, value).into_any())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(PyString::new(self.py, value).into_any())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(self)? {
            values.push(value);
        }
        PyList::new(self.py, values).map(Bound::into_any).map_err(A::Error::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        match self.shape {
            Some(shape) => self.object(shape, map),
            None => self.dictionary(map),
        }
    }
}

/// Reads a number to its last bit, as Python does, which serde_json does not by default.
fn float<'py, E: Error>(py: Python<'py>, json: &RawValue) -> Result<Bound<'py, PyAny>, E> {
    match json.get() {
        "null" => Ok(py.None().into_bound(py)),
        number => Ok(PyFloat::new(py, number.parse().map_err(E::custom)?).into_any()),
    }
}

/// Reads a key as the position of its field.
struct Key<'a> {
    shape: &'a NativeShape,
    expected: usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.shape.position(key, self.expected))
    }
}
