from os import PathLike
from typing import Optional, Union

from ._diagnosis import Diagnosis

Path = Union[str, PathLike[str]]

def diagnose(records: Path, *, chip: Path, mapping: Path, healthy: Optional[Path] = None, method: str = "lento", replay: bool = True,
             strict: bool = False, seed: int = 1) -> Diagnosis: ...
