from os import PathLike
from typing import Optional, Sequence, Union

import pandas

from ._diagnosis import Diagnosis

Path = Union[str, PathLike[str]]

def diagnose(metrics: Union[pandas.DataFrame, Path, Sequence[Path]], *, machine: str = "machine", time: str = "time", unit: str = "s",
             columns: Optional[Sequence[str]] = None, labels: Sequence[str] = (), false_alarms_per_day: float = 0.1,
             strict: bool = False, threads: int = 0) -> Diagnosis: ...
