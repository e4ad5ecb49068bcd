package io.github.stablecut;

import io.github.stablecut.key.Key;
import java.util.Map;
import java.util.Set;

/** The values of several objects at one snapshot. Immutable. */
public final class Values {
  private final Map<Key<?>, Object> values;
  private final CausalToken token;

  /**
   * For implementations of {@link Reader}.
   *
   * @param values the value of each key, as {@link Key#view} gives it
   * @param token the snapshot
   */
  public Values(Map<Key<?>, Object> values, CausalToken token) {
    this.values = Map.copyOf(values);
    this.token = token;
  }

  /**
   * The value of an object.
   *
   * @throws IllegalArgumentException if the key was not among those read
   */
  @SuppressWarnings("unchecked") // a key's value is what the key made of the state
  public <V> V get(Key<V> key) {
    Object value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException(
          key + " was not read, but " + values.keySet() + ": name it when you read");
    }
    return (V) value;
  }

  /** The keys that were read. */
  public Set<Key<?>> keys() {
    return values.keySet();
  }

  /** The snapshot that they were read at. */
  public CausalToken token() {
    return token;
  }
}
