package io.github.stablecut.testing.history;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What final transactions have read, which has to be the same. Confined to one thread. */
final class FinalReads {
  private record First(String reader, RecordedOperation read) {}

  private final Map<String, First> first = new HashMap<>();

  /** Says how a read differs from what another final transaction has read. */
  Optional<String> differing(RecordedTransaction reader, RecordedOperation read) {
    First known = first.putIfAbsent(read.key(), new First(reader.id(), read));
    return known == null || known.read.equals(read)
        ? Optional.empty()
        : Optional.of(
            "reads %s at the end, and %s has read %s".formatted(read, known.reader, known.read));
  }
}
