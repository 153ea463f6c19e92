"""Secrets of many formats, and look-alikes, for scripts/measure-redaction.

The formats follow the documentation of the services, not the rules of Kitbag. The characters come from a seeded
generator, so none of the secrets was ever valid.
"""

import base64
import json
import string

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
BASE32 = string.ascii_uppercase + "234567"
BASE64 = ALNUM + "+/"


def draw(rng, alphabet, count):
    return "".join(rng.choice(alphabet) for _ in range(count))


def uuid(rng):
    return "-".join(draw(rng, HEX, count) for count in (8, 4, 4, 4, 12))


def jwt(rng):
    part = lambda data: base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")
    return ".".join([part({"alg": "HS256", "typ": "JWT"}), part({"sub": draw(rng, HEX, 12), "iat": rng.randrange(10**9)}), draw(rng, WORD, 43)])


def password(rng):
    return draw(rng, ALNUM + "!#%&*+-=?@^_", rng.randrange(12, 20)) + rng.choice("23456789") + rng.choice("!#*")


# Tokens with a recognizable format, assigned to a neutral name.
TOKENS = {
    "AWS access key": lambda r: "AKIA" + draw(r, BASE32, 16),
    "Google API key": lambda r: "AIza" + draw(r, WORD, 35),
    "Google OAuth secret": lambda r: "GOCSPX-" + draw(r, WORD, 28),
    "GitHub classic": lambda r: "ghp_" + draw(r, ALNUM, 36),
    "GitHub fine-grained": lambda r: "github_pat_" + draw(r, ALNUM, 22) + "_" + draw(r, ALNUM, 59),
    "GitLab": lambda r: "glpat-" + draw(r, WORD, 20),
    "Slack bot": lambda r: "-".join(["xoxb", draw(r, string.digits, 12), draw(r, string.digits, 12), draw(r, ALNUM, 24)]),
    "Slack webhook": lambda r: "https://hooks.slack.com/services/T" + "/".join([draw(r, BASE32, 8), "B" + draw(r, BASE32, 8), draw(r, ALNUM, 24)]),
    "Stripe": lambda r: "sk_live_" + draw(r, ALNUM, 24),
    "Twilio": lambda r: "SK" + draw(r, HEX, 32),
    "SendGrid": lambda r: "SG." + draw(r, WORD, 22) + "." + draw(r, WORD, 43),
    "Mailgun": lambda r: "key-" + draw(r, HEX, 32),
    "npm": lambda r: "npm_" + draw(r, ALNUM, 36),
    "PyPI": lambda r: "pypi-AgEIcHlwaS5vcmc" + draw(r, WORD, 150),
    "Docker Hub": lambda r: "dckr_pat_" + draw(r, WORD, 27),
    "Heroku": lambda r: "HRKU-AA" + draw(r, WORD, 58),
    "DigitalOcean": lambda r: "dop_v1_" + draw(r, HEX, 64),
    "OpenAI": lambda r: "sk-proj-" + draw(r, WORD, 74) + "T3BlbkFJ" + draw(r, WORD, 74),
    "Anthropic": lambda r: "sk-ant-api03-" + draw(r, WORD, 93) + "AA",
    "Hugging Face": lambda r: "hf_" + draw(r, string.ascii_letters, 34),
    "Telegram": lambda r: draw(r, "123456789", 10) + ":AA" + draw(r, WORD, 33),
    "Shopify": lambda r: "shpat_" + draw(r, HEX, 32),
    "Square": lambda r: "sq0atp-" + draw(r, WORD, 22),
    "Dropbox": lambda r: "sl.u." + draw(r, WORD, 140),
    "Atlassian": lambda r: "ATATT3xFfGF0" + draw(r, WORD, 170) + "=" + draw(r, "0123456789ABCDEF", 8),
    "New Relic": lambda r: "NRAK-" + draw(r, string.ascii_uppercase + string.digits, 27),
    "Linear": lambda r: "lin_api_" + draw(r, ALNUM, 40),
    "Notion": lambda r: "ntn_" + draw(r, ALNUM, 46),
    "Databricks": lambda r: "dapi" + draw(r, HEX, 32),
    "Postman": lambda r: "PMAK-" + draw(r, HEX, 24) + "-" + draw(r, HEX, 34),
    "Vault": lambda r: "hvs." + draw(r, WORD, 90),
    "age": lambda r: "AGE-SECRET-KEY-1" + draw(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "JWT": jwt,
    "Azure client secret": lambda r: draw(r, ALNUM, 3) + "8Q~" + draw(r, ALNUM, 34),
}

# Secrets recognizable by their context: whole lines.
LINES = {
    "AWS secret key": lambda r: f"aws_secret_access_key = {draw(r, BASE64, 40)}",
    "Azure storage": lambda r: f'connection = "DefaultEndpointsProtocol=https;AccountName=app;AccountKey={draw(r, BASE64, 86)}==;EndpointSuffix=core.windows.net"',
    "Discord bot": lambda r: f'DISCORD_TOKEN = "M{draw(r, ALNUM, 23)}.{draw(r, WORD, 6)}.{draw(r, WORD, 38)}"',
    "Datadog": lambda r: f"DD_API_KEY={draw(r, HEX, 32)}",
    "Cloudflare": lambda r: f"CLOUDFLARE_API_TOKEN={draw(r, WORD, 40)}",
    "database address": lambda r: f'url = "postgres://app:{draw(r, ALNUM, 16)}@db.internal:5432/app"',
    "basic-auth address": lambda r: f"remote = https://deploy:{draw(r, ALNUM, 20)}@git.internal/app.git",
    "connection string": lambda r: f'db = "Server=db1;Database=app;User Id=sa;Password={draw(r, ALNUM, 12)}#9;"',
    "bearer header": lambda r: f'headers = "Authorization: Bearer {draw(r, ALNUM, 40)}"',
    "password, quoted": lambda r: f'db_password = "{password(r)}"',
    "password, JSON": lambda r: f'"password": "{password(r)}",',
    "password, bare": lambda r: f"DATABASE_PASSWORD={draw(r, ALNUM, 24)}",
    "password, bare and short": lambda r: r.choice(["  POSTGRES_PASSWORD: {}", "spring.datasource.password={}", "export DB_PASSWORD={}", "passwd = {}"]).format(draw(r, ALNUM, r.randrange(8, 16))),
    "password, bare with signs": lambda r: r.choice(["  password: {}", "db.password={}", "MYSQL_PASSWORD={}"]).format(draw(r, ALNUM + "!@#$%^&*?", r.randrange(10, 21))),
    "address with a word in it": lambda r: f"postgres://svc:{draw(r, ALNUM, 6)}{r.choice(['pass', 'test', '1234', 'Secret'])}{draw(r, ALNUM, 6)}@db.corp/app",
    "API key, quoted": lambda r: f'api_key = "{draw(r, ALNUM, 32)}"',
    "API key, hex": lambda r: f'apiKey: "{draw(r, HEX, 32)}",',
    "client secret, YAML": lambda r: f"client_secret: {draw(r, ALNUM, 40)}",
    "secret, XML": lambda r: f"<clientSecret>{draw(r, ALNUM, 32)}</clientSecret>",
}


def private_key(rng):
    """Returns the lines of a key; reporting any of them counts as found."""
    dashes = "-" * 5
    kind = rng.choice(["", "RSA ", "EC ", "OPENSSH "])
    body = [draw(rng, BASE64, 64) for _ in range(rng.randrange(4, 26))] + [draw(rng, BASE64, 30) + "=="]
    return [f"{dashes}BEGIN {kind}PRIVATE KEY{dashes}", *body, f"{dashes}END {kind}PRIVATE KEY{dashes}"]


# Look-alikes.
NEGATIVES = {
    "SHA-256": lambda r: f'checksum = "{draw(r, HEX, 64)}"',
    "MD5": lambda r: f'etag = "{draw(r, HEX, 32)}"',
    "git commit": lambda r: f"      - uses: actions/checkout@{draw(r, HEX, 40)}",
    "image digest": lambda r: f"image: registry.example/app@sha256:{draw(r, HEX, 64)}",
    "UUID": lambda r: f'request_id = "{uuid(r)}"',
    "UUID as a token": lambda r: f'token = "{uuid(r)}"',
    "npm integrity": lambda r: f'      "integrity": "sha512-{draw(r, BASE64, 86)}=="',
    "yarn resolved": lambda r: f'  resolved "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#{draw(r, HEX, 40)}"',
    "go.sum": lambda r: f"github.com/acme/token v1.2.3 h1:{draw(r, BASE64, 43)}=",
    "pip hash": lambda r: f"    --hash=sha256:{draw(r, HEX, 64)} \\",
    "placeholder": lambda r: r.choice(['api_key = "your-api-key-here"', 'API_KEY="xxxxxxxxxxxxxxxxxxxxxxxx"', "token: <your-token>", 'secret = "changeme-please-1"', "password: ********"]),
    "variable": lambda r: r.choice(['password = os.environ["DB_PASSWORD"]', "token: ${GITHUB_TOKEN}", 'apiKey: process.env.API_KEY,', "secret: {{ .Values.secret }}", 'password = "$DB_PASSWORD"']),
    "test data": lambda r: r.choice(['password = "test1234"', 'token = "test-token-123"', 'secret = "super-secret-value"', 'login("user", "password123")', 'password: "P@ssw0rd"']),
    "default login": lambda r: r.choice(['url = "postgres://postgres:postgres@localhost/app"', 'broker = "amqp://guest:guest@localhost//"', 'proxy = "http://user:password@proxy:8080"']),
    "code": lambda r: r.choice(["token = self.tokens[self.index + 1]", "const token = await getToken(user.id2);", 'if (password !== confirmPassword2) { throw new Error("no"); }', "let secret = derive_key(&master, b\"context1\");", '<input type="password" id="user_password_1">']),
    "code without quotes": lambda r: r.choice(["password = user_password2", "    Password: cfg.Db2Pass,", "pwd = sha256Sum1", "password=form.cleaned_data1,", "PASSWORD=$DB_PASS2", "password: str2bytes,", "passwd-lib: 1.2.3-rc1", "password = input2Text;", "PWD=/srv/me/src2", "password: Optional[Str1] = None"]),
    "login of an example": lambda r: r.choice(["db = 'postgres://app:mysecretpassword@db/app'", "amqp://user:P4ssw0rd!@broker", "https://me:test-pass-1@host/x", "mysql://root:secret123@db", "ftp://joe:my_password@h/"]),
    "publishable key": lambda r: f'stripe = Stripe("pk_live_{draw(r, ALNUM, 24)}")',
    "public key": lambda r: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{draw(r, BASE64, 43)} me@host",
    "image data": lambda r: f'background: url("data:image/png;base64,{draw(r, BASE64, 300)}")',
    "documented example": lambda r: 'aws_access_key_id = "AKIA' + 'IOSFODNN7EXAMPLE"',
    "password hash": lambda r: f'password = "pbkdf2_sha256$600000${draw(r, ALNUM, 22)}${draw(r, BASE64, 43)}="',
    "minified": lambda r: f'!function(e,t){{var n={{token:e.t1,password:t.p2,key:"{draw(r, ALNUM, 6)}"}};return n}}(window,document);',
}
