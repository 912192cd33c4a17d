"""From samples to the one JSON object of `stretto bench KERNEL --json`."""

from costs import Costs
from measure import Attempt, Measurement
from plan import Plan
from strategies import strategies


def rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def figures(plan: Plan, measurement: Measurement) -> dict:
    return derive(plan, measurement.attempt, measurement.attempts, measurement.costs)


def derive(plan: Plan, attempt: Attempt, attempts: int, costs: Costs | None) -> dict:
    kernel, samples = plan.kernel, attempt.samples
    message, compute = samples.median("message"), samples.median("compute")
    plain, stretto = samples.median("plain"), samples.median("delta")
    annotated = samples.median("annotated") if plan.beside_annotations else None
    unmodified = samples.median("unmodified") if kernel.plain_under_run else None
    best = samples.best_hand()
    hand = samples.median(best)
    loads = kernel.loads(plan.over_all_steps(compute), message, plan.ranks)
    ideal = kernel.ideal(plan.over_all_steps(compute), message, plan.ranks)
    independent = independent_ideal = None
    if kernel.independent:
        independent = samples.median("independent")
        independent_ideal = kernel.independent(compute, message, plan.ranks)
    undilated = stretto
    if plan.dilate > 1:
        ours = costs and costs.of(samples.calls, samples.message_bytes, plan.delta)
        undilated = None if ours is None else stretto + (plan.dilate - 1) * ours
    return {
        "kernel": kernel.name,
        "mpi": version(samples.library),
        "ranks": plan.ranks,
        "lab": plan.lab,
        "trigger": plan.trigger,
        "ratio": rounded(compute / message, 3) if kernel.needs_file else plan.ratio,
        "message_bytes": samples.message_bytes,
        "delta_bytes": plan.delta,
        "repetitions": len(samples.seconds["delta"]),
        "verified": samples.agree(),
        "median_s": {
            "plain": rounded(plain),
            "stretto": rounded(stretto),
            "stretto_undilated": rounded(undilated),
            "hand": rounded(hand),
            "ideal": rounded(ideal),
        },
        "disturbed": attempt.disturbed,
        "hidden": rounded((sum(loads) - stretto) / min(loads), 3),
        "speedup": rounded(plain / stretto),
        "hand_speedup": rounded(plain / hand),
        "of_hand": rounded(hand / stretto),
        "of_ideal": rounded(ideal / stretto),
        "details": {
            "formula": kernel.formula,
            "ideal_speedup": rounded(kernel.plain(plan.in_a_step(compute), message, plan.ranks) / ideal),
            "T_message_s": rounded(message),
            "T_compute_s": rounded(compute),
            "measured_ratio": rounded(compute / message, 3),
            "dilate": rounded(plan.dilate),
            "imbalance": plan.imbalance,
            "hand_chunk_bytes": int(best.split(":")[1]),
            "calls": samples.calls,
            "mechanisms": plan.mechanisms,
            "annotated_s": rounded(annotated),
            "of_annotated": annotated and rounded(annotated / stretto),
            "unmodified_s": rounded(unmodified),
            "unmodified_speedup": unmodified and rounded(plain / unmodified),
            "independent_s": rounded(independent),
            "independent_ideal_s": rounded(independent_ideal),
            "over_independent": independent and rounded(independent / stretto),
            "ideal_over_independent": independent_ideal and rounded(independent_ideal / ideal),
            "strategies": rounded_all(strategies(samples, kernel.steps * compute, ideal, attempt.swept))
            if plan.strategies
            else None,
            "costs_ns": costs and vars(costs),
            "others_cores": rounded(attempt.others, 3),
            "disturbed_by": attempt.disturbed_by,
            "attempts": attempts,
        },
    }


def rounded_all(made: dict) -> dict:
    """With the numbers in it rounded, whole ones as they are."""
    return {
        name: rounded_all(value) if isinstance(value, dict) else value if isinstance(value, int) else rounded(value)
        for name, value in made.items()
    }


def version(library: str) -> str:
    """`Open MPI v4.1.4`, `MPICH Version:      5.0.2` as one would write them."""
    return " ".join(library.replace(" v", " ").replace("Version:", "").split())
