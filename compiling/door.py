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
from collections.abc import Iterable
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
            header.structures[match["structure"]] = tuple(map(_value, members))
        elif match["constants"]:
            names = [name.split("=")[0].strip() for name in match["constants"].split(",")]
            header.constants += [name for name in names if name]
        else:
            header.functions.append(_function(match))
    return header


def _function(match: re.Match[str]) -> Function:
    # What stands between commas that are in no brackets.
    parts = re.findall(r"(?:\[[^\]]*\]|[^,\[])+", match["values"])
    values = [value.strip() for value in parts if value.strip() != "void"]
    needs_memory = bool(values) and re.fullmatch(r"Memory \*\s*\w+", values[0]) is not None
    return Function(
        match["result"],
        match["function"],
        tuple(map(_value, values[needs_memory:])),
        needs_memory,
    )


def _value(text: str) -> Value:
    match = re.fullmatch(
        r"(MAYBE\s+)?(const\s+)?(\w+)\s*(\*?)\s*(\w+)\s*((?:\[[^\]]*\])*)(?:\s*OF\(([^)]*)\))?",
        text.strip(),
    )
    if match is None:
        raise ValueError(f"a header cannot say {text!r}")
    maybe, const, kind, pointer, name, brackets, of = match.groups()
    parts = of.split(",") if of else re.findall(r"\[([^\]]*)\]", brackets)
    if pointer and not parts and (kind in _ELEMENTS or not const):
        raise ValueError(f"give {name} a shape")
    return Value(kind, name, tuple(part.strip() for part in parts), bool(const), bool(maybe))


def module_source(header: Header, name: str, includes: list[str], variants: list[str]) -> str:
    """Return the C source of an extension module.

    It is compiled once for each variant, with `VARIANT`, which makes a table of the kernels; and
    once with `LOADER`, which makes what Python calls and chooses the table for the processor.
    """
    kernels = [function.name for function in header.functions]
    choices = (
        f'if (door_runs_{variant}()) {{ kernels = &{variant}; return "{variant}"; }}'
        for variant in reversed(variants[1:])
    )
    constants = (
        f' || PyModule_AddIntConstant(module, "{constant}", {constant})'
        for constant in header.constants
    )
    methods = (
        f'    {{"{kernel}", (PyCFunction)(void (*)(void))call_{kernel}, METH_FASTCALL, NULL}},'
        for kernel in kernels
    )
    return f"""/* Made by compiling/door.py. */
#ifdef LOADER
#include "door_calls.h"
#else
#define JOINED(variant, name) JOINED_WORDS(variant, name)
#define JOINED_WORDS(variant, name) variant##_##name
{_lines(f"#define {kernel} JOINED(VARIANT, {kernel})" for kernel in kernels)}
#endif
#include "kernels.h"
typedef struct {{
{_lines(f"    __typeof__({kernel}) *{kernel};" for kernel in kernels)}
}} Kernels;
#ifndef LOADER
{_lines(f'#include "{include}"' for include in includes)}
const Kernels VARIANT = {{ {", ".join(kernels)} }};
#else
{_lines(f"extern const Kernels {variant};" for variant in variants)}
static const Kernels *kernels;
{_lines(_structure(header, structure) for structure in header.structures)}
{_lines(_wrapper(header, function) for function in header.functions)}
static PyMethodDef methods[] = {{
{_lines(methods)}
    {{NULL, NULL, 0, NULL}}
}};
static const char *choose(void) {{
{_lines(choices)}
    kernels = &{variants[0]};
    return "{variants[0]}";
}}
static struct PyModuleDef definition = {{
    PyModuleDef_HEAD_INIT, "{name}", NULL, -1, methods, NULL, NULL, NULL, NULL
}};
PyMODINIT_FUNC PyInit_{name}(void) {{
    PyObject *module = PyModule_Create(&definition);
    if (module && (PyModule_AddStringConstant(module, "VARIANT", choose()){"".join(constants)})) {{
        Py_DECREF(module);
        return NULL;
    }}
    return module;
}}
#endif
"""


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(parts)


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
    numbers = {value.name for value in values if not value.shape}
    lines = [f"    {target.format(name)} = -1;" for name in sorted(lengths)]
    checks: list[str] = []

    def written(part: str) -> str:
        """Return a length with the names that it has in C."""
        return re.sub(
            r"\b[A-Za-z_]\w*\b",
            lambda word: target.format(word[0]) if word[0] in numbers else word[0],
            part,
        )

    for number, value in enumerate(taken):
        name, here = value.name, target.format(value.name)
        given = source.format(number=number, name=name)
        if not value.shape:
            take = _SCALARS.get(value.kind, f"take_{value.kind}")
            lines.append(f'    if (!{take}(door, {given}, "{name}", &{here})) goto failed;')
            continue
        kind, size = _ELEMENTS[value.kind]
        lines.append(
            f"    if (!door_array(door, {given}, \"{name}\", '{kind}', {size}, "
            f"{len(value.shape)}, {int(not value.is_const)}, (void **)&{here}, "
            f"shape_{name})) goto failed;"
        )
        for axis, part in enumerate(value.shape):
            shape, expected = f"shape_{name}[{axis}]", written(part)
            if part in lengths and not value.may_be_empty:
                lines.append(f"    if ({expected} < 0) {expected} = {shape};")
            is_given = f"{here} && " * value.may_be_empty
            checks.append(
                f"    if ({is_given}{shape} != ({expected})) {{ "
                f'door_shape(door, "{name}", {axis}, {shape}, "{part}", ({expected})); '
                "goto failed; }"
            )
        if value.may_be_empty:
            is_empty = " || ".join(f"!shape_{name}[{axis}]" for axis in range(len(value.shape)))
            lines.append(f"    if ({is_empty}) {here} = NULL;")
    return lines + checks


