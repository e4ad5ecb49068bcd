package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Each write is executed once, and each transmission of it gets the reply. */
class ReceivedWritesTest {
  private static final Reply REPLY = new Reply.Vector(VectorClock.of(9));

  private final ReceivedWrites writes =
      new ReceivedWrites(
          new ReplySender(
              new NodeClock(
                  EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT),
              TrafficBudgets.shared("n1", 1 << 20).answersOut(),
              Duration.ofMillis(1)));
  private final Replies first = new Replies();
  private final Replies second = new Replies();

  @Test
  void aRepetitionGetsTheReplyOfTheExecution() {
    assertThat(writes.begin(first, 5)).isTrue();
    writes.end(first, 5, REPLY);
    assertThat(first.all()).containsExactly(REPLY);

    assertThat(writes.begin(second, 5)).isFalse();

    assertThat(second.all()).containsExactly(REPLY);
    assertThat(writes.begin(first, 6)).as("another write").isTrue();
  }

  @Test
  void aRepetitionDuringTheExecutionGetsItsReply() {
    assertThat(writes.begin(first, 5)).isTrue();
    assertThat(writes.begin(second, 5)).isFalse();
    assertThat(second.all()).isEmpty();

    writes.end(first, 5, REPLY);

    assertThat(first.all()).isEmpty();
    assertThat(second.all()).containsExactly(REPLY);
  }

  @Test
  void aWriteWhoseReplyIsNotAwaitedIsNotExecuted() {
    assertThat(writes.begin(first, 5)).isTrue();
    writes.end(first, 5, REPLY);

    writes.answered(first.run(), 6);

    assertThat(writes.begin(second, 4)).isFalse();
    assertThat(writes.begin(second, 5)).isFalse();
    assertThat(second.all()).hasSize(2).allSatisfy(ReceivedWritesTest::isUnknownOutcome);
    assertThat(writes.begin(second, 6)).isTrue();
    writes.answered(first.run(), 3);
    assertThat(writes.begin(second, 5)).as("an earlier announcement").isFalse();
  }

  @Test
  void eachRunHasItsOwnNumbers() {
    Requester other =
        new Requester() {
          @Override
          public String name() {
            return first.name();
          }

          @Override
          public long run() {
            return first.run() + 1;
          }

          @Override
          public String address() {
            return first.address();
          }

          @Override
          public void reply(long number, long clock, Bytes reply, Consumer<Boolean> done) {
            throw new AssertionError(number);
          }

          @Override
          public void tellDriver(long driver, long clock, Bytes answer) {
            throw new AssertionError(driver);
          }
        };
    assertThat(writes.begin(first, 5)).isTrue();
    writes.answered(first.run(), 100);

    assertThat(writes.begin(other, 5)).isTrue();
  }

  @Test
  void aLargeReplyIsNotKept() {
    assertThat(writes.begin(first, 5)).isTrue();
    writes.end(
        first,
        5,
        new Reply.ConditionalOutcome(
            true, VectorClock.of(9), Bytes.wrap(new byte[Links.MAX_BYTES + 1])));

    assertThat(writes.begin(second, 5)).isFalse();

    assertThat(second.all()).singleElement().satisfies(ReceivedWritesTest::isUnknownOutcome);
  }

  private static void isUnknownOutcome(Reply reply) {
    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Failed.class,
            failed -> assertThat(failed.failure()).isInstanceOf(OutcomeUnknownException.class));
  }

  @Test
  void aWriteThatHasChangedNothingMayBeSentAgain() {
    assertThat(writes.begin(first, 5)).isTrue();
    writes.end(
        first,
        5,
        new Reply.ConditionalOutcome(
            false, VectorClock.of(9), Bytes.wrap(new byte[Links.MAX_BYTES + 1])));

    assertThat(writes.begin(second, 5)).isFalse();

    assertThat(second.all()).containsExactly(new Reply.Stale(0));
  }

  @Test
  void theFirstReplyCounts() {
    assertThat(writes.begin(first, 5)).isTrue();
    writes.end(first, 5, REPLY);
    writes.end(first, 5, new Reply.Failed(new OutcomeUnknownException("it could not be sent")));

    assertThat(writes.begin(second, 5)).isFalse();

    assertThat(second.all()).containsExactly(REPLY);
  }

  @Test
  void theMemoryIsLimited() {
    for (long number = 1; number <= ReceivedWrites.MAX_WRITES + 1; number++) {
      assertThat(writes.begin(first, number)).isTrue();
    }

    assertThat(writes.begin(second, 1)).as("unknown, so not executed").isFalse();
    assertThat(second.all()).singleElement().satisfies(ReceivedWritesTest::isUnknownOutcome);
    writes.end(first, 2, REPLY);
    assertThat(writes.begin(second, 2)).isFalse();
    assertThat(second.all()).last().isEqualTo(REPLY);
  }
}
