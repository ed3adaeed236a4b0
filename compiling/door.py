"""What Python calls, made from a header: wrappers that check arrays and let go of the lock.

A header declares functions, structures and constants in plain C:

    enum { HALF_BITS = 31 };
    typedef struct {
        int64_t n;
        const double *fades OF(n);
        double rho;
    } Entries;
    double total(Memory *memory, int64_t t, const double p[t], double out[t + 1], double scale);

Python calls ``total(p, out, scale)``: a whole number that is the length of an array is taken from
the first array that has it, and every array is checked for its type, its order in memory (rows
without gaps) and its shape. A structure is any object with attributes of these names. An array that
is not `const` is written to. `Memory` is given by the wrapper, see `door.h`.
"""

import re
from dataclasses import dataclass, field

# Types of C: letter of its kind, as NumPy's, and number of bytes.
_ELEMENTS = {
    "double": ("f", 8),
    "float": ("f", 4),
    "bool": ("?", 1),
    "int8_t": ("i", 1),
    "int16_t": ("i", 2),
    "int32_t": ("i", 4),
    "int64_t": ("i", 8),
    "uint8_t": ("u", 1),
    "uint16_t": ("u", 2),
    "uint32_t": ("u", 4),
    "uint64_t": ("u", 8),
}
_SCALARS = {
    "double": "door_double",
    "int64_t": "door_int",
    "uint64_t": "door_word",
    "bool": "door_truth",
}
_RESULTS = {
    "void": "(Py_INCREF(Py_None), Py_None)",
    "double": "PyFloat_FromDouble(result)",
    "int64_t": "PyLong_FromLongLong(result)",
    "uint64_t": "PyLong_FromUnsignedLongLong(result)",
    "bool": "PyBool_FromLong(result)",
}


@dataclass(frozen=True)
class Value:
    """A parameter of a function, or a member of a structure; `shape` makes it an array."""

    kind: str
    name: str
    shape: tuple[str, ...] = ()
    is_const: bool = False
    may_be_empty: bool = False


@dataclass(frozen=True)
class Function:
    """A function that Python may call."""

    result: str
    name: str
    values: tuple[Value, ...]
    needs_memory: bool


@dataclass
class Header:
    """What a header declares."""

    functions: list[Function] = field(default_factory=list)
    structures: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    constants: list[str] = field(default_factory=list)


def parsed(text: str) -> Header:
    """Return what the text of a header declares; ValueError for what is not understood."""
    header = Header()
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", " ", text, flags=re.DOTALL | re.MULTILINE)
    pattern = r"typedef struct \w*\s*\{(?P<members>.*?)\}\s*(?P<structure>\w+)\s*;"
    pattern += r"|enum\s*\w*\s*\{(?P<constants>.*?)\}\s*;"
    pattern += r"|(?P<result>\w+)\s+(?P<function>\w+)\s*\((?P<values>[^;]*)\)\s*;|(?P<rest>\S+)"
    for match in re.finditer(pattern, text, flags=re.DOTALL):
        if match["rest"]:
            raise ValueError(f"a header cannot say {match['rest']!r}")
        if match["structure"]:
            members = [member for member in match["members"].split(";") if member.strip()]
            header.structures[match["structure"]] = tuple(map(_member, members))
        elif match["constants"]:
            names = [name.split("=")[0].strip() for name in match["constants"].split(",")]
            header.constants += [name for name in names if name]
        else:
            header.functions.append(_function(match))
    return header


def _function(match: re.Match[str]) -> Function:
    values = [value.strip() for value in _parted(match["values"]) if value.strip() != "void"]
    needs_memory = bool(values) and re.fullmatch(r"Memory \*\s*\w+", values[0]) is not None
    return Function(
        match["result"],
        match["function"],
        tuple(_parameter(value) for value in values[needs_memory:]),
        needs_memory,
    )


def _parted(text: str) -> list[str]:
    """Return what stands between commas that are in no brackets."""
    return re.findall(r"(?:\[[^\]]*\]|[^,\[])+", text)


def _parameter(text: str) -> Value:
    match = re.fullmatch(
        r"(MAYBE\s+)?(const\s+)?(\w+)\s*(\*?)\s*(\w+)\s*((?:\[[^\]]*\])*)", text.strip()
    )
    if match is None:
        raise ValueError(f"a header cannot say {text!r}")
    maybe, const, kind, pointer, name, brackets = match.groups()
    if pointer and (kind in _ELEMENTS or not const):
        raise ValueError(f"give {name} a shape in brackets")
    shape = tuple(part.strip() for part in re.findall(r"\[([^\]]*)\]", brackets))
    return Value(kind, name, shape, bool(const), bool(maybe))


