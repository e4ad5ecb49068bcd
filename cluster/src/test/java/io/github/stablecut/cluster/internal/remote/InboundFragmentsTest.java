package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A fragmented message is reassembled completely or not at all, in bounded memory. */
class InboundFragmentsTest {
  private static final int MESSAGE_BYTES = 3 * Fragment.MAX_BYTES + 5;

  /** Memory for two messages and one fragment. */
  private static final int LIMIT = 2 * MESSAGE_BYTES + Fragment.MAX_BYTES;

  private final AtomicLong nanos = new AtomicLong();
  private final TrafficBudget budget = new TrafficBudget("messages of a test", LIMIT, 0);
  private final InboundFragments pieces = new InboundFragments(nanos::get, budget);
  private final Bytes large = large();
  private final List<Fragment> parts = cut(large);

  private static Bytes large() {
    byte[] large = new byte[MESSAGE_BYTES];
    new Random(1).nextBytes(large);
    return Bytes.wrap(large);
  }

  private static List<Fragment> cut(Bytes bytes) {
    List<Fragment> parts = new ArrayList<>();
    for (int offset = 0; offset < bytes.length(); offset += Fragment.MAX_BYTES) {
      parts.add(Fragment.of(bytes, offset));
    }
    return parts;
  }

  private static InboundFragments.Id id(long number) {
    return new InboundFragments.Id("a node", number);
  }

  /** Keeps a fragment and returns whether there was memory for it. */
  private boolean isKept(long number, int part) {
    return pieces.keep(id(number), parts.get(part), true);
  }

  private void keep(long number, int part) {
    assertThat(isKept(number, part)).isTrue();
  }

  private void keepAll(long number) {
    for (int part = 0; part < 3; part++) {
      keep(number, part);
    }
  }

  /** Takes a complete message and releases its memory. */
  private Optional<Bytes> finish(long number) {
    Optional<InboundFragments.CompleteMessage> whole = pieces.finish(id(number), parts.get(3));
    whole.ifPresent(there -> there.reservation().close());
    return whole.map(InboundFragments.CompleteMessage::bytes);
  }

  @Test
  void fragmentsReassembleToTheMessage() {
    assertThat(parts).hasSize(4);
    for (int part = 0; part < 3; part++) {
      keep(2, part);
      keep(3, part);
    }

    assertThat(finish(2)).contains(large);
    assertThat(finish(3)).contains(large);
    assertThat(finish(2)).isEmpty();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void aMessageThatFitsOneFragmentIsNotSplit() {
    Bytes one = parts.get(0).bytes();
    assertThat(cut(one)).containsExactly(new Fragment(0, one));

    assertThat(pieces.single(new Fragment(0, one), true).orElseThrow().bytes()).isEqualTo(one);
    assertThat(budget.taken()).isEqualTo(one.length());
  }

  @Test
  void discardsMessagesThatLostAFragment() {
    for (int lost = 0; lost < 3; lost++) {
      for (int kept = 0; kept < 3; kept++) {
        if (kept != lost) {
          keep(lost, kept);
        }
      }
      assertThat(finish(lost)).isEmpty();
    }
    assertThat(finish(9)).isEmpty();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void deduplicatesFragments() {
    keep(2, 0);
    keep(2, 1);
    keep(2, 1);
    keep(2, 2);

    assertThat(finish(2)).isEmpty();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void expiresMessagesThatReceiveNoFragments() {
    keep(2, 0);
    keep(3, 0);
    nanos.addAndGet(InboundFragments.PATIENCE.toNanos() - 1);
    keep(3, 1);
    nanos.addAndGet(1);
    keep(3, 2);
    keep(2, 1);
    keep(2, 2);

    assertThat(finish(2)).isEmpty();
    assertThat(finish(3)).contains(large);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void incompleteMessagesDoNotStarveCompleteOnes() {
    keepAll(1);
    keepAll(2);
    Fragment only = new Fragment(0, large.slice(0, Fragment.MAX_BYTES));
    while (budget.tryTake(Fragment.MAX_BYTES).isPresent()) {
      // Until all memory is taken.
    }
    assertThat(pieces.single(only, true)).isEmpty();

    nanos.addAndGet(InboundFragments.PATIENCE.toNanos());

    assertThat(pieces.single(only, true)).isPresent();
  }

  @Test
  void refusesMessagesWithoutMemoryAndReservesTheRestForTheFirst() {
    keep(1, 0);
    for (int part = 0; part < 3; part++) {
      keep(2, part);
      keep(3, part);
    }

    assertThat(isKept(4, 0)).as("a fourth").isFalse();
    assertThat(budget.taken()).isLessThanOrEqualTo(LIMIT);
    // Half of this message has arrived, and no other message began before it.
    keep(1, 1);
    keep(1, 2);

    assertThat(finish(1)).contains(large);
    assertThat(finish(4)).isEmpty();
    assertThat(finish(2)).contains(large);
    keepAll(4);
    assertThat(finish(3)).contains(large);
    assertThat(finish(4)).contains(large);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void theFirstMessageWaitsForUnreleasedCompleteMessages() {
    List<InboundFragments.CompleteMessage> wholes = new ArrayList<>();
    for (int number = 1; number <= 2; number++) {
      keepAll(number);
      wholes.add(pieces.finish(id(number), parts.get(3)).orElseThrow());
    }
    keep(3, 0);

    assertThat(isKept(3, 1)).isFalse();
    assertThat(pieces.single(parts.get(0), true)).isPresent();
    assertThat(pieces.single(parts.get(0), true)).isEmpty();

    wholes.forEach(whole -> whole.reservation().close());
    keepAll(3);
    assertThat(finish(3)).contains(large);
  }

  @Test
  void keepsMessagesThatMustNotBeRefused() {
    for (int number = 1; number <= 5; number++) {
      for (int part = 0; part < 3; part++) {
        assertThat(pieces.keep(id(number), parts.get(part), false)).isTrue();
      }
    }

    for (int number = 1; number <= 5; number++) {
      assertThat(finish(number)).contains(large);
    }
    assertThat(budget.taken()).isZero();
  }

  @Test
  void acceptsAMessageLargerThanTheLimitIfItIsAlone() {
    Bytes huge = Bytes.wrap(new byte[3 * LIMIT]);
    List<Fragment> all = cut(huge);
    for (Fragment part : all.subList(0, all.size() - 1)) {
      assertThat(pieces.keep(id(1), part, true)).isTrue();
    }

    assertThat(pieces.finish(id(1), all.get(all.size() - 1)).orElseThrow().bytes()).isEqualTo(huge);
  }
}
