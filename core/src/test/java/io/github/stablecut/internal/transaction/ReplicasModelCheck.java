package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.transaction.ReplicasModel.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the answers of {@link ReplicasModel}'s replicas: replicas never disagree about committed
 * entries, a latest read has everything committed before it, and a snapshot's answers stay true.
 * Confined to one thread.
 */
final class ReplicasModelCheck {
  /** The answer of a snapshot. */
  private record SnapshotAnswer(long time, Set<Integer> numbers) {}

  /** The committed entries, as first reported. */
  private final List<Entry> history = new ArrayList<>();

  private final Map<Integer, Entry> committedEntries = new HashMap<>();
  private final List<SnapshotAnswer> snapshots = new ArrayList<>();
  private Optional<String> violation = Optional.empty();
  private int latestReads;

  /** The first violation; empty if there is none. */
  Optional<String> violation() {
    return violation;
  }

  void fail(String what) {
    if (violation.isEmpty()) {
      violation = Optional.of(what);
    }
  }

  /** The number of committed entries. */
  int committed() {
    return history.size();
  }

  /** A client learns that an entry is committed, or a prepared part durable. */
  void report(int at, Entry entry) {
    Entry before = committedEntries.putIfAbsent(at, entry);
    if (before != null && !before.equals(entry)) {
      fail("entry %d was reported as %s, and is %s".formatted(at, before, entry));
    }
    if (at == history.size()) {
      history.add(entry);
      for (SnapshotAnswer snapshot : snapshots) {
        if (entry.isWrite()
            && entry.time() <= snapshot.time
            && !snapshot.numbers.contains(entry.number())) {
          fail("%s was not in the snapshot at %d".formatted(entry, snapshot.time));
        }
      }
    }
  }

  /** A client learns the contents of a snapshot. */
  void report(long time, List<Entry> seen) {
    Set<Integer> numbersSeen = new HashSet<>();
    seen.stream()
        .filter(entry -> entry.isWrite() && entry.time() <= time)
        .forEach(entry -> numbersSeen.add(entry.number()));
    snapshots.add(new SnapshotAnswer(time, numbersSeen));
    for (Entry entry : history) {
      if (entry.isWrite() && entry.time() <= time && !numbersSeen.contains(entry.number())) {
        fail("a snapshot at %d lacks %s".formatted(time, entry));
      }
    }
    for (Entry entry : seen) {
      Entry committed = committedEntries.getOrDefault(seen.indexOf(entry), entry);
      if (entry.isWrite() && entry.time() <= time && !committed.equals(entry)) {
        fail("a snapshot sees %s, which is not committed".formatted(entry));
      }
    }
  }

  /**
   * A client learns the latest state.
   *
   * @param seen how much that includes
   * @param before how much was committed when the read began
   */
  void latestRead(int seen, int before) {
    latestReads++;
    if (seen < before) {
      fail("a latest read has %d of %d entries".formatted(seen, before));
    }
  }

  /** Whether leaders have changed, and everything was read. */
  boolean isEventful() {
    return history.stream().mapToInt(Entry::epoch).distinct().count() > 1
        && latestReads > 0
        && snapshots.size() > 3;
  }
}
