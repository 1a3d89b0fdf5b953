// Lays the workers of a parallel job on packages and counts the load of each link. Dimensions are laid from
// the outermost inwards, each as blocks placed by a scan of its region. Every edge of the rings and lines is
// then routed and counted on its physical links. Source: CrossFlow, section 5.1, and the released tool's
// mapping helper. Cost: linear in the workers.
#include "predict/crossflow/placement.h"

#include <algorithm>
#include <set>

namespace lento::predict {
namespace {

struct Place {
  int x = 0;
  int y = 0;
  int package = 0;
};

struct Region {
  // The region's first node.
  int x = 0;
  int y = 0;
  // The size in nodes into which the blocks of the inner dimensions must fit.
  int width = 0;
  int height = 0;
  int end_x = 0;
  int end_y = 0;
  int first_package = 0;
  int packages = 1;
};

enum class Scan {
  RowSnake,
  ColumnSnake,
  Rows,
  Columns
};

// Lays the parallel dimensions from the outermost (last in the order) inwards: a block of nodes for each
// index, placed by a scan of the region, then the remaining dimensions inside the block.
class Layout {
 public:
  Layout(const ParallelShape& shape, int dim, int packages)
      : shape_(shape),
        dim_(dim),
        packages_(packages),
        index_(size_t(dim * dim * packages), {-1, -1, -1, -1}) {
  }

  bool lay(const DimensionOrder& order) {
    place({order.begin(), order.end()}, {0, 0, dim_, dim_, dim_, dim_, 0, packages_});
    return ok_;
  }

  // Returns the node of each worker, with kp1 varying fastest. Returns an empty list when a worker has no
  // node.
  std::vector<Place> workers() const {
    std::vector<Place> out(size_t(shape_[0] * shape_[1] * shape_[2] * shape_[3]), {-1, -1, -1});
    for (int p = 0; p < packages_; ++p) {
      for (int x = 0; x < dim_; ++x) {
        for (int y = 0; y < dim_; ++y) {
          const auto& at = index_[slot({x, y, p})];
          bool held = true;  // false for nodes past the last index: a scan covers the whole region
          for (size_t d = 0; d < 4; ++d)
            held = held && at[d] >= 0 && at[d] < shape_[d];
          if (!held)
            continue;
          out[size_t(((at[3] * shape_[2] + at[2]) * shape_[1] + at[1]) * shape_[0] + at[0])] = {x, y, p};
        }
      }
    }
    const bool whole = std::ranges::all_of(out, [](const Place& p) {
      return p.x >= 0;
    });
    return whole ? out : std::vector<Place>{};
  }

 private:
  size_t slot(const Place& at) const {
    return size_t((at.package * dim_ + at.x) * dim_ + at.y);
  }

  // Lays the remaining parallel dimensions into a region: the outermost one as blocks, the others inside
  // each block.
  void place(std::vector<int> order, const Region& r) {
    if (order.empty() || !ok_)
      return;
    const int first = shape_[size_t(order.front())];
    if (order.size() == 1) {
      scan(first <= r.height ? Scan::Rows : Scan::ColumnSnake, 1, 1, order, r);
      return;
    }
    int inner = 1;  // product of the dimensions between the first and the last
    for (size_t i = 1; i + 1 < order.size(); ++i)
      inner *= shape_[size_t(order[i])];
    if (first <= r.height) {
      if (order.size() == 2 || inner <= r.width)
        return scan(Scan::RowSnake, inner, first, order, r);
      const int tall = first * (inner / r.width);
      if (tall <= r.height)
        return scan(Scan::Rows, r.width, tall, order, r);
    } else {
      const int wide = (first / r.height) * inner;
      if (wide <= r.width)
        return scan(Scan::Columns, wide, r.height, order, r);
    }
    by_package(order, r);
  }

