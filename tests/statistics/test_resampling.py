"""The bootstrap: reproducible, by cluster, honest about what is undefined, and about right."""

from time import perf_counter

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.statistics.tables import THREE, TWO
from userside.errors import StatisticsError
from userside.statistics import (
    IntervalMethod,
    NoInterval,
    Statistic,
    auc,
    auc_statistic,
    bootstrap,
    bootstrap_each,
    cohen_kappa,
    compare_labels,
    confusion_sample,
    draw_resamples,
    macro_f1,
    paired_bootstrap,
    statistic_of_confusion,
)


def mean_of(values: NDArray[np.float64]) -> Statistic:
    return Statistic(n=len(values), at=lambda rows: float(values[rows].mean()))


def chance(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_resample_takes_clusters_whole() -> None:
    clusters = ["a", "b", "a", "c", "b", "a"]
    resamples = draw_resamples(clusters, generator=chance(1), replicates=50)
    assert (resamples.n, resamples.replicates, len(list(resamples))) == (6, 50, 50)
    sizes: set[int] = set()
    for rows in resamples:
        sizes.add(len(rows))
        times = np.bincount(rows, minlength=6)
        assert times[0] == times[2] == times[5]
        assert times[1] == times[4]
        assert times[0] + times[1] + times[3] == 3
    assert len(sizes) > 1


def test_clusters_of_one_row_are_the_plain_bootstrap() -> None:
    drawn = [rows.tolist() for rows in draw_resamples(range(5), generator=chance(2), replicates=20)]
    assert {len(rows) for rows in drawn} == {5}
    assert {row for rows in drawn for row in rows} == set(range(5))


def test_every_pass_over_resamples_gives_the_same_and_every_draw_others() -> None:
    generator = chance(2)
    resamples, others = (draw_resamples(["a", "b", "b", "c"], generator=generator, replicates=20) for _ in range(2))
    first, second, third = ([rows.tolist() for rows in passed] for passed in (resamples, resamples, others))
    assert first == second
    assert first != third


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = chance(0).normal(size=200)
    first, again, other = (
        bootstrap(
            mean_of(values),
            resamples=draw_resamples(range(200), generator=chance(seed), replicates=300),
        )
        for seed in (7, 7, 8)
    )
    assert first == again
    assert first.interval != other.interval
    assert first.estimate == other.estimate == pytest.approx(values.mean())


def test_the_interval_is_made_of_the_quantiles_of_the_replicates() -> None:
    values = chance(3).normal(size=40)
    resamples = draw_resamples(range(40), generator=chance(4), replicates=500)
    result = bootstrap(mean_of(values), resamples=resamples, level=0.9)
    expected = np.quantile([values[rows].mean() for rows in resamples], [0.05, 0.95])
    assert result.interval is not None
    assert [result.interval.low, result.interval.high] == pytest.approx(expected.tolist())
    assert result.interval.method == IntervalMethod.PERCENTILE_BOOTSTRAP
    assert (result.interval.level, result.clusters, result.replicates) == (0.9, 40, 500)


def test_a_cluster_with_half_of_the_rows_widens_the_interval() -> None:
    values = np.concatenate([np.ones(100), chance(5).integers(0, 2, size=100).astype(float)])
    dialogues = ["long"] * 100 + [f"short {row // 5}" for row in range(100)]
    by_row, by_dialogue = (
        bootstrap(
            mean_of(values),
            resamples=draw_resamples(clusters, generator=chance(6), replicates=1000),
        ).interval
        for clusters in (range(200), dialogues)
    )
    assert by_row is not None
    assert by_dialogue is not None
    assert by_dialogue.width > 1.5 * by_row.width


@pytest.mark.parametrize("rows_a_cluster", [1, 4])
def test_coverage_is_about_the_level(rows_a_cluster: int) -> None:
    """200 samples of 60 clusters: a standard error of 1.5 points; percentile runs a little low."""
    generator = chance(11)
    clusters = np.repeat(np.arange(60), rows_a_cluster).tolist()
    covered = 0
    for _ in range(200):
        level_of_cluster = np.repeat(generator.normal(size=60), rows_a_cluster)
        values = level_of_cluster + 0.3 * generator.normal(size=len(clusters))
        resamples = draw_resamples(clusters, generator=generator, replicates=200)
        interval = bootstrap(mean_of(values), resamples=resamples).interval
        assert interval is not None
        covered += interval.low <= 0 <= interval.high
    assert 0.89 <= covered / 200 <= 0.985


def test_ignoring_the_clusters_would_not_cover() -> None:
    """The check above could fail: with rows as their own clusters it does."""
    generator = chance(12)
    covered = 0
    for _ in range(200):
        values = np.repeat(generator.normal(size=60), 4) + 0.3 * generator.normal(size=240)
        resamples = draw_resamples(range(240), generator=generator, replicates=200)
        interval = bootstrap(mean_of(values), resamples=resamples).interval
        assert interval is not None
        covered += interval.low <= 0 <= interval.high
    assert covered / 200 < 0.85


def test_a_pair_on_shared_resamples_is_narrower_than_its_parts() -> None:
    generator = chance(13)
    positive = generator.random(200) < 0.5
    good = positive + generator.normal(size=200)
    better = good + 0.3 * positive
    resamples = draw_resamples(range(200), generator=generator, replicates=500)
    one, other = (auc_statistic(scores, positive=positive) for scores in (better, good))
    difference = paired_bootstrap(one, minus=other, resamples=resamples)
    assert one.estimate is not None
    assert other.estimate is not None
    assert difference.estimate == one.estimate - other.estimate
    alone = [bootstrap(statistic, resamples=resamples).interval for statistic in (one, other)]
    assert difference.interval is not None
    assert all(interval and difference.interval.width < interval.width / 2 for interval in alone)
    assert difference.interval.low > 0


def test_a_statistic_minus_itself_is_exactly_zero() -> None:
    statistic = mean_of(chance(14).normal(size=30))
    resamples = draw_resamples(range(30), generator=chance(15), replicates=50)
    interval = paired_bootstrap(statistic, minus=statistic, resamples=resamples).interval
    assert interval is not None
    assert (interval.low, interval.high) == (0, 0)


def undefined_on(replicates: set[int], *, n: int) -> Statistic:
    """A mean that has no value on certain calls; the first call is the estimate."""
    calls = iter(range(-1, 10**6))
    return Statistic(n=n, at=lambda rows: None if next(calls) in replicates else float(rows.mean()))


@pytest.mark.parametrize(("undefined", "reason"), [(2, None), (3, NoInterval.TOO_OFTEN_UNDEFINED)])
def test_undefined_replicates_are_counted_and_too_many_forbid_an_interval(
    undefined: int, reason: NoInterval | None
) -> None:
    resamples = draw_resamples(range(20), generator=chance(16), replicates=100)
    result = bootstrap(undefined_on(set(range(undefined)), n=20), resamples=resamples)
    assert (result.undefined, result.no_interval) == (undefined, reason)
    assert (result.interval is None) == (reason is not None)
    assert result.estimate is not None


def test_a_difference_is_undefined_where_either_part_is() -> None:
    resamples = draw_resamples(range(20), generator=chance(17), replicates=1000)
    first, second = undefined_on({3, 4}, n=20), undefined_on({4, 5}, n=20)
    # Each part counts its own calls, so both see the same replicate number.
    assert paired_bootstrap(first, minus=second, resamples=resamples).undefined == 3


def test_no_estimate_no_interval() -> None:
    resamples = draw_resamples(range(3), generator=chance(18), replicates=10)
    result = bootstrap(auc_statistic([1, 2, 3], positive=[1, 1, 1]), resamples=resamples)
    assert (result.estimate, result.interval) == (None, None)
    assert (result.no_interval, result.undefined) == (NoInterval.UNDEFINED_ESTIMATE, 10)


def test_one_cluster_gives_no_interval() -> None:
    resamples = draw_resamples(["only"] * 9, generator=chance(19), replicates=10)
    result = bootstrap(mean_of(np.arange(9.0)), resamples=resamples)
    assert (result.estimate, result.interval) == (4.0, None)
    assert result.no_interval == NoInterval.TOO_FEW_CLUSTERS


def test_a_rare_class_is_seen_to_vanish() -> None:
    """About a third of the resamples miss the one neutral row: they must not measure two classes."""
    truth = ["neutral"] + ["satisfied", "dissatisfied"] * 10
    resamples = draw_resamples(range(21), generator=chance(20), replicates=400)
    statistic = statistic_of_confusion(macro_f1, first=truth, second=truth, labels=THREE)
    result = bootstrap(statistic, resamples=resamples)
    assert result.estimate == 1
    assert 100 < result.undefined < 200
    assert result.no_interval == NoInterval.TOO_OFTEN_UNDEFINED


def test_a_class_that_nobody_uses_does_not_spoil_the_resamples() -> None:
    truth = ["satisfied", "dissatisfied"] * 10
    resamples = draw_resamples(range(20), generator=chance(21), replicates=100)
    statistic = statistic_of_confusion(macro_f1, first=truth, second=truth, labels=THREE)
    result = bootstrap(statistic, resamples=resamples)
    row = compare_labels(truth, predicted=truth, labels=THREE)
    assert row.macro is not None
    assert result.estimate == row.macro.f1
    assert result.undefined == 0


def test_a_statistic_of_no_rows_has_no_value() -> None:
    assert statistic_of_confusion(macro_f1, first=[], second=[], labels=THREE).estimate is None
    assert auc_statistic([], positive=[]).estimate is None


def test_nan_is_not_taken_for_a_value() -> None:
    resamples = draw_resamples(range(3), generator=chance(0), replicates=10)
    with pytest.raises(StatisticsError, match="must be None where it is undefined, not nan"):
        bootstrap(mean_of(np.array([1.0, 2.0, np.nan])), resamples=resamples)


def test_the_shipped_statistics_are_the_plain_ones_on_the_drawn_rows() -> None:
    generator = chance(22)
    truth = generator.choice(TWO, size=50)
    predicted = generator.choice(TWO, size=50)
    scores = generator.integers(0, 9, size=50)
    kappa = statistic_of_confusion(cohen_kappa, first=truth, second=predicted, labels=TWO)
    area = auc_statistic(scores, positive=truth == TWO[0])
    for rows in draw_resamples(range(50), generator=generator, replicates=20):
        plain = compare_labels(truth[rows], predicted=predicted[rows], labels=TWO)
        assert kappa.at(rows) == plain.kappa
        assert area.at(rows) == auc(scores[rows], positive=truth[rows] == TWO[0])


def test_a_thousand_dialogues_a_thousand_times_take_no_time() -> None:
    generator = chance(23)
    truth, predicted = generator.choice(THREE, size=(2, 1000))
    resamples = draw_resamples(range(1000), generator=generator, replicates=1000)
    start = perf_counter()
    bootstrap(auc_statistic(generator.normal(size=1000), positive=truth == TWO[0]), resamples=resamples)
    bootstrap(
        statistic_of_confusion(macro_f1, first=truth, second=predicted, labels=THREE),
        resamples=resamples,
    )
    assert perf_counter() - start < 5


def test_measures_of_one_table_are_each_as_by_themselves() -> None:
    generator = chance(12)
    truth, predicted = (generator.choice(THREE, size=60).tolist() for _ in range(2))
    resamples = draw_resamples(generator.integers(20, size=60).tolist(), generator=generator, replicates=100)
    measures = {"kappa": cohen_kappa, "macro": macro_f1}
    tables = confusion_sample(truth, second=predicted, labels=THREE)
    together = bootstrap_each(measures, of=tables, resamples=resamples)
    assert together == {
        name: bootstrap(
            statistic_of_confusion(measure, first=truth, second=predicted, labels=THREE), resamples=resamples
        )
        for name, measure in measures.items()
    }


@pytest.mark.parametrize(
    ("clusters", "replicates", "message"),
    [
        ([], 10, "clusters: must be a list with at least one row, not []"),
        ("abc", 10, "clusters: must be a list with at least one row, not 'abc'"),
        ([1, 2], 0, "replicates: must be 1 or more, not 0"),
        (["a", None], 10, "clusters: row 1 must name its cluster, not None"),
        (["a", float("nan")], 10, "clusters: row 1 must name its cluster, not nan"),
    ],
)
def test_what_cannot_be_resampled_is_refused(clusters: list[str], replicates: int, message: str) -> None:
    with pytest.raises(StatisticsError) as caught:
        draw_resamples(clusters, generator=chance(0), replicates=replicates)
    assert str(caught.value) == message


def test_a_statistic_of_other_rows_is_refused() -> None:
    resamples = draw_resamples(range(4), generator=chance(0), replicates=10)
    four, five = mean_of(np.arange(4.0)), mean_of(np.arange(5.0))
    with pytest.raises(StatisticsError, match="must have 4 rows as the resamples have, not 5"):
        bootstrap(five, resamples=resamples)
    with pytest.raises(StatisticsError, match="must have 4 rows as the first statistic has, not 5"):
        paired_bootstrap(four, minus=five, resamples=resamples)
    with pytest.raises(StatisticsError, match="level: must be between 0 and 1, not 1"):
        bootstrap(four, resamples=resamples, level=1)
