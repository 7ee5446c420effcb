"""Many questions under way at one time, answers in order."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable


async def do_at_once[T, R](
    things: Iterable[T], do: Callable[[T], Awaitable[R]], *, at_once: int, on_done: Callable[[R], None] | None = None
) -> tuple[R, ...]:
    """Return what `do` makes of each thing, in their order, with at most `at_once` under way.

    `on_done` is called with each result as it lands, in any order. The first failure stops all others and is raised.

    >>> async def double(number: int) -> int:
    ...     return 2 * number
    >>> asyncio.run(do_at_once([1, 2, 3], double, at_once=2))
    (2, 4, 6)
    """
    waiting = enumerate(things)
    results: dict[int, R] = {}

    async def work() -> None:
        for position, thing in waiting:
            results[position] = await do(thing)
            if on_done is not None:
                on_done(results[position])

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(work())
    except* Exception as failures:
        # The first failure has stopped all others: it alone says what is wrong.
        raise _first(failures) from None
    return tuple(results[position] for position in sorted(results))


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]
