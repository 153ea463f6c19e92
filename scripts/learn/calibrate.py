"""Calibrates the scores of chunks: the chance that a chunk matters.

The score of a chunk is computed as in the program (crates/kitbag-index/src/rank): the constants here must
be those there. A logistic regression on the score and the shape of the task gives the chance if the task is
about the repository; it is multiplied by the chance that it is, and corrected by isotonic regression.
"""

import numpy

SHARPNESS = 0.8
KIND_PENALTY = 4.0
IN_FILE_EXPONENT = 1.0
BEST_IN_FILE_BONUS = 0.15
SIZE_EXPONENT = 0.7
SIZE_OFFSET = 20.0
BEST_FILE_LEAD = 0.2
SHAPE = ["brevity", "is_name", "change"]  # properties of a task that the meaning of a score depends on
KNOTS = 24
FOREIGN_WEIGHT = 0.1  # of a foreign task, in the curve
# The score of the task model is sharpened, so that foreign tasks get small packs (docs/quality.md).
FIT_SLOPE = 10.0
FIT_OFFSET = 10.0


def softmax(scores):
    weights = numpy.exp(SHARPNESS * (scores - scores.max()))
    return weights / weights.sum()


def add_scores(tasks):
    """Sets the final score of every chunk, and the shape of the task."""
    for task in tasks:
        files = softmax(task.file_scores - KIND_PENALTY * ~task.is_code)
        value = numpy.zeros(len(task.chunk_scores))
        for file in numpy.unique(task.candidate):
            index = numpy.nonzero(task.candidate == file)[0]
            inside = softmax(task.chunk_scores[index]) ** IN_FILE_EXPONENT
            size = (task.tokens[index] + SIZE_OFFSET) ** SIZE_EXPONENT
            best = numpy.argmax(inside / size)
            inside[best] += BEST_IN_FILE_BONUS
            value[index] = files[file] * inside / size
        task.score = numpy.log(numpy.maximum(value, 1e-38))
        first = numpy.nonzero(task.candidate == files.argmax())[0]
        if len(first):
            task.score[first[task.score[first].argmax()]] = task.score.max() + BEST_FILE_LEAD
        task.brevity, task.is_name = float(task.task_x[-2]), float(task.task_x[-1])


def columns(task):
    one, score = numpy.ones_like(task.score), task.score.astype(numpy.float64)
    shape = [task.brevity, task.is_name, task.change]
    return numpy.stack([one, score, *(one * it for it in shape), *(score * it for it in shape)], 1)


def logistic(z):
    return 1 / (1 + numpy.exp(-numpy.clip(z, -80, 80)))


def judged(task):
    """Returns the weights of the chunks. Where a whole file answers a question, only its best chunk counts."""
    weights = numpy.full(len(task.score), task.weight)
    if not task.category:
        return weights
    for file in numpy.nonzero(task.is_gold)[0]:
        index = numpy.nonzero(task.candidate == file)[0]
        if len(index) > 1 and (task.hunk_masks[index] > 0).all():
            weights[index] = 0
            weights[index[task.score[index].argmax()]] = task.weight
    return weights


def fit(tasks):
    """Fits the calibration to scores of tasks that the models were not trained on."""
    own = [task for task in tasks if not task.is_foreign and len(task.score)]
    x = numpy.vstack([columns(task) for task in own])
    y = numpy.concatenate([task.hunk_masks > 0 for task in own]).astype(float)
    weights = numpy.concatenate([judged(task) for task in own])
    slopes = newton(x, y, weights)
    names = ["intercept", "score", *SHAPE, *(f"score_{name}" for name in SHAPE)]
    result = {name: round(float(slope), 5) for name, slope in zip(names, slopes)}
    result["fit_slope"], result["fit_offset"] = FIT_SLOPE, FIT_OFFSET
    z = [logit(product(result, task)) for task in own]
    foreign = [task for task in tasks if task.is_foreign and len(task.score)]
    z += [logit(product(result, task)) for task in foreign]
    y = numpy.concatenate([y] + [numpy.zeros(len(task.score)) for task in foreign])
    weights = numpy.concatenate([weights] + [numpy.full(len(task.score), FOREIGN_WEIGHT) for task in foreign])
    result["curve"] = curve(numpy.concatenate(z), y, weights)
    return result


def newton(x, y, weights, steps=40, penalty=1e-3):
    """Logistic regression by Newton's method, with steps that are halved until they help."""

    def loss(slopes):
        z = x @ slopes
        return (weights * (numpy.logaddexp(0, z) - y * z)).sum() + penalty / 2 * (slopes**2).sum()

    slopes = numpy.zeros(x.shape[1])
    now = loss(slopes)
    for _ in range(steps):
        p = logistic(x @ slopes)
        gradient = x.T @ (weights * (p - y)) + penalty * slopes
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + penalty * numpy.eye(x.shape[1])
        step = numpy.linalg.solve(hessian, gradient)
        while (next_loss := loss(slopes - step)) > now and numpy.abs(step).max() > 1e-9:
            step /= 2
        slopes -= step
        if now - next_loss < 1e-6 * now:
            break
        now = next_loss
    return slopes


