// SPDX-License-Identifier: Apache-2.0
#include "ranking/names/other_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "dorm/error.h"

namespace dorm {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// `number` says what a number behind the name is: "@", a cutoff; the key of a parameter; "", nothing.
struct OtherName {
  std::string_view name, own, number, parameters = "";
};

constexpr std::array<OtherName, 40> kOthers = {{
    // trec_eval
    {"p", "precision", "@"},
    {"recall", "recall", "@"},
    {"ndcg_cut", "ndcg", "@"},
    {"map_cut", "map", "@"},
    {"ndcg", "ndcg", "gains"},
    {"success", "success", "@"},
    {"relative_p", "relative-precision", "@"},
    {"rprec_mult", "rprec", "mult"},
    {"iprec_at_recall", "iprec", "recall"},
    {"11pt_avg", "iprec", "recall"},
    {"set_f", "setf", "beta_squared"},
    {"set_map", "setap", ""},
    {"set_relative_p", "setrp", ""},
    {"num_rel_ret", "hits", ""},
    {"utility", "utility", "weights"},
    {"bing", "bing", ""},
    {"g", "g", "gains"},
    {"ndcg_rel", "ndcg-rel", "gains"},
    {"rndcg", "rndcg", "gains"},
    {"rbp", "rbp", "p"},
    // ir_measures
    {"r", "recall", "@"},
    {"rr", "mrr", "@"},
    {"ap", "map", "@"},
    {"iprec", "iprec", "recall"},
    {"err", "err", "@"},
    {"judged", "judged", "@"},
    {"numrelret", "hits", ""},
    {"nrelret", "hits", ""},
    {"setrp", "setrp", ""},
    {"alpha_ndcg", "alpha-ndcg", "@"},
    {"\xce\xb1_ndcg", "alpha-ndcg", "@"},
    {"p_ia", "ia-precision", "@"},
    {"strecall", "subtopic-recall", "@"},
    // ranx
    {"hits", "hits", "@"},
    {"hit_rate", "success", "@"},
    {"f1", "f", "@"},
    {"r_precision", "rprec", ""},
    {"r-precision", "rprec", ""},
    {"ndcg_burges", "ndcg", "@", "gain=exp2"},
    {"dcg_burges", "dcg", "@", "gain=exp2"},
}};

const OtherName* find_other(std::string_view name) {
  const auto* found = std::find_if(kOthers.begin(), kOthers.end(), [&](const OtherName& o) { return o.name == name; });
  return found == kOthers.end() ? nullptr : found;
}

std::string lower_without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\'' && c != '"') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::optional<double> as_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<std::string> pieces(std::string_view text, char separator) {
  std::vector<std::string> result;
  int depth = 0;
  std::string piece;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == separator && depth == 0)
      result.push_back(std::exchange(piece, {}));
    else
      piece += c;
  }
  result.push_back(std::move(piece));
  return result;
}

// "1:2,2:5" as the table 0/2/5: a label that is not listed gains itself.
std::optional<std::string> gain_table(std::string_view text, char between) {
  std::map<int, std::string> gains;
  for (const std::string& piece : pieces(text, ',')) {
    const std::size_t at = piece.find(between);
    if (at == std::string::npos) return std::nullopt;
    const std::optional<double> label = as_number(std::string_view(piece).substr(0, at));
    if (!label || *label != std::floor(*label) || *label < 0 || *label > 1000) return std::nullopt;
    if (!as_number(std::string_view(piece).substr(at + 1))) return std::nullopt;
    gains[static_cast<int>(*label)] = piece.substr(at + 1);
  }
  std::string table;
  for (int label = 0; label <= gains.rbegin()->first; ++label)
    table += (label > 0 ? "/" : "") + (gains.contains(label) ? gains[label] : std::to_string(label));
  return table;
}

