//! Words, by BM25F.
//!
//! Source: Robertson, Zaragoza, Taylor: *Simple BM25 extension to multiple weighted fields* (CIKM 2004): the weighted,
//! length-normalised counts of all fields are added before they saturate. A file's score is the decayed sum of its
//! chunks', since many chunks that match a little say as much as one that matches well.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id};
use sscg_index::{Field, Posting};

use super::{Context, Evidence, Signal, SignalId, decayed_sum};

/// Scores files and chunks by the question's words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lexical {
    /// How fast repetition saturates.
    #[schemars(range(min = 0.0))]
    pub k1: f64,
    /// The declared name.
    pub name: FieldWeight,
    /// The names of the declarations around it.
    pub qualifier: FieldWeight,
    /// The declaration without its body.
    pub signature: FieldWeight,
    /// The documentation.
    pub doc: FieldWeight,
    /// The code with its children collapsed.
    pub body: FieldWeight,
    /// The names of the members it declares.
    pub members: FieldWeight,
    /// What the words of the file's name count in each of its chunks, without length normalisation.
    #[schemars(range(min = 0.0))]
    pub file_name: f64,
    /// What the words of the innermost directory count; each further one `directory_decay` of that.
    #[schemars(range(min = 0.0))]
    pub directory: f64,
    /// See `directory`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub directory_decay: f64,
    /// What each further chunk adds to its file's score, relative to the one before it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chunk_decay: f64,
    /// How many chunks of a file its score is made of.
    #[schemars(range(min = 1))]
    pub chunks_per_file: usize,
    /// The share of a file's score that is how much of the question, by idf, stands anywhere in the file.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coverage: f64,
    /// What a chunk of test code counts, unless the question asks for tests.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub test_code: f64,
}

/// How the words of one field of a chunk count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldWeight {
    /// What a word counts.
    #[schemars(range(min = 0.0))]
    pub weight: f64,
    /// How far a longer field makes its words count less: 0 not at all, 1 in proportion.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub length: f64,
}

impl Default for Lexical {
    /// The values that measured best on the development set; they lie on a plateau.
    fn default() -> Self {
        Self {
            k1: 1.2,
            name: FieldWeight { weight: 3.0, length: 0.3 },
            qualifier: FieldWeight { weight: 1.0, length: 0.3 },
            signature: FieldWeight { weight: 1.5, length: 0.5 },
            doc: FieldWeight { weight: 2.0, length: 0.5 },
            body: FieldWeight { weight: 1.0, length: 0.75 },
            members: FieldWeight { weight: 1.0, length: 0.5 },
            file_name: 3.0,
            directory: 1.0,
            directory_decay: 0.6,
            chunk_decay: 0.8,
            chunks_per_file: 12,
            coverage: 0.1,
            test_code: 0.4,
        }
    }
}

impl Signal for Lexical {
    fn id(&self) -> SignalId {
        SignalId::Lexical
    }

    fn score(&self, context: &Context<'_>, _found: &[(ChunkId, f64)]) -> Evidence {
        let project = &context.snapshot.project;
        let Scores { mut chunks, covered } = self.bm25f(context);
        let mut evidence = Evidence::default();
        let mut best_first: Vec<f32> = Vec::new();
        for (file, covered) in project.files().ids().zip(&covered) {
            if *covered <= 0.0 {
                continue;
            }
            best_first.clear();
            let of_file = project.chunks_of(file);
            for (at, score) in chunks[of_file.start.index()..of_file.end.index()].iter_mut().enumerate() {
                if *score > 0.0 {
                    let chunk = ChunkId::new(of_file.start.index() + at);
                    if context.is_unwanted_test(chunk) {
                        *score *= self.test_code;
                    }
                    best_first.push(*score as f32);
                    evidence.chunks.push((chunk, *score));
                }
            }
            let sum = decayed_sum(&mut best_first, self.chunks_per_file, self.chunk_decay);
            evidence.files.push((file, sum));
        }
        evidence.normalize();
        let total = context.total_idf();
        for (file, score) in &mut evidence.files {
            *score = (1.0 - self.coverage) * *score + self.coverage * covered[file.index()] / total;
        }
        evidence
    }
}

/// What the words say.
struct Scores {
    /// The score of each chunk, 0 where no term of the question is.
    chunks: Vec<f64>,
    /// For each file the idf of all terms that it has.
    covered: Vec<f64>,
}

impl Lexical {
    fn field(&self, field: Field) -> FieldWeight {
        match field {
            Field::Name => self.name,
            Field::Qualifier => self.qualifier,
            Field::Signature => self.signature,
            Field::Doc => self.doc,
            Field::Body => self.body,
            Field::Members => self.members,
        }
    }

    fn bm25f(&self, context: &Context<'_>) -> Scores {
        let lexical = context.snapshot.lexical();
        let mut chunks = vec![0.0; lexical.chunk_count()];
        let mut covered = vec![0.0; lexical.file_count()];
        let path_counts = self.path_counts(context);
        let fields = Field::ALL.map(|field| self.field(field));
        let mut postings: Vec<Posting> = Vec::new();
        for (at, term) in context.terms.iter().enumerate() {
            let Some(entry) = &term.entry else { continue };
            for in_file in lexical.postings(entry) {
                let in_path = path_counts.get(&in_file.file).map_or(0.0, |counts| counts[at]);
                covered[in_file.file.index()] += term.idf;
                postings.clear();
                postings.extend(in_file.iter());
                for run in postings.chunk_by(|a, b| a.chunk == b.chunk) {
                    let mut count = in_path;
                    for posting in run {
                        let field = fields[posting.field as usize];
                        let length = 1.0 - field.length + field.length * f64::from(posting.relative_length);
                        count += field.weight * f64::from(posting.count) / length;
                    }
                    chunks[run[0].chunk.index()] += term.idf * count / (self.k1 + count);
                }
            }
        }
        Scores { chunks, covered }
    }

    /// For each file whose path has a word of the question, the weighted count of each term.
    fn path_counts(&self, context: &Context<'_>) -> FxHashMap<FileId, Vec<f64>> {
        let mut counts: FxHashMap<FileId, Vec<f64>> = FxHashMap::default();
        for file in context.snapshot.project.files().ids() {
            for used in context.paths.uses(file) {
                for (term, _) in context.mentions.of(*used).iter().filter(|(_, likeness)| *likeness == 1.0) {
                    let weight = match used.level {
                        0 => self.file_name,
                        level => self.directory * self.directory_decay.powi(i32::from(level) - 1),
                    };
                    let of_file = counts.entry(file).or_insert_with(|| vec![0.0; context.terms.len()]);
                    of_file[*term as usize] += weight;
                }
            }
        }
        counts
    }
}
