#!/usr/bin/env python3
"""Trains the ranking models on the features that `kitbag eval --features` writes.

    learn.py FEATURES... [--weights weights.json] [--folds folds.json]

The file model predicts which candidates of a task matter, the chunk model which chunks of such a file. Each
is a linear model (listwise logistic regression), whose slopes depend on how brief the task is and on whether
it is a single name, plus a small ensemble of trees (LambdaMART), blended so that the scores are logits. There
are two of each, for tasks that describe a change (issues, commit messages) and for questions and names; the
kind model predicts from the wording of a task which of them it is. The task model predicts whether a task is
about the repository at all, from tasks of other projects (`kitbag eval --foreign`). The calibration turns the
scores into the chance that a chunk matters; it is fitted to scores of projects that the models were not
trained on.

`--folds` also writes models for cross-validation: projects fall into four folds, and each fold gets models
trained on the other three. `kitbag eval --models` evaluates with these, so that no project is tested with
weights trained on it.
"""

import argparse
import json
import multiprocessing
import pathlib
import pickle
import zlib

import lightgbm
import numpy

import calibrate
import features

FOLDS = 4
MAX_FILES = 80  # candidates of a task that are used for training
FILE_BLEND = (0.55, 0.85)  # weights of slopes and trees
CHUNK_BLEND = (0.5, 0.8)
PENALTY = 3e-3
SHAPE_PENALTY = 1e-2  # of the slopes that depend on the shape of the task
# Weights of the tasks of a set, for the models of changes and of questions, and for the calibration.
CHANGE_WEIGHTS = {"questions-dev": 0.0, "names": 0.0}
QUESTION_WEIGHTS = {"questions-dev": 2.0, "names": 0.5, "issues-dev": 0.1, "commits-dev": 0.3, "history": 0.3}
WEIGHTS = {"questions-dev": 2.0, "names": 0.5}
MIN_KIND_CHANCE = 0.02  # of the other kind, for its models to be asked; as in rank/model.rs
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
    num_threads=1,
    verbose=-1,
)
TASK_PENALTY = 10.0
# Tasks of less than 30 words, such as commit messages, fit many repositories. They get the benefit of the doubt, because
# more caution would lose more own tasks than it keeps foreign ones out (docs/quality.md).
SHORT_TASK = 0.08  # brevity
SHORT_TASK_BONUS = 0.75
ROUNDS = 200
BOOSTERS = {}  # the trees of a model as trained, which score faster than the lists of nodes


def file_rows(tasks):
    """Yields the code files of each task; no other file is ever an answer here."""
    for task in tasks:
        index = numpy.nonzero(task.is_code)[0][:MAX_FILES]
        if task.is_gold[index].any():
            yield task.x[index], task.is_gold[index], task.weight


def chunk_rows(tasks):
    """Yields the chunks of each file that matters, unless all of them do."""
    for task in tasks:
        for file in numpy.unique(task.candidate):
            index = numpy.nonzero(task.candidate == file)[0]
            matters = task.hunk_masks[index] > 0
            if task.is_gold[file] and task.is_code[file] and matters.any() and not matters.all():
                yield task.chunk_x[index], matters, task.weight


def stack(rows):
    rows = list(rows)
    x = numpy.vstack([x for x, _, _ in rows]).astype(numpy.float64)
    y = numpy.concatenate([y for _, y, _ in rows]).astype(int)
    return x, y, [len(y) for _, y, _ in rows], numpy.array([weight for _, _, weight in rows])


def shape_columns(names):
    return names.index("brevity"), names.index("is_name")


def with_shape(x, names):
    """Appends each feature times the brevity of the task, and times whether it is a name."""
    brevity, name = shape_columns(names)
    return numpy.hstack([x, x * x[:, [brevity]], x * x[:, [name]]])


def train_slopes(x, y, groups, weights, steps=250):
    """Trains a listwise logistic regression with Adam."""
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    z = ((x - mean) / deviation).astype(numpy.float32)
    starts = numpy.concatenate([[0], numpy.cumsum(groups)])[:-1]
    group = numpy.repeat(numpy.arange(len(groups)), groups)
    target = (y / numpy.add.reduceat(y, starts)[group]).astype(numpy.float32)
    row_weight = (weights[group] / weights.sum()).astype(numpy.float32)
    count = z.shape[1] // 3
    penalty = numpy.concatenate([numpy.full(count, PENALTY), numpy.full(2 * count, SHAPE_PENALTY)])
    slopes = numpy.zeros(z.shape[1])
    first, second = numpy.zeros_like(slopes), numpy.zeros_like(slopes)
    for step in range(1, steps + 1):
        score = z @ slopes.astype(numpy.float32)
        probability = numpy.exp(score - numpy.maximum.reduceat(score, starts)[group])
        probability /= numpy.add.reduceat(probability, starts)[group]
        gradient = z.T @ ((probability - target) * row_weight) + penalty * slopes
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        slopes -= 0.05 * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return slopes / deviation


def rounded(values):
    return [round(float(value), 4) for value in values]


