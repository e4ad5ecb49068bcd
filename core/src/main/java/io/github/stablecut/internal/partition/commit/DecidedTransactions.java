package io.github.stablecut.internal.partition.commit;

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
 * The distributed transactions that a partition has decided: those that participants may still
 * query, and the most recent ones that every participant has acknowledged. Used under the commit
 * lock.
 */
public final class DecidedTransactions {
  /**
   * The number of acknowledged transactions that are remembered, for drivers that missed the
   * answer.
   */
  private static final int MAX_ENDED = 1 << 16;

  /** A decision that some participants have not acknowledged. */
  public static final class Decision {
    /** The commit time. */
    public final long time;

    /** The participants that have not acknowledged the commit. */
    public final Set<Integer> waitingFor;

    /** The position of its record; 0 until the record is durable. */
    long position;

    /** The driver that waits for the decision. */
    public Message.Driver driver = Message.Driver.GONE;

    /** The time at which to resend the decision to participants. */
    public long dueNanos;

    private Decision(long time, List<Integer> participants) {
      this.time = time;
      this.waitingFor = new HashSet<>(participants);
    }

    /** Whether its record is durable, so that the decision may be announced. */
    public boolean isDurable() {
      return position != 0;
    }
  }

  private final Map<TransactionId, Decision> unfinished = new HashMap<>();

  /** The commit times of the fully acknowledged transactions, oldest first. */
  private final Map<TransactionId, Long> ended = new LinkedHashMap<>();

  /** The highest epoch of a forgotten transaction. */
  private long forgottenEpoch;

  /** The highest sequence number of a forgotten transaction of that epoch. */
  private long forgottenSequence;

  /** Adds a decision. */
  void put(TransactionId id, long time, List<Integer> participants) {
    unfinished.put(id, new Decision(time, participants));
  }

  /**
   * A decision that some participants have not acknowledged; null if there is none with this id.
   */
  public @Nullable Decision get(TransactionId id) {
    return unfinished.get(id);
  }

  /** The commit time of a fully acknowledged transaction; null if it is unknown. */
  public @Nullable Long endedAt(TransactionId id) {
    return ended.get(id);
  }

  /** Visits the decisions that some participants have not acknowledged. */
  public void forEach(BiConsumer<TransactionId, Decision> visitor) {
    unfinished.forEach(visitor);
  }

  /** The fully acknowledged transactions, oldest first. */
  List<TransactionId> ended() {
    return new ArrayList<>(ended.keySet());
  }

  /** Ends a fully acknowledged decision; ignores unknown ids. */
  void end(TransactionId id) {
    Decision decision = unfinished.remove(id);
    if (decision == null) {
      return;
    }
    ended.put(id, decision.time);
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

  /** Whether an unknown transaction may have been decided, acknowledged and forgotten. */
  public boolean mayBeForgotten(TransactionId id) {
    return id.epoch() < forgottenEpoch
        || (id.epoch() == forgottenEpoch && id.sequence() <= forgottenSequence);
  }

  /** The number of decisions whose records are not durable yet. */
  public int countNotDurable() {
    return (int) unfinished.values().stream().filter(each -> !each.isDurable()).count();
  }

  /** The position of the oldest record that is still needed; {@link Long#MAX_VALUE} if none is. */
  public long oldestNeeded() {
    long oldest = Long.MAX_VALUE;
    for (Decision decision : unfinished.values()) {
      if (decision.isDurable()) {
        oldest = Math.min(oldest, decision.position);
      }
    }
    return oldest;
  }
}
