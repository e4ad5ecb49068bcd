package io.github.stablecut.testing.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads histories with a JSON library, as an external checker would. */
final class HistoryReader {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private HistoryReader() {}

  static List<RecordedTransaction> read(Path file) throws IOException {
    return parse(Files.readString(file));
  }

  static List<RecordedTransaction> parse(String text) throws IOException {
    List<RecordedTransaction> transactions = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      if (!line.isBlank()) {
        JsonNode node = MAPPER.readTree(line);
        if (!node.has("type")) {
          transactions.add(transaction(node));
        }
      }
    }
    return transactions;
  }

  private static RecordedTransaction transaction(JsonNode node) {
    List<RecordedOperation> operations = new ArrayList<>();
    node.get("ops").forEach(operation -> operations.add(operation(operation)));
    return new RecordedTransaction(
        node.get("session").textValue(),
        node.get("id").textValue(),
        new RecordedTransaction.Execution(
            Optional.ofNullable(node.get("node")).map(JsonNode::textValue),
            node.has("final") && node.get("final").booleanValue(),
            node.get("start").longValue(),
            node.get("end").longValue()),
        Outcome.valueOf(node.get("outcome").textValue().toUpperCase(Locale.ROOT)),
        operations);
  }

  private static RecordedOperation operation(JsonNode node) {
    String key = node.get("key").textValue();
    return switch (node.get("op").textValue()) {
      case "reg.w" -> new RecordedOperation.RegisterWrite(key, node.get("value").textValue());
      case "reg.r" ->
          new RecordedOperation.RegisterRead(
              key, Optional.ofNullable(node.get("value").textValue()));
      case "set.add" -> new RecordedOperation.SetAdd(key, node.get("value").textValue());
      case "set.rem" -> new RecordedOperation.SetRemove(key, node.get("value").textValue());
      case "set.r" -> new RecordedOperation.SetRead(key, values(node.get("values")));
      case "ctr.inc" -> new RecordedOperation.CounterIncrement(key, node.get("by").longValue());
      case "ctr.r" -> new RecordedOperation.CounterRead(key, node.get("value").longValue());
      default -> throw new IllegalArgumentException(node.toString());
    };
  }

  private static Set<String> values(JsonNode node) {
    Set<String> values = new HashSet<>();
    node.forEach(value -> values.add(value.textValue()));
    return values;
  }
}
