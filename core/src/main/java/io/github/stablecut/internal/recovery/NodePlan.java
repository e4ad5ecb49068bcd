package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * What a node of a cluster knows of the cluster by itself: the content of the file {@link
 * NodeDirectory#NODE}, lines of text that people can read.
 *
 * <pre>
 *   stablecut node
 *   format=1
 *   store=9f86d081884c7d65
 *   name=n2
 *   owners=n1,n2,n3,n1
 *   formed=true
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>Which partitions a node has now say the directories of the partitions; the owners are those
 * that the cluster was made with, by partition. So it is known what a node has lost, once all have
 * been there.
 *
 * @param storeId the store that the cluster serves
 * @param name the node's
 * @param owners the names of the nodes that the partitions were made on, by partition
 * @param isFormed whether all of them have been there
 */
public record NodePlan(long storeId, String name, List<String> owners, boolean isFormed) {
  /** What a node may be named. */
  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  /** The newest format that this program reads, and the one that it writes. */
  public static final int FORMAT = 1;

  private static final String FIRST_LINE = "stablecut node";

  /** Copies the list and checks the names. */
  public NodePlan {
    owners = List.copyOf(owners);
    checkName(name);
    owners.forEach(NodePlan::checkName);
    if (owners.isEmpty()) {
      throw new IllegalArgumentException("a cluster has at least one partition");
    }
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \""
              + name
              + "\"");
    }
  }

  /**
   * The plan of a new cluster: the nodes in turn.
   *
   * @param name of the node that makes the plan
   * @param partitions how many; 0 for two per node, 8 at least
   */
  public static NodePlan spread(long storeId, String name, List<String> nodes, int partitions) {
    int count = partitions == 0 ? Math.max(8, 2 * nodes.size()) : partitions;
    List<String> owners =
        IntStream.range(0, count).mapToObj(number -> nodes.get(number % nodes.size())).toList();
    return new NodePlan(storeId, name, owners, false);
  }

  /** The partitions that a node was given when the cluster was made. */
  public Set<Integer> given(String node) {
    Set<Integer> numbers = new TreeSet<>();
    for (int number = 0; number < owners.size(); number++) {
      if (owners.get(number).equals(node)) {
        numbers.add(number);
      }
    }
    return numbers;
  }

  /** The same plan as another node has it. */
  public NodePlan of(String node) {
    return new NodePlan(storeId, node, owners, isFormed);
  }

  /** The same plan of a cluster of which all partitions have been there. */
  public NodePlan formed() {
    return new NodePlan(storeId, name, owners, true);
  }

  String toText() {
    return CheckedText.seal(
        "%s\nformat=%d\nstore=%016x\nname=%s\nowners=%s\nformed=%s\n"
            .formatted(FIRST_LINE, FORMAT, storeId, name, String.join(",", owners), isFormed));
  }

  /** The plan in a node's file. */
  static NodePlan read(Path file) throws IOException {
    return parse(CheckedText.read(file), file.toString());
  }

  /**
   * The plan that a file's content stands for.
   *
   * @param file its name for messages
   */
  private static NodePlan parse(String text, String file) {
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT, file);
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw CheckedText.damaged(file);
    }
    CheckedText.checkWhole(text, file);
    try {
      return new NodePlan(
          HexFormat.fromHexDigitsToLong(fields.getOrDefault("store", "")),
          fields.getOrDefault("name", ""),
          List.of(fields.getOrDefault("owners", "").split(",", -1)),
          Boolean.parseBoolean(fields.getOrDefault("formed", "")));
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }
}
