//! Text of the question that occurs verbatim in the code: a message, a line of code, a key.
//!
//! Blocks with nearly all words of a part of the question are read, and the part is aligned with their words: runs of
//! words in the same order, with the same characters between them, count. Placeholders in the code (`{name}`, `%s`) may
//! lie between two runs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, LineIndex, SymbolId};
use sscg_index::{BLOCK_LINES, Block, is_stop_word, query_terms, words};

use crate::lookup::find_symbols;
use crate::pattern::pattern;
use crate::prior::is_own_path;
use crate::query::is_code;
use crate::signal::{SignalContext, add_to_windows};

/// Line with text of the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LineMatch {
    pub(crate) file: FileId,
    pub(crate) line: u32,
    /// Share of the text that occurs there, by the weight of its words: 1 for all of it.
    pub(crate) share: f64,
}

/// Maximum number of parts of a question to search for.
const MOST_PARTS: usize = 12;

/// Minimum share of a part, by the weight of its words, in two neighboring blocks that are read.
const NEEDED: f64 = 0.7;

/// Number of words that hardly occur in a row by chance.
const LONG_RUN: usize = 4;

/// Minimum share of a part in runs, one of which is [long](LONG_RUN), or nearly so with others around it. Without such
/// a run, every word must match.
const IN_RUNS: f64 = 0.6;

/// Minimum number of words of a part that looks like prose.
const LEAST_PROSE: usize = 3;

/// Minimum number of bytes of a part.
const LEAST_BYTES: usize = 4;

/// Maximum number of lines of a question that is searched line by line. Of longer ones, only quotes and lines of many
/// words are searched for.
const MOST_LINES: usize = 4;

/// Prefix of log messages: a time, a level, and a source.
static LOG_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-u)^(?u:\S*)\d\d:\d\d(?u:\S*)\s+(?:(?u:\S+)\s+)??\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?:?\s+",
    )
});

/// Beginnings that only copied text has: a level without a time, a request, or the first words of a message followed by
/// punctuation.
static COPIED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x-u)
        ^ (?: TRACE | DEBUG | WARN | FATAL | CRITICAL | npm\ ERR! ) [:\s]
        | ^ (?: INFO | WARNING | ERROR ) (?: : | \s\s )
        | ^ (?: GET | POST | PUT | PATCH | DELETE | HEAD | OPTIONS ) \s /
        | ^ [\w.]* (?: Error | Exception | Warning ) :
        | ^ Expected \b (?u:.*) \b (?: but | got | found ) \b
        | ^ [A-Z][A-Z_0-9]{3,} : | ^ [A-Z0-9]+ _ [A-Z_0-9]+ \b (?u:[^\n]*) [:=`(\[{]
        | ^ (?: fatal | [Ee]rror | [Ww]arning | Uncaught | Unable\ to | Failed\ to | Invalid | Missing | Unknown
            | (?: Could | Can | Must | Did | Does | Is ) (?: \ ? not | n't ) ) \b (?u:[^\n]*) [:=`(\[{]",
    )
});

/// Words with which programs report failures.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x-u)
        \b (?: [Ff]ail (?: ed | ure | s )? | [Cc]annot | [Cc]an't | \w+ould (?: \ not | n't ) | must | should | [Ii]nvalid | [Ii]llegal
            | [Uu]nexpected(?:ly)? | [Uu]nsupported | [Mm]issing | [Uu]nknown | [Ee]xpected | already | [Nn]o\ such | [Uu]nable
            | [Nn]ot\ (?: found | allowed | supported | permitted | enough | a | an | initialized ) | exceed (?: ed | s ) | required
            | (?: is | are | was | were | did | does | do | has | have ) (?: \ not | n't ) | [Tt]oo\ \w+ | refused | denied
            | timed\ out | aborted | deprecated | [Dd]uplicate | [Mm]ismatch\w* | [Dd]ropping | [Rr]ejecting ) \b
        | ^ [A-Z] (?u:[^.?!]*) [.!] $",
    )
});

