package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The memory of all watches of a store. */
class WatchMemoryTest {
  private static final int EFFECT_BYTES = 10_000;

  private final WatchBuffer first = buffer("a");
  private final WatchBuffer second = buffer("b");
  private final WatchBuffer both = buffer("");
  private final List<WatchBuffer> all = List.of(first, second, both);

  private static WatchBuffer buffer(String prefix) {
    return new WatchBuffer(new CommitFilter(IdRange.prefix(Bytes.utf8(prefix)), true), 1_000);
  }

  private static CommittedWrites writes(long time, String... names) {
    Set<CommittedWrites.WrittenObject> written = new LinkedHashSet<>();
    for (String name : names) {
      written.add(
          new CommittedWrites.WrittenObject(
              Bytes.utf8(name), PnCounter.TYPE, List.of(Bytes.wrap(new byte[EFFECT_BYTES]))));
    }
    return new CommittedWrites(VectorClock.of(time), written);
  }

  private static void offer(WatchMemory memory, List<WatchBuffer> to, CommittedWrites writes) {
    WatchMemory.Charge charge = memory.charge(writes);
    to.forEach(buffer -> buffer.offer(writes, charge, writes.at()));
    memory.relieve(to);
  }

  @Test
  void endsTheLargestBufferFirstAndTheOthersContinue() throws InterruptedException {
    WatchMemory memory = new WatchMemory(4 * EFFECT_BYTES);
    List<WatchBuffer> two = List.of(first, second);

    offer(memory, two, writes(1, "a"));
    for (long time = 2; time <= 4; time++) {
      offer(memory, two, writes(time, "b"));
    }

    assertThat(second.ended()).contains(WatchSource.End.CROWDED_OUT);
    assertThat(second.take(0, Optional.empty()).commits()).isEmpty();
    assertThat(first.state()).isEqualTo(WatchBuffer.State.OPEN);
    assertThat(first.take(0, Optional.empty()).commits()).hasSize(1);
    assertThat(memory.taken()).as("until the user has it").isPositive();
    first.deliveries().release();
    assertThat(memory.taken()).isZero();
  }

  @Test
  void sharedWholeCommitsCountOnceAndPartsAlone() throws InterruptedException {
    WatchMemory memory = new WatchMemory(Long.MAX_VALUE);
    CommittedWrites writes = writes(1, "a", "b");

    offer(memory, all, writes);

    assertThat(memory.taken()).isEqualTo(WatchMemory.bytesOf(writes));
    both.end(WatchBuffer.State.CLOSED);
    assertThat(memory.taken()).isEqualTo(WatchMemory.bytesOf(writes));
    second.end(WatchBuffer.State.CLOSED);
    assertThat(memory.taken()).isEqualTo(WatchMemory.bytesOf(writes(1, "a")));
    first.end(WatchBuffer.State.CLOSED);
    assertThat(memory.taken()).isZero();
  }

  @Test
  void theOnlyCommitMayBeLarger() throws InterruptedException {
    WatchMemory memory = new WatchMemory(1_000);

    offer(memory, List.of(first), writes(1, "a"));

    assertThat(first.take(0, Optional.empty()).commits()).hasSize(1);
    assertThat(first.state()).isEqualTo(WatchBuffer.State.OPEN);
  }

  @Test
  void evictsTheRemainsOfAnEndedWatchToo() throws InterruptedException {
    WatchMemory memory = new WatchMemory(4 * EFFECT_BYTES);
    offer(memory, List.of(first), writes(1, "a"));
    offer(memory, List.of(first), writes(2, "a"));
    first.end(WatchBuffer.State.OVERFLOWED);

    offer(memory, List.of(first, second), writes(3, "b"));
    offer(memory, List.of(first, second), writes(4, "b"));

    assertThat(first.take(0, Optional.empty()).commits()).isEmpty();
    assertThat(first.ended()).contains(WatchSource.End.OVERFLOWED);
    assertThat(second.take(0, Optional.empty()).commits()).hasSize(2);
  }

  @Test
  void takesLargeAmountsInChunksWithTheirPosition() throws InterruptedException {
    WatchMemory memory = new WatchMemory(Long.MAX_VALUE);
    for (long time = 1; time <= 10; time++) {
      offer(memory, List.of(first), writes(time, "a"));
    }

    WatchBuffer.CommitBatch part = first.take(0, Optional.empty());

    assertThat(part.commits()).hasSizeBetween(5, 9);
    assertThat(part.complete()).isEqualTo(VectorClock.of(part.commits().size()));
    WatchBuffer.CommitBatch rest = first.take(0, Optional.empty());
    assertThat(rest.commits()).hasSize(10 - part.commits().size());
    assertThat(rest.complete()).isEqualTo(VectorClock.of(10));
  }
}