def _member(text: str) -> Value:
    match = re.fullmatch(
        r"(const\s+)?(\w+)\s*(\*?)\s*(\w+)(?:\s*OF\(([^)]*)\))?", " ".join(text.split())
    )
    if match is None or bool(match[3]) != bool(match[5]):
        raise ValueError(f"a structure cannot say {text.strip()!r}")
    const, kind, _, name, shape = match.groups()
    parts = tuple(part.strip() for part in shape.split(",")) if shape else ()
    return Value(kind, name, parts, bool(const))


def module_source(header: Header, name: str, includes: list[str], variants: list[str]) -> str:
    """Return the C source of an extension module.

    It is compiled once for each variant, with `VARIANT`, which makes a table of the kernels; and
    once with `LOADER`, which makes what Python calls and chooses the table for the processor.
    """
    kernels = [function.name for function in header.functions]
    parts = [
        "/* Made by compiling/door.py. */",
        "#ifdef LOADER",
        '#include "door_calls.h"',
        "#else",
    ]
    parts += ["#define JOINED(variant, name) JOINED_WORDS(variant, name)"]
    parts += ["#define JOINED_WORDS(variant, name) variant##_##name"]
    parts += [f"#define {kernel} JOINED(VARIANT, {kernel})" for kernel in kernels]
    parts += ["#endif", '#include "kernels.h"', "typedef struct {"]
    parts += [f"    __typeof__({kernel}) *{kernel};" for kernel in kernels]
    parts += ["} Kernels;", "#ifndef LOADER"]
    parts += [f'#include "{include}"' for include in includes]
    parts += ["const Kernels VARIANT = {", *(f"    {kernel}," for kernel in kernels), "};", "#else"]
    parts += [f"extern const Kernels {variant};" for variant in variants]
    parts += ["static const Kernels *kernels;"]
    parts += [_structure(header, name) for name in header.structures]
    parts += [_wrapper(header, function) for function in header.functions]
    parts.append("static PyMethodDef methods[] = {")
    parts += [
        f'    {{"{kernel}", (PyCFunction)(void (*)(void))call_{kernel}, METH_FASTCALL, NULL}},'
        for kernel in kernels
    ]
    parts += ["    {NULL, NULL, 0, NULL}", "};"]
    parts += ["static const char *choose(void) {"]
    for variant in reversed(variants[1:]):
        parts.append(
            f'    if (door_runs_{variant}()) {{ kernels = &{variant}; return "{variant}"; }}'
        )
    parts += [f"    kernels = &{variants[0]};", f'    return "{variants[0]}";', "}"]
    constants = "".join(
        f' || PyModule_AddIntConstant(module, "{constant}", {constant})'
        for constant in header.constants
    )
    parts += [
        "static struct PyModuleDef definition = {",
        f'    PyModuleDef_HEAD_INIT, "{name}", NULL, -1, methods, NULL, NULL, NULL, NULL',
        "};",
        f"PyMODINIT_FUNC PyInit_{name}(void) {{",
        "    PyObject *module = PyModule_Create(&definition);",
        '    if (module && (PyModule_AddStringConstant(module, "VARIANT", choose())'
        f"{constants})) {{",
        "        Py_DECREF(module);",
        "        return NULL;",
        "    }",
        "    return module;",
        "}",
        "#endif",
    ]
    return "\n".join(parts) + "\n"


def _lengths(values: tuple[Value, ...]) -> set[str]:
    """Return the whole numbers among some values that are lengths of arrays."""
    bare = {part for value in values for part in value.shape}
    return {value.name for value in values if value.kind == "int64_t" and value.name in bare}


