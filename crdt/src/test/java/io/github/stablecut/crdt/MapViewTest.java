package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A reader of a map computes only the entries that it reads. */
class MapViewTest {
  private static final OperationContext CONTEXT =
      new OperationContext(0, VectorClock.ZERO, new SelfDots());
  private static final EffectOrigin ORIGIN = new EffectOrigin(0, 1 << 20, VectorClock.ZERO);

  private final AtomicInteger looks = new AtomicInteger();
  private final MapKey<BoundedCounter.Operation, Long> counted = place("counted", countingType());
  private final MapKey<BoundedCounter.Operation, Long> other = place("other", BoundedCounter.TYPE);

  private static <O, V> MapKey<O, V> place(String key, CrdtType<?, O, ?, V> type) {
    return new MapKey<>(Bytes.utf8(key), type);
  }

  /** A type that counts how often a value is computed. */
  private CrdtType<?, BoundedCounter.Operation, ?, Long> countingType() {
    return HeldAs.shown(BoundedCounter.TYPE, (state, snapshot) -> (long) looks.incrementAndGet());
  }

  private static <S, O, E, V> V valueAfter(CrdtType<S, O, E, V> type, List<O> operations) {
    S state = type.initial();
    for (O operation : operations) {
      state = type.apply(state, type.downstream(operation, state, CONTEXT), ORIGIN);
    }
    return type.value(state, VectorClock.ZERO);
  }

  private void assertComputesOnlyRequested(Map<MapKey<?, ?>, Object> map) {
    assertThat(map.keySet()).containsExactly(counted, other).contains(other).hasSize(2);
    assertThat(other.in(map)).contains(7L);
    assertThat(looks).hasValue(0);
    assertThat(counted.in(map)).contains(1L);
    assertThat(place("absent", BoundedCounter.TYPE).in(map)).isEmpty();
    assertThat(place("other", BoundedCounter.RIGHTS).in(map)).contains(sorted(0, 7L));
  }

  private static SortedMap<Integer, Long> sorted(int key, long value) {
    return new TreeMap<>(Map.of(key, value));
  }

  @Test
  void aGrowOnlyMapComputesOnlyTheRequestedType() {
    BoundedCounter.Operation increment = new BoundedCounter.Increment(7);

    assertComputesOnlyRequested(
        valueAfter(
            GrowOnlyMap.TYPE,
            List.of(
                GrowOnlyMap.Update.of(counted, increment),
                GrowOnlyMap.Update.of(other, increment))));
  }

  @Test
  void aRecursiveResetMapComputesOnlyTheRequestedType() {
    BoundedCounter.Operation increment = new BoundedCounter.Increment(7);

    assertComputesOnlyRequested(
        valueAfter(
            RecursiveResetMap.TYPE,
            List.of(
                new RecursiveResetMap.Update<>(counted, increment),
                new RecursiveResetMap.Update<>(other, increment))));
  }

  @Test
  void aDeadlineIsShownUntilItHasPassed() {
    CrdtType<?, Expiring.Operation<PnCounter.Add>, ?, Optional<Instant>> type =
        Expiring.deadlineOf(PnCounter.TYPE);

    assertThat(valueAfter(type, List.of(new Expiring.ExpireAt<>(Long.MAX_VALUE))))
        .contains(Instant.ofEpochMilli(Long.MAX_VALUE));
    assertThat(valueAfter(type, List.of(new Expiring.ExpireAt<>(0)))).isEmpty();
    assertThat(valueAfter(type, List.of())).isEmpty();
  }
}
