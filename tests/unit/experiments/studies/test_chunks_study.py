"""The study of chunkers: cutting, retrieving, and what comes out on a text made for it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.studies.chunks.study import ChunksDesign, Index, best, chunks_of
from prum.experiments.studies.kit.registry import study
from prum.simulator.model import InputError

WORDS = ["north", "east", "south", "west", "alder", "birch", "cedar", "maple"]
LINES = [
    f"{tree} stands {side} of the house number {n}. "
    for n in range(12)
    for tree, side in zip(WORDS[4:], WORDS, strict=False)
]
TEXT = "".join(LINES)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("chunks")
    (folder / "texts").mkdir()
    (folder / "texts" / "houses.txt").write_text(TEXT)
    rows = ["question,doc,start,end"]
    for n in range(12):
        start = TEXT.index(f"{WORDS[4 + n % 4]} stands {WORDS[n % 4]} of the house number {n}.")
        rows.append(
            f"what stands {WORDS[n % 4]} of house number {n},houses.txt,{start},{start + 30}"
        )
    (folder / "gold.csv").write_text("\n".join(rows))
    return {"texts": str(folder / "texts"), "spans": str(folder / "gold.csv")}


def test_chunks_begin_every_step_and_end_with_the_text() -> None:
    for size, step in ((400, 400), (400, 100), (7, 3)):
        table = chunks_of({"houses": TEXT, "short": "one"}, size, step)
        rows = [row[2:] for row in table if row[1] == "houses"]
        assert [start for start, _ in rows] == list(
            range(0, max(1, len(TEXT) - (size - step)), step)
        )
        assert {end - start for start, end in rows[:-1]} <= {size}
        assert rows[-1][1] == len(TEXT)
        assert [row[2:] for row in table if row[1] == "short"] == [(0, 3)]
    assert chunks_of({"a": "three words here"}, 99, 99).amounts["tokens"].tolist() == [4]


def test_bm25_and_the_cosine_are_what_their_formulas_say() -> None:
    texts = ["the cat sat", "the dog and the dog", "cats"]
    index = Index(texts)
    idf = np.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    norm = 1.2 * (1 - 0.75 + 0.75 * 5 / 3)
    assert index.bm25("Dog, dog?") == pytest.approx([0, idf * 2 * 2.2 / (2 + norm), 0])
    inverse = {n: np.log(4 / (1 + n)) + 1 for n in (1, 2)}
    length = np.sqrt((2 * inverse[2]) ** 2 + (2 * inverse[1]) ** 2 + inverse[1] ** 2)
    assert index.tfidf("dog") == pytest.approx([0, 2 * inverse[1] / length, 0])
    assert index.tfidf("unheard").tolist() == [0, 0, 0]
    assert best(index.bm25("the")).tolist() == [1, 0, 2]


def test_rows_and_orders(files: dict[str, str]) -> None:
    result = study("chunks", **files, chunkers=["90/90", "90/45"], depth=5, budget=40)
    assert len(result.rows) == 2 * 2 * 3
    for row in result.rows:
        for name in ("precision", "noisy_or", "coverage", "budgeted", "efficiency"):
            assert 0 <= getattr(row, name) <= 1
        assert row.error == pytest.approx(row.noisy_or - row.precision)
        assert row.precision_low <= row.precision <= row.precision_high
    by_unit = {(row.retriever, row.chunker, row.unit): row.read for row in result.rows}
    for retriever in ("BM25", "TF-IDF"):
        for chunker in ("90/90", "90/45"):
            chunks, characters = (by_unit[retriever, chunker, x] for x in ("chunks", "characters"))
            assert characters == pytest.approx(90 * chunks, rel=0.02)
    for order in result.found.orders:
        assert sorted(order.chunkers) == ["90/45", "90/90"]
        assert all(a <= b for a, b in zip(order.first, order.last, strict=True))
    assert result.found.num_spans == 12
    view = result.view()
    assert "Noisy-or is off by" in view.headline
    assert all(len(row) == len(table.columns) for table in view.tables for row in table.rows)
    assert "<svg" in result.to_html()


def test_no_error_that_is_not_0_reads_as_0(files: dict[str, str]) -> None:
    result = study("chunks", **files, chunkers=["90/90", "90/45"], depth=5, budget=40)
    for least, most, told in (
        (4e-5, 0.031, "Noisy-or is off by .00004 to .03."),
        (0.0, 0.031, "Noisy-or is off by up to .03."),
        (0.0, 0.0, "Noisy-or is exact."),
    ):
        errors = {"90/90": least, "90/45": -most}
        rows = tuple(replace(row, error=errors[row.chunker]) for row in result.rows)
        assert replace(result, rows=rows).view().headline.endswith(told)


def test_a_single_chunker_and_bad_options(files: dict[str, str], tmp_path: Path) -> None:
    result = study("chunks", **files, chunkers=["120/60"], depth=3)
    assert {(order.first, order.last) for order in result.found.orders} == {((1,), (1,))}
    for wrong in ("400", "0/0", "400/500", "4e2/100"):
        with pytest.raises(InputError, match=f"chunker is '{wrong}', must be a size and a step"):
            ChunksDesign(**files, chunkers=[wrong]).sizes()
    path = tmp_path / "gold.csv"
    path.write_text("query_id,doc,start,end\nq1,houses.txt,3,9\n")
    with pytest.raises(InputError, match="words of question 'q1' must be given"):
        study("chunks", texts=files["texts"], spans=str(path))
