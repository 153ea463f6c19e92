"""Load on the HTTP service: packs per second and latencies as ratios to /healthz, then mixed load while files change.

Prints the page. Whatever is wrong with an answer ends it with an error.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

TASKS = [
    "why does the login view redirect twice?",
    "QuerySet.update with an annotation raises FieldError",
    "cache key of the template fragment ignores the language",
    "migration autodetector misses a renamed field",
    "CSRF cookie is not set behind a proxy",
    "admin changelist filters lose the ordering",
]
CONNECTIONS = [1, 8, 64]
# Memory in the last quarter of the mixed load may be so much of that in the second.
MOST_GROWTH = 1.2
LUA = """
local bodies = {%s}
local at = 0
request = function()
  at = at %% #bodies + 1
  return wrk.format("%s", "%s", {["Content-Type"] = "application/json"}, %s)
end
"""


class Server:
    """A server on a copy of the repository."""

    def __init__(self, program, repo, home):
        self.copy = home / "served"
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(repo, self.copy, symlinks=True)
        cache = home / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        environment = dict(os.environ, XDG_CACHE_HOME=str(cache.resolve()), XDG_CONFIG_HOME=str((home / "config").resolve()))
        command = [program, "serve", "--repo", self.copy, "--listen", "127.0.0.1:0", "--json"]
        self.log = open(home / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, env=environment, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"].removeprefix("http://")

    def rss(self):
        """Resident memory in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def ask(self, method, path, body=None):
        host, port = self.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=120)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, json.loads(text)

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def wrk(server, home, path, connections, seconds, bodies=None):
    """Requests per second, and the 50th and 99th percentile in milliseconds."""
    quoted = ", ".join("[==[" + json.dumps(body) + "]==]" for body in bodies or [])
    script = home / "wrk.lua"
    script.write_text(LUA % (quoted or '""', "POST" if bodies else "GET", path, "bodies[at]" if bodies else "nil"))
    command = ["wrk", f"-t{min(connections, 2)}", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "--latency",
               "-s", script, f"http://{server.address}{path}"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(f"{path} with {connections} connections:\n{said}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])
    return rate, percentile(said, 50), percentile(said, 99)


def percentile(said, which):
    number, unit = re.search(rf"\s{which}%\s+([\d.]+)(us|ms|s|m)\b", said).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1_000, "m": 60_000}[unit]


def mixed(server, program, seconds):
    """Eight clients and one who edits. What they saw."""
    ends = time.monotonic() + seconds
    counts, wrong, recounted, lock = {}, [], [0], threading.Lock()

    def note(what, status, answer, budget=None):
        with lock:
            counts[what] = counts.get(what, 0) + 1
            if status != 200:
                wrong.append(f"{what}: {status} {answer}")
            elif budget is not None and answer["total_tokens"] > budget:
                wrong.append(f"{what}: {answer['total_tokens']} tokens, over {budget}")

    def recount(answer):
        said = subprocess.run([program, "tokens", "-", "--json"], input=answer["content"], capture_output=True, text=True, check=True).stdout
        if json.loads(said)["total_tokens"] != answer["total_tokens"]:
            wrong.append(f"the text of a pack has other tokens than {answer['total_tokens']}: {said}")
        recounted[0] += 1

    def client(seed):
        choose = random.Random(seed)
        number = 0
        while time.monotonic() < ends and not wrong:
            task, budget = choose.choice(TASKS), choose.choice([500, 2_000, 8_000, 32_000])
            roll, number = choose.random(), number + 1
            if roll < 0.5:
                status, answer = server.ask("POST", "/v1/pack", {"task": task, "budget": budget})
                note("pack", status, answer, budget)
                if status == 200 and number % 100 == 1:
                    recount(answer)
            elif roll < 0.7:
                status, answer = server.ask("POST", "/v1/preview", {"task": task, "budget": budget})
                note("preview", status, answer, budget)
            elif roll < 0.85:
                note("search", *server.ask("POST", "/v1/search", {"task": task, "limit": 10}))
            elif roll < 0.95:
                note("packs", *server.ask("GET", "/v1/packs?limit=20"))
            else:
                note("config", *server.ask("GET", "/v1/config"))

    def edit():
        files = sorted(server.copy.rglob("*.py"))
        choose = random.Random(1)
        while time.monotonic() < ends and not wrong:
            path = choose.choice(files)
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"\n# Edited {time.monotonic()}.\n")
            counts["edit"] = counts.get("edit", 0) + 1
            time.sleep(0.2)

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(8)] + [threading.Thread(target=edit)]
    for thread in threads:
        thread.start()
    memory = []
    while any(thread.is_alive() for thread in threads):
        memory.append(server.rss())
        time.sleep(1)
    if wrong:
        sys.exit("\n".join(wrong[:10]))
    return counts, recounted[0], memory


