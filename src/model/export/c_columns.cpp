// SPDX-License-Identifier: Apache-2.0
// The part of a header of C that makes features of the cells of a table: categories, dates and formatted numbers.
#include <fmt/format.h>

#include <algorithm>

#include "data/encode/encoding_words.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::string_view kCells = R"c(
static inline char @_lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* Whether the n characters are the word, in any case. */
static inline int @_word(const char *text, size_t n, const char *word) {
  size_t i;
  for (i = 0; i < n && word[i] && @_lower(text[i]) == word[i]; ++i) {
  }
  return i == n && !word[i];
}

/* The cell without the blanks around it; 0 where it is missing. */
static inline int @_cell(const char **text, size_t *n) {
  static const char *const gaps[] = {"na",   "n/a", "#n/a", "<na>",     "null", "none",
                                     "\\n", "nan", "inf",  "infinity"};
  const char *s = *text;
  size_t k;
  *n = 0;
  if (!s) return 0;
  while (*s == ' ' || *s == '\t') ++s;
  *text = s;
  *n = strlen(s);
  while (*n > 0 && (s[*n - 1] == ' ' || s[*n - 1] == '\t' || s[*n - 1] == '\r')) --*n;
  for (k = 0; k < sizeof gaps / sizeof *gaps; ++k) {
    const size_t sign = k >= 7 && *n > 0 && (s[0] == '+' || s[0] == '-') ? 1 : 0;
    if (@_word(s + sign, *n - sign, gaps[k])) return 0;
  }
  return *n > 0;
}
)c";

constexpr std::string_view kNumbers = R"c(
/* rule: 'p' a percent sign, 't' separators of thousands, 'd' a decimal comma, 'b' true or false. */
static inline int @_number(const char *s, size_t n, char rule, double *value) {
  static const char *const words[] = {"false", "no", "f", "n", "off", "0", "true", "yes", "t", "y", "on", "1"};
  const char *const groups = rule == 't' ? ",' _" : ".' _";
  const char point = rule == 't' ? '.' : ',';
  char digits[128], separator = 0, *end;
  size_t used = 0, run = 0, i = 0;
  int grouped = rule != 'p';
  if (rule == 'b') {
    for (i = 0; i < 12; ++i)
      if (@_word(s, n, words[i])) {
        *value = i < 6 ? 0 : 1;
        return 1;
      }
    return 0;
  }
  if (rule != 't' && s[n - 1] == '%')
    for (--n; n > 0 && s[n - 1] == ' '; --n) {
    }
  if (n == 0 || n >= sizeof digits) return 0;
  if (grouped && (s[0] == '-' || s[0] == '+')) {
    if (s[0] == '-') digits[used++] = '-';
    i = 1;
  }
  for (; grouped && i < n && s[i] != point; ++i) {
    if (s[i] >= '0' && s[i] <= '9') {
      digits[used++] = s[i];
      ++run;
    } else {
      grouped = strchr(groups, s[i]) && run > 0 && run <= 3 && (!separator || (s[i] == separator && run == 3));
      separator = s[i];
      run = 0;
    }
  }
  if (grouped && separator && run != 3) grouped = 0;
  if (!grouped && rule == 'd') return 0;
  if (!grouped) used = i = 0;
  for (; i < n; ++i) digits[used++] = grouped && s[i] == point ? '.' : s[i];
  digits[used] = 0;
  if (strspn(digits, "0123456789+-.eE") != used) return 0;
  *value = strtod(digits, &end);
  return used > 0 && !*end && isfinite(*value);
}
)c";

constexpr std::string_view kDates = R"c(
static inline int @_digits(const char **s, const char *end, int most, int *number) {
  int count = 0;
  for (*number = 0; *s < end && **s >= '0' && **s <= '9' && count < most; ++*s, ++count)
    *number = *number * 10 + (**s - '0');
  return count;
}

/* Days from 1970-01-01 to a day of the calendar; month 1 to 12. */
static inline double @_date(int year, int month, int day) {
  const int y = month > 2 ? year : year - 1, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return 146097.0 * era + 365.0 * of_era + of_era / 4 - of_era / 100 + of_year - 719468.0;
}

