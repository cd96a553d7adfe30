//! `sscg export`

use std::fs::File;
use std::io::{self, BufWriter, Write, stdout};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sscg::Corpus;
#[cfg(feature = "scip")]
use sscg::export::write_scip;
use sscg::export::{GraphFormat, write_graph};

use super::{Directory, open};
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::with_bar;
use crate::{CommandResult, Global, skipped};

/// Export chunks, symbols, edges and unresolved uses of names for other programs, after updating the index.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  sscg export ~/src/shop --format graphml -o shop.graphml
  sscg export --format dot | dot -Tsvg > graph.svg
  sscg export --format scip -o index.scip
  sscg export --format parquet -o tables")]
pub(crate) struct Export {
    #[command(flatten)]
    directory: Directory,
    /// Export format.
    #[arg(long, value_enum)]
    format: Format,
    /// Output: a directory for tables, otherwise a file; standard output if not given.
    #[arg(long, short, value_name = "PATH", required_if_eq_any([("format", "parquet"), ("format", "arrow")]))]
    output: Option<PathBuf>,
    #[command(flatten)]
    model: Model,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Graph as GraphML.
    Graphml,
    /// Graph in the language of Graphviz.
    Dot,
    /// Graph as node-link JSON.
    JsonGraph,
    /// Declarations and references as a SCIP index.
    #[cfg(feature = "scip")]
    Scip,
    /// Chunks, symbols, edges and unresolved uses as Parquet tables. Needs a program with the feature `arrow`.
    Parquet,
    /// The same tables as Arrow files. Needs a program with the feature `arrow`.
    Arrow,
}

impl Export {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        #[cfg(not(feature = "arrow"))]
        if matches!(self.format, Format::Parquet | Format::Arrow) {
            return Err(sscg::Error::request(
                "this program was built without the feature arrow, which writes Parquet and Arrow files",
                "cargo install --locked sscg-cli --features arrow builds one with it; or export json-graph",
            )
            .into());
        }
        let config = global.configure(self.directory.path(), &[self.model.flag()])?;
        let engine = open(self.directory.path(), global, &config)?;
        let (snapshot, report) = with_bar(|bar| engine.refresh_with_progress(Corpus::Code, bar))?;
        skipped::report(&snapshot, &report, global.verbose);
        if report.files == 0 {
            hint("`sscg status --verbose` says what else is there");
            return Ok(CommandResult::NothingFound);
        }
        let write = |write: &dyn Fn(&mut dyn Write) -> io::Result<()>| match &self.output {
            Some(path) => {
                let mut out = BufWriter::new(File::create(path)?);
                write(&mut out)?;
                out.flush()
            }
            None => {
                let mut out = BufWriter::new(stdout().lock());
                write(&mut out)?;
                out.flush()
            }
        };
        let graph = |format| write(&|out| write_graph(&snapshot, format, out));
        match self.format {
            Format::Graphml => graph(GraphFormat::GraphMl).map_err(Failure::Output)?,
            Format::Dot => graph(GraphFormat::Dot).map_err(Failure::Output)?,
            Format::JsonGraph => graph(GraphFormat::JsonGraph).map_err(Failure::Output)?,
            #[cfg(feature = "scip")]
            Format::Scip => write(&|out| write_scip(&snapshot, out)).map_err(Failure::Output)?,
            #[cfg(feature = "arrow")]
            Format::Parquet => self.tables(&snapshot, sscg::export::TableFormat::Parquet)?,
            #[cfg(feature = "arrow")]
            Format::Arrow => self.tables(&snapshot, sscg::export::TableFormat::Arrow)?,
            #[cfg(not(feature = "arrow"))]
            Format::Parquet | Format::Arrow => unreachable!("refused above"),
        }
        Ok(CommandResult::Found)
    }

    #[cfg(feature = "arrow")]
    fn tables(
        &self,
        snapshot: &sscg::index::Snapshot,
        format: sscg::export::TableFormat,
    ) -> Result<(), Failure> {
        let directory = self.output.as_deref().expect("tables are only written with --output");
        std::fs::create_dir_all(directory).map_err(Failure::Output)?;
        Ok(sscg::export::write_tables(snapshot, format, |name| File::create(directory.join(name)))?)
    }
}
