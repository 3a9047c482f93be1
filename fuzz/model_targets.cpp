// SPDX-License-Identifier: Apache-2.0
// Saved models of every kind. What is accepted writes the same text again, ranks, and can be exported.
#include <filesystem>

#include "dorm/export.h"
#include "dorm/model.h"
#include "dorm/read.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/joint_model.h"
#include "dorm/stream.h"
#include "dorm/train.h"
#include "lab/compare/cell_store.h"
#include "signing.h"
#include "target.h"
#include "worlds.h"

namespace dorm::fuzz {
namespace {

constexpr std::size_t kExplained = 1000;  // features

void model(Bytes input) {
  const Model model = model_from_json(as_text(input), "input");
  const std::string written = to_json(model);
  require(to_json(model_from_json(written, "written")) == written);
  for (const ExportTarget& target : export_targets()) {
    try {
      export_model(model, target);
    } catch (const Error&) {
      continue;
    }
  }
  require(score(model, small_data(), 1).size() == small_data().num_documents());
}

/// A file of another library: what is read of it is saved, loaded, explained and exported.
void trees(Bytes input) {
  const Model model = model_of(read_trees(as_text(input), "input"));
  const std::string written = to_json(model);
  require(to_json(model_from_json(written, "written")) == written);
  if (model.features.size() <= kExplained && model.trees->trees().has_covers()) {
    const std::vector<float> row(model.features.size());
    std::vector<double> contributions(row.size());
    tree_contributions(model.trees->trees(), row, contributions);
  }
  for (const ExportTarget& target : export_targets()) {
    try {
      export_model(model, target);
    } catch (const Error&) {
      continue;
    }
  }
  score(model, small_data(), 1);
}

std::vector<Seed> model_seeds() {
  std::vector<Seed> seeds;
  for (const char* kernel : {"none", "rbf:gamma=0.5", "0.5*linear+poly:degree=2,coef0=1"})
    for (const char* approximation : {"none", "nystroem:3", "fourier:2"}) {
      TrainOptions options = small_training();
      options.kernel = kernel;
      options.approximation = approximation;
      options.scale = std::string_view(approximation) == "none" ? "zscore" : "none";
      try {
        seeds.push_back({"kernel" + std::to_string(seeds.size()), to_json(train(small_data(), options).model)});
      } catch (const Error&) {
        continue;  // not every kernel has every approximation
      }
    }
  return seeds;
}

void position_model(Bytes input) {
  const PositionModel model = position_model_from_json(as_text(input), "input");
  const std::string written = to_json(model);
  require(to_json(position_model_from_json(written, "written")) == written);
  require(rank(model, small_data(), 1).size() == small_data().num_queries());
}

std::vector<Seed> position_seeds() {
  const PositionGainsFile file = parse_position_gains("label,1,2\n0,0,0\n1,2,1\n2,3,0.5\n", "gains", small_data());
  std::vector<Seed> seeds;
  for (const bool one_function : {false, true}) {
    PositionModel model = *train(Task::positions(small_data(), file.gains, one_function), small_training()).positions;
    model.gains = file.by_label;
    seeds.push_back({one_function ? "shared" : "blocks", to_json(model)});
  }
  return seeds;
}

void factors(Bytes input) {
  const FactorModel model = factors_from_bytes(signed_archive(std::string(as_text(input))), "input");
  const std::string written = factors_to_bytes(model);
  require(factors_to_bytes(factors_from_bytes(written, "written")) == written);
  for (std::size_t user = 0; user < model.users.size(); ++user)
    for (const Recommendation& one : recommend(model, user, 2)) require(one.item < model.items.size());
  if (model.items.size() > 0) similar_items(model, 0, 2);
  require(score(model, small_ratings()).size() == small_ratings().size());
  FactorModel folded = model;
  fold_in_users(folded, small_ratings(), nullptr, 1);
}

std::vector<Seed> factor_seeds() {
  FactorizeOptions options = small_factorization();
  std::vector<Seed> seeds = {{"plain", factors_to_bytes(factorize(small_ratings(), options).model)}};
  options.implicit = 1;
  options.neighbours = 2;
  const SideFeatures facts = parse_side_features("x,1,0\ny,0,1\nz,1,1\n", "facts", "2,3");
  seeds.push_back({"facts", factors_to_bytes(factorize(small_ratings(), options, {.item_features = &facts}).model)});
  return seeds;
}

void joint(Bytes input) {
  const JointModel model = joint_from_bytes(signed_archive(std::string(as_text(input))), "input");
  const std::string written = joint_to_bytes(model);
  require(joint_to_bytes(joint_from_bytes(written, "written")) == written);
  require(score(model, small_ratings(), nullptr, 1).size() == small_ratings().size());
  if (model.items().size() > 0) similar_items(model, 0, 2);
  JointModel folded = model;
  fold_in_users(folded, small_ratings());
}

std::vector<Seed> joint_seeds() {
  const SideFeatures facts = parse_side_features("x,1,0\ny,0,1\nz,1,1\n", "facts", "2,3");
  JointModelOptions options;
  options.train.compute.threads = 1;
  std::vector<Seed> seeds = {{"dorm", joint_to_bytes(train_joint_model(small_ratings(), options))}};
  options.method = "ridge";
  seeds.push_back({"facts", joint_to_bytes(train_joint_model(small_ratings(), options, {.item_features = &facts}))});
  return seeds;
}

void learner(Bytes input) {
  Stream stream = Stream::load(as_text(input));
  require(Stream::load(stream.save()).save() == stream.save());
  stream.learn(small_data(), small_training());
}

std::vector<Seed> learner_seeds() {
  Stream stream;
  const std::string empty = stream.save();
  stream.learn(small_data(), small_training());
  return {{"empty", empty}, {"learnt", stream.save()}};
}

// A record that is accepted is kept unchanged.
void cell(Bytes input) {
  static const std::string folder = scratch_path("cells");
  std::filesystem::create_directories(folder);
  const CellStore store(folder);
  static const std::string path = [&] {
    store.save(small_record());
    return std::filesystem::directory_iterator(folder)->path().string();
  }();
  write_scratch(path, signed_cell(as_text(input)));
  const auto record = store.load(small_record().key);
  if (!record) return;
  store.save(*record);
  const std::string first = read_scratch(path);
  store.save(*store.load(small_record().key));
  require(read_scratch(path) == first);
}

std::vector<Seed> cell_seeds() {
  const std::string folder = scratch_path("cell-seeds");
  std::filesystem::create_directories(folder);
  CellStore(folder).save(small_record());
  return {{"record", read_scratch(std::filesystem::directory_iterator(folder)->path())}};
}

}  // namespace

std::span<const Target> model_targets() {
  static constexpr Target kTargets[] = {{"model", model, model_seeds},
                                        {"position-model", position_model, position_seeds},
                                        {"factors", factors, factor_seeds},
                                        {"joint", joint, joint_seeds},
                                        {"learner", learner, learner_seeds},
                                        {"cell", cell, cell_seeds},
                                        {"trees", trees}};
  return kTargets;
}

}  // namespace dorm::fuzz
