"""The type stubs say what is there."""

import ast
import inspect
from pathlib import Path

import gpurf


def test_stubs_have_every_name_and_its_arguments():
    tree = ast.parse((Path(gpurf.__file__).parent / "__init__.pyi").read_text())
    stubs = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            stubs[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            stubs[node.target.id] = node
    assert set(stubs) == set(gpurf.__all__)
    for name, node in stubs.items():
        if isinstance(node, ast.FunctionDef):
            check(getattr(gpurf, name), node, skip=0)
    for name in ("Module", "Port"):
        of_class = getattr(gpurf, name)
        members = [node for node in stubs[name].body if isinstance(node, ast.FunctionDef)]
        members = {node.name: node for node in members if not node.name.startswith("__")}
        assert set(members) == {member for member in vars(of_class) if not member.startswith("_")}
        for member, node in members.items():
            value = inspect.getattr_static(of_class, member)
            assert value.__doc__, f"{name}.{member} has no docstring"
            if not node.decorator_list:
                check(value, node, skip=1)
    check(gpurf.Module, next(node for node in stubs["Module"].body if getattr(node, "name", "") == "__new__"), skip=1)


def check(function, node, skip):
    arguments = [argument.arg for argument in node.args.args + node.args.kwonlyargs]
    arguments += [argument.arg for argument in (node.args.vararg, node.args.kwarg) if argument]
    there = [name for name in inspect.signature(function).parameters if name != "self"]
    assert sorted(arguments[skip:]) == sorted(there), node.name
