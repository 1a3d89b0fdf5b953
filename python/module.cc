// lento._lento: the questions of the library for Python. Each function fills a question, releases the
// interpreter while it works, and returns the diagnosis as an object with its JSON, text and page. The
// package around it (lento/__init__.py) converts these to frames.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <span>

#include "lento/lento.h"

namespace py = pybind11;

namespace {

// The work runs beside the thread of the interpreter, which alone receives signals. That thread checks for
// them twenty times a second. At Ctrl-C it stops the work, waits for its end, and raises KeyboardInterrupt
// whatever the result is.
template <class Work>
auto run(const Work& work) {
  using Result = decltype(work(lento::Progress{}));
  std::atomic<bool> stopped = false;
  lento::Progress progress;
  progress.stop = [&stopped] {
    return stopped.load();
  };
  py::gil_scoped_release released;
  std::future<Result> done = std::async(std::launch::async, [&] {
    return work(progress);
  });
  while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    py::gil_scoped_acquire held;
    if (!stopped && PyErr_CheckSignals() != 0)
      stopped = true;
  }
  if (!stopped)
    return done.get();
  py::gil_scoped_acquire held;
  throw py::error_already_set();
}

// Converts the vector to an array, which owns it, without a copy.
template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* pointer) {
    delete static_cast<std::vector<T>*>(pointer);
  });
  return py::array_t<T>(py::ssize_t(kept->size()), kept->data(), owner);
}

template <class T>
using Values = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> span_of(const py::handle& values) {
  const auto array = values.cast<Values<T>>();  // the caller's list keeps it alive
  return {array.data(), size_t(array.size())};
}

// Rows of a column of numbers onto the grid: row i is step steps[i] of machine machines[i]. Later rows of one
// place win.
template <class T>
void scatter(
    const py::handle& column,
    std::span<const int64_t> steps,
    std::span<const int64_t> machines,
    size_t machine_count,
    std::span<float> grid) {
  const std::span<const T> values = span_of<T>(column);
  if (values.size() != steps.size() || values.size() != machines.size())
    throw lento::Error({"columns"}, "a column of another length than the times");
  for (size_t i = 0; i < values.size(); ++i)
    grid[size_t(steps[i]) * machine_count + size_t(machines[i])] = float(values[i]);
}

// Columns of a frame, float64 or float32, straight onto the grid.
lento::Metrics metrics_of(
    std::vector<std::string> machines,
    std::vector<std::string> names,
    int64_t begin_ms,
    int64_t step_ms,
    const Values<int64_t>& step_of_row,
    const Values<int64_t>& machine_of_row,
    const py::list& columns) {
  const std::span<const int64_t> steps = span_of<int64_t>(step_of_row);
  const std::span<const int64_t> which = span_of<int64_t>(machine_of_row);
  lento::Metrics metrics;
  const auto outside = [](std::span<const int64_t> places, size_t count) {
    return std::ranges::any_of(places, [count](int64_t place) {
      return place < 0 || size_t(place) >= count;
    });
  };
  metrics.steps = steps.empty() ? 0 : size_t(std::ranges::max(steps)) + 1;
  if (names.size() != columns.size() || outside(steps, metrics.steps) || outside(which, machines.size()))
    throw lento::Error({"columns"}, "rows that are on no step or of no machine");
  const size_t plane = metrics.steps * machines.size();
  metrics.values.assign(names.size() * plane, std::numeric_limits<float>::quiet_NaN());
  for (size_t m = 0; m < names.size(); ++m) {
    const std::span<float> grid = std::span(metrics.values).subspan(m * plane, plane);
    if (py::isinstance<Values<double>>(columns[m]))
      scatter<double>(columns[m], steps, which, machines.size(), grid);
    else
      scatter<float>(columns[m], steps, which, machines.size(), grid);
  }
  metrics.machines = std::move(machines);
  metrics.names = std::move(names);
  metrics.begin_ms = begin_ms;
  metrics.step_ms = step_ms;
  return metrics;
}

// (name, int64 array), (name, float64 array) or (name, int32 codes, words). The arrays are not copied.
lento::Column column_of(const py::tuple& given) {
  lento::Column column;
  column.name = given[0].cast<std::string>();
  if (given.size() == 3) {
    column.codes = span_of<int32_t>(given[1]);
    column.words = given[2].cast<std::vector<std::string>>();
  } else if (py::isinstance<Values<int64_t>>(given[1])) {
    column.integers = span_of<int64_t>(given[1]);
  } else {
    column.numbers = span_of<double>(given[1]);
  }
  return column;
}

py::dict answers_to_python(lento::Answers answers) {
  py::dict out;
  out["seconds"] = array_of(std::move(answers.seconds));
  out["bound"] = array_of(std::move(answers.bound));
  out["bounds"] = std::move(answers.bounds);
  out["p50_pct"] = array_of(std::move(answers.p50_pct));
  out["p90_pct"] = array_of(std::move(answers.p90_pct));
  out["in_domain"] = array_of(std::move(answers.in_domain));
  return out;
}

}  // namespace

