// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/factor_file.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "data/io/files/peek.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

constexpr int kFactorVersion = 3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// JSON has neither NaN nor infinity.
Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }
double number_or(const JsonFields& fields, const char* key, double fallback) {
  return fields.optional<double>(key, "a number or null", fallback);
}

Json options_json(const FactorizeOptions& o) {
  return {{"rank", o.rank},
          {"measure", o.measure},
          {"convention", o.convention},
          {"decay", o.decay},
          {"bound", o.bound},
          {"lambda", o.lambda},
          {"margin", o.margin},
          {"rounds", o.rounds},
          {"centred", o.centred},
          {"start_lambda", number_or_null(o.start_lambda)},  // null: infinity
          {"start_sweeps", o.start_sweeps},
          {"implicit", o.implicit},
          {"neighbours", o.neighbours},
          {"item_damping", o.item_damping},
          {"item_prior", o.item_prior},
          {"tolerance", o.tolerance},
          {"max_passes", o.max_passes},
          {"patience", o.patience},
          {"seed", o.seed}};
}

FactorizeOptions options_from(const JsonFields& json) {
  FactorizeOptions o;
  json.read("rank", o.rank);
  json.read("measure", o.measure);
  json.read("convention", o.convention);
  json.read("decay", o.decay);
  json.read("bound", o.bound);
  json.read("lambda", o.lambda);
  json.read("margin", o.margin);
  json.read("rounds", o.rounds);
  json.read("centred", o.centred);
  o.start_lambda = number_or(json, "start_lambda", kInfinity);
  json.read("start_sweeps", o.start_sweeps);
  if (json.has("implicit")) json.read("implicit", o.implicit);
  if (json.has("neighbours")) json.read("neighbours", o.neighbours);
  if (json.has("item_damping")) json.read("item_damping", o.item_damping);
  if (json.has("item_prior")) json.read("item_prior", o.item_prior);
  json.read("tolerance", o.tolerance);
  json.read("max_passes", o.max_passes);
  json.read("patience", o.patience);
  json.read("seed", o.seed);
  o.validate();
  return o;
}

Json choice_json(const FactorChoice& choice) {
  Json candidates = Json::array();
  for (const FactorCandidate& each : choice.candidates)
    candidates.push_back({{"start_lambda", number_or_null(each.start_lambda)},
                          {"implicit", each.implicit},
                          {"neighbours", each.neighbours},
                          {"rounds", each.rounds},
                          {"lambda", each.lambda},
                          {"value", each.value},
                          {"gain", each.gain},
                          {"error", each.error}});
  return {{"lists", choice.lists}, {"chosen", choice.chosen}, {"candidates", std::move(candidates)}};
}

FactorChoice choice_from(const JsonFields& json) {
  FactorChoice choice;
  json.read("lists", choice.lists);
  json.read("chosen", choice.chosen);
  for (const JsonFields& fields : json.objects("candidates", "a list of settings")) {
    FactorCandidate each;
    each.start_lambda = number_or(fields, "start_lambda", kInfinity);
    fields.read("implicit", each.implicit);
    fields.read("neighbours", each.neighbours);
    fields.read("rounds", each.rounds);
    fields.read("lambda", each.lambda);
    fields.read("value", each.value);
    fields.read("gain", each.gain);
    fields.read("error", each.error);
    choice.candidates.push_back(each);
  }
  if (choice.chosen >= choice.candidates.size()) json.fail("chosen", "the number of a candidate");
  return choice;
}

RatingGrades grades_from(const JsonFields& json) {
  RatingGrades grades{.stretched = true};
  json.read("low", grades.low);
  json.read("high", grades.high);
  return grades;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

FactorMatrix matrix_from(const ArchiveReader& archive, const std::string& name, std::size_t rows, std::size_t width) {
  FactorMatrix matrix;
  matrix.rows = rows;
  matrix.width = width;
  matrix.values = archive.doubles(name, rows * width);
  if (!all_finite(matrix.values)) archive.refuse("a factor is not a finite number");
  return matrix;
}

void check_seen(const ArchiveReader& archive, const FactorModel& model) {
  if (model.seen_begin.front() != 0 || model.seen_begin.back() != model.seen.size() ||
      !std::is_sorted(model.seen_begin.begin(), model.seen_begin.end()))
    archive.refuse("the rows of seen items do not fit");
  for (std::size_t u = 0; u < model.users.size(); ++u) {
    const auto row = model.seen_by(u);
    if (std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) != row.end() ||
        (!row.empty() && row.back() >= model.items.size()))
      archive.refuse("a list of seen items is not increasing or has unknown items");
  }
}

}  // namespace

