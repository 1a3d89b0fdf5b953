"""Frames of any library as columns: pandas, the Arrow C stream (polars, pyarrow, duckdb), the interchange protocol, dictionaries.

A column is (name, int64 array), (name, float64 array) or (name, int32 codes, words); a negative code is an empty field. Arrow's
structures are those of https://arrow.apache.org/docs/format/CStreamInterface.html, read with ctypes, so that no library is needed.
"""
import ctypes


def is_frame(value):
    return (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__dataframe__") or isinstance(value, dict)
            or hasattr(value, "iloc") and hasattr(value, "columns"))


def names_of(frame):
    if isinstance(frame, dict):
        return [str(name) for name in frame]
    if hasattr(frame, "iloc"):
        return [column[0] for column in _of_pandas(frame.iloc[:1])]
    return [column[0] for column in columns_of(frame)]


def columns_of(frame):
    if isinstance(frame, dict):
        return [_of_values(str(name), values) for name, values in frame.items()]
    if hasattr(frame, "iloc"):
        return _of_pandas(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        return _of_arrow(frame.__arrow_c_stream__())
    return _of_interchange(frame.__dataframe__())


def plain(frame):
    """Name -> values, for the frames of libraries that are not pandas."""
    import numpy
    out = {}
    for name, values, *words in columns_of(frame):
        out[name] = values if not words else numpy.array([*words[0], None], dtype=object)[values]
    return out


def _words(name, values):
    """Texts, times and whatever else, each distinct one once."""
    import numpy
    codes = {}
    out = numpy.empty(len(values), dtype="int32")
    for i, value in enumerate(values):
        missing = value is None or value != value
        out[i] = -1 if missing else codes.setdefault(value if isinstance(value, str) else str(value), len(codes))
    return name, out, list(codes)


def _of_values(name, values):
    import numpy
    array = values.to_numpy() if hasattr(values, "to_numpy") else numpy.asarray(values)
    if array.dtype.kind in "iub":
        return name, numpy.ascontiguousarray(array, dtype="int64")
    if array.dtype.kind == "m":
        array = array / numpy.timedelta64(1, "s")
    if array.dtype.kind == "f":
        return name, numpy.ascontiguousarray(array, dtype="float64")
    return _times(name, array) if array.dtype.kind == "M" else _words(name, array.tolist())


def _times(name, array):
    """datetime64 as ISO text with milliseconds."""
    import numpy
    distinct, codes = numpy.unique(array.astype("datetime64[ms]"), return_inverse=True)
    empty = numpy.isnat(distinct)
    codes = numpy.where(empty[codes], -1, codes) if len(distinct) else codes
    return name, numpy.ascontiguousarray(codes, dtype="int32"), [str(t).replace("T", " ") for t in distinct]


_PLACES = {"host", "hostname", "node", "machine", "instance", "gpu", "device"}  # names of levels


def _tall(frame):
    """A frame with columns such as (metric, machine) as one with a column each, and a row a time and machine. Levels that are named
    after a machine and its device, (host, gpu) or (metric, host, gpu), become columns of these names."""
    import pandas
    levels = [list(frame.columns.unique(level)) for level in range(frame.columns.nlevels)]
    named = [name for name in frame.columns.names if str(name).lower() in _PLACES]
    if len(named) == 2:
        tall = frame.stack(named)
        return (tall.to_frame("value") if tall.ndim == 1 else tall).reset_index(level=named)
    if len(levels) != 2:
        raise ValueError(f"a frame with {len(levels)} levels of columns: stack it, so that each metric is one column")
    wide = [any(char.isdigit() for name in names for char in str(name)) for names in levels]
    machines = wide.index(True) if sum(wide) == 1 else max((0, 1), key=lambda level: len(levels[level]))
    return pandas.concat([frame.xs(name, axis=1, level=machines).assign(machine=str(name)) for name in levels[machines]])


def _with_index(frame):
    """The index as columns: each named level, and times of no name as 'time'."""
    import pandas
    times = isinstance(frame.index, (pandas.DatetimeIndex, pandas.TimedeltaIndex, pandas.PeriodIndex))
    if times and frame.index.name is None and "time" not in frame.columns:
        frame = frame.rename_axis(index="time")
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=named) if named else frame


