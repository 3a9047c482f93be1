// SPDX-License-Identifier: Apache-2.0
// Scores of Vespa's ranking expressions: the second phase of a rank profile, with the functions that the profile has.
import com.yahoo.searchlib.rankingexpression.ExpressionFunction;
import com.yahoo.searchlib.rankingexpression.RankingExpression;
import com.yahoo.searchlib.rankingexpression.evaluation.MapContext;
import com.yahoo.searchlib.rankingexpression.evaluation.Value;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Vespa {
  private static final Pattern FUNCTION = Pattern.compile("function\\s+(\\w+)\\(\\)\\s*\\{\\s*expression:(.*)\\}\\s*");
  private static final Pattern SECOND_PHASE = Pattern.compile("second-phase\\s*\\{[^}]*expression:\\s*(\\w+)");

  public static void main(String[] folders) throws Exception {
    Cases.run(folders, model -> {
      String profile = Files.readString(model);
      Map<String, RankingExpression> functions = new HashMap<>();
      for (Matcher match = FUNCTION.matcher(profile); match.find();) {
        functions.put(match.group(1), new RankingExpression(match.group(2)));
      }
      Matcher second = SECOND_PHASE.matcher(profile);
      if (!second.find()) throw new IllegalArgumentException("no second phase");
      RankingExpression expression = functions.get(second.group(1));
      return features -> {
        MapContext context = new MapContext();
        features.forEach((name, value) -> context.put(name, value));
        return expression.evaluate(context).asDouble();
      };
    });
  }
}
