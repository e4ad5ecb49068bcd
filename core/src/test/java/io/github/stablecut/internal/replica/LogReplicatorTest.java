package io.github.stablecut.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.LogSpace;
import java.lang.reflect.Proxy;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The groups that a leader sends to others, and their rate. */
final class LogReplicatorTest {
  private static final long SECOND = 1_000_000_000;
  private static final Configuration LAYOUT = Configuration.first(List.of("a", "b")).ledBy("a");
  private static final long RECORDS = 40;

  /** The messages in flight to b. */
  private final Deque<ReplicaMessage.Group> underWay = new ArrayDeque<>();

  /** The first numbers of the groups with records that have arrived at b. */
  private final List<Long> taken = new ArrayList<>();

  private final SimulatedLog log = new SimulatedLog();
  private LogSpace room = LogSpace.ENOUGH;
  private boolean isSending;
  private int confirms;

  private ReplicaHost host() {
    return (ReplicaHost)
        Proxy.newProxyInstance(
            ReplicaHost.class.getClassLoader(),
            new Class<?>[] {ReplicaHost.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isSending")) {
                return isSending;
              }
              if (arguments[1] instanceof ReplicaMessage.Group group) {
                underWay.add(group);
              }
              if (arguments[1] instanceof ReplicaMessage.ReadIndexRequest) {
                confirms++;
              }
              return null;
            });
  }

  /**
   * A replicator whose log has many groups of an earlier epoch, of two records each, all of which b
   * lacks.
   */
  private LogReplicator replicator() {
    for (int i = 0; i < RECORDS; i++) {
      log.append(List.of(new LogRecord((byte) 1, new byte[0])));
    }
    LogReplicator replicator = new LogReplicator("a", LAYOUT, log, host(), 1, 0);
    replicator.resumeAfterMismatch(
        "b", new ReplicaMessage.LogMismatch(LAYOUT.epoch(), 1, new SimulatedLog().epochs()));
    assertThat(underWay).hasSize(1);
    return replicator;
  }

  /** The oldest group arrives at b, which has all records before it, and acknowledges it. */
  private void arrive(LogReplicator replicator) {
    ReplicaMessage.Group group = underWay.remove();
    boolean isTaken = room != LogSpace.NONE || group.records().isEmpty();
    long next = isTaken ? group.first() + group.records().size() : group.first();
    if (!group.records().isEmpty()) {
      taken.add(group.first());
    }
    replicator.acknowledged(
        "b",
        new ReplicaMessage.Acknowledged(
            LAYOUT.epoch(), next, group.recordsEpoch() == LAYOUT.epoch(), room));
  }

  @Test
  void sendsOneGroupAfterTheOtherThoughOneWasRepeated() {
    LogReplicator replicator = replicator();
    replicator.tick(2 * SECOND);
    assertThat(underWay).hasSize(2);

    while (!underWay.isEmpty()) {
      arrive(replicator);
      assertThat(underWay).hasSizeLessThan(3);
    }

    assertThat(taken.stream().distinct()).hasSize((int) RECORDS / 2);
    assertThat(taken).hasSize((int) RECORDS / 2 + 1);
  }

  /** The limit at the update counts effects and ids alone. */
  @Test
  void anUpdateOfTheMaximumSizeFitsIntoARecord() {
    assertThat(replicator().largestRecord() - LogReplicator.MAX_TRANSACTION_BYTES)
        .isGreaterThanOrEqualTo(1 << 16);
  }

  @Test
  void resendsLostGroups() {
    LogReplicator replicator = replicator();
    underWay.clear();
    for (long now = 2; replicator.followers().get(0).behind() > 0; now += 2) {
      replicator.tick(now * SECOND);
      arrive(replicator);
      underWay.clear();
    }

    assertThat(taken).hasSize((int) RECORDS / 2);
  }

  @Test
  void doesNotRereadGroupsTheNetworkHasNotTaken() {
    LogReplicator replicator = replicator();
    isSending = true;
    replicator.tick(2 * SECOND);
    assertThat(underWay).hasSize(1);
    assertThat(confirms).as("b hears of the leader").isOne();

    isSending = false;
    replicator.tick(3 * SECOND);

    assertThat(underWay).hasSize(2);
  }

  @Test
  void soonResendsGroupsThatTheReceiverHadNoMemoryFor() {
    LogReplicator replicator = replicator();
    ReplicaMessage.Group refused = underWay.remove();
    replicator.tick(SECOND / 4);
    assertThat(underWay).isEmpty();

    replicator.messageDropped("b");
    assertThat(underWay).isEmpty();
    replicator.tick(SECOND / 2);

    assertThat(underWay).containsExactly(refused);
  }

  @Test
  void soonAsksAReplicaWithoutRoomWhetherItHasSome() {
    LogReplicator replicator = replicator();
    room = LogSpace.NONE;
    arrive(replicator);
    assertThat(underWay).isEmpty();

    room = LogSpace.ENOUGH;
    replicator.tick(SECOND / 4);
    arrive(replicator);

    assertThat(underWay).isNotEmpty();
  }

  private static ReplicaMessage.Acknowledged all(LogSpace room) {
    return new ReplicaMessage.Acknowledged(LAYOUT.epoch(), 1, true, room);
  }

  /** Another voter that has room may be removed for it. */
  @Test
  void aLearnerWithoutRoomDoesNotBecomeAVoter() {
    LogReplicator replicator = new LogReplicator("a", LAYOUT, log, host(), 1, 0);
    replicator.addLearner("c");
    replicator.tick(0);
    for (LogSpace little : List.of(LogSpace.NONE, LogSpace.LITTLE)) {
      replicator.acknowledged("c", all(little));
      assertThat(replicator.readyLearners()).as("%s", little).isEmpty();
    }

    replicator.acknowledged("c", all(LogSpace.ENOUGH));

    assertThat(replicator.readyLearners()).containsExactly("c");
  }

  /** A leader refuses commits if no majority has more room than that. */
  @Test
  void aVoterWithLittleRoomDoesNotLetAnotherOneGo() {
    LogReplicator replicator = new LogReplicator("a", LAYOUT, log, host(), 1, 0);
    replicator.tick(0);
    replicator.acknowledged("b", all(LogSpace.LITTLE));
    assertThat(replicator.isUpToDate("b")).isFalse();
    assertThat(replicator.hasCommitted("b")).isTrue();

    replicator.acknowledged("b", all(LogSpace.ENOUGH));

    assertThat(replicator.isUpToDate("b")).isTrue();
  }

  @Test
  void readsALargeGroupFromTheLogOnceItIsThere() {
    LogReplicator replicator = new LogReplicator("a", LAYOUT, log, host(), 1, 0);
    byte[] body = new byte[1 << 20];
    replicator.send(log.next(), List.of(new PendingRecord((byte) 1, body, body.length)));
    LogRecord sent = underWay.remove().records().get(0);
    log.append(List.of(new LogRecord((byte) 1, body)));
    replicator.tick(2 * SECOND);
    assertThat(underWay.remove().records()).containsExactly(sent);

    // Only the journal hears of it at first.
    replicator.countAcknowledgement(
        "b", new ReplicaMessage.Acknowledged(LAYOUT.epoch(), log.next(), true, LogSpace.ENOUGH));
    replicator.await(log.next());
    replicator.tick(4 * SECOND);

    assertThat(underWay.remove().records().get(0).body()).isSameAs(body);
  }

  @Test
  void withoutMemoryForAGroupDoesNotSendThePreviousOneUnderItsNumbers() {
    LogReplicator replicator = new LogReplicator("a", LAYOUT, log, host(), 1, 0);
    acknowledge(replicator, 1);
    replicator.send(1, List.of(new PendingRecord((byte) 1, new byte[] {42}, 1)));
    log.append(List.of(new LogRecord((byte) 1, new byte[] {42})));
    acknowledge(replicator, 2);
    replicator.await(2);
    underWay.clear();
    List<PendingRecord> tooLarge =
        new AbstractList<>() {
          @Override
          public PendingRecord get(int index) {
            throw new OutOfMemoryError("for a test");
          }

          @Override
          public int size() {
            return 1;
          }
        };

    assertThatThrownBy(() -> replicator.send(2, tooLarge)).isInstanceOf(OutOfMemoryError.class);

    acknowledge(replicator, 2);
    assertThat(underWay).isEmpty();
  }

  private void acknowledge(LogReplicator replicator, long next) {
    replicator.acknowledged("b", new ReplicaMessage.Acknowledged(LAYOUT.epoch(), next, true, room));
  }
}
