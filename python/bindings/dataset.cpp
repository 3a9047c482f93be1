// SPDX-License-Identifier: Apache-2.0
// Dataset: over borrowed arrays, from a file, or generated; and its arrays as numpy views.
#include "dorm/dataset.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "borrowed.h"
#include "data/impute.h"
#include "data/storage.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/synth.h"
#include "input.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

/// The sizes of the queries, their ids and weights.
nb::tuple queries_of(const Dataset& data) {
  std::vector<std::uint64_t> sizes;
  nb::list ids;
  std::vector<double> weights;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    sizes.push_back(query.size());
    ids.append(nb::bytes(query.id.data(), query.id.size()));
    weights.push_back(query.weight);
  }
  return nb::make_tuple(to_numpy(std::move(sizes)), ids, to_numpy(std::move(weights)));
}

nb::object dense_values(nb::handle_t<Dataset> self) {
  const auto& data = nb::cast<const Dataset&>(self);
  const Storage& storage = data.storage();
  if (!data.dense()) throw Error(ErrorCode::unsupported, "the data is compressed");
  return nb::cast(nb::ndarray<nb::numpy, const float, nb::ndim<2>>(storage.values.data(),
                                                                   {data.num_documents(), data.num_features()}, self,
                                                                   {static_cast<std::int64_t>(storage.stride), 1}));
}

nb::tuple sparse_values(nb::handle_t<Dataset> self) {
  const auto& data = nb::cast<const Dataset&>(self);
  if (data.dense()) throw Error(ErrorCode::unsupported, "the data is dense");
  const Storage& storage = data.storage();
  nb::object columns = nb::cast(view(storage.columns, self));
  if (!storage.feature_numbers.empty()) {
    std::vector<std::uint32_t> numbers(storage.columns.begin(), storage.columns.end());
    for (std::uint32_t& column : numbers) column = storage.feature_numbers[column];
    columns = nb::cast(to_numpy(std::move(numbers)));
  }
  return nb::make_tuple(view(storage.values, self), columns, view(storage.row_end, self));
}

nb::list text_of(const Dataset& data, bool has, std::string_view (Dataset::*entry)(std::size_t) const) {
  nb::list out;
  for (std::size_t d = 0; has && d < data.num_documents(); ++d) {
    const std::string_view text = (data.*entry)(d);
    out.append(nb::bytes(text.data(), text.size()));
  }
  return out;
}

std::vector<std::string> names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  return names;
}

template <class T>
std::vector<T> copy_of(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

Documents documents(const Vector<float>& labels, const Vector<std::uint64_t>& query_end,
                    std::vector<std::string> query_ids, const Vector<double>& query_weights,
                    const Vector<std::uint64_t>& source_rows, std::vector<std::string> feature_names,
                    const nb::dict& about) {
  const auto texts = [&about](const char* key) {
    return about.contains(key) ? nb::cast<std::vector<std::string>>(about[key]) : std::vector<std::string>();
  };
  const bool described = about.contains("input") && !about["input"].is_none();
  return {.labels = copy_of(labels),
          .query_end = copy_of(query_end),
          .query_ids = std::move(query_ids),
          .query_weights = copy_of(query_weights),
          .source_rows = copy_of(source_rows),
          .feature_names = std::move(feature_names),
          .document_ids = texts("document_ids"),
          .groups = texts("groups"),
          .input = described ? std::make_shared<const InputDescription>(input_from(nb::cast<nb::dict>(about["input"])))
                             : nullptr};
}

void bind_synth(nb::module_& module) {
  module.def(
      "synthesize",
      [](const nb::dict& fields) {
        SynthOptions options;
        nb::object bound = nb::cast(&options, nb::rv_policy::reference);
        for (const auto& [name, value] : fields) nb::setattr(bound, name, value);
        const nb::gil_scoped_release unlocked;
        return synthesize(options);
      },
      "fields"_a, "Generated data.");
  nb::class_<SynthOptions>(module, "SynthOptions")
      .def(nb::init<>())
      .def_rw("queries", &SynthOptions::queries)
      .def_rw("features", &SynthOptions::features)
      .def_rw("documents_median", &SynthOptions::documents_median)
      .def_rw("documents_spread", &SynthOptions::documents_spread)
      .def_rw("documents_min", &SynthOptions::documents_min)
      .def_rw("documents_max", &SynthOptions::documents_max)
      .def_rw("density", &SynthOptions::density)
      .def_rw("noise", &SynthOptions::noise)
      .def_rw("query_effect", &SynthOptions::query_effect)
      .def_rw("groups", &SynthOptions::groups)
      .def_rw("seed", &SynthOptions::seed)
      .def_rw("threads", &SynthOptions::threads);
}

/// What is found out about labels and values.
void bind_looks(nb::module_& module) {
  module.def(
      "settle_unjudged",
      [](const std::string& name, const Vector<float>& labels) {
        return std::string(name_of(settle_unjudged(parse_unjudged(name), {labels.data(), labels.shape(0)})));
      },
      "name"_a, "labels"_a.noconvert(), "What becomes of unjudged documents: what auto means for these labels.");
  module.def(
      "find_label_leaks",
      [](const Dataset& data) {
        std::vector<LabelLeak> found;
        {
          const nb::gil_scoped_release unlocked;
          found = find_label_leaks(data);
        }
        nb::list out;
        for (const LabelLeak& leak : found) out.append(nb::make_tuple(static_cast<int>(leak.kind), leak.feature));
        return out;
      },
      "data"_a, "Features that give the label away: 0, equal to it; 1, in its order; 2, by their names.");
  module.def(
      "column_means",
      [](const Matrix<float>& values) {
        const std::size_t rows = values.shape(0), features = values.shape(1);
        if (rows == 0 || values.stride(1) != 1 || values.stride(0) != static_cast<std::int64_t>(features))
          throw Error(ErrorCode::bad_input, "the rows are not contiguous");
        return to_numpy(dense_means({values.data(), rows * features}, features, features));
      },
      "values"_a.noconvert(), "The mean of the values of each column that are no NaN; 0 if there are none.");
}

}  // namespace

