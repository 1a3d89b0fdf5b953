"""Frames of other libraries, made here with nothing but ctypes: an Arrow C stream and the interchange protocol."""
import ctypes

from lento import _frames as f


class ArrowFrame:
    """A table that offers __arrow_c_stream__, in chunks, with nulls, dictionaries, times and texts. `columns`: name -> list."""

    def __init__(self, columns, chunk=7, dictionary=()):
        self.columns, self.chunk, self.dictionary, self.kept = columns, chunk, set(dictionary), []

    def _text(self, text):
        return text.encode()

    def _schema(self, out, kind, name="", children=(), dictionary=None):
        out.format, out.name, out.n_children = self._text(kind), self._text(name), len(children)
        pointers = (ctypes.POINTER(f._Schema) * max(1, len(children)))(*[ctypes.pointer(c) for c in children])
        self.kept += [pointers, children, dictionary]
        out.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(f._Schema)))
        if dictionary is not None:
            out.dictionary = ctypes.pointer(dictionary)
        out.release = type(out.release)(lambda _: None)
        self.kept.append(out.release)
        return out

    def _array(self, out, length, buffers, nulls=0, children=(), dictionary=None):
        held = (ctypes.c_void_p * max(1, len(buffers)))(*[ctypes.addressof(b) if b is not None else None for b in buffers])
        pointers = (ctypes.POINTER(f._Array) * max(1, len(children)))(*[ctypes.pointer(c) for c in children])
        self.kept += [held, buffers, pointers, children, dictionary]
        out.length, out.null_count, out.offset, out.n_buffers, out.n_children = length, nulls, 0, len(buffers), len(children)
        out.buffers = ctypes.cast(held, ctypes.POINTER(ctypes.c_void_p))
        out.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(f._Array)))
        if dictionary is not None:
            out.dictionary = ctypes.pointer(dictionary)
        out.release = type(out.release)(lambda _: None)
        self.kept.append(out.release)
        return out

    def _kind(self, name, values):
        known = [v for v in values if v is not None]
        if name in self.dictionary:
            return "i"
        if all(isinstance(v, int) for v in known):
            return "l"
        return "g" if all(isinstance(v, (int, float)) for v in known) else "u"

    def _texts(self, values):
        bodies = [(v or "").encode() for v in values]
        places = [0]
        for body in bodies:
            places.append(places[-1] + len(body))
        return (ctypes.c_int32 * len(places))(*places), ctypes.create_string_buffer(b"".join(bodies) or b"\0")

    def _column(self, name, values):
        kind = self._kind(name, self.columns[name])
        bits = (ctypes.c_uint8 * (len(values) // 8 + 1))()
        for i, value in enumerate(values):
            bits[i // 8] |= (value is not None) << (i % 8)
        nulls = sum(value is None for value in values)
        if name in self.dictionary:
            words = sorted({v for v in self.columns[name] if v is not None})
            codes = (ctypes.c_int32 * max(1, len(values)))(*[words.index(v) if v is not None else 0 for v in values])
            inner = self._array(f._Array(), len(words), [None, *self._texts(words)])
            return self._array(f._Array(), len(values), [bits, codes], nulls, dictionary=inner)
        if kind == "u":
            return self._array(f._Array(), len(values), [bits, *self._texts(values)], nulls)
        ctype = ctypes.c_int64 if kind == "l" else ctypes.c_double
        return self._array(f._Array(), len(values), [bits, (ctype * max(1, len(values)))(*[v or 0 for v in values])], nulls)

    def __arrow_c_stream__(self, requested_schema=None):
        rows = len(next(iter(self.columns.values())))
        state = {"at": 0}

        def get_schema(_, out):
            children = [self._schema(f._Schema(), self._kind(n, v), n,
                                     dictionary=self._schema(f._Schema(), "u") if n in self.dictionary else None)
                        for n, v in self.columns.items()]
            self._schema(out.contents, "+s", "", children)
            return 0

        def get_next(_, out):
            at = state["at"]
            if at >= rows:
                out.contents.release = type(out.contents.release)()
                return 0
            state["at"] = at + self.chunk
            length = min(self.chunk, rows - at)
            self._array(out.contents, length, [None],
                        children=[self._column(n, v[at:at + self.chunk]) for n, v in self.columns.items()])
            return 0

        stream = f._Stream()
        kinds = dict(f._Stream._fields_)
        stream.get_schema, stream.get_next = kinds["get_schema"](get_schema), kinds["get_next"](get_next)
        stream.get_last_error, stream.release = kinds["get_last_error"](lambda _: b""), kinds["release"](lambda _: None)
        self.kept += [stream, stream.get_schema, stream.get_next, stream.get_last_error, stream.release]
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(stream), b"arrow_array_stream", None)


class InterchangeFrame:
    """A table of which only __dataframe__ is known."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__()
