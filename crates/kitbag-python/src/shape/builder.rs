//! Serializes a report as objects of Python.

use super::{Field, NativeAnswer, NativePart, NativeShape};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt;

type Built<'py> = Result<Bound<'py, PyAny>, BuildError>;

/// A step from a value to one inside it.
#[derive(Clone, PartialEq, Eq)]
pub enum Step {
    Field(String),
    Item(usize),
}

/// The place of a value in the report.
pub enum Place<'a> {
    Path(&'a [Step]),
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn path(&self) -> Vec<Step> {
        let (parent, step) = match self {
            Self::Path(path) => return path.to_vec(),
            Self::Field(parent, key) => (parent, Step::Field((*key).to_owned())),
            Self::Item(parent, index) => (parent, Step::Item(*index)),
        };
        let mut path = parent.path();
        path.push(step);
        path
    }
}

/// A field of an object, by its position in the shape. Nothing but this field is made.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Steps from the value to the object.
    pub path: &'a [Step],
    pub field: usize,
}

/// Makes a value, or an object of a class if there is a shape, or a list of such objects.
#[derive(Clone, Copy)]
pub struct Builder<'a, 'py> {
    pub answer: &'a Bound<'py, NativeAnswer>,
    pub shape: Option<&'a NativeShape>,
    pub place: &'a Place<'a>,
    pub wanted: Option<Wanted<'a>>,
}

/// An exception of Python, or a value that is not where it should be.
#[derive(Debug)]
pub struct BuildError(pub PyErr);

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for BuildError {}

impl serde::ser::Error for BuildError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(PyRuntimeError::new_err(message.to_string()))
    }
}

impl From<PyErr> for BuildError {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl<'a, 'py> Builder<'a, 'py> {
    fn py(self) -> Python<'py> {
        self.answer.py()
    }

    fn float(self, value: f64) -> Built<'py> {
        // As in JSON.
        if value.is_finite() {
            Ok(PyFloat::new(self.py(), value).into_any())
        } else {
            self.serialize_none()
        }
    }

    fn list(self, variant: Option<&'static str>) -> ListBuilder<'a, 'py> {
        ListBuilder { builder: self, variant, values: Vec::new(), count: 0 }
    }

    fn object(self, variant: Option<&'static str>) -> Result<ObjectBuilder<'a, 'py>, BuildError> {
        let py = self.py();
        let object = match (self.wanted, self.shape) {
            (Some(wanted), _) => Object::Wanted(wanted, None),
            (None, None) => Object::Dictionary(PyDict::new(py)),
            (None, Some(shape)) => {
                let value = match &shape.class {
                    Some((class, new)) => new.bind(py).call1((class,))?,
                    None => return Err(serde::ser::Error::custom("a report has no class")),
                };
                let is_set = vec![false; shape.fields.len()];
                Object::Shaped(Shaped { shape, value, is_set, next: 0, has_late: false })
            }
        };
        Ok(ObjectBuilder { builder: self, variant, object, key: None })
    }

    /// Wraps the value of a variant of an enum, as JSON does.
    fn tagged(self, variant: Option<&str>, value: Bound<'py, PyAny>) -> Built<'py> {
        let Some(variant) = variant else { return Ok(value) };
        let dictionary = PyDict::new(self.py());
        dictionary.set_item(variant, value)?;
        Ok(dictionary.into_any())
    }
}

/// Methods for values of types that Python has.
macro_rules! serialize_plain {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Built<'py> {
            let Ok(value) = value.into_pyobject(self.py());
            Ok(value.into_any())
        })*
    };
}

