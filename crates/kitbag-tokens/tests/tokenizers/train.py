"""Trains the small tokenizers of this folder on the project's own text.

    python3 train.py        with the package `tokenizers` 0.23.3

Each is of the make of a well-known one, with a vocabulary of a few hundred tokens: what differs
between makes is how they cut and join, and that does not need more.
"""

import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
TEXTS = [ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md")]
TEXTS += sorted((ROOT / "crates/kitbag-core/src").rglob("*.rs"))

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
NEMO = LLAMA_3.replace(r"+[\r\n]*", r"+[\r\n/]*")
DEEPSEEK = (
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)


def isolated(expression: str):
    return pre_tokenizers.Split(Regex(expression), "isolated")


def bytes_only():
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def byte_level(pre_tokenizer, normalizer=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return tokenizer, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, special_tokens=["<|end|>"])


def sentence_pieces(normalizer, pre_tokenizer=None):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    specials = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    return tokenizer, trainers.BpeTrainer(vocab_size=600, special_tokens=specials)


def word_piece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.enable_truncation(64)
    return tokenizer, trainers.WordPieceTrainer(vocab_size=500, special_tokens=["[UNK]", "[CLS]"])


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer, trainers.UnigramTrainer(vocab_size=500, unk_token="<unk>", special_tokens=["<unk>"])


spaces = normalizers.Replace(" ", "\u2581")
MAKES = {
    "gpt2": byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False)),
    "roberta": byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True)),
    "starcoder": byte_level(
        pre_tokenizers.Sequence([pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    ),
    "llama3": byte_level(pre_tokenizers.Sequence([isolated(LLAMA_3), bytes_only()])),
    "qwen2": byte_level(
        pre_tokenizers.Sequence([isolated(LLAMA_3.replace("{1,3}", "")), bytes_only()]), normalizers.NFC()
    ),
    "nemo": byte_level(pre_tokenizers.Sequence([isolated(NEMO), bytes_only()])),
    "deepseek": byte_level(
        pre_tokenizers.Sequence(
            [isolated(r"\p{N}{1,3}"), isolated("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"), isolated(DEEPSEEK), bytes_only()]
        )
    ),
    "claude2": byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False), normalizers.NFKC()),
    "llama2": sentence_pieces(normalizers.Sequence([normalizers.Prepend("\u2581"), spaces])),
    "mistral": sentence_pieces(None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False)),
    "gemma": sentence_pieces(spaces, pre_tokenizers.Split(" ", "merged_with_previous")),
    "bert": word_piece(),
    "t5": unigram(),
}


def lines_apart(texts):
    """SentencePiece never learns a token over a newline: it trains on lines."""
    return [line for text in texts for line in text.splitlines()]


KNOWN = [
    "",
    "hello world",
    " hello",
    "fn main() {\n    let x = 1234567;\n}\n",
    "a;\n// b\n",
    "x\n   ",
    "\n\n\n    return\n",
    "don't stop, I'LL go",
    "\r\n\t  \r\n",
    "na\u00efve caf\u00e9 cafe\u0301 \ufb01n \u00a0\u2028\u3000z",
    "\u65e5\u672c\u8a9e \u30c6\u30ad\u30b9\u30c8\uff11\uff12",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "<|end|> </s> <unk> <0x0A> [CLS]",
    "if <think> self.x:\n<think>\nself.y",
    "\u2581word \u2581\u2581 ",
]


def known(name: str, tokenizer: Tokenizer) -> list[str]:
    """The ids of texts that are easy to get wrong, names of special tokens taken as text."""
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    lines = []
    for text in KNOWN:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        lines.append(f"{name} {json.dumps(ids)} <- {json.dumps(text)}")
    return lines


# What joins over the end of a line must be in the small vocabularies too, or no test would miss it.
JOINTS = ["a\n\nb", "a \n b", "a\r\n\r\nb", "a\n  \n\tb", "a\n        b", ";\n/b", ";\n// b", "}\n}\n", "  \n  \n\n\n"]


def main() -> None:
    lines = []
    texts = [path.read_text() for path in TEXTS] + JOINTS * 400
    for name, (tokenizer, trainer) in MAKES.items():
        by_line = name in ("llama2", "mistral", "gemma")
        tokenizer.train_from_iterator(lines_apart(texts) if by_line else texts, trainer)
        if name == "gemma":
            tokenizer.add_tokens([AddedToken("\n" * number, normalized=False) for number in (1, 2, 3)])
        if name in ("qwen2", "deepseek", "starcoder"):
            tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("self.")])
        written = json.loads(tokenizer.to_str())
        # The bytes are tokens of the model's own, as in the tokenizers that these stand for.
        written["added_tokens"] = [it for it in written["added_tokens"] if not it["content"].startswith("<0x")]
        path = HERE / f"{name}.json"
        path.write_text(json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n")
        lines += known(name, Tokenizer.from_file(str(path)))
        print(name, tokenizer.get_vocab_size(), path.stat().st_size)
    (HERE / "known.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
