package io.github.stablecut.cluster.internal.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import io.github.stablecut.cluster.SettingsException;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds unknown settings. */
final class KnownKeys {
  private KnownKeys() {}

  /**
   * Checks that a file has only settings of the reference.
   *
   * @throws SettingsException if it has an unknown setting; names the most similar known one
   */
  static void check(Config file, Config reference) {
    Set<String> known = new TreeSet<>();
    reference.entrySet().forEach(entry -> known.add(entry.getKey()));
    for (Map.Entry<String, ConfigValue> entry : file.entrySet()) {
      String key = entry.getKey();
      if (!known.contains(key)) {
        throw new SettingsException(
            "there is no setting stablecut.%s (%s): the most similar is stablecut.%s"
                .formatted(key, entry.getValue().origin().description(), nearest(key, known)));
      }
    }
  }

  private static String nearest(String key, Set<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(candidate -> distance(key, candidate)))
        .orElseThrow();
  }

  /**
   * The edit distance: insertions, deletions and substitutions of characters (Levenshtein, 1965).
   */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
