package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;

/**
 * Converts the values of one data type to and from JSON. Immutable.
 *
 * @param writer converts a value to JSON
 * @param reader converts JSON to the operations that create the value from a new object; throws
 *     {@link MalformedLineException} if the JSON is not a value of the type
 * @param <O> the type's operations
 * @param <V> the type's values
 */
record ValueJson<O, V>(Function<V, JsonNode> writer, Reader<O> reader) {
  /** Converts JSON to operations. */
  @FunctionalInterface
  interface Reader<O> {
    void read(JsonNode value, OperationSink<O> sink);
  }
}
