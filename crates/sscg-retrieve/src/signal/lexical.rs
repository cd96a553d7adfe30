//! Word matches, by BM25F.
//!
//! Source: Robertson, Zaragoza, Taylor: *Simple BM25 extension to multiple weighted fields* (CIKM 2004): the weighted,
//! length-normalized term frequencies of all fields are added before they saturate. A file's score is the decayed sum
//! of its chunks' scores, since many weak matches are as much evidence as one strong match.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{ChunkId, FileId, Id};
use sscg_index::{Field, Posting};

use super::occurrences::FileOccurrences;
use super::{Signal, SignalContext, SignalId, SignalScores, decayed_sum};

/// Scores files and chunks by the question's words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct LexicalSignal {
    /// BM25 term-frequency saturation (k1).
    #[schemars(range(min = 0.0))]
    pub k1: f64,
    /// Declared name.
    pub name: FieldWeight,
    /// Names of the enclosing declarations.
    pub qualifier: FieldWeight,
    /// Declaration without its body.
    pub signature: FieldWeight,
    /// Documentation.
    pub doc: FieldWeight,
    /// Code with its children collapsed.
    pub body: FieldWeight,
    /// Names of the declared members.
    pub members: FieldWeight,
    /// Weight of the words of the file's name in each of its chunks, without length normalization.
    #[schemars(range(min = 0.0))]
    pub file_name: f64,
    /// Weight of the innermost directory's words; each further one has `directory_decay` of it.
    #[schemars(range(min = 0.0))]
    pub directory: f64,
    /// See `directory`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub directory_decay: f64,
    /// Weight of each further chunk of a file relative to the one before it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub chunk_decay: f64,
    /// Number of chunks in a file's score.
    #[schemars(range(min = 1))]
    pub chunks_per_file: usize,
    /// Share of a file's score for how much of the question, by idf, occurs in the file.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coverage: f64,
    /// Factor for chunks of test code, unless the question asks for tests.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub test_code: f64,
    /// Number of terms up to which a question has the full scores; with `n` times as many they are divided by `n` squared,
    /// unless it names or quotes a line, or the project has no code. The words of a long question stand together in windows of
    /// lines; in a whole chunk, and in its documentation, they occur by chance.
    #[schemars(range(min = 1))]
    pub short: usize,
}

/// Weight of the words of one chunk field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FieldWeight {
    /// Weight of a word.
    #[schemars(range(min = 0.0))]
    pub weight: f64,
    /// Length normalization: 0 is none, 1 is proportional.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub length: f64,
}

impl FieldWeight {
    /// Returns the weighted and length-normalized count of a term in a field of this weight.
    pub(super) fn count(self, posting: &Posting) -> f64 {
        let length = 1.0 - self.length + self.length * f64::from(posting.relative_length);
        self.weight * f64::from(posting.count) / length
    }
}

impl Default for LexicalSignal {
    /// Best values on the development set; they lie on a plateau.
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
            test_code: 0.2,
            short: 4,
        }
    }
}

impl Signal for LexicalSignal {
    fn id(&self) -> SignalId {
        SignalId::LEXICAL
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
        let occurrences = context.occurrences();
        let blocks = occurrences.in_blocks(|files| {
            let mut block = Scored::default();
            files.iter().for_each(|file| self.score_file(context, file, &mut block));
            block
        });
        let mut evidence = SignalScores::default();
        let mut covered = Vec::new();
        for block in blocks {
            evidence.files.extend(block.files);
            evidence.chunks.extend(block.chunks);
            covered.extend(block.covered);
        }
        evidence.normalize();
        let total = context.total_weight();
        for ((_, score), covered) in evidence.files.iter_mut().zip(covered) {
            *score = (1.0 - self.coverage) * *score + self.coverage * covered / total;
        }
        let share = self.share(context);
        evidence.files.iter_mut().for_each(|(_, score)| *score *= share);
        evidence.chunks.iter_mut().for_each(|(_, score)| *score *= share);
        evidence
    }
}

/// Word scores of some files.
#[derive(Default)]
struct Scored {
    files: Vec<(FileId, f64)>,
    /// Chunks with a term of the question.
    chunks: Vec<(ChunkId, f64)>,
    /// Weight of all terms that each file has.
    covered: Vec<f64>,
    /// Reused buffers: scores of the chunks of one file, 0 without a term; the best of these; postings of one term;
    /// weighted count of each term in the path.
    scores: Vec<f64>,
    best_first: Vec<f32>,
    postings: Vec<Posting>,
    in_path: Vec<f64>,
}

impl LexicalSignal {
    pub(crate) fn field(&self, field: Field) -> FieldWeight {
        match field {
            Field::Name => self.name,
            Field::Qualifier => self.qualifier,
            Field::Signature => self.signature,
            Field::Doc => self.doc,
            Field::Body => self.body,
            Field::Members => self.members,
        }
    }

    /// Returns the share of the scores that the length of the question leaves.
    fn share(&self, context: &SignalContext<'_>) -> f64 {
        if context.has_lines || !context.has_code() {
            return 1.0;
        }
        (self.short as f64 / context.terms.len() as f64).powi(2).min(1.0)
    }

    /// Scores a file and its chunks.
    fn score_file(&self, context: &SignalContext<'_>, file: &FileOccurrences, scored: &mut Scored) {
        let Scored { files, chunks, covered, scores, best_first, postings, in_path } = scored;
        let of_file = context.snapshot.project.chunks_of(file.file);
        let first = of_file.start.index();
        scores.clear();
        scores.resize(of_file.end.index() - first, 0.0);
        self.count_path(context, file.file, in_path);
        let fields = Field::ALL.map(|field| self.field(field));
        let mut found = 0.0;
        for (at, in_file) in context.occurrences().of(file) {
            let weight = context.terms[at].weight;
            found += weight;
            postings.clear();
            postings.extend(in_file.iter());
            for run in postings.chunk_by(|a, b| a.chunk == b.chunk) {
                let count =
                    in_path[at] + run.iter().map(|it| fields[it.field as usize].count(it)).sum::<f64>();
                scores[run[0].chunk.index() - first] += weight * count / (self.k1 + count);
            }
        }
        best_first.clear();
        for (chunk, score) in (first..).map(ChunkId::new).zip(scores).filter(|(_, score)| **score > 0.0) {
            if context.is_unwanted_test(chunk) {
                *score *= self.test_code;
            }
            best_first.push(*score as f32);
            chunks.push((chunk, *score));
        }
        files.push((file.file, decayed_sum(best_first, self.chunks_per_file, self.chunk_decay)));
        covered.push(found);
    }

    /// Computes the weighted count of each term in a file's path.
    fn count_path(&self, context: &SignalContext<'_>, file: FileId, counts: &mut Vec<f64>) {
        counts.clear();
        counts.resize(context.terms.len(), 0.0);
        for used in context.paths.uses(file) {
            for (term, _) in context.mentions.of(*used).iter().filter(|(_, similarity)| *similarity == 1.0) {
                counts[*term as usize] += used.weight(self.file_name, self.directory, self.directory_decay);
            }
        }
    }
}
