"""Data for the experiments: generated, shipped with scikit-learn, or in a folder that the user names.

Nothing is downloaded. `SOURCES` lists every data set, what it is, and the file in the data folder
that it is read from; a missing one is named together with the place where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.errors import DataError, unknown
from mbedu.experiments import data_generated as generated
from mbedu.experiments.data_readers import read_arff, read_csv, read_index_value

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SOURCES", "DataFolder", "DataMissing", "DataSet", "Source"]


class DataMissing(DataError):
    """Data sets that are not in the data folder; `.missing` says for each where it belongs."""

    def __init__(self, missing: Iterable[str], folder: str | None) -> None:
        self.missing = tuple(missing)
        where = f"the data folder {folder!r}" if folder else "no data folder was given (--data DIR)"
        super().__init__(f"{where}; missing: " + "; ".join(self.missing))


@dataclass(frozen=True)
class DataSet:
    """A table and which column is the target.

    Attributes
    ----------
    name : str
        Its name in `SOURCES`.
    features : pandas.DataFrame or scipy.sparse matrix
        All columns but the target.
    labels : pandas.Series
        The target.
    """

    name: str
    features: Any
    labels: pd.Series[Any]

    @property
    def target(self) -> str:
        """The name of the target."""
        return str(self.labels.name)

    @property
    def frame(self) -> pd.DataFrame:
        """Features and target in one frame, the target last; only where the features are a frame."""
        if not hasattr(self.features, "columns"):
            raise DataError(
                f"{self.name} is sparse, with {self.features.shape[1]} columns; use .features and .labels"
            )
        frame: pd.DataFrame = self.features.assign(**{self.target: self.labels})
        return frame


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes
    ----------
    what : str
        What it is, in a few words.
    read : callable
        `read(paths)` returns the data set's features and labels.
    files : tuple of str
        Its files below the data folder; none when it is generated or shipped with scikit-learn.
    """

    what: str
    read: Callable[[list[Path]], tuple[Any, Any]]
    files: tuple[str, ...] = ()


