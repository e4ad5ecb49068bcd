package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.TestWrites;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commits of a partition that need no waiting, and those that would. */
class CommitAtOnceTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withLimits(LossyDisk.LIMITS).withExecutor(Runnable::run);

  private static final TransactionId ID = new TransactionId(0, 1, 1);

  private final LossyDisk disk = LossyDisk.empty();
  private final Partition partition =
      Partition.open(
          PartitionSettings.of(OPTIONS, LocalDataCentre.FIRST, 1),
          PartitionContext.builder(
                  1,
                  PartitionSettings.clock(OPTIONS),
                  new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
                  (to, message) -> {})
              .build(),
          disk.journal(),
          disk.checkpoints());

  /** Completes stages. */
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  @AfterEach
  void close() {
    partition.close();
  }

  private static RegisterKey<Bytes> key(String name) {
    return Key.register("b", name, Codec.bytes());
  }

  private TransactionPart part(String name, int bytes, Set<Bytes> certified) {
    return TransactionPart.of(
        TestWrites.part(
            key(name).assign(Bytes.wrap(new byte[bytes])), partition.stable(), certified),
        certified.isEmpty()
            ? TransactionMetadata.none()
            : TransactionMetadata.participant(ID, List.copyOf(certified)));
  }

  private CommitRequest request(String name, int bytes) {
    return part(name, bytes, Set.of()).toRequest();
  }

  private void commit(String name) {
    partition.commitAsync(request(name, 10), Runnable::run);
    partition.flushGroup();
  }

  private Optional<CompletionStage<VectorClock>> atOnce(String name, int bytes) {
    return partition.commitAtOnce(request(name, bytes), tasks::add);
  }

  private long records() {
    return partition.journalStatus().records();
  }

  @Test
  void isVisibleOnceDurableAndNotifiesOnRequest() {
    commit("a");
    VectorClock before = partition.stable();

    CompletionStage<VectorClock> committed = atOnce("a", 10).orElseThrow();

    assertThat(partition.stable()).isEqualTo(before);
    partition.flushGroup();
    assertThat(committed.toCompletableFuture()).isNotDone();
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
    VectorClock commitVector = committed.toCompletableFuture().join();
    assertThat(commitVector.isAtOrBefore(partition.stable())).isTrue();
    assertThat(commitVector.isAtOrBefore(before)).isFalse();
  }

  /** Its type may have to be looked up in a checkpoint. */
  @Test
  void refusesAnObjectThatIsNotInMemory() {
    long before = records();

    assertThat(atOnce("a", 10)).isEmpty();

    partition.flushGroup();
    assertThat(records()).isEqualTo(before);
    assertThat(tasks).isEmpty();
  }

  @Test
  void refusesWhileTooMuchIsInFlightToTheJournal() {
    commit("a");
    int committed = 0;
    while (committed < 1_000 && atOnce("a", 1_000_000).isPresent()) {
      committed++;
    }

    assertThat(committed).isBetween(1, 999);
    partition.flushGroup();
    assertThat(tasks).hasSize(committed);
    assertThat(atOnce("a", 10)).isPresent();
  }

  @Test
  void refusesWhileAPreparedTransactionHasCertifiedTheObject() {
    commit("a");
    commit("b");
    partition.receive(
        new Message.Prepare(Message.Driver.GONE, part("b", 10, Set.of(key("a").id()))));
    partition.flushGroup();
    long before = records();

    assertThat(atOnce("a", 10)).isEmpty();

    partition.flushGroup();
    assertThat(records()).isEqualTo(before);
    partition.receive(new Message.Abort(ID));
    partition.flushGroup();
    assertThat(atOnce("a", 10)).isPresent();
  }
}