/// Words with which people describe an observation or a wish: about themselves, or about a task.
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix-u) \b (?: I | I'm | we | my | our | me | us | you | your | please | want | wants | somebody | someone ) \b
        | ^ (?: add | allow | avoid | catch | change | check | convert | detect | disable | enable | ensure | explain | find | fix
            | give | handle | ignore | implement | keep | let | limit | list | log | make | move | parse | prevent | print | raise
            | refuse | reject | remove | rename | replace | report | return | send | set | show | skip | stop | support | throw
            | use | validate | verify | warn | write ) \b",
    )
});

/// Maximum number of places of a part. Text in more places is no evidence for any of them.
const MOST_PLACES: usize = 12;

/// Maximum number of files to read for a part: more for exact matches than for runs of its words.
const MOST_FILES: usize = 256;
const MOST_FILES_FOR_RUNS: usize = 64;

/// Maximum difference between the share of a place and that of the best place of its part.
const AS_GOOD: f64 = 0.1;

/// Weight of a stop word. A word that the project does not have weighs 0.
const STOP_WORD_WEIGHT: f64 = 0.1;

/// Maximum number of words of the code between two runs.
const GAP: usize = 12;

/// Text in quotes. An apostrophe is not a quote.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#""([^"\n]{3,})"|`([^`\n]{3,})`|“([^”\n]{3,})”|(?:^|[\s(=:,])'([^'\n]{3,})'(?:$|[\s).,;:?!])"#)
});

/// Part of the question that may occur in the code.
struct Part<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    /// Numbers of its terms that the project has.
    terms: FxHashSet<usize>,
    /// Total weight of these terms.
    weight: f64,
    /// True if it consists only of words, as prose does: in a literal it is a message, elsewhere a coincidence.
    is_plain: bool,
}

/// Word with the text between it and the previous one, and its weight.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    start: usize,
    before: &'t str,
    weight: f64,
}

/// Returns the lines with text of the question, for each part those with most of it. O(occurrences + text of the blocks
/// read × words of the part).
pub(crate) fn places(context: &SignalContext<'_>) -> Vec<LineMatch> {
    let parts: Vec<Part<'_>> =
        parts_of(&context.query.prose).into_iter().filter_map(|text| Part::of(text, context)).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<LineMatch> = Vec::new();
    // Parts that were found, with the weight of their match in the project's own code.
    let mut known: Vec<(&str, f64)> = Vec::new();
    let project = &context.snapshot.project;
    let is_own_file = |file: FileId| is_own_path(project, &project.files()[file].path);
    let is_own = |place: &LineMatch| is_own_file(place.file);
    let blocks: Vec<Vec<(FileId, Vec<u32>)>> = blocks_of(context, &parts)
        .into_iter()
        .map(|files| {
            let mut files: Vec<_> = files.into_iter().collect();
            files.sort_by_cached_key(|(file, _)| !is_own_file(*file));
            files
        })
        .collect();
    // An exact match is the copied text.
    let exact: Vec<Vec<LineMatch>> = (parts.iter().zip(&blocks))
        .map(|(part, blocks)| {
            let blocks = &blocks[..blocks.len().min(MOST_FILES)];
            read(context, part, blocks, |text, range| Some((1.0, part.stands_in(text, range).next()?)))
        })
        .collect();
    for ((part, blocks), of_part) in parts.iter().zip(&blocks).zip(&exact) {
        // A part of a text that was found is less evidence than all of it.
        let total = part.weight_of(0..part.words.len());
        if known.iter().any(|(text, found)| text.contains(part.text) && *found >= total) {
            continue;
        }
        let mut of_part = of_part.clone();
        let holds_exact = |(other, places): (&Part<'_>, &Vec<LineMatch>)| {
            let weighs = other.weight_of(0..other.words.len()) >= IN_RUNS * total;
            !places.is_empty() && part.text.contains(other.text) && weighs
        };
        if of_part.is_empty() && !parts.iter().zip(&exact).any(holds_exact) {
            let blocks = &blocks[..blocks.len().min(MOST_FILES_FOR_RUNS)];
            of_part = read(context, part, blocks, |text, range| part.lies_along(text, range));
        }
        let best = of_part.iter().map(|place| place.share).fold(0.0, f64::max);
        of_part.retain(|place| place.share >= best - AS_GOOD);
        of_part.sort_by_key(|place| (!is_own(place), place.file, place.line));
        of_part.dedup_by_key(|place| (place.file, place.line));
        if context.query.bare_name().is_some_and(|name| name == part.text && is_code(name)) {
            // A name without a declaration is answered with its uses.
            of_part.truncate(MOST_PLACES);
        } else if of_part.len() > MOST_PLACES {
            // Copies and tests repeat the project's own code.
            of_part.retain(is_own);
        }
        if (1..=MOST_PLACES).contains(&of_part.len()) {
            // A piece of a text that occurs as a whole elsewhere counts less the shorter it is.
            let wholes = parts
                .iter()
                .zip(&exact)
                .filter(|(other, places)| !places.is_empty() && other.text.contains(part.text));
            let longest = wholes.map(|(other, _)| other.text.len()).max().unwrap_or(part.text.len());
            let share = part.text.len() as f64 / longest as f64;
            of_part.iter_mut().for_each(|place| place.share *= share);
            let in_own = of_part.iter().filter(|place| is_own(place));
            known.push((part.text, total * in_own.map(|place| place.share).fold(0.0, f64::max)));
            found.extend(of_part);
        }
    }
    // Largest share first, each line once.
    found.sort_by(|a, b| b.share.total_cmp(&a.share).then((a.file, a.line).cmp(&(b.file, b.line))));
    let mut known = FxHashSet::default();
    found.retain(|place| known.insert((place.file, place.line)));
    found
}

