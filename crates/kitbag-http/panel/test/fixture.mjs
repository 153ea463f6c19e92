// Repositories for the browser tests, created for each run. `shop` is small, with old and new files, denied
// files, secrets, and names and contents that attempt markup injection.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const HOSTILE_TAG = "src/<img src=x onerror=pwned()>.py";
export const HOSTILE_BIDI = "src/checkout_\u202eyp.exe.py";
export const HOSTILE_LINE = "src/checkout\nfake.py";
export const HOSTILE_CODE = '</code></pre><script>pwned()</script><img src="x" onerror="pwned()">';

/** Assembled at run time, so that this file contains nothing that looks like a secret. */
const SECRET = ["ghp", "R4nd0mL00kingT0kenThatIsNotOne12345678"].join("_").slice(0, 40);

function functions(module, names, body) {
  return names.map((name) => `def ${name}(cart, voucher):\n    """${body(name)}"""\n` +
    `    total = sum(item.price for item in cart.items)\n    if voucher and voucher.is_valid():\n` +
    `        total = total - voucher.amount\n    log.info("${module}.${name} %s", total)\n    return max(total, 0)\n`).join("\n\n");
}

function oldFiles() {
  return {
    "README.md": "# Shop\n\nA small shop.\n\n## Checkout\n\nThe checkout applies a voucher to the cart and charges the card.\n\n## Running\n\n`make run`\n",
    "src/checkout.py": `import log\n\n\n${functions("checkout", ["checkout", "apply_voucher", "charge_card", "refund_voucher"], (it) => `The checkout: ${it} applies the voucher to the cart.`)}`,
    "src/cart.py": `import log\n\n\n${functions("cart", ["cart_total", "add_item", "remove_item"], (it) => `The cart: ${it} before the checkout.`)}`,
    "src/voucher.py": `import log\n\n\nclass Voucher:\n    """A voucher that the checkout can apply once."""\n\n    def __init__(self, code, amount):\n        self.code = code\n        self.amount = amount\n\n    def is_valid(self):\n        return self.amount > 0\n\n\n${functions("voucher", ["find_voucher", "expire_voucher"], (it) => `Vouchers: ${it}.`)}`,
    "tests/test_checkout.py": `from src.checkout import checkout\n\n\n${functions("tests", ["test_checkout_applies_voucher", "test_checkout_without_voucher", "test_expired_voucher"], (it) => `${it} of the checkout.`)}`,
    "docs/vouchers.md": "# Vouchers\n\n## Applying\n\nA voucher is applied at the checkout, once.\n\n## Refunds\n\nA refund of the checkout gives the voucher back.\n",
    ".cursor/rules/always.mdc": "---\ndescription: How <b>we</b> write\nalwaysApply: true\n---\n\nShort functions.\n",
    ".cursor/rules/payments.mdc": "---\ndescription: When money is moved\nalwaysApply: false\n---\n\nAsk twice.\n",
    "config/server.key": "not a key, but it must not be read\n",
    "src/settings.py": `# What the checkout needs to charge a card for a voucher.\nPAYMENT_TOKEN = "${SECRET}"\nCURRENCY = "EUR"\n\n\ndef checkout_settings():\n    """Settings of the checkout."""\n    return {"currency": CURRENCY}\n`,
  };
}

function newFiles() {
  const files = {};
  for (const name of ["invoice", "shipping", "newsletter", "search", "returns", "loyalty"]) {
    files[`src/${name}.py`] = `import log\n\n\n${functions(name, [`${name}_start`, `${name}_finish`, `${name}_after_checkout`], (it) => `${it} follows the checkout.`)}`;
  }
  files[HOSTILE_TAG] = `def checkout_markup():\n    """A checkout with a voucher: ${HOSTILE_CODE}"""\n    return "${HOSTILE_CODE.replaceAll('"', "'")}"\n`;
  files[HOSTILE_BIDI] = `def checkout_bidi():\n    """The checkout of a voucher."""\n    # \u202e voucher \u2066 checkout\n    return 1\n`;
  files[HOSTILE_LINE] = `def checkout_line():\n    """The voucher of the checkout, in a file whose name has two lines."""\n    return 2\n`;
  return files;
}

function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function commit(folder, when, paths = ["."]) {
  const environment = {
    PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when,
    GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.org",
  };
  const git = (...args) => execFileSync("git", ["-C", folder, ...args], { env: environment, stdio: "pipe" });
  git("init", "--quiet");
  git("add", "--force", "--", ...paths);
  git("commit", "--quiet", "--message", "files");
}

/** Creates `shop` in a folder, and returns its path. */
export function makeShop(folder) {
  const shop = join(folder, "shop");
  rmSync(shop, { recursive: true, force: true });
  mkdirSync(shop, { recursive: true });
  write(shop, oldFiles());
  commit(shop, "2024-01-10T12:00:00Z");
  write(shop, newFiles());
  commit(shop, "2026-11-01T12:00:00Z");
  return shop;
}

/** Creates a repository with a profile that has its own weights and providers. */
export function makeMill(folder) {
  const mill = join(folder, "mill");
  rmSync(mill, { recursive: true, force: true });
  mkdirSync(mill, { recursive: true });
  write(mill, {
    ".agent/config.yml": "context:\n  profiles:\n    grinding:\n      ranking: {relevance_weight: 0.2, recency_weight: 0.2, source_weight: 0.6}\n      providers:\n        style: {enabled: true}\n",
    "src/stone.py": `${functions("stone", ["turn_stone", "grind_flour"], (it) => `${it} of the mill.`)}`,
    "AGENTS.md": "# Mill\n\nGrind slowly.\n",
    ".cursor/rules/python.mdc": "---\nglobs: **/*.py\n---\n\nType every function.\n",
  });
  commit(mill, "2026-11-01T12:00:00Z");
  return mill;
}

/** Creates a repository with real code: parts of Kitbag. */
export function makeKitbag(folder, root) {
  const repository = join(folder, "kitbag");
  rmSync(repository, { recursive: true, force: true });
  mkdirSync(repository, { recursive: true });
  const archive = execFileSync("git", ["-C", root, "archive", "HEAD", "crates/kitbag-core", "crates/kitbag-tokens/src", "docs/formats.md", "docs/configuration.md", "ARCHITECTURE.md"], { maxBuffer: 1 << 28 });
  execFileSync("tar", ["-x", "-C", repository], { input: archive });
  // Commits of different ages, so that recency matters.
  const parts = [
    ["2026-09-01", "docs", "ARCHITECTURE.md", "crates/kitbag-tokens"], ["2026-10-12", "crates/kitbag-core/src/format"],
    ["2026-10-22", "crates/kitbag-core/src/dedup"], ["2026-10-28", "crates/kitbag-core/tests"], ["2026-11-01", "."],
  ];
  for (const [day, ...paths] of parts) commit(repository, `${day}T12:00:00Z`, paths);
  return repository;
}
