package io.github.stablecut.key;

import java.util.List;

/**
 * Some entries of a stream. Immutable.
 *
 * @param position that of the first of them; later than asked for if those before were trimmed
 * @param first the first position of the stream that was not trimmed
 * @param tail the position after the last entry of the stream
 * @param entries in order
 */
public record StreamSlice<T>(long position, long first, long tail, List<T> entries) {
  /** Copies the list. */
  public StreamSlice {
    entries = List.copyOf(entries);
  }
}