/// Reads some blocks and those after them. Returns the lines where `find` finds a part, with the share found.
fn read(
    context: &SignalContext<'_>,
    part: &Part<'_>,
    files: &[(FileId, Vec<u32>)],
    find: impl Fn(&str, Range<usize>) -> Option<(f64, usize)>,
) -> Vec<LineMatch> {
    let mut places = Vec::new();
    for (file, blocks) in files {
        let Some(text) = context.snapshot.source(*file) else { continue };
        let index = LineIndex::new(&text);
        for block in blocks {
            let first = Block::lines(*block).start;
            let last = (Block::lines(block + 1).end + BLOCK_LINES).min(index.line_count());
            let range = index.line_span(first).start as usize..index.line_span(last).end as usize;
            let is_copy =
                |at: usize| !part.is_plain || is_in_literal(&text, at) || line_around(&text, at) == part.text;
            let found = find(&text, range).filter(|(_, at)| is_copy(*at));
            places.extend(found.map(|(share, at)| LineMatch {
                file: *file,
                line: index.line(at as u32),
                share,
            }));
        }
    }
    places
}

/// Returns the texts that may have been copied: the question itself, its lines, quoted text, and text after a colon, a
/// dash or a log prefix; longest first.
fn parts_of(text: &str) -> Vec<&str> {
    let quoted = QUOTED.captures_iter(text).filter_map(|it| it.iter().skip(1).flatten().next());
    let mut parts: Vec<&str> = quoted.map(|it| it.as_str()).collect();
    let is_story = text.trim().lines().count() > MOST_LINES;
    for line in text.lines().map(str::trim) {
        if is_story {
            parts.extend(Some(line).filter(|line| words(line).nth(LONG_RUN).is_some()));
            continue;
        }
        let said = line.split(" -- ").next().unwrap_or(line);
        parts.extend([line, said]);
        parts.extend(said.match_indices(": ").map(|(at, _)| said[at + 2..].trim()));
        if let Some(prefix) = LOG_PREFIX.find(said) {
            let message = &said[prefix.end()..];
            parts.push(message);
            parts.extend(message.split_once(' ').map(|(_, message)| message));
        }
    }
    let mut known = FxHashSet::default();
    parts.retain(|part| !part.is_empty() && known.insert(*part));
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.truncate(MOST_PARTS);
    parts
}

