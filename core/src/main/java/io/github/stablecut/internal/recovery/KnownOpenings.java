package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * The known openings of other nodes' directories: the content of the text file {@link
 * NodeDirectory#OPENINGS}. With them a node recognizes an older image of a directory even after a
 * restart of all nodes.
 *
 * <pre>
 *   stablecut openings
 *   format=1
 *   openings=n1:7:0653a7c1d2e00000,n2~4f09a2c1:1:3b1f09c2aa417de5
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>Without the file a node knows only what the others report. An unreadable or damaged file is
 * therefore ignored with a warning.
 *
 * @param all at most one per name of a node's replicas, by name
 */
record KnownOpenings(List<NodeOpening> all) {
  /** No known openings. */
  static final KnownOpenings NONE = new KnownOpenings(List.of());

  private static final Logger LOG = Log.of(KnownOpenings.class);
  private static final String START = "stablecut openings\nformat=1\n";
  private static final String LINE = "openings";

  /** Copies the list. */
  KnownOpenings {
    all = List.copyOf(all);
  }

  static KnownOpenings of(Collection<NodeOpening> openings) {
    return new KnownOpenings(
        openings.stream().sorted(Comparator.comparing(NodeOpening::replica)).toList());
  }

  String toText() {
    return CheckedText.seal(
        "%s%s=%s\n"
            .formatted(
                START,
                LINE,
                all.stream().map(KnownOpenings::toText).collect(Collectors.joining(","))));
  }

  private static String toText(NodeOpening one) {
    return "%s:%d:%016x".formatted(one.replica(), one.count(), one.run());
  }

  /** Reads the file; {@link #NONE} if there is no valid file. */
  static KnownOpenings read(Path file) {
    if (!Files.exists(file)) {
      return NONE;
    }
    try {
      String text = CheckedText.read(file);
      if (!CheckedText.isWhole(text) || !text.startsWith(START)) {
        return ignored(file, "it is damaged, or of a newer format");
      }
      Map<String, String> fields = CheckedText.fields(text);
      return new KnownOpenings(
          Stream.of(fields.getOrDefault(LINE, "").split(",", -1))
              .filter(one -> !one.isEmpty())
              .map(KnownOpenings::parse)
              .toList());
    } catch (IOException e) {
      return ignored(file, IoReason.of(e));
    } catch (IllegalArgumentException e) {
      return ignored(file, "it is malformed");
    }
  }

  private static NodeOpening parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException(text);
    }
    return new NodeOpening(
        parts[0], Long.parseLong(parts[1]), HexFormat.fromHexDigitsToLong(parts[2]));
  }

  private static KnownOpenings ignored(Path file, String why) {
    LOG.warn(
        "{} is ignored: {}; an older image of another node's directory is only recognised if"
            + " another node remembers it",
        file,
        why);
    return NONE;
  }
}