// What stands behind the name as a parameter of ours.
std::optional<std::pair<std::string, std::string>> number_parameter(std::string_view key, std::string text) {
  if (key == "gains") {
    auto table = gain_table(text, '=');
    if (!table) return std::nullopt;
    return std::pair{std::string(key), *table};
  }
  if (key == "weights" || key == "recall") {
    for (const std::string& piece : pieces(text, ','))
      if (!as_number(piece)) return std::nullopt;
    std::replace(text.begin(), text.end(), ',', '/');
    return std::pair{std::string(key), text};
  }
  const std::optional<double> number = as_number(text);
  if (!number) return std::nullopt;
  if (key == "beta_squared") return std::pair{std::string("beta"), fmt::format("{}", std::sqrt(*number))};
  return std::pair{std::string(key), text};
}

std::string joined(std::string_view name, std::string_view cutoff, const Parameters& parameters) {
  std::string result(name);
  if (!cutoff.empty()) result.append("@").append(cutoff);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    result += fmt::format("{}{}={}", i == 0 ? ':' : ',', parameters[i].first, parameters[i].second);
  return result;
}

void add_fixed(const OtherName& known, Parameters& parameters) {
  if (known.parameters.empty()) return;
  const std::size_t equals = known.parameters.find('=');
  parameters.emplace_back(known.parameters.substr(0, equals), known.parameters.substr(equals + 1));
}

// "ndcg_cut_10", "P.5": the number begins behind the first _ or . from which on it can be read.
std::optional<std::string> of_trec_eval(std::string_view head) {
  for (std::size_t at = head.find_first_of("_."); at != std::string_view::npos; at = head.find_first_of("_.", at + 1)) {
    const OtherName* known = find_other(head.substr(0, at));
    if (!known || known->number.empty()) continue;
    std::string text(head.substr(at + 1));
    Parameters parameters;
    if (known->number == "@") {
      if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) continue;
      add_fixed(*known, parameters);
      return joined(known->own, text, parameters);
    }
    if (head[at] == '.' && known->number == "p" && text.find('.') == std::string::npos) {
      text.insert(0, "0.");  // rbp.95 of ranx, whose gains are labels
      if (!as_number(text)) continue;
      return joined(known->own, "", {{"p", text}, {"gain", "linear"}});
    }
    if (text.starts_with("p=")) text.erase(0, 2);  // rbp_p=0.9
    const auto parameter = number_parameter(known->number, std::move(text));
    if (!parameter) continue;
    parameters.push_back(*parameter);
    return joined(known->own, "", parameters);
  }
  return std::nullopt;
}

/// Name@number, without parentheses, and what they held.
std::string of_parts(std::string_view name, std::string_view number, Parameters parameters) {
  const OtherName* known = find_other(name);
  if (known) add_fixed(*known, parameters);
  std::string_view cutoff = number;
  if (!number.empty() && known && known->number == "recall") {
    parameters.emplace_back("recall", number);
    cutoff = {};
  } else if (number.empty() && known && known->name == "hit_rate") {
    cutoff = "1000000000";  // anywhere
  } else if (number.empty() && known && known->name == "f1") {
    return joined("setf", "", parameters);
  }
  return joined(known ? known->own : name, cutoff, parameters);
}

[[noreturn]] void refuse(std::string_view spelling, std::string_view what) {
  throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\": {}", spelling, what));
}

// A parameter of ir_measures.
void add_parameter(std::string_view spelling, const std::string& text, bool set_f, std::string& cutoff,
                   Parameters& out) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse(spelling, fmt::format("parameter \"{}\"; expected key=value", text));
  const std::string key = text.substr(0, equals), value = text.substr(equals + 1);
  if (key == "cutoff") {
    cutoff = value;
  } else if (key == "dcg") {
    if (value != "log2" && value != "exp-log2")
      refuse(spelling, fmt::format("dcg \"{}\"; expected log2 or exp-log2", value));
    out.emplace_back("gain", value == "log2" ? "linear" : "exp2");
  } else if (key == "gains") {
    std::string inside = value;
    std::erase_if(inside, [](char c) { return c == '{' || c == '}'; });
    const auto table = gain_table(inside, ':');
    if (!table) refuse(spelling, fmt::format("gains \"{}\"; expected whole labels, as in {{1:2,2:5}}", value));
    out.emplace_back("gains", *table);
  } else if (key == "judged_only" || key == "relative") {
    if (value != "true" && value != "false")
      refuse(spelling, fmt::format("{} \"{}\"; expected True or False", key, value));
    if (value == "true") out.emplace_back(key, "yes");
  } else if (key == "beta" && set_f) {
    const auto number = as_number(value);
    if (!number || *number < 0) refuse(spelling, fmt::format("beta \"{}\"; expected a number not below 0", value));
    out.emplace_back("beta", fmt::format("{}", std::sqrt(*number)));  // theirs is the square of ours
  } else {
    out.emplace_back(key, value);
  }
}

