// SPDX-License-Identifier: Apache-2.0
// The expressions of a rank profile by Vespa's own parser of schemas, whose results only its own package may ask.
package com.yahoo.schema.parser;

import java.util.HashMap;
import java.util.Map;

public final class RankProfileReader {
  public final String secondPhase;
  public final Map<String, String> functions = new HashMap<>();

  /** A schema that has the profile, as a user pastes it. */
  public RankProfileReader(String profile) throws ParseException {
    String schema = "schema document {\n document document {}\n" + profile + "\n}\n";
    var parsed = new SchemaParser(new SimpleCharStream(schema), (level, message) -> {}).schema().getRankProfiles();
    if (parsed.size() != 1) throw new IllegalArgumentException(parsed.size() + " rank profiles");
    secondPhase = parsed.get(0).getSecondPhaseExpression().orElseThrow();
    for (ParsedRankFunction function : parsed.get(0).getFunctions()) {
      functions.put(function.name(), function.getExpression());
    }
  }
}
