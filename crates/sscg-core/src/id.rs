//! Dense ids and the vector that only its own id can index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A dense `u32` index into one particular table.
pub trait Id: Copy + Eq + Ord + 'static {
    /// Makes the id of the table's `index`-th row.
    ///
    /// # Panics
    /// If `index` does not fit into 32 bits; no table of SSCG holds that many rows.
    fn new(index: usize) -> Self;

    /// The row number.
    fn index(self) -> usize;
}

macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// The id of the first row.
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
    /// A file of a [`Project`](crate::Project).
    FileId;
    /// A symbol of a [`Project`](crate::Project), over all its files.
    SymbolId;
    /// A chunk of a [`Project`](crate::Project), over all its files.
    ChunkId;
    /// A node of a code graph: a file, a symbol, or something outside the project.
    NodeId;
    /// A symbol inside one [`FileFacts`](crate::FileFacts).
    LocalSymbol;
    /// A chunk inside one [`FileFacts`](crate::FileFacts).
    LocalChunk;
    /// An import inside one [`FileFacts`](crate::FileFacts).
    LocalImport;
    /// A value inside one [`Flow`](crate::Flow).
    LocalValue;
    /// A function inside one [`Flow`](crate::Flow).
    LocalFunction;
    /// A call inside one [`Flow`](crate::Flow).
    LocalCall;
}

/// A vector indexed by one id type, so that an id of another table does not compile.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexVec<I, T> {
    rows: Vec<T>,
    #[serde(skip)]
    id: PhantomData<fn() -> I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { rows: Vec::new(), id: PhantomData }
    }

    /// The rows in order, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }

    /// Appends a row and returns its id.
    pub fn push(&mut self, row: T) -> I {
        let id = I::new(self.rows.len());
        self.rows.push(row);
        id
    }

    /// Makes room for more rows.
    pub fn reserve(&mut self, additional: usize) {
        self.rows.reserve(additional);
    }

    /// Gives back the room for rows that are not there.
    pub fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row of `id`, or `None` if it belongs to a longer table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }

    /// All rows in id order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// All rows with their ids.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.rows.iter().enumerate().map(|(index, row)| (I::new(index), row))
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.rows.len()).map(I::new)
    }

    /// The rows as a slice.
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
