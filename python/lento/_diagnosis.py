"""A verdict with its evidence, as Python objects, frames and text."""
import json

from . import _lento

_COLUMNS = ["subject", "category", "summary", "factor", "factor_of", "score", "lost_share", "begin", "end", "unit", "evidence",
            "next_step"]


class Findings(list):
    """Findings in order of blame, a dictionary each."""

    def to_frame(self):
        """The same as a pandas frame."""
        import pandas
        return pandas.DataFrame(list(self), columns=_COLUMNS)


class Diagnosis:
    """What was concluded: everything that the JSON form holds, and how it is shown. Can be compared, copied and pickled."""

    @classmethod
    def from_json(cls, text):
        """A diagnosis from what to_json() or `lento ... --json` wrote. Raises Error for other text."""
        return cls._of(_lento.checked(text.decode() if isinstance(text, bytes) else text))

    @classmethod
    def _of(cls, text):
        made = cls.__new__(cls)
        made._text = text
        made._members = json.loads(text)
        return made

    def __reduce__(self):
        return Diagnosis.from_json, (self._text,)

    def __eq__(self, other):
        return isinstance(other, Diagnosis) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def __getitem__(self, name):
        """A member of the JSON form, such as "expectations" (docs/formats/diagnosis.md)."""
        return self._members[name]

    @property
    def outcome(self):
        """"findings", "healthy", "cannot judge" or "answer" (nothing was judged: predictions, searches)."""
        return self._members["outcome"]

    @property
    def verdict(self):
        """One sentence."""
        return self._members.get("verdict", "")

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
    def notes(self):
        """Limits, and what could not be judged."""
        return list(self._members.get("notes", []))

    @property
    def facts(self):
        """Headline figures: name -> text with unit."""
        return dict(self._members.get("facts", []))

    @property
    def figures(self):
        """Pictures as data: a list of dictionaries with title, kind and data (docs/formats/diagnosis.md)."""
        return list(self._members.get("figures", []))

    @property
    def findings(self):
        """In order of blame, a dictionary each: subject, category, summary, factor (never below 1), factor_of, score, lost_share,
        begin, end, unit, evidence, next_step. `.to_frame()` makes a pandas frame of them."""
        return Findings(_row(finding) for finding in self._members["findings"])

    def to_frame(self):
        """The findings as a pandas frame."""
        return self.findings.to_frame()

    def to_json(self):
        """The machine form: the text that the command prints with --json."""
        return self._text

    def to_html(self):
        """One page that needs no network."""
        return _lento.html(self._text)

    def __str__(self):
        return _lento.text(self._text)

    def __repr__(self):
        return f"<lento.Diagnosis {self.outcome}: {self.verdict}>"

    def _repr_html_(self):
        page = self.to_html().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:640px;border:0" srcdoc="{page}"></iframe>'


def _row(finding):
    window = finding.get("when", {})
    row = {**finding, **{key: window.get(key) for key in ("begin", "end", "unit")}}
    return {column: row.get(column) for column in _COLUMNS}
