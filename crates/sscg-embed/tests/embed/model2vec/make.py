"""Makes the models beside this file, and the vectors that the Python package gives for some texts.

    pip install 'model2vec[quantization]==0.7.0' && python make.py

The models mean nothing; what counts is that each kind of tokenizer, of number and of table is there once.
"""

import json
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from model2vec.model import quantize_model
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = Path(__file__).parent
CORPUS = ["def open_file(path): return read(path)", "fn parse(text: &str) -> Tree", "close the file and the parser"]
TEXTS = [
    "def open_file(path):\n    return read(path)",
    "Parse the FILE",
    "日本語 🙂 zzz",
    "unknowable",
    "naïve Ünïcode",
    "",
    "file " * 600 + "parser " * 600,
    "read parse",
]
DIMENSION = 6


def word_piece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=60, special_tokens=["[PAD]", "[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.enable_padding(pad_token="[PAD]", length=4)
    return tokenizer


def word_level() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(CORPUS, trainers.WordLevelTrainer(special_tokens=["[UNK]"], show_progress=False))
    return tokenizer


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=50, show_progress=False))
    return tokenizer


def unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=50, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def model(tokenizer: Tokenizer, normalize: bool) -> StaticModel:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(tokenizer.get_vocab_size(), DIMENSION)).astype(np.float32)
    return StaticModel(vectors, tokenizer, normalize=normalize)


MODELS = {
    "plain": model(word_piece(), normalize=True),
    "half": quantize_model(model(byte_level(), normalize=False), quantize_to="float16"),
    "eight_bits": quantize_model(model(unigram(), normalize=True), quantize_to="int8"),
    "shared_rows": quantize_model(model(word_level(), normalize=False), vocabulary_quantization=8),
}

expected = {"texts": TEXTS}
for name, static in MODELS.items():
    static.save_pretrained(HERE / name)
    for extra in ["README.md", "modules.json"]:
        (HERE / name / extra).unlink()
    # One by one, so that none is padded to the length of another.
    expected[name] = [[round(float(number), 6) for number in static.encode(text)] for text in TEXTS]
(HERE / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, indent=1) + "\n")
