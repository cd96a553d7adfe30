//! Parsed questions and their filters.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use sscg_core::{ChunkId, ChunkKind, FileId, Language, Project};
use sscg_index::{is_stop_word, query_terms, words};

use crate::RetrievalError;
use crate::translation::Translation;

/// A question with its filters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// Question as asked.
    pub text: String,
    /// Question without a trailing list of names, which are [`terms`](Self::terms). For a question that only asks for
    /// one declaration with a name that is no word of prose ("where is `Session.close` defined"), the name.
    pub prose: String,
    /// Way to answer the query.
    pub mode: QueryMode,
    /// Guesses at identifiers, words or parts of strings in the relevant code. Compounds that the project has count
    /// like the question's words, others less; guesses that occur nowhere add nothing.
    pub terms: Vec<String>,
    /// Filter for the chunks that may be returned.
    pub filters: Filters,
    /// Vector of the question by the model of the snapshot's vectors; not needed for the built-in model.
    pub vector: Option<Vec<f32>>,
    /// English words for a question in another language.
    pub(crate) translation: Option<Translation>,
}

/// Way to answer a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryMode {
    /// Ranks chunks for a question in words, analyzed into these terms.
    Words(Vec<String>),
    /// Looks up a declaration: outermost name first, optionally after a file path.
    Symbol(Vec<String>),
}

impl Query {
    /// Parses a question. `symbol = Outer > inner`, or a name that is a stop word (`find`), asks for a declaration;
    /// everything else is a question in words. A list of names at its end
    /// (`who closes idle connections, keepalive_timeout, drop_conn`) becomes [terms](Self::with_terms).
    ///
    /// ```
    /// use sscg_retrieve::{Filters, Query, QueryMode};
    ///
    /// let query = Query::parse("who closes idle connections, keepalive_timeout, drop_conn", Filters::default())?;
    /// assert_eq!(query.terms, ["keepalive_timeout", "drop_conn"]);
    /// let query = Query::parse("symbol = Session > close", Filters::default())?;
    /// assert_eq!(query.mode, QueryMode::Symbol(vec!["Session".into(), "close".into()]));
    /// assert!(Query::parse("what is it", Filters::default()).is_err());
    /// # Ok::<(), sscg_retrieve::RetrievalError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the question is empty or consists of stop words, or if the symbol path has empty parts.
    pub fn parse(text: &str, filters: Filters) -> Result<Self, RetrievalError> {
        let asked = text.trim();
        if asked.is_empty() {
            return Err(RetrievalError::Empty);
        }
        let symbol = asked.strip_prefix("symbol").and_then(|rest| rest.trim_start().strip_prefix('='));
        let (mut prose, mut listed, mut translation) = (asked, Vec::new(), None);
        let mode = match symbol {
            Some(path) => {
                let parts: Vec<String> = path.split('>').map(|part| part.trim().to_owned()).collect();
                if parts.iter().any(String::is_empty) {
                    return Err(RetrievalError::SymbolPath(path.trim().to_owned()));
                }
                QueryMode::Symbol(parts)
            }
            None => {
                (prose, listed) = without_list(asked);
                let only = only_name(prose);
                let bare = Some(prose).filter(|it| is_name(called(it)));
                match only.as_ref().map(|it| it.name).or(bare) {
                    // A declaration may have the name `find`.
                    Some(name) if query_terms(name).is_empty() => {
                        QueryMode::Symbol(vec![called(name).to_owned()])
                    }
                    _ => {
                        prose = only.filter(|it| it.is_marked).map_or(prose, |it| it.name);
                        translation = Translation::of(prose);
                        let terms =
                            translation.as_ref().map_or_else(|| query_terms(prose), Translation::terms);
                        if terms.is_empty() {
                            return Err(RetrievalError::OnlyStopWords(asked.to_owned()));
                        }
                        QueryMode::Words(terms)
                    }
                }
            }
        };
        let (text, prose) = (asked.to_owned(), prose.to_owned());
        let query = Self { text, prose, mode, terms: Vec::new(), filters, vector: None, translation };
        Ok(query.with_terms(&listed))
    }

