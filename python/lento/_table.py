"""Columns of a pandas frame as the module takes them."""


def column(name, series):
    """Numbers where they lie, unless the frame holds its columns apart; words, and times as words, as codes."""
    import numpy
    import pandas
    kind = getattr(series.dtype, "kind", "O")
    if kind in "iub" and not pandas.api.types.is_extension_array_dtype(series.dtype):
        return name, numpy.ascontiguousarray(series.to_numpy(dtype="int64"))
    if pandas.api.types.is_numeric_dtype(series.dtype):
        return name, numpy.ascontiguousarray(series.to_numpy(dtype="float64", na_value=numpy.nan))
    codes, words = pandas.factorize(series)
    if pandas.api.types.is_datetime64_any_dtype(series.dtype):
        return name, codes.astype("int32"), [str(word.isoformat(sep=" ", timespec="milliseconds")) for word in words]
    return name, codes.astype("int32"), [str(word) for word in words]
