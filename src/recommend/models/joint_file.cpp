// SPDX-License-Identifier: Apache-2.0
// Models over joint kernels as archives: ratings, features and coefficients; similarities are made from them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "data/io/files/archive.h"
#include "data/io/files/peek.h"
#include "dorm/error.h"
#include "dorm/write.h"
#include "recommend/models/joint_inputs.h"

namespace dorm {
namespace {

constexpr int kJointVersion = 2;

/// Arrays that an archive views until it is written.
struct JointArrays {
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> items, pair_users, pair_items;
  std::vector<double> values, coefficients;

  explicit JointArrays(const JointModel& model) {
    for (std::size_t u = 0; u < model.known.num_users(); ++u) {
      const RatingRow row = model.known.of_user(u);
      items.insert(items.end(), row.index.begin(), row.index.end());
      values.insert(values.end(), row.value.begin(), row.value.end());
      begin.push_back(items.size());
    }
    for (const PairCoefficient& pair : model.ranker) {
      pair_users.push_back(pair.user);
      pair_items.push_back(pair.item);
      coefficients.push_back(pair.value);
    }
  }
};

Json joint_header(const JointModel& model) {
  Json header = {{"version_of_dorm", DORM_VERSION},
                 {"users", model.users().size()},
                 {"items", model.items().size()},
                 {"trained_users", model.trained_users},
                 {"kernel", model.kernel},
                 {"method", model.method},
                 {"seed", model.seed}};
  if (model.grades.stretched) header["grades"] = {{"low", model.grades.low}, {"high", model.grades.high}};
  if (!model.measure.empty())
    header["training"] = {{"measure", model.measure},
                          {"convention", model.convention},
                          {"decay", model.decay},
                          {"bound", model.bound},
                          {"solver", model.solver},
                          {"C", model.C},
                          {"tolerance", model.tolerance},
                          {"explained_risk", model.explained_risk},
                          {"dropped_users", model.dropped},
                          {"primal", model.certificate.primal},
                          {"dual", model.certificate.dual},
                          {"gap", model.certificate.gap},
                          {"status", model.certificate.status}};
  if (model.paper_C) header["training"]["paper_C"] = true;
  return header;
}

void add_side(const SideFeatures& features, const std::string& name, ArchiveWriter& archive) {
  if (features.names.empty()) return;
  archive.add_names(name + "_columns", features.names);
  archive.add_names(name + "_owners", features.ids.names());
  archive.add(name + "_values", std::span<const double>(features.values));
}

SideFeatures side_from(const ArchiveReader& archive, const std::string& name) {
  SideFeatures features;
  if (!archive.has(name + "_values")) return features;
  features.names = archive.names(name + "_columns");
  features.ids = IdTable(archive.names(name + "_owners"));
  features.values = archive.doubles(name + "_values", features.names.size() * features.ids.size());
  if (!std::all_of(features.values.begin(), features.values.end(), [](double x) { return std::isfinite(x); }))
    archive.refuse("a feature is not a finite number");
  return features;
}

Similarities matrix_of(const ArchiveReader& archive, const std::string& name, std::size_t size) {
  Similarities matrix;
  if (!archive.has(name)) return matrix;
  matrix.size = size;
  matrix.values = archive.doubles(name, size * size);
  return matrix;
}

void write_joint(const JointModel& model, std::ostream& out) {
  const JointArrays arrays(model);
  ArchiveWriter archive;
  archive.add_names("user_ids", model.users().names());
  archive.add_names("item_ids", model.items().names());
  if (!model.item_titles.empty()) archive.add_names("item_titles", model.item_titles);
  archive.add("ratings_begin", std::span<const std::uint64_t>(arrays.begin));
  archive.add("ratings_items", std::span<const std::uint32_t>(arrays.items));
  archive.add("ratings", std::span<const double>(arrays.values));
  archive.add("pair_users", std::span<const std::uint32_t>(arrays.pair_users));
  archive.add("pair_items", std::span<const std::uint32_t>(arrays.pair_items));
  archive.add("coefficients", std::span<const double>(arrays.coefficients));
  add_side(model.user_features, "user_features", archive);
  add_side(model.item_features, "item_features", archive);
  if (model.own_users.size > 0) archive.add("user_similarities", std::span<const double>(model.own_users.values));
  if (model.own_items.size > 0) archive.add("item_similarities", std::span<const double>(model.own_items.values));
  archive.write(out, kJointFormat, kJointVersion, joint_header(model));
}

Ratings ratings_from(const ArchiveReader& archive) {
  IdTable users(archive.names("user_ids")), items(archive.names("item_ids"));
  const std::vector<std::uint64_t> begin = archive.integers("ratings_begin", users.size() + 1);
  const std::vector<std::uint32_t> index = archive.indices("ratings_items");
  const std::vector<double> values = archive.doubles("ratings", index.size());
  if (begin.front() != 0 || begin.back() != index.size() || !std::is_sorted(begin.begin(), begin.end()))
    archive.refuse("the rows of ratings do not fit");
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < users.size(); ++u)
    for (std::uint64_t i = begin[u]; i < begin[u + 1]; ++i) {
      if (index[i] >= items.size() || !std::isfinite(values[i])) archive.refuse("a rating is of an unknown item");
      list.push_back({u, index[i], static_cast<float>(values[i])});
    }
  return Ratings(std::move(users), std::move(items), list);
}

void read_training(const JsonFields& fields, JointModel& model) {
  fields.read("measure", model.measure);
  fields.read("convention", model.convention);
  fields.read("decay", model.decay);
  fields.read("bound", model.bound);
  fields.read("solver", model.solver);
  fields.read("C", model.C);
  if (fields.has("paper_C")) fields.read("paper_C", model.paper_C);
  fields.read("tolerance", model.tolerance);
  fields.read("explained_risk", model.explained_risk);
  fields.read("dropped_users", model.dropped);
  fields.read("primal", model.certificate.primal);
  fields.read("dual", model.certificate.dual);
  fields.read("gap", model.certificate.gap);
  fields.read("status", model.certificate.status);
}

JointRanker ranker_from(const ArchiveReader& archive, const JointModel& model) {
  const std::vector<std::uint32_t> users = archive.indices("pair_users"), items = archive.indices("pair_items");
  const std::vector<double> values = archive.doubles("coefficients", users.size());
  if (items.size() != users.size()) archive.refuse("pairs of users and items differ in number");
  JointRanker ranker;
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (users[i] >= model.users().size() || items[i] >= model.items().size() || !std::isfinite(values[i]))
      archive.refuse("a coefficient is of an unknown user or item, or not a finite number");
    ranker.push_back({users[i], items[i], values[i]});
  }
  return ranker;
}

