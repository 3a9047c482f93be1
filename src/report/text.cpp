// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace dorm::report {
namespace {

constexpr double kLargestWhole = 1e7;                      // written out in columns of significant digits
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t length_of_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// The length of the character `text` begins with; 0 when that is no character to be shown: bytes that are not UTF-8
/// (overlong forms and surrogates included), control characters, and the non-characters of XML.
std::size_t length_of_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_of_lead(lead);
  if (length == 0 || length > text.size()) return 0;
  if (length == 1) return (lead >= 0x20 && lead != 0x7F) || lead == '\t' || lead == '\n' || lead == '\r';
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text[k])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3Fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0xA0, 0x800, 0x10000};  // U+0080..U+009F are controls
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < kSmallest[length] || surrogate || code > 0x10FFFF || (code & 0xFFFE) == 0xFFFE ? 0 : length;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string escape_markdown(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]<>#|~&$!";
  std::string out;
  for (const char c : clean(text)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
      continue;
    }
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string disarmed(std::string_view text) {
  std::string safe = clean(text);
  if (!safe.empty() && std::string_view("=+-@\t\r").find(safe[0]) != std::string_view::npos)
    safe.insert(safe.begin(), '\'');
  return safe;
}

std::string p_value_text(double p) {
  if (std::isnan(p)) return "";
  return p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", p);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < std::size(kUnits); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string number_text(double value, const Column& column) {
  if (!std::isfinite(value)) return "";
  std::string text;
  if (column.kind != Column::Kind::significant)
    text = fmt::format("{:.{}f}", value, column.digits);
  else if (value == std::round(value) && std::fabs(value) < kLargestWhole)
    text = fmt::format("{:.0f}", value);  // 10000, not 1e+04
  else
    text = fmt::format("{:.{}g}", value, column.digits);
  // A rounded zero has no sign.
  if (text[0] == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string exact_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string shown_text(const Cell& cell, const Column& column) {
  return cell.text.empty() ? number_text(cell.value, column) : cell.text;
}

std::string note_text(const Cell& cell) {
  return cell.note.empty() || cell.hint.empty() ? cell.note + cell.hint : cell.note + ", " + cell.hint;
}

std::string interval_text(const Cell& cell, const Column& column) {
  return cell.has_interval() ? fmt::format("[{}, {}]", number_text(cell.low, column), number_text(cell.high, column))
                             : "";
}

}  // namespace dorm::report
