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

std::vector<lento::Column> table_of(const py::list& columns) {
  std::vector<lento::Column> table;
  for (const py::handle& column : columns)
    table.push_back(column_of(column.cast<py::tuple>()));
  return table;
}

// All words of a question about a fleet. python/lento/fleet.py gives each of them.
lento::FleetQuestion fleet_question_of(const py::dict& words) {
  const auto text = [&](const char* name) {
    return words[name].cast<std::string>();
  };
  lento::FleetQuestion question;
  question.machine_column = text("machine");
  question.device_column = text("device");
  question.time_column = text("time");
  question.time_unit = text("unit");
  question.metric_column = text("metric");
  question.value_column = text("value");
  question.metrics = words["columns"].cast<std::vector<std::string>>();
  question.labels = words["labels"].cast<std::vector<std::string>>();
  question.false_alarms_per_day = words["false_alarms_per_day"].cast<double>();
  question.strict = words["strict"].cast<bool>();
  question.threads = words["threads"].cast<unsigned>();
  return question;
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
      [](const std::vector<std::string>& csv, const py::dict& words) {
        lento::FleetQuestion question = fleet_question_of(words);
        question.csv = csv;
        return run([&](const lento::Progress& progress) {
          return lento::diagnose_fleet(question, progress);
        });
      },
      py::arg("csv"),
      py::arg("question"));

  module.def(
      "diagnose_fleet_table",
      [](const py::list& columns, const py::dict& words) {
        const std::vector<lento::Column> table = table_of(columns);
        lento::FleetQuestion question = fleet_question_of(words);
        question.shown_as = "frame";
        return run([&](const lento::Progress& progress) {
          return lento::diagnose_fleet(table, question, progress);
        });
      },
      py::arg("columns"),
      py::arg("question"));

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
        const std::vector<lento::Column> table = table_of(columns);
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
