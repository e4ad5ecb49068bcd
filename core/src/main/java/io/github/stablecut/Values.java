package io.github.stablecut;

import io.github.stablecut.key.Query;
import java.util.Map;
import java.util.Set;

/** The answers to several queries at one snapshot. Immutable. */
public final class Values {
  private final Map<Query<?>, Object> values;
  private final CausalToken token;

  /**
   * For implementations of {@link Reader}.
   *
   * @param values the answer to each query, as {@link Query#view} gives it
   * @param token the snapshot
   */
  public Values(Map<? extends Query<?>, Object> values, CausalToken token) {
    this.values = Map.copyOf(values);
    this.token = token;
  }

  /**
   * The answer to a query.
   *
   * @throws IllegalArgumentException if the query was not among those read
   */
  @SuppressWarnings("unchecked") // the answer is what the query made of the state
  public <V> V get(Query<V> query) {
    Object value = values.get(query);
    if (value == null) {
      throw new IllegalArgumentException(
          query + " was not read, but " + values.keySet() + ": name it when you read");
    }
    return (V) value;
  }

  /** What was read. */
  public Set<Query<?>> queries() {
    return values.keySet();
  }

  /** The snapshot that they were read at. */
  public CausalToken token() {
    return token;
  }
}
