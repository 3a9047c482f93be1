// SPDX-License-Identifier: Apache-2.0
#include "dorm/data/one_per.h"

#include <gtest/gtest.h>

#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm {
namespace {

TEST(OnePer, HostsAreReadFromUrls) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"https://www.Example.org/a/b?c#d", "example.org"},
      {"http://user:secret@news.example.org:8080/", "news.example.org"},
      {"https://example.org", "example.org"},
      {"https://example.org?x=a@b", "example.org"},
      {"ftp://example.org./", "example.org"},
      {"http://[2001:db8::1]:80/x", "[2001:db8::1]"},
      {"http://localhost/x", "localhost"},
      {"www.cs.berkeley.edu/~jordan/", "cs.berkeley.edu"},
      {"example.org/a://b", "example.org"},
      {"clueweb09-en0000-00-00000", ""},
      {"doc1.html", ""},
      {"folder/page", ""},
      {"", ""},
      {"/absolute.path/x", ""},
  };
  for (const auto& [url, host] : cases) EXPECT_EQ(host_of(url), host) << url;
}

TEST(OnePer, RegisteredDomainsKeepThePublicSuffix) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"example.org", "example.org"},
      {"news.example.org", "example.org"},
      {"a.b.example.co.uk", "example.co.uk"},
      {"example.co.uk", "example.co.uk"},
      {"co.uk", "co.uk"},
      {"jordan.gov.jo", "jordan.gov.jo"},
      {"visit.jordan.gov.jo", "jordan.gov.jo"},
      {"com.example.fr", "example.fr"},
      {"localhost", "localhost"},
      {"192.168.1.7", "192.168.1.7"},
      {"[2001:db8::1]", "[2001:db8::1]"},
      {"", ""},
  };
  for (const auto& [host, domain] : cases) EXPECT_EQ(registered_domain(host), domain) << host;
}

TEST(OnePer, HostsOfThePublicUnderOneDomainAreToldApartByTheListOfPublicsuffixOrg) {
  const bool whole_list = public_suffixes().starts_with("libpsl");
  if (!whole_list) {
    EXPECT_EQ(public_suffixes(), "short list");
  }
  EXPECT_EQ(registered_domain("me.github.io"), whole_list ? "me.github.io" : "github.io");
  EXPECT_EQ(registered_domain("blog.me.github.io"), whole_list ? "me.github.io" : "github.io");
  EXPECT_EQ(registered_domain("a.shop.kawasaki.jp"), whole_list ? "a.shop.kawasaki.jp" : "kawasaki.jp");
}

TEST(OnePer, SpellingsRoundTrip) {
  for (const char* spelling : {"group", "host", "domain", "host:2", "group:10"})
    EXPECT_EQ(parse_one_per(spelling).spelling(), spelling);
  EXPECT_EQ(parse_one_per("domain:1").spelling(), "domain");
}

TEST(OnePer, WhatMakesNoSenseIsRefusedWithWhatWould) {
  EXPECT_NE(test::message_of([] { parse_one_per("site"); }).find("expected group, host or domain"), std::string::npos);
  for (const char* spelling : {"host:0", "host:", "host:-1", "host:two", "host:1.5"})
    EXPECT_NE(test::message_of([&] { parse_one_per(spelling); }).find("a whole number from 1 on"), std::string::npos)
        << spelling;
}

Dataset data_of(std::vector<DatasetBuilder::Document> documents) {
  DatasetBuilder builder;
  const float feature = 1;
  for (const auto& document : documents) builder.add(document, std::span(&feature, 1));
  return builder.finish();
}

TEST(OnePer, GroupsAreNumberedPerQueryAndDocumentsWithoutOneStandAlone) {
  const Dataset data = data_of({{.query_id = "1", .group = "x"},
                                {.query_id = "1", .group = ""},
                                {.query_id = "1", .group = "x"},
                                {.query_id = "1", .group = ""},
                                {.query_id = "2", .group = "y"}});
  const std::vector<GroupLimits> groups = group_limits(data, parse_one_per("group:2"));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].group_of, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(groups[0].limit, (std::vector<std::uint32_t>{2, 2, 2}));
  EXPECT_EQ(groups[1].group_of, (std::vector<std::uint32_t>{0}));
}

TEST(OnePer, HostAndDomainComeFromDocumentIds) {
  const Dataset data = data_of({{.query_id = "1", .document_id = "https://a.x.org/1"},
                                {.query_id = "1", .document_id = "https://b.x.org/1"},
                                {.query_id = "1", .document_id = "https://a.x.org/2"},
                                {.query_id = "1", .document_id = "note"}});
  EXPECT_EQ(group_limits(data, parse_one_per("host"))[0].group_of, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(group_limits(data, parse_one_per("domain"))[0].group_of, (std::vector<std::uint32_t>{0, 0, 0, 1}));
}

TEST(OnePer, DataWithoutGroupsIsRefusedWithWhatToDo) {
  const Dataset bare = data_of({{.query_id = "1"}});
  const Dataset named = data_of({{.query_id = "1", .document_id = "d7"}});
  EXPECT_NE(test::message_of([&] { group_limits(bare, parse_one_per("group")); }).find("a group column"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] { group_limits(bare, parse_one_per("host")); }).find("no document ids"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] { group_limits(named, parse_one_per("domain")); }).find("no document id is a URL"),
            std::string::npos);
  const std::vector<std::string_view> ids = {"d7"};
  EXPECT_NE(test::message_of([&] { group_limits(ids, parse_one_per("group")); }).find("a run names no groups"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm
