// SPDX-License-Identifier: Apache-2.0
// Checkpoints, carried through to the end of the training that resumes from them. Checksums are set right: they guard
// against accidents, not against a file that was made to deceive.
#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "dorm/model.h"
#include "dorm/recommend/factorize.h"
#include "dorm/solver.h"
#include "dorm/train.h"
#include "signing.h"
#include "target.h"
#include "worlds.h"

namespace dorm::fuzz {
namespace {

void solver_state(Bytes input) {
  std::istringstream in(signed_state(std::string(as_text(input))));
  const SolverState state = SolverState::load(in);
  std::ostringstream first, second;
  state.save(first);
  std::istringstream again(first.str());
  SolverState::load(again).save(second);
  require(first.str() == second.str());
}

// Leaves the checkpoint that a training has written when its observer was called so often.
std::string interrupted(const TrainOptions& options, int calls) {
  train(small_data(), options, {}, [&](const TrainProgress&) { return calls-- > 0; });
  return read_scratch(options.checkpoint);
}

TrainOptions with_checkpoint(const char* name) {
  TrainOptions options = small_training();
  options.checkpoint = scratch_path(name);
  return options;
}

std::vector<Seed> checkpoint_seeds() {
  std::vector<Seed> seeds;
  for (const int calls : {0, 2, 4, 6, 9, 12}) {
    const std::string content = interrupted(with_checkpoint("seed.checkpoint"), calls);
    std::remove(scratch_path("seed.checkpoint").c_str());
    if (!content.empty()) seeds.push_back({fmt::format("after{}", calls), content});
  }
  return seeds;
}

std::vector<Seed> state_seeds() {
  std::vector<Seed> seeds;
  for (const Seed& seed : checkpoint_seeds()) {
    const std::size_t state = seed.content.find("DORMSTAT");
    if (state != std::string::npos) seeds.push_back({seed.name, seed.content.substr(state)});
  }
  return seeds;
}

void checkpoint(Bytes input) {
  static const TrainOptions options = with_checkpoint("training.checkpoint");
  write_scratch(options.checkpoint, signed_checkpoint(as_text(input)));
  const Model model = train(small_data(), options).model;
  require(model.weights.size() == small_data().num_features());
  require(to_json(model_from_json(to_json(model), "written")) == to_json(model));
}

FactorizeOptions with_factor_checkpoint(const char* name) {
  FactorizeOptions options = small_factorization();
  options.checkpoint = scratch_path(name);
  return options;
}

std::vector<Seed> factor_seeds_of_rounds() {
  std::vector<Seed> seeds;
  for (const int calls : {4, 8, 12}) {
    const FactorizeOptions options = with_factor_checkpoint("seed.factors");
    int left = calls;
    factorize(small_ratings(), options, {}, [&](const FactorizeProgress&) { return left-- > 0; });
    const std::string content = read_scratch(options.checkpoint);
    std::remove(options.checkpoint.c_str());
    if (!content.empty()) seeds.push_back({fmt::format("after{}", calls), content});
  }
  return seeds;
}

void factor_checkpoint(Bytes input) {
  static const FactorizeOptions options = with_factor_checkpoint("factors.checkpoint");
  write_scratch(options.checkpoint, signed_archive(std::string(as_text(input))));
  const FactorModel model = factorize(small_ratings(), options).model;
  require(model.users.size() == small_ratings().num_users() && model.items.size() == small_ratings().num_items());
  require(factors_to_bytes(factors_from_bytes(factors_to_bytes(model), "written")) == factors_to_bytes(model));
}

}  // namespace

std::span<const Target> checkpoint_targets() {
  static constexpr Target kTargets[] = {{"solver-state", solver_state, state_seeds},
                                        {"checkpoint", checkpoint, checkpoint_seeds},
                                        {"factor-checkpoint", factor_checkpoint, factor_seeds_of_rounds}};
  return kTargets;
}

}  // namespace dorm::fuzz
