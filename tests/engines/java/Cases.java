// SPDX-License-Identifier: Apache-2.0
// Folders of cases for an engine: each holds `model`, as exported, and `vectors`, and gets `scores` or `error`.
// A line of `vectors` has tabs between its fields. The first line names the features in percent encoding; every other
// line is a document, an empty field a missing feature. `scores` has a line per document, with all digits.
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Cases {
  /** A model as the engine holds it. The map has the features at hand, in the order of the file. */
  interface Scorer {
    Number score(Map<String, Double> features) throws Exception;
  }

  /** Reads a model; what it throws is a refusal. */
  interface Loader {
    Scorer load(Path model) throws Exception;
  }

  static void run(String[] folders, Loader loader) throws Exception {
    for (String name : folders) {
      Path folder = Path.of(name);
      try {
        Files.write(folder.resolve("scores"), scores(folder, loader));
      } catch (Exception | Error error) {
        Files.writeString(folder.resolve("error"), error.toString());
      }
    }
  }

  private static List<String> scores(Path folder, Loader loader) throws Exception {
    Scorer scorer = loader.load(folder.resolve("model"));
    List<String> lines = Files.readAllLines(folder.resolve("vectors"));
    String[] names = lines.get(0).split("\t", -1);
    for (int i = 0; i < names.length; i++) names[i] = URLDecoder.decode(names[i], StandardCharsets.UTF_8);
    List<String> out = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] values = line.split("\t", -1);
      Map<String, Double> features = new LinkedHashMap<>();
      for (int i = 0; i < values.length; i++) {
        if (!values[i].isEmpty()) features.put(names[i], Double.valueOf(values[i]));
      }
      out.add(scorer.score(features).toString());
    }
    return out;
  }
}