void bind_dataset(nb::module_& module) {
  nb::class_<Documents>(module, "Documents", "Labels and queries of the rows of a matrix.")
      .def(nb::new_(&documents), "labels"_a.noconvert(), "query_end"_a.noconvert(), "query_ids"_a,
           "query_weights"_a.noconvert(), "source_rows"_a.noconvert(), "feature_names"_a, "about"_a = nb::dict(),
           "about: document_ids, groups, and input, how the rows were read; each may be absent.");
  nb::class_<Dataset>(module, "Dataset", "Queries with their documents; immutable.")
      .def_static("borrow_dense", &borrow_dense, "values"_a.noconvert(), "documents"_a)
      .def_static("borrow_sparse", &borrow_sparse, "values"_a.noconvert(), "columns"_a.noconvert(),
                  "row_end"_a.noconvert(), "num_features"_a, "documents"_a)
      .def_prop_ro("num_queries", &Dataset::num_queries)
      .def_prop_ro("num_documents", &Dataset::num_documents)
      .def_prop_ro("num_features", &Dataset::num_features)
      .def_prop_ro("feature_range", &Dataset::feature_range)
      .def_prop_ro("dense", &Dataset::dense)
      .def_prop_ro("has_feature_names", &Dataset::has_feature_names)
      .def_prop_ro("first_feature_id", &Dataset::first_feature_id)
      .def_prop_ro("feature_names", &names_of)
      .def_prop_ro(
          "labels",
          [](nb::handle_t<Dataset> self) { return view(nb::cast<const Dataset&>(self).storage().labels, self); })
      .def_prop_ro("has_labels", &Dataset::has_labels)
      .def_prop_ro("input", [](const Dataset& data) { return to_dict(data.input()); })
      .def_prop_ro("queries", &queries_of)
      .def_prop_ro("document_ids",
                   [](const Dataset& data) { return text_of(data, data.has_document_ids(), &Dataset::document_id); })
      .def_prop_ro("groups", [](const Dataset& data) { return text_of(data, data.has_groups(), &Dataset::group); })
      .def_prop_ro("source_rows",
                   [](const Dataset& data) {
                     std::vector<std::uint64_t> rows(data.num_documents());
                     for (std::size_t d = 0; d < rows.size(); ++d) rows[d] = data.source_row(d);
                     return to_numpy(std::move(rows));
                   })
      .def(
          "fingerprint", [](const Dataset& data) { return data.fingerprint(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("dense_values", &dense_values, "A view of the rows.")
      .def("sparse_values", &sparse_values, "Values, numbers of features and row ends.");
  bind_looks(module);
  bind_synth(module);
}

}  // namespace dorm::python
