package io.github.stablecut.testing.history;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The reads of final transactions, which must agree. Confined to one thread. */
final class FinalReads {
  private record FirstRead(String reader, RecordedOperation read) {}

  private final Map<String, FirstRead> first = new HashMap<>();

  /** Returns how a read differs from an earlier final transaction's; empty if it does not. */
  Optional<String> differing(RecordedTransaction reader, RecordedOperation read) {
    FirstRead known = first.putIfAbsent(read.key(), new FirstRead(reader.id(), read));
    return known == null || known.read.equals(read)
        ? Optional.empty()
        : Optional.of(
            "reads %s at the end, and %s has read %s".formatted(read, known.reader, known.read));
  }
}