def train(rows, names, blend):
    """Trains a model of candidates in the format of weights.json."""
    x, y, groups, weights = stack(rows)
    slopes = train_slopes(with_shape(x, names), y, groups, weights) * blend[0]
    data = lightgbm.Dataset(x, y, group=groups, weight=numpy.repeat(weights, groups))
    booster = lightgbm.train(TREES, data, ROUNDS)
    trees = booster.dump_model()["tree_info"]
    base, brief, name = numpy.split(slopes, 3)
    model = {
        "features": list(names),
        "slopes": rounded(base),
        "brief_slopes": rounded(brief),
        "name_slopes": rounded(name),
        "trees": [nodes(tree["tree_structure"], blend[1]) for tree in trees],
    }
    BOOSTERS[id(model)] = model, booster, blend[1]  # the model is kept, or its id might be used again
    return model


def train_candidates(tasks, names, weights):
    """Trains the models of files and of chunks, with weights by set."""
    for task in tasks:
        task.weight = weights.get(task.set, 1.0)
    tasks = [task for task in tasks if task.weight > 0]
    return {
        "files": train(file_rows(tasks), names["files"], FILE_BLEND),
        "chunks": train(chunk_rows(tasks), names["chunks"], CHUNK_BLEND),
    }


def train_kind(tasks, names):
    """Trains the model that distinguishes changes from questions. Titles alone count as changes too, because people
    describe a problem in one line as well."""
    rows = [(task.kind_x, not task.category) for task in tasks]
    rows += [(task.title_kind_x, True) for task in tasks if not task.category]
    x = numpy.array([numpy.append(x, 1) for x, _ in rows], dtype=numpy.float64)
    y = numpy.array([is_change for _, is_change in rows]).astype(float)
    weights = numpy.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    slopes = calibrate.newton(x, y, weights, penalty=1.0)
    return {"features": list(names), "slopes": rounded(slopes[:-1]), "trees": [], "intercept": round(float(slopes[-1]), 4)}


def change_chance(model, task):
    """The chance that a task describes a change, rounded as in the program."""
    chance = calibrate.logistic(task.kind_x @ numpy.array(model["slopes"]) + model["intercept"])
    return 0.0 if chance < MIN_KIND_CHANCE else 1.0 if chance > 1 - MIN_KIND_CHANCE else float(chance)


def scores_of(models, task):
    """Returns the chance that a task describes a change, the scores of its files and chunks, and its fit."""
    change = change_chance(models["kind"], task)
    files, chunks = numpy.zeros(len(task.x)), numpy.zeros(len(task.chunk_x))
    for kind, share in (("change", change), ("question", 1 - change)):
        if share > 0:
            files += share * score(models[kind]["files"], task.x)
            chunks += share * score(models[kind]["chunks"], task.chunk_x)
    return change, files, chunks, float(score(models["task"], task.task_x[None, :])[0])


WORK = None  # set before the workers start, because functions of `main` cannot be sent to them


def work(fold):
    return WORK(fold)


def train_task(tasks, names):
    """Trains the model that separates tasks about the repository from foreign ones: a logistic regression,
    which carries over to other projects much better than trees do."""
    x = numpy.vstack([task.task_x for task in tasks]).astype(numpy.float64)
    y = numpy.array([not task.is_foreign for task in tasks]).astype(float)
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    z = numpy.hstack([(x - mean) / deviation, numpy.ones((len(x), 1))])
    # As many foreign tasks as others, whatever the sets.
    weights = numpy.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    slopes = calibrate.newton(z, y, weights, penalty=TASK_PENALTY)
    base = slopes[:-1] / deviation
    intercept = slopes[-1] - (base * mean).sum()
    brevity = list(names).index("brevity")
    bonus = [[brevity, SHORT_TASK, 1, 2, 0.0], [0, 0.0, 0, 0, 0.0], [0, 0.0, 0, 0, SHORT_TASK_BONUS]]
    return {"features": list(names), "slopes": rounded(base), "trees": [bonus], "intercept": round(float(intercept), 4)}


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
    if "brief_slopes" in model:
        slopes = model["slopes"] + model["brief_slopes"] + model["name_slopes"]
        total = with_shape(x, model["features"]) @ numpy.array(slopes, dtype=numpy.float32)
    else:
        total = x @ numpy.array(model["slopes"], dtype=numpy.float32) + model.get("intercept", 0.0)
    if id(model) in BOOSTERS and len(x):
        _, booster, scale = BOOSTERS[id(model)]
        return total + scale * booster.predict(x, num_threads=1)
    for tree in model["trees"]:
        table = numpy.array(tree, dtype=numpy.float32)
        at = numpy.zeros(len(x), dtype=int)
        for _ in range(8):
            feature, right = table[at, 0].astype(int), table[at, 3].astype(int)
            go_left = x[numpy.arange(len(x)), feature] <= table[at, 1]
            at = numpy.where(right == 0, at, numpy.where(go_left, table[at, 2].astype(int), right))
        total = total + table[at, 4]
    return total