// "AP(rel=2)@100"
std::string of_ir_measures(std::string_view spelling, const std::string& text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (close == std::string::npos || close < open || (close + 1 < text.size() && text[close + 1] != '@'))
    refuse(spelling, "expected name(key=value,...)@cutoff");
  std::string name = text.substr(0, open);
  std::string number = close + 1 < text.size() ? text.substr(close + 2) : "";
  Parameters parameters;
  if (close > open + 1)
    for (const std::string& piece : pieces(std::string_view(text).substr(open + 1, close - open - 1), ','))
      add_parameter(spelling, piece, name == "setf", number, parameters);
  const auto relative =
      std::find(parameters.begin(), parameters.end(), std::pair<std::string, std::string>("relative", "yes"));
  if (name == "setp" && relative != parameters.end()) {
    parameters.erase(relative);
    name = "setrp";
  }
  return of_parts(name, number, std::move(parameters));
}

}  // namespace

std::string own_spelling(std::string_view spelling) {
  const std::string text = lower_without_blanks(spelling);
  if (text.find('(') != std::string::npos) return of_ir_measures(spelling, text);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string tail = text.substr(colon);
  std::string head = text.substr(0, colon);
  Parameters parameters;
  if (const std::size_t level = head.rfind("-l");
      level != std::string::npos && as_number(std::string_view(head).substr(level + 2))) {
    parameters.emplace_back("rel", head.substr(level + 2));  // of ranx
    head.resize(level);
  }
  const std::size_t at = std::min(head.find('@'), head.size());
  const std::string name = head.substr(0, at);
  if (at + 1 == head.size()) return std::string(spelling);  // "ndcg@"
  if (!tail.empty())
    for (const std::string& piece : pieces(std::string_view(tail).substr(1), ',')) {
      const std::size_t equals = piece.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == piece.size()) return std::string(spelling);
      parameters.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
    }
  if (find_other(name) || (!parameters.empty() && tail.empty()))
    return of_parts(name, at < head.size() ? std::string_view(head).substr(at + 1) : "", std::move(parameters));
  if (at < head.size() || !tail.empty()) return std::string(spelling);
  return of_trec_eval(head).value_or(std::string(spelling));
}

std::vector<std::string> names_of_other_tools() {
  std::vector<std::string> names;
  for (const OtherName& other : kOthers) names.emplace_back(other.name);
  return names;
}

bool continues_measure(std::string_view before, std::string_view piece) {
  if (std::count(before.begin(), before.end(), '(') > std::count(before.begin(), before.end(), ')')) return true;
  if (before.starts_with("utility_") || before.starts_with("utility.")) return as_number(piece).has_value();
  const std::size_t equals = piece.find('=');
  if (equals >= std::min(piece.find(':'), piece.find('('))) return false;
  const std::string_view key = piece.substr(0, equals);
  const std::size_t digits = key.find_last_not_of("0123456789") + 1;
  const bool gains = digits > 0 && digits < key.size() && (key[digits - 1] == '_' || key[digits - 1] == '.');
  return equals != std::string_view::npos && !gains;
}

std::string_view up_to_number(std::string_view spelling) {
  const std::size_t digits = spelling.find_last_not_of("0123456789") + 1;
  const bool marked = digits > 0 && (spelling[digits - 1] == '_' || spelling[digits - 1] == '.');
  return marked && digits < spelling.size() && spelling.find('@') == std::string_view::npos ? spelling.substr(0, digits)
                                                                                            : std::string_view();
}

}  // namespace dorm
