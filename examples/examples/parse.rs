//! Lists the declarations of one file, with the parser alone.
//!
//! ```sh
//! cargo run -p sscg-examples --example parse -- crates/sscg-rank/src/csr.rs
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: FILE")?;
    let source = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let facts = sscg_parse::extract(&path, &source).ok_or(format!("{path} has no known extension"))?;
    for (symbol, declaration) in facts.symbols.iter_enumerated() {
        println!("{path}:{}: {} {}", declaration.lines.start, declaration.kind, facts.qualified_name(symbol));
    }
    Ok(())
}
