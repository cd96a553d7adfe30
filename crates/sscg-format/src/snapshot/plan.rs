//! Detail of each declaration in a snapshot.

use sscg_core::{ChunkKind, DetailLevel, IndexVec, LocalChunk, LocalSymbol, SymbolKind};

use super::SHORT;
use super::file::File;

/// Requested detail of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    #[default]
    Hidden,
    /// Its head, and shown items inside.
    Head,
    /// Its text, with functions in it as heads.
    Collapsed,
    WithoutComments,
    Full,
}

/// Part of a declaration in the snapshot, requested or within another declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Portion {
    None,
    Head,
    /// Its own text, with functions in it as heads.
    Own,
    All,
}

/// Contents of a snapshot.
pub(super) struct Plan {
    pub(super) levels: IndexVec<LocalSymbol, Level>,
    /// Statements, imports and comments at the root that are targets, in order.
    pub(super) statements: Vec<(LocalChunk, Level)>,
    pub(super) portions: IndexVec<LocalSymbol, Portion>,
}

impl Plan {
    pub(super) fn of_targets(file: &File<'_>, targets: &[(LocalChunk, DetailLevel)]) -> Self {
        let levels = file.facts.symbols.iter().map(|_| Level::Hidden).collect();
        let mut plan = Self { levels, statements: Vec::new(), portions: IndexVec::new() };
        for (chunk, shown) in targets {
            let facts = &file.facts.chunks[*chunk];
            let level = match shown {
                DetailLevel::Full => Level::Full,
                DetailLevel::WithoutComments => Level::WithoutComments,
                DetailLevel::Collapsed => Level::Collapsed,
                DetailLevel::Signature => Level::Head,
                DetailLevel::Name => Level::Hidden,
            };
            match facts.symbol {
                Some(symbol) => plan.raise(symbol, level),
                None if is_interpreter_line(file.text(facts.span)) => {}
                // Variables of one statement have no other signature than the statement.
                None if level == Level::Head && matches!(facts.kind, ChunkKind::Symbol(_)) => {
                    plan.statements.push((*chunk, Level::Collapsed));
                }
                None if level > Level::Head => plan.statements.push((*chunk, level)),
                None => {}
            }
        }
        plan.statements.sort_by_key(|(chunk, level)| (*chunk, std::cmp::Reverse(*level)));
        plan.statements.dedup_by_key(|(chunk, _)| *chunk);
        plan.measure(file);
        plan
    }

    /// Adds the references of targets, and the declarations around everything that is shown.
    pub(super) fn add(&mut self, file: &File<'_>, symbols: &[LocalSymbol]) {
        for symbol in symbols {
            let declaration = file.symbol(*symbol);
            let whole = declaration
                .parent
                .filter(|parent| declaration.kind == SymbolKind::EnumMember && is_short(file, *parent));
            let symbol = whole.unwrap_or(*symbol);
            self.raise(symbol, level_of_needed(file, symbol));
        }
        self.enclose(file);
        self.measure(file);
    }

    /// Returns the declarations in the text.
    pub(super) fn symbols(&self) -> Vec<LocalSymbol> {
        let all = self.portions.iter_enumerated();
        all.filter(|(_, portion)| **portion != Portion::None).map(|(symbol, _)| symbol).collect()
    }

    fn raise(&mut self, symbol: LocalSymbol, level: Level) {
        let known = &mut self.levels[symbol];
        *known = level.max(*known);
    }

    fn enclose(&mut self, file: &File<'_>) {
        for symbol in self.levels.ids().rev() {
            // Inner declarations have higher ids, so in reverse order each level is final when it is read.
            if self.levels[symbol] == Level::Hidden {
                continue;
            }
            let Some(outer) = file.around(symbol) else { continue };
            let is_inside = file.is_in_body(outer, symbol);
            let stands_in_frame = is_inside && file.is_frame(outer) && file.stands_alone(symbol);
            let stands_in_head = file.symbol(outer).body.is_some() && !is_inside;
            let level = if stands_in_frame || stands_in_head { Level::Head } else { Level::Collapsed };
            self.raise(outer, level);
        }
    }

    /// Computes the shown portion of each declaration.
    fn measure(&mut self, file: &File<'_>) {
        self.portions = IndexVec::new();
        for symbol in self.levels.ids() {
            let portion = self.portion(file, symbol);
            self.portions.push(portion);
        }
    }

    /// Returns the shown portion of a declaration; needs those of the declarations around it.
    fn portion(&self, file: &File<'_>, symbol: LocalSymbol) -> Portion {
        let declaration = file.symbol(symbol);
        let outer = match file.around(symbol) {
            Some(outer) => self.portions[outer],
            None => self.portion_of_statement(file, symbol),
        };
        let own = match self.levels[symbol] {
            Level::Full | Level::WithoutComments => return Portion::All,
            Level::Collapsed => Portion::Own,
            Level::Head if declaration.body.is_none() && file.long_value(symbol).is_none() => Portion::Own,
            Level::Head => Portion::Head,
            Level::Hidden => Portion::None,
        };
        match outer {
            Portion::All => Portion::All,
            Portion::Own if own == Portion::Own => Portion::Own,
            Portion::Own if declaration.body.is_some() && file.has_chunk(symbol) => Portion::Head,
            Portion::Own => Portion::Own,
            Portion::Head if own == Portion::None => {
                let is_left_out = file.around(symbol).is_some_and(|outer| {
                    let is_in_value =
                        file.long_value(outer).is_some_and(|value| value.contains(declaration.span));
                    is_in_value || file.is_in_body(outer, symbol)
                });
                if is_left_out { Portion::None } else { Portion::All }
            }
            Portion::Head | Portion::None => own,
        }
    }

    /// Returns the shown portion of the root statement around a declaration.
    fn portion_of_statement(&self, file: &File<'_>, symbol: LocalSymbol) -> Portion {
        let span = file.symbol(symbol).span;
        let around = |(chunk, _): &&(LocalChunk, Level)| file.facts.chunks[*chunk].span.contains(span);
        match self.statements.iter().find(around) {
            Some((_, Level::Full | Level::WithoutComments)) => Portion::All,
            Some(_) => Portion::Own,
            None => Portion::None,
        }
    }
}

/// True if a text is an interpreter line (`#!`), which has its meaning only on the first line of a file.
fn is_interpreter_line(text: &str) -> bool {
    text.starts_with("#!") && !text.starts_with("#![")
}

/// Returns the detail of a declaration that a target refers to.
fn level_of_needed(file: &File<'_>, symbol: LocalSymbol) -> Level {
    use SymbolKind::*;
    let declaration = file.symbol(symbol);
    match declaration.kind {
        Function | Method | Constructor | Impl | Module => Level::Head,
        Component if !file.is_container(symbol) => Level::Head,
        Class | Component | Interface | Struct | Union | Enum | Trait | Macro => {
            if is_short(file, symbol) {
                Level::Collapsed
            } else {
                Level::Head
            }
        }
        _ if file.long_value(symbol).is_some() => Level::Head,
        _ => Level::Collapsed,
    }
}

/// True if a type or macro is short enough to be shown whole.
fn is_short(file: &File<'_>, symbol: LocalSymbol) -> bool {
    let mut inside = file.facts.descendants(symbol).map(|inner| file.symbol(inner));
    file.symbol(symbol).lines.count() <= SHORT && !inside.any(|inner| inner.body.is_some())
}
