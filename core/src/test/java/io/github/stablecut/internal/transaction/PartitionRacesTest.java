package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Races;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Protocol 1.6 and 4.5: a reader of a partition during concurrent changes. */
final class PartitionRacesTest {
  private static final int TIMES = 500;

  /**
   * A reader that examined the checkpoints before the effects would show about once in that many
   * runs.
   */
  private static final int MANY_TIMES = 20_000;

  private static final int READERS = 8;
  private static final CounterKey COUNTER = Key.counter("b", "k");
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final TransactionId ID = new TransactionId(0, 1, 1);
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withClock(() -> NOON)
          .withLimits(LossyDisk.LIMITS)
          .withExecutor(Runnable::run)
          .withCache(CacheOptions.off())
          .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));

  /** A partition with a thread that reads at the present. */
  private abstract static class Reading implements Races.Race, Message.Driver {
    final LossyDisk disk = LossyDisk.empty();
    final Partition partition =
        Partition.open(
            PartitionSettings.of(OPTIONS, LocalDataCentre.FIRST, 1),
            PartitionContext.builder(
                    1,
                    PartitionSettings.clock(OPTIONS),
                    new ActiveSnapshots(() -> 0, Long.MAX_VALUE),
                    (to, message) -> {})
                .build(),
            disk.journal(),
            disk.checkpoints());

    VectorClock snapshot = VectorClock.ZERO;

    /** The value read; below 0 if none was. */
    long read = -1;

    final CompletableFuture<Long> prepared = new CompletableFuture<>();

    Reading() {
      partition.start();
    }

    @Override
    public void first() {
      snapshot = partition.now();
      read = value(snapshot);
    }

    final long value(VectorClock at) {
      Optional<Version> version = partition.versionAt(COUNTER.id(), at);
      return version.isEmpty() ? 0 : (Long) version.get().state();
    }

    final TransactionPart increment(TransactionMetadata facts) {
      Object effect =
          CallTypes.downstream(
              COUNTER.type(),
              COUNTER.increment().operation(),
              COUNTER.type().initial(),
              new OperationContext(0, partition.stable(), new SelfDots()));
      CommitRequest.ObjectWrite write =
          new CommitRequest.ObjectWrite(
              COUNTER.id(),
              COUNTER.type(),
              List.of(effect),
              List.of(CallTypes.encodeEffect(COUNTER.type(), effect)));
      return TransactionPart.of(
          new CommitRequest.Part(0, partition.stable(), VectorClock.ZERO, List.of(write), Set.of()),
          facts);
    }

    final void commit() {
      partition.commit(increment(TransactionMetadata.none()).toRequest());
    }

    @Override
    public long number() {
      return 1;
    }

    @Override
    public void tell(Message.ToDriver answer) {
      prepared.complete(((Message.Prepared) answer).time());
    }

    @Override
    public void close() {
      partition.close();
    }

    /** The same read returns the same value at the end. */
    @Override
    public boolean isRight() {
      return read < 0 || read == value(snapshot);
    }

    @Override
    public String toString() {
      return "%s at %s, and later %s".formatted(read, snapshot, value(partition.stable()));
    }
  }

  @Test
  void aConcurrentCommitIsNotInAReadSnapshot() throws Exception {
    Races.manyTimes(
        TIMES,
        () ->
            new Reading() {
              @Override
              public void second() {
                commit();
              }
            });
  }

  /** A version is complete only where nothing is prepared. */
  @Test
  void aConcurrentPrepareIsNotInAReadSnapshot() throws Exception {
    Races.manyTimes(
        TIMES,
        () ->
            new Reading() {
              @Override
              public void second() {
                partition.receive(
                    new Message.Prepare(
                        this, increment(TransactionMetadata.participant(ID, List.of()))));
                partition.receive(new Message.Commit(ID, prepared.join()));
              }
            });
  }

  /**
   * Of three commits, the first is in a checkpoint, and retained history starts with the second.
   */
  private abstract static class ReadingThePast extends Reading {
    final VectorClock past;

    ReadingThePast() {
      commit();
      partition.checkpoint();
      commit();
      past = partition.stable();
      commit();
    }

    @Override
    public void first() {
      try {
        read = value(past);
      } catch (SnapshotTruncatedException e) {
        read = -1;
      }
    }

    @Override
    public boolean isRight() {
      return (read < 0 || read == 2) && value(partition.stable()) == 3;
    }
  }

  @Test
  void aReaderOfThePastIsRightOrRefusedDuringTruncation() throws Exception {
    Races.manyTimes(
        TIMES,
        () ->
            new ReadingThePast() {
              @Override
              public void second() {
                partition.checkpoint();
              }
            });
  }

  @Test
  void aReaderOfThePresentMissesNothingThatMovesToACheckpoint() throws Exception {
    Races.manyTimes(
        TIMES,
        () ->
            new ReadingThePast() {
              @Override
              public void first() {
                read = value(partition.stable()) - 1;
              }

              @Override
              public void second() {
                partition.checkpoint();
              }
            });
  }

  /**
   * Protocol 4.5: more readers than processors, so that some pause between two of their steps while
   * effects move to a checkpoint.
   */
  @Test
  void noReaderMissesEarlierCommitsDuringCheckpoints() throws Exception {
    readDuringCheckpoints(TIMES);
  }

  @Test
  @Tag("long")
  void noReaderMissesEarlierCommitsDuringManyCheckpoints() throws Exception {
    readDuringCheckpoints(MANY_TIMES);
  }

  private static void readDuringCheckpoints(int times) throws Exception {
    Present present = new Present();
    AtomicLong committed = new AtomicLong();
    AtomicBoolean isOver = new AtomicBoolean();
    List<FutureTask<Long>> readers = new ArrayList<>();
    for (int reader = 0; reader < READERS; reader++) {
      FutureTask<Long> task =
          new FutureTask<>(
              () -> {
                long missed = 0;
                while (!isOver.get()) {
                  long least = committed.get();
                  missed += present.newest() < least ? 1 : 0;
                }
                return missed;
              });
      readers.add(task);
      new Thread(task).start();
    }
    try {
      for (int time = 0; time < times; time++) {
        present.commit();
        committed.incrementAndGet();
        present.partition.checkpoint();
      }
    } finally {
      isOver.set(true);
    }
    for (FutureTask<Long> reader : readers) {
      assertThat(reader.get()).isZero();
    }
    present.close();
  }

  private static final class Present extends Reading {
    long newest() {
      while (true) {
        try {
          return value(partition.stable());
        } catch (SnapshotTruncatedException e) {
          // There is a newer one.
        }
      }
    }

    @Override
    public void second() {}
  }
}
