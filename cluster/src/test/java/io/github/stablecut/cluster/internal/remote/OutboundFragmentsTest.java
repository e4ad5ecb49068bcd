package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Each peer's fragments in transit are bounded by a window, and lost fragments do not block the
 * rest.
 */
class OutboundFragmentsTest {
  private static final int PIECES_PER_WINDOW = OutboundFragments.WINDOW_BYTES / Fragment.MAX_BYTES;
  private static final String PEER = "127.0.0.1:1";

  private final AtomicLong nanos = new AtomicLong();
  private final OutboundFragments outbox = new OutboundFragments(nanos::get);

  /** The messages' numbers, in the order in which fragments were sent. */
  private final List<Long> parts = new ArrayList<>();

  private final List<Long> last = new ArrayList<>();
  private final List<Long> done = new ArrayList<>();

  private void send(String address, long number, int pieces) {
    Bytes bytes = Bytes.wrap(new byte[pieces * Fragment.MAX_BYTES]);
    outbox.send(
        address,
        number,
        bytes,
        (part, isLast) -> {
          parts.add(number);
          if (isLast) {
            last.add(number);
          }
        },
        isSent -> {
          assertThat(isSent).as("whether it was sent").isEqualTo(last.contains(number));
          done.add(number);
        });
  }

  private void acknowledge(String address, int pieces) {
    outbox.acknowledged(address, (long) pieces * Fragment.MAX_BYTES);
  }

  @Test
  void boundsUnacknowledgedFragments() {
    send(PEER, 1, 3 * PIECES_PER_WINDOW);
    assertThat(parts).hasSize(PIECES_PER_WINDOW);

    acknowledge(PEER, 2);
    assertThat(parts).hasSize(PIECES_PER_WINDOW + 2);
    assertThat(done).isEmpty();
    for (int i = 0; i < 3 * PIECES_PER_WINDOW; i++) {
      acknowledge(PEER, 1);
    }

    assertThat(parts).hasSize(3 * PIECES_PER_WINDOW);
    assertThat(last).containsExactly(1L);
    assertThat(done).containsExactly(1L);
  }

  @Test
  void shortMessagesOvertakeLongOnes() {
    send(PEER, 1, 100);
    send(PEER, 2, 2);

    acknowledge(PEER, 4);

    assertThat(last).containsExactly(2L);
    assertThat(done).containsExactly(2L);
  }

  @Test
  void anUnresponsiveNodeDoesNotDelayOthers() {
    send(PEER, 1, 100);
    send("127.0.0.1:2", 2, 3);

    assertThat(done).containsExactly(2L);
  }

  @Test
  void forgottenMessagesAreNotSentAndReleaseTheirMemory() {
    send(PEER, 1, 100);
    send(PEER, 2, 100);

    outbox.forget(2);
    outbox.forget(3);

    assertThat(done).containsExactly(2L);
    parts.clear();
    acknowledge(PEER, PIECES_PER_WINDOW);
    assertThat(parts).hasSize(PIECES_PER_WINDOW).containsOnly(1L);
  }

  @Test
  void sendsNothingMoreToASilentNode() {
    send(PEER, 1, 100);
    nanos.addAndGet(OutboundFragments.STALL.toNanos() - 1);
    outbox.tick(List.of(PEER));
    assertThat(done).isEmpty();

    nanos.incrementAndGet();
    outbox.tick(List.of(PEER));

    assertThat(done).containsExactly(1L);
    parts.clear();
    send(PEER, 2, 2);
    assertThat(done).containsExactly(1L, 2L);
    acknowledge(PEER, 100);
    send(PEER, 3, 100);
    assertThat(parts).hasSize(2 + PIECES_PER_WINDOW);
  }

  @Test
  void dropsQueuedMessagesOfANodeThatLeaves() {
    send(PEER, 1, 100);
    send("127.0.0.1:2", 2, 100);
    outbox.tick(List.of(PEER));
    assertThat(done).isEmpty();

    outbox.tick(List.of());

    assertThat(done).as("the other one was never there").containsExactly(1L);
    outbox.tick(List.of(PEER));
    send(PEER, 3, 1);
    assertThat(done).as("a node that returns is sent messages at once").containsExactly(1L, 3L);
  }

  @Test
  void aFailingSenderLosesOnlyItsMessage() {
    List<Long> over = new ArrayList<>();
    Bytes bytes = Bytes.wrap(new byte[2 * Fragment.MAX_BYTES]);
    assertThatThrownBy(
            () ->
                outbox.send(
                    PEER,
                    1,
                    bytes,
                    (part, isLast) -> {
                      throw new OutOfMemoryError("for a test");
                    },
                    isSent -> {
                      assertThat(isSent).isFalse();
                      over.add(1L);
                    }))
        .isInstanceOf(OutOfMemoryError.class);

    assertThat(over).containsExactly(1L);
    send(PEER, 2, 2);
    assertThat(done).containsExactly(2L);
  }