def mean(values):
    return sum(values) / max(len(values), 1)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", type=lambda path: str(pathlib.Path(path).resolve()))
    arguments.add_argument("--repo", type=pathlib.Path)
    arguments.add_argument("--home", type=pathlib.Path)
    arguments.add_argument("--minutes", type=float)
    arguments.add_argument("--seconds", type=int)
    asked = arguments.parse_args()
    server = Server(asked.program, asked.repo, asked.home)
    try:
        page(server, asked)
    finally:
        status = server.stop()
    if status != 0:
        sys.exit(f"the server ended with {status}")


def page(server, asked):
    status, first = server.ask("POST", "/v1/pack", {"task": TASKS[0], "budget": 8_000})
    if status != 200:
        sys.exit(f"the first pack: {status} {first}")
    packs = [{"task": task, "budget": 8_000} for task in TASKS]
    rows = []
    for connections in CONNECTIONS:
        life = wrk(server, asked.home, "/healthz", connections, asked.seconds)
        pack = wrk(server, asked.home, "/v1/pack", connections, asked.seconds, packs)
        rows.append((connections, life, pack))
        print(f"measure-http: {connections} connections", file=sys.stderr)
    counts, recounted, memory = mixed(server, asked.program, asked.minutes * 60)
    quarter = max(len(memory) // 4, 1)
    before, after = mean(memory[quarter:2 * quarter]), mean(memory[-quarter:])
    if after > MOST_GROWTH * before:
        sys.exit(f"memory grew from {before:.0f} to {after:.0f} MB")
    files = first["stats"]["files_searched"]
    print("# The HTTP service under load\n")
    print(f"Written by `scripts/measure-http`, on loopback, release build, {os.cpu_count()} processors with a load of "
          f"{os.getloadavg()[2]:.0f} from this and others. The repository has {files:,} files that are searched; a pack has 8,000 tokens, "
          f"and its task is one of {len(TASKS)} in turn, so that what is kept of earlier packs is warm. "
          "Numbers of one machine tell little: compare the columns, which are from the same run.\n")
    print("| connections | `/healthz` a second | its p99 ms | packs a second | their p50 ms | their p99 ms | packs / `/healthz` | p99 / p99 |")
    print("|---|---|---|---|---|---|---|---|")
    for connections, life, pack in rows:
        print(f"| {connections} | {life[0]:,.0f} | {life[2]:.1f} | {pack[0]:,.1f} | {pack[1]:,.0f} | {pack[2]:,.0f} "
              f"| 1 / {life[0] / pack[0]:,.0f} | {pack[2] / life[2]:,.0f} |")
    made = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()) if what != "edit")
    print(f"\n**Mixed load**, {asked.minutes:g} minutes, eight clients, while {counts.get('edit', 0):,} edits were made to its files: {made}. "
          f"Every answer had status 200 and every pack was within its budget; the texts of {recounted:,} were counted again by another process, "
          f"with the same result. Resident memory was {before:,.0f} MB on average in the second quarter and {after:,.0f} MB in the last "
          f"({after / before:.2f} times), {max(memory):,.0f} MB at most.")


main()