  // Lays the outermost parallel dimension over whole packages, when there are enough of them.
  void by_package(std::vector<int> order, const Region& r) {
    const int dimension = order.back();
    const int count = shape_[size_t(dimension)];
    order.pop_back();
    if (r.packages < count || r.packages < 2) {
      ok_ = false;
      return;
    }
    const int step = r.packages / count;
    int index = 0;
    for (int from = 0; from < r.packages; from += step, ++index) {
      const int packages = std::min(step, r.packages - from);
      for (int p = 0; p < packages; ++p)
        assign(0, 0, dim_, dim_, r.first_package + from + p, dimension, index);
      Region inside = r;
      inside.first_package = r.first_package + from;
      inside.packages = packages;
      inside.end_x = packages == 1 ? r.x + r.width : dim_;
      inside.end_y = packages == 1 ? r.y + r.height : dim_;
      place(order, inside);
    }
  }

  // Lays blocks of width x height nodes for each index of a parallel dimension, in the order of the scan,
  // over one package after another.
  void scan(Scan how, int width, int height, std::vector<int> order, const Region& r) {
    const int dimension = order.back();
    const int count = shape_[size_t(dimension)];
    order.pop_back();
    int index = 0;
    for (int package = r.first_package; index < count && ok_; ++package) {
      const int before = index;
      for (const auto& [x, y] : block_starts(how, width, height, r)) {
        const bool rows = how == Scan::Rows;
        const bool columns = how == Scan::Columns;
        assign(
            rows ? r.x : x,
            columns ? r.y : y,
            rows ? r.end_x - r.x : width,
            columns ? r.end_y - r.y : height,
            package,
            dimension,
            index++);
        if (!ok_)
          return;
        place(
            order,
            {rows ? r.x : x,
             columns ? r.y : y,
             width,
             height,
             (rows ? r.x : x) + width,
             (columns ? r.y : y) + height,
             package,
             1});
      }
      if (index == before)
        ok_ = false;
    }
  }

  // Returns the upper left corners of the blocks in a region, in the order in which they are filled.
  static std::vector<std::pair<int, int>> block_starts(Scan how, int width, int height, const Region& r) {
    std::vector<std::pair<int, int>> starts;
    const auto line = [](int from, int to, int step, bool forward) {
      std::vector<int> at;
      if (forward) {
        for (int v = from; v < to; v += step)
          at.push_back(v);
      } else {
        for (int v = to - 1; v >= from; v -= step)
          at.push_back(v - step + 1);
      }
      return at;
    };
    bool forward = true;
    switch (how) {
      case Scan::Rows:
        for (const int y : line(r.y, r.end_y, height, true))
          starts.emplace_back(r.x, y);
        break;
      case Scan::Columns:
        for (const int x : line(r.x, r.end_x, width, true))
          starts.emplace_back(x, r.y);
        break;
      case Scan::RowSnake:
        for (const int y : line(r.y, r.end_y, height, true)) {
          for (const int x : line(r.x, r.end_x, width, forward))
            starts.emplace_back(x, y);
          forward = !forward;
        }
        break;
      case Scan::ColumnSnake:
        for (const int x : line(r.x, r.end_x, width, true)) {
          for (const int y : line(r.y, r.end_y, height, forward))
            starts.emplace_back(x, y);
          forward = !forward;
        }
        break;
    }
    return starts;
  }

  // Gives all nodes of a block the same worker index in a parallel dimension. Clears ok_ when the block
  // leaves the package.
  void assign(int x, int y, int width, int height, int package, int dimension, int index) {
    if (x < 0 || y < 0 || x + width > dim_ || y + height > dim_ || package >= packages_) {
      ok_ = false;
      return;
    }
    for (int i = x; i < x + width; ++i) {
      for (int j = y; j < y + height; ++j)
        index_[slot({i, j, package})][size_t(dimension)] = index;
    }
  }

  ParallelShape shape_;
  int dim_;
  int packages_;
  bool ok_ = true;
  std::vector<std::array<int, 4>> index_;
};

// Counts logical edges on each physical link: along x, along y inside packages, and across packages by row.
class LinkLoad {
 public:
  LinkLoad(int dim, int packages)
      : dim_(dim),
        x_(size_t(dim * dim * packages)),
        y_(x_.size()),
        across_(size_t(dim * packages)) {
  }

