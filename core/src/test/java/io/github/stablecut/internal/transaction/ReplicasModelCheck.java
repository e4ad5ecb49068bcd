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
 * Judges what the copies of {@link ReplicasModel} tell their clients: copies never disagree about
 * what is committed, a latest read has all that was committed before it, and what a snapshot was
 * told stays true. Confined to one thread.
 */
final class ReplicasModelCheck {
  /** What a snapshot was told. */
  private record Told(long time, Set<Integer> numbers) {}

  /** All that is committed, as the first to know of each entry has told. */
  private final List<Entry> history = new ArrayList<>();

  private final Map<Integer, Entry> told = new HashMap<>();
  private final List<Told> snapshots = new ArrayList<>();
  private Optional<String> violation = Optional.empty();
  private int latestReads;

  /** What was wrong first; empty if nothing was. */
  Optional<String> violation() {
    return violation;
  }

  void fail(String what) {
    if (violation.isEmpty()) {
      violation = Optional.of(what);
    }
  }

  /** How much is committed. */
  int committed() {
    return history.size();
  }

  /** Somebody was told that an entry is committed, or a prepared part durable. */
  void tell(int at, Entry entry) {
    Entry before = told.putIfAbsent(at, entry);
    if (before != null && !before.equals(entry)) {
      fail("entry %d was told as %s, and is %s".formatted(at, before, entry));
    }
    if (at == history.size()) {
      history.add(entry);
      for (Told snapshot : snapshots) {
        if (entry.isWrite()
            && entry.time() <= snapshot.time
            && !snapshot.numbers.contains(entry.number())) {
          fail("%s was not in the snapshot at %d".formatted(entry, snapshot.time));
        }
      }
    }
  }

  /** Somebody was told what a snapshot sees. */
  void tell(long time, List<Entry> seen) {
    Set<Integer> numbersSeen = new HashSet<>();
    seen.stream()
        .filter(entry -> entry.isWrite() && entry.time() <= time)
        .forEach(entry -> numbersSeen.add(entry.number()));
    snapshots.add(new Told(time, numbersSeen));
    for (Entry entry : history) {
      if (entry.isWrite() && entry.time() <= time && !numbersSeen.contains(entry.number())) {
        fail("a snapshot at %d lacks %s".formatted(time, entry));
      }
    }
    for (Entry entry : seen) {
      Entry committed = told.getOrDefault(seen.indexOf(entry), entry);
      if (entry.isWrite() && entry.time() <= time && !committed.equals(entry)) {
        fail("a snapshot sees %s, which is not committed".formatted(entry));
      }
    }
  }

  /**
   * Somebody was told the latest state.
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