def _takes(values: tuple[Value, ...], source: str, target: str) -> list[str]:
    """Return lines that take values from Python; `source` and `target` are formats of a name.

    First all are taken, so that lengths that follow from a number that comes later are checked too.
    """
    lengths = _lengths(values)
    taken = [value for value in values if value.name not in lengths]
    lines = [f"    {target.format(name)} = -1;" for name in sorted(lengths)]
    checks: list[str] = []
    for number, value in enumerate(taken):
        here, given = target.format(value.name), source.format(number=number, name=value.name)
        if value.shape:
            kind, size = _ELEMENTS[value.kind]
            lines.append(
                f"    if (!door_array(door, {given}, \"{value.name}\", '{kind}', {size}, "
                f"{len(value.shape)}, {int(not value.is_const)}, (void **)&{here}, "
                f"shape_{value.name})) goto failed;"
            )
            condition = f"shape_{value.name}[{{axis}}] != ({{part}})"
            for axis, part in enumerate(value.shape):
                shape = f"shape_{value.name}[{axis}]"
                expected = re.sub(
                    r"\b[A-Za-z_]\w*\b",
                    lambda word: target.format(word[0]) if word[0] in names(values) else word[0],
                    part,
                )
                if part in lengths and not value.may_be_empty:
                    lines.append(f"    if ({expected} < 0) {expected} = {shape};")
                checks.append(
                    "    if ("
                    + (f"{here} && " if value.may_be_empty else "")
                    + condition.format(axis=axis, part=expected)
                    + f') {{ door_shape(door, "{value.name}", {axis}, {shape}, '
                    f'"{part}", ({expected})); goto failed; }}'
                )
            if value.may_be_empty:
                lines.append(f"    if ({_is_empty(value)}) {here} = NULL;")
        elif value.kind in _SCALARS:
            lines.append(
                f'    if (!{_SCALARS[value.kind]}(door, {given}, "{value.name}", &{here})) '
                "goto failed;"
            )
        else:
            lines.append(
                f'    if (!take_{value.kind}(door, {given}, "{value.name}", &{here})) goto failed;'
            )
    return lines + checks


def names(values: tuple[Value, ...]) -> set[str]:
    """Return the names of values that are numbers, of which shapes may speak."""
    return {value.name for value in values if not value.shape}


def _is_empty(value: Value) -> str:
    return " || ".join(f"!shape_{value.name}[{axis}]" for axis in range(len(value.shape)))


def _shapes(values: tuple[Value, ...]) -> list[str]:
    return [
        f"    int64_t shape_{value.name}[{len(value.shape)}] = {{0}};"
        for value in values
        if value.shape
    ]


def _structure(header: Header, name: str) -> str:
    members = header.structures[name]
    lines = [
        f"static int take_{name}(Door *door, PyObject *object, const char *name, {name} *out) {{",
        *_shapes(members),
        "    PyObject *member = NULL;",
        "    (void)name;",
    ]
    for line in _takes(members, 'door_member(door, object, &member, "{name}")', "out->{}"):
        lines.append(line)
    return "\n".join(
        [
            *lines,
            "    Py_XDECREF(member);",
            "    return 1;",
            "failed:",
            "    Py_XDECREF(member);",
            "    return 0;",
            "}",
        ]
    )


def _num_arrays(header: Header, values: tuple[Value, ...]) -> int:
    return sum(
        1 if value.shape else _num_arrays(header, header.structures.get(value.kind, ()))
        for value in values
    )


def _wrapper(header: Header, function: Function) -> str:
    values = function.values
    lengths = _lengths(values)
    taken = [value for value in values if value.name not in lengths]
    room = max(1, _num_arrays(header, values))
    lines = [
        f"static PyObject *call_{function.name}"
        "(PyObject *self, PyObject *const *args, Py_ssize_t num_args) {",
        "    (void)self; (void)args;",
        f"    Py_buffer held[{room}];",
        f'    Door new_door = {{.function = "{function.name}", .held = held}}, *door = &new_door;',
        "    PyObject *answer = NULL;",
    ]
    for value in values:
        if value.shape:
            const = "const " if value.is_const else ""
            lines.append(f"    {const}{value.kind} *{value.name} = NULL;")
        else:
            lines.append(f"    {value.kind} {value.name};")
    lines += _shapes(values)
    if function.result != "void":
        lines.append(f"    volatile {function.result} result = 0;")
    lines += [
        "    volatile bool is_done = false;",
        f"    if (num_args != {len(taken)}) {{ door_count(door, num_args, {len(taken)}); "
        "goto failed; }",
        *_takes(values, "args[{number}]", "{}"),
    ]
    passed = ["&door->memory"] if function.needs_memory else []
    for value in values:
        if len(value.shape) > 1:
            const = "const " if value.is_const else ""
            rows = "".join(f"[{part}]" for part in value.shape[1:])
            passed.append(f"({const}{value.kind} (*){rows}){value.name}")
        else:
            passed.append(f"&{value.name}" if value.kind in header.structures else value.name)
    call = f"kernels->{function.name}({', '.join(passed)});"
    if function.result != "void":
        call = f"result = {call}"
    guard = "if (!setjmp(door->memory.failed)) " if function.needs_memory else ""
    lines += [
        "    {",
        "        PyThreadState *thread = PyEval_SaveThread();",
        f"        {guard}{{ {call} is_done = true; }}",
        "        PyEval_RestoreThread(thread);",
        "    }",
        f"    if (is_done) answer = {_RESULTS[function.result]};",
        "    else PyErr_NoMemory();",
        "failed:",
        "    door_close(door);",
        "    return answer;",
        "}",
    ]
    return "\n".join(lines)
