// Simulates a list schedule of kernels and transfers as discrete events: a task starts when its predecessors
// are done and its device or link is free. Ties are resolved in the order of start, so the result is
// deterministic. Cost: the number of tasks times the number of ready tasks.
#include "predict/crossflow/schedule.h"

#include <algorithm>
#include <queue>
#include <vector>

namespace lento::predict {
namespace {

// A kernel on device `place` or a transfer on link `place`. A transfer with place -1 goes through memory and
// occupies no resource. At its end the released CrossFlow tool marks the last link free, and this does the
// same.
struct Task {
  double duration = 0;
  int place = -1;
  bool transfer = false;
  int waits_for = 0;
  std::vector<int> next;
};

class TaskGraph {
 public:
  int kernel(double duration, int device) {
    return add({duration, device, false, 0, {}});
  }
  int transfer(double duration, int link) {
    return add({duration, link, true, 0, {}});
  }
  void order(int before, int after) {
    tasks_[size_t(before)].next.push_back(after);
    ++tasks_[size_t(after)].waits_for;
  }
  void chain(int before, int through, int after) {
    order(before, through);
    order(through, after);
  }
  double run(int root, int devices);

 private:
  int add(Task task) {
    tasks_.push_back(std::move(task));
    return int(tasks_.size()) - 1;
  }
  std::vector<Task> tasks_;
};

double TaskGraph::run(int root, int devices) {
  struct Event {
    double time;
    int order;
    int task;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<bool> device_free(size_t(devices), true);
  std::vector<bool> link_free(size_t(2 * devices - 1), true);
  std::vector<int> ready;
  int order = 0;
  double now = 0;
  const auto slot = [&](const Task& task) -> std::vector<bool>::reference {
    std::vector<bool>& free = task.transfer ? link_free : device_free;
    return free[task.place < 0 ? free.size() - 1 : size_t(task.place)];
  };
  const auto start = [&](int id) {
    const Task& task = tasks_[size_t(id)];
    events.push({now + task.duration, order++, id});
    if (task.place >= 0)
      slot(task) = false;
  };
  start(root);
  while (!events.empty()) {
    const Event event = events.top();
    events.pop();
    now = event.time;
    const Task& done = tasks_[size_t(event.task)];
    for (const int child : done.next) {
      if (--tasks_[size_t(child)].waits_for == 0)
        ready.push_back(child);
    }
    slot(done) = true;
    std::vector<int> waiting;
    for (const int id : ready) {
      const Task& task = tasks_[size_t(id)];
      if (task.place < 0 || slot(task))
        start(id);
      else
        waiting.push_back(id);
    }
    ready = std::move(waiting);
  }
  return now;
}

struct DeviceLayout {
  GridShape shape;
  int layers_per_device;

  explicit DeviceLayout(const GridShape& s)
      : shape(s) {
    const int holders = s.devices > 2 ? s.devices - 2 : s.devices;
    layers_per_device = (s.layers + holders - 1) / holders;
  }
  int device_of(int layer) const {
    return shape.devices == 1 ? 0 : std::min(shape.devices - 1, layer / layers_per_device + 1);
  }
  bool leaves_device(int layer) const {
    return shape.devices > 1 && (layer + 1) % layers_per_device == 0;
  }
  int link_above(int layer) const {
    return leaves_device(layer) ? std::min(2 * shape.devices - 2, (layer + 1) / layers_per_device) : -1;
  }
  int end_link() const {
    return shape.devices - 2;
  }
};

struct Grid {
  std::vector<int> embedding;
  std::vector<int> softmax;
  std::vector<std::vector<int>> cell;
};

// Adds the kernels of all time steps to the graph: embedding on the first device, cells by layer, softmax on
// the last.
Grid add_kernels(TaskGraph& g, const DeviceLayout& at, double embedding, double cell, double softmax) {
  Grid grid;
  for (int t = 0; t < at.shape.sequence; ++t) {
    grid.embedding.push_back(g.kernel(embedding, 0));
    grid.softmax.push_back(g.kernel(softmax, at.shape.devices - 1));
  }
  for (int layer = 0; layer < at.shape.layers; ++layer) {
    grid.cell.emplace_back();
    for (int t = 0; t < at.shape.sequence; ++t)
      grid.cell.back().push_back(g.kernel(cell, at.device_of(layer)));
  }
  return grid;
}

}  // namespace

// Returns the seconds of the forward pass. A cell waits for the previous step of its layer and for the layer
// below.
double forward_time(const StepTimes& s, const GridShape& shape) {
  const DeviceLayout at(shape);
  TaskGraph g;
  const Grid grid = add_kernels(g, at, s.embedding_f, s.cell_f, s.softmax_f);
  const int last = shape.layers - 1;
  for (int layer = 0; layer < shape.layers; ++layer) {
    const auto& cells = grid.cell[size_t(layer)];
    for (int t = 0; t + 1 < shape.sequence; ++t)
      g.chain(cells[size_t(t)], g.transfer(0, -1), cells[size_t(t) + 1]);
  }
  for (size_t t = 0; t < size_t(shape.sequence); ++t) {
    g.chain(grid.embedding[t], g.transfer(s.hop, shape.devices == 1 ? -1 : 0), grid.cell[0][t]);
    g.chain(grid.cell[size_t(last)][t], g.transfer(s.hop, at.end_link()), grid.softmax[t]);
    for (int layer = 0; layer < last; ++layer) {
      const int link = at.link_above(layer);
      g.chain(
          grid.cell[size_t(layer)][t],
          g.transfer(link < 0 ? 0 : s.hop, link),
          grid.cell[size_t(layer) + 1][t]);
    }
  }
  // Within a device, an upper layer's step precedes the lower layer's next one, so that the next device
  // starts soon.
  for (int layer = 1; layer < shape.layers; ++layer) {
    if (layer % at.layers_per_device == 0)
      continue;
    for (size_t t = 0; t + 1 < size_t(shape.sequence); ++t) {
      g.chain(grid.cell[size_t(layer)][t], g.transfer(0, -1), grid.cell[size_t(layer) - 1][t + 1]);
    }
  }
  for (size_t t = 0; t + 1 < size_t(shape.sequence); ++t)
    g.chain(grid.embedding[t], g.transfer(0, -1), grid.embedding[t + 1]);
  return g.run(grid.embedding[0], shape.devices);
}

// Returns the seconds of the backward pass, with the reductions of weights after the last step.
double backward_time(const StepTimes& s, const GridShape& shape) {
  const DeviceLayout at(shape);
  TaskGraph g;
  const Grid grid = add_kernels(g, at, s.embedding_b, s.cell_b, s.softmax_b);
  const int last = shape.layers - 1;
  for (int layer = 0; layer < shape.layers; ++layer) {
    const auto& cells = grid.cell[size_t(layer)];
    for (size_t t = size_t(shape.sequence) - 1; t > 0; --t)
      g.chain(cells[t], g.transfer(0, -1), cells[t - 1]);
  }
  for (size_t t = 0; t < size_t(shape.sequence); ++t) {
    g.chain(grid.cell[0][t], g.transfer(s.hop, shape.devices == 1 ? -1 : 0), grid.embedding[t]);
    g.chain(grid.softmax[t], g.transfer(s.hop, at.end_link()), grid.cell[size_t(last)][t]);
  }
  for (int layer = last; layer > 0; --layer) {
    const int link = at.link_above(layer - 1);
    for (size_t t = 0; t < size_t(shape.sequence); ++t) {
      g.chain(
          grid.cell[size_t(layer)][t],
          g.transfer(link < 0 ? 0 : s.hop, link),
          grid.cell[size_t(layer) - 1][t]);
    }
  }
  for (int layer = 0; layer < last; ++layer) {
    if (at.leaves_device(layer) || (layer + 1) % at.layers_per_device == 0)
      continue;
    for (size_t t = 1; t < size_t(shape.sequence); ++t) {
      g.chain(grid.cell[size_t(layer)][t], g.transfer(0, -1), grid.cell[size_t(layer) + 1][t - 1]);
    }
  }
  for (size_t t = 1; t < size_t(shape.sequence); ++t)
    g.chain(grid.softmax[t], g.transfer(0, -1), grid.softmax[t - 1]);
  g.order(grid.softmax[0], g.transfer(s.reduce_softmax, 2 * shape.devices - 2));
  g.order(grid.embedding[0], g.transfer(s.reduce_embedding, shape.devices - 1));
  for (int layer = 0; layer < shape.layers; ++layer) {
    const int link = shape.devices == 1
                         ? 0
                         : std::min(2 * shape.devices - 2, layer / at.layers_per_device + shape.devices);
    g.order(grid.cell[size_t(layer)][0], g.transfer(s.reduce_cell, link));
  }
  return g.run(grid.softmax.back(), shape.devices);
}

}  // namespace lento::predict
