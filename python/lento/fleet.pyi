from os import PathLike
from typing import Optional, Sequence, Union

import pandas

from ._diagnosis import Diagnosis

Path = Union[str, PathLike[str]]

def diagnose(metrics: Union[pandas.DataFrame, Path, Sequence[Path]], *, machine: str = "", device: str = "", time: str = "",
             unit: str = "", metric: str = "", value: str = "", columns: Optional[Sequence[str]] = None, labels: Sequence[str] = (),
             false_alarms_per_day: float = 0.0, strict: bool = False, threads: int = 0) -> Diagnosis: ...
