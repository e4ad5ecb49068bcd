package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.TestWrites;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A non-durable commit may be lost, so nothing that depends on it is reported. */
final class NotDurableYetTest {
  private static final Update AS_COUNTER = Key.counter("b", "k").increment();
  private static final Update AS_SET = Key.growOnlySet("b", "k", Codec.int64()).add(1L);

  private LossyDisk disk = LossyDisk.empty();

  private Partition open(boolean isIndexed) {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withIndex(isIndexed ? IndexOptions.defaults() : IndexOptions.off())
            .withTimeouts(StoreOptions.defaults().timeouts().withRead(Duration.ofMillis(1)))
            .withCheckpoints(CheckpointPolicy.byCall());
    return Partition.open(
        PartitionSettings.of(options, LocalDataCentre.FIRST, 0),
        PartitionContext.builder(
                1,
                PartitionSettings.clock(options),
                new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
                (to, message) -> {})
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private static CompletionStage<VectorClock> commit(
      Partition partition, Update update, TransactionMetadata facts) {
    CommitRequest.Part part = TestWrites.part(update, partition.stable());
    return partition.commitAsync(CommitRequest.of(part, facts), Runnable::run);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNonDurableCommitGivesAnObjectNoType(boolean isIndexed) {
    Partition partition = open(isIndexed);
    CompletionStage<VectorClock> first = commit(partition, AS_COUNTER, TransactionMetadata.none());

    assertThatThrownBy(() -> commit(partition, AS_SET, TransactionMetadata.none()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("may become a counter");

    disk = disk.afterPowerCut(new Random(1), 0);
    assertThat(first.toCompletableFuture()).isNotDone();
    Partition reopened = open(isIndexed);
    CompletionStage<VectorClock> second = commit(reopened, AS_SET, TransactionMetadata.none());
    reopened.flushGroup();
    assertThat(second.toCompletableFuture()).isCompleted();
    reopened.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anObjectHasTheTypeOfItsFirstDurableCommit(boolean isIndexed) {
    Partition partition = open(isIndexed);
    commit(partition, AS_COUNTER, TransactionMetadata.none());
    partition.flushGroup();

    assertThatThrownBy(() -> commit(partition, AS_SET, TransactionMetadata.none()))
        .isInstanceOf(TypeMismatchException.class);
    partition.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRepeatedRequestThatIsNotDurableYetIsNotReportedAsFailed(boolean isIndexed) {
    Partition partition = open(isIndexed);
    RequestId request =
        new RequestId(new SessionName(System.currentTimeMillis(), 0, 1, 0), 1, new Digest(2, 3));
    TransactionMetadata facts = TransactionMetadata.of(Optional.of(request));
    CompletionStage<VectorClock> first = commit(partition, AS_COUNTER, facts);

    assertThat(commit(partition, AS_COUNTER, facts).toCompletableFuture())
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(OutcomeUnknownException.class);

    partition.flushGroup();
    assertThat(commit(partition, AS_COUNTER, facts).toCompletableFuture().join())
        .isEqualTo(first.toCompletableFuture().join());
    partition.close();
  }
}
