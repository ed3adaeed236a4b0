"""The reader of tables of elements: what is its own, beside what all doors do (`test_doors`)."""

import pytest

from prum.simulator.collections import read_elements
from prum.simulator.model import Elements
from tests.table_forms import refused, written

HEADER = "element,parent,length,start\n"


def test_columns_come_in_any_order_and_start_at_will(tmp_path):
    path = written(tmp_path, "a.csv", "length,parent,element\n60,,p\n\n40,p,a\r\n20,p,b\n")
    assert read_elements(path) == Elements({"p": (None, 60), "a": ("p", 40), "b": ("p", 20, 40)})
    path = written(tmp_path, "b.csv", HEADER + "p,,60,\na,p,10,50\nb,p,0,\n")
    assert read_elements(path) == Elements(
        {"p": (None, 60, 0), "a": ("p", 10, 50), "b": ("p", 0, 60)}
    )
    path = written(
        tmp_path,
        "c.jsonl",
        '{"element": "p", "parent": null, "length": 2}\n\n'
        '{"length": 1e0, "start": null, "parent": "p", "element": "a"}\n',
    )
    assert read_elements(path) == Elements({"p": (None, 2), "a": ("p", 1)})


@pytest.mark.parametrize("number", ["-1", "-1e-9"])
def test_numbers_are_not_negative_and_finite(tmp_path, number):
    path = written(tmp_path, "a.csv", f"{HEADER}a,,{number},0\n")
    refused(read_elements, path, "line 2", "length of 'a'", "finite number of at least 0")
    path = written(tmp_path, "b.csv", f"{HEADER}a,,1,{number}\n")
    refused(read_elements, path, "line 2", "start of 'a'", "finite number of at least 0")


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        (",,1,0\n", ("line 2", "not empty")),
        ("a,b,1,0\n", ("line 2", "parent of 'a'", "element of the table")),
        ("r,,9,0\n\na,b,1,0\nb,a,1,0\n", ("line 4", "own child")),
        ("b,a,2,9\na,,10,0\n", ("line 2", "end of 'b' is 11.0", "end 10.0 of its parent 'a'")),
        ("b,a,2,0\na,,10,1\n", ("line 2", "start of 'b' is 0.0")),
    ],
)
def test_rules_of_elements_name_file_and_line(tmp_path, rows, parts):
    refused(read_elements, written(tmp_path, "a.csv", HEADER + rows), *parts)
