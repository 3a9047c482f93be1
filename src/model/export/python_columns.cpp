// SPDX-License-Identifier: Apache-2.0
// The part of a Python module that reads columns of categories, dates and formatted numbers.
#include <fmt/format.h>

#include "data/encode/encoding_words.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::string_view kReaders = R"py(

def _text(cell):
    """The text of a cell; None where it is missing."""
    if cell is None or cell != cell:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell).strip(" \t\r")
    gaps = ("", "na", "n/a", "#n/a", "<na>", "null", "none", "\\n", "nan", "inf", "infinity")
    return None if text.lower().lstrip("+-") in gaps else text


_DATE = re.compile(
    r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})"
    r"(?:[T ](\d\d?):(\d\d)(?::(\d\d(?:[.,]\d+)?))? ?(Z|z|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?)?"
)


def _days(text, order):
    found = _DATE.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no date")
    first, separator, second, third, hours, minutes, seconds, zone = found.groups()
    if len(first) == 4:
        year, month, day = first, second, third
    elif order == "mdy" and separator != ".":
        month, day, year = first, second, third
    elif order == "dmy" or separator == ".":
        day, month, year = first, second, third
    else:
        raise ValueError(f"{text!r} is no date that begins with the year")
    number = int(year)
    if len(year) == 2:
        number += 2000 if number < 69 else 1900
    days = float(datetime.date(number, int(month), int(day)).toordinal() - 719163)
    if hours:
        clock = int(hours) * 3600.0 + int(minutes) * 60.0 + float((seconds or "0").replace(",", "."))
        days += clock / 86400.0
        if zone and zone[0] in "+-":
            digits = zone[1:].replace(":", "")
            offset = int(digits[:2]) * 60 + int(digits[2:] or 0)
            days += (1 if zone[0] == "-" else -1) * offset / 1440.0
    return days


def _number(text, rule):
    if rule in ("percent", "decimal-comma") and text.endswith("%"):
        text = text[:-1].rstrip()
    if rule == "bool":
        return float(["false", "no", "f", "n", "off", "0", "true", "yes", "t", "y", "on", "1"].index(text.lower()) > 5)
    if rule != "percent":
        groups, point = (r"[,' _]", ".") if rule == "thousands" else (r"[.' _]", ",")
        whole = r"[-+]?(?:\d{1,3}(" + groups + r")\d{3}(?:\1\d{3})*|\d*)(?:" + re.escape(point) + r"\d*)?"
        if re.fullmatch(whole, text):
            text = re.sub(groups, "", text.split(point)[0]) + "." + "".join(text.split(point)[1:])
        elif rule == "decimal-comma":
            raise ValueError(f"{text!r} has no decimal comma")
    return float(text)


def _encoded(cell, rule, argument):
    """A feature of a column; None where the number is missing."""
    text = _text(cell)
    if rule == "missing":
        return float(text is None)
    if rule == "onehot":
        return float((text or "") == argument)
    if rule == "other":
        return float((text or "") not in argument)
    if text is None:
        return None if rule in ("age", "percent", "thousands", "decimal-comma", "bool") else 0.0
    if rule == "age":
        value = argument[1] - _days(text, argument[0])
    elif rule == "weekday":
        value = float((math.floor(_days(text, argument[0])) + 3) % 7 == argument[1])
    elif rule == "month":
        day = datetime.date.fromordinal(math.floor(_days(text, argument[0])) + 719163)
        value = float(day.month - 1 == argument[1])
    else:
        value = _number(text, rule)
    return struct.unpack("f", struct.pack("f", value))[0]
)py";

std::string argument_text(const EncodedFeature& feature) {
  const ColumnEncoding& encoding = *feature.encoding;
  const std::string order = encoding.order == DateOrder::unknown     ? "\"\""
                            : encoding.order == DateOrder::day_first ? "\"dmy\""
                                                                     : "\"mdy\"";
  if (feature.is_others()) {
    std::string values;
    for (const std::string& value : encoding.values) values += python_string(value) + ", ";
    return "(" + values + ")";
  }
  if (encoding.rule == Encode::onehot) return python_string(encoding.values[feature.place]);
  if (encoding.rule == Encode::age) return fmt::format("({}, {})", order, number_text(encoding.reference));
  return is_date_rule(encoding.rule) ? fmt::format("({}, {})", order, feature.place) : "None";
}

}  // namespace

std::string python_columns(const Model& model, const ExportOptions& options) {
  const EncodedFeatures encoded(model, options);
  std::string rows;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::optional<EncodedFeature>& feature = encoded.by_feature[j];
    if (!feature) continue;
    const std::string_view rule = feature->is_others()                           ? "other"
                                  : feature->encoding->rule == Encode::indicator ? "missing"
                                                                                 : rule_name(feature->encoding->rule);
    rows += fmt::format("    {}: ({}, \"{}\", {}),\n", j, python_string(feature->encoding->column), rule,
                        argument_text(*feature));
  }
  if (rows.empty()) return {};
  return "\n_COLUMNS = {  # feature: the column that it is made of, how, and by what\n" + rows + "}\n" +
         std::string(kReaders);
}

}  // namespace dorm