    /// Creates a query without words, for code that ids name; `text` is what its answer repeats.
    pub fn of_ids(text: String, filters: Filters) -> Self {
        let mode = QueryMode::Words(Vec::new());
        Self { prose: String::new(), text, mode, terms: Vec::new(), filters, vector: None, translation: None }
    }

    /// Adds guesses at names in the code. Lookups of a declaration ignore them.
    #[must_use]
    pub fn with_terms(mut self, terms: &[String]) -> Self {
        if let QueryMode::Words(asked) = &mut self.mode {
            for term in terms {
                let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
                let words = query_terms(&term);
                if words.is_empty() || self.terms.contains(&term) {
                    continue;
                }
                for word in words {
                    if !asked.contains(&word) {
                        asked.push(word);
                    }
                }
                self.terms.push(term);
            }
        }
        self
    }

    /// Returns the name that is the whole question: no blanks, and a capital or a character that prose does not have,
    /// as in `Retry`, `open_file`, `Session.close`. A plain word like `retry` is returned as well, alone or where its
    /// definition or behavior is asked for; it is a name only if a declaration has it.
    pub fn bare_name(&self) -> Option<&str> {
        if !matches!(self.mode, QueryMode::Words(_)) {
            return None;
        }
        let name = called(self.prose.trim());
        if is_name(name) {
            return Some(name);
        }
        only_name(without_list(&self.text).0).map(|it| called(it.name))
    }

    /// Returns the words that may be names: words of the question, or of what is left of it, that are written like
    /// identifiers, or its only word; and those of the terms.
    pub(crate) fn names<'q>(&'q self, question: &'q str) -> Vec<&'q str> {
        let mut names = names_in(question);
        names.extend(self.terms.iter().flat_map(|term| names_in(term)));
        names
    }
}

/// Returns a name without the parentheses of a call.
fn called(name: &str) -> &str {
    name.strip_suffix("()").unwrap_or(name)
}

/// True if a text may be the name of a declaration, qualified or not.
fn is_name(text: &str) -> bool {
    text.contains(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'))
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$'))
}

/// True if a name has a capital or a character that prose does not have.
pub(crate) fn is_code(name: &str) -> bool {
    name.chars().any(|c| c.is_uppercase() || matches!(c, '_' | ':' | '.'))
}

/// Words around a name in a request to show or explain its declaration.
const AROUND_NAMES: &[&str] = &[
    "a",
    "about",
    "an",
    "are",
    "at",
    "can",
    "class",
    "code",
    "component",
    "constant",
    "declaration",
    "declared",
    "defined",
    "definition",
    "did",
    "do",
    "does",
    "enum",
    "field",
    "for",
    "function",
    "how",
    "i",
    "implementation",
    "implemented",
    "in",
    "interface",
    "is",
    "it",
    "located",
    "macro",
    "me",
    "method",
    "of",
    "please",
    "purpose",
    "struct",
    "that",
    "the",
    "there",
    "this",
    "to",
    "trait",
    "type",
    "variable",
    "what",
    "where",
    "which",
    "work",
    "works",
    "you",
];

/// Verbs of such requests, at the start of a question or after one of [`BEFORE_REQUESTS`]; elsewhere they describe
/// code.
const REQUESTS: &[&str] = &["describe", "explain", "find", "locate", "show", "tell"];

const BEFORE_REQUESTS: &[&str] = &["please", "to", "you"];

/// Words of [`AROUND_NAMES`] that mark the other word as a name even if it is all lowercase. Types mostly have
/// capitals: "the error type" is a topic.
const OF_NAMES: &[&str] = &[
    "constant",
    "declaration",
    "declared",
    "defined",
    "definition",
    "field",
    "function",
    "macro",
    "method",
    "variable",
];

/// Words of [`AROUND_NAMES`] before which a lowercase word is a topic: "where are errors defined", "which method is for
/// testing".
const BEFORE_TOPICS: &[&str] = &["about", "are", "for"];

/// Name in a question that asks only for its declaration.
struct OnlyName<'q> {
    name: &'q str,
    /// Set if the name cannot be a word of prose: "what does `Session.close` do", "show me the class Retry". Otherwise
    /// it is a name only if it is declared: "where is retry defined".
    is_marked: bool,
}

