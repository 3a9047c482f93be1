// SPDX-License-Identifier: Apache-2.0
// Click logs: counted, weighted, simulated.
#include "clicks.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/clicks/click_gains.h"
#include "dorm/clicks/simulate_clicks.h"
#include "dorm/error.h"
#include "input.h"

namespace dorm::python {
namespace {

using namespace nb::literals;
using Texts = std::vector<std::string>;

template <class T>
void take_field(const nb::dict& fields, const char* key, T& out) {
  if (fields.contains(key)) out = nb::cast<T>(fields[key]);
}

template <class Row, class Number>
nb::object column_of(const std::vector<Row>& rows, Number Row::*member) {
  std::vector<Number> out;
  out.reserve(rows.size());
  for (const Row& row : rows) out.push_back(row.*member);
  return to_numpy(std::move(out));
}

nb::list names_in(const IdTable& table) {
  nb::list out;
  for (const std::string& name : table.names()) out.append(text_from(name));
  return out;
}

nb::tuple read_counts(const std::string& path, const nb::dict& fields, bool by_page) {
  const ClickLogOptions options = click_log_options(fields);
  ClickCounts counts;
  ClickLogReport report;
  Texts query_of;
  {
    const nb::gil_scoped_release unlocked;
    counts = by_page ? read_page_counts(path, options, query_of, &report) : read_click_counts(path, options, &report);
  }
  return nb::make_tuple(std::move(counts), query_of, report.rows, report.pruned);
}

ClickCounts count(const Texts& queries, const Texts& documents, const Vector<std::uint32_t>& positions,
                  const Vector<double>& impressions, const Vector<double>& clicks, const Texts& contexts) {
  if (documents.size() != queries.size() || positions.shape(0) != queries.size() ||
      impressions.shape(0) != queries.size() || clicks.shape(0) != queries.size() ||
      (!contexts.empty() && contexts.size() != queries.size()))
    throw Error(ErrorCode::bad_input, "the columns of the log have different lengths");
  ClickCounter counter;
  for (std::size_t i = 0; i < queries.size(); ++i)
    counter.add({.query = queries[i],
                 .document = documents[i],
                 .position = positions.data()[i],
                 .context = contexts.empty() ? std::string_view() : std::string_view(contexts[i]),
                 .impressions = impressions.data()[i],
                 .clicks = clicks.data()[i]});
  return counter.finish();
}

nb::tuple gains_of_clicks(const ClickCounts& counts, const nb::list& propensities, double clip, bool shown) {
  const Propensities known = propensities_from(propensities);
  ClickGainOptions options;
  options.clip = clip;
  options.per = shown ? ClickGainOptions::Per::shown : ClickGainOptions::Per::pages;
  ClickGains gains = estimate_gains(counts, known, options);
  nb::dict figures;
  figures["clicks"] = gains.clicks;
  figures["impressions"] = gains.impressions;
  figures["effective_clicks"] = gains.effective_clicks;
  figures["clipped_clicks"] = gains.clipped_clicks;
  figures["clipped_share"] = gains.clipped_share;
  figures["shifted_queries"] = gains.shifted_queries;
  nb::object query = column_of(gains.rows, &ClickGain::query), document = column_of(gains.rows, &ClickGain::document);
  nb::object gain = column_of(gains.rows, &ClickGain::gain);
  return nb::make_tuple(query, document, gain, to_numpy(std::move(gains.shift)), figures);
}

ClickSimulation simulation_from(const nb::dict& fields) {
  ClickSimulation options;
  std::string model(name_of(options.model));
  take_field(fields, "model", model);
  options.model = parse_click_model(model);
  take_field(fields, "eta", options.eta);
  take_field(fields, "noise", options.noise);
  take_field(fields, "go_on", options.go_on);
  take_field(fields, "trust", options.trust);
  take_field(fields, "sessions", options.sessions);
  take_field(fields, "top", options.top);
  take_field(fields, "rankers", options.rankers);
  take_field(fields, "ranker_noise", options.ranker_noise);
  take_field(fields, "expected", options.expected);
  take_field(fields, "seed", options.seed);
  return options;
}

nb::tuple simulate(const Dataset& data, const nb::dict& fields, const std::vector<std::vector<double>>& scores) {
  const ClickSimulation options = simulation_from(fields);
  std::vector<SimulatedClick> rows;
  Propensities truth;
  {
    const nb::gil_scoped_release unlocked;
    simulate_clicks(data, options, scores, [&](const SimulatedClick& shown) { rows.push_back(shown); });
    truth = simulated_propensities(data, options, scores);
  }
  nb::dict columns;
  columns["session"] = column_of(rows, &SimulatedClick::session);
  columns["document"] = column_of(rows, &SimulatedClick::document);
  columns["position"] = column_of(rows, &SimulatedClick::position);
  columns["ranker"] = column_of(rows, &SimulatedClick::ranker);
  columns["impressions"] = column_of(rows, &SimulatedClick::impressions);
  columns["clicks"] = column_of(rows, &SimulatedClick::clicks);
  return nb::make_tuple(columns, propensity_rows(truth));
}

}  // namespace

Propensities propensities_from(const nb::list& rows) {
  Propensities out;
  for (const nb::handle entry : rows) {
    const nb::tuple row = nb::cast<nb::tuple>(entry);
    out.add(nb::cast<std::string>(row[0]), {.position = nb::cast<std::uint32_t>(row[1]),
                                            .propensity = nb::cast<double>(row[2]),
                                            .error = nb::cast<double>(row[3]),
                                            .alpha = nb::cast<double>(row[4]),
                                            .beta = nb::cast<double>(row[5])});
  }
  return out;
}

nb::list propensity_rows(const Propensities& propensities) {
  nb::list out;
  for (std::size_t c = 0; c < propensities.contexts().size(); ++c)
    for (const PositionPropensity& row : propensities.of_context(c))
      out.append(nb::make_tuple(text_from(propensities.contexts()[c]), row.position, row.propensity, row.error,
                                row.alpha, row.beta));
  return out;
}

ClickLogOptions click_log_options(const nb::dict& fields) {
  ClickLogOptions options;
  ClickColumns& columns = options.columns;
  take_field(fields, "session_column", columns.session);
  take_field(fields, "query_column", columns.query);
  take_field(fields, "document_column", columns.document);
  take_field(fields, "position_column", columns.position);
  take_field(fields, "click_column", columns.click);
  take_field(fields, "ranker_column", columns.ranker);
  take_field(fields, "impressions_column", columns.impressions);
  take_field(fields, "clicks_column", columns.clicks);
  take_field(fields, "context", columns.context);
  take_field(fields, "positions", options.max_position);
  take_field(fields, "threads", options.threads);
  return options;
}

void bind_clicks(nb::module_& module) {
  nb::class_<ClickCounts>(module, "ClickCounts", "Clicks by query, document and position.")
      .def_prop_ro("queries", [](const ClickCounts& counts) { return names_in(counts.queries); })
      .def_prop_ro("documents", [](const ClickCounts& counts) { return names_in(counts.documents); })
      .def_prop_ro("contexts", [](const ClickCounts& counts) { return names_in(counts.contexts); })
      .def_prop_ro("query", [](const ClickCounts& counts) { return column_of(counts.rows, &ClickCount::query); })
      .def_prop_ro("document", [](const ClickCounts& counts) { return column_of(counts.rows, &ClickCount::document); })
      .def_prop_ro("position", [](const ClickCounts& counts) { return column_of(counts.rows, &ClickCount::position); })
      .def_prop_ro("context", [](const ClickCounts& counts) { return column_of(counts.rows, &ClickCount::context); })
      .def_prop_ro("impressions",
                   [](const ClickCounts& counts) { return column_of(counts.rows, &ClickCount::impressions); })
      .def_prop_ro("clicks", [](const ClickCounts& counts) { return column_of(counts.rows, &ClickCount::clicks); })
      .def_prop_ro("page_views", [](const ClickCounts& counts) { return to_numpy(counts.page_views()); });
  module.def("read_click_counts", &read_counts, "path"_a, "options"_a, "by_page"_a,
             "Counts, the query of each page, rows, and rows left out.");
  module.def("count_clicks", &count, "queries"_a, "documents"_a, "positions"_a.noconvert(), "impressions"_a.noconvert(),
             "clicks"_a.noconvert(), "contexts"_a);
  module.def(
      "read_propensities", [](const std::string& path) { return propensity_rows(read_propensities(path)); }, "path"_a,
      "Rows of context, position, propensity, se, alpha and beta.");
  module.def("estimate_gains", &gains_of_clicks, "counts"_a, "propensities"_a, "clip"_a, "shown"_a,
             "Queries, documents and gains, the shift of each query, and figures.");
  module.def("simulate_clicks", &simulate, "data"_a, "options"_a, "scores"_a, "Columns of the log, and propensities.");
}

}  // namespace dorm::python
