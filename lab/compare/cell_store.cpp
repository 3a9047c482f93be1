// SPDX-License-Identifier: Apache-2.0
// A record is one JSON file, written in one step. Its name is a hash of its key: results of other data or other options
// are never found, and never in the way.
#include "lab/compare/cell_store.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "base/checksum.h"
#include "base/json.h"
#include "data/io/file.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

// NaN has no spelling in JSON; null stands for it.
Json to_json(const std::vector<std::vector<double>>& values) {
  Json out = Json::array();
  for (const std::vector<double>& column : values) {
    Json list = Json::array();
    for (double value : column) list.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
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

}  // namespace

std::string CellStore::path(const std::string& key) const {
  return fmt::format("{}/{:016x}.json", directory_, checksum(std::as_bytes(std::span(key))));
}

std::optional<CellRecord> CellStore::load(const std::string& key) const {
  if (directory_.empty() || !file_exists(path(key))) return std::nullopt;
  try {
    const Json parsed = parse_json(read_whole_file(path(key)), path(key), "a cell");
    const JsonFields json(parsed, path(key), "a usable cell");
    CellRecord record;
    json.read("key", record.key);
    json.read("failure", record.failure);
    json.read("seconds", record.seconds);
    json.read("gap", record.gap);
    json.read("health", record.health);
    json.read("support_vectors", record.support_vectors);
    json.read("passes", record.passes);
    record.valid = from_json(json.list("valid", "lists of numbers"));
    record.test = from_json(json.list("test", "lists of numbers"));
    if (record.key == key) return record;
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: the cell is computed again
  }
  return std::nullopt;
}

void CellStore::save(const CellRecord& record) const {
  if (directory_.empty()) return;
  const Json json = {
      {"key", record.key},       {"failure", record.failure},      {"seconds", record.seconds},
      {"gap", record.gap},       {"health", record.health},        {"support_vectors", record.support_vectors},
      {"passes", record.passes}, {"valid", to_json(record.valid)}, {"test", to_json(record.test)}};
  write_atomically(path(record.key), [&](std::ostream& out) { out << json_text(json) << '\n'; });
}

}  // namespace dorm
