//! Text within a budget of tokens.

use sscg_core::TokenCounter;

/// The tokens that a context has unless one asks for more or less.
pub const CONTEXT_TOKENS: usize = 2000;

/// A part of a text: a title and rows that are shown whole or not at all.
pub(super) struct Section {
    /// Its title.
    pub(super) title: &'static str,
    /// What stands before the rows if there are any: the head of a table.
    pub(super) head: &'static str,
    /// The rows, the most important first.
    pub(super) rows: Vec<String>,
    /// Which sections go first where room is short: the smaller, the earlier.
    pub(super) priority: usize,
    /// The share of the budget that it has before more important sections may take that, in hundredths.
    pub(super) share: usize,
}

/// The text of a title and its sections, in their order, without those that have no rows, in at most so many tokens.
///
/// If not all of it fits, each section has a row first, as far as that goes, then its share of the budget, and what is left
/// goes to the more important ones. Rows are left out from a section's end, and the text says how many. It is empty if not
/// even that fits.
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
    // The last row needs no note of what is left out, so that all may fit where one less does not.
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