impl<'a, 'py> Serializer for Builder<'a, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = BuildError;
    type SerializeSeq = ListBuilder<'a, 'py>;
    type SerializeTuple = ListBuilder<'a, 'py>;
    type SerializeTupleStruct = ListBuilder<'a, 'py>;
    type SerializeTupleVariant = ListBuilder<'a, 'py>;
    type SerializeMap = ObjectBuilder<'a, 'py>;
    type SerializeStruct = ObjectBuilder<'a, 'py>;
    type SerializeStructVariant = ObjectBuilder<'a, 'py>;

    serialize_plain! {
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_char char
    }

    fn serialize_bool(self, value: bool) -> Built<'py> {
        let Ok(value) = value.into_pyobject(self.py());
        Ok(value.to_owned().into_any())
    }

    fn serialize_f32(self, value: f32) -> Built<'py> {
        // The number with the fewest digits, as in JSON: 0.1 rather than 0.10000000149.
        let value = value.to_string().parse().map_err(<BuildError as serde::ser::Error>::custom)?;
        self.float(value)
    }

    fn serialize_f64(self, value: f64) -> Built<'py> {
        self.float(value)
    }

    fn serialize_str(self, value: &str) -> Built<'py> {
        Ok(PyString::new(self.py(), value).into_any())
    }

    fn serialize_bytes(self, value: &[u8]) -> Built<'py> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Built<'py> {
        Ok(self.py().None().into_bound(self.py()))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Built<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Built<'py> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Built<'py> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Built<'py> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Built<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Built<'py> {
        self.tagged(Some(variant), value.serialize(self)?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ListBuilder<'a, 'py>, BuildError> {
        Ok(self.list(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<ListBuilder<'a, 'py>, BuildError> {
        Ok(self.list(None))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ListBuilder<'a, 'py>, BuildError> {
        Ok(self.list(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ListBuilder<'a, 'py>, BuildError> {
        Ok(self.list(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectBuilder<'a, 'py>, BuildError> {
        self.object(None)
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ObjectBuilder<'a, 'py>, BuildError> {
        self.object(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ObjectBuilder<'a, 'py>, BuildError> {
        self.object(Some(variant))
    }
}

/// Makes a list, or the value that is wanted in it.
pub struct ListBuilder<'a, 'py> {
    builder: Builder<'a, 'py>,
    variant: Option<&'static str>,
    values: Vec<Bound<'py, PyAny>>,
    count: usize,
}

impl<'py> ListBuilder<'_, 'py> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
        let (builder, index) = (self.builder, self.count);
        self.count += 1;
        match builder.wanted {
            None => {
                let place = Place::Item(builder.place, index);
                self.values.push(value.serialize(Builder { place: &place, ..builder })?);
            }
            Some(wanted) => {
                if let Some((step, path)) = wanted.path.split_first()
                    && *step == Step::Item(index)
                {
                    let wanted = Some(Wanted { path, ..wanted });
                    self.values.push(value.serialize(Builder { wanted, ..builder })?);
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Built<'py> {
        if self.builder.wanted.is_some() {
            return self.values.pop().ok_or_else(missing);
        }
        let list = PyList::new(self.builder.py(), self.values)?;
        self.builder.tagged(self.variant, list.into_any())
    }
}

fn missing() -> BuildError {
    serde::ser::Error::custom("no such place in the report")
}

/// Makes an object, a dictionary, or the value that is wanted in it.
pub struct ObjectBuilder<'a, 'py> {
    builder: Builder<'a, 'py>,
    variant: Option<&'static str>,
    object: Object<'a, 'py>,
    /// Key whose value comes next.
    key: Option<String>,
}

enum Object<'a, 'py> {
    Shaped(Shaped<'a, 'py>),
    Dictionary(Bound<'py, PyDict>),
    Wanted(Wanted<'a>, Option<Bound<'py, PyAny>>),
}

/// An object of a class.
struct Shaped<'a, 'py> {
    shape: &'a NativeShape,
    value: Bound<'py, PyAny>,
    is_set: Vec<bool>,
    /// Position of the field that probably comes next.
    next: usize,
    /// Whether some fields are made when they are read.
    has_late: bool,
}

impl<'py> ObjectBuilder<'_, 'py> {
    fn add<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), BuildError> {
        let builder = self.builder;
        let place = Place::Field(builder.place, key);
        let inside = |shape| Builder { shape, place: &place, wanted: None, ..builder };
        match &mut self.object {
            Object::Dictionary(dictionary) => {
                dictionary.set_item(key, value.serialize(inside(None))?)?;
            }
            Object::Shaped(object) => {
                if let Some(field) = object.begin(key) {
                    let value = value.serialize(inside(field.shape()))?;
                    object.value.setattr(field.name.bind(builder.py()), value)?;
                }
            }
            Object::Wanted(wanted, found) => match wanted.path.split_first() {
                Some((Step::Field(name), path)) if name == key => {
                    let wanted = Some(Wanted { path, ..*wanted });
                    *found = Some(value.serialize(Builder { wanted, ..builder })?);
                }
                None => {
                    let field = builder.shape.and_then(|shape| shape.fields.get(wanted.field));
                    if let Some(field) = field.filter(|field| field.key == key) {
                        *found = Some(value.serialize(inside(field.shape()))?);
                    }
                }
                Some(_) => {}
            },
        }
        Ok(())
    }

    fn finish(self) -> Built<'py> {
        let builder = self.builder;
        let py = builder.py();
        let value = match self.object {
            Object::Dictionary(dictionary) => dictionary.into_any(),
            Object::Shaped(object) => object.finish(builder)?,
            Object::Wanted(wanted, found) => {
                let field = builder.shape.and_then(|shape| shape.fields.get(wanted.field));
                return match (found, field) {
                    (Some(value), _) => Ok(value),
                    (None, Some(field)) if wanted.path.is_empty() => Ok(field.default(py)?),
                    (None, _) => Err(missing()),
                };
            }
        };
        builder.tagged(self.variant, value)
    }
}

impl<'a, 'py> Shaped<'a, 'py> {
    /// Returns the field of a key, unless it is made later.
    fn begin(&mut self, key: &str) -> Option<&'a Field> {
        let position = self.shape.position(key, self.next)?;
        let field = &self.shape.fields[position];
        self.is_set[position] = true;
        self.next = position + 1;
        self.has_late |= field.is_late;
        Some(field).filter(|field| !field.is_late)
    }

    fn finish(self, builder: Builder<'_, 'py>) -> Built<'py> {
        let py = builder.py();
        for (field, _) in self.shape.fields.iter().zip(self.is_set).filter(|(_, is_set)| !is_set) {
            self.value.setattr(field.name.bind(py), field.default(py)?)?;
        }
        if self.has_late {
            let answer = builder.answer.clone().unbind();
            let part = NativePart { answer, path: builder.place.path() };
            self.value.setattr(pyo3::intern!(py, "_part"), Bound::new(py, part)?)?;
        }
        Ok(self.value)
    }
}

/// Methods of the traits for lists, which differ only in name.
macro_rules! list_of {
    ($($trait:ident $method:ident),*) => {
        $(impl<'py> $trait for ListBuilder<'_, 'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = BuildError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
                self.add(value)
            }

            fn end(self) -> Built<'py> {
                self.finish()
            }
        })*
    };
}

list_of! {
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
}

/// Methods of the traits for objects, which differ only in name.
macro_rules! object_of {
    ($($trait:ident),*) => {
        $(impl<'py> $trait for ObjectBuilder<'_, 'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = BuildError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), BuildError> {
                self.add(key, value)
            }

            fn end(self) -> Built<'py> {
                self.finish()
            }
        })*
    };
}

object_of!(SerializeStruct, SerializeStructVariant);

impl<'py> SerializeMap for ObjectBuilder<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = BuildError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BuildError> {
        let builder = Builder { shape: None, wanted: None, ..self.builder };
        // Keys that are numbers are text in JSON.
        self.key = Some(key.serialize(builder)?.str()?.extract()?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BuildError> {
        let key = self.key.take().ok_or_else(missing)?;
        self.add(&key, value)
    }

    fn end(self) -> Built<'py> {
        self.finish()
    }
}
