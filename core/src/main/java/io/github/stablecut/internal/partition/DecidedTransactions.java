package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of several partitions that a partition has decided: those that participants may
 * still ask for, and the last of those that every participant has. Used under the commit lock.
 */
final class DecidedTransactions {
  /** So many that have ended are remembered, for drivers that were not reached by the answer. */
  private static final int MAX_ENDED = 1 << 16;

  /** A transaction that some participants have not acknowledged. */
  static final class Decision {
    /** The commit time. */
    final long time;

    /** The participants that have not said that their journals have the commit. */
    final Set<Integer> waitingFor;

    /** Where its record is; 0 while it is on its way to the journal. */
    long position;

    /** Whoever is told that it is committed. */
    Message.Driver driver = Message.Driver.GONE;

    /** When the participants are told again. */
    long due;

    private Decision(long time, List<Integer> participants) {
      this.time = time;
      this.waitingFor = new HashSet<>(participants);
    }

    /** Whether its record is durable, so that anybody may be told. */
    boolean isDurable() {
      return position != 0;
    }
  }

  private final Map<TransactionId, Decision> unfinished = new HashMap<>();

  /** The commit times of those that all participants have, oldest first. */
  private final Map<TransactionId, Long> ended = new LinkedHashMap<>();

  /** The greatest epoch of a transaction that ended and was forgotten. */
  private long forgottenEpoch;

  /** The greatest number of those that were forgotten of that epoch. */
  private long forgottenSequence;

  /** Takes note of a decision. */
  void put(TransactionId id, long time, List<Integer> participants) {
    var unused = unfinished.put(id, new Decision(time, participants));
  }

  /** A decision that some participants have not acknowledged; null if there is none. */
  @Nullable Decision get(TransactionId id) {
    return unfinished.get(id);
  }

  /** The commit time of a transaction that every participant has; null if it is not known. */
  @Nullable Long endedAt(TransactionId id) {
    return ended.get(id);
  }

  /** Visits those that some participants have not acknowledged. */
  void forEach(BiConsumer<TransactionId, Decision> visitor) {
    unfinished.forEach(visitor);
  }

  /** Those that every participant has, oldest first. */
  List<TransactionId> ended() {
    return new ArrayList<>(ended.keySet());
  }

  /** Every participant has a decision; nothing is done if it is not known. */
  void end(TransactionId id) {
    Decision decision = unfinished.remove(id);
    if (decision == null) {
      return;
    }
    var unused = ended.put(id, decision.time);
    if (ended.size() > MAX_ENDED) {
      Iterator<TransactionId> oldest = ended.keySet().iterator();
      TransactionId forgotten = oldest.next();
      oldest.remove();
      forget(forgotten);
    }
  }

  private void forget(TransactionId id) {
    if (id.epoch() > forgottenEpoch) {
      forgottenEpoch = id.epoch();
      forgottenSequence = id.sequence();
    } else if (id.epoch() == forgottenEpoch) {
      forgottenSequence = Math.max(forgottenSequence, id.sequence());
    }
  }

  /** Whether a transaction that is not known here may have been decided, ended and forgotten. */
  boolean mayBeForgotten(TransactionId id) {
    return id.epoch() < forgottenEpoch
        || (id.epoch() == forgottenEpoch && id.sequence() <= forgottenSequence);
  }

  /** How many have a record that is on its way to the journal. */
  int onTheirWay() {
    return (int) unfinished.values().stream().filter(each -> !each.isDurable()).count();
  }

  /** The position of the oldest record that is still needed; the greatest number if none is. */
  long oldestNeeded() {
    long oldest = Long.MAX_VALUE;
    for (Decision decision : unfinished.values()) {
      if (decision.isDurable()) {
        oldest = Math.min(oldest, decision.position);
      }
    }
    return oldest;
  }
}
