package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each message to a replica eventually gets memory, and all of them take bounded memory. */
class ReplicaFragmentsTest {
  private static final int LIMIT = 200_000;
  private static final int SMALL = 1_000;

  private static final NodeRef NODE =
      new NodeRef() {
        @Override
        public void tell(NodeMessage message) {
          throw new AssertionError(message);
        }

        @Override
        public Optional<String> address() {
          return Optional.empty();
        }
      };

  private final AtomicLong nanos = new AtomicLong();
  private final TrafficBudget budget = new TrafficBudget("messages of a test", LIMIT, 0, SMALL);
  private final ReplicaFragments fragments = new ReplicaFragments(nanos::get, budget);
  private final Fragment one = new Fragment(0, Bytes.wrap(new byte[Fragment.MAX_BYTES]));
  private final Fragment small = new Fragment(0, Bytes.wrap(new byte[SMALL]));

  /** The memory of messages that replicas have not handled yet. */
  private TrafficBudget.Reservation others;

  @BeforeEach
  void fill() {
    others = budget.take(LIMIT);
  }

  private static ReplicaFragments.Source source(int partition) {
    return new ReplicaFragments.Source(NODE, partition);
  }

  private Optional<TrafficBudget.Reservation> single(int partition) {
    return fragments
        .single(source(partition), one)
        .map(InboundFragments.CompleteMessage::reservation);
  }

  /** Reassembles a message whose number is its partition; empty if it is dropped. */
  private Optional<InboundFragments.CompleteMessage> message(int partition, int parts) {
    InboundFragments.Id id = new InboundFragments.Id(NODE, partition);
    Bytes all = Bytes.wrap(new byte[parts * Fragment.MAX_BYTES]);
    for (int part = 0; part < parts - 1; part++) {
      Fragment piece = Fragment.of(all, part * Fragment.MAX_BYTES);
      if (!fragments.keep(id, source(partition), piece)) {
        return Optional.empty();
      }
      assertThat(fragments.has(id)).isTrue();
    }
    Fragment last = Fragment.of(all, (parts - 1) * Fragment.MAX_BYTES);
    return fragments.finish(id, source(partition), last);
  }

  @Test
  void aMessageLargerThanTheBudgetPassesDespiteOtherMessages() {
    assertThat(message(1, 5)).isEmpty();

    InboundFragments.CompleteMessage whole = message(1, 5).orElseThrow();

    assertThat(whole.bytes().length()).isGreaterThan(LIMIT);
    whole.reservation().close();
    assertThat(budget.taken()).isEqualTo(LIMIT);
  }

  @Test
  void servesRefusedSendersInOrderOneAtATime() {
    assertThat(single(1)).isEmpty();
    assertThat(message(2, 3)).isEmpty();
    assertThat(single(3)).isEmpty();

    assertThat(single(3)).as("it is not next").isEmpty();
    TrafficBudget.Reservation first = single(1).orElseThrow();
    assertThat(message(2, 3)).as("the first is still there").isEmpty();
    first.close();
    TrafficBudget.Reservation second = message(2, 3).orElseThrow().reservation();
    assertThat(single(3)).as("the second is still there").isEmpty();
    second.close();

    assertThat(single(3)).isPresent();
  }

  @Test
  void waitsForAnUnfinishedMessageUntilItExpires() {
    assertThat(single(1)).isEmpty();
    assertThat(single(2)).isEmpty();
    InboundFragments.Id id = new InboundFragments.Id(NODE, 1);
    assertThat(fragments.keep(id, source(1), one)).isTrue();
    assertThat(single(2)).isEmpty();

    nanos.addAndGet(ReplicaFragments.PATIENCE.toNanos());

    assertThat(single(2)).as("its turn has expired").isEmpty();
    assertThat(single(2)).isPresent();
    assertThat(fragments.has(id)).isFalse();
  }

  @Test
  void aSenderThatDoesNotRetryLosesItsTurn() {
    assertThat(single(1)).isEmpty();
    nanos.addAndGet(1);
    assertThat(single(2)).isEmpty();
    assertThat(single(2)).isEmpty();

    nanos.addAndGet(ReplicaFragments.TURN.toNanos() - 1);

    assertThat(single(2)).isPresent();
    assertThat(single(1)).isEmpty();
  }

  @Test
  void messagesThatFindMemoryNeedNoTurn() {
    assertThat(single(1)).isEmpty();
    assertThat(single(2)).isEmpty();
    others.resize(0);
    TrafficBudget.Reservation ordinary = single(2).orElseThrow();
    ordinary.close();
    others.resize(LIMIT);

    assertThat(single(1)).isPresent();
    assertThat(single(2)).as("it has had its turn").isEmpty();
  }

  @Test
  void smallMessagesAlwaysPassWithoutATurn() {
    assertThat(single(1)).isEmpty();

    assertThat(fragments.single(source(1), small)).isPresent();
    assertThat(fragments.single(source(2), small)).isPresent();

    assertThat(budget.taken()).isEqualTo(LIMIT);
    assertThat(single(1)).isPresent();
  }
}
