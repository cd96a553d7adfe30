//! Dense ids, and a vector that only its own id type can index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// Dense `u32` index into one particular table.
pub trait Id: Copy + Eq + Ord + 'static {
    /// Creates the id of the table's `index`-th row.
    ///
    /// # Panics
    /// If `index` does not fit into 32 bits; no table of SSCG holds that many rows.
    fn new(index: usize) -> Self;

    /// Returns the row number.
    fn index(self) -> usize;
}

macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// Id of the first row.
            pub const FIRST: Self = Self(0);
        }

        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table of SSCG has at most u32::MAX rows"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

define_id! {
    /// File of a [`Project`](crate::Project).
    FileId;
    /// Symbol of a [`Project`](crate::Project), numbered across all its files.
    SymbolId;
    /// Chunk of a [`Project`](crate::Project), numbered across all its files.
    ChunkId;
    /// Node of a code graph: a file, a symbol, or an external symbol.
    NodeId;
    /// Symbol of one [`FileFacts`](crate::FileFacts).
    LocalSymbol;
    /// Chunk of one [`FileFacts`](crate::FileFacts).
    LocalChunk;
    /// Import of one [`FileFacts`](crate::FileFacts).
    LocalImport;
    /// Value of one [`Flow`](crate::Flow).
    LocalValue;
    /// Function of one [`Flow`](crate::Flow).
    LocalFunction;
    /// Call of one [`Flow`](crate::Flow).
    LocalCall;
}

/// Vector indexed by one id type, so that indexing with an id of another table does not compile.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexVec<I, T> {
    rows: Vec<T>,
    #[serde(skip)]
    id: PhantomData<fn() -> I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self { rows: Vec::new(), id: PhantomData }
    }

    /// Returns a mutable iterator over the rows, in id order.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }

    /// Appends a row and returns its id.
    pub fn push(&mut self, row: T) -> I {
        let id = I::new(self.rows.len());
        self.rows.push(row);
        id
    }

    /// Reserves capacity for `additional` more rows.
    pub fn reserve(&mut self, additional: usize) {
        self.rows.reserve(additional);
    }

    /// Releases unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the row of `id`, or `None` if `id` is out of range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }

    /// Returns an iterator over all rows, in id order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// Returns an iterator over all rows with their ids, in id order.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.rows.iter().enumerate().map(|(index, row)| (I::new(index), row))
    }

    /// Returns all ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.rows.len()).map(I::new)
    }

    /// Returns the rows as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.fmt(f)
    }
}

impl<I: Id, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(rows: Vec<T>) -> Self {
        Self { rows, id: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(rows: It) -> Self {
        Vec::from_iter(rows).into()
    }
}

impl<I: Id, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}
