"""The reader of XML: what is measured, and what malformed, damaged and malicious files are told."""

import gzip
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.simulator.collections import read_xml
from prum.simulator.collections.xml import _measured
from prum.simulator.model import Elements, InputError
from tests.table_forms import refused, written
from tests.tiers import slow

etree = pytest.importorskip("lxml.etree")

PLAY = """<?xml version="1.0"?>
<!-- a comment -->
<PLAY>
  <TITLE>To be</TITLE>
  <ACT n="1"><TITLE>One</TITLE>
    <SCENE>ab<STAGEDIR> exit </STAGEDIR>cd</SCENE>
    <SCENE/>
  </ACT>
  end <ACT>&lt;&#233;<![CDATA[<x>]]></ACT>
</PLAY>
"""


def read(folder, content, name="d.xml"):
    return read_xml(written(folder, name, content))


def lengths(table):
    return dict(zip(table.ids, table.lengths.tolist(), strict=True))


# --- what is measured -------------------------------------------------------------------------


def test_ids_lengths_and_starts(tmp_path):
    table = read(tmp_path, PLAY, "play.xml")
    assert {row[0]: row[2:] for row in table} == {
        "play": (23, 0),
        "play/TITLE[1]": (4, 0),
        "play/ACT[1]": (11, 4),
        "play/ACT[1]/TITLE[1]": (3, 4),
        "play/ACT[1]/SCENE[1]": (8, 7),
        "play/ACT[1]/SCENE[1]/STAGEDIR[1]": (4, 9),
        "play/ACT[1]/SCENE[2]": (0, 15),
        "play/ACT[2]": (5, 18),
    }


def test_indentation_comments_and_instructions_do_not_count(tmp_path):
    bare = read(tmp_path, "<a><b>x y</b><c>z</c></a>")
    spaced = read(
        tmp_path,
        "<?p q?>\n<a>\n\t<b><!-- no --> x\r\n<?n?> y </b><!-- <d/> -->\n <c k='no'>\nz</c>\n</a>\n",
    )
    assert bare == spaced
    cut = read(tmp_path, "<a><b>x<!-- c --><?p q?>y</b><!-- <d/> --><c>z<?p q?></c><!-- c --></a>")
    assert bare == cut


def test_other_blanks_are_characters(tmp_path):
    assert lengths(read(tmp_path, "<a>\u00a0\u2003\u200b</a>")) == {"d": 3}
    assert lengths(read(tmp_path, "<a>\U0001f600é</a>")) == {"d": 2}  # code points


@pytest.mark.parametrize(
    ("name", "document"),
    [("a.xml", "a"), ("a.page", "a"), ("a.b.xml.gz", "a.b"), ("a", "a"), (".xml", ".xml")],
)
def test_documents_are_called_by_their_files(tmp_path, name, document):
    assert read(tmp_path, "<x/>", name) == Elements({document: (None, 0)})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(tmp_path, encoding):
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    content = f"<?xml version='1.0' encoding='{declared}'?><a>\n é<b>ü</b></a>".encode(encoding)
    assert lengths(read(tmp_path, content)) == {"d": 2, "d/b[1]": 1}
    assert lengths(read(tmp_path, gzip.compress(content), "d.gz")) == {"d": 2, "d/b[1]": 1}


def test_several_files_are_several_documents(tmp_path):
    paths = [written(tmp_path, f"{name}.xml", "<x>a<y>b</y></x>") for name in "ba"]
    table = read_xml(*paths)
    assert table.ids == ("a", "a/y[1]", "b", "b/y[1]")
    assert table.starts.tolist() == [0, 1, 0, 1]
    assert table == read_xml(*reversed(paths))


def memory(path):
    """Return the most memory, in bytes, that a process held which read `path`, and its result."""
    script = (
        "import sys; from prum.simulator import read_xml; table = read_xml(sys.argv[1]);"
        "status = open('/proc/self/status').read().split('VmHWM:')[1].split()[0];"
        "print(status, len(table), int(table.lengths[0]))"
    )
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    most, *result = map(int, done.stdout.split())
    return 1024 * most, result


@slow
def test_what_is_measured_is_forgotten(tmp_path):
    """Memory does not grow with the text: reading 60 MB takes less than half of that on top."""
    paragraph = b"<p>" + b"word " * 20_000 + b"</p>\n"
    little, _ = memory(written(tmp_path, "short.xml", b"<d>" + paragraph + b"</d>"))
    much, result = memory(written(tmp_path, "long.xml", b"<d>" + paragraph * 600 + b"</d>"))
    assert result == [601, 600 * 80_000]
    assert much - little < 30_000_000


names = st.sampled_from(["a", "b"])
texts = st.text(" \nxyé<&", max_size=5)


@st.composite
def nodes(draw, depth=3):
    node = etree.Element(draw(names))
    node.text = draw(texts)
    if depth:
        for child in draw(st.lists(nodes(depth=depth - 1), max_size=3)):
            child.tail = draw(texts)
            node.append(child)
    return node