def accuracy(tasks, depths=(1, 3, 5, 10)):
    """Percentage of tasks whose files that matter are all among the first k, for each k."""
    hits = numpy.zeros(len(depths))
    for task in tasks:
        order = numpy.argsort(-numpy.where(task.is_code, task.file_scores, -1e9), kind="stable")
        if task.is_gold.sum() == task.gold_count:
            last = numpy.nonzero(task.is_gold[order])[0].max()
            hits += [last < depth for depth in depths]
    return [round(float(hit), 1) for hit in 100 * hits / max(len(tasks), 1)]


def file_gain(tasks):
    """Mean NDCG@10 of the files."""
    gains = []
    for task in tasks:
        order = numpy.argsort(-numpy.where(task.is_code, task.file_scores, task.file_scores - 4), kind="stable")[:10]
        discounts = 1 / numpy.log2(numpy.arange(10) + 2)
        gained = (task.is_gold[order] * discounts[: len(order)]).sum()
        gains.append(gained / discounts[: min(task.gold_count, 10)].sum())
    return round(float(numpy.mean(gains)), 4)


def fold_of(project):
    return zlib.crc32(project.encode()) % FOLDS


def slim(task):
    """Drops the features of candidates, so that the calibration can be tried without training."""
    kept = features.Task.__new__(features.Task)
    kept.__dict__ = {key: value for key, value in task.__dict__.items() if key not in ("x", "chunk_x", "terms")}
    return kept


def report(name, tasks):
    if all(task.category for task in tasks):
        by_category = {}
        for task in tasks:
            by_category.setdefault(task.category, []).append(task)
        parts = [f"{category} {file_gain(group)}" for category, group in sorted(by_category.items())]
        print(f"{name}: {len(tasks)} questions, files N@10 {file_gain(tasks)}:", *parts, flush=True)
    else:
        print(f"{name}: {len(tasks)} tasks, files A@1 A@3 A@5 A@10", *accuracy(tasks), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", nargs="+", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path)
    parser.add_argument("--folds", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="use only every N-th task made from commits")
    parser.add_argument("--dump", type=pathlib.Path, help="write the scores, to try other calibrations")
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE", help="set these features to 0")
    arguments = parser.parse_args()

    sets, names = {}, None
    for path in arguments.features:
        names, tasks = features.read(path)
        every = arguments.every if path.stem == "history" else 1
        sets[path.stem] = [task for task in tasks[::every] if len(task.is_gold) > 1]
    for stem, tasks in sets.items():
        for task in tasks:
            task.set = stem
            if arguments.without:
                task.x, task.chunk_x = task.x.copy(), task.chunk_x.copy()
                task.x[:, [name in arguments.without for name in names["files"]]] = 0
                task.chunk_x[:, [name in arguments.without for name in names["chunks"]]] = 0
    tasks = [task for tasks in sets.values() for task in tasks]

    def models(tasks):
        own = [task for task in tasks if not task.is_foreign]
        return {
            "kind": train_kind(own, names["kind"]),
            "change": train_candidates(own, names, CHANGE_WEIGHTS),
            "question": train_candidates(own, names, QUESTION_WEIGHTS),
            "task": train_task(tasks, names["task"]),
        }

    def cross_validate(fold):
        """Trains without a fold, and scores its tasks. The last number is for the weights that ship."""
        model = models([task for task in tasks if fold_of(task.repo) != fold])
        own = [scores_of(model, task) for task in tasks if fold_of(task.repo) == fold]
        return model, own

    global WORK
    WORK = cross_validate
    last = FOLDS + 1 if arguments.weights else FOLDS
    with multiprocessing.get_context("fork").Pool(2) as pool:
        trained = pool.map(work, range(last), chunksize=1)
    folds = [model for model, _ in trained[:FOLDS]]
    for fold, (_, scores) in enumerate(trained[:FOLDS]):
        for task, own in zip([task for task in tasks if fold_of(task.repo) == fold], scores):
            task.change, task.file_scores, task.chunk_scores, task.fit = own
            task.weight = WEIGHTS.get(task.set, 1.0)
    for name, in_set in sets.items():
        if not in_set[0].is_foreign:
            report(name, in_set)
    calibrate.add_scores(tasks)
    if arguments.dump:
        with open(arguments.dump, "wb") as out:
            kept = {name: [slim(task) for task in tasks] for name, tasks in sets.items()}
            pickle.dump({"sets": kept, "folds": folds}, out)
    for fold, model in enumerate(folds):
        model["calibration"] = calibrate.fit([task for task in tasks if fold_of(task.repo) != fold])
    for task in tasks:
        task.relevance = calibrate.relevance(folds[fold_of(task.repo)]["calibration"], task)
    calibrate.report(sets)
    if arguments.folds:
        by_project = {task.repo: fold_of(task.repo) for task in tasks}
        arguments.folds.write_text(json.dumps({"folds": by_project, "models": folds}, separators=(",", ":")))
    if arguments.weights:
        final = trained[FOLDS][0]
        final["calibration"] = calibrate.fit(tasks)
        arguments.weights.write_text(json.dumps(final, separators=(",", ":")))


if __name__ == "__main__":
    main()
