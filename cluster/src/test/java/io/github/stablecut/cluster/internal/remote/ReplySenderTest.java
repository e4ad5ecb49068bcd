package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Without memory for a reply, the sender asks the requester to retry if a retry can't execute
 * twice.
 */
class ReplySenderTest {
  private static final long LIMIT = 1 << 20;
  private static final Bytes ANSWERS = Bytes.wrap(new byte[8_192]);

  private final TrafficBudget budget = TrafficBudgets.shared("n1", LIMIT).answersOut();
  private final ReplySender sender =
      new ReplySender(
          new NodeClock(
              EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT),
          budget,
          Duration.ofMillis(1));
  private final Replies requester = new Replies();

  private Reply reply(Reply reply) {
    requester.all().clear();
    sender.send(requester, 1, reply);
    assertThat(requester.all()).hasSize(1);
    return requester.all().get(0);
  }

  @Test
  void sendsRepliesToWritesRegardlessOfMemory() {
    TrafficBudget.Reservation all = budget.take(LIMIT);
    try (all) {
      Reply written = new Reply.ConditionalOutcome(true, VectorClock.of(1), ANSWERS);
      assertThat(reply(written)).isEqualTo(written);
      assertThat(reply(new Reply.ConditionalOutcome(false, VectorClock.of(1), ANSWERS)))
          .isInstanceOf(Reply.Busy.class);
    }
    assertThat(reply(new Reply.ConditionalOutcome(false, VectorClock.of(1), ANSWERS)))
        .isInstanceOf(Reply.ConditionalOutcome.class);
    assertThat(budget.tryTake(LIMIT)).isPresent();
  }

  /** Otherwise the requester would wait until its deadline. */
  @Test
  void tellsTheRequesterIfALargeReplyIsNotSent() {
    List<Reply> small = new ArrayList<>();
    Requester broken =
        new Requester() {
          @Override
          public String name() {
            return "n2";
          }

          @Override
          public long run() {
            return 2;
          }

          @Override
          public String address() {
            return "127.0.0.1:2";
          }

          @Override
          public void reply(long number, long clock, Bytes reply, Consumer<Boolean> done) {
            boolean isSent = reply.length() <= Links.MAX_BYTES;
            if (isSent) {
              small.add(ReplyCodec.decode(reply, Long.MAX_VALUE));
            }
            done.accept(isSent);
          }

          @Override
          public void tellDriver(long driver, long clock, Bytes answer) {
            throw new AssertionError(driver);
          }
        };

    sender.send(broken, 1, new Reply.Answer(ANSWERS));
    sender.send(broken, 2, new Reply.ConditionalOutcome(true, VectorClock.of(1), ANSWERS));

    assertThat(small).hasSize(2);
    assertThat(small.get(0)).isInstanceOf(Reply.Busy.class);
    assertThat(small.get(1))
        .as("of a write")
        .isInstanceOfSatisfying(
            Reply.Failed.class,
            failed -> assertThat(failed.failure()).isInstanceOf(OutcomeUnknownException.class));
    assertThat(budget.taken()).isZero();
  }
}
