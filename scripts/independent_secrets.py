#!/usr/bin/env python3
"""Corpora of secrets and look-alikes that were written without knowledge of the redaction rules.

They complement `redaction_corpus.py`, whose cases follow the rules. The templates in `independent-secrets/*.txt`
follow the public documentation of file and token formats (`formats`), and passwords as people choose them and the
places where they write them (`people`, in single lines `lines`, and by other authors `holdout` and `field`). To keep the
corpora independent, do not edit a template because the program misses or alters it; edit it only if it is unrealistic.

    scripts/independent_secrets.py             prints one case per line, as JSON
    scripts/independent_secrets.py --summary   prints the number of secrets and look-alikes by category

Tokens and keys are generated from a seed, so the repository contains none. A template file begins with one line of
description. Each template has a header, `#### CATEGORY PATH`, and the text of a file with slots:

    «kind»              a planted secret, such as «github» or «pw»
    «=text»             a planted secret that is written out, such as «=Fluffy2019!»
    «kind:N»            the same with N characters
    «kind|filter»       an encoded secret: b64, basic (`user:secret` in Base64), url; for keys: escaped, quoted
    «kind@name 1/2»     the first half of a secret that is split into two
    ‹kind›              generated text that is not a secret, such as ‹uuid› or ‹host›

In look-alikes, a line that starts with `»` (which is removed) has to stay as it is.
"""

import argparse
import base64
import collections
import dataclasses
import json
import pathlib
import random
import re
import string
import sys
import urllib.parse
from collections.abc import Callable, Iterator

