#!/usr/bin/env python3
"""Trains the ranking models on the features that `kitbag eval --features` writes.

    learn.py FEATURES... [--weights weights.json] [--folds folds.json]

The file model predicts which candidates of a task were changed. The chunk model predicts which chunks of
a changed file have changed lines. Each is a linear model (listwise logistic regression) plus a small
ensemble of trees (LambdaMART), blended so that the scores are logits. `--folds` also writes models for
cross-validation: projects fall into eight folds, and each fold gets models trained on the other seven.
`kitbag eval --models` evaluates with these, so that no project is tested with weights trained on it.
"""

import argparse
import json
import pathlib
import zlib

import lightgbm
import numpy

import features

FOLDS = 8
MAX_FILES = 80  # candidates of a task that are used for training
FILE_BLEND = (1.0, 0.3)  # weights of slopes and trees
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
    """Yields the code files of each task; no other file is ever an answer here."""
    for task in tasks:
        index = numpy.nonzero(task.is_code)[0][:MAX_FILES]
        if task.is_gold[index].any():
            yield task.x[index], task.is_gold[index]


def chunk_rows(tasks):
    """Yields the chunks of each changed file."""
    for task in tasks:
        for file in numpy.unique(task.candidate):
            index = numpy.nonzero(task.candidate == file)[0]
            is_changed = task.hunk_masks[index] > 0
            if task.is_gold[file] and task.is_code[file] and len(index) > 1 and is_changed.any():
                yield task.chunk_x[index], is_changed


def stack(rows):
    rows = list(rows)
    x = numpy.vstack([x for x, _ in rows]).astype(numpy.float64)
    y = numpy.concatenate([y for _, y in rows]).astype(int)
    return x, y, [len(y) for _, y in rows]


def train_slopes(x, y, groups, penalty=3e-3, steps=200):
    """Trains a listwise logistic regression with Adam."""
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    z = ((x - mean) / deviation).astype(numpy.float32)
    starts = numpy.concatenate([[0], numpy.cumsum(groups)])[:-1]
    group = numpy.repeat(numpy.arange(len(groups)), groups)
    target = (y / numpy.add.reduceat(y, starts)[group]).astype(numpy.float32)
    weights = numpy.zeros(z.shape[1])
    first, second = numpy.zeros_like(weights), numpy.zeros_like(weights)
    for step in range(1, steps + 1):
        score = z @ weights.astype(numpy.float32)
        probability = numpy.exp(score - numpy.maximum.reduceat(score, starts)[group])
        probability /= numpy.add.reduceat(probability, starts)[group]
        gradient = z.T @ (probability - target) / len(groups) + penalty * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights -= 0.05 * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights / deviation


def train(rows, names, blend):
    """Trains a model in the format of weights.json."""
    x, y, groups = stack(rows)
    slopes = train_slopes(x, y, groups) * blend[0]
    data = lightgbm.Dataset(x, y, group=groups)
    trees = lightgbm.train(TREES, data, ROUNDS).dump_model()["tree_info"]
    return {
        "features": list(names),
        "slopes": [round(float(slope), 4) for slope in slopes],
        "trees": [nodes(tree["tree_structure"], blend[1]) for tree in trees],
    }


def nodes(root, scale):
    """Flattens a tree to a list of [feature, threshold, left, right, value]; a leaf has right == 0."""
    flat = []

    def add(node):
        place = len(flat)
        value = node.get("internal_value", node.get("leaf_value"))
        flat.append([0, 0.0, 0, 0, round(scale * value, 5)])
        if "split_feature" in node:
            left, right = add(node["left_child"]), add(node["right_child"])
            flat[place][:4] = [node["split_feature"], round(float(node["threshold"]), 5), left, right]
        return place

    add(root)
    return flat


def score(model, x):
    """Computes the same scores as the program."""
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
    """Percentage of tasks whose changed files are all among the first k, for each k."""
    hits = numpy.zeros(len(depths))
    for task, values in zip(tasks, scores):
        order = numpy.argsort(-numpy.where(task.is_code, values, -1e9), kind="stable")
        if task.is_gold.sum() == task.gold_count:
            last = numpy.nonzero(task.is_gold[order])[0].max()
            hits += [last < depth for depth in depths]
    return [round(float(hit), 1) for hit in 100 * hits / max(len(tasks), 1)]


def fold_of(project):
    return zlib.crc32(project.encode()) % FOLDS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", nargs="+", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path)
    parser.add_argument("--folds", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="use only every N-th task of the last set")
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE", help="set these features to 0")
    arguments = parser.parse_args()

    sets = [(path.stem, *features.read(path)) for path in arguments.features]
    sets[-1][3][:] = sets[-1][3][:: arguments.every]
    file_names, chunk_names = sets[0][1], sets[0][2]
    tasks = [task for _, _, _, tasks in sets for task in tasks if len(task.is_gold) > 1 and len(task.chunk_x) > 1]
    for task in tasks:
        task.x, task.chunk_x = task.x.copy(), task.chunk_x.copy()
        task.x[:, [name in arguments.without for name in file_names]] = 0
        task.chunk_x[:, [name in arguments.without for name in chunk_names]] = 0

    def both(tasks):
        return {
            "files": train(file_rows(tasks), file_names, FILE_BLEND),
            "chunks": train(chunk_rows(tasks), chunk_names, CHUNK_BLEND),
        }

    if arguments.folds:
        models = [both([task for task in tasks if fold_of(task.repo) != fold]) for fold in range(FOLDS)]
        folds = {task.repo: fold_of(task.repo) for task in tasks}
        arguments.folds.write_text(json.dumps({"folds": folds, "models": models}, separators=(",", ":")))
        for name, _, _, in_set in sets:
            in_set = [task for task in in_set if len(task.is_gold) > 1]
            scores = [score(models[fold_of(task.repo)]["files"], task.x) for task in in_set]
            print(f"{name}: {len(in_set)} tasks, cross-validated file ranking: A@1 A@3 A@5 A@10",
                  *accuracy(in_set, scores), flush=True)
    if arguments.weights:
        arguments.weights.write_text(json.dumps(both(tasks), separators=(",", ":")))


if __name__ == "__main__":
    main()