  @Test
  void theWindowRecoversFromLossUnderLoad() {
    send(PEER, 1, 10_000);
    int lost = PIECES_PER_WINDOW - 1;
    acknowledge(PEER, 1);
    assertThat(parts).hasSize(PIECES_PER_WINDOW + 1);

    int inTransit = 1;
    for (int i = 0; i < 200; i++) {
      nanos.addAndGet(OutboundFragments.QUIET.toNanos() / 10);
      int before = parts.size();
      if (inTransit > 0) {
        acknowledge(PEER, inTransit);
      }
      outbox.tick(List.of(PEER));
      inTransit = parts.size() - before;
      assertThat(inTransit).as("in transit besides %d lost", lost).isLessThan(2 * lost);
    }

    assertThat(inTransit).isEqualTo(PIECES_PER_WINDOW);
    assertThat(done).isEmpty();
  }

  @Test
  void losingAWholeWindowDelaysQueuedMessagesAndDropsNone() {
    send(PEER, 1, 3 * PIECES_PER_WINDOW);
    nanos.addAndGet(OutboundFragments.QUIET.toNanos());
    outbox.tick(List.of(PEER));
    assertThat(parts).hasSize(2 * PIECES_PER_WINDOW);

    nanos.addAndGet(OutboundFragments.QUIET.toNanos());
    outbox.tick(List.of(PEER));
    assertThat(parts).as("no more before an acknowledgement").hasSize(2 * PIECES_PER_WINDOW);
    acknowledge(PEER, PIECES_PER_WINDOW);

    assertThat(parts).hasSize(3 * PIECES_PER_WINDOW);
    assertThat(done).containsExactly(1L);
  }

  @Test
  void deliversEverythingDespiteRepeatedLoss() {
    send(PEER, 1, 100 * PIECES_PER_WINDOW);
    for (int i = 0; done.isEmpty(); i++) {
      assertThat(i).as("losses").isLessThan(100);
      // Four windows arrive; of the next one, all fragments but one are lost.
      for (int piece = 0; piece < 4 * PIECES_PER_WINDOW + 1; piece++) {
        acknowledge(PEER, 1);
      }
      nanos.addAndGet(OutboundFragments.QUIET.toNanos());
      outbox.tick(List.of(PEER));
    }

    assertThat(last).containsExactly(1L);
  }

  /** Simulates a very lossy link: a peer may be sent nothing for seconds, but not forever. */
  @Test
  void sendsMoreAfterAWholeWindowWasLost() {
    send(PEER, 1, 100 * PIECES_PER_WINDOW);
    for (int second = 0; done.isEmpty(); second++) {
      assertThat(second).isLessThan(1_000);
      // One fragment of each window arrives.
      acknowledge(PEER, 1);
      for (int tick = 0; tick < 6 && done.isEmpty(); tick++) {
        nanos.addAndGet(OutboundFragments.QUIET.toNanos());
        outbox.tick(List.of(PEER));
      }
    }

    assertThat(last).containsExactly(1L);
  }

  @Test
  void permanentLossDoesNotShrinkTheWindowPermanently() {
    send(PEER, 1, 5_000);
    int acknowledged = 0;
    for (int breaks = 1; breaks <= 20; breaks++) {
      // A connection breaks and loses everything in transit.
      int lost = parts.size() - acknowledged;
      for (Duration passed = Duration.ZERO;
          passed.compareTo(OutboundFragments.LONG_QUIET.multipliedBy(2)) < 0;
          passed = passed.plusMillis(50)) {
        nanos.addAndGet(Duration.ofMillis(50).toNanos());
        outbox.tick(List.of(PEER));
        if (parts.size() > acknowledged + lost) {
          acknowledge(PEER, 1);
          acknowledged++;
        }
      }
      assertThat(parts.size() - acknowledged - lost)
          .as("in transit after %d breaks", breaks)
          .isEqualTo(PIECES_PER_WINDOW);
    }
  }

  @Test
  void aSlowNodeHasFewWindowsInTransit() {
    send(PEER, 1, 10_000);
    for (int i = 1; i <= 100; i++) {
      nanos.addAndGet(OutboundFragments.QUIET.toNanos() * 11 / 10);
      outbox.tick(List.of(PEER));
      acknowledge(PEER, 1);
      assertThat(parts.size() - i)
          .as("in transit after %d acknowledgements", i)
          .isLessThanOrEqualTo(
              (OutboundFragments.MAX_LOST_BYTES + OutboundFragments.WINDOW_BYTES)
                  / Fragment.MAX_BYTES);
    }
    assertThat(done).isEmpty();
    assertThat(parts).as("it continues").hasSizeGreaterThan(100);
  }
}
