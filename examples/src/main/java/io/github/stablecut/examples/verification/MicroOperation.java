package io.github.stablecut.examples.verification;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * One operation of a transaction, as adya requests it: {@code ["append",3,7]}, {@code ["w",3,7]} or
 * {@code ["r",3,null]}. Immutable.
 *
 * @param value what it writes; 0 for a read
 */
record MicroOperation(Kind kind, long key, long value) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The kinds of operations. */
  enum Kind {
    /** Appends a value to a list. */
    APPEND("append"),
    /** Assigns a value to a register. */
    WRITE("w"),
    /** Reads a list or a register. */
    READ("r");

    private final String code;

    Kind(String code) {
      this.code = code;
    }

    private static Kind of(String code) {
      for (Kind kind : values()) {
        if (kind.code.equals(code)) {
          return kind;
        }
      }
      throw new IllegalArgumentException("no operation " + code + ": use append, w or r");
    }
  }

  /**
   * Parses the operations of a transaction, {@code {"value":[["append",3,7],["r",4,null]]}}.
   *
   * @throws IllegalArgumentException if the line is something else
   */
  static List<MicroOperation> parse(String line) {
    try {
      JsonNode operations = JSON.readTree(line).path("value");
      if (!operations.isArray()) {
        throw new IllegalArgumentException("no transaction: " + line);
      }
      List<MicroOperation> parsed = new ArrayList<>();
      operations.forEach(operation -> parsed.add(parse(operation)));
      return parsed;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + line, e);
    }
  }

  private static MicroOperation parse(JsonNode operation) {
    Kind kind = Kind.of(operation.path(0).asText());
    JsonNode value = operation.path(2);
    if (!operation.path(1).isIntegralNumber() || (kind != Kind.READ && !value.isIntegralNumber())) {
      throw new IllegalArgumentException("no operation: " + operation);
    }
    return new MicroOperation(kind, operation.path(1).asLong(), value.asLong());
  }

  /** The operation in an answer; a write repeats its value. */
  ArrayNode answered(JsonNode found) {
    return JsonNodeFactory.instance
        .arrayNode()
        .add(kind.code)
        .add(key)
        .add(kind == Kind.READ ? found : JsonNodeFactory.instance.numberNode(value));
  }
}