Json factor_header(const FactorModel& model) {
  Json header = {{"version_of_dorm", DORM_VERSION},
                 {"users", model.users.size()},
                 {"items", model.items.size()},
                 {"mean", model.mean},
                 {"unit", model.unit},
                 {"rounds", model.rounds},
                 {"objective", number_or_null(model.objective)},
                 {"validation", number_or_null(model.validation)},
                 {"options", options_json(model.options)}};
  if (model.grades.stretched) header["grades"] = {{"low", model.grades.low}, {"high", model.grades.high}};
  if (!model.choice.candidates.empty()) header["choice"] = choice_json(model.choice);
  return header;
}

void add_factor_arrays(const FactorModel& model, ArchiveWriter& archive) {
  archive.add_names("user_ids", model.users.names());
  archive.add_names("item_ids", model.items.names());
  archive.add_names("item_features", model.item_features);
  archive.add_names("user_features", model.user_features);
  if (!model.item_titles.empty()) archive.add_names("item_titles", model.item_titles);
  archive.add("user_factors", std::span<const double>(model.user_factors.values));
  archive.add("item_factors", std::span<const double>(model.item_factors.values));
  archive.add("offsets", std::span<const double>(model.offsets));
  if (model.implicit.rows > 0) archive.add("implicit", std::span<const double>(model.implicit.values));
  archive.add("seen_begin", std::span<const std::uint64_t>(model.seen_begin));
  archive.add("seen", std::span<const std::uint32_t>(model.seen));
}

FactorModel factors_from(const ArchiveReader& archive) {
  FactorModel model;
  const JsonFields header = archive.header();
  header.read("mean", model.mean);
  header.read("unit", model.unit);
  header.read("rounds", model.rounds);
  model.objective = number_or(header, "objective", std::nan(""));
  model.validation = number_or(header, "validation", std::nan(""));
  if (header.has("grades")) model.grades = grades_from(header.object("grades"));
  if (header.has("choice")) model.choice = choice_from(header.object("choice"));
  model.options = options_from(header.object("options"));
  model.users = IdTable(archive.names("user_ids"));
  model.items = IdTable(archive.names("item_ids"));
  model.item_features = archive.names("item_features");
  model.user_features = archive.names("user_features");
  if (archive.has("item_titles")) {
    model.item_titles = archive.names("item_titles");
    if (model.item_titles.size() > model.items.size()) archive.refuse("there are more titles than items");
  }
  model.layout = {model.item_features.size() + 1, model.options.rank, model.user_features.size() + 1};
  const std::size_t width = model.layout.width();
  model.user_factors = matrix_from(archive, "user_factors", model.users.size(), width);
  model.item_factors = matrix_from(archive, "item_factors", model.items.size(), width);
  model.offsets = archive.doubles("offsets", model.items.size());
  if (!all_finite(model.offsets)) archive.refuse("an offset is not a finite number");
  if (archive.has("implicit"))
    model.implicit = matrix_from(archive, "implicit", model.items.size(), model.layout.user_width() - 1);
  model.seen_begin = archive.integers("seen_begin", model.users.size() + 1);
  model.seen = archive.indices("seen");
  check_seen(archive, model);
  return model;
}

void save_factors(const FactorModel& model, const std::string& path) {
  ArchiveWriter archive;
  add_factor_arrays(model, archive);
  write_atomically(path,
                   [&](std::ostream& out) { archive.write(out, kFactorFormat, kFactorVersion, factor_header(model)); });
}

FactorModel load_factors(const std::string& path) {
  return factors_from(ArchiveReader(path, kFactorFormat, kFactorVersion));
}

std::string factors_to_bytes(const FactorModel& model) {
  ArchiveWriter archive;
  add_factor_arrays(model, archive);
  std::ostringstream out;
  archive.write(out, kFactorFormat, kFactorVersion, factor_header(model));
  return std::move(out).str();
}

FactorModel factors_from_bytes(std::string bytes, const std::string& name) {
  return factors_from(ArchiveReader(std::move(bytes), name, kFactorFormat, kFactorVersion));
}

bool is_factor_file(const std::string& path) { return first_bytes(path, kFactorFormat.size()) == kFactorFormat; }

}  // namespace dorm
