package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.option.Certification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The actions and observations of a client, for {@link HistoryCheck}. Confined to one thread. */
final class SimulatedTransaction {
  enum Outcome {
    OPEN,
    ACKNOWLEDGED,
    FAILED,
    UNKNOWN
  }

  /**
   * One object as it was read.
   *
   * @param seen the transactions that had added themselves to the object's set
   * @param counted the value of the object's counter, to which each of them adds 1
   * @param sinceResets the value of the object's resettable counter, to which each of them adds 1
   *     or which it resets
   * @param stock the value of the object's bounded counter, to which each of them adds 1 or from
   *     which it takes 1
   */
  record Read(int object, Set<Integer> seen, long counted, long sinceResets, long stock) {}

  /**
   * The latest state of an object, as it was read outside of transactions.
   *
   * @param acknowledged the transactions that had written it and were acknowledged before
   * @param seen the transactions that it shows
   */
  record LatestRead(int object, Set<Integer> acknowledged, Set<Integer> seen) {}

  final int number;
  final int session;
  final VectorClock snapshot;
  final Certification certification;
  final List<Read> reads = new ArrayList<>();
  final Set<Integer> writes = new TreeSet<>();

  /**
   * The objects whose resettable counter it resets, each with the transactions that it has seen
   * there.
   */
  final Map<Integer, Set<Integer>> resets = new TreeMap<>();

  /** The objects from whose bounded counter it takes 1. */
  final Set<Integer> takes = new TreeSet<>();

  /** The names that it assigns, each with the kind. */
  final Map<Integer, Integer> names = new TreeMap<>();

  /** Whether it only reads, repeatedly, and writes nothing. */
  boolean isPin;

  Outcome outcome = Outcome.OPEN;

  /** Whether it failed because one of its names was reported to have another type. */
  boolean isRefusedByType;

  /**
   * The newest time that its process had issued, by a token or a snapshot, before it was committed.
   */
  long issued;

  /** The process that runs it. */
  int dataCentre;

  /**
   * The snapshots that it was executed on, each newer than the one before: one of them, possibly an
   * unknown one, is the one that is committed.
   */
  final List<VectorClock> attempts = new ArrayList<>();

  /** The commit time, if it is acknowledged. */
  long time;

  SimulatedTransaction(int number, int session, VectorClock snapshot, Certification certification) {
    this.number = number;
    this.session = session;
    this.snapshot = snapshot;
    this.certification = certification;
    this.attempts.add(snapshot);
  }

  /** The objects that no other certifying transaction may have written meanwhile. */
  Set<Integer> certified() {
    Set<Integer> objects = new TreeSet<>();
    if (certification != Certification.NONE) {
      objects.addAll(writes);
    }
    if (certification == Certification.READS_WRITES) {
      reads.forEach(read -> objects.add(read.object()));
    }
    return objects;
  }

  /** Whether a snapshot sees it, if it is acknowledged, whichever attempt is committed. */
  boolean isVisibleAt(VectorClock reader) {
    return attempts.stream()
        .allMatch(attempt -> attempt.with(dataCentre, time).isAtOrBefore(reader));
  }

  /** Whether a snapshot may see it, if it is acknowledged. */
  boolean mayBeVisibleAt(VectorClock reader) {
    return attempts.stream()
        .anyMatch(attempt -> attempt.with(dataCentre, time).isAtOrBefore(reader));
  }

  /** Whether only its time can keep a snapshot from seeing it. */
  boolean dependsOnNothingBut(VectorClock reader) {
    return attempts.stream().allMatch(attempt -> attempt.with(dataCentre, 0).isAtOrBefore(reader));
  }

  long snapshotTime() {
    return snapshot.get(dataCentre);
  }

  @Override
  public String toString() {
    return "T%d(session %d, snapshot %s, writes %s, resets %s, takes %s, names %s, told %d, %s %d, reads %s)"
        .formatted(
            number, session, snapshot, writes, resets, takes, names, issued, outcome, time, reads);
  }
}