  // Adds an edge between two nodes to the load of the links on its route, X first inside a package.
  void route(Place from, Place to) {
    const bool turned = from.package == to.package ? from.x > to.x : from.package > to.package;
    if (turned)
      std::swap(from, to);
    if (from.package == to.package) {
      walk_x(from.package, from.y, from.x, to.x);
      walk_y(from.package, to.x, from.y, to.y);
      return;
    }
    walk_x(from.package, from.y, from.x, dim_ - 1);
    // The route changes its row in the package of `from`, or in that of `to` when the two were swapped. That
    // is always the package in which the caller's edge begins.
    walk_y(turned ? to.package : from.package, dim_ - 1, from.y, to.y);
    ++across_[size_t(from.package * dim_ + to.y)];
    walk_x(to.package, to.y, 0, to.x);
  }

  int most_inside() const {
    return std::max(*std::ranges::max_element(x_), *std::ranges::max_element(y_));
  }
  int most_across() const {
    return *std::ranges::max_element(across_);
  }

 private:
  size_t at(int package, int major, int minor) const {
    return size_t((package * dim_ + major) * dim_ + minor);
  }
  void walk_x(int package, int y, int from, int to) {
    for (int x = from; x < to; ++x)
      ++x_[at(package, y, x)];
  }
  void walk_y(int package, int x, int from, int to) {
    for (int y = from; y < to; ++y)
      ++y_[at(package, x, y)];
    for (int y = from; y > to; --y)
      ++y_[at(package, x, y)];
  }

  int dim_;
  std::vector<int> x_;
  std::vector<int> y_;
  std::vector<int> across_;
};

}  // namespace

// Returns the orders that differ in the sizes of their dimensions, because equal sizes give equal
// placements.
std::vector<DimensionOrder> distinct_orders(const ParallelShape& shape) {
  std::vector<int> live;
  std::vector<int> trivial;
  for (int i = 0; i < 4; ++i)
    (shape[size_t(i)] > 1 ? live : trivial).push_back(i);
  std::vector<DimensionOrder> orders;
  std::set<std::vector<int>> seen;
  do {
    std::vector<int> sizes;
    DimensionOrder order{};
    size_t n = 0;
    for (const int d : live)
      order[n++] = d;
    for (const int d : trivial)
      order[n++] = d;
    for (const int d : order)
      sizes.push_back(shape[size_t(d)]);
    if (seen.insert(sizes).second)
      orders.push_back(order);
  } while (std::next_permutation(live.begin(), live.end()));
  return orders;
}

// Places the workers in one order, and counts the logical edges on the busiest link inside and between
// packages.
PlacementResult place(const ParallelShape& shape, const DimensionOrder& order, int dim) {
  const int workers = shape[0] * shape[1] * shape[2] * shape[3];
  const int packages = (workers + dim * dim - 1) / (dim * dim);
  Layout layout(shape, dim, packages);
  if (!layout.lay(order))
    return {};
  const std::vector<Place> at = layout.workers();
  if (at.empty())
    return {};
  PlacementResult result;
  result.fits = true;
  LinkLoad load(dim, packages);
  int stride = 1;
  for (size_t d = 0; d < 4; ++d) {
    const int count = shape[d];
    const int edges = count > 2 && d != 3 ? count : count - 1;  // rings, but a line of layers
    for (int worker = 0; worker < workers; ++worker) {
      const int index = worker / stride % count;
      if (index >= edges)
        continue;
      const Place& from = at[size_t(worker)];
      const Place& to = at[size_t(worker + ((index + 1) % count - index) * stride)];
      load.route(from, to);
      result.derate.crosses[d] = result.derate.crosses[d] || from.package != to.package;
    }
    stride *= count;
  }
  result.derate.inter = load.most_across();
  result.derate.intra = load.most_inside();
  return result;
}

}  // namespace lento::predict
