"""The file of the model: terms in byte order, and for each a row of 4-bit numbers with a scale."""
import struct

import numpy as np

MAGIC = b"SSCGTERM"
# Prefix of the rows of terms in questions.
ASKED = "?"


def quantize(table):
    """(scales as f16, numbers from -8 to 7), the scale of each row the one that loses least."""
    largest = np.abs(table).max(axis=1, keepdims=True) + 1e-12
    best, scales = np.full((len(table), 1), np.inf), largest / 7
    for share in np.linspace(0.4, 1.05, 27):
        scale = largest * share / 7
        numbers = np.clip(np.rint(table / scale), -8, 7)
        # The least-squares scale for these numbers.
        scale = (table * numbers).sum(axis=1, keepdims=True) / np.maximum((numbers**2).sum(axis=1, keepdims=True), 1)
        loss = ((table - scale * numbers) ** 2).sum(axis=1, keepdims=True)
        scales = np.where(loss < best, scale, scales)
        best = np.minimum(loss, best)
    scales = scales.astype(np.float16)
    numbers = np.clip(np.rint(table / np.maximum(scales.astype(np.float32), 1e-7)), -8, 7)
    return scales, numbers.astype(np.int8)


def write(path, terms, table):
    assert terms == sorted(terms, key=str.encode) and table.shape[1] % 2 == 0
    text = "".join(f"{term}\n" for term in terms).encode()
    scales, numbers = quantize(table)
    nibbles = (numbers + 8).astype(np.uint8)
    values = nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)
    header = MAGIC + struct.pack("<4I", 1, table.shape[1], len(terms), len(text))
    with open(path, "wb") as out:
        out.write(header + text + scales.astype("<f2").tobytes() + values.tobytes())


def read(path):
    """(terms, table as f32)"""
    with open(path, "rb") as file:
        data = file.read()
    version, dimension, rows, length = struct.unpack_from("<4I", data, len(MAGIC))
    assert data.startswith(MAGIC) and version == 1
    at = len(MAGIC) + 16
    terms = data[at : at + length].decode().split("\n")[:-1]
    scales = np.frombuffer(data, "<f2", rows, at + length).astype(np.float32)
    values = np.frombuffer(data, np.uint8, rows * dimension // 2, at + length + 2 * rows).reshape(rows, -1)
    numbers = np.stack([values & 15, values >> 4], axis=2).reshape(rows, dimension).astype(np.float32) - 8
    return terms, numbers * scales[:, None]
