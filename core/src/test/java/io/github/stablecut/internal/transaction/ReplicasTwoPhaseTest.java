package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
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
 * Transactions of two partitions with three copies each: in each step of the two phases, whoever
 * leads one of the partitions is cut off, before or behind the message of that step, and another
 * copy takes over.
 */
final class ReplicasTwoPhaseTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final List<Copies> partitions = List.of(new Copies(0), new Copies(1));
  private final ExecutorService network = Executors.newSingleThreadExecutor();

  /** What is done with the next messages of the transaction. */
  private final AtomicReference<Fault> fault = new AtomicReference<>(Fault.NONE);

  private long attempts;

  /**
   * A leader that is cut off when a message is on its way for the first time.
   *
   * @param kind of the message; empty for none
   * @param isBefore whether it comes too late
   * @param isSender whether it is the coordinator's, which sends it or has it sent; otherwise that
   *     of the partition that it is for
   */
  private record Fault(
      Optional<Class<? extends Message>> kind, boolean isBefore, boolean isSender) {
    static final Fault NONE = new Fault(Optional.empty(), false, false);

    boolean isOf(Message message) {
      return kind.filter(one -> one.isInstance(message)).isPresent();
    }
  }

  private final class Copies extends ThreeReplicas {
    private final int number;

    Copies(int number) {
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

    /** One that was deposed may not know it yet. */
    private Optional<Node> newestLeader() {
      return nodes.values().stream()
          .filter(node -> node.leading != null && !cutOff.contains(node.name))
          .max(Comparator.comparingLong(node -> node.replica.status().configuration().epoch()));
    }

    Optional<Partition> leading() {
      return newestLeader().flatMap(node -> Optional.ofNullable(node.leading));
    }

    Partition awaitLeading() {
      ThreeReplicas.until("somebody leads", () -> leading().isPresent());
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
    Copies cut = partitions.get(next.isSender ? 1 - to : to);
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

  /** Counts both objects up in one transaction; whether that was acknowledged. */
  private boolean incrementBoth() {
    VectorClock snapshot = VectorClock.ZERO;
    for (Copies one : partitions) {
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

  /** Another copy leads where one was cut off, which comes back then. */
  private void failOver() {
    ThreeReplicas.until(
        "the message was sent",
        () -> {
          tick();
          return Fault.NONE.equals(fault.get());
        });
    for (Copies one : partitions) {
      var unused = one.awaitLeading();
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
        // It has learned that it does not lead any more.
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
  void bothPartsAreThereOrNoneWhoeverIsCutOffInWhicheverStep() {
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
