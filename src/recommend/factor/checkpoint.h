// SPDX-License-Identifier: Apache-2.0
// The state of training after a round, in a file.
#pragma once

#include "dorm/recommend/factorize.h"

namespace dorm {

struct FactorState {
  FactorModel model;  // the present factors
  FactorMatrix user_centre, item_centre;
  FactorMatrix best_users, best_items;  // of the best round so far
  std::size_t best_round = 0;
  std::size_t round = 0;  // rounds made
  std::vector<FactorRound> rounds;
};

/// What must not change between the run that wrote a checkpoint and the run that resumes from it. What is left to a
/// search is read from the checkpoint, and not searched again.
std::string checkpoint_identity(const Ratings& train, const FactorizeOptions& options, const FactorizeInputs& inputs);

void save_checkpoint(const FactorState& state, const std::string& identity, const std::string& path);
/// From options.checkpoint. False when there is no file. Throws Error(bad_input) for one that was written for other
/// data or options or that does not fit them, Error(io) when it cannot be written.
bool load_checkpoint(FactorState& state, const Ratings& train, const FactorizeOptions& options,
                     const FactorizeInputs& inputs);
void remove_checkpoint(const std::string& path);

}  // namespace dorm