/// Returns for each part the files that have nearly all of it in neighboring blocks, with the first of these blocks.
fn blocks_of(context: &SignalContext<'_>, parts: &[Part<'_>]) -> Vec<BTreeMap<FileId, Vec<u32>>> {
    let lexical = context.snapshot.lexical();
    let occurrences = context.occurrences();
    let found = occurrences.in_blocks(|files| {
        let mut found: Vec<(usize, FileId, Vec<u32>)> = Vec::new();
        let mut weights: Vec<f64> = Vec::new();
        for file in files {
            for (number, part) in parts.iter().enumerate() {
                let needed = NEEDED * part.weight;
                let of_part = || occurrences.of(file).filter(|(term, _)| part.terms.contains(term));
                if of_part().map(|(term, _)| context.terms[term].weight).sum::<f64>() < needed {
                    continue;
                }
                weights.clear();
                weights.resize(lexical.blocks(file.file).len(), 0.0);
                for (term, in_file) in of_part() {
                    add_to_windows(in_file, context.terms[term].weight, &mut weights);
                }
                let blocks = (0..).zip(&weights).filter(|(_, weight)| **weight >= needed);
                found.push((number, file.file, blocks.map(|(block, _)| block).collect()));
            }
        }
        found
    });
    let mut by_part: Vec<BTreeMap<FileId, Vec<u32>>> = vec![BTreeMap::new(); parts.len()];
    for (part, file, blocks) in found.into_iter().flatten().filter(|(.., blocks)| !blocks.is_empty()) {
        by_part[part].insert(file, blocks);
    }
    by_part
}

/// Text of a question that may have been copied, for a search in files outside of the index.
pub struct Pasted<'t> {
    parts: Vec<Part<'t>>,
    /// Matcher of the words that count, by their numbers.
    finder: AhoCorasick,
    /// Numbers of the words of each part.
    numbers: Vec<Vec<usize>>,
    is_sure: bool,
    has_signs: bool,
}

/// Line with pasted text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PastedLine {
    /// Part of the question: 0 for the longest.
    pub part: usize,
    /// Line number in its file.
    pub line: u32,
    /// Share of the part that occurs there, from 0 to 1.
    pub share: f64,
}

/// Minimum number of words of prose that is the whole question and searched for in any text.
const LEAST_PROSE_ANYWHERE: usize = 4;

/// Number of words in a row that is no coincidence, even outside of a literal.
const LONG_PROSE: usize = 6;

/// Characters that are common in messages and code, and rare in descriptions.
const SIGNS: [char; 12] = [':', ';', '(', ')', '{', '}', '=', '<', '>', '%', '"', '`'];

/// Maximum number of bytes of three blocks that are read: nobody writes lines that long.
const MOST_BYTES: usize = 16_384;

impl<'t> Pasted<'t> {
    /// Finds the text that may have been copied into a question; `None` if it is a plain question, or too short.
    pub fn of(text: &'t str) -> Option<Self> {
        let parts: Vec<Part<'t>> = parts_of(text)
            .into_iter()
            .filter_map(|part| Part::anywhere(part, part.len() == text.trim().len()))
            .collect();
        let mut words: Vec<&str> = Vec::new();
        let mut numbers = Vec::new();
        for part in &parts {
            let telling = part.words.iter().filter(|word| word.weight >= 1.0);
            let of_part = telling.map(|word| {
                words.iter().position(|known| *known == word.text).unwrap_or_else(|| {
                    words.push(word.text);
                    words.len() - 1
                })
            });
            numbers.push(of_part.collect());
        }
        let finder = AhoCorasick::new(&words).ok().filter(|_| !words.is_empty())?;
        let line = text.trim();
        let is_quoted = QUOTED.find(line).is_some_and(|quoted| quoted.len() == line.len());
        let is_one = line.len() > LEAST_BYTES && !line.contains(char::is_whitespace) && !is_plain(line);
        let asks = line.ends_with('?')
            || line.split_whitespace().any(|word| ["how", "where", "why"].contains(&word));
        let reports = || {
            let is_one = line.lines().nth(1).is_none() && !line.contains('?');
            is_one && FAILURE.is_match(line) && !SPOKEN.is_match(line)
        };
        let is_sure =
            is_quoted || is_one || LOG_PREFIX.is_match(line) || !asks && (COPIED.is_match(line) || reports());
        let is_marked = line.contains(SIGNS) || QUOTED.is_match(line);
        let has_signs = is_marked && line.lines().nth(1).is_none();
        Some(Self { parts, finder, numbers, is_sure, has_signs })
    }

