package io.github.stablecut.key;

import java.util.List;

/**
 * Consecutive entries of a stream. Immutable.
 *
 * @param position the position of the first of these entries; later than requested if earlier ones
 *     were trimmed
 * @param first the first position of the stream that is not trimmed
 * @param tail the position after the last entry of the stream
 * @param entries the entries, in order
 */
public record StreamSlice<T>(long position, long first, long tail, List<T> entries) {
  /** Copies the list. */
  public StreamSlice {
    entries = List.copyOf(entries);
  }
}
