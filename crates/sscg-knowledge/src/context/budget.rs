//! Text within a token budget.

use sscg_core::TokenCounter;

/// Default token budget of a context.
pub const CONTEXT_TOKENS: usize = 2000;

/// Section of a text: a title and rows that are shown whole or not at all.
pub(super) struct Section {
    /// Title of the section.
    pub(super) title: &'static str,
    /// Text before the first row, such as a table header.
    pub(super) head: &'static str,
    /// Rows, most important first.
    pub(super) rows: Vec<String>,
    /// Rank of the section if the budget is short; smaller comes first.
    pub(super) priority: usize,
    /// Percentage of the budget reserved for the section before more important sections may use it.
    pub(super) share: usize,
}

/// Returns the text of a title and its non-empty sections, in order, in at most `max_tokens` tokens.
///
/// If not everything fits, each section first gets one row, as far as the budget allows, then its share of the budget;
/// the more important sections get the rest. Rows are omitted from the end of a section, and the text gives their
/// number. Returns an empty text if not even that fits.
pub(super) fn within(
    title: &str,
    sections: &[Section],
    max_tokens: usize,
    tokens: &dyn TokenCounter,
) -> String {
    let mut shown: Vec<usize> = sections.iter().map(|section| section.rows.len()).collect();
    let fits = |shown: &[usize], limit: usize| tokens.count(&text(title, sections, shown)) <= limit;
    if !fits(&shown, max_tokens) {
        shown.fill(0);
        if !fits(&shown, max_tokens) {
            return String::new();
        }
        let mut order: Vec<usize> = (0..sections.len()).collect();
        order.sort_by_key(|at| sections[*at].priority);
        order.retain(|at| !sections[*at].rows.is_empty());
        // No section begins before a more important one does.
        let begun = order.iter().take_while(|at| {
            shown[**at] = 1;
            let fits = fits(&shown, max_tokens);
            shown[**at] = usize::from(fits);
            fits
        });
        let begun = begun.count();
        order.truncate(begun);
        let mut spent = tokens.count(&text(title, sections, &shown));
        for at in &order {
            let limit = spent + max_tokens * sections[*at].share / 100;
            grow(&mut shown, *at, sections[*at].rows.len(), |shown| fits(shown, limit.min(max_tokens)));
            spent = tokens.count(&text(title, sections, &shown));
        }
        for at in &order {
            grow(&mut shown, *at, sections[*at].rows.len(), |shown| fits(shown, max_tokens));
        }
    }
    text(title, sections, &shown)
}

/// Shows as many rows of a section as fit.
fn grow(shown: &mut [usize], at: usize, rows: usize, fits: impl Fn(&[usize]) -> bool) {
    let least = shown[at];
    let mut fits_with = |count| {
        shown[at] = count;
        fits(shown)
    };
    // Showing all rows needs no note on omitted ones, so all may fit where one fewer does not.
    let (mut most, mut too_many) = (least, rows);
    if fits_with(rows) {
        most = rows;
    } else {
        while most + 1 < too_many {
            let middle = most.midpoint(too_many);
            if fits_with(middle) {
                most = middle;
            } else {
                too_many = middle;
            }
        }
    }
    shown[at] = most;
}

fn text(title: &str, sections: &[Section], shown: &[usize]) -> String {
    let mut text = format!("## {title}\n");
    let mut left_out = Vec::new();
    for (section, shown) in sections.iter().zip(shown) {
        let rest = section.rows.len() - shown;
        if *shown == 0 {
            if rest > 0 {
                left_out.push(format!("{} ({rest})", section.title));
            }
            continue;
        }
        text += &format!("\n### {}\n{}", section.title, section.head);
        for row in &section.rows[..*shown] {
            text += row;
            text.push('\n');
        }
        if rest > 0 {
            text += &format!("\n[{rest} more left out]\n");
        }
    }
    if !left_out.is_empty() {
        text += &format!("\n[Left out: {}]\n", left_out.join(", "));
    }
    text
}