/* order: 'd' or 'm' comes first, where the year does not. */
static inline int @_days(const char *s, size_t n, char order, double *days) {
  const char *const end = s + n;
  int group[3], width[3], k, year, month, day, hours, minutes, zone_hours, zone_minutes = 0;
  double seconds = 0, unit = 1, time, sign;
  char separator = 0;
  for (k = 0; k < 3; ++k) {
    if (k > 0 && (s == end || *s++ != separator)) return 0;
    width[k] = @_digits(&s, end, 4, &group[k]);
    if (width[k] == 0 || width[k] == 3) return 0;
    if (k > 0) continue;
    if (s == end || (*s != '-' && *s != '/' && *s != '.')) return 0;
    separator = *s;
  }
  if (width[0] == 4) {
    year = group[0];
    month = group[1];
    day = group[2];
  } else {
    const int month_first = order == 'm' && separator != '.';
    if (!month_first && order != 'd' && separator != '.') return 0;
    if (width[2] == 1) return 0;
    year = group[2] + (width[2] == 4 ? 0 : group[2] < 69 ? 2000 : 1900);
    month = group[month_first ? 0 : 1];
    day = group[month_first ? 1 : 0];
  }
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  *days = @_date(year, month, day);
  if (*days >= (month == 12 ? @_date(year + 1, 1, 1) : @_date(year, month + 1, 1))) return 0;
  if (s == end) return 1;
  if (*s != 'T' && *s != ' ') return 0;
  ++s;
  if (@_digits(&s, end, 2, &hours) == 0 || hours > 23 || s == end || *s++ != ':') return 0;
  if (@_digits(&s, end, 2, &minutes) != 2 || minutes > 59) return 0;
  if (s < end && *s == ':') {
    ++s;
    if (@_digits(&s, end, 2, &k) != 2 || k > 60) return 0;
    seconds = k;
    if (s < end && (*s == '.' || *s == ',')) {
      const char *const point = s++;
      for (; s < end && *s >= '0' && *s <= '9'; ++s) seconds += (unit /= 10) * (*s - '0');
      if (s == point + 1) return 0;
    }
  }
  time = (hours * 3600.0 + minutes * 60.0 + seconds) / 86400.0;
  if (s < end && *s == ' ') ++s;
  if (s == end || (end - s == 1 && (*s == 'z' || *s == 'Z')) ||
      (end - s == 3 && (!memcmp(s, "UTC", 3) || !memcmp(s, "GMT", 3)))) {
    *days += time;
    return 1;
  }
  sign = *s == '-' ? 1 : -1;
  if (*s != '+' && *s != '-') return 0;
  ++s;
  if (@_digits(&s, end, 2, &zone_hours) != 2 || zone_hours > 23) return 0;
  if (s < end && *s == ':') ++s;
  k = @_digits(&s, end, 2, &zone_minutes);
  if (k == 1 || zone_minutes > 59 || s != end) return 0;
  *days += time + sign * (zone_hours * 60 + zone_minutes) / 1440.0;
  return 1;
}

static inline int @_month(double days) {
  const double whole = floor(days) + 719468.0, era = floor(whole / 146097.0);
  const int of_era = (int)(whole - era * 146097.0);
  const int years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int month = (5 * (of_era - (365 * years + years / 4 - years / 100)) + 2) / 153;
  return month < 10 ? month + 2 : month - 10; /* 0: January */
}
)c";

constexpr std::string_view kEncodeHead = R"c(
/* Fills in the features that come from columns; x has the others already, and NAN for a number that is missing.
 * cells: the text of each column as @_column() names it, NULL where it is missing. The point of decimals is that of
 * the locale "C". Returns 0, or the number of the column, counted from 1, whose cell cannot be read. */
static inline int @_encode(const char *const *cells, float *x) {
)c";

constexpr std::string_view kEncodeLoop = R"c(  int seen = 0;
  size_t k;
  for (k = 0; k < sizeof made / sizeof *made; ++k) {
    const char *text = made[k].rule == 'i' ? NULL : cells[made[k].column];
    size_t n = 0;
    const int there = made[k].rule == 'i' ? 0 : @_cell(&text, &n);
    double value = 0;
    switch (made[k].rule) {
      case 'i':
        value = isfinite(x[made[k].column]) ? 0 : 1;
        break;
      case 'v':
        if (made[k].first) seen = 0;
        value = there ? strlen(made[k].value) == n && !memcmp(text, made[k].value, n) : !made[k].value[0];
        seen = seen || value != 0;
        break;
      case 'o':
        value = made[k].first || !seen;
        break;
)c";

constexpr std::string_view kEncodeDates = R"c(      case 'a':
      case 'w':
      case 'm':
        if (there && !@_days(text, n, made[k].value[0], &value)) return (int)made[k].column + 1;
        if (made[k].rule == 'a')
          value = there ? made[k].argument - value : NAN;
        else if (there && made[k].rule == 'm')
          value = @_month(value) == made[k].argument;
        else
          value = there && floor(value) + 3 - 7 * floor((floor(value) + 3) / 7) == made[k].argument;
        break;
)c";

