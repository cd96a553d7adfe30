//! Rows as Arrow record batches.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{Field, Schema};

use super::{ChunkRow, EdgeRow, FileRow, SymbolRow, UnresolvedRow};

/// Row type stored in Arrow tables: one column per field, in the same order and with the same names.
pub trait ArrowRow: Sized {
    /// Converts rows to a batch.
    ///
    /// Chunks have a column `vector` only if one of them has a vector: a `FixedSizeList` of `Float32` with the length
    /// of the first. Chunks without a vector of this length have null.
    fn batch(rows: &[Self]) -> RecordBatch;

    /// Converts a batch to rows. The batch may have extra columns, and any column order. O(bytes).
    ///
    /// # Errors
    /// If a column is missing, has another type than [`ArrowRow::batch`] gives it, or is null where the field cannot
    /// be.
    fn rows(batch: &RecordBatch) -> Result<Vec<Self>, RowError>;
}

/// Missing or unexpected column in a batch of rows; holds the column's name.
#[derive(Debug, thiserror::Error)]
#[error("there is no column {0:?} of the expected type")]
pub struct RowError(pub &'static str);

macro_rules! arrow_rows {
    ($($row:ident { $($field:ident),* $(,)? })*) => {$(
        impl ArrowRow for $row {
            fn batch(rows: &[Self]) -> RecordBatch {
                batch([$((stringify!($field), Column::array(rows.iter().map(|row| &row.$field)))),*])
            }

            fn rows(batch: &RecordBatch) -> Result<Vec<Self>, RowError> {
                $(
                    let column = batch.column_by_name(stringify!($field));
                    let $field = reader(column, |row: &Self| &row.$field).ok_or(RowError(stringify!($field)))?;
                )*
                Ok((0..batch.num_rows()).map(|at| Self { $($field: $field(at)),* }).collect())
            }
        }
    )*};
}

arrow_rows! {
    FileRow { path, language, size, lines, content_hash, text, digest }
    ChunkRow {
        id, path, language, kind, name, parent_name, parent_id, child_ids, depth, signature, full_source,
        start_line, end_line, doc, relevant_imports, embedding_text, breadcrumb, content_hash, vector,
    }
    SymbolRow {
        id, path, language, kind, name, qualified_name, parent_id, chunk_id, signature, doc, exported,
        start_line, end_line,
    }
    EdgeRow { path, source, target, target_kind, relation, lines, confidence, provenance, candidates }
    UnresolvedRow { path, source, name, relation, line, reason }
}

/// Builds a batch from columns: name, values and nullability. Columns that are `None` are omitted.
fn batch<const N: usize>(columns: [(&'static str, Option<(ArrayRef, bool)>); N]) -> RecordBatch {
    let columns = columns.into_iter().filter_map(|(name, column)| {
        let (array, nullable) = column?;
        Some((Field::new(name, array.data_type().clone(), nullable), array))
    });
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("each column has a value for each row")
}

/// Field type that maps to a column.
trait Column: Sized + 'static {
    /// Converts the values to an array with its nullability; `None` if they need no column.
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)>;

    /// Returns a function that reads the value of a row; `None` if the column has another type, or is required but
    /// missing.
    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self>;
}

/// Returns a function that reads the value of a row, with the type of a field.
fn reader<R, T: Column>(column: Option<&ArrayRef>, _field: fn(&R) -> &T) -> Option<impl Fn(usize) -> T> {
    T::reader(column)
}

/// Returns the column if it has no nulls.
fn full(column: Option<&ArrayRef>) -> Option<&ArrayRef> {
    column.filter(|column| column.null_count() == 0)
}

impl Column for String {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        Some((Arc::new(StringArray::from_iter_values(values)), false))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let array = full(column)?.as_string_opt::<i32>()?;
        Some(|at| array.value(at).to_owned())
    }
}

impl Column for Option<String> {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        Some((Arc::new(values.map(Option::as_deref).collect::<StringArray>()), true))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let array = column?.as_string_opt::<i32>()?;
        Some(|at| array.is_valid(at).then(|| array.value(at).to_owned()))
    }
}

impl Column for u32 {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        Some((Arc::new(UInt32Array::from_iter_values(values.copied())), false))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let array = full(column)?.as_primitive_opt::<UInt32Type>()?;
        Some(|at| array.value(at))
    }
}

impl Column for u64 {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        Some((Arc::new(UInt64Array::from_iter_values(values.copied())), false))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let array = full(column)?.as_primitive_opt::<UInt64Type>()?;
        Some(|at| array.value(at))
    }
}

impl Column for bool {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        Some((Arc::new(values.copied().map(Some).collect::<BooleanArray>()), false))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let array = full(column)?.as_boolean_opt()?;
        Some(|at| array.value(at))
    }
}

impl Column for Vec<String> {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        let mut builder = ListBuilder::new(StringBuilder::new());
        values.for_each(|list| builder.append_value(list.iter().map(Some)));
        Some((Arc::new(builder.finish()), false))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let lists = full(column)?.as_list_opt::<i32>()?;
        let values = lists.values().as_string_opt::<i32>()?;
        let offsets = lists.value_offsets();
        Some(|at| {
            let range = offsets[at] as usize..offsets[at + 1] as usize;
            range.map(|at| values.value(at).to_owned()).collect()
        })
    }
}

impl Column for Vec<u32> {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        let mut builder = ListBuilder::new(UInt32Builder::new());
        values.for_each(|list| builder.append_value(list.iter().copied().map(Some)));
        Some((Arc::new(builder.finish()), false))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let lists = full(column)?.as_list_opt::<i32>()?;
        let values = lists.values().as_primitive_opt::<UInt32Type>()?;
        let offsets = lists.value_offsets();
        Some(|at| values.values()[offsets[at] as usize..offsets[at + 1] as usize].to_vec())
    }
}

impl Column for Option<Vec<f32>> {
    fn array<'a>(values: impl Iterator<Item = &'a Self> + Clone) -> Option<(ArrayRef, bool)> {
        let dimension = values.clone().flatten().next()?.len();
        let length = i32::try_from(dimension).expect("no model has two billion dimensions");
        let mut builder = FixedSizeListBuilder::new(Float32Builder::new(), length);
        for value in values {
            let vector = value.as_ref().filter(|vector| vector.len() == dimension);
            match vector {
                Some(vector) => builder.values().append_slice(vector),
                None => builder.values().append_nulls(dimension),
            }
            builder.append(vector.is_some());
        }
        Some((Arc::new(builder.finish()), true))
    }

    fn reader(column: Option<&ArrayRef>) -> Option<impl Fn(usize) -> Self> {
        let vectors = match column {
            Some(column) => Some(column.as_fixed_size_list_opt()?),
            None => None,
        };
        Some(move |at| {
            let values = vectors.filter(|vectors| vectors.is_valid(at))?.value(at);
            Some(values.as_primitive_opt::<Float32Type>()?.values().to_vec())
        })
    }
}
