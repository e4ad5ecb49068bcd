package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A message from a data centre to the others, in order. */
sealed interface Message<O> {
  /** The time of the sender: its later transactions have later times. */
  long time();

  /**
   * A committed transaction.
   *
   * @param frontier the prune frontier of the run that its effects were made from
   */
  record Piece<O>(
      int dataCentre,
      long time,
      VectorClock snapshot,
      VectorClock frontier,
      List<O> operations,
      List<byte[]> effects)
      implements Message<O> {
    VectorClock commitVector() {
      return snapshot.with(dataCentre, time);
    }

    EffectOrigin origin() {
      return new EffectOrigin(dataCentre, time, frontier);
    }

    Stream<Event<O>> events() {
      return IntStream.range(0, operations.size())
          .mapToObj(i -> new Event<>(operations.get(i), dataCentre, time, i, snapshot));
    }
  }

  /**
   * A heartbeat.
   *
   * @param minDependency at or below the snapshot of every transaction that the sender will commit
   *     after this message
   */
  record Heartbeat<O>(long time, VectorClock minDependency) implements Message<O> {}
}