@slow
@given(nodes())
def test_any_tree(tmp_path_factory, node):
    path = tmp_path_factory.mktemp("tree") / "d.xml"
    path.write_bytes(etree.tostring(node, encoding="utf-8"))
    rows = _measured(path, "d")
    in_order = list(node.iter())
    assert len(rows) == len(in_order)
    everything = "".join(node.itertext())
    assert rows[0][2] == len("".join(everything.split()))
    for (element, parent, length, start), found in zip(rows, in_order, strict=True):
        assert length == len("".join("".join(found.itertext()).split()))
        assert [found] == node.xpath("." + element.removeprefix("d"))
        assert (parent is None) == (found is node)
        assert start == len("".join("".join(_text_before(node, found)).split()))


def _text_before(node, wanted):
    """Return the text that stands before the tag of `wanted`, by a walk of its own."""
    text, found = [], False

    def walk(one):
        nonlocal found
        found = found or one is wanted
        if found:
            return
        text.append(one.text or "")
        for child in one:
            walk(child)
            if found:
                return
            text.append(child.tail or "")

    walk(node)
    return text


# --- what is refused --------------------------------------------------------------------------


def test_errors_go_from_process_to_process(tmp_path):
    """Dask sends an error with all that it came from, and errors of lxml cannot be sent."""
    with pytest.raises(InputError, match="well-formed") as caught:
        read_xml(written(tmp_path, "d.xml", "<a>"))
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_missing_file_and_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_xml(tmp_path / "d.xml")
    with pytest.raises(InputError, match="files is \\(\\), must be at least one"):
        read_xml()


def test_two_files_of_one_name(tmp_path):
    (tmp_path / "other").mkdir()
    first = written(tmp_path, "d.xml", "<a/>")
    second = written(tmp_path / "other", "d.page", "<a/>")
    message = refused(lambda path: read_xml(first, path), second, "given once", "d.xml")
    assert message.startswith(str(second))


def test_depth(tmp_path):
    def deep(levels):
        return "<a>" * levels + "</a>" * levels

    assert read(tmp_path, deep(250)).depths.max() == 249
    for levels in (300, 10_000, 300_000):
        refused(read_xml, written(tmp_path, "d.xml", deep(levels)), "line 1", "depth")


# --- entities ---------------------------------------------------------------------------------


def bomb(levels=12, width=10):
    entities = "".join(
        f'<!ENTITY e{level} "{f"&e{level - 1};" * width}">' for level in range(1, levels)
    )
    return f'<!DOCTYPE a [<!ENTITY e0 "lol">{entities}]>', f"&e{levels - 1};"


@pytest.mark.parametrize("place", ["<a>\n{}</a>", "<a>\n<b/>{}<b/></a>", "<a><b>{}</b></a>"])
def test_a_billion_laughs_are_not_laughed(tmp_path, place):
    head, reference = bomb()
    refused(read_xml, written(tmp_path, "d.xml", head + place.format(reference)), "entity")


def test_a_harmless_entity_is_refused_too(tmp_path):
    """Its text would be missing from the lengths."""
    head = '<!DOCTYPE a [<!ENTITY app "Files">]>'
    path = written(tmp_path, "d.xml", f"{head}\n<a>\n<b>&app;</b></a>")
    refused(read_xml, path, "line 3", "'&app;'", "xmllint")
    assert len(read(tmp_path, f"{head}<a>text</a>")) == 1  # declared, not used


@pytest.fixture
def visits():
    """Serve on this machine whatever is asked for; return the addresses asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'<!ENTITY remote "from afar">')

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_nothing_else_is_opened(tmp_path, visits):
    address, asked = visits
    secret = written(tmp_path, "secret.txt", "secret")
    for target in (address + "/x", secret.as_uri(), str(secret), "secret.txt"):
        external = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{target}">]><a>&x;</a>'
        refused(read_xml, written(tmp_path, "d.xml", external), "reference to an entity", "&x;")
        for inert in (
            f'<!DOCTYPE a SYSTEM "{target}"><a>ab</a>',
            f'<!DOCTYPE a [<!ENTITY % x SYSTEM "{target}"> %x;]><a>ab</a>',
            f'<a xmlns:x="http://www.w3.org/2001/XInclude">a<x:include href="{target}"/>b</a>',
            f'<?xml-stylesheet href="{target}"?><a>ab</a>',
        ):
            assert read(tmp_path, inert).lengths[0] == 2
        remote = f'<!DOCTYPE a SYSTEM "{target}"><a>&remote;</a>'
        refused(read_xml, written(tmp_path, "d.xml", remote), "&remote;")
    assert asked == []


def test_a_visit_would_be_seen(visits):
    """Negative control."""
    from urllib.request import urlopen

    address, asked = visits
    with urlopen(address + "/x") as answer:
        answer.read()
    assert asked == ["/x"]