    /// True if the question is certainly copied and no description: all of it is in quotes, a log line, a message by
    /// its beginning or by its failure words, or one word that is not prose.
    pub fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// True if the question is one line with characters of messages and code: a copy, if nothing else answers it.
    pub fn has_signs(&self) -> bool {
        self.has_signs
    }

    /// Returns the lines of a text with copied text. O(text + words of the blocks with nearly all of a part × words of
    /// the part).
    pub fn lines_in(&self, text: &str) -> Vec<PastedLine> {
        let mut hits = self.finder.find_overlapping_iter(text).peekable();
        if hits.peek().is_none() {
            return Vec::new();
        }
        let index = LineIndex::new(text);
        let mut blocks: BTreeMap<u32, FxHashSet<usize>> = BTreeMap::new();
        for hit in hits {
            let block = (index.line(hit.start() as u32) - 1) / BLOCK_LINES;
            blocks.entry(block).or_default().insert(hit.pattern().as_usize());
        }
        let mut found: Vec<PastedLine> = Vec::new();
        for (number, (part, numbers)) in self.parts.iter().zip(&self.numbers).enumerate() {
            for (block, words) in &blocks {
                let next = blocks.get(&(block + 1));
                let has = |number: &&usize| {
                    words.contains(number) || next.is_some_and(|next| next.contains(number))
                };
                if (numbers.iter().filter(has).count() as f64) < IN_RUNS * numbers.len() as f64 {
                    continue;
                }
                let first = block * BLOCK_LINES + 1;
                let last = (first + 3 * BLOCK_LINES - 1).min(index.line_count());
                let range = index.line_span(first).start as usize..index.line_span(last).end as usize;
                if range.len() > MOST_BYTES {
                    continue;
                }
                let to_the_letter = part.stands_in(text, range.clone()).map(|at| (1.0, at)).next();
                let at = to_the_letter.or_else(|| part.lies_along(text, range));
                let at = at.filter(|(share, at)| {
                    let is_whole = *share >= 1.0 && part.words.len() >= LONG_PROSE;
                    !part.is_plain || is_whole || is_in_literal(text, *at)
                });
                found.extend(at.map(|(share, at)| PastedLine {
                    part: number,
                    line: index.line(at as u32),
                    share,
                }));
            }
            if !found.is_empty() {
                break;
            }
        }
        found.sort_by(|a, b| a.line.cmp(&b.line).then(b.share.total_cmp(&a.share)));
        found.dedup_by_key(|found| found.line);
        found
    }
}

