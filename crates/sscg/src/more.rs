//! Code that earlier answers have named.

use sscg_core::LineRange;
use sscg_format::Match;
use sscg_index::Snapshot;
use sscg_retrieve::{Hit, chunk_at_line, find_file};

use crate::Error;
use crate::answer::elsewhere::TextBlock;
use crate::lookup::{Excerpt, code_at, told};
use crate::ranking::Ranking;

/// Returns the code with some ids as a ranking, in their order. Ids of nothing are reported as warnings.
///
/// # Errors
/// If no id names any code.
pub(crate) fn ranking(snapshot: &Snapshot, ids: &[String]) -> Result<Ranking, Error> {
    let project = &snapshot.project;
    let (found, mut failures) = code_at(snapshot, ids);
    let mut ranking = Ranking { relevance: f64::MAX, ..Ranking::default() };
    for excerpt in found {
        let Excerpt { file: path, lines, name, text, .. } = &excerpt;
        let range = LineRange { start: lines.start, end: lines.end };
        let file = find_file(project, path);
        let chunk = file.and_then(|file| {
            // Blank lines before a declaration belong to no chunk.
            (range.start..=range.end).find_map(|line| chunk_at_line(project, file, line))
        });
        match chunk {
            _ if excerpt.is_only_named() => {
                ranking.named.push(Match::default().with_name(name).with_file(path).with_lines(*lines));
            }
            // A score that falls with the place keeps the order.
            Some(chunk) => {
                let score = 1.0 / (ranking.hits.len() + 1) as f64;
                ranking.hits.push(Hit::new(chunk, range, score));
            }
            None => {
                // Its lines have their numbers in the file.
                let above = "\n".repeat(lines.start as usize - 1);
                ranking.elsewhere.push(TextBlock::of_file(path.clone(), range, above + text));
            }
        }
    }
    if ranking.hits.is_empty() && ranking.elsewhere.is_empty() && !failures.is_empty() {
        return Err(failures.swap_remove(0));
    }
    ranking.warnings.extend(failures.iter().map(told));
    Ok(ranking)
}
