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
   * @param values the answer to each query, as {@link Query#view} returns it
   * @param token the snapshot
   */
  public Values(Map<? extends Query<?>, Object> values, CausalToken token) {
    this.values = Map.copyOf(values);
    this.token = token;
  }

  /**
   * Returns the answer to a query.
   *
   * @throws IllegalArgumentException if the query was not among those read
   */
  @SuppressWarnings("unchecked") // the query computed the answer
  public <V> V get(Query<V> query) {
    Object value = values.get(query);
    if (value == null) {
      throw new IllegalArgumentException(
          query + " was not read; the queries read are " + values.keySet() + ": add it to them");
    }
    return (V) value;
  }

  /** The queries that were read. */
  public Set<Query<?>> queries() {
    return values.keySet();
  }

  /** The snapshot at which the queries were read. */
  public CausalToken token() {
    return token;
  }
}