constexpr std::string_view kEncodeNumbers = R"c(      case 'p':
      case 't':
      case 'd':
      case 'b':
        if (there && !@_number(text, n, made[k].rule, &value)) return (int)made[k].column + 1;
        if (!there) value = NAN;
        break;
)c";

constexpr std::string_view kEncodeEnd = R"c(      default:
        break;
    }
    if (made[k].feature >= 0) x[made[k].feature] = (float)value;
  }
  return 0;
}

)c";

std::string named(std::string_view text, const std::string& name) {
  std::string out;
  for (const char c : text) out += c == '@' ? name : std::string(1, c);
  return out;
}

char letter_of(Encode rule) {
  switch (rule) {
    case Encode::onehot:
      return 'v';
    case Encode::decimal_comma:
      return 'd';
    case Encode::indicator:
      return 'i';
    default:
      return rule_name(rule)[0];  // age, weekday, month, percent, thousands, bool
  }
}

/// The rows of a rule: which feature, by what of which column.
std::string rows_of(const Model& model, const EncodedFeatures::Rule& rule, std::size_t column) {
  const ColumnEncoding& encoding = *rule.encoding;
  const bool indicator = encoding.rule == Encode::indicator;
  std::string text;
  for (std::size_t place = 0; place < rule.features.size(); ++place) {
    const EncodedFeature made{&encoding, place};
    const std::size_t feature = rule.features[place];
    const bool onehot = encoding.rule == Encode::onehot;
    if (feature == EncodedFeatures::kNone && !onehot) continue;
    const bool value = onehot && !made.is_others();
    const std::string text_of = value                                      ? c_string(encoding.values[place])
                                : encoding.order == DateOrder::day_first   ? "\"d\""
                                : encoding.order == DateOrder::month_first ? "\"m\""
                                                                           : "\"\"";
    text += fmt::format("      {{{}, '{}', {}, {}, {:a}, {}}},\n", indicator ? marked_feature(model, encoding) : column,
                        made.is_others() ? 'o' : letter_of(encoding.rule), place == 0 ? 1 : 0,
                        feature == EncodedFeatures::kNone ? "-1" : fmt::format("{}", feature),
                        encoding.rule == Encode::age ? encoding.reference : static_cast<double>(place), text_of);
  }
  return text;
}

}  // namespace

std::string c_columns(const Model& model, const std::string& name, const ExportOptions& options) {
  const EncodedFeatures encoded(model, options);
  if (encoded.rules.empty()) return {};
  bool dates = false, numbers = false;
  std::string rows, names;
  for (const EncodedFeatures::Rule& rule : encoded.rules) {
    const Encode kind = rule.encoding->rule;
    dates |= is_date_rule(kind);
    numbers |= !is_date_rule(kind) && kind != Encode::onehot && kind != Encode::indicator;
    const auto column = std::find(encoded.columns.begin(), encoded.columns.end(), rule.encoding->column);
    rows += rows_of(model, rule, static_cast<std::size_t>(column - encoded.columns.begin()));
  }
  for (const std::string& column : encoded.columns) names += fmt::format("      {},\n", c_string(column));
  std::string text = fmt::format(
      "enum {{ {0}_num_columns = {1} }};\n\n"
      "/* The name of the column whose text is cell j of {0}_encode(). */\n"
      "static inline const char *{0}_column(size_t j) {{\n"
      "  static const char *const names[] = {{\n{2}      \"\"\n  }};\n  return names[j];\n}}\n",
      name, encoded.columns.size(), names);
  text += named(kCells, name);
  if (numbers) text += named(kNumbers, name);
  if (dates) text += named(kDates, name);
  text += named(kEncodeHead, name);
  text += fmt::format(
      "  static const struct {{\n    size_t column;\n    char rule, first;\n    long feature;\n    double argument;\n"
      "    const char *value;\n  }} made[] = {{\n{}  }};\n",
      rows);
  text += named(kEncodeLoop, name);
  if (dates) text += named(kEncodeDates, name);
  if (numbers) text += named(kEncodeNumbers, name);
  return text + named(kEncodeEnd, name);
}

}  // namespace dorm