impl<'t> Part<'t> {
    /// Creates a part that is searched for in any text, with equal weights for all words but stop words; `None` for
    /// prose that may occur anywhere. A part that is the whole question needs more words.
    fn anywhere(text: &'t str, is_all: bool) -> Option<Self> {
        let filled_in = filled_in(text);
        let says_little = |word: &Word<'_>| {
            is_stop_word(&word.text.to_lowercase()) || filled_in.iter().any(|it| it.contains(&word.start))
        };
        let words: Vec<Word<'_>> = words_with_gaps(text)
            .map(|word| Word { weight: if says_little(&word) { STOP_WORD_WEIGHT } else { 1.0 }, ..word })
            .collect();
        let is_plain = is_plain(text);
        let is_short = text.len() < LEAST_BYTES || !text.chars().any(char::is_alphabetic);
        let least = if is_all { LEAST_PROSE_ANYWHERE } else { LEAST_PROSE };
        let is_prose = is_plain && (words.len() < least || is_question(text));
        let weight = words.iter().map(|word| word.weight).sum();
        (!is_short && !is_prose && words.iter().any(|word| word.weight >= 1.0)).then_some(Self {
            text,
            words,
            terms: FxHashSet::default(),
            weight,
            is_plain,
        })
    }

    /// Creates a part of the question; `None` if it is the name of a declaration, or prose that may occur anywhere.
    fn of(text: &'t str, context: &SignalContext<'_>) -> Option<Self> {
        let weights: FxHashMap<&str, (usize, f64)> = (context.terms.iter().enumerate())
            .filter(|(_, term)| term.entry.is_some() && !term.is_guess)
            .map(|(at, term)| (&*term.text, (at, term.weight)))
            .collect();
        let mut terms = FxHashSet::default();
        let filled_in = filled_in(text);
        let words: Vec<Word<'_>> = words_with_gaps(text)
            .map(|word| {
                let found = query_terms(word.text);
                let found: Vec<(usize, f64)> =
                    found.iter().filter_map(|it| weights.get(&**it).copied()).collect();
                // Numbers, paths and names usually fill placeholders.
                let is_filled_in = word.text.bytes().all(|byte| byte.is_ascii_digit())
                    || filled_in.iter().any(|it| it.contains(&word.start));
                let is_stop_word = is_filled_in || is_stop_word(&word.text.to_lowercase());
                if !is_stop_word {
                    terms.extend(found.iter().map(|(at, _)| *at));
                }
                let weight = found.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
                // A word that occurs nowhere fills a placeholder.
                Word { weight: if is_stop_word { STOP_WORD_WEIGHT } else { weight }, ..word }
            })
            .collect();
        let is_plain = is_plain(text);
        let is_declared = || {
            let name = text.trim_end_matches("()");
            let own = name.rsplit(['.', ':']).next().unwrap_or(name);
            // `MAX_SIZE` is a key, even if there is a `max_size`.
            let is_named = |symbol: SymbolId| context.snapshot.project.symbol_name(symbol) == own;
            words.len() <= 3 && find_symbols(context.snapshot, &[name.to_owned()]).into_iter().any(is_named)
        };
        let weight: f64 = terms.iter().map(|term| context.terms[*term].weight).sum();
        let is_short = text.len() < LEAST_BYTES || !text.chars().any(char::is_alphabetic);
        let is_prose = is_plain && (words.len() < LEAST_PROSE || is_question(text));
        if terms.is_empty() || is_short || is_prose || is_declared() {
            return None;
        }
        Some(Self { text, words, terms, weight, is_plain })
    }

    /// Returns the offsets of exact matches of the part in a range of a text, at word boundaries.
    fn stands_in<'a>(&'a self, text: &'a str, range: Range<usize>) -> impl Iterator<Item = usize> + 'a {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let joins = move |before: Option<char>, after: Option<char>| is_word(before) && is_word(after);
        let part = self.text;
        let found = text[range.clone()].match_indices(part).map(move |(at, _)| range.start + at);
        found.filter(move |at| {
            let (before, after) = (&text[..*at], &text[at + part.len()..]);
            !joins(before.chars().next_back(), part.chars().next())
                && !joins(part.chars().next_back(), after.chars().next())
        })
    }

    /// Returns the share of the part that matches a range of a text, if it is enough, and the offset of its heaviest
    /// run.
    fn lies_along(&self, text: &str, range: Range<usize>) -> Option<(f64, usize)> {
        let offset = range.start;
        let there: Vec<Word<'_>> = words_with_gaps(&text[range]).collect();
        let total = self.weight_of(0..self.words.len());
        let mut best: Option<(f64, Range<usize>, Range<usize>)> = None;
        for at in 0..there.len() {
            for start in 0..self.words.len() {
                // Skip the middle of a run.
                if start > 0 && at > 0 && self.continues(start, &there, at) {
                    continue;
                }
                let length = self.run(start, &there, at);
                let weight = self.weight_of(start..start + length);
                if weight > best.as_ref().map_or(0.0, |(weight, ..)| *weight) {
                    best = Some((weight, start..start + length, at..at + length));
                }
            }
        }
        let (mut weight, mut mine, longest) = best?;
        // The heaviest run need not be the longest.
        let (mut longest_run, mut count) = (mine.len(), mine.len());
        // Runs after and before it, with something else between.
        let mut theirs = longest.clone();
        while let Some((start, at, length)) = self.next_run(mine.end, &there, theirs.end) {
            weight += self.weight_of(start..start + length);
            count += length;
            longest_run = longest_run.max(length);
            (mine.end, theirs.end) = (start + length, at + length);
        }
        while let Some((start, at, length)) = self.run_before(mine.start, &there, theirs.start) {
            weight += self.weight_of(start..start + length);
            count += length;
            (mine.start, theirs.start) = (start, at);
        }
        let share = weight / total;
        let is_long = longest_run >= LONG_RUN || longest_run + 1 >= LONG_RUN && count >= LONG_RUN;
        let is_there = if is_long { share >= IN_RUNS } else { longest_run == self.words.len() };
        is_there.then(|| (share, offset + there[longest.start].start))
    }

    fn weight_of(&self, words: Range<usize>) -> f64 {
        self.words[words].iter().map(|word| word.weight).sum()
    }

    /// Returns the number of equal words from these positions on.
    fn run(&self, start: usize, there: &[Word<'_>], at: usize) -> usize {
        if self.words[start].text != there[at].text {
            return 0;
        }
        let most = (self.words.len() - start).min(there.len() - at);
        (1..most).take_while(|step| self.continues(start + step, there, at + step)).count() + 1
    }

    /// True if the words at these positions, the words before them, and the text between are equal.
    fn continues(&self, start: usize, there: &[Word<'_>], at: usize) -> bool {
        let (mine, theirs) = (&self.words[start], &there[at]);
        mine.text == theirs.text
            && self.words[start - 1].text == there[at - 1].text
            && is_same_gap(mine.before, theirs.before)
    }

    fn next_run(&self, start: usize, there: &[Word<'_>], at: usize) -> Option<(usize, usize, usize)> {
        let near = at..(at + GAP).min(there.len());
        near.flat_map(|at| (start..self.words.len()).map(move |start| (start, at)))
            .map(|(start, at)| (start, at, self.run(start, there, at)))
            .find(|(.., length)| *length > 0)
    }

    fn run_before(&self, start: usize, there: &[Word<'_>], at: usize) -> Option<(usize, usize, usize)> {
        let near = (at.saturating_sub(GAP)..at).rev();
        near.flat_map(|at| (0..start).rev().map(move |start| (start, at)))
            .find(|(start, at)| self.words[*start].text == there[*at].text)
            .map(|(start, at)| (start, at, 1))
    }
}

/// True if a text consists only of words, as prose does. A full stop within a word rules out prose, as does a capital
/// within a word that stands alone.
fn is_plain(text: &str) -> bool {
    let mut pairs = text.chars().zip(text.chars().skip(1));
    if !text.contains(char::is_whitespace) && pairs.any(|(a, b)| a.is_lowercase() && b.is_uppercase()) {
        return false;
    }
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_stop = c == '.' && chars.peek().is_none_or(|next| next.is_whitespace());
        if !(c.is_alphabetic() || c.is_whitespace() || ",?!'".contains(c) || is_stop) {
            return false;
        }
    }
    true
}

/// True if prose is a question, by its first word, which code does not have.
fn is_question(text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["how", "what", "when", "where", "why", "which", "who", "whose", "does", "do", "can", "is"];
    text.split_whitespace().next().is_some_and(|first| WORDS.contains(&&*first.to_lowercase()))
}

/// Returns the line around an offset of a text, trimmed.
fn line_around(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].lines().next().unwrap_or_default().trim()
}

/// True if an offset of a text is in a literal, judged by its line alone.
fn is_in_literal(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = text[start..at].trim_start();
    let is_comment = ["//", "#", "*", "/*", "\"\"\"", "'''"].iter().any(|marker| before.starts_with(marker));
    let quotes = before.chars().filter(|c| matches!(c, '"' | '\'' | '`'));
    !is_comment && quotes.count() > 0
}

/// True if two texts between equal words are the same, except for white space and characters that join the parts of a
/// literal.
fn is_same_gap(mine: &str, theirs: &str) -> bool {
    let joins = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '\\' | '+');
    mine.chars().filter(joins).eq(theirs.chars().filter(joins))
}

