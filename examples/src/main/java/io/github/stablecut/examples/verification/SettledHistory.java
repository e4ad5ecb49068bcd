package io.github.stablecut.examples.verification;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * A history of adya without the reads of lists to which the same transaction has appended before.
 * Such a read sees the new entry at the end of the snapshot. If the transaction does not certify
 * its writes, others may commit entries before it, so the position is not final before the commit.
 */
final class SettledHistory {
  private static final ObjectMapper JSON = new ObjectMapper();

  private SettledHistory() {}

  /** Removes these reads from a line of a history; other lines remain as they are. */
  static String line(String line) throws IOException {
    JsonNode read = JSON.readTree(line);
    if (!(read instanceof ObjectNode operation)
        || !(operation.path("value") instanceof ArrayNode value)) {
      return line;
    }
    ArrayNode settled = JSON.createArrayNode();
    Set<JsonNode> appended = new HashSet<>();
    for (JsonNode part : value) {
      if (part.path(0).asText().equals("append")) {
        appended.add(part.path(1));
      } else if (appended.contains(part.path(1))) {
        continue;
      }
      settled.add(part);
    }
    operation.set("value", settled);
    return operation.toString();
  }
}