def _shapes(values: tuple[Value, ...]) -> str:
    return _lines(
        f"    int64_t shape_{value.name}[{len(value.shape)}] = {{0}};"
        for value in values
        if value.shape
    )


def _structure(header: Header, name: str) -> str:
    members = header.structures[name]
    return f"""
static int take_{name}(Door *door, PyObject *object, const char *name, {name} *out) {{
{_shapes(members)}
    PyObject *member = NULL;
    (void)name;
{_lines(_takes(members, 'door_member(door, object, &member, "{name}")', "out->{}"))}
    Py_XDECREF(member);
    return 1;
failed:
    Py_XDECREF(member);
    return 0;
}}"""


def _num_arrays(header: Header, values: tuple[Value, ...]) -> int:
    return sum(
        1 if value.shape else _num_arrays(header, header.structures.get(value.kind, ()))
        for value in values
    )


def _wrapper(header: Header, function: Function) -> str:
    name, values, result = function.name, function.values, function.result
    num_taken = len(values) - len(_lengths(values))
    declared = [
        f"    {'const ' * value.is_const}{value.kind} *{value.name} = NULL;"
        if value.shape
        else f"    {value.kind} {value.name};"
        for value in values
    ]
    if result != "void":
        declared.append(f"    volatile {result} result = 0;")
    passed = ["&door->memory"] * function.needs_memory
    for value in values:
        if len(value.shape) > 1:
            rows = "".join(f"[{part}]" for part in value.shape[1:])
            passed.append(f"({'const ' * value.is_const}{value.kind} (*){rows}){value.name}")
        else:
            passed.append(f"&{value.name}" if value.kind in header.structures else value.name)
    call = f"{'result = ' * (result != 'void')}kernels->{name}({', '.join(passed)});"
    guard = "if (!setjmp(door->memory.failed)) " * function.needs_memory
    return f"""
static PyObject *call_{name}(PyObject *self, PyObject *const *args, Py_ssize_t num_args) {{
    (void)self; (void)args;
    Py_buffer held[{max(1, _num_arrays(header, values))}];
    Door new_door = {{.function = "{name}", .held = held}}, *door = &new_door;
    PyObject *answer = NULL;
{_lines(declared)}
{_shapes(values)}
    volatile bool is_done = false;
    if (num_args != {num_taken}) {{ door_count(door, num_args, {num_taken}); goto failed; }}
{_lines(_takes(values, "args[{number}]", "{}"))}
    {{
        PyThreadState *thread = PyEval_SaveThread();
        {guard}{{ {call} is_done = true; }}
        PyEval_RestoreThread(thread);
    }}
    if (is_done) answer = {_RESULTS[result]};
    else PyErr_NoMemory();
failed:
    door_close(door);
    return answer;
}}"""