/// Returns the ranges of paths, URLs, quotes and names in a message, and of a first word with a colon, as in
/// `TypeError: x`; empty if [little](LONG_RUN) else is left.
fn filled_in(text: &str) -> Vec<Range<usize>> {
    let tokens = text.split_whitespace().map(|token| {
        let start = token.as_ptr() as usize - text.as_ptr() as usize;
        (token, start..start + token.len())
    });
    let is_path = |token: &str| {
        let token = token.trim_start_matches(['"', '\'', '`', '(', '[']);
        token.starts_with(['/', '~']) || token.contains("://")
    };
    let is_in_quotes = |token: &str| {
        let token = token.trim_matches(['(', ')', '[', ']', ',', ';', ':', '.']);
        let inner = token.strip_prefix(['"', '\'', '`']).and_then(|it| it.strip_suffix(['"', '\'', '`']));
        inner.is_some_and(|inner| !inner.is_empty())
    };
    let is_name = |token: &str| {
        let mut pairs = token.chars().zip(token.chars().skip(1));
        pairs.any(|(a, b)| a.is_lowercase() && b.is_uppercase() || a.is_alphanumeric() && b == '_')
    };
    let is_first = |token: &str| token.as_ptr() == text.as_ptr() && token.ends_with(':');
    let (filled_in, others): (Vec<_>, Vec<_>) =
        tokens.partition(|(it, _)| is_path(it) || is_in_quotes(it) || is_name(it) || is_first(it));
    if others.len() < LONG_RUN { Vec::new() } else { filled_in.into_iter().map(|(_, range)| range).collect() }
}

