// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library. How a solver stopped is never an error; bad input, options and files are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dorm {

enum class ErrorCode {
  bad_input,     // the data says something it must not
  bad_option,    // an option is out of its range
  unknown_name,  // no measure, convention, format ... of that name
  io,            // the operating system refused
  unsupported,   // legal, but not in this build or for this kind of object
  internal,      // a defect of the library
};

/// Where in a file something stood. Lines and columns count from 1, columns in bytes; 0 means "not known".
struct SourcePosition {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

/// What would help against an error in a table. The program that shows the error says how: the command names its
/// option, Python its argument.
struct Remedy {
  enum class Kind {
    ignore_columns,   // leave these columns out
    treat_missing,    // say what missing values become: `columns` are rules, as parse_missing() takes them
    encode_columns,   // say how columns become features: `columns` are rules, as parse_encodings() takes them
    label_column,     // say that this column holds the labels
    query_column,     // ... the query ids
    document_column,  // ... the document ids
    query_text,       // ... texts of queries, for people
    title,            // ... titles of documents, for people
    query_ids,        // name the queries of a log, one after another
  };
  Kind kind;
  std::vector<std::string> columns = {};
};

/// what() reads "file:line:column: message", without the parts that are not known.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  Error(ErrorCode code, SourcePosition position, const std::string& message, std::vector<Remedy> remedies = {});
  Error(const Error& error, const std::string& addition);  // the same with more to say, and no remedies left

  ErrorCode code() const { return code_; }
  const SourcePosition& position() const { return position_; }
  const std::vector<Remedy>& remedies() const { return remedies_; }

 private:
  ErrorCode code_;
  SourcePosition position_;
  std::vector<Remedy> remedies_;
};

}  // namespace dorm
