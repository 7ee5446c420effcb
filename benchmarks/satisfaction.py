"""How well an embedded model tells satisfied users from dissatisfied ones: a rubric beside zero-shot and signals.

    .venv/bin/python -m benchmarks.satisfaction [--part MWOZ] [--rubric builtin:booking] [--model local:…] [-o FOLDER]

Rows: dialogues of USS with a clear `OVERALL` label (mean of at least 3.34 against at most 2.67), balanced, drawn with
seed 0 in file order. Wording may be tuned on other rows only. Signals are out of fold on the same rows; intervals are
percentile bootstraps over dialogues, differences are paired. Every answer is kept in FOLDER: killed, it goes on.

A learned rubric must not have seen the rows. `--rest FILE` writes the others, labelled by `uss`::

    .venv/bin/python -m benchmarks.satisfaction --rest rest.jsonl
    userside learn rest.jsonl --train 0.05 --model local:qwen2.5-coder-1.5b -o rubric
    .venv/bin/python -m benchmarks.satisfaction --rubric rubric --model local:qwen2.5-coder-1.5b -o FOLDER
"""

import argparse
import asyncio
import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import numpy as np

from userside.conversations import Conversation, read_conversations, write_jsonl
from userside.llm import Model, Run, RunPlan, StoredModel, Unscored, open_model, read_model_name, read_prompts
from userside.rubrics import Judging, Rubric, ScoringPlan, extract_signals, open_rubric, out_of_fold_signals
from userside.rubrics.judging import Exhibit
from userside.rubrics.scoring import fit, score_conversation
from userside.rubrics.zero_shot import ask_zero_shot
from userside.statistics import auc, auc_statistic, bootstrap, draw_resamples, paired_bootstrap

SATISFIED_FROM, DISSATISFIED_TO = 3.34, 2.67
EACH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One dialogue's figures."""

    id: str
    satisfied: bool
    R: float
    zero_shot: float


def overall(conversation: Conversation) -> float | None:
    """Return the mean `OVERALL` rating, None where nobody gave one."""
    ratings = [one.rating for one in conversation.feedback if one.turn is None and one.rating is not None]
    return mean(ratings) if ratings else None


def draw_rows(conversations: tuple[Conversation, ...], *, each: int = EACH) -> list[tuple[Conversation, bool]]:
    """Return the held-out rows: `each` satisfied and as many dissatisfied, drawn with seed 0."""
    clear = [(one, overall(one)) for one in conversations]
    satisfied = [one for one, value in clear if value is not None and value >= SATISFIED_FROM]
    dissatisfied = [one for one, value in clear if value is not None and value <= DISSATISFIED_TO]
    chance = random.Random(0)
    drawn = [(one, True) for one in chance.sample(satisfied, each)]
    drawn += [(one, False) for one in chance.sample(dissatisfied, each)]
    # Alternating, so that a run stopped halfway is balanced too.
    return [drawn[place] for number in range(each) for place in (number, each + number)]


async def judge_rows(rows: list[tuple[Conversation, bool]], model: Model, rubric: Rubric) -> list[Row]:
    """Return each row's R and zero-shot probability, one conversation after the other."""
    judging = Judging(prompts=read_prompts("userside.rubrics"))
    plan = ScoringPlan(rubric=rubric, judging=judging, at_once=1)
    judged: list[Row] = []
    for number, (conversation, satisfied) in enumerate(rows, start=1):
        started, used = time.monotonic(), time.process_time()
        score = await score_conversation(conversation, model, plan=plan)
        exhibit = Exhibit(conversation=conversation, text=fit(conversation, model, until=None).text)
        zero_shot = await ask_zero_shot(exhibit, model, judging=judging)
        assert score.R is not None, score.reasons
        assert not isinstance(zero_shot, Unscored), zero_shot
        judged.append(Row(id=conversation.id, satisfied=satisfied, R=score.R, zero_shot=zero_shot))
        wall, cpu = time.monotonic() - started, time.process_time() - used
        print(f"{number}/{len(rows)} {conversation.id} {wall:.1f} s, {cpu:.1f} CPU s", flush=True)
        if cpu > 1:  # else it came from the store
            note_time(model.identity, wall=wall, cpu=cpu)
    return judged