/// Word of a question.
struct QuestionWord<'q> {
    /// Word without the punctuation around it.
    bare: &'q str,
    lower: String,
    /// Set if it cannot be a word of prose. Every sentence begins with a capital.
    is_marked: bool,
}

impl<'q> QuestionWord<'q> {
    fn new(word: &'q str) -> Option<Self> {
        let bare = without_punctuation(word);
        let is_marked = word.contains(['`', '"']) || bare.ends_with("()") || is_code(uncapitalized(bare));
        (!bare.is_empty()).then(|| Self { bare, lower: bare.to_lowercase(), is_marked })
    }

    fn is_in(&self, words: &[&str]) -> bool {
        words.contains(&&*self.lower)
    }

    /// True if the word, after this one, belongs to a question around a name.
    fn is_around_name(&self, before: Option<&Self>) -> bool {
        let asks = self.is_in(REQUESTS) && before.is_none_or(|before| before.is_in(BEFORE_REQUESTS));
        !self.is_marked && (asks || self.is_in(AROUND_NAMES))
    }
}

/// Returns the one word left without the words around names; `None` if it is no name, or has no such words around it.
fn only_name(question: &str) -> Option<OnlyName<'_>> {
    let words: Vec<QuestionWord<'_>> = question.split_whitespace().filter_map(QuestionWord::new).collect();
    let is_around = |at: usize| words[at].is_around_name(at.checked_sub(1).map(|before| &words[before]));
    let mut names = (0..words.len()).filter(|at| !is_around(*at));
    let (at, None) = (names.next()?, names.next()) else { return None };
    let (name, before, after) = (words[at].bare, &words[..at], &words[at + 1..]);
    // "What does retry do" asks for a declaration, "what does the retry do" for behavior.
    let does = after.iter().any(|word| word.lower == "do")
        && before.last().is_none_or(|before| before.lower != "the");
    let says_so = does || before.iter().chain(after).any(|word| word.is_in(OF_NAMES));
    let is_topic = before.iter().any(|word| word.is_in(BEFORE_TOPICS));
    let is_marked = words[at].is_marked || is_code(called(name));
    let may_be = is_marked || says_so && !is_topic;
    (words.len() > 1 && is_name(called(name)) && may_be).then_some(OnlyName { name, is_marked })
}

/// Returns a word of a question without the punctuation around it: `close()` of "(`close()`)?".
fn without_punctuation(word: &str) -> &str {
    let is_sign = |c: char| "?!,.:;\"'`()\u{201c}\u{201d}\u{2018}\u{2019}".contains(c);
    let word = word.trim_start_matches(is_sign);
    let bare = word.trim_end_matches(is_sign);
    if word[bare.len()..].starts_with("()") {
        return &word[..bare.len() + 2];
    }
    bare.strip_suffix("\u{2019}s").or_else(|| bare.strip_suffix("'s")).unwrap_or(bare)
}

/// Returns a word without its first character, if that is a letter.
pub(crate) fn uncapitalized(word: &str) -> &str {
    word.strip_prefix(char::is_alphabetic).unwrap_or(word)
}

/// Maximum number of words of a listed name.
const MOST_NAME_WORDS: usize = 3;

