// SPDX-License-Identifier: Apache-2.0
// Propensities by position, and by context where there are several, as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/quote.h"
#include "data/io/files/csv_line.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/document_table.h"
#include "data/io/tables/table_columns.h"
#include "dorm/clicks/click_log.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kPropensityHeader = "position,propensity,se";

struct PropensityColumns {
  std::optional<std::size_t> position, propensity, error, context, alpha, beta;
};

PropensityColumns propensity_columns(const std::vector<std::string>& header, const CsvRecords& record) {
  const auto place = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
  };
  const PropensityColumns found{place("position"), place("propensity"), place("se"),
                                place("context"),  place("alpha"),      place("beta")};
  if (!found.position || (!found.propensity && !found.alpha))
    throw record.error(
        fmt::format("found the columns {}; expected a header: {}", columns_text(header), kPropensityHeader));
  return found;
}

Propensities propensities_from(TextSource& source, const std::string& name) {
  LineReader lines(source, name);
  CsvRecords record(lines, CsvRecords::kBySight);
  const std::vector<std::string> header = read_header(record, name, kPropensityHeader);
  const PropensityColumns columns = propensity_columns(header, record);
  Propensities out;
  while (record.next()) {
    require_cells(record, header.size());
    const auto number = [&](std::optional<std::size_t> cell, double absent, std::string_view what) {
      return !cell || record[*cell].empty() ? absent : finite_cell(record, *cell, what);
    };
    const double position = finite_cell(record, *columns.position, "a position, a whole number from 1");
    if (!(position >= 1 && position <= 1e6) || position != std::floor(position))
      throw record.error(*columns.position, fmt::format("found {}; expected a position, a whole number from 1",
                                                        in_quotes(record[*columns.position])));
    PositionPropensity row;
    row.position = static_cast<std::uint32_t>(position);
    row.error = number(columns.error, row.error, "a standard error");
    row.alpha = number(columns.alpha, row.alpha, "a number as alpha");
    row.beta = number(columns.beta, row.beta, "a number as beta");
    row.propensity = number(columns.propensity, row.alpha, "a number as propensity");
    try {
      out.add(columns.context ? record[*columns.context] : std::string_view(), row);
    } catch (const Error& wrong) {
      throw record.error(*columns.position, wrong.what());
    }
  }
  if (out.empty()) throw Error(ErrorCode::bad_input, {name}, "no propensities");
  return out;
}

}  // namespace

Propensities read_propensities(const std::string& path) { return propensities_from(*open_text(path), path); }

Propensities parse_propensities(std::string_view text, const std::string& name) {
  return propensities_from(*text_in_memory(text), name);
}

void write_propensities(const Propensities& propensities, std::ostream& out) {
  const bool contexts = propensities.by_context(), trust = propensities.has_trust_bias();
  CsvLine line(out, ',');
  for (const std::string_view name : {"position", "propensity", "se"}) line.add_text(name);
  if (contexts) line.add_text("context");
  if (trust) line.add_text("alpha");
  if (trust) line.add_text("beta");
  line.end();
  for (std::size_t context = 0; context < propensities.contexts().size(); ++context)
    for (const PositionPropensity& row : propensities.of_context(context)) {
      line.add_number(row.position);
      line.add_number(row.propensity);
      std::isnan(row.error) ? line.add_text("") : line.add_number(row.error);
      if (contexts) line.add_text(propensities.contexts()[context]);
      if (trust) line.add_number(row.slope());
      if (trust) line.add_number(row.beta);
      line.end();
    }
}

}  // namespace dorm
