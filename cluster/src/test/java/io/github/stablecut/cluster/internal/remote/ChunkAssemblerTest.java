package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A message in chunks is assembled completely or not at all, in bounded memory. */
class ChunkAssemblerTest {
  private static final int CHUNK = 64 << 10;
  private static final int MESSAGE_BYTES = 3 * CHUNK + 5;

  /** Memory for two messages and one chunk. */
  private static final int LIMIT = 2 * MESSAGE_BYTES + CHUNK;

  private final TrafficBudget budget = new TrafficBudget("messages of a test", LIMIT, 0);
  private final ChunkAssembler chunks = new ChunkAssembler(budget);
  private final Bytes large = large();

  private static Bytes large() {
    byte[] large = new byte[MESSAGE_BYTES];
    new Random(1).nextBytes(large);
    return Bytes.wrap(large);
  }

  private Bytes chunk(int number) {
    return large.slice(number * CHUNK, Math.min(MESSAGE_BYTES, (number + 1) * CHUNK));
  }

  /** Adds chunks with the given numbers, all of which find memory. */
  private void add(ChunkAssembler.Assembly message, int from, int to) {
    for (int number = from; number <= to; number++) {
      assertThat(message.add(chunk(number))).isTrue();
    }
  }

  private void finish(ChunkAssembler.Assembly message) {
    assertThat(message.finish()).isEqualTo(large);
    message.reservation().close();
  }

  @Test
  void chunksOfSeveralMessagesInTurnAreAssembled() {
    ChunkAssembler.Assembly one = chunks.begin(true);
    ChunkAssembler.Assembly two = chunks.begin(true);
    for (int number = 0; number < 4; number++) {
      add(one, number, number);
      add(two, number, number);
    }

    finish(two);
    finish(one);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void aMessageOfOneChunkIsNotCopied() {
    ChunkAssembler.Assembly message = chunks.begin(true);
    Bytes only = chunk(0);
    assertThat(message.add(only)).isTrue();

    assertThat(message.finish()).isSameAs(only);
    assertThat(budget.taken()).isEqualTo(CHUNK);
  }

  @Test
  void aDroppedMessageReleasesItsMemoryOnce() {
    ChunkAssembler.Assembly kept = chunks.begin(true);
    ChunkAssembler.Assembly dropped = chunks.begin(true);
    add(kept, 0, 1);
    add(dropped, 0, 1);

    dropped.drop();
    dropped.drop();

    assertThat(budget.taken()).isEqualTo(2 * CHUNK);
    add(kept, 2, 3);
    finish(kept);
  }

  @Test
  void refusesMessagesWithoutMemoryAndReservesTheRestForTheOldest() {
    ChunkAssembler.Assembly oldest = chunks.begin(true);
    add(oldest, 0, 0);
    ChunkAssembler.Assembly two = chunks.begin(true);
    ChunkAssembler.Assembly three = chunks.begin(true);
    add(two, 0, 2);
    add(three, 0, 2);
    ChunkAssembler.Assembly four = chunks.begin(true);

    assertThat(four.add(chunk(0))).isFalse();

    assertThat(budget.taken()).isLessThanOrEqualTo(LIMIT);
    add(oldest, 1, 3);
    finish(oldest);
    add(two, 3, 3);
    finish(two);
    add(three, 3, 3);
    finish(three);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void theOldestWaitsForUnreleasedCompleteMessages() {
    List<ChunkAssembler.Assembly> complete = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      ChunkAssembler.Assembly message = chunks.begin(true);
      add(message, 0, 3);
      assertThat(message.finish()).isEqualTo(large);
      complete.add(message);
    }
    ChunkAssembler.Assembly oldest = chunks.begin(true);
    add(oldest, 0, 0);

    assertThat(oldest.add(chunk(1))).isFalse();

    complete.forEach(message -> message.reservation().close());
    ChunkAssembler.Assembly again = chunks.begin(true);
    add(again, 0, 3);
    finish(again);
  }

  @Test
  void keepsMessagesThatMustNotBeRefused() {
    List<ChunkAssembler.Assembly> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(chunks.begin(false));
      add(all.get(i), 0, 3);
    }

    all.forEach(this::finish);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void acceptsAMessageLargerThanTheLimitIfItIsAlone() {
    ChunkAssembler.Assembly huge = chunks.begin(true);
    for (int i = 0; i < 3 * LIMIT / CHUNK; i++) {
      assertThat(huge.add(chunk(0))).isTrue();
    }

    assertThat(huge.finish().length()).isGreaterThan(2 * LIMIT);
  }
}