/// The similarities of items are those by the users trained on.
void make_similarities(JointModel& model) {
  const JointKernelText kernel = joint_kernel_of(model);
  const std::size_t trained = model.known.size() == 0 ? 0
                              : model.trained_users < model.users().size()
                                  ? model.known.first_of_user(model.trained_users)
                                  : model.known.size();
  model.similarities = {
      kernel.users(model.known, inputs_of(model)),
      kernel.items(model.known.filtered([&](std::size_t at) { return at < trained; }), inputs_of(model))};
}

JointModel joint_from(const ArchiveReader& archive) {
  JointModel model;
  const JsonFields header = archive.header();
  header.read("trained_users", model.trained_users);
  header.read("kernel", model.kernel);
  header.read("method", model.method);
  header.read("seed", model.seed);
  if (header.has("grades")) {
    model.grades.stretched = true;
    header.object("grades").read("low", model.grades.low);
    header.object("grades").read("high", model.grades.high);
  }
  if (header.has("training")) read_training(header.object("training"), model);
  model.known = ratings_from(archive);
  if (model.trained_users > model.users().size()) archive.refuse("it was trained on more users than it holds");
  if (archive.has("item_titles")) model.item_titles = archive.names("item_titles");
  if (model.item_titles.size() > model.items().size()) archive.refuse("there are more titles than items");
  model.user_features = side_from(archive, "user_features");
  model.item_features = side_from(archive, "item_features");
  model.own_users = matrix_of(archive, "user_similarities", model.users().size());
  model.own_items = matrix_of(archive, "item_similarities", model.items().size());
  model.ranker = ranker_from(archive, model);
  try {
    make_similarities(model);
  } catch (const Error& error) {
    archive.refuse(error.what());
  }
  return model;
}

}  // namespace

void save_joint(const JointModel& model, const std::string& path) {
  write_atomically(path, [&](std::ostream& out) { write_joint(model, out); });
}

JointModel load_joint(const std::string& path) { return joint_from(ArchiveReader(path, kJointFormat, kJointVersion)); }

std::string joint_to_bytes(const JointModel& model) {
  std::ostringstream out;
  write_joint(model, out);
  return std::move(out).str();
}

JointModel joint_from_bytes(std::string bytes, const std::string& name) {
  return joint_from(ArchiveReader(std::move(bytes), name, kJointFormat, kJointVersion));
}

bool is_joint_file(const std::string& path) { return first_bytes(path, kJointFormat.size()) == kJointFormat; }

}  // namespace dorm