/// Splits a question into prose and a trailing list of names: two or more parts between commas, each of few words and
/// no stop words, at least one of them written as code. A question that is only such a list, or whose prose has no
/// terms, stays whole.
fn without_list(text: &str) -> (&str, Vec<String>) {
    let (mut prose, mut names) = (text, Vec::new());
    while let Some((before, last)) = prose.rsplit_once([',', ';']) {
        let Some(name) = listed_name(last) else { break };
        names.push(name);
        prose = before;
    }
    let is_code = |name: &&str| {
        let mut pairs = name.as_bytes().windows(2);
        name.contains('_')
            || name.contains("::")
            || name.ends_with("()")
            || pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    let is_list = names.len() > 1 && names.iter().any(is_code) && listed_name(prose).is_none();
    if !is_list || query_terms(prose).is_empty() {
        return (text, Vec::new());
    }
    (prose.trim(), names.into_iter().rev().map(str::to_owned).collect())
}

/// Returns the name in a part of a list, without decoration; `None` if it is prose or has unbalanced brackets.
fn listed_name(part: &str) -> Option<&str> {
    let part = part.trim().trim_end_matches(['.', '?', '!']);
    let part = part.strip_prefix("and ").or_else(|| part.strip_prefix("or ")).unwrap_or(part);
    let part = part.trim_matches(['`', '"', '\'', ' ']);
    let count = |bracket: char| part.matches(bracket).count();
    let is_balanced =
        [('(', ')'), ('[', ']'), ('{', '}')].iter().all(|(open, close)| count(*open) == count(*close));
    let mut words = part.split_whitespace();
    let is_name = (1..=MOST_NAME_WORDS).contains(&words.clone().count())
        && !part.contains('\n')
        && words.all(|word| !is_stop_word(&word.to_lowercase()));
    (is_balanced && is_name).then_some(part)
}

fn names_in(text: &str) -> Vec<&str> {
    let all: Vec<&str> = words(text).collect();
    if let [only] = all.as_slice() {
        return vec![only];
    }
    let is_name = |word: &&str| {
        let rest = &word[word.chars().next().map_or(0, char::len_utf8)..];
        let compound = word.contains('_') && word.len() > 1 || rest.chars().any(char::is_uppercase);
        let capitalized = word.starts_with(char::is_uppercase) && !begins_sentence(text, word);
        (compound || capitalized) && !is_stop_word(&word.to_lowercase())
    };
    all.into_iter().filter(is_name).collect()
}

/// True if a word of a text begins a sentence, a line or a list item.
fn begins_sentence(text: &str, word: &str) -> bool {
    let before =
        text[..word.as_ptr().addr() - text.as_ptr().addr()].trim_end_matches([' ', '\t', '-', '*', '#', '>']);
    before.is_empty() || before.ends_with(['.', '?', '!', ':', '\n'])
}

/// Filter for chunks. Empty filters admit everything.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    languages: Vec<Language>,
    paths: Option<GlobSet>,
    kinds: Vec<ChunkKind>,
}

impl Filters {
    /// Creates a filter by language and path. A path filter is a file, a directory, or a glob (`src/**/*.rs`, `*.py`),
    /// relative to the project's root; a glob without a slash matches file names anywhere.
    ///
    /// # Errors
    /// Fails if a path filter is not a valid glob.
    pub fn new(languages: Vec<Language>, paths: &[String]) -> Result<Self, RetrievalError> {
        if paths.is_empty() {
            return Ok(Self { languages, ..Self::default() });
        }
        let fail = |pattern: &str, error: &globset::Error| RetrievalError::PathFilter {
            pattern: pattern.to_owned(),
            message: error.kind().to_string(),
        };
        let mut set = GlobSetBuilder::new();
        for path in paths {
            let pattern = path.trim_start_matches("./").trim_end_matches('/');
            let anywhere = if pattern.contains('/') { String::new() } else { format!("**/{pattern}") };
            let below = if pattern == "." { "**".to_owned() } else { format!("{pattern}/**") };
            // A path may contain glob characters: `app/[slug]`.
            let literal = globset::escape(pattern);
            let literal_below = format!("{literal}/**");
            let globs = [pattern, &below, &anywhere, &literal, &literal_below];
            for glob in globs.into_iter().filter(|glob| !glob.is_empty()) {
                let glob = GlobBuilder::new(glob).literal_separator(true).build();
                set.add(glob.map_err(|error| fail(path, &error))?);
            }
        }
        let set = set.build().map_err(|error| fail(&paths.join(" "), &error))?;
        Ok(Self { languages, paths: Some(set), kinds: Vec::new() })
    }

