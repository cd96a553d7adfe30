//! Export of chunks, symbols, edges and unresolved uses of names as tables.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use sscg_core::FileId;
use sscg_index::rows::{ArrowRow, Rows};
use sscg_index::{IndexError, Snapshot, describe};

use crate::Error;

/// Number of files whose rows are in memory at once.
const FILES_PER_BATCH: usize = 256;

/// Format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// [Apache Parquet](https://parquet.apache.org/), for pyarrow, DuckDB, Spark and pandas.
    Parquet,
    /// [File format of Apache Arrow](https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format), also used
    /// by Feather.
    Arrow,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Parquet, Self::Arrow];

    /// Returns the wire name, which is the ending of the files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

sscg_core::parsed_by_name! { TableFormat, "table format", Self::ALL.into_iter(); }

/// Writes the tables `chunks`, `symbols`, `edges` and `unresolved`, each to the writer that `open` returns for its file
/// name. Columns are the fields of the rows in [`sscg_index::rows`].
///
/// # Errors
/// If a file cannot be written (a writer cancels with such an error), or the text of a source file has changed since it
/// was indexed.
pub fn write_tables<W: Write + Send>(
    snapshot: &Snapshot,
    format: TableFormat,
    mut open: impl FnMut(&str) -> io::Result<W>,
) -> Result<(), Error> {
    let rows = Rows::new(snapshot);
    let files: Vec<FileId> = snapshot.project.files().ids().collect();
    let mut write = |table: &str, batch: &dyn Fn(&[FileId]) -> Result<RecordBatch, IndexError>| {
        let name = format!("{table}.{}", format.as_str());
        let cannot = |error: &io::Error| {
            let hint = "write to another place, with -o";
            Error::project(format!("cannot write {name}: {}", describe(error)), hint)
        };
        let out = open(&name).map_err(|error| cannot(&error))?;
        let mut table = Table::new(format, batch(&[])?, out).map_err(|error| cannot(&error))?;
        for files in files.chunks(FILES_PER_BATCH) {
            table.write(&batch(files)?).map_err(|error| cannot(&error))?;
        }
        table.finish().map_err(|error| cannot(&error))
    };
    write("chunks", &|files| {
        let rows: Result<Vec<_>, _> = files.iter().map(|file| rows.chunks(*file)).collect();
        Ok(ArrowRow::batch(&rows?.concat()))
    })?;
    write("symbols", &|files| {
        Ok(ArrowRow::batch(&files.iter().flat_map(|it| rows.symbols(*it)).collect::<Vec<_>>()))
    })?;
    write("edges", &|files| {
        Ok(ArrowRow::batch(&files.iter().flat_map(|it| rows.edges(*it)).collect::<Vec<_>>()))
    })?;
    write("unresolved", &|files| {
        Ok(ArrowRow::batch(&files.iter().flat_map(|it| rows.unresolved(*it)).collect::<Vec<_>>()))
    })
}

/// Table that is being written to a file.
enum Table<W: Write + Send> {
    Parquet(ArrowWriter<W>),
    Arrow(FileWriter<W>),
}

impl<W: Write + Send> Table<W> {
    fn new(format: TableFormat, empty: RecordBatch, out: W) -> io::Result<Self> {
        let schema = empty.schema();
        match format {
            TableFormat::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(out, schema, Some(properties));
                writer.map(Self::Parquet).map_err(io::Error::other)
            }
            TableFormat::Arrow => {
                FileWriter::try_new(out, &schema).map(Self::Arrow).map_err(io::Error::other)
            }
        }
    }

    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => writer.write(batch).map_err(io::Error::other),
            Self::Arrow(writer) => writer.write(batch).map_err(io::Error::other),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => writer.close().map(drop).map_err(io::Error::other),
            Self::Arrow(mut writer) => writer.finish().map_err(io::Error::other),
        }
    }
}
