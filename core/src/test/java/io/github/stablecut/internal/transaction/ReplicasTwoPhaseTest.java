package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.transaction.routing.CommitDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Transactions of two partitions with three replicas each: in each step of the two phases, the
 * leader of one of the partitions is cut off, before or after the message of that step, and another
 * replica takes over.
 */
final class ReplicasTwoPhaseTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final List<PartitionGroup> partitions =
      List.of(new PartitionGroup(0), new PartitionGroup(1));
  private final ExecutorService network = Executors.newSingleThreadExecutor();

  /** The handling of the transaction's next messages. */
  private final AtomicReference<Fault> fault = new AtomicReference<>(Fault.NONE);

  private long attempts;

  /**
   * Cuts off a leader when a message is first in flight.
   *
   * @param kind of the message; empty for none
   * @param isBefore whether the message arrives after the cut
   * @param isSender whether it is the leader of the coordinator, which sends the message or causes
   *     it; otherwise that of the addressed partition
   */
  private record Fault(
      Optional<Class<? extends Message>> kind, boolean isBefore, boolean isSender) {
    static final Fault NONE = new Fault(Optional.empty(), false, false);

    boolean isOf(Message message) {
      return kind.filter(one -> one.isInstance(message)).isPresent();
    }
  }

  private final class PartitionGroup extends ThreeReplicas {
    private final int number;

    PartitionGroup(int number) {
      this.number = number;
    }

    @Override
    int number() {
      return number;
    }

    @Override
    void sendToPartition(Node from, int to, Message.ToPartition message) {
      if (!cutOff.contains(from.name)) {
        send(to, message);
      }
    }

    /** A deposed leader may not know it yet. */
    private Optional<Node> newestLeader() {
      return nodes.values().stream()
          .filter(node -> node.leading != null && !cutOff.contains(node.name))
          .max(Comparator.comparingLong(node -> node.replica.status().configuration().epoch()));
    }

    Optional<Partition> leading() {
      return newestLeader().flatMap(node -> Optional.ofNullable(node.leading));
    }

    @CanIgnoreReturnValue
    Partition awaitLeading() {
      ThreeReplicas.until("a replica leads", () -> leading().isPresent());
      return leading().orElseGet(this::awaitLeading);
    }

    void cutOffLeader() {
      newestLeader().ifPresent(node -> cutOff.add(node.name));
    }
  }

  private void send(int to, Message.ToPartition message) {
    network.execute(() -> deliver(to, message));
  }

  private void deliver(int to, Message.ToPartition message) {
    Fault next = Objects.requireNonNull(fault.get());
    boolean isTime = next.isOf(message) && fault.compareAndSet(next, Fault.NONE);
    PartitionGroup cut = partitions.get(next.isSender ? 1 - to : to);
    if (isTime && next.isBefore) {
      cut.cutOffLeader();
    }
    partitions.get(to).leading().ifPresent(leading -> leading.receive(message));
    if (isTime && !next.isBefore) {
      cut.cutOffLeader();
    }
  }

  @AfterEach
  void close() {
    partitions.forEach(ThreeReplicas::close);
    network.shutdownNow();
  }

  /** Increments both objects in one transaction; returns whether it was acknowledged. */
  private boolean incrementBoth() {
    VectorClock snapshot = VectorClock.ZERO;
    for (PartitionGroup one : partitions) {
      snapshot = snapshot.join(one.awaitLeading().stable());
    }
    CommitDriver driver =
        new CommitDriver(
            this::send,
            Map.of(
                0, ThreeReplicas.incrementing(snapshot), 1, ThreeReplicas.incrementing(snapshot)),
            ++attempts,
            Optional.empty(),
            System::nanoTime,
            TIMEOUT.toNanos());
    CompletableFuture<Long> outcome = driver.start();
    ThreeReplicas.until(
        "the transaction has an outcome",
        () -> {
          driver.tick(System.nanoTime());
          tick();
          return outcome.isDone();
        });
    return !outcome.isCompletedExceptionally();
  }

  private void tick() {
    partitions.forEach(one -> one.leading().ifPresent(Partition::tick));
  }

  /** Waits until another replica leads where one was cut off, and reconnects that one. */
  private void failOver() {
    ThreeReplicas.until(
        "the message was sent",
        () -> {
          tick();
          return Fault.NONE.equals(fault.get());
        });
    for (PartitionGroup one : partitions) {
      one.awaitLeading();
      one.cutOff.clear();
    }
  }

  private void untilNothingIsInDoubt() {
    ThreeReplicas.until(
        "nothing is in doubt",
        () -> {
          tick();
          return partitions.stream().allMatch(one -> one.awaitLeading().inDoubt().isEmpty());
        });
  }

  private long value(int partition) {
    while (true) {
      Partition leading = partitions.get(partition).awaitLeading();
      try {
        return ThreeReplicas.value(leading);
      } catch (StablecutException e) {
        // It has learned that it no longer leads.
        tick();
      }
    }
  }

  private static List<Fault> faults() {
    List<Fault> all = new ArrayList<>();
    for (boolean isBefore : List.of(true, false)) {
      for (Class<? extends Message> kind :
          List.<Class<? extends Message>>of(
              Message.Open.class,
              Message.Prepare.class,
              Message.Decide.class,
              Message.Commit.class,
              Message.Acknowledge.class)) {
        all.add(new Fault(Optional.of(kind), isBefore, false));
      }
      all.add(new Fault(Optional.of(Message.Prepare.class), isBefore, true));
      all.add(new Fault(Optional.of(Message.Commit.class), isBefore, true));
    }
    return all;
  }

  @Test
  void bothPartsExistOrNoneWhicheverLeaderIsCutOffInWhicheverStep() {
    partitions.forEach(ThreeReplicas::startAll);
    long acknowledged = 0;
    long attempted = 0;
    for (Fault next : faults()) {
      fault.set(next);

      attempted++;
      acknowledged += incrementBoth() ? 1 : 0;
      failOver();
      untilNothingIsInDoubt();

      assertThat(value(0)).as("after %s", next).isEqualTo(value(1));
      assertThat(value(0)).as("after %s", next).isBetween(acknowledged, attempted);
    }
    assertThat(acknowledged).isPositive();
  }
}
