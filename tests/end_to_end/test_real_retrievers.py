"""The objects of LangChain, LlamaIndex and Haystack as these make them, split and retrieved."""

from importlib.util import find_spec
from typing import Any

import pytest

import prum
from prum.experiments.spans.shapes import systems_of
from prum.experiments.spans.tables import Where, retrieved_of
from prum.simulator.collections.placing import Texts
from prum.simulator.model import InputError
from tests.tiers import slow

# What they warn of is theirs.
pytestmark = [slow, pytest.mark.filterwarnings("default")]

TEXT = "The cat sat on the mat. The dog lay on the rug. The cow stood in the barn. Nobody ran."
TEXTS = Texts({"animals": TEXT, "people": "Ann came by train. Bob came by car."})
QUESTION = "Where did the dog lay?"
GOLD = {QUESTION: ["lay on the rug", "came by train"]}


@pytest.fixture(autouse=True)
def _no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    monkeypatch.setenv("LANGSMITH_TRACING", "false")


def needs(package: str) -> pytest.MarkDecorator:
    reason = f"{package} is not installed: pip install 'prum[retrievers]'"
    return pytest.mark.skipif(find_spec(package) is None, reason=reason)


def langchain_chunks(**more: Any) -> list[Any]:
    from langchain_core.documents import Document
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=12, **more)
    return splitter.split_documents(
        [Document(page_content=text, metadata={"source": name}) for name, text in TEXTS.items()]
    )


def agrees_with_the_texts(
    retrieved: Any, num_chunks: int, coverage: float = 1.0, **more: Any
) -> None:
    """Require that each chunk stands where its text does, and shows as much of the answers."""
    measures = "Coverage, Success, CharPrecision, Efficiency, ExactPRUM"
    result = prum.spans.evaluate(retrieved, GOLD, measures=measures, k=99, documents=TEXTS, **more)
    frame = result.to_frame().set_index("measure")["score"]
    assert frame["Coverage@99"] == coverage
    assert frame["Success@99"] == 1
    assert frame.between(0, 1).all()
    ((system, items),) = systems_of(retrieved).items()
    plain = retrieved_of(system, items, Where(), **more)
    checked = retrieved_of(system, items, Where(TEXTS), **more)
    assert plain.chunks == checked.chunks
    assert len(plain.chunks) == num_chunks
    assert not plain.repeated


@needs("langchain_text_splitters")
def test_langchain() -> None:
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    chunks = langchain_chunks(add_start_index=True)
    store = InMemoryVectorStore.from_documents(chunks, DeterministicFakeEmbedding(size=8))
    retriever = store.as_retriever(search_kwargs={"k": 9})
    agrees_with_the_texts({QUESTION: retriever.invoke(QUESTION)}, len(chunks), chunks=chunks)
    scored = store.similarity_search_with_score(QUESTION, k=9)
    agrees_with_the_texts({QUESTION: scored}, len(chunks))
    bare = {QUESTION: langchain_chunks()}
    with pytest.raises(InputError, match=r"start of document 1 .* add_start_index=True"):
        agrees_with_the_texts(bare, len(chunks))
    looked_up = retrieved_of("run", bare, Where(TEXTS))
    assert looked_up.chunks == retrieved_of("run", {QUESTION: chunks}, Where()).chunks


@needs("llama_index")
def test_llamaindex() -> None:
    from llama_index.core import Document, MockEmbedding, VectorStoreIndex
    from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter
    from llama_index.core.schema import TextNode

    documents = [
        Document(text=text, id_=name, metadata={"file_name": f"{name}.txt"})
        for name, text in TEXTS.items()
    ]
    parser = SentenceSplitter(chunk_size=24, chunk_overlap=6, include_metadata=False)
    nodes = parser.get_nodes_from_documents(documents)
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))
    answer = index.as_retriever(similarity_top_k=9).retrieve(QUESTION)
    agrees_with_the_texts({QUESTION: answer}, len(nodes), chunks=nodes)
    named = SentenceSplitter(chunk_size=24, chunk_overlap=6).get_nodes_from_documents(documents)
    by_file = retrieved_of("run", {"q": named}, Where(), document_key="file_name")
    assert by_file.chunks.documents == ("animals.txt", "people.txt")
    tree = HierarchicalNodeParser.from_defaults(
        chunk_sizes=[32, 16], chunk_overlap=2, include_metadata=False
    ).get_nodes_from_documents(documents)
    above = retrieved_of("run", {QUESTION: tree}, Where(TEXTS)).chunks.parents
    assert (above >= 0).any()
    with pytest.raises(InputError, match=r"document of document 1 .* must be"):
        retrieved_of(
            "run", {"q": [TextNode(text="cat", start_char_idx=4, end_char_idx=7)]}, Where()
        )


@needs("haystack")
def test_haystack() -> None:
    from haystack import Document
    from haystack.components.preprocessors import DocumentSplitter, HierarchicalDocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    documents = [Document(id=name, content=text) for name, text in TEXTS.items()]
    splitter = DocumentSplitter(split_by="word", split_length=6, split_overlap=2)
    splitter.warm_up()
    chunks = splitter.run(documents)["documents"]
    store = InMemoryDocumentStore()
    store.write_documents(chunks)
    # Nothing of where Ann came from shares a word with the question; old versions rank it last.
    answer = InMemoryBM25Retriever(store, top_k=4).run(query=QUESTION)
    agrees_with_the_texts({QUESTION: answer}, 4, coverage=0.5)
    agrees_with_the_texts({QUESTION: chunks}, len(chunks), chunks=chunks)

    blocks = HierarchicalDocumentSplitter(block_sizes={8, 4}, split_overlap=0, split_by="word")
    tree = blocks.run(documents)["documents"]
    leaves = [block for block in tree if not block.meta["__children_ids"]]
    assert any(block.meta["__level"] == 2 for block in leaves)
    looked_up = retrieved_of("run", {QUESTION: leaves}, Where(TEXTS))
    assert len(looked_up.chunks) == len(leaves)
    with pytest.raises(InputError, match="or pass documents=, in which the text is looked up"):
        retrieved_of("run", {QUESTION: leaves}, Where())
