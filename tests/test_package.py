"""The package as a whole: light to import, its public names, its wheel, and a clean repository."""

import ast
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import mbedu as mb

ROOT = Path(__file__).parents[1]
HEAVY = ["pgmpy", "matplotlib", "sklearn", "IPython", "pandas", "scipy", "networkx", "numba", "numpy"]


def python(*args, executable=sys.executable, cwd=ROOT, **env):
    """Run a fresh Python (or another program) and return what it printed."""
    done = subprocess.run(
        [executable, *args], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# -------------------------------------------------------------------------------------- light to import


def test_import_is_light():
    """`import mbedu` loads no third-party package."""
    code = f"import sys, mbedu; print([m for m in {HEAVY} if m in sys.modules])"
    assert python("-c", code).strip() == "[]"


def test_import_is_quick():
    """`import mbedu` takes less time than `import json, decimal, email.message` does."""
    code = (
        "import sys, time\n"
        "t0 = time.perf_counter(); import mbedu\n"
        "t1 = time.perf_counter(); import json, decimal, email.message\n"
        "print((t1 - t0) / (time.perf_counter() - t1))"
    )
    ratios = [float(python("-c", code)) for _ in range(5)]
    assert min(ratios) < 1, ratios  # the best of five: the machine may be busy with something else


# ------------------------------------------------------------------------------------- the public names


@pytest.mark.parametrize("name", mb.__all__)
def test_every_public_name_resolves(name):
    """Every listed name is there, has a docstring, and says in which module it lives."""
    value = getattr(mb, name)
    assert value.__doc__
    assert not name.startswith(("_", "test"))
    assert name in dir(mb)


@pytest.mark.parametrize("name", mb.__all__)
def test_every_public_method_is_described(name):
    """Every public method of a public class has a docstring, its own or an inherited one."""
    value = getattr(mb, name)
    if not inspect.isclass(value) or getattr(value, "_is_protocol", False):
        return  # a protocol only lists; what implements it describes
    for method, found in inspect.getmembers(
        value, lambda m: inspect.isfunction(m) or isinstance(m, property)
    ):
        ours = found.fget if isinstance(found, property) else found
        if method[0] != "_" and ours.__module__.startswith("mbedu"):
            assert inspect.getdoc(getattr(value, method)), f"{name}.{method} has no docstring"


def test_type_checkers_see_the_same_names():
    """The imports under TYPE_CHECKING and the table of lazy names list the same names and modules."""
    tree = ast.parse(Path(mb.__file__).read_text(encoding="utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    seen = {a.asname: n.module for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert seen == mb._HOME


def test_a_module_never_shadows_the_public_name_that_it_is_called_like():
    """After `import mbedu.verify.x`, `mb.verify` is still the function and the module is still importable."""
    code = """if True:
        import importlib, sys, types
        import mbedu as mb
        mb._HOME["verify"] = "mbedu.verify.core"
        package, core = types.ModuleType("mbedu.verify"), types.ModuleType("mbedu.verify.core")
        package.__path__ = []
        core.verify = lambda: "the function"
        sys.modules |= {"mbedu.verify": package, "mbedu.verify.core": core}
        setattr(mb, "verify", package)      # what the import system does after loading a submodule
        assert mb.verify() == "the function"
        setattr(mb, "verify", package)      # and once more, now that the name has been fetched
        assert mb.verify() == "the function"
        from mbedu import verify
        assert verify is core.verify
        assert importlib.import_module("mbedu.verify") is package
        print("good")"""
    assert python("-c", code).strip() == "good"


def test_the_real_clashes():
    """In every order of import, a public name that is also a module's name stays the public object."""
    folder = ROOT / "mbedu"
    clashes = [n for n in mb.__all__ if (folder / n).is_dir() or (folder / f"{n}.py").exists()]
    for name in clashes:
        check = f"assert not isinstance(mb.{name}, type(mb)), mb.{name}"
        python("-c", f"import mbedu.{name}, mbedu as mb; {check}")
        python("-c", f"import mbedu as mb; mb.{name}; import mbedu.{name}; {check}")


def test_unknown_name_is_refused_with_a_suggestion():
    """A misspelt public name gets an AttributeError that suggests the right one."""
    with pytest.raises(AttributeError, match=r"no public name 'Qeury'; did you mean Query"):
        mb.Qeury  # noqa: B018
    assert not hasattr(mb, "__wrapped__")


def test_version():
    """`mb.__version__` is the version that pyproject.toml states."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert mb.__version__ == project["version"]


def test_every_module_imports():
    """Every module of mbedu can be imported by itself, in a fresh process, in any order."""
    modules = sorted(
        ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for p in (ROOT / "mbedu").rglob("*.py")
        if p.name != "__main__.py"
    )
    for module in modules:
        importlib.import_module(module)
    drop = "for m in [m for m in sys.modules if m.startswith('mbedu')]: del sys.modules[m]"
    body = "\n".join(f"{drop}\nimportlib.import_module({m!r})" for m in modules)
    python("-c", f"import importlib, sys\n{body}")


# -------------------------------------------------------------------------------------------- the wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Return the built wheel; the sources are copied first, so that nothing is left in the repository."""
    source, out = tmp_path_factory.mktemp("source") / "mbedu", tmp_path_factory.mktemp("dist")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist", "build", "site"))
    shutil.copy(ROOT / ".gitignore", source)
    python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), cwd=source)
    (found,) = out.glob("mbedu-*.whl")
    return found


def test_wheel_carries_its_data(wheel):
    """The wheel holds every module, the type marker, the networks and the notebooks, and no tests."""
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {"mbedu/__init__.py", "mbedu/py.typed"} <= held
    for folder, home in [
        ("mbedu", "mbedu"),
        ("datasets", "mbedu/datasets"),
        ("notebooks", "mbedu/notebooks"),
    ]:
        for path in tracked(folder):
            assert f"{home}/{path.relative_to(ROOT / folder).as_posix()}" in held, path
    assert not [name for name in held if name.startswith("tests") or "__pycache__" in name]


USE = """if True:
    import sys
    import mbedu as mb
    assert mb.__file__.startswith(sys.prefix), mb.__file__
    for name in mb.__all__:
        getattr(mb, name)
    net = mb.load_network("asia")
    found = mb.run("gs_m", mb.DSeparation(net), target="dysp", m=1).boundary
    print(sorted(found), sorted(net.boundary("dysp")))"""


def check_installed(folder, tmp_path):
    """Use the environment in `folder` from somewhere else: from Python and from the command line."""
    printed = python("-I", "-c", USE, executable=str(folder / "bin" / "python"), cwd=tmp_path)
    assert printed.strip() == "['bronc', 'either'] ['bronc', 'either']"
    assert "gs_m" in python("algorithms", executable=str(folder / "bin" / "mbedu"), cwd=tmp_path)


def test_wheel_works_elsewhere(wheel, tmp_path):
    """Installed into a new environment, the wheel works from another folder, without the repository.

    The dependencies are lent by the present environment; `test_wheel_in_an_empty_environment` lends none.
    """
    venv = tmp_path / "venv"
    python("-m", "venv", "--without-pip", str(venv))
    target = str(venv / "bin" / "python")
    python("-m", "pip", "--python", target, "install", "-q", "--no-deps", "--no-index", str(wheel))
    (site,) = venv.glob("lib/python*/site-packages")
    # a path that a .pth file adds does not have its own .pth files read: the editable mbedu stays out
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    check_installed(venv, tmp_path)


@pytest.mark.slow
def test_wheel_in_an_empty_environment(wheel, tmp_path):
    """`pip install mbedu-….whl` into an empty environment brings all it needs, and no torch."""
    venv = tmp_path / "venv"
    python("-m", "venv", "--without-pip", str(venv))
    target = str(venv / "bin" / "python")
    python("-m", "pip", "--python", target, "install", "-q", str(wheel))
    check_installed(venv, tmp_path)
    assert not list(venv.glob("lib/python*/site-packages/torch"))


# --------------------------------------------------------------------------------------- the repository


def tracked(folder="."):
    """Return the files in git under `folder`; outside a checkout, all that are not hidden or built."""
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    skip = {"__pycache__", "dist", "build", "site"}
    inside = [p for p in (ROOT / folder).rglob("*") if p.is_file()]
    return [p for p in inside if not any(q in skip or q[0] == "." for q in p.relative_to(ROOT).parts)]


def test_notebooks_have_no_outputs():
    """No notebook in git holds an output, an execution count or the state of widgets."""
    for path in tracked():
        if path.suffix != ".ipynb":
            continue
        book = json.loads(path.read_text(encoding="utf-8"))
        assert "widgets" not in book["metadata"], path
        for cell in book["cells"]:
            assert not cell.get("outputs"), path
            assert cell.get("execution_count") is None, path


MACHINE = re.compile(r"(?<![\w.~$-])/(?:root|home/\w+|Users/\w+|work|mnt/\w+|opt/\w+)/\w|[A-Z]:\\Users\\")


def test_no_path_of_a_machine():
    """No text file in git names an absolute path of somebody's machine."""
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # compressed data and images
        found += [f"{path.relative_to(ROOT)}: {m.group()}" for m in MACHINE.finditer(text)]
    assert not found


def test_the_pattern_for_machine_paths_finds_some():
    """The pattern of the test above does find what it looks for, and spares what it should."""
    assert all(map(MACHINE.search, ["see /home" + "/ann/x", "/Us" + "ers/ann/x", "'/ro" + "ot/x"]))
    assert not any(map(MACHINE.search, ["a/home/ann", "~/work/x", "src/root/x", "https://x.org/home/ann/x"]))


def test_constraints_pin_every_dependency():
    """Each requirement of pyproject.toml has a pin in constraints.txt inside its range; torch has none."""
    import tomllib

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = [requirement for group in groups for requirement in group]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and line[0] != "#")
    pins = {canonicalize_name(name): version for name, version in pins.items()}
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement
    assert "torch" not in pins
