//! Tensors of a model, validated on load so that later lookups cannot fail.

use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

/// Vector of each token.
#[derive(Debug)]
pub(super) struct Tensors {
    dimension: usize,
    /// Vectors, row by row.
    embeddings: Vec<f32>,
    /// Weight of each token's vector.
    weights: Option<Vec<f32>>,
    /// Row of each token, if tokens share rows.
    rows: Option<Vec<u32>>,
}

impl Tensors {
    /// Reads the tensors of a model whose token IDs are below `tokens`.
    pub(super) fn read(bytes: &[u8], tokens: usize) -> Result<Self, String> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let tensor = |name| match tensors.tensor(name) {
            Ok(tensor) => Ok(Some(tensor)),
            Err(SafeTensorError::TensorNotFound(_)) => Ok(None),
            Err(error) => Err(format!("`{name}`: {error}")),
        };
        let embeddings = tensor("embeddings")?.ok_or("it has no tensor `embeddings`")?;
        let &[rows, dimension] = embeddings.shape() else {
            return Err("`embeddings` is no matrix".to_owned());
        };
        if dimension == 0 {
            return Err("`embeddings` has vectors without numbers".to_owned());
        }
        let weights = tensor("weights")?.map(|tensor| floats("weights", &tensor)).transpose()?;
        let mapping = tensor("mapping")?.map(|tensor| indices(&tensor)).transpose()?;
        let embeddings = floats("embeddings", &embeddings)?;
        for (name, length) in [
            ("weights", weights.as_ref().map(Vec::len)),
            ("mapping", mapping.as_ref().map(Vec::len)),
            ("embeddings", mapping.is_none().then_some(rows)),
        ] {
            if let Some(length) = length.filter(|length| *length < tokens) {
                return Err(format!("`{name}` has {length} entries for {tokens} tokens of the tokenizer"));
            }
        }
        if let Some(row) = mapping.iter().flatten().find(|row| **row as usize >= rows) {
            return Err(format!("`mapping` leads to row {row} of {rows}"));
        }
        Ok(Tensors { dimension, embeddings, weights, rows: mapping })
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds the vector of a token to `sum`.
    pub(super) fn add(&self, token: u32, sum: &mut [f32]) {
        let token = token as usize;
        let row = self.rows.as_ref().map_or(token, |rows| rows[token] as usize);
        let weight = self.weights.as_ref().map_or(1.0, |weights| weights[token]);
        let vector = &self.embeddings[row * self.dimension..][..self.dimension];
        sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += weight * number);
    }
}

fn floats(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f32>, String> {
    let bytes = tensor.data();
    let numbers: Vec<f32> = match tensor.dtype() {
        Dtype::F64 => numbers(bytes, |number| f64::from_le_bytes(number) as f32),
        Dtype::F32 => numbers(bytes, f32::from_le_bytes),
        Dtype::F16 => numbers(bytes, |number| f16::from_le_bytes(number).to_f32()),
        Dtype::BF16 => numbers(bytes, |number| bf16::from_le_bytes(number).to_f32()),
        Dtype::I8 => numbers(bytes, |number| f32::from(i8::from_le_bytes(number))),
        other => return Err(format!("`{name}` has numbers of type {other:?}, which is not known")),
    };
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(numbers),
        false => Err(format!("`{name}` has a number that is not finite")),
    }
}

fn indices(tensor: &TensorView<'_>) -> Result<Vec<u32>, String> {
    let bytes = tensor.data();
    let numbers: Vec<i64> = match tensor.dtype() {
        Dtype::I64 => numbers(bytes, i64::from_le_bytes),
        Dtype::I32 => numbers(bytes, |number| i32::from_le_bytes(number).into()),
        Dtype::U32 => numbers(bytes, |number| u32::from_le_bytes(number).into()),
        Dtype::U16 => numbers(bytes, |number| u16::from_le_bytes(number).into()),
        other => return Err(format!("`mapping` has numbers of type {other:?}, which is not known")),
    };
    let index = |number| u32::try_from(number).map_err(|_| format!("`mapping` leads to row {number}"));
    numbers.into_iter().map(index).collect()
}

/// Decodes the numbers of a tensor, `N` bytes each.
fn numbers<const N: usize, T>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}
