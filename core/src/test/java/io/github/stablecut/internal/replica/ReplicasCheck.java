package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogEpochs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks what is committed, who leads, and what is read in a {@link ReplicasSimulation}: replicas
 * never disagree about committed records, an epoch has one leader, and a latest read sees
 * everything committed before it. Confined to one thread.
 */
final class ReplicasCheck {
  private record Committed(long epoch, long body) {}

  private final List<Committed> history = new ArrayList<>();
  private final Map<Long, String> leaders = new HashMap<>();
  private final Map<String, Long> committedEnds = new HashMap<>();
  private long reads;

  /** Thrown later: a completion stage swallows exceptions of its listeners. */
  private Optional<String> staleRead = Optional.empty();

  /** A replica knows that all records below a number are committed. */
  void committed(String who, SimulatedLog log, long next) {
    long from = Math.max(committedEnds.getOrDefault(who, 1L), log.first());
    if (from >= next) {
      return;
    }
    if (next > log.next()) {
      throw new AssertionError(
          "%s knows that record %d is committed, and has none".formatted(who, next - 1));
    }
    LogEpochs epochs = log.epochs();
    for (long number = from; number < next; number++) {
      Committed one =
          new Committed(epochs.at(number), ByteBuffer.wrap(log.get(number).body()).getLong());
      if (number - 1 >= history.size()) {
        history.add(one);
      } else if (!history.get((int) number - 1).equals(one)) {
        throw new AssertionError(
            "record %d of %s is %s, and was committed as %s"
                .formatted(number, who, one, history.get((int) number - 1)));
      }
    }
    committedEnds.merge(who, next, Math::max);
  }

  /** A replica leads. */
  void leads(String who, long epoch) {
    String before = leaders.putIfAbsent(epoch, who + " once");
    if (before != null) {
      throw new AssertionError("%s leads epoch %d, and so did %s".formatted(who, epoch, before));
    }
  }

  /**
   * A latest read has seen all records below {@code seen}; {@code before} of them were committed
   * when it began.
   */
  void latest(String who, long before, long seen) {
    reads++;
    if (seen < before) {
      staleRead = Optional.of("%s has read %d of %d records".formatted(who, seen, before));
    }
  }

  void throwStaleRead() {
    if (staleRead.isPresent()) {
      throw new AssertionError(staleRead.get());
    }
  }

  /** The number after the last record that is known to be committed. */
  long known() {
    return history.size() + 1L;
  }

  int leaders() {
    return leaders.size();
  }

  long reads() {
    return reads;
  }
}