/// Returns the words of a text, each with the text before it.
fn words_with_gaps(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut end = 0;
    words(text).map(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let before = &text[end..start];
        end = start + word.len();
        Word { text: word, start, before, weight: 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_descriptions() {
        let is_sure = |text| Pasted::of(text).is_some_and(|pasted| pasted.is_sure());
        for message in [
            "failed to authenticate packet",
            "A consumer for queue users is already running.",
            "unexpected end of packet",
            "could not reach the pool of workers",
            "WorkerProcess",
        ] {
            assert!(is_sure(message), "{message}");
        }
        for description in [
            "retry of dropped connections",
            "reject tokens that must not be used twice",
            "my handler must answer before the whole upload is read",
            "what happens if the file is not found?",
        ] {
            assert!(!is_sure(description), "{description}");
        }
    }

    #[test]
    fn paths_and_names_within_a_message_are_filled_in() {
        let filled = |text| filled_in(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(filled("Not a local tag ref: /srv/data.json"), ["/srv/data.json"]);
        assert_eq!(filled("Response type 'users' is not (`really`) supported"), ["'users'", "(`really`)"]);
        assert_eq!(
            filled("TypeError: maxSize is less than the min_size"),
            ["TypeError:", "maxSize", "min_size"]
        );
        assert_eq!(filled("Can't tell what the users' names are"), [""; 0]);
        assert!(filled_in("GET /api/users").is_empty());
    }
}
