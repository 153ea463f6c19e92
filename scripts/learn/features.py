"""Reads what `kitbag eval --features` wrote."""

import json

import numpy


class Task:
    """A task, its files (rows of `x`) and its chunks (rows of `cx`)."""

    def __init__(self, head, x, gold, code, cx, candidate, tokens, masks):
        self.id, self.repo, self.paths = head["id"], head["repo"], head["paths"]
        self.golds, self.hunks = head["gold"], head["hunks"]
        self.x, self.gold, self.code = x, gold, code
        self.cx, self.candidate, self.tokens, self.masks = cx, candidate, tokens, masks


def read(path):
    """The names of the features of files and of chunks, and the tasks."""
    data = open(path, "rb").read()
    at = data.index(b"\n") + 1
    names = json.loads(data[:at])
    files, chunks = len(names["files"]), len(names["chunks"])
    tasks = []
    while at < len(data):
        end = data.index(b"\n", at) + 1
        head = json.loads(data[at:end])
        count = head["files"] * (files + 2)
        rows = numpy.frombuffer(data, "<f4", count, end).reshape(-1, files + 2)
        at = end + 4 * count
        count = head["chunks"] * (chunks + 4)
        raw = numpy.frombuffer(data, "<u4", count, at).reshape(-1, chunks + 4)
        at += 4 * count
        cx = raw[:, :chunks].copy().view("<f4")
        masks = raw[:, chunks + 2].astype("u8") | raw[:, chunks + 3].astype("u8") << 32
        tasks.append(
            Task(head, rows[:, :files], rows[:, files] > 0, rows[:, files + 1] > 0, cx, raw[:, chunks].astype(int),
                 raw[:, chunks + 1].astype(int), masks)
        )
    return names["files"], names["chunks"], tasks
