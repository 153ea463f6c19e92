#!/usr/bin/env python3
"""Learns how to rank, from the features that `kitbag eval --features` wrote.

    learn.py FEATURES... [--weights weights.json] [--folds folds.json]

Two models are learnt. The first scores files: which of a task's candidates were changed. The second
scores chunks within a file that was changed: which of them have changed lines. Each is a slope for
every feature (a listwise logistic regression) plus a small ensemble of trees (LambdaMART), blended so
that the scores are logits. `--folds` also writes, for eight groups of projects, what was learnt on the
other seven groups: `kitbag eval --models` tests with these, so that no project is tested by weights
that saw it.
"""

import argparse
import json
import pathlib
import zlib

import lightgbm
import numpy

import features

FOLDS = 8
FILES = 80  # how many candidates of a task are learnt from
BLEND = (1.0, 0.3)  # slopes and trees, for files
CHUNK_BLEND = (0.5, 0.8)
TREES = dict(
    objective="lambdarank",
    num_leaves=8,
    max_depth=4,
    learning_rate=0.06,
    min_data_in_leaf=150,
    lambda_l2=10,
    feature_fraction=0.4,
    bagging_fraction=0.7,
    bagging_freq=1,
    lambdarank_truncation_level=8,
    max_bin=63,
    seed=1,
    deterministic=True,
    force_row_wise=True,
    verbose=-1,
)
ROUNDS = 200


def file_rows(tasks):
    """Files of tasks: code only, since nothing else is ever an answer here."""
    for task in tasks:
        index = numpy.nonzero(task.code)[0][:FILES]
        if task.gold[index].any():
            yield task.x[index], task.gold[index]


def chunk_rows(tasks):
    """Chunks of the files that are answers."""
    for task in tasks:
        for file in numpy.unique(task.candidate):
            index = numpy.nonzero(task.candidate == file)[0]
            right = task.masks[index] > 0
            if task.gold[file] and task.code[file] and len(index) > 1 and right.any():
                yield task.cx[index], right


def stack(rows):
    rows = list(rows)
    x = numpy.vstack([x for x, _ in rows]).astype(numpy.float64)
    y = numpy.concatenate([y for _, y in rows]).astype(int)
    return x, y, [len(y) for _, y in rows]


def learn_slopes(x, y, groups, penalty=3e-3, steps=200):
    """Listwise logistic regression: the chance of the right ones among all, by Adam."""
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    z = ((x - mean) / deviation).astype(numpy.float32)
    starts = numpy.concatenate([[0], numpy.cumsum(groups)])[:-1]
    group = numpy.repeat(numpy.arange(len(groups)), groups)
    share = (y / numpy.add.reduceat(y, starts)[group]).astype(numpy.float32)
    weights = numpy.zeros(z.shape[1])
    first, second = numpy.zeros_like(weights), numpy.zeros_like(weights)
    for step in range(1, steps + 1):
        score = z @ weights.astype(numpy.float32)
        chance = numpy.exp(score - numpy.maximum.reduceat(score, starts)[group])
        chance /= numpy.add.reduceat(chance, starts)[group]
        gradient = z.T @ (chance - share) / len(groups) + penalty * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights -= 0.05 * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights / deviation


def learn(rows, names, blend):
    """A model as the program reads it."""
    x, y, groups = stack(rows)
    slopes = learn_slopes(x, y, groups) * blend[0]
    data = lightgbm.Dataset(x, y, group=groups)
    trees = lightgbm.train(TREES, data, ROUNDS).dump_model()["tree_info"]
    return {
        "features": list(names),
        "slopes": [round(float(slope), 4) for slope in slopes],
        "trees": [nodes(tree["tree_structure"], blend[1]) for tree in trees],
    }


def nodes(root, scale):
    """A tree as a list of [feature, threshold, left, right, value]; a leaf has no right."""
    found = []

    def add(node):
        place = len(found)
        value = node.get("internal_value", node.get("leaf_value"))
        found.append([0, 0.0, 0, 0, round(scale * value, 5)])
        if "split_feature" in node:
            left, right = add(node["left_child"]), add(node["right_child"])
            found[place][:4] = [node["split_feature"], round(float(node["threshold"]), 5), left, right]
        return place

    add(root)
    return found


def score(model, x):
    """What the program computes."""
    total = x @ numpy.array(model["slopes"], dtype=numpy.float32)
    for tree in model["trees"]:
        table = numpy.array(tree, dtype=numpy.float32)
        at = numpy.zeros(len(x), dtype=int)
        for _ in range(8):
            feature, right = table[at, 0].astype(int), table[at, 3].astype(int)
            go_left = x[numpy.arange(len(x)), feature] <= table[at, 1]
            at = numpy.where(right == 0, at, numpy.where(go_left, table[at, 2].astype(int), right))
        total = total + table[at, 4]
    return total


def accuracy(tasks, scores, depths=(1, 3, 5, 10)):
    hits = numpy.zeros(len(depths))
    for task, values in zip(tasks, scores):
        order = numpy.argsort(-numpy.where(task.code, values, -1e9), kind="stable")
        if task.gold.sum() == task.golds:
            last = numpy.nonzero(task.gold[order])[0].max()
            hits += [last < depth for depth in depths]
    return [round(float(hit), 1) for hit in 100 * hits / max(len(tasks), 1)]


def fold_of(project):
    return zlib.crc32(project.encode()) % FOLDS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", nargs="+", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path)
    parser.add_argument("--folds", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="learn from every N-th task of the last set only")
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE", help="leave these features out")
    arguments = parser.parse_args()

    sets = [(path.stem, *features.read(path)) for path in arguments.features]
    sets[-1][3][:] = sets[-1][3][:: arguments.every]
    file_names, chunk_names = sets[0][1], sets[0][2]
    tasks = [task for _, _, _, tasks in sets for task in tasks if len(task.gold) > 1 and len(task.cx) > 1]
    for task in tasks:
        task.x, task.cx = task.x.copy(), task.cx.copy()
        task.x[:, [name in arguments.without for name in file_names]] = 0
        task.cx[:, [name in arguments.without for name in chunk_names]] = 0

    def both(tasks):
        return {
            "files": learn(file_rows(tasks), file_names, BLEND),
            "chunks": learn(chunk_rows(tasks), chunk_names, CHUNK_BLEND),
        }

    if arguments.folds:
        models = [both([task for task in tasks if fold_of(task.repo) != fold]) for fold in range(FOLDS)]
        folds = {task.repo: fold_of(task.repo) for task in tasks}
        arguments.folds.write_text(json.dumps({"folds": folds, "models": models}, separators=(",", ":")))
        for name, _, _, found in sets:
            found = [task for task in found if len(task.gold) > 1]
            scores = [score(models[fold_of(task.repo)]["files"], task.x) for task in found]
            print(f"{name}: {len(found)} tasks, files ranked by what never saw their project: A@1 A@3 A@5 A@10",
                  *accuracy(found, scores), flush=True)
    if arguments.weights:
        arguments.weights.write_text(json.dumps(both(tasks), separators=(",", ":")))


if __name__ == "__main__":
    main()
