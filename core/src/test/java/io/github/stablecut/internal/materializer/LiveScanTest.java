package io.github.stablecut.internal.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.Intent;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of deleted objects that a scan examines. */
class LiveScanTest {
  private static final int DEAD = 10_000;
  private static final VectorClock SNAPSHOT = VectorClock.of(100);

  /** The tolerated number of steps beyond the returned objects. */
  private static final int FEW = 4 * LiveScan.MIN_RUN;

  private final ObjectIndex index = new ObjectIndex(true);

  /** The values of counters; those with 0 are dead. */
  private final NavigableMap<Bytes, Long> objects = new TreeMap<>();

  private int looks;

  private static Bytes id(int number) {
    return Bytes.utf8("k%06d".formatted(number));
  }

  /** All objects of a plan, as a scan of memory and files finds them. */
  private final class PlannedObjects implements ScannedObjects {
    private final Iterator<Map.Entry<Bytes, Long>> rest;

    PlannedObjects(ScanPlan plan) {
      NavigableMap<Bytes, Long> above = objects.tailMap(plan.range().from(), true);
      NavigableMap<Bytes, Long> inside =
          plan.range().until().map(until -> above.headMap(until, false)).orElse(above);
      NavigableMap<Bytes, Long> copy = new TreeMap<>(inside);
      this.rest = (plan.isDescending() ? copy.descendingMap() : copy).entrySet().iterator();
    }

    @Override
    public Optional<FoundObject> next() {
      if (!rest.hasNext()) {
        return Optional.empty();
      }
      looks++;
      Map.Entry<Bytes, Long> next = rest.next();
      Version version = new Version(PnCounter.TYPE, SNAPSHOT, SNAPSHOT, next.getValue(), 8);
      return Optional.of(FoundObject.of(next.getKey(), version));
    }

    @Override
    public boolean hasSkipped() {
      return false;
    }

    @Override
    public void close() {}
  }

  private List<Bytes> scan(boolean isDescending, int limit, VectorClock snapshot) {
    IdRange all = IdRange.between(id(0), id(1_000_000));
    ScanPlan plan = new ScanPlan(all, isDescending, false, limit);
    looks = 0;
    List<Bytes> found = new ArrayList<>();
    try (LiveScan scan = new LiveScan(index, PlannedObjects::new, plan, snapshot)) {
      Optional<FoundObject> next = scan.next();
      while (next.isPresent()) {
        found.add(next.get().id());
        next = found.size() < limit ? scan.next() : Optional.empty();
      }
    }
    return found;
  }

  private void write(Bytes id, long value, long time) {
    EffectOrigin origin = new EffectOrigin(0, time, VectorClock.ZERO);
    index.append(
        id, IndexedEffect.inJournal(new Commit(origin, VectorClock.ZERO, 1), PnCounter.TYPE, 0, 8));
    objects.put(id, value);
  }

  private void fill() {
    for (int i = 0; i < DEAD; i++) {
      objects.put(id(i), 0L);
    }
    objects.put(id(DEAD), 1L);
    objects.put(id(2 * DEAD), 1L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theNextScanSkipsDeadOnesInOneStep(boolean isDescending) {
    fill();
    for (int i = DEAD + 1; i < 2 * DEAD; i++) {
      objects.put(id(i), 0L);
    }
    List<Bytes> expected =
        isDescending ? List.of(id(2 * DEAD), id(DEAD)) : List.of(id(DEAD), id(2 * DEAD));

    assertThat(scan(isDescending, 3, SNAPSHOT)).isEqualTo(expected);
    assertThat(looks).isGreaterThan(2 * DEAD);

    assertThat(scan(isDescending, 3, SNAPSHOT)).isEqualTo(expected);
    assertThat(looks).isLessThan(FEW);
    assertThat(scan(!isDescending, 3, SNAPSHOT)).hasSize(2);
    assertThat(looks).isLessThan(FEW);
  }

  @Test
  void aQueueDeletedFromItsHeadIsReadInOneStep() {
    for (int i = 0; i < DEAD; i++) {
      objects.put(id(i), 1L);
    }
    int all = 0;
    for (int i = 0; i < DEAD - 1; i++) {
      assertThat(scan(false, 1, VectorClock.of(i + 100))).containsExactly(id(i));
      all += looks;
      write(id(i), 0, i + 100);
    }
    assertThat(all).isLessThan(FEW * DEAD);
  }

  @Test
  void findsWritesInBetween() {
    fill();
    assertThat(scan(false, 1, SNAPSHOT)).containsExactly(id(DEAD));
    write(id(5_000), 1, 200);

    assertThat(scan(false, 2, VectorClock.of(200))).containsExactly(id(5_000), id(DEAD));
    assertThat(looks).isLessThan(FEW);
    assertThat(scan(true, 4, VectorClock.of(200)))
        .containsExactly(id(2 * DEAD), id(DEAD), id(5_000));
  }

  @Test
  void theNextScanFindsWritesDuringAScan() {
    fill();
    IdRange all = IdRange.between(id(0), id(1_000_000));
    ScanPlan plan = new ScanPlan(all, false, false, 1);
    Function<ScanPlan, ScannedObjects> opening = PlannedObjects::new;
    try (LiveScan scan =
        new LiveScan(
            index,
            part -> {
              ScannedObjects found = opening.apply(part);
              write(id(7_000), 0, 150);
              return found;
            },
            plan,
            SNAPSHOT)) {
      assertThat(scan.next()).isPresent();
    }
    objects.put(id(7_000), 1L);

    assertThat(scan(false, 1, VectorClock.of(150))).containsExactly(id(7_000));
  }

  @Test
  void earlierSnapshotsExamineAll() {
    fill();
    assertThat(scan(false, 1, SNAPSHOT)).containsExactly(id(DEAD));
    for (int i = 0; i < DEAD; i++) {
      objects.put(id(i), 1L);
    }

    assertThat(scan(false, 1, VectorClock.of(99))).containsExactly(id(0));
  }

  @Test
  void remembersNothingThatALaterEffectInMemoryMayHaveChanged() {
    fill();
    write(id(5_000), 0, 150);
    assertThat(scan(false, 1, SNAPSHOT)).containsExactly(id(DEAD));
    objects.put(id(5_000), 1L);
    assertThat(scan(false, 1, VectorClock.of(150))).containsExactly(id(5_000));
  }

  @Test
  void remembersNothingThatALaterEffectInAFileMayHaveChanged() {
    fill();
    index.dropThrough(VectorClock.of(300));
    assertThat(scan(false, 1, VectorClock.of(200))).containsExactly(id(DEAD));
    objects.put(id(1_000), 1L);
    assertThat(scan(false, 1, VectorClock.of(300))).containsExactly(id(1_000));
  }

  @Test
  void doesNotSkipAnUndecidedTransaction() {
    fill();
    index.announce(id(5_000), new Intent(new TransactionId(1, 1, 1), 90, PnCounter.TYPE));
    assertThat(scan(false, 1, SNAPSHOT)).containsExactly(id(DEAD));
    objects.put(id(5_000), 1L);

    assertThat(scan(false, 1, SNAPSHOT)).containsExactly(id(5_000));
  }
}
