// SPDX-License-Identifier: Apache-2.0
// A Query is a view: taking it from a Dataset that dies at once must not compile.
#include "dorm/dataset.h"

dorm::Dataset load();

std::size_t documents_of_first_query() {
#ifdef WRONG
  return load().query(0).size();
#else
  const dorm::Dataset data = load();
  return data.query(0).size();
#endif
}
