"""Load test of the HTTP service: throughput and latency relative to /healthz, then a mixed load while files change.

Prints the page, and exits with an error if any response is wrong.
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
# Maximum ratio of the memory in the last quarter of the mixed load to that in the second.
MAX_MEMORY_GROWTH = 1.2
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

    def request(self, method, path, body=None):
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
    """Returns requests per second, and the 50th and 99th percentile of the latency in milliseconds."""
    quoted = ", ".join("[==[" + json.dumps(body) + "]==]" for body in bodies or [])
    script = home / "wrk.lua"
    script.write_text(LUA % (quoted or '""', "POST" if bodies else "GET", path, "bodies[at]" if bodies else "nil"))
    command = ["wrk", f"-t{min(connections, 2)}", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "--latency",
               "-s", script, f"http://{server.address}{path}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"{path} with {connections} connections:\n{output}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return rate, percentile(output, 50), percentile(output, 99)


def percentile(output, which):
    number, unit = re.search(rf"\s{which}%\s+([\d.]+)(us|ms|s|m)\b", output).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1_000, "m": 60_000}[unit]


def mixed(server, program, seconds):
    """Runs eight clients while files are edited. Returns request counts, recounted packs and memory samples."""
    end = time.monotonic() + seconds
    counts, errors, recounted, lock = {}, [], [0], threading.Lock()

    def record(kind, status, response, budget=None):
        with lock:
            counts[kind] = counts.get(kind, 0) + 1
            if status != 200:
                errors.append(f"{kind}: {status} {response}")
            elif budget is not None and response["total_tokens"] > budget:
                errors.append(f"{kind}: {response['total_tokens']} tokens exceed {budget}")

    def recount(response):
        output = subprocess.run([program, "tokens", "-", "--json"], input=response["content"], capture_output=True, text=True, check=True).stdout
        if json.loads(output)["total_tokens"] != response["total_tokens"]:
            errors.append(f"reported {response['total_tokens']} tokens, recounted {output}")
        recounted[0] += 1

    def client(seed):
        choose = random.Random(seed)
        number = 0
        while time.monotonic() < end and not errors:
            task, budget = choose.choice(TASKS), choose.choice([500, 2_000, 8_000, 32_000])
            roll, number = choose.random(), number + 1
            if roll < 0.5:
                status, response = server.request("POST", "/v1/pack", {"task": task, "budget": budget})
                record("pack", status, response, budget)
                if status == 200 and number % 100 == 1:
                    recount(response)
            elif roll < 0.7:
                status, response = server.request("POST", "/v1/preview", {"task": task, "budget": budget})
                record("preview", status, response, budget)
            elif roll < 0.85:
                record("search", *server.request("POST", "/v1/search", {"task": task, "limit": 10}))
            elif roll < 0.95:
                record("packs", *server.request("GET", "/v1/packs?limit=20"))
            else:
                record("config", *server.request("GET", "/v1/config"))

    def edit():
        files = sorted(server.copy.rglob("*.py"))
        choose = random.Random(1)
        while time.monotonic() < end and not errors:
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
    if errors:
        sys.exit("\n".join(errors[:10]))
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
    options = arguments.parse_args()
    server = Server(options.program, options.repo, options.home)
    try:
        page(server, options)
    finally:
        status = server.stop()
    if status != 0:
        sys.exit(f"the server exited with {status}")


def page(server, options):
    status, first = server.request("POST", "/v1/pack", {"task": TASKS[0], "budget": 8_000})
    if status != 200:
        sys.exit(f"first pack failed: {status} {first}")
    packs = [{"task": task, "budget": 8_000} for task in TASKS]
    rows = []
    for connections in CONNECTIONS:
        health = wrk(server, options.home, "/healthz", connections, options.seconds)
        pack = wrk(server, options.home, "/v1/pack", connections, options.seconds, packs)
        rows.append((connections, health, pack))
        print(f"measure-http: {connections} connections", file=sys.stderr)
    counts, recounted, memory = mixed(server, options.program, options.minutes * 60)
    quarter = max(len(memory) // 4, 1)
    before, after = mean(memory[quarter:2 * quarter]), mean(memory[-quarter:])
    if after > MAX_MEMORY_GROWTH * before:
        sys.exit(f"memory grew from {before:.0f} to {after:.0f} MB")
    files = first["stats"]["files_searched"]
    print("# HTTP load\n")
    print(f"Generated by `scripts/measure-http`: loopback, release build, {os.cpu_count()} processors, load average "
          f"{os.getloadavg()[2]:.0f}. {files:,} files are searched; packs have a budget of 8,000 tokens and cycle through "
          f"{len(TASKS)} tasks, so caches are warm. Absolute numbers depend on the machine; the ratios of the last two columns "
          "depend on it less.\n")
    print("| connections | `/healthz` per second | p99 ms | packs per second | p50 ms | p99 ms | packs / `/healthz` | p99 / p99 |")
    print("|---|---|---|---|---|---|---|---|")
    for connections, health, pack in rows:
        print(f"| {connections} | {health[0]:,.0f} | {health[2]:.1f} | {pack[0]:,.1f} | {pack[1]:,.0f} | {pack[2]:,.0f} "
              f"| 1 / {health[0] / pack[0]:,.0f} | {pack[2] / health[2]:,.0f} |")
    requests = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()) if kind != "edit")
    print(f"\n**Mixed load**: {options.minutes:g} minutes, 8 clients, {counts.get('edit', 0):,} concurrent edits to files; {requests}. "
          f"Every response had status 200 and every pack was within its budget; another process recounted the texts of {recounted:,} packs "
          f"with the same results. Resident memory averaged {before:,.0f} MB in the second quarter and {after:,.0f} MB in the last "
          f"({after / before:.2f} times), with a peak of {max(memory):,.0f} MB.")


main()
