// SPDX-License-Identifier: Apache-2.0
// How kernels are written, and what is said about those that cannot be read or would be indefinite.
#include "model/kernel/expression.h"

#include <gtest/gtest.h>

#include "model/kernel/kernel_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

TEST(Expression, IsASumOfProductsOfParts) {
  const auto terms = parse_expression("0.5 * rbf(1-20 price):gamma=1e+3 * identity(query)+poly:degree=2,coef0=1 * 2*3");
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].weight, 0.5);
  ASSERT_EQ(terms[0].parts.size(), 2u);
  EXPECT_EQ(terms[0].parts[0].name, "rbf");
  EXPECT_EQ(terms[0].parts[0].columns, (std::vector<std::string>{"1-20", "price"}));
  EXPECT_EQ(terms[0].parts[0].parameters[0].value, "1e+3");
  EXPECT_EQ(terms[0].parts[1].columns, std::vector<std::string>{"query"});
  EXPECT_EQ(terms[1].weight, 6);
  EXPECT_EQ(terms[1].parts[0].parameters[1].key, "coef0");
}

TEST(Expression, WhatIsWrongIsNamed) {
  const test::Misspelt cases[] = {
      {"", "a part is missing"},
      {"rbf + ", "a part is missing"},
      {"rbf * * linear", "a part is missing"},
      {"3", "a number alone"},
      {"-1 * rbf", "the factor -1 would make it indefinite"},
      {"0 * rbf", "a number above 0"},
      {"nan * rbf", "the factor nan"},
      {"rbf:gamma", "\"gamma\" is no key=value"},
      {"rbf:gamma=", "is no key=value"},
      {"rbf()", "no columns between the parentheses"},
      {"rbf(1:gamma=2", "expected name(columns)"},
      {"rbf:gamma=0", "gamma is 0; expected a number above 0"},
      {"rbf:gamma=-1", "gamma is -1; expected a number above 0"},
      {"rbf:gamma=inf", "expected a number"},
      {"rbf:gamma=wide", "gamma is \"wide\"; expected a number"},
      {"rbf:degree=2", "no parameter \"degree\"; it has gamma"},
      {"linear:gamma=1", "no parameter \"gamma\"; it has none"},
      {"poly:coef0=-1", "would not be positive semidefinite"},
      {"poly:degree=1.5", "degree is 1.5; expected a whole number from 1 to 10"},
      {"poly:degree=0", "expected a whole number"},
      {"sigmoid:gamma=1", "is not positive semidefinite"},
      {"rfb:gamma=1", "did you mean \"rbf\"?"},
      {"identity", "of what? expected identity(query)"},
      {"precomputed + rbf", "stands alone"},
  };
  for (const test::Misspelt& c : cases)
    EXPECT_NE(test::message_of([&] { check_kernel_spec(c.text); }).find(c.expected), std::string::npos)
        << c.text << ": " << test::message_of([&] { check_kernel_spec(c.text); });
}

TEST(Expression, ColumnsAndNamesAreLookedForInTheData) {
  const Documents documents(test::random_data({.lengths = {4, 3}, .features = 5}));
  const test::Misspelt cases[] = {
      {"rbf(1-6):gamma=1", "no feature \"6\""},
      {"linear(price)", "no feature \"price\""},
      {"linear(price*)", "no feature that begins with \"price\""},
      {"identity(document)", "no document ids"},
      {"identity(group)", "no groups"},
  };
  for (const test::Misspelt& c : cases)
    EXPECT_NE(test::message_of([&] { make_kernel(c.text, documents); }).find(c.expected), std::string::npos) << c.text;
}

TEST(Expression, AStarIsForAllColumnsThatBeginSo) {
  DatasetBuilder builder;
  for (float x : {1.0f, 2.0f, 3.0f}) builder.add({0, "q"}, std::vector<float>{x, -x, 2 * x, x * x});
  builder.set_feature_names({"user:age", "item:size", "user:home town", "item*"});
  const Documents documents(builder.finish());
  const auto gram = [&](const char* text) {
    return test::gram_of(*make_kernel(text, documents), documents, documents);
  };
  const std::vector<float> users = {5, 10, 15, 10, 20, 30, 15, 30, 45};  // x y + 2 x 2 y
  EXPECT_EQ(gram("linear(user:*)"), users);
  EXPECT_EQ(gram("linear(item*)"), (std::vector<float>{1, 4, 9, 4, 16, 36, 9, 36, 81}));  // a column of that name
  std::vector<float> product = gram("linear(user:*) * linear(item:*) + linear(*)");
  const std::vector<float> item = gram("linear(item:size)"), all = gram("linear");
  for (std::size_t k = 0; k < product.size(); ++k) EXPECT_EQ(product[k], users[k] * item[k] + all[k]);
  EXPECT_EQ(make_kernel("linear(user:*)", documents)->spec(), "linear(user:*)");
}

TEST(Expression, TheTextOfAKernelReadsBackAsTheSameKernel) {
  const Documents documents(test::random_data({.lengths = {9, 8}, .features = 5}));
  for (const char* text : {"rbf", "poly(1 3)", "0.25 * rbf(2-4):gamma=median * identity(query) + linear",
                           "attribute(1-3) + correlation", "identity(1 2)"}) {
    const auto kernel = make_kernel(text, documents);
    const auto again = make_kernel(kernel->spec(), documents, 99);  // another seed: nothing is left to draw
    EXPECT_EQ(again->spec(), kernel->spec());
    EXPECT_EQ(test::gram_of(*kernel, documents, documents), test::gram_of(*again, documents, documents)) << text;
  }
}

}  // namespace
}  // namespace dorm
