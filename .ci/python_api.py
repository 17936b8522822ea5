#!/usr/bin/env python3
"""Writes docs/python-api.md, the reference of the Python package, from its sources. Needs Python 3.11.

    python3 .ci/python_api.py            writes the page
    python3 .ci/python_api.py --check    fails if the page differs from the sources
"""

import ast
import inspect
import re
import sys

from pages import ROOT

PACKAGE = ROOT / "python/python/spr_convert"
PAGE = ROOT / "docs/python-api.md"
MODULES = ("torch", "hf", "ray", "lhotse")

HEAD = """\
# The Python API

All classes and functions of [the package](../python/README.md), with its own descriptions: what `help(spr_convert)` shows.
`FBANK` and `ALI` in the examples are the sample files `fbank.scp` and `ali.ark`. This page is written by `.ci/python_api.py`.
"""


def markdown(doc):
    """A docstring as Markdown: roles and literals become code, fields a list, examples blocks."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", inspect.cleandoc(doc)).replace("``", "`")
    lines, example, literal = [], False, False
    for line in text.splitlines():
        if line.startswith(">>>") and not example:
            lines.append("```pycon")
            example = True
        elif example and not line.strip():
            lines.append("```")
            example = False
        if literal and line and not line.startswith(" "):
            lines.append("```\n")
            literal = False
        field = re.match(r":(param|raises|returns)(?: (\w+))?: (.*)", line)
        if field and field[1] == "raises":
            line = f"* raises `{field[2]}`: {field[3]}"
        elif field and field[2]:
            line = f"* `{field[2]}`: {field[3]}"
        elif field:
            line = f"* returns {field[3]}"
        elif line.startswith("    ") and lines and not (example or literal):
            line = f"  {line.strip()}"
        if line.endswith("::") and not example:
            lines += [line[:-1], "", "```python"]
            literal = True
            continue
        lines.append(line.removeprefix("    ") if literal else line)
    if example or literal:
        lines.append("```")
    return re.sub(r"```python\n\n+", "```python\n", "\n".join(lines)).replace("\n\n```\n", "\n```\n") + "\n"


def given(arguments):
    """The arguments of a function, each as it is written in its head."""
    def one(argument, default, star=""):
        kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
        equals = " = " if kind else "="
        return f"{star}{argument.arg}{kind}{equals + ast.unparse(default) if default else ''}"

    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    found = [one(*pair) for pair in zip(plain, defaults) if pair[0].arg not in ("self", "cls")]
    if arguments.vararg:
        found.append(one(arguments.vararg, None, "*"))
    elif arguments.kwonlyargs:
        found.append("*")
    found += map(one, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        found.append(one(arguments.kwarg, None, "**"))
    return found


def signature(function, name):
    """A function as it is called, on one line or an argument a line."""
    arguments = given(function.args)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    line = f"{name}({', '.join(arguments)}){returns}"
    if len(line) > 88:
        line = f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){returns}"
    return f"```python\n{line}\n```\n"


def remark(source, node):
    """The comment `#: …` over a line of a class."""
    said, line = [], node.lineno - 2
    while source[line].strip().startswith("#:"):
        said.insert(0, source[line].strip()[2:].strip())
        line -= 1
    return markdown(" ".join(said)).strip() if said else ""


def fields(tree):
    """The fields of a class, those of a named tuple or what its `__init__` sets, as rows of a table."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node in tree.body:
            kind = ast.unparse(node.annotation).strip("'\"").replace("|", "\\|")
            yield f"| `{node.target.id}` | `{kind}` | {remark(tree.source, node)} |"
        target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
        if isinstance(target, ast.Attribute) and not target.attr.startswith("_") and remark(tree.source, node):
            yield f"| `{target.attr}` | | {remark(tree.source, node)} |"


def members(node, known):
    """The public methods and properties of a class, with those of the classes that it is put together from."""
    found = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_") and ast.get_docstring(item):
            found[item.name] = item
    for base in map(ast.unparse, node.bases):
        if base in known:
            found = found | {name: item for name, item in members(known[base], known).items() if name not in found}
    return found


def described(node, name, known):
    """The part of the page about a class or a function."""
    doc = ast.get_docstring(node)
    if isinstance(node, ast.FunctionDef):
        return [f"### {name}\n", signature(node, name), markdown(doc or "")]
    parts = [f"### {name}\n"]
    made = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
    # Of what functions make, such as readers, nobody calls the class.
    if made and all(argument.arg != "asked" for argument in made.args.args):
        made.returns = None
        parts.append(signature(made, name))
    elif node.bases:
        parts.append(f"`class {name}({', '.join(map(ast.unparse, node.bases))})`\n")
    parts.append(markdown(doc or ""))
    rows = list(fields(node))
    if rows:
        parts.append("| field | type | |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    for item in members(node, known).values():
        is_property = any(ast.unparse(mark) == "property" for mark in item.decorator_list)
        title = f"{name}.{item.name}"
        parts.append(f"#### {title}\n")
        if not is_property:
            parts.append(signature(item, title))
        parts.append(markdown(ast.get_docstring(item)))
    return parts


def definitions(path):
    """The public classes and functions of a module, by name."""
    text = path.read_text()
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            node.source = text.splitlines()
            found[node.name] = node
    return found


def page():
    """The whole page."""
    init = ast.parse((PACKAGE / "__init__.py").read_text())
    listed = next(node.value for node in init.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    public = ast.literal_eval(listed)
    known = {}
    for path in sorted(PACKAGE.glob("_[a-z]*.py")):
        known |= definitions(path)
    missing = [name for name in public if name not in known]
    if missing:
        sys.exit(f"python_api: no definition of {', '.join(missing)}")
    functions = [name for name in public if isinstance(known[name], ast.FunctionDef)]
    errors = [name for name in public if re.search(r"(Error|Missing|Found|Failure|Warning)$", name)]
    classes = [name for name in public if name not in functions + errors]
    parts = [HEAD]
    for title, names in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        parts.append(f"## {title}\n")
        for name in names:
            parts += described(known[name], name, known)
    for module in MODULES:
        path = PACKAGE / f"{module}.py"
        tree = ast.parse(path.read_text())
        parts += [f"## spr_convert.{module}\n", markdown(ast.get_docstring(tree) or "")]
        for name, node in definitions(path).items():
            parts += described(node, f"{module}.{name}", {})
    return "\n".join(parts)


def main():
    text = page()
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit("python_api: docs/python-api.md differs from the sources: run `python3 .ci/python_api.py`")


main()
