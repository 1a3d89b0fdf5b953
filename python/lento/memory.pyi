from os import PathLike
from typing import List, Sequence, Tuple, Union

from ._diagnosis import Diagnosis

Path = Union[str, PathLike[str]]

def diagnose(traces: Union[Path, Sequence[Path]], *, programs: Union[Path, Sequence[Path]] = (), format: str = "auto",
             strict: bool = False) -> Diagnosis: ...
def itemsets(transactions: Path, *, support: Union[int, str], kind: str = "closed", threads: int = 0) -> List[Tuple[List[int], int]]: ...
