// Operators that act element by element. Two inputs are broadcast to one shape by NumPy's rule.
#include <algorithm>
#include <cmath>

#include "lab/neural/operators.h"
#include "spec/shape_math.h"

namespace lento::tile {
namespace {

using spec::Shape;
using spec::TensorValue;

// Returns for each axis of `out` the distance of one step in a tensor of `shape`, or 0 where the tensor is
// repeated.
std::vector<size_t> strides_in(const Shape& shape, const Shape& out) {
  std::vector<size_t> strides(out.size(), 0);
  size_t step = 1;
  for (size_t back = 1; back <= shape.size(); ++back) {
    const auto extent = size_t(shape[shape.size() - back]);
    if (extent != 1)
      strides[out.size() - back] = step;
    step *= extent;
  }
  return strides;
}

// Walks `out` row by row (its last axis) and calls row(out, a, b, length, step of a, step of b).
template <class Row>
void for_rows(const Shape& out, const Shape& a, const Shape& b, Row row) {
  const std::vector<size_t> step_a = strides_in(a, out);
  const std::vector<size_t> step_b = strides_in(b, out);
  const size_t rank = out.size();
  const size_t length = rank ? size_t(out.back()) : 1;
  const auto total = size_t(spec::element_count(out));
  std::vector<size_t> index(rank, 0);
  size_t at_a = 0;
  size_t at_b = 0;
  for (size_t at = 0; at < total; at += length) {
    row(at, at_a, at_b, length, rank ? step_a.back() : 0, rank ? step_b.back() : 0);
    for (size_t axis = rank; axis-- > 1;) {
      const size_t up = axis - 1;
      at_a += step_a[up];
      at_b += step_b[up];
      if (++index[up] < size_t(out[up]))
        break;
      at_a -= index[up] * step_a[up];
      at_b -= index[up] * step_b[up];
      index[up] = 0;
    }
  }
}

template <class F>
TensorValue binary(const Call& call, F function) {
  const TensorValue& a = call.input(0);
  const TensorValue& b = call.input(1);
  if (a.size() == 0 || b.size() == 0)
    call.refuse("an input is empty");
  if (a.integer != b.integer)
    call.refuse("one input holds integers, the other does not");
  TensorValue out = call.make(spec::broadcast(a.shape, b.shape, call.where), a.integer);
  const auto apply = [&](const auto& x, const auto& y, auto& z) {
    for_rows(
        out.shape,
        a.shape,
        b.shape,
        [&](size_t at, size_t i, size_t j, size_t length, size_t step_i, size_t step_j) {
          for (size_t n = 0; n < length; ++n)
            z[at + n] = function(x[i + n * step_i], y[j + n * step_j]);
        });
  };
  if (a.integer)
    apply(a.integers, b.integers, out.integers);
  else
    apply(a.floats, b.floats, out.floats);
  return out;
}

template <class F>
TensorValue unary(const Call& call, F function) {
  const TensorValue& a = call.floats(0);
  TensorValue out = call.make(a.shape);
  std::transform(a.floats.begin(), a.floats.end(), out.floats.begin(), function);
  return out;
}

// Integer arithmetic wraps instead of being undefined.
int64_t wrap(uint64_t v) {
  return int64_t(v);
}

struct Sum {
  float operator()(float a, float b) const {
    return a + b;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    return wrap(uint64_t(a) + uint64_t(b));
  }
};
struct Difference {
  float operator()(float a, float b) const {
    return a - b;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    return wrap(uint64_t(a) - uint64_t(b));
  }
};
struct Product {
  float operator()(float a, float b) const {
    return a * b;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    return wrap(uint64_t(a) * uint64_t(b));
  }
};
struct Quotient {
  float operator()(float a, float b) const {
    return a / b;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    if (b == 0)
      return 0;
    if (b == -1)
      return wrap(0 - uint64_t(a));
    return a / b;
  }
};

}  // namespace

TensorValue add(const Call& call) {
  return binary(call, Sum{});
}
TensorValue subtract(const Call& call) {
  return binary(call, Difference{});
}
TensorValue multiply(const Call& call) {
  return binary(call, Product{});
}
TensorValue divide(const Call& call) {
  return binary(call, Quotient{});
}

TensorValue power(const Call& call) {
  call.floats(0), call.floats(1);
  return binary(call, [](auto a, auto b) -> decltype(a) {
    return static_cast<decltype(a)>(std::pow(double(a), double(b)));
  });
}

TensorValue square_root(const Call& call) {
  return unary(call, [](float x) {
    return std::sqrt(x);
  });
}

TensorValue relu(const Call& call) {
  return unary(call, [](float x) {
    return x > 0 ? x : 0;
  });
}

TensorValue sigmoid(const Call& call) {
  return unary(call, [](float x) {
    return 1 / (1 + std::exp(-x));
  });
}

TensorValue hard_sigmoid(const Call& call) {
  const float alpha = call.number(call.inputs.size(), "alpha", 0.2);
  const float beta = call.number(call.inputs.size(), "beta", 0.5);
  return unary(call, [=](float x) {
    return std::min(1.0f, std::max(0.0f, alpha * x + beta));
  });
}

TensorValue clip(const Call& call) {
  const float low = call.number(1, "min", -INFINITY);
  const float high = call.number(2, "max", INFINITY);
  return unary(call, [=](float x) {
    return std::min(high, std::max(low, x));
  });
}

TensorValue cast(const Call& call) {
  constexpr int64_t kFloat = 1;
  constexpr int64_t kInt32 = 6;
  constexpr int64_t kInt64 = 7;
  const TensorValue& in = call.input(0);
  const int64_t to = call.op.integer("to", 0);
  if (to != kFloat && to != kInt32 && to != kInt64)
    call.refuse("a cast to element type " + std::to_string(to) + " is not known");
  TensorValue out = call.make(in.shape, to != kFloat);
  if (in.integer == out.integer)
    return in;
  if (out.integer) {
    for (size_t i = 0; i < in.size(); ++i) {
      if (!(std::abs(in.floats[i]) < 9e18f))
        call.refuse("a number does not fit an integer");
      out.integers[i] = int64_t(in.floats[i]);
    }
  } else {
    std::ranges::copy(in.integers, out.floats.begin());
  }
  return out;
}

}  // namespace lento::tile