class DataFolder:
    """The user's data folder, which may be absent.

    Parameters
    ----------
    path : path, optional
        The folder; its layout is that of `SOURCES`.

    Examples
    --------
    >>> DataFolder().load("tic-tac-toe").frame.shape
    (958, 10)
    >>> DataFolder().missing(["car", "wine"])
    ['car: uci/car.arff']
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None and not self.path.is_dir():
            raise DataError(f"data={str(path)!r}: there is no such folder")

    @property
    def text(self) -> str | None:
        """The folder's path as text, for a worker; absolute, because a worker may run elsewhere."""
        return None if self.path is None else str(self.path.resolve())

    def has(self, name: str) -> bool:
        """Say whether a data set can be loaded."""
        return all(self.path is not None and (self.path / f).exists() for f in source(name).files)

    def present(self, names: Iterable[str]) -> list[str]:
        """Return those that can be loaded; `DataMissing` if there is none at all."""
        listed = list(names)
        found = [n for n in listed if self.has(n)]
        if not found:
            raise DataMissing(self.missing(listed), None if self.path is None else str(self.path))
        return found

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return for each data set that cannot be loaded which files belong where."""
        return [f"{name}: {', '.join(source(name).files)}" for name in names if not self.has(name)]

    def listing(self) -> list[dict[str, str]]:
        """Return every known data set: what it is, its files below the folder, and whether it is here.

        Examples
        --------
        >>> DataFolder().listing()[0]
        {'name': 'car', 'what': 'car evaluation, 1728 × 7', 'files': 'uci/car.arff', 'here': 'no'}
        """
        return [
            {
                "name": name,
                "what": s.what,
                "files": ", ".join(s.files),
                "here": "yes" if self.has(name) else "no",
            }
            for name, s in SOURCES.items()
        ]

    def load(self, name: str) -> DataSet:
        """Load a data set."""
        if not self.has(name):
            raise DataMissing(self.missing([name]), None if self.path is None else str(self.path))
        found = source(name)
        root = self.path or Path()
        features, labels = found.read([root / f for f in found.files])
        return DataSet(name, features, labels)

    def file(self, name: str) -> Path:
        """Return the (first) file of a data set that is no table, such as a network."""
        if not self.has(name) or self.path is None:
            raise DataMissing(self.missing([name]), None if self.path is None else str(self.path))
        return self.path / source(name).files[0]


def source(name: str) -> Source:
    """Return where a data set comes from."""
    if name not in SOURCES:
        raise unknown("data set", name, SOURCES)
    return SOURCES[name]


def _arff(target: str, *, drop: tuple[str, ...] = ()) -> Callable[[list[Path]], tuple[Any, Any]]:
    def read(paths: list[Path]) -> tuple[Any, Any]:
        import pandas as pd

        frame = pd.concat([read_arff(p) for p in paths], ignore_index=True).drop(columns=list(drop))
        return _apart(frame, target)

    return read


def _apart(frame: Any, target: str) -> tuple[Any, Any]:
    if target not in frame.columns:
        raise unknown("column", target, [str(c) for c in frame.columns])
    return frame.drop(columns=target), frame[target]


def _spect(paths: list[Path]) -> tuple[Any, Any]:
    return _arff("OVERALL_DIAGNOSIS")(paths)


def _wpbc(paths: list[Path]) -> tuple[Any, Any]:
    frame = read_csv(paths[0])
    return _apart(frame.drop(columns=frame.columns[0]), "outcome")


def _transfusion(paths: list[Path]) -> tuple[Any, Any]:
    frame = read_csv(paths[0])
    return _apart(frame, str(frame.columns[-1]))


def _sklearn(loader: str) -> Callable[[list[Path]], tuple[Any, Any]]:
    def read(_: list[Path]) -> tuple[Any, Any]:
        import sklearn.datasets

        bunch = getattr(sklearn.datasets, loader)(as_frame=True)
        return bunch.data, bunch.target.rename("class")

    return read


def _matlab(rows: int | None) -> Callable[[list[Path]], tuple[Any, Any]]:
    def read(paths: list[Path]) -> tuple[Any, Any]:
        import pandas as pd
        from scipy.io import loadmat

        found = loadmat(str(paths[0]))
        X, y = found["X"][:rows], found["Y"].ravel()[:rows]
        frame = pd.DataFrame(X.astype(float), columns=[f"v{i}" for i in range(1, X.shape[1] + 1)])
        return frame, pd.Series(y.astype(int), name="class")

    return read


def _dexter(paths: list[Path]) -> tuple[Any, Any]:
    import numpy as np
    import pandas as pd

    labels = np.loadtxt(paths[1], dtype=int)
    return read_index_value(paths[0], 20000), pd.Series(labels, name="class")


def _sparse(paths: list[Path]) -> tuple[Any, Any]:
    import numpy as np
    import pandas as pd
    from scipy.sparse import csr_matrix, load_npz

    return csr_matrix(load_npz(paths[0])), pd.Series(np.load(paths[1]).astype(int), name="class")


def _made(make: Callable[[], Any], target: str) -> Callable[[list[Path]], tuple[Any, Any]]:
    def read(_: list[Path]) -> tuple[Any, Any]:
        return _apart(make(), target)

    return read


def _no_table(paths: list[Path]) -> tuple[Any, Any]:
    raise DataError(f"{paths[0].name} is a network, not a table; read it with mbedu.read_network")


def _corral(which: Any) -> Callable[[], Any]:
    def make() -> Any:
        from mbedu.problems import corral_data

        return corral_data(which)

    return make


SOURCES: dict[str, Source] = {
    "car": Source("car evaluation, 1728 × 7", _arff("class"), ("uci/car.arff",)),
    "kr-vs-kp": Source("chess endgames, 3196 × 37", _arff("class"), ("uci/kr.vs.kp.arff",)),
    "splice": Source(
        "splice junctions, 3190 × 61", _arff("Class", drop=("Instance_name",)), ("uci/splice.arff",)
    ),
    "spect": Source("SPECT heart, 267 × 23", _spect, ("uci/spect.train.arff", "uci/spect.test.arff")),
    "tic-tac-toe": Source("all endgames, 958 × 10, generated", _made(generated.tic_tac_toe, "Class")),
    "monk-1": Source("MONK's problem 1, 432 × 7, generated", _made(lambda: generated.monks(1), "class")),
    "monk-2": Source("MONK's problem 2, 432 × 7, generated", _made(lambda: generated.monks(2), "class")),
    "monk-3": Source("MONK's problem 3, 432 × 7, generated", _made(lambda: generated.monks(3), "class")),
    "corral": Source("CorrAL, 1024 × 7, generated", _made(_corral("corral"), "Y")),
    "corral-46": Source("CorrAL-46, 1024 × 47, generated", _made(_corral("corral-46"), "Y")),
    "corral-47": Source("CorrAL-47, 1024 × 48, generated", _made(_corral("corral-47"), "Y")),
    "wine": Source("wine, 178 × 14, from scikit-learn", _sklearn("load_wine")),
    "wdbc": Source("breast cancer, 569 × 31, from scikit-learn", _sklearn("load_breast_cancer")),
    "waveform": Source("waveforms, version 1, 5000 × 22, generated", _made(generated.waveform, "class")),
    "waveform-40": Source("waveforms, version 2, 5000 × 41", _arff("class"), ("uci/waveform5000.arff",)),
    "heart": Source("Statlog heart, 270 × 14", _arff("class"), ("uci/heart.statlog.arff",)),
    "ionosphere": Source("ionosphere, 351 × 34", _arff("class", drop=("a02",)), ("uci/ionosphere.arff",)),
    "sonar": Source("sonar, 208 × 61", _arff("Class"), ("uci/sonar.arff",)),
    "credit": Source("credit approval, 690 × 16", _arff("class"), ("uci/credit.a.arff",)),
    "ecoli": Source("E. coli, 336 × 8", _arff("class"), ("uci/ecoli.arff",)),
    "wpbc": Source("breast cancer prognosis, 198 × 34", _wpbc, ("uci/wpbc.data",)),
    "transfusion": Source("blood transfusion, 748 × 5", _transfusion, ("uci/transfusion.data",)),
    "madelon": Source("MADELON, 2000 × 501", _matlab(2000), ("nips2003/madelon.mat",)),
    "arcene": Source("ARCENE, 100 × 10001", _matlab(100), ("nips2003/arcene.mat",)),
    "dexter": Source(
        "DEXTER, 300 × 20001",
        _dexter,
        ("nips2003/dexter/dexter_train.data", "nips2003/dexter/dexter_train.labels"),
    ),
    "dorothea": Source(
        "DOROTHEA, 800 × 88120", _sparse, ("nips2003/dorothea_train_X.npz", "nips2003/dorothea_train_y.npy")
    ),
    "thrombin": Source(
        "THROMBIN, 1909 × 139352", _sparse, ("thrombin/thrombin_X.npz", "thrombin/thrombin_y.npy")
    ),
    "desharnais": Source("Desharnais, 81 × 12", _arff("Effort"), ("effort/desharnais.arff",)),
    "maxwell": Source("Maxwell, 62 × 27", _arff("Effort"), ("effort/maxwell.arff",)),
    "carpo": Source("the network CARPO", _no_table, ("networks/carpo.bif",)),
}