TEMPLATES = pathlib.Path(__file__).resolve().parent / "independent-secrets"
SEED = 20261117


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The template files of a corpus. A template is rendered as `variants` files, with different values."""

    planted: tuple[str, ...]
    lookalikes: str
    variants: int


CORPORA = {
    "formats": Corpus(("planted-config.txt", "planted-code.txt"), "lookalikes.txt", variants=3),
    # Most of its secrets are written out, so a second variant would be the same.
    "people": Corpus(("planted-people.txt",), "lookalikes-people.txt", variants=1),
    "holdout": Corpus(("planted-holdout.txt",), "lookalikes-holdout.txt", variants=1),
    "field": Corpus(("planted-field.txt",), "lookalikes-field.txt", variants=1),
    "lines": Corpus(("planted-lines.txt",), "lookalikes-people.txt", variants=1),
}

SLOT = re.compile(r"«(?P<secret>[^«»\n]+)»|‹(?P<text>[^‹›\n]+)›")
TEXT = re.compile(r"(?P<kind>[A-Za-z0-9_]+)(?::(?P<argument>\w+))?")
SECRET = re.compile(TEXT.pattern + r"(?:@(?P<name>\w+) (?P<part>[12])/2)?(?:\|(?P<filter>\w+))?")

ALNUM = string.ascii_letters + string.digits
LOWER_HEX = "0123456789abcdef"
B64 = ALNUM + "+/"
B64URL = ALNUM + "-_"
BASE32 = string.ascii_uppercase + "234567"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

WORDS = """amber anchor autumn badger basil beacon birch bramble canyon cedar cinder cobalt copper coral crater
dahlia ember falcon fern garnet glacier harbor hazel heron indigo jasper juniper kestrel lagoon lantern larch
linden lupine magnet mango maple marble meadow nectar nickel orbit otter pebble pepper quartz raven saffron
sierra sparrow thistle tractor tundra velvet walnut willow zephyr""".split()
NAMES = "anna bert carol deploy dmitri elena farid grace hugo ines app svc_api reporting etl".split()
DOMAINS = "acme-corp.net bluefin.io northwind.dev initech.eu umbra.cloud".split()
PLACEHOLDERS = """changeme CHANGE_ME change-me changeit your-password-here YOUR_API_KEY your_token_here <your-token>
<password> <YOUR_SECRET> xxxxxxxx XXXXXXXXXXXXXXXX ******** ... ${SECRET} ${DB_PASSWORD} $(SECRET) {{secret}}
%(password)s REPLACE_ME replace-with-your-key TODO example placeholder dummy [password] ENC[...] null""".split()


@dataclasses.dataclass(frozen=True)
class Secret:
    """A secret that must not reach the pack.

    `text` is exactly what the file contains. Keys of many lines and split secrets have one line for each part.
    """

    kind: str
    text: str


@dataclasses.dataclass(frozen=True)
class Case:
    """A file with planted `secrets`, or with look-alikes: the lines in `keep`."""

    id: str
    category: str
    path: str
    text: str
    secrets: tuple[Secret, ...] = ()
    keep: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Template:
    category: str
    path: str
    text: str


class Values:
    """Generator of secrets and of other text, by kind."""

    def __init__(self, random_source: random.Random):
        self.random = random_source

    def chars(self, alphabet: str, length: int) -> str:
        return "".join(self.random.choices(alphabet, k=length))

    def word(self) -> str:
        return self.random.choice(WORDS)

    def human(self, _length: int | None = None) -> str:
        """A password as people choose it."""
        first, second = self.random.sample(WORDS, 2)
        digits = self.chars(string.digits[1:], 2)
        symbol = self.random.choice("!?*.-_+")
        year = self.random.randint(1978, 2025)
        # Leetspeak leaves a password that no word list contains.
        leet = first.translate(str.maketrans("aeios", "4310$"))
        return self.random.choice([
            f"{first.title()}{digits}{symbol}",
            f"{first}{second.title()}{digits}",
            f"{second.title()}-{first}{digits}",
            f"{leet.title()}{symbol}{digits}",
            f"{first}{year}",
            f"{first}{second}",
            f"{second.title()}{symbol}{year}",
        ])

    def strong(self, length: int | None = None) -> str:
        """A password of a password manager. It starts with a letter, and needs no escapes in a quoted string."""
        length = length or self.random.randint(12, 20)
        middle = self.chars(ALNUM + "!*+-.=?@^_~", length - 3)
        return self.chars(string.ascii_letters, 1) + middle + self.chars(string.digits, 1) + self.chars(ALNUM, 1)

    def alphanumeric_password(self, _length: int | None = None) -> str:
        """A password that needs no quotes in a shell or URL."""
        first, second = self.random.sample(WORDS, 2)
        middle = self.chars(ALNUM, self.random.randint(9, 17))
        return self.random.choice([
            self.chars(string.ascii_letters, 1) + middle + self.chars(string.digits, 1),
            f"{first.title()}{second.title()}{self.chars(string.digits, 3)}",
            f"{first}{self.chars(string.digits, 4)}",
        ])

    def password(self, _length: int | None = None) -> str:
        return self.random.choice([self.human, self.strong, self.alphanumeric_password])()

    def jwt(self) -> str:
        def part(value: dict) -> str:
            return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")

        issued_at = self.random.randint(17 * 10**8, 18 * 10**8)
        claims = {"sub": self.chars(string.digits, 10), "name": self.word(), "iat": issued_at}
        return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{self.chars(B64URL, 43)}"

    def uuid(self) -> str:
        digits = self.chars(LOWER_HEX, 32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def key(self) -> str:
        """32 random bytes in Base64."""
        return base64.b64encode(self.random.randbytes(32)).decode()

    def database_url(self) -> str:
        return f"postgres://{self.random.choice(NAMES)}:{self.alphanumeric_password()}@db.internal:5432/main"

    def docker_config(self) -> str:
        auth = base64.b64encode(f"ci:{self.strong()}".encode()).decode()
        return json.dumps({"auths": {"registry.internal": {"username": "ci", "auth": auth}}})

    def bytes_literal(self) -> str:
        """The inside of a Python byte string."""
        return "".join(self.random.choice([f"\\x{self.chars(LOWER_HEX, 2)}", self.chars(ALNUM, 2)]) for _ in range(12))


def secret_kinds(values: Values) -> dict[str, Callable[[int | None], str]]:
    """The generators of planted secrets. The argument is the number of characters, where a kind takes one."""
    chars, choice = values.chars, values.random.choice

    def alphabet(characters: str) -> Callable[[int | None], str]:
        return lambda length: chars(characters, length or 32)

    def fixed(generate: Callable[[], str]) -> Callable[[int | None], str]:
        return lambda _length: generate()

    kinds = {
        "alnum": alphabet(ALNUM), "hex": alphabet(LOWER_HEX), "HEX": alphabet(LOWER_HEX.upper()), "b64": alphabet(B64),
        "b64url": alphabet(B64URL), "human": values.human, "strong": values.strong, "pw": values.password,
        "word": values.alphanumeric_password,
    }
    formats = {
        "age": lambda: f"AGE-SECRET-KEY-1{chars(BECH32, 58).upper()}",
        "airtable": lambda: f"pat{chars(ALNUM, 14)}.{chars(LOWER_HEX, 64)}",
        "anthropic": lambda: f"sk-ant-api03-{chars(B64URL, 93)}AA",
        "artifactory": lambda: f"AKCp{chars(ALNUM, 69)}",
        "atlassian": lambda: f"ATATT3xFfGF0{chars(B64URL, 172)}={chars(LOWER_HEX.upper(), 8)}",
        "atpw": lambda: f"{values.word()}@{chars(ALNUM, 8)}",
        "aws_secret": lambda: chars(B64, 40),
        "aws_session": lambda: f"IQoJb3JpZ2luX2Vj{chars(B64, 300)}==",
        "azure_client": lambda: f"{chars(ALNUM, 3)}8Q~{chars(ALNUM + '_.~-', 33)}{chars(ALNUM, 1)}",
        "azure_storage": lambda: base64.b64encode(values.random.randbytes(64)).decode(),
        "b64key": values.key,
        "base32": lambda: chars(BASE32, 32),
        "brevo": lambda: f"xkeysib-{chars(LOWER_HEX, 64)}-{chars(ALNUM, 16)}",
        "bytestr": values.bytes_literal,
        "cloudflare": lambda: chars(B64URL, 40),
        "cloudflare_new": lambda: f"cfut_{chars(ALNUM, 40)}{chars(LOWER_HEX, 8)}",
        "colonpw": lambda: f"{values.word()}:{chars(ALNUM, 8)}",
        "databricks": lambda: f"dapi{chars(LOWER_HEX, 32)}",
        "dburl": values.database_url,
        "digitalocean": lambda: f"dop_v1_{chars(LOWER_HEX, 64)}",
        "discord": lambda: f"M{chars(ALNUM, 25)}.{chars(B64URL, 6)}.{chars(B64URL, 38)}",
        "django": lambda: chars(string.ascii_lowercase + string.digits + "!@^*(-_=+)", 50),
        "docker": lambda: f"dckr_pat_{chars(B64URL, 27)}",
        "dockerjson": values.docker_config,
        "doppler": lambda: f"dp.pt.{chars(ALNUM, 43)}",
        "dynatrace": lambda: f"dt0c01.{chars(BASE32, 24)}.{chars(BASE32, 64)}",
        "express_session": lambda: f"{chars(B64URL, 32)}.{chars(ALNUM, 43)}",
        "fernet": lambda: base64.urlsafe_b64encode(values.random.randbytes(32)).decode(),
        "figma": lambda: f"figd_{chars(B64URL, 40)}",
        "firebase": lambda: f"AAAA{chars(B64URL, 7)}:APA91b{chars(B64URL, 134)}",
        "github": lambda: choice([
            f"gh{choice('posur')}_{chars(ALNUM, 36)}",
            f"github_pat_{chars(ALNUM, 22)}_{chars(ALNUM, 59)}",
        ]),
        "gitlab": lambda: f"{choice(['glpat', 'gldt', 'glrt'])}-{chars(B64URL, 20)}",
        "google_access": lambda: f"ya29.a0{chars(B64URL, 180)}",
        "google_api": lambda: f"AIza{chars(B64URL, 35)}",
        "google_client": lambda: f"GOCSPX-{chars(B64URL, 28)}",
        "grafana": lambda: f"glsa_{chars(ALNUM, 32)}_{chars(LOWER_HEX, 8)}",
        "groq": lambda: f"gsk_{chars(ALNUM, 52)}",
        "heroku": lambda: f"HRKU-AA{chars(B64URL, 58)}",
        "huggingface": lambda: f"hf_{chars(string.ascii_letters, 34)}",
        "jwt": values.jwt,
        "linear": lambda: f"lin_api_{chars(ALNUM, 40)}",
        "mnemonic": lambda: " ".join(values.random.sample(WORDS, 12)),
        "netlify": lambda: f"nfp_{chars(ALNUM, 36)}",
        "newrelic": lambda: f"NRAK-{chars(string.ascii_uppercase + string.digits, 27)}",
        "notion": lambda: f"ntn_{chars(string.digits, 11)}{chars(ALNUM, 35)}",
        "npm": lambda: f"npm_{chars(ALNUM, 36)}",
        "onepassword": lambda: f"ops_eyJ{chars(ALNUM, 260)}",
        "openai": lambda: choice([
            f"sk-proj-{chars(B64URL, 74)}T3BlbkFJ{chars(B64URL, 73)}{chars(ALNUM, 1)}",
            f"sk-{chars(ALNUM, 20)}T3BlbkFJ{chars(ALNUM, 20)}",
        ]),
        "perplexity": lambda: f"pplx-{chars(ALNUM, 48)}",
        "phrase": lambda: "-".join(values.random.sample(WORDS, 4)),
        "planetscale": lambda: f"pscale_pw_{chars(B64URL, 43)}",
        "postman": lambda: f"PMAK-{chars(LOWER_HEX, 24)}-{chars(LOWER_HEX, 34)}",
        "pulumi": lambda: f"pul-{chars(LOWER_HEX, 40)}",
        "pypi": lambda: f"pypi-AgEIcHlwaS5vcmc{chars(B64URL, 150)}",
        "replicate": lambda: f"r8_{chars(ALNUM, 37)}",
        "rubygems": lambda: f"rubygems_{chars(LOWER_HEX, 48)}",
        "salt": lambda: chars(ALNUM + "!@#%^*()-_ []{}~+=,.;:/?|", 62) + chars(ALNUM, 2),
        "sendgrid": lambda: f"SG.{chars(B64URL, 22)}.{chars(B64URL, 43)}",
        "sentry": lambda: f"sntryu_{chars(LOWER_HEX, 64)}",
        "shopify": lambda: f"shpat_{chars(LOWER_HEX, 32)}",
        "slack": lambda: choice([
            f"xoxb-{chars(string.digits, 12)}-{chars(string.digits, 13)}-{chars(ALNUM, 24)}",
            "-".join(["xoxp", *(chars(string.digits, 12) for _ in range(3)), chars(LOWER_HEX, 32)]),
            f"xapp-1-A{chars(BASE32, 10)}-{chars(string.digits, 13)}-{chars(LOWER_HEX, 64)}",
        ]),
        "slack_hook": lambda: f"T{chars(BASE32, 10)}/B{chars(BASE32, 10)}/{chars(ALNUM, 24)}",
        "slashpw": lambda: f"{values.word()}/{chars(ALNUM, 8)}",
        "square": lambda: f"EAAA{chars(B64URL, 60)}",
        "stripe": lambda: f"{choice(['sk', 'rk'])}_live_{chars(ALNUM, choice([24, 99]))}",
        "stripe_webhook": lambda: f"whsec_{chars(ALNUM, 32)}",
        "supabase": lambda: f"sbp_{chars(LOWER_HEX, 40)}",
        "telegram": lambda: f"{chars(string.digits[1:], 10)}:AA{chars(B64URL, 33)}",
        "terraform": lambda: f"{chars(ALNUM, 14)}.atlasv1.{chars(ALNUM, 67)}",
        "uuid": values.uuid,
        "vault": lambda: f"hvs.{chars(B64URL, choice([24, 91]))}",
    }
    return kinds | {kind: fixed(generate) for kind, generate in formats.items()}


def text_kinds(values: Values) -> dict[str, Callable[[int | None], str]]:
    """The generators of text that is not a secret."""
    chars, choice = values.chars, values.random.choice
    kinds = {
        "HEX16": lambda: chars(LOWER_HEX.upper(), 16),
        "accountid": lambda: chars(string.digits[1:], 12),
        "akid": lambda: f"AKIA{chars(BASE32, 16)}",
        "alnum": lambda: chars(ALNUM, 24),
        "anglephrase": lambda: choice(["<token>", "<your-api-key>", "YOUR_TOKEN", "$TOKEN", "{token}"]),
        "app": lambda: f"{values.word()}-{choice(['api', 'web', 'worker', 'shop'])}",
        "b64key": values.key,
        "b64user": lambda: base64.b64encode(choice(NAMES).encode()).decode(),
        "base32low": lambda: chars(BASE32.lower(), 52),
        "bech32": lambda: chars(BECH32, 58),
        "cert": lambda: pem("CERTIFICATE", certificate_body(values)),
        "certb64": lambda: base64.b64encode(pem("CERTIFICATE", certificate_body(values)).encode()).decode(),
        "digits": lambda: chars(string.digits[1:], 12),
        "email": lambda: f"{choice(NAMES)}@{choice(DOMAINS)}",
        "ghplaceholder": lambda: choice(["ghp_" + "x" * 36, "ghp_...", "ghp_YOUR_TOKEN", "<github-token>"]),
        "hex16": lambda: chars(LOWER_HEX, 16),
        "hex32": lambda: chars(LOWER_HEX, 32),
        "host": lambda: f"{values.word()}.{choice(DOMAINS)}",
        "ip": lambda: ".".join(["10", *(str(values.random.randint(1, 254)) for _ in range(3))]),
        "md5": lambda: chars(LOWER_HEX, 32),
        "placeholder": lambda: choice(PLACEHOLDERS),
        "pubpem": lambda: pem("PUBLIC KEY", body_lines(values, "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", 6)),
        "sha1": lambda: chars(LOWER_HEX, 40),
        "sha256": lambda: chars(LOWER_HEX, 64),
        "user": lambda: choice(NAMES),
        "uuid": values.uuid,
        "word": values.word,
    }
    sized = {"b64": B64, "b64url": B64URL}
    return {kind: lambda _length, generate=generate: generate() for kind, generate in kinds.items()} | {
        kind: lambda length, alphabet=alphabet: chars(alphabet, length or 44) for kind, alphabet in sized.items()
    }


@dataclasses.dataclass(frozen=True)
class KeyFormat:
    """A format of private keys: the label, headers before the body, the start of the body, and its lines."""

    label: str
    start: str
    lines: int
    headers: str = ""
    width: int = 64


KEYS = {
    "rsa": KeyFormat("RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA", 25),
    "ec": KeyFormat("EC PRIVATE KEY", "MHcCAQEEI", 3),
    "pkcs8": KeyFormat("PRIVATE KEY", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ", 26),
    "openssh": KeyFormat("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB", 5, width=70),
    "pgp": KeyFormat("PGP PRIVATE KEY BLOCK", "lQOYBG", 20, headers="Version: GnuPG v2\n\n"),
    "encrypted": KeyFormat("RSA PRIVATE KEY", "", 25, headers="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{iv}\n\n"),
    "openvpn": KeyFormat("OpenVPN Static key V1", "", 16, width=32),
}


def body_lines(values: Values, start: str, lines: int, width: int = 64, alphabet: str = B64) -> list[str]:
    text = start + values.chars(alphabet, width * lines - len(start))
    return [text[at : at + width] for at in range(0, len(text), width)]


def certificate_body(values: Values) -> list[str]:
    return body_lines(values, "MIIDdzCCAl+gAwIBAgIE", 18)


def pem(label: str, lines: list[str], headers: str = "") -> str:
    # The dashes are apart from the label so that scanners of this repository find no key.
    dashes = "-" * 5
    return f"{dashes}BEGIN {label}{dashes}\n{headers}" + "\n".join(lines) + f"\n{dashes}END {label}{dashes}"


def private_key(values: Values, kind: str) -> tuple[str, str]:
    """Returns a private key, and the part of it that is secret: the body."""
    form = KEYS[kind]
    alphabet = LOWER_HEX if kind == "openvpn" else B64
    lines = body_lines(values, form.start, form.lines, form.width, alphabet)
    headers = form.headers.format(iv=values.chars(LOWER_HEX.upper(), 32))
    return pem(form.label, lines, headers), "\n".join(lines)


KEY_FILTERS = {
    "escaped": lambda text: text.replace("\n", "\\n") + "\\n",
    "quoted": lambda text: "\n".join(f'"{line}\\n"' for line in text.split("\n")),
}


class Renderer:
    """Fills the slots of a template, and collects the planted secrets."""

    def __init__(self, seed: str):
        self.values = Values(random.Random(seed))
        self.secrets: list[Secret] = []
        self.split: dict[str, list[str]] = {}
        self.secret_kinds = secret_kinds(self.values)
        self.text_kinds = text_kinds(self.values)

    def render(self, text: str) -> str:
        return "\n".join(self.render_line(line) for line in text.split("\n"))

    def render_line(self, line: str) -> str:
        """Fills the slots of a line. Further lines of a value have the indentation of the first."""
        indent = re.match(r"»?(\s*)", line)[1]
        return SLOT.sub(lambda slot: self.fill(slot).replace("\n", f"\n{indent}"), line)

    def fill(self, slot: re.Match) -> str:
        if slot["text"]:
            match = TEXT.fullmatch(slot["text"])
            return self.text_kinds[match["kind"]](int(match["argument"]) if match["argument"] else None)
        if slot["secret"].startswith("="):
            self.secrets.append(Secret("chosen", slot["secret"][1:]))
            return slot["secret"][1:]
        match = SECRET.fullmatch(slot["secret"])
        if match["kind"] == "pem":
            return self.fill_key(match["argument"], match["filter"])
        if match["name"]:
            return self.fill_part(match)
        value = self.secret_kinds[match["kind"]](int(match["argument"]) if match["argument"] else None)
        if match["filter"] == "b64":
            value = base64.b64encode(value.encode()).decode()
        elif match["filter"] == "basic":
            value = base64.b64encode(f"{self.values.random.choice(NAMES)}:{value}".encode()).decode()
        elif match["filter"] == "url":
            value = urllib.parse.quote(value, safe="")
        self.secrets.append(Secret(match["kind"], value))
        return value

    def fill_key(self, kind: str, form: str | None) -> str:
        text, body = private_key(self.values, kind)
        if form == "b64":
            text = body = base64.b64encode(text.encode()).decode()
        elif form:
            text = KEY_FILTERS[form](text)
        self.secrets.append(Secret(f"{kind} key", body))
        return text

    def fill_part(self, match: re.Match) -> str:
        name = match["name"]
        if match["part"] == "1":
            value = self.secret_kinds[match["kind"]](int(match["argument"]))
            half = len(value) // 2
            self.split[name] = [value[:half], value[half:]]
            self.secrets.append(Secret("split", "\n".join(self.split[name])))
        return self.split[name][int(match["part"]) - 1]


def read_templates(name: str) -> Iterator[Template]:
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for section in re.split(r"^#### ", text, flags=re.MULTILINE)[1:]:
        header, _, body = section.partition("\n")
        category, path = header.split(" ")
        yield Template(category, path, body)


def planted(corpus: Corpus, seed: int = SEED) -> Iterator[Case]:
    """Yields the files with secrets."""
    templates = [template for name in corpus.planted for template in read_templates(name)]
    for at, template in enumerate(templates):
        for variant in range(corpus.variants):
            identifier = f"{template.category}-{at:03}-{variant}"
            renderer = Renderer(f"{seed} {identifier}")
            text = renderer.render(template.text)
            yield Case(identifier, template.category, template.path, text, secrets=tuple(renderer.secrets))


def lookalikes(corpus: Corpus, seed: int = SEED) -> Iterator[Case]:
    """Yields the files with look-alikes. A line counts once, even if several variants of a template have it."""
    for at, template in enumerate(read_templates(corpus.lookalikes)):
        seen = set()
        for variant in range(corpus.variants):
            identifier = f"lookalike-{template.category}-{at:02}-{variant}"
            renderer = Renderer(f"{seed} {identifier}")
            text, keep = [], []
            for line in template.text.split("\n"):
                rendered = renderer.render_line(line)
                if line.startswith("»"):
                    rendered = rendered[1:]
                    keep.append(rendered)
                text.append(rendered)
            keep = [line for line in keep if line not in seen]
            seen.update(keep)
            if keep:
                yield Case(identifier, template.category, template.path, "\n".join(text), keep=tuple(keep))


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints the cases as JSON lines.")
    parser.add_argument("--corpus", choices=CORPORA, default="formats", help="corpus (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the generated values (default: %(default)s)")
    parser.add_argument("--summary", action="store_true", help="print the number of secrets and look-alikes by category")
    arguments = parser.parse_args()
    corpus = CORPORA[arguments.corpus]
    cases = [*planted(corpus, arguments.seed), *lookalikes(corpus, arguments.seed)]
    if not arguments.summary:
        for case in cases:
            print(json.dumps(dataclasses.asdict(case), ensure_ascii=False))
        return 0
    for title, field in (("planted", "secrets"), ("look-alike", "keep")):
        counts = collections.Counter()
        for case in cases:
            counts[case.category] += len(getattr(case, field))
        for category, number in sorted(counts.items()):
            if number:
                print(f"{title}\t{category}\t{number}")
        print(f"{title}\ttotal\t{counts.total()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
