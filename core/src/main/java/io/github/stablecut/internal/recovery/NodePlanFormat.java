package io.github.stablecut.internal.recovery;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.CorruptStoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text format of a {@link NodePlan}, in the file {@link NodeDirectory#NODE}:
 *
 * <pre>
 *   stablecut node
 *   format=1
 *   store=9f86d081884c7d65
 *   name=n2
 *   owners=n1,n2,n3,n1
 *   formed=true
 *   dataCentre=2
 *   routing=0a1b2c3d4e5f6071
 *   copies=n1+n2+n3,n2+n3+n1,n3+n1+n2,n1+n2+n3
 *   renewed=n2~4f09a2c1
 *   keepers=n1,n2,n9
 *   changes=n3>n9,5=n1+n2+n9+n4+n5
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The line {@code dataCentre} exists only if the number is not 0, and the line {@code routing}
 * only if it is not the store's id. The line {@code copies} exists only if partitions have
 * replicas; the format is 2 then. The line {@code renewed} exists only if the node has lost its
 * directory, or got its first replicas later than others. The line {@code changes} exists only if
 * the plan was changed, and {@code keepers} only if the number of replicas changed, or nodes are in
 * zones.
 */
final class NodePlanFormat {
  /** The format of a plan without replicas. */
  private static final int FORMAT = 1;

  /** The format of a plan with replicas, and the newest that this version reads. */
  private static final int FORMAT_WITH_REPLICAS = 2;

  private static final String FIRST_LINE = "stablecut node";

  private static final String DATA_CENTRE = "dataCentre";
  private static final String ROUTING = "routing";
  private static final String REPLICAS_LINE = "copies";
  private static final String RENEWED = "renewed";
  private static final String KEEPERS = "keepers";
  private static final String CHANGES = "changes";

  private NodePlanFormat() {}

  /** Returns the content of a node's file. */
  static String toText(NodePlan plan) {
    String content =
        "%s\nformat=%d\nstore=%016x\nname=%s\nowners=%s\nformed=%s\n"
            .formatted(
                FIRST_LINE,
                plan.isReplicated() ? FORMAT_WITH_REPLICAS : FORMAT,
                plan.storeId(),
                plan.name(),
                String.join(",", plan.owners()),
                plan.isFormed());
    if (!plan.dataCentre().equals(LocalDataCentre.FIRST)) {
      content += "%s=%d\n".formatted(DATA_CENTRE, plan.dataCentre().number());
    }
    if (plan.routing() != plan.storeId()) {
      content += "%s=%016x\n".formatted(ROUTING, plan.routing());
    }
    if (plan.isReplicated()) {
      content +=
          "%s=%s\n"
              .formatted(
                  REPLICAS_LINE,
                  plan.replicas().stream()
                      .map(nodes -> String.join("+", nodes))
                      .collect(Collectors.joining(",")));
    }
    if (!plan.renewed().isEmpty()) {
      content += "%s=%s\n".formatted(RENEWED, plan.renewed());
    }
    if (!plan.keepers().isEmpty()) {
      content += "%s=%s\n".formatted(KEEPERS, String.join(",", plan.keepers()));
    }
    if (!plan.changes().isEmpty()) {
      content += "%s=%s\n".formatted(CHANGES, String.join(",", PlanChange.toTexts(plan.changes())));
    }
    return CheckedText.seal(content);
  }

  /** Reads the plan from a node's file. */
  static NodePlan read(Path file) throws IOException {
    return parse(CheckedText.read(file), file.toString());
  }

  /**
   * Parses a plan.
   *
   * @param file its name for messages
   */
  private static NodePlan parse(String text, String file) {
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT_WITH_REPLICAS, file);
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw CheckedText.damaged(file);
    }
    CheckedText.checkWhole(text, file);
    try {
      String store = fields.getOrDefault("store", "");
      return NodePlan.builder(
              HexFormat.fromHexDigitsToLong(store),
              fields.getOrDefault("name", ""),
              List.of(fields.getOrDefault("owners", "").split(",", -1)))
          .dataCentre(new LocalDataCentre(Integer.parseInt(fields.getOrDefault(DATA_CENTRE, "0"))))
          .routing(HexFormat.fromHexDigitsToLong(fields.getOrDefault(ROUTING, store)))
          .isFormed(Boolean.parseBoolean(fields.getOrDefault("formed", "")))
          .replicas(replicas(fields.getOrDefault(REPLICAS_LINE, "")))
          .renewed(fields.getOrDefault(RENEWED, ""))
          .keepers(texts(fields.getOrDefault(KEEPERS, "")))
          .changes(PlanChange.parseAll(texts(fields.getOrDefault(CHANGES, ""))))
          .build();
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  private static List<String> texts(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(",", -1));
  }

  private static List<List<String>> replicas(String line) {
    return line.isEmpty()
        ? List.of()
        : Stream.of(line.split(",", -1)).map(nodes -> List.of(nodes.split("\\+", -1))).toList();
  }
}