def _of_pandas(frame):
    import numpy
    import pandas
    frame = _with_index(_tall(frame) if frame.columns.nlevels > 1 else frame)
    out = []
    for position, label in enumerate(frame.columns):
        name, series = str(label), frame.iloc[:, position]
        if pandas.api.types.is_timedelta64_dtype(series.dtype):
            series = series.dt.total_seconds()
        elif isinstance(series.dtype, pandas.PeriodDtype):
            series = series.dt.to_timestamp()
        extension = pandas.api.types.is_extension_array_dtype(series.dtype)
        if getattr(series.dtype, "kind", "O") in "iub" and not extension:
            out.append((name, numpy.ascontiguousarray(series.to_numpy(dtype="int64"))))
        elif pandas.api.types.is_numeric_dtype(series.dtype):
            out.append((name, numpy.ascontiguousarray(series.to_numpy(dtype="float64", na_value=numpy.nan))))
        else:
            codes, words = pandas.factorize(series)
            if pandas.api.types.is_datetime64_any_dtype(series.dtype):
                words = [word.isoformat(sep=" ", timespec="milliseconds") for word in words]
            out.append((name, codes.astype("int32"), [str(word) for word in words]))
    return out


_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4", "g": "f8"}


def _bytes_at(address, size):
    import numpy
    if not address or size <= 0:
        return numpy.zeros(0, dtype="u1")
    return numpy.frombuffer((ctypes.c_char * size).from_address(address), dtype="u1")


def _bits(address, offset, count):
    import numpy
    packed = _bytes_at(address, (offset + count + 7) // 8)
    return numpy.unpackbits(packed, bitorder="little")[offset:offset + count].astype(bool)


def _values(kind, address, offset, count):
    """Numbers of one Arrow format from a buffer, or None where the format is no plain number."""
    import numpy
    if kind == "b":
        return _bits(address, offset, count).astype("int64")
    code = _NUMBERS.get(kind)
    if kind.startswith("ts"):
        return _values("l", address, offset, count).astype(f"datetime64[{ {'s': 's', 'm': 'ms', 'u': 'us', 'n': 'ns'}[kind[2]]}]")
    if kind in ("tdD", "tdm"):
        days = kind == "tdD"
        return _values("i" if days else "l", address, offset, count).astype("datetime64[D]" if days else "datetime64[ms]")
    if code is None:
        return None
    width = numpy.dtype(code).itemsize
    return _bytes_at(address + offset * width if address else 0, count * width).view(code)


def _texts(kind, buffers, offset, count, valid):
    import numpy
    if kind == "vu":  # views: length, then either the text itself or a prefix, a buffer and a place
        views = _bytes_at(buffers[1] + 16 * offset, 16 * count).reshape(count, 16)
        out = []
        for i, view in enumerate(views):
            size = int(view[:4].view("i4")[0])
            if not valid[i]:
                out.append(None)
            elif size <= 12:
                out.append(view[4:4 + size].tobytes().decode())
            else:
                which, place = (int(n) for n in view[8:16].view("i4"))
                out.append(ctypes.string_at(buffers[2 + which] + place, size).decode())
        return out
    width = 4 if kind == "u" else 8
    places = _bytes_at(buffers[1] + width * offset, width * (count + 1)).view(f"i{width}")
    return [ctypes.string_at(buffers[2] + int(places[i]), int(places[i + 1] - places[i])).decode() if valid[i] else None
            for i in range(count)]


def _finished(name, pieces):
    """One column of the pieces of a stream: (values, valid) each, or lists of texts."""
    import numpy
    if any(isinstance(piece, list) for piece in pieces) or not pieces:
        return _words(name, [value for piece in pieces for value in piece])
    values = numpy.concatenate([values for values, _ in pieces])
    valid = numpy.concatenate([valid for _, valid in pieces])
    if values.dtype.kind == "M":
        return _times(name, numpy.where(valid, values, numpy.datetime64("NaT")))
    if values.dtype.kind == "f" or not valid.all():
        return name, numpy.where(valid, values.astype("float64"), numpy.nan)
    return name, numpy.ascontiguousarray(values, dtype="int64")


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
                    ("dictionary", ctypes.POINTER(_Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
                    ("private_data", ctypes.c_void_p)]


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                   ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.POINTER(_Array)),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))), ("private_data", ctypes.c_void_p)]


class _Stream(ctypes.Structure):
    pass


_Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
                    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
                    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
                    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))), ("private_data", ctypes.c_void_p)]


def _piece(schema, array, more_offset=0, count=None):
    """(values, valid) or texts of one array; rows of the struct above it shift and bound it."""
    import numpy
    count = array.length if count is None else count
    offset = array.offset + more_offset
    buffers = [array.buffers[i] or 0 for i in range(array.n_buffers)]
    valid = _bits(buffers[0], offset, count) if buffers and buffers[0] and array.null_count != 0 else numpy.ones(count, dtype=bool)
    kind = schema.format.decode()
    if schema.dictionary:
        codes = _values(kind, buffers[1], offset, count)
        words = _piece(schema.dictionary.contents, array.dictionary.contents)
        words = words if isinstance(words, list) else words[0].tolist()
        return [words[int(code)] if ok else None for code, ok in zip(codes, valid)]
    if kind in ("u", "U", "vu"):
        return _texts(kind, buffers, offset, count, valid)
    if kind == "n":
        return numpy.full(count, numpy.nan), numpy.zeros(count, dtype=bool)
    values = _values(kind, buffers[1], offset, count)
    if values is None:
        raise TypeError(f"a column of Arrow format '{kind}' is no number, text or time")
    return values.copy(), valid


def _of_arrow(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = _Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    schema = _Schema()
    if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)) != 0:
        raise ValueError(f"the frame cannot be read: {(stream.get_last_error(ctypes.byref(stream)) or b'').decode()}")
    try:
        fields = [schema.children[i].contents for i in range(schema.n_children)]
        pieces = [[] for _ in fields]
        while True:
            array = _Array()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(array)) != 0:
                raise ValueError(f"the frame cannot be read: {(stream.get_last_error(ctypes.byref(stream)) or b'').decode()}")
            if not array.release:
                break
            try:
                for i, field in enumerate(fields):
                    pieces[i].append(_piece(field, array.children[i].contents, array.offset, array.length))
            finally:
                array.release(ctypes.byref(array))
        return [_finished(field.name.decode(), pieces[i]) for i, field in enumerate(fields)]
    finally:
        schema.release(ctypes.byref(schema))


def _of_interchange(frame):
    """The protocol of __dataframe__: chunks of buffers, with the formats of Arrow."""
    out = []
    for name in frame.column_names():
        column = frame.get_column_by_name(name)
        out.append(_finished(str(name), [_chunk(chunk) for chunk in column.get_chunks()]))
    return out


def _chunk(column):
    import numpy
    count = column.size() if callable(column.size) else column.size
    buffers = column.get_buffers()
    offset = column.offset
    kind = column.dtype[2]
    valid = _present(column, buffers, offset, count)
    if int(column.dtype[0]) == 23:  # categorical: codes into a column of words
        codes = _values(buffers["data"][1][2], buffers["data"][0].ptr, offset, count)
        words = column.describe_categorical["categories"]
        words = _chunk(words) if hasattr(words, "get_buffers") else list(words)
        words = words if isinstance(words, list) else words[0].tolist()
        return [words[int(code)] if ok and code >= 0 else None for code, ok in zip(codes, valid)]
    if int(column.dtype[0]) == 21:
        places = buffers["offsets"][1][2]
        return _texts("U" if places in ("l", "L") else "u", [0, buffers["offsets"][0].ptr, buffers["data"][0].ptr], offset, count, valid)
    if kind == "b" and column.dtype[1] == 8:  # a byte each, as numpy has them
        kind = "C"
    values = _values(kind, buffers["data"][0].ptr, offset, count)
    if values is None:
        raise TypeError(f"a column of format '{kind}' is no number, text or time")
    return values.copy(), valid


def _present(column, buffers, offset, count):
    import numpy
    how, which = column.describe_null
    if int(how) in (3, 4) and buffers.get("validity"):
        address = buffers["validity"][0].ptr
        present = _bits(address, offset, count) if int(how) == 3 else _bytes_at(address + offset, count).astype(bool)
        return present if which == 0 else ~present
    if int(how) == 2 and int(column.dtype[0]) in (0, 1, 22):
        kind = "l" if int(column.dtype[0]) == 22 else column.dtype[2]
        return _values(kind, buffers["data"][0].ptr, offset, count) != which
    return numpy.ones(count, dtype=bool)