    /// Restricts the filters to chunks of these kinds; an empty list admits all kinds.
    #[must_use]
    pub fn with_kinds(self, kinds: Vec<ChunkKind>) -> Self {
        Self { kinds, ..self }
    }

    /// True if a file has admitted chunks. O(1) without kinds, otherwise O(chunks of the file).
    pub fn admits(&self, project: &Project, file: FileId) -> bool {
        let entry = &project.files()[file];
        let kinds = || entry.facts.outline().chunks().iter().map(|chunk| chunk.kind);
        (self.languages.is_empty() || self.languages.contains(&entry.language))
            && self.admits_path(&entry.path)
            && (self.kinds.is_empty() || kinds().any(|kind| self.admits_kind(kind)))
    }

    /// True if the path filters admit a path, whatever the language of the file.
    pub fn admits_path(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|paths| paths.is_match(path))
    }

    /// True if a chunk is admitted.
    pub fn admits_chunk(&self, project: &Project, chunk: ChunkId) -> bool {
        self.admits_kind(project.chunk_kind(chunk)) && self.admits(project, project.chunk_file(chunk))
    }

    /// True if chunks of this kind are admitted.
    pub fn admits_kind(&self, kind: ChunkKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Query, RetrievalError> {
        Query::parse(text, Filters::default())
    }

    #[test]
    fn symbol_paths_are_told_from_questions() {
        let mode = |text| parse(text).map(|query| query.mode);
        let path = |parts: &[&str]| QueryMode::Symbol(parts.iter().map(ToString::to_string).collect());
        assert_eq!(mode("symbol = Token > check"), Ok(path(&["Token", "check"])));
        assert_eq!(mode("symbol=check"), Ok(path(&["check"])));
        assert!(matches!(mode("symbol table lookup"), Ok(QueryMode::Words(_))));
        assert_eq!(mode("symbol = a > "), Err(RetrievalError::SymbolPath("a >".into())));
        assert_eq!(mode("  "), Err(RetrievalError::Empty));
        assert_eq!(mode("what is it?"), Err(RetrievalError::OnlyStopWords("what is it?".into())));
    }

    #[test]
    fn names_in_a_question_are_those_that_look_like_names() {
        let names = |text: &str| {
            let query = parse(text).expect("valid");
            query.names(text).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names("How does JoinHandle poll block_on in Tokio"), ["JoinHandle", "block_on", "Tokio"]);
        assert_eq!(names("spawn"), ["spawn"]);
        assert!(names("Where are requests sent").is_empty());
        assert_eq!(names("The app starts. Blueprint setup fails in Flask:\n- Requests get lost"), ["Flask"]);
    }

    #[test]
    fn a_bare_name_is_the_whole_question_and_no_word_of_prose() {
        let bare = |text| parse(text).expect("valid").bare_name().map(str::to_owned);
        for name in ["Retry", "open_file", "Session.close", "net::Session"] {
            assert_eq!(bare(name).as_deref(), Some(name));
        }
        assert_eq!(bare("open_file()").as_deref(), Some("open_file"));
        assert_eq!(bare("where is retry defined").as_deref(), Some("retry"));
        assert_eq!(bare("retry").as_deref(), Some("retry"));
        for other in ["Retry requests", "symbol = Retry", "--retry-all", "src/retry.rs"] {
            assert_eq!(bare(other), None, "{other}");
        }
    }

    #[test]
    fn a_question_for_one_declaration_is_its_name() {
        let prose = |text| parse(text).expect("valid").prose;
        for (question, name) in [
            ("where is send_file defined?", "send_file"),
            ("What does `Session.close()` do", "Session.close()"),
            ("Where is (`Session.close`)?", "Session.close"),
            ("Blueprint: how does it work?", "Blueprint"),
            ("Can you show me “Retry”", "Retry"),
            ("show me the class Retry", "Retry"),
            ("How does JoinSet work?", "JoinSet"),
        ] {
            assert_eq!(prose(question), name);
        }
        for question in [
            "how does startup work",
            "where is startup defined",
            "where is send_file used",
            "where is Session closed",
            "how does Session.close flush",
            "how does Session open",
            "how does pydantic define a field type",
            "what does find do in Blueprint",
            "what does `find` do in Blueprint",
            "how does Blueprint find the source of a method",
            "what does this function do",
            "is it defined",
        ] {
            assert_eq!(prose(question), question);
        }
        for question in ["what does `find` do", "what does find do", "where is find defined", "find"] {
            let stop_word = parse(question).expect("valid").mode;
            assert_eq!(stop_word, QueryMode::Symbol(vec!["find".to_owned()]), "{question}");
        }
    }

    #[test]
    fn a_word_of_prose_is_a_name_where_its_definition_is_asked_for() {
        let bare = |text| parse(text).expect("valid").bare_name().map(str::to_owned);
        for question in [
            "where is startup defined",
            "the function startup",
            "definition of startup",
            "what does startup do",
            "where is startup() ?",
        ] {
            assert_eq!(bare(question).as_deref(), Some("startup"), "{question}");
        }
        for question in [
            "how does startup work",
            "where are errors defined",
            "what method is for testing",
            "where is the error type",
            "what does the startup do",
        ] {
            assert_eq!(bare(question), None, "{question}");
        }
    }

    #[test]
    fn guesses_are_words_and_names_beside_the_question() {
        let guesses = ["retry_after".to_owned(), "Backoff".to_owned(), "sent".to_owned()];
        let query = parse("Where are requests sent").expect("valid").with_terms(&guesses);
        let terms = ["request", "sent", "retri", "after", "retryafter", "backoff"];
        assert_eq!(query.mode, QueryMode::Words(terms.map(str::to_owned).to_vec()));
        assert_eq!(query.names(&query.prose), ["retry_after", "Backoff", "sent"]);
        let lookup = parse("symbol = send").expect("valid");
        assert_eq!(lookup.clone().with_terms(&guesses).mode, lookup.mode);
    }

    #[test]
    fn a_list_of_names_behind_a_question_is_one_of_guesses() {
        let listed =
            parse("HEAD request answered by GET handler, strip_body, content-length").expect("valid");
        let guesses = ["strip_body".to_owned(), "content-length".to_owned()];
        let given = parse("HEAD request answered by GET handler").expect("valid").with_terms(&guesses);
        assert_eq!((&listed.prose, &listed.terms, &listed.mode), (&given.prose, &given.terms, &given.mode));
        let terms = |text| parse(text).expect("valid").terms;
        assert_eq!(
            terms("who closes idle sockets, `keepAlive`, drop conn, and reap."),
            ["keepAlive", "drop conn", "reap"]
        );
        for prose in [
            "how are paths, globs and files matched",
            "retries, timeouts, backoff",
            "strip_body, content_length, head",
            "Which files does it try, in which order, and when does it give up",
            "why does it fail, sometimes, after minutes",
            "what are these, foo_bar, baz_qux",
            "why does connect(host, read_timeout, retries) hang",
            "when the disk is slow, full, read-only",
            "raise ValueError here\nValueError: bad_name, other",
        ] {
            assert!(terms(prose).is_empty(), "{prose}");
        }
    }

    #[test]
    fn path_filters_take_files_directories_and_globs() {
        let admits = |pattern: &str, path: &str| {
            let filters = Filters::new(Vec::new(), &[pattern.to_owned()]).expect("valid");
            filters.paths.expect("set").is_match(path)
        };
        assert!(admits("src", "src/a/b.rs"));
        assert!(admits("src/", "src/b.rs"));
        assert!(!admits("src", "srcs/b.rs"));
        assert!(admits("*.rs", "src/a/b.rs"));
        assert!(admits("./src/a.rs", "src/a.rs"));
        assert!(admits("src/**/*.rs", "src/a/b.rs"));
        assert!(!admits("src/*.rs", "src/a/b.rs"));
        assert!(admits(".", "src/a/b.rs"));
        assert!(admits("app/[slug]", "app/[slug]/page.tsx"));
        assert!(Filters::new(Vec::new(), &["a[".to_owned()]).is_err());
    }
}
