"""A verdict with its evidence, as Python objects, frames and text."""
import json


class Diagnosis:
    """What was concluded. Everything that the JSON form holds, and how it is shown."""

    def __init__(self, inner):
        self._inner = inner
        self._members = json.loads(inner.to_json())

    @property
    def outcome(self):
        """"findings", "healthy", "cannot judge" or "answer" (nothing was judged: predictions, searches)."""
        return self._members["outcome"]

    @property
    def verdict(self):
        """One sentence."""
        return self._members["verdict"]

    @property
    def reason(self):
        """Why it could not be judged; "" otherwise."""
        return self._members.get("reason", "")

    @property
    def remedy(self):
        """What would help; "" unless it could not be judged."""
        return self._members.get("remedy", "")

    @property
    def covered(self):
        """What was looked at."""
        return self._members.get("covered", "")

    @property
    def facts(self):
        """Headline figures: name -> text with unit."""
        return dict(self._members.get("facts", []))

    @property
    def figures(self):
        """Pictures as data: a list of dictionaries with title, kind and data (docs/formats/diagnosis.md)."""
        return self._members.get("figures", [])

    @property
    def findings(self):
        """In order of blame, with subject, category, factor (1 = as it should be), score, begin, end, unit, evidence.

        A pandas frame where pandas is installed, else a list of dictionaries.
        """
        rows = [_row(finding) for finding in self._members["findings"]]
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows, columns=_COLUMNS)

    def to_json(self):
        """The machine form: the text that the command prints with --json."""
        return self._inner.to_json()

    def to_html(self):
        """One page that needs no network."""
        return self._inner.to_html()

    def __str__(self):
        return self._inner.to_text()

    def __repr__(self):
        return f"<lento.Diagnosis {self.outcome}: {self.verdict}>"

    def _repr_html_(self):
        page = self.to_html().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:640px;border:0" srcdoc="{page}"></iframe>'


_COLUMNS = ["subject", "category", "summary", "factor", "score", "lost_share", "begin", "end", "unit", "evidence", "next_step"]


def _row(finding):
    window = finding.get("when", {})
    row = {**finding, **{key: window.get(key) for key in ("begin", "end", "unit")}}
    return {column: row.get(column) for column in _COLUMNS}
