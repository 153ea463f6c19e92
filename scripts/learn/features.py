"""Reads the features that `kitbag eval --features` writes."""

import json

import numpy


class Task:
    """A task with the features of its candidate files (rows of `x`) and of their chunks (rows of `chunk_x`)."""

    def __init__(self, header, x, is_gold, is_code, chunk_x, candidate, tokens, hunk_masks):
        self.id, self.repo, self.paths = header["id"], header["repo"], header["paths"]
        self.gold_count, self.hunks = header["gold"], header["hunks"]
        self.is_foreign, self.category = header["foreign"], header["category"]
        # Features of the task as a whole.
        self.task_x = numpy.array(header["task"], dtype=numpy.float32)
        # Features of the wording of the task, and of its first line alone.
        self.kind_x = numpy.array(header.get("kind", []), dtype=numpy.float32)
        self.title_kind_x = numpy.array(header.get("title_kind", []), dtype=numpy.float32)
        self.x, self.is_gold, self.is_code = x, is_gold, is_code
        # The candidate of each chunk, its size, and the changed hunks that it overlaps as a bit mask.
        self.chunk_x, self.candidate, self.tokens, self.hunk_masks = chunk_x, candidate, tokens, hunk_masks


def read(path):
    """Returns the names of the features by kind (`files`, `chunks`, `task`), and the tasks."""
    data = open(path, "rb").read()
    at = data.index(b"\n") + 1
    names = json.loads(data[:at])
    files, chunks = len(names["files"]), len(names["chunks"])
    tasks = []
    while at < len(data):
        end = data.index(b"\n", at) + 1
        header = json.loads(data[at:end])
        count = header["files"] * (files + 2)
        rows = numpy.frombuffer(data, "<f4", count, end).reshape(-1, files + 2)
        at = end + 4 * count
        count = header["chunks"] * (chunks + 4)
        raw = numpy.frombuffer(data, "<u4", count, at).reshape(-1, chunks + 4)
        at += 4 * count
        chunk_x = raw[:, :chunks].copy().view("<f4")
        hunk_masks = raw[:, chunks + 2].astype("u8") | raw[:, chunks + 3].astype("u8") << 32
        tasks.append(
            Task(header, rows[:, :files], rows[:, files] > 0, rows[:, files + 1] > 0, chunk_x, raw[:, chunks].astype(int),
                 raw[:, chunks + 1].astype(int), hunk_masks)
        )
    return names, tasks