def product(calibration, task):
    """The chance that the task is about the repository times the chance that a chunk then matters."""
    slope = calibration["score"] + sum(calibration[f"score_{name}"] * getattr(task, name) for name in SHAPE)
    offset = calibration["intercept"] + sum(calibration[name] * getattr(task, name) for name in SHAPE)
    return logistic(FIT_SLOPE * task.fit + FIT_OFFSET) * logistic(offset + slope * task.score)


def logit(p):
    return numpy.log(numpy.maximum(p, 1e-38) / (1 - p))


def curve(z, y, weights):
    """Isotonic regression, thinned to a few points that increase strictly."""
    order = numpy.argsort(z, kind="stable")
    z, y, weights = z[order], y[order], weights[order]
    # Quantiles that are denser at the top, where few chunks are.
    total = numpy.cumsum(weights)
    shares = 1 - numpy.geomspace(1, 60 / total[-1], KNOTS + 1)
    edges = numpy.unique(numpy.searchsorted(total, shares * total[-1]))
    edges = numpy.append(edges, len(z))
    blocks = []
    for start, end in zip(edges, edges[1:]):
        if end <= start:
            continue
        w = weights[start:end].sum()
        blocks.append([w, (z[start:end] * weights[start:end]).sum() / w, (y[start:end] * weights[start:end]).sum() / w])
        while len(blocks) > 1 and blocks[-2][2] >= blocks[-1][2]:
            w2, z2, y2 = blocks.pop()
            w1, z1, y1 = blocks.pop()
            blocks.append([w1 + w2, (w1 * z1 + w2 * z2) / (w1 + w2), (w1 * y1 + w2 * y2) / (w1 + w2)])
    points = [[round(float(x), 4), round(float(min(max(p, 1e-6), 0.98)), 6)] for _, x, p in blocks]
    return [point for at, point in enumerate(points) if at == 0 or (point[0] > points[at - 1][0] and point[1] > points[at - 1][1])]


def relevance(calibration, task):
    z = logit(product(calibration, task))
    x, y = numpy.array(calibration["curve"]).T
    middle = numpy.interp(z, x, y)
    low = y[0] * numpy.exp(numpy.minimum(z - x[0], 0))
    high = 1 - (1 - y[-1]) * numpy.exp(numpy.minimum(x[-1] - z, 0))
    return numpy.where(z <= x[0], low, numpy.where(z >= x[-1], high, middle))


def report(sets):
    """Prints how reliable the relevance is, and what a stop would cost and save."""
    for name, tasks in sets.items():
        tasks = [task for task in tasks if len(task.score)]
        best = numpy.array([task.relevance.max() for task in tasks])
        print(f"{name}: best relevance, 5 25 50 75 95 %:", *numpy.round(numpy.percentile(best, [5, 25, 50, 75, 95]), 4))
        if tasks[0].is_foreign:
            for stop in (0.005, 0.01, 0.015, 0.02, 0.03, 0.05):
                sizes = [task.tokens[task.relevance >= stop].sum() for task in tasks]
                print(f"  stop {stop}: {100 * numpy.mean([size <= 450 for size in sizes]):.1f} % small")
            continue
        is_judged = numpy.concatenate([judged(task) for task in tasks]) > 0
        p = numpy.concatenate([task.relevance for task in tasks])[is_judged]
        y = numpy.concatenate([task.hunk_masks > 0 for task in tasks])[is_judged]
        edges = [0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.01]
        for low, high in zip(edges, edges[1:]):
            inside = (p >= low) & (p < high)
            if inside.any():
                print(f"  from {low}: {inside.sum()} chunks, mean {p[inside].mean():.4f}, matter {y[inside].mean():.4f}")
        if tasks[0].category:
            continue
        for budget in (8000, 32000):
            for stop in (0, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03):
                sizes, recalls = zip(*(packed(task, budget, stop) for task in tasks))
                print(f"  {budget} stop {stop}: tokens {numpy.mean(sizes):.0f}, H {100 * numpy.mean(recalls):.1f}")


def packed(task, budget, stop):
    """Simulates a pack: chunks in order while they fit, at 1.1 times their size."""
    size, seen = 0, 0
    for at in numpy.argsort(-task.score, kind="stable"):
        cost = 1.1 * task.tokens[at] + 8
        if task.relevance[at] >= stop and size + cost <= budget:
            size += cost
            seen |= int(task.hunk_masks[at])
    return size, bin(seen).count("1") / max(min(task.hunks, 64), 1)
