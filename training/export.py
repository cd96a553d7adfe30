"""The table as a directory of the Model2Vec format, for programs that read such models: export.py TABLE DIRECTORY.

Its tokens are the words of a text in lower case; one that is no term counts nothing. SSCG looks up stems and the parts of names
like `openFile`, too, which tokenizers of the format do not make: the directory has the table's shape and speed, not its quality.
"""

import sys
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

import table

UNKNOWN = "[UNK]"


def main(source, directory):
    terms, vectors = table.read(source)
    kept = [row for row, term in enumerate(terms) if not term.startswith(table.ASKED)]
    terms, vectors = [terms[row] for row in kept], vectors[kept]
    tokenizer = Tokenizer(models.WordLevel({term: row for row, term in enumerate([UNKNOWN, *terms])}, UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    # Punctuation is apart from words, the underscore included.
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vectors = np.vstack([np.zeros((1, vectors.shape[1]), np.float32), vectors])
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(Path(directory))


if __name__ == "__main__":
    main(*sys.argv[1:])
