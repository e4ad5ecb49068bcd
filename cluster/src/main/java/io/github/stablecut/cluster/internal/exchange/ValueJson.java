package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;

/**
 * The JSON of the values of one data type. Immutable.
 *
 * @param writer the JSON of a value
 * @param reader the operations that make an object of a value out of one that nothing was done to;
 *     throws {@link MalformedLineException} if the JSON is that of no value
 * @param <O> the type's operations
 * @param <V> the type's values
 */
record ValueJson<O, V>(Function<V, JsonNode> writer, Reader<O> reader) {
  /** Turns JSON into operations. */
  @FunctionalInterface
  interface Reader<O> {
    void read(JsonNode value, OperationSink<O> sink);
  }
}
