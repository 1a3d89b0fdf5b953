from typing import Optional, Union, overload
from os import PathLike

import pandas

from . import chip as chip, fleet as fleet, memory as memory
from ._diagnosis import Diagnosis as Diagnosis

__version__: str

class Error(ValueError): ...

Path = Union[str, PathLike[str]]

@overload
def predict(questions: pandas.DataFrame, system: Path = "", *, training: bool = False, batch: int = 1, micro_batch: int = 1,
            sequence: int = 2048, generate: int = 128, precision: str = "bf16", parallel: str = "", framework: str = "",
            recompute: str = "none", run: Path = "") -> pandas.DataFrame: ...
@overload
def predict(questions: Path, system: Path = "", *, training: bool = False, batch: int = 1, micro_batch: int = 1,
            sequence: int = 2048, generate: int = 128, precision: str = "bf16", parallel: str = "", framework: str = "",
            recompute: str = "none", run: Path = "") -> Diagnosis: ...
def search(space: Path, *, method: str = "", steps: int = 100, starts: int = 10, seed: int = 1, threads: int = 0) -> Diagnosis: ...
