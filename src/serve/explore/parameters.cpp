// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/number.h"
#include "base/quote.h"
#include "serve/exchange.h"
#include "serve/explore/edited_model.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kMostEdits = 100, kMostRows = 200;
constexpr std::size_t kLargestOffset = std::size_t{1} << 40;

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const int high = text[k] == '%' && k + 2 < text.size() ? hex_digit(text[k + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[k + 2]) : -1;
    if (low < 0) {
      out += text[k];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    k += 2;
  }
  return out;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

/// None for what is no whole number; the largest there is for one that is too large.
std::optional<std::size_t> whole_number(std::string_view text) {
  if (!all_digits(text)) return std::nullopt;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : std::numeric_limits<std::size_t>::max();
}

std::string range_text(std::size_t count) {
  return count == 0 ? "nothing: there is none" : fmt::format("0 to {}", count - 1);
}

template <class Body>
void each_piece(std::string_view list, const Body& body) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (comma != 0) body(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

void refuse_parameter(int status, std::string_view name, std::string_view found, std::string_view expected) {
  throw serve::Refusal(
      status, fmt::format("{}: found {}; expected {}", name,
                          all_digits(found) && found.size() < 30 ? std::string(found) : in_quotes(found), expected));
}

Parameters::Parameters(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.size(), pair.find('='));
    values_.emplace_back(percent_decoded(pair.substr(0, equals)),
                         percent_decoded(pair.substr(std::min(pair.size(), equals + 1))));
  }
}

const std::string* Parameters::find(std::string_view name) const {
  const auto found =
      std::find_if(values_.rbegin(), values_.rend(), [&](const auto& pair) { return pair.first == name; });
  return found == values_.rend() ? nullptr : &found->second;
}

std::string Parameters::text(std::string_view name) const {
  const std::string* value = find(name);
  return value ? *value : std::string();
}

std::size_t Parameters::whole(std::string_view name, std::size_t otherwise, std::size_t most) const {
  const std::string* value = find(name);
  if (!value || value->empty()) return otherwise;
  const std::optional<std::size_t> number = whole_number(*value);
  if (!number || *number > most) refuse_parameter(400, name, *value, fmt::format("a whole number from 0 to {}", most));
  return *number;
}

std::size_t Parameters::index(std::string_view name, std::size_t count) const {
  const std::string value = text(name);
  const std::optional<std::size_t> number = whole_number(value);
  if (!number || *number >= count) refuse_parameter(number ? 404 : 400, name, value, range_text(count));
  return *number;
}

std::vector<std::size_t> Parameters::indices(std::string_view name, std::size_t most, std::size_t count,
                                             bool leave_out) const {
  std::vector<std::size_t> numbers;
  std::size_t given = 0;
  each_piece(text(name), [&](std::string_view piece) {
    const std::optional<std::size_t> number = whole_number(piece);
    if (!number) refuse_parameter(400, name, piece, range_text(count));
    if (++given > most) refuse_parameter(400, name, std::to_string(given), fmt::format("at most {} of them", most));
    if (*number < count)
      numbers.push_back(*number);
    else if (!leave_out)
      refuse_parameter(404, name, piece, range_text(count));
  });
  return numbers;
}

Page page_of(const Parameters& parameters) {
  return {parameters.whole("offset", 0, kLargestOffset), parameters.whole("limit", 50, kMostRows)};
}

namespace {

/// The weight or the point that an edit names, in the model as it is.
double value_of(const Edit& edit, const Model& model) {
  if (edit.point != Edit::kWeight) return points_of(model, edit.feature)[edit.point].y;
  return model.kind() == Model::Kind::sum ? model.parts[edit.feature].weight : model.weights[edit.feature];
}

/// "3:1.5" or, where there are points, "3.2:1.5", whatever it names; none for anything else.
std::optional<Edit> parsed_edit(std::string_view piece) {
  const std::size_t colon = std::min(piece.size(), piece.find(':')), dot = std::min(colon, piece.find('.'));
  const std::optional<std::size_t> feature = whole_number(piece.substr(0, dot));
  const std::optional<std::size_t> point =
      dot < colon ? whole_number(piece.substr(dot + 1, colon - dot - 1)) : Edit::kWeight;
  const std::string_view number = piece.substr(std::min(piece.size(), colon + 1));
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (!feature || !point || number.empty() || error != std::errc() || end != number.data() + number.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return Edit{*feature, value, *point};
}

/// "feature:weight", or "feature.point:value".
Edit edit_of(std::string_view piece, const Model& model) {
  const bool curves = model.kind() == Model::Kind::curves;
  const std::optional<Edit> edit = parsed_edit(piece);
  if (!edit || (edit->point != Edit::kWeight && !curves))
    refuse_parameter(400, "edits", piece, curves ? "feature.point:value or feature:weight" : "feature:weight");
  const std::size_t count = model.kind() == Model::Kind::sum ? model.parts.size() : model.features.size();
  if (edit->feature >= count) refuse_parameter(400, "edits", piece, range_text(count));
  const std::size_t points = curves ? points_of(model, edit->feature).size() : 0;
  if (edit->point == Edit::kWeight ? points > 0 : edit->point >= points)
    refuse_parameter(400, "edits", piece,
                     points > 0 ? "a point of the curve: " + range_text(points) : "the weight of a line");
  return *edit;
}

}  // namespace

std::vector<Edit> edits_of(const Parameters& parameters, const Model& model) {
  std::map<std::pair<std::size_t, std::size_t>, Edit> by_place;
  std::size_t given = 0;
  const std::string list = parameters.text("edits");
  each_piece(list, [&](std::string_view piece) {
    if (!can_be_edited(model))
      throw serve::Refusal(409, "edits: the model has no weights and no curves; expected one whose scores are a sum");
    const Edit edit = edit_of(piece, model);
    if (++given > kMostEdits) refuse_parameter(400, "edits", std::to_string(given), "at most 100 of them");
    by_place[{edit.feature, edit.point}] = edit;
  });
  std::vector<Edit> edits;
  for (const auto& [place, edit] : by_place)
    if (edit.weight != value_of(edit, model)) edits.push_back(edit);
  return edits;
}

std::vector<Edit> numbers_by_feature(const Parameters& parameters, std::string_view name, std::size_t count) {
  std::vector<Edit> out;
  const std::string list = parameters.text(name);
  each_piece(list, [&](std::string_view piece) {
    const std::optional<Edit> edit = parsed_edit(piece);
    if (!edit || edit->point != Edit::kWeight) refuse_parameter(400, name, piece, "feature:value");
    if (edit->feature >= count) refuse_parameter(400, name, piece, range_text(count));
    if (out.size() == kMostEdits) refuse_parameter(400, name, list, "at most 100 of them");
    out.push_back(*edit);
  });
  return out;
}

bool contains_text(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char x, char y) { return lower_case(x) == lower_case(y); }) != text.end();
}

}  // namespace dorm::explore