PYBIND11_MODULE(_lento, module) {
  module.attr("version") = lento::version();
  py::register_exception<lento::Error>(module, "Error", PyExc_ValueError);

  py::class_<lento::Diagnosis>(module, "Diagnosis")
      .def("to_json", &lento::to_json)
      .def("to_html", &lento::to_html)
      .def("to_text", &lento::to_text);

  module.def(
      "diagnose_chip",
      [](const std::string& records,
         const std::string& chip,
         const std::string& mapping,
         const std::string& healthy,
         const std::string& method,
         bool replay,
         bool strict,
         uint64_t seed) {
        const lento::ChipQuestion question{records, chip, mapping, healthy, method, replay, strict, seed};
        return run([&](const lento::Progress& progress) {
          return lento::diagnose_chip(question, progress);
        });
      },
      py::arg("records"),
      py::arg("chip"),
      py::arg("mapping"),
      py::arg("healthy"),
      py::arg("method"),
      py::arg("replay"),
      py::arg("strict"),
      py::arg("seed"));

  module.def(
      "diagnose_fleet_files",
      [](const std::vector<std::string>& csv,
         const std::string& machine,
         const std::string& time,
         const std::string& unit,
         const std::vector<std::string>& metrics,
         const std::vector<std::string>& labels,
         double false_alarms_per_day,
         bool strict,
         unsigned threads) {
        const lento::FleetQuestion
            question{csv, machine, time, unit, metrics, labels, false_alarms_per_day, strict, threads};
        return run([&](const lento::Progress& progress) {
          return lento::diagnose_fleet(question, progress);
        });
      },
      py::arg("csv"),
      py::arg("machine"),
      py::arg("time"),
      py::arg("unit"),
      py::arg("metrics"),
      py::arg("labels"),
      py::arg("false_alarms_per_day"),
      py::arg("strict"),
      py::arg("threads"));

  module.def(
      "diagnose_fleet_columns",
      [](std::vector<std::string> machines,
         std::vector<std::string> names,
         int64_t begin_ms,
         int64_t step_ms,
         const Values<int64_t>& step_of_row,
         const Values<int64_t>& machine_of_row,
         const py::list& columns,
         double false_alarms_per_day) {
        lento::Metrics metrics = metrics_of(
            std::move(machines),
            std::move(names),
            begin_ms,
            step_ms,
            step_of_row,
            machine_of_row,
            columns);
        return run([&](const lento::Progress& progress) {
          return lento::diagnose_fleet(std::move(metrics), false_alarms_per_day, progress);
        });
      },
      py::arg("machines"),
      py::arg("names"),
      py::arg("begin_ms"),
      py::arg("step_ms"),
      py::arg("step_of_row"),
      py::arg("machine_of_row"),
      py::arg("columns"),
      py::arg("false_alarms_per_day"));

  module.def(
      "diagnose_memory",
      [](const std::vector<std::string>& traces,
         const std::string& format,
         const std::vector<std::string>& programs,
         bool strict) {
        const lento::MemoryQuestion question{traces, format, programs, strict};
        return run([&](const lento::Progress& progress) {
          return lento::diagnose_memory(question, progress);
        });
      },
      py::arg("traces"),
      py::arg("format"),
      py::arg("programs"),
      py::arg("strict"));

  module.def(
      "itemsets",
      [](const std::string& path, const std::string& support, const std::string& kind, unsigned threads) {
        const lento::ItemsetsQuestion question{path, support, kind, threads};
        py::gil_scoped_release released;
        return lento::itemsets(question, {});
      },
      py::arg("path"),
      py::arg("support"),
      py::arg("kind"),
      py::arg("threads"));

  module.def(
      "predict",
      [](const std::string& workload,
         const std::string& system,
         bool training,
         int64_t batch,
         int64_t micro_batch,
         int64_t sequence,
         int64_t generate,
         const std::string& precision,
         const std::string& parallel,
         const std::string& framework,
         const std::string& recompute,
         const std::string& run_file) {
        const lento::PredictQuestion question{
            workload,
            system,
            training,
            batch,
            micro_batch,
            sequence,
            generate,
            precision,
            parallel,
            framework,
            recompute,
            run_file};
        return run([&](const lento::Progress&) {
          return lento::predict_workload(question);
        });
      },
      py::arg("workload"),
      py::arg("system"),
      py::arg("training"),
      py::arg("batch"),
      py::arg("micro_batch"),
      py::arg("sequence"),
      py::arg("generate"),
      py::arg("precision"),
      py::arg("parallel"),
      py::arg("framework"),
      py::arg("recompute"),
      py::arg("run"));

  module.def(
      "predict_table",
      [](const std::string& csv, const std::string& system) {
        py::gil_scoped_release released;
        return lento::predict_table(csv, system);
      },
      py::arg("csv"),
      py::arg("system"));

  module.def(
      "predict_columns",
      [](const py::list& columns, const std::string& system) {
        std::vector<lento::Column> table;
        for (const py::handle& column : columns)
          table.push_back(column_of(column.cast<py::tuple>()));
        return answers_to_python(run([&](const lento::Progress& progress) {
          return lento::predict_columns(table, system, progress);
        }));
      },
      py::arg("columns"),
      py::arg("system"));

  module.def(
      "search",
      [](const std::string& space,
         const std::string& method,
         int steps,
         int starts,
         uint64_t seed,
         unsigned threads) {
        const lento::SearchQuestion question{space, method, steps, starts, seed, threads};
        return run([&](const lento::Progress& progress) {
          return lento::search(question, progress);
        });
      },
      py::arg("space"),
      py::arg("method"),
      py::arg("steps"),
      py::arg("starts"),
      py::arg("seed"),
      py::arg("threads"));
}
