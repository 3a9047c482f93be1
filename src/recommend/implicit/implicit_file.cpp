// SPDX-License-Identifier: Apache-2.0
// Models as files.
#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "base/numeric.h"
#include "data/io/files/archive.h"
#include "data/io/files/peek.h"
#include "dorm/error.h"
#include "dorm/recommend/implicit.h"
#include "dorm/write.h"

namespace dorm {
namespace {

constexpr int kImplicitVersion = 1;

Json als_json(const AlsOptions& als) {
  return {{"factors", als.factors}, {"iterations", als.iterations}, {"ridge", als.ridge}, {"alpha", als.alpha}};
}

AlsOptions als_from(const JsonFields& json) {
  AlsOptions als;
  json.read("factors", als.factors);
  json.read("iterations", als.iterations);
  json.read("ridge", als.ridge);
  json.read("alpha", als.alpha);
  return als;
}

Json header_of(const ImplicitModel& model) {
  Json trials = Json::array();
  for (const ImplicitTrial& trial : model.trials)
    trials.push_back({{"method", trial.method},
                      {"als", als_json(trial.als)},
                      {"ease_ridge", trial.ease_ridge},
                      {"ease_share", trial.ease_share},
                      {"value", trial.value}});
  return {{"version_of_dorm", DORM_VERSION},
          {"users", model.users.size()},
          {"items", model.items.size()},
          {"measure", model.options.measure},
          {"als", als_json(model.options.als)},
          {"seed", model.options.als.seed},
          {"ease_ridge", model.options.ease_ridge},
          {"ease_share", model.options.ease_share},
          {"held_out", model.options.held_out},
          {"als_weight", model.als_weight},
          {"ease_weight", model.ease_weight},
          {"validation", std::isfinite(model.validation) ? Json(model.validation) : Json()},
          {"trials", std::move(trials)}};
}

/// Holds what the archive only borrows.
struct Packed {
  std::vector<double> ease, weights;
  ArchiveWriter archive;

  explicit Packed(const ImplicitModel& model)
      : ease(model.ease.begin(), model.ease.end()), weights(model.seen_weights.begin(), model.seen_weights.end()) {
    archive.add_names("user_ids", model.users.names());
    archive.add_names("item_ids", model.items.names());
    if (!model.item_titles.empty()) archive.add_names("item_titles", model.item_titles);
    archive.add("user_factors", std::span<const double>(model.user_factors.values));
    archive.add("item_factors", std::span<const double>(model.item_factors.values));
    if (!ease.empty()) archive.add("ease", std::span<const double>(ease));
    archive.add("seen_begin", std::span<const std::uint64_t>(model.seen_begin));
    archive.add("seen", std::span<const std::uint32_t>(model.seen));
    archive.add("seen_weights", std::span<const double>(weights));
  }
};

std::vector<double> finite_from(const ArchiveReader& archive, const std::string& name, std::size_t count) {
  std::vector<double> values = archive.doubles(name, count);
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
    archive.refuse("a number of " + name + " is not finite");
  return values;
}

std::vector<float> floats_from(const ArchiveReader& archive, const std::string& name, std::size_t count) {
  std::vector<float> values;
  values.reserve(count);
  for (const double x : finite_from(archive, name, count)) values.push_back(static_cast<float>(x));
  return values;
}

void check_seen(const ArchiveReader& archive, const ImplicitModel& model) {
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

void read_header(ImplicitModel& model, const JsonFields& header) {
  header.read("measure", model.options.measure);
  model.options.als = als_from(header.object("als"));
  header.read("seed", model.options.als.seed);
  header.read("ease_ridge", model.options.ease_ridge);
  header.read("ease_share", model.options.ease_share);
  header.read("held_out", model.options.held_out);
  header.read("als_weight", model.als_weight);
  header.read("ease_weight", model.ease_weight);
  model.validation = header.optional<double>("validation", "a number or null", kNaN);
  for (const JsonFields& fields : header.objects("trials", "a list of trials")) {
    ImplicitTrial trial;
    fields.read("method", trial.method);
    trial.als = als_from(fields.object("als"));
    fields.read("ease_ridge", trial.ease_ridge);
    fields.read("ease_share", trial.ease_share);
    fields.read("value", trial.value);
    model.trials.push_back(trial);
  }
  model.options.validate();
}

ImplicitModel model_from(const ArchiveReader& archive) {
  ImplicitModel model;
  read_header(model, archive.header());
  model.users = IdTable(archive.names("user_ids"));
  model.items = IdTable(archive.names("item_ids"));
  const std::size_t users = model.users.size(), items = model.items.size(), width = model.options.als.factors;
  if (archive.has("item_titles")) model.item_titles = archive.names("item_titles");
  if (model.item_titles.size() > items) archive.refuse("there are more titles than items");
  model.user_factors = FactorMatrix(users, width);
  model.user_factors.values = finite_from(archive, "user_factors", users * width);
  model.item_factors = FactorMatrix(items, width);
  model.item_factors.values = finite_from(archive, "item_factors", items * width);
  if (archive.has("ease")) model.ease = floats_from(archive, "ease", items * items);
  if (model.ease.empty() && model.ease_weight != 0) archive.refuse("EASE has a weight and no matrix");
  model.seen_begin = archive.integers("seen_begin", users + 1);
  model.seen = archive.indices("seen");
  check_seen(archive, model);
  model.seen_weights = floats_from(archive, "seen_weights", model.seen.size());
  return model;
}

}  // namespace

void save_implicit(const ImplicitModel& model, const std::string& path) {
  const Packed packed(model);
  write_atomically(
      path, [&](std::ostream& out) { packed.archive.write(out, kImplicitFormat, kImplicitVersion, header_of(model)); });
}

ImplicitModel load_implicit(const std::string& path) {
  return model_from(ArchiveReader(path, kImplicitFormat, kImplicitVersion));
}

std::string implicit_to_bytes(const ImplicitModel& model) {
  const Packed packed(model);
  std::ostringstream out;
  packed.archive.write(out, kImplicitFormat, kImplicitVersion, header_of(model));
  return std::move(out).str();
}

ImplicitModel implicit_from_bytes(std::string bytes, const std::string& name) {
  return model_from(ArchiveReader(std::move(bytes), name, kImplicitFormat, kImplicitVersion));
}

bool is_implicit_file(const std::string& path) { return first_bytes(path, kImplicitFormat.size()) == kImplicitFormat; }

}  // namespace dorm
