// SPDX-License-Identifier: Apache-2.0
#include "run/recommender_text.h"

#include "dorm/recommend/any_model.h"
#include "run/output.h"
#include "text/factors_text.h"
#include "text/implicit_text.h"
#include "text/joint_text.h"

namespace dorm::cli {
namespace {

std::string text_of(const FactorModel& model, const std::string& file, const Settings& settings) {
  return settings.json ? factors_json(model, file) : factors_text(model, file);
}

std::string text_of(const JointModel& model, const std::string& file, const Settings& settings) {
  return settings.json ? joint_json(model, file) : joint_text(model, file);
}

std::string text_of(const ImplicitModel& model, const std::string& file, const Settings& settings) {
  return settings.json ? printable_json(implicit_json(model, file), 2) + "\n" : implicit_text(model, file);
}

}  // namespace

std::string recommender_text(const std::string& file, const Settings& settings) {
  return std::visit([&](const auto& model) { return text_of(model, file, settings); }, load_recommender(file));
}

}  // namespace dorm::cli
