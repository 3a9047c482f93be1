// SPDX-License-Identifier: Apache-2.0
// Scores of Lucene's expressions. A variable that is no feature at hand is 0, as a field without a value is.
import java.nio.file.Files;
import java.util.Arrays;
import org.apache.lucene.expressions.Expression;
import org.apache.lucene.expressions.js.JavascriptCompiler;
import org.apache.lucene.search.DoubleValues;

public class Lucene {
  public static void main(String[] folders) throws Exception {
    Cases.run(folders, model -> {
      Expression expression = JavascriptCompiler.compile(Files.readString(model));
      return features -> expression.evaluate(
          Arrays.stream(expression.variables).map(name -> constant(features.getOrDefault(name, 0.0))).toArray(DoubleValues[]::new));
    });
  }

  private static DoubleValues constant(double value) {
    return new DoubleValues() {
      @Override
      public double doubleValue() {
        return value;
      }

      @Override
      public boolean advanceExact(int document) {
        return true;
      }
    };
  }
}
