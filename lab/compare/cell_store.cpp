// SPDX-License-Identifier: Apache-2.0
// A record is one JSON file, written in one step. Its name is a hash of its key: results of other data or other options
// are never found, and never in the way. A checksum over all of it tells damage and edits.
#include "lab/compare/cell_store.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "base/checksum.h"
#include "base/json.h"
#include "data/io/files/file.h"
#include "dorm/lab/comparison.h"
#include "dorm/write.h"

namespace dorm {
namespace {

// NaN has no spelling in JSON; null stands for it.
Json to_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const std::vector<std::vector<double>>& values) {
  Json out = Json::array();
  for (const std::vector<double>& column : values) {
    Json list = Json::array();
    for (double value : column) list.push_back(to_json(value));
    out.push_back(std::move(list));
  }
  return out;
}

std::vector<std::vector<double>> from_json(const Json& json) {
  std::vector<std::vector<double>> values;
  for (const Json& list : json) {
    std::vector<double>& column = values.emplace_back();
    for (const Json& value : list)
      column.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return values;
}

std::vector<std::vector<std::uint32_t>> lists_from_json(const Json& json) {
  std::vector<std::vector<std::uint32_t>> lists;
  for (const Json& list : json) lists.push_back(list.get<std::vector<std::uint32_t>>());
  return lists;
}

// Of everything in a record but the checksum itself.
std::string checksum_of(const Json& json) {
  const std::string text = printable_json(json);
  return fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
}

CellRecord record_from(const JsonFields& json) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CellRecord record;
  json.read("key", record.key);
  json.read("failure", record.failure);
  if (json.has("chosen")) json.read("chosen", record.chosen);
  if (json.has("tuning_seconds")) json.read("tuning_seconds", record.tuning_seconds);
  record.seconds = json.optional<double>("seconds", "a number or null", kNan);
  record.gap = json.optional<double>("gap", "a number or null", kNan);
  record.explained_risk = json.optional<double>("explained_risk", "a number or null", kNan);
  json.read("support_vectors", record.support_vectors);
  json.read("passes", record.passes);
  record.valid = from_json(json.list("valid", "lists of numbers"));
  record.test = from_json(json.list("test", "lists of numbers"));
  record.weights = json.optional<std::vector<double>>("weights", "numbers", {});
  if (json.has("serving")) {
    const Json& cost = json.list("serving", "milliseconds, bytes and targets");
    record.serving = {cost.at(0).get<double>(), cost.at(1).get<std::size_t>(),
                      cost.at(2).get<std::vector<std::string>>()};
  }
  if (json.has("top")) record.top = lists_from_json(json.list("top", "lists of documents"));
  return record;
}

}  // namespace

std::string CellStore::path(const std::string& key) const {
  return fmt::format("{}/{:016x}.json", directory_, checksum(std::as_bytes(std::span(key))));
}

std::optional<CellRecord> CellStore::load(const std::string& key) const {
  if (directory_.empty() || !file_exists(path(key))) return std::nullopt;
  try {
    Json parsed = parse_json(read_whole_file(path(key)), path(key), "a cell");
    const JsonFields json(parsed, path(key), "a usable cell");
    const auto sum = json.required<std::string>("checksum", "text");
    parsed.erase("checksum");
    if (sum != checksum_of(parsed)) return std::nullopt;
    CellRecord record = record_from(json);
    if (record.key == key && !(record.seconds < 0)) return record;
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: the cell is computed again
  }
  return std::nullopt;
}

void CellStore::save(const CellRecord& record) const {
  if (directory_.empty()) return;
  Json json = {{"key", record.key},
               {"failure", record.failure},
               {"seconds", to_json(record.seconds)},
               {"gap", to_json(record.gap)},
               {"explained_risk", to_json(record.explained_risk)},
               {"support_vectors", record.support_vectors},
               {"passes", record.passes},
               {"valid", to_json(record.valid)},
               {"test", to_json(record.test)}};
  if (!record.top.empty()) json["top"] = record.top;
  if (record.serving)
    json["serving"] = Json::array({record.serving->milliseconds, record.serving->bytes, record.serving->targets});
  if (!record.weights.empty()) json["weights"] = record.weights;
  if (!record.chosen.empty()) json.update({{"chosen", record.chosen}, {"tuning_seconds", record.tuning_seconds}});
  json["checksum"] = checksum_of(json);
  write_atomically(path(record.key), [&](std::ostream& out) { out << printable_json(json) << '\n'; });
}

bool values_fit(const std::vector<std::vector<double>>& values, std::span<const std::string> measures,
                const std::string& convention, std::size_t size) {
  constexpr double kRounding = 1e-9;
  if (values.size() != measures.size()) return false;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const bool at_most_one = make_measure(measures[m], make_convention(convention))->normalised();
    if (values[m].size() != size) return false;
    for (const double value : values[m])
      if (at_most_one && value > 1 + kRounding) return false;
  }
  return true;
}

}  // namespace dorm