def note_time(model: str, *, wall: float, cpu: float) -> None:
    """Keep how long one dialogue took, over resumptions."""
    with Path(TIMES).open("a") as file:
        file.write(json.dumps({"model": model, "wall": wall, "cpu": cpu}) + "\n")


TIMES = os.environ.get("USERSIDE_BENCHMARK_TIMES", os.devnull)


async def run_model(name: str, rubric: Rubric, rows: list[tuple[Conversation, bool]], folder: Path) -> list[Row]:
    """Return the rows as one model judges them; every answer is kept."""
    choice = read_model_name(name)
    plan = RunPlan(command="benchmark satisfaction", models={"judge": name}, settings={"rubric": rubric.name})
    async with open_model(choice) as bare:
        with Run.open(folder / name.replace(":", "-"), plan) as run:
            return await judge_rows(rows, StoredModel(inner=bare, store=run.store), rubric)


def report(judged: list[Row], signals: dict[str, float]) -> dict[str, str]:
    """Return AUCs with intervals, and the paired differences."""
    truth = [row.satisfied for row in judged]
    resamples = draw_resamples([row.id for row in judged], generator=np.random.default_rng(0))
    columns = {
        "R": [row.R for row in judged],
        "zero-shot": [row.zero_shot for row in judged],
        "signals": [signals[row.id] for row in judged],
    }
    figures: dict[str, str] = {"n": str(len(judged))}
    statistics = {name: auc_statistic(values, positive=truth) for name, values in columns.items()}
    for name, statistic in statistics.items():
        interval = bootstrap(statistic, resamples=resamples).interval
        assert interval is not None
        figures[f"AUC {name}"] = f"{auc(columns[name], positive=truth):.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    for name in ("zero-shot", "signals"):
        paired = paired_bootstrap(statistics["R"], minus=statistics[name], resamples=resamples)
        assert paired.interval is not None
        figures[f"R − {name}"] = f"{paired.estimate:+.3f} [{paired.interval.low:+.3f}, {paired.interval.high:+.3f}]"
    figures["R above 0"] = f"{sum(row.R > 0 for row in judged)} of {len(judged)}"
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="MWOZ")
    parser.add_argument("--rubric", default="builtin:booking")
    parser.add_argument("--model", action="append")
    parser.add_argument("-o", "--out", type=Path, default=Path("benchmark-satisfaction"))
    parser.add_argument("--rest", type=Path, help="write the other dialogues here, to learn from, and stop")
    flags = parser.parse_args()
    data = Path(os.environ.get("USERSIDE_USS", "../shared/data/uss")) / f"{flags.part}.txt"
    rows = draw_rows(read_conversations(data, labels="none").conversations())
    held_out = {one.id for one, _ in rows}
    if flags.rest:
        labelled = read_conversations(data, labels="uss").conversations()
        print(write_jsonl((one for one in labelled if one.id not in held_out), flags.rest), flags.rest)
        return
    rubric = open_rubric(flags.rubric)
    if seen := held_out & set(rubric.training_ids):
        raise SystemExit(f"{flags.rubric}: was learned from {len(seen)} of the {len(rows)} rows; see --rest")
    for name in flags.model or ["local:qwen2.5-coder-1.5b", "local:qwen2.5-coder-0.5b"]:
        judged = asyncio.run(run_model(name, rubric, rows, flags.out / flags.part / rubric.name))
        truth = {conversation.id: satisfied for conversation, satisfied in rows}
        signals = out_of_fold_signals({one.id: extract_signals(one) for one, _ in rows}, satisfied=truth)
        print(name, json.dumps(report(judged, signals), ensure_ascii=False, indent=1))
    if Path(TIMES).is_file():
        times = [json.loads(line) for line in Path(TIMES).read_text().splitlines()]
        for name in sorted({one["model"] for one in times}):
            mine = [one for one in times if one["model"] == name]
            cpu = median(one["cpu"] for one in mine)
            print(f"{name}: median {cpu:.1f} CPU s a dialogue, n = {len(mine)}")


if __name__ == "__main__":
    main()
