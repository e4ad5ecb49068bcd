package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.PartitionState;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.MaintenanceSetup;
import io.github.stablecut.internal.truncation.ReplicaCheckpointAgreement;
import io.github.stablecut.internal.truncation.Watermarks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a follower, and the truncation after them. The leader announces each
 * checkpoint in its log, and every replica makes it from the records that it has applied. Runs on a
 * thread that lives as long as there is work. Confined to the replica's thread.
 *
 * <p>Invariant: nothing is dropped that the leader needs, so that this replica can succeed it. It
 * keeps every snapshot that the leader can read, unless an earlier leader has dropped that one, and
 * every record that the leader has.
 */
final class FollowerCheckpoints implements AutoCloseable {
  /** Interval before a failed checkpoint is retried. */
  private static final long RETRY_NANOS = 5_000_000_000L;

  private final PartitionOptions options;
  private final PartitionLog log;
  private final ReplicaTiming clock;
  private final PartitionState state;
  private final CheckpointStore checkpoints;
  private final Horizon horizon;
  private final Maintenance maintenance;
  private final ReplicaExecution execution;

  /** Waits for the worker; null if there is none. */
  private @Nullable Runnable worker;

  /** Whether the worker succeeded; empty while it works. */
  private volatile Optional<Boolean> outcome = Optional.empty();

  /** The checkpoint that the worker is making or made last. */
  private volatile @Nullable CheckpointRecord making;

  private boolean isMade = true;
  private long failedAtNanos;
  private long coveredBytes;
  private long coveredEffects;

  FollowerCheckpoints(
      PartitionOptions options, PartitionLog log, ReplicaTiming clock, ReplicaExecution execution) {
    this.clock = clock;
    this.execution = execution;
    this.options = options;
    this.log = log;
    this.state = log.state();
    this.checkpoints = log.checkpoints();
    this.horizon =
        new Horizon(
            new ActiveSnapshots(() -> 0, Long.MAX_VALUE),
            UnaryOperator.identity(),
            UnaryOperator.identity(),
            state.prepared()::minSnapshot,
            () -> {},
            checkpoints.status().manifest().lowWatermark());
    this.maintenance = maintenance();
  }

  /** The horizon of reads from this replica. */
  Horizon horizon() {
    return horizon;
  }

  private Maintenance maintenance() {
    return Maintenance.of(
        new MaintenanceSetup(
            new MaintenanceSetup.Components(
                state.index(),
                log.versions(),
                checkpoints,
                log.journal(),
                state.segments(),
                horizon),
            new MaintenanceSetup.Times(
                () -> making().at(),
                at -> making().last(),
                UnaryOperator.identity(),
                this::clockCeiling,
                this::watermarks,
                InstantSource.system()),
            new MaintenanceSetup.Needs(
                this::oldestNeeded, low -> {}, limit -> limit.meet(making().low())),
            new MaintenanceSetup.Settings(
                options.number(),
                // The leader enforces the retention.
                options.checkpoints().policy().withRetention(Duration.ZERO),
                options.waits().commit(),
                Runtime.getRuntime().maxMemory(),
                new FaultLog())),
        ReplicaCheckpointAgreement.ledBy(
            () -> new Checkpoint(making().at(), making().frontier(), 0, making().last())));
  }

  private CheckpointRecord making() {
    CheckpointRecord announced = making;
    if (announced == null) {
      throw new IllegalStateException("no checkpoint was announced");
    }
    return announced;
  }

  private Watermarks watermarks() {
    VectorClock at = checkpoints.status().manifest().checkpointTime().join(making().at());
    return new Watermarks(horizon.low(), at, at, at, at);
  }

  private long clockCeiling() {
    try (CheckpointView view = checkpoints.view()) {
      return Math.max(view.manifest().clockCeiling(), making().ceiling());
    }
  }

  /** The position of the oldest record that the leader may still have. */
  private long oldestNeeded() {
    return log.journal().positionAtOrBefore(making().oldest());
  }

  /**
   * Starts an announced checkpoint, or a retry. Called after records were applied or time has
   * passed.
   */
  @SuppressWarnings("ReferenceEquality") // the same once more is another one
  void look() {
    if (outcome.isPresent()) {
      end(outcome.get());
    }
    Optional<CheckpointRecord> announced = state.announced();
    boolean isDue =
        announced.isPresent()
            && (announced.get() != making
                || (!isMade && clock.nanoTime() - failedAtNanos > RETRY_NANOS));
    if (isDue && worker == null) {
      making = announced.get();
      isMade = false;
      maintenance.goOn();
      coveredBytes = state.bytes();
      coveredEffects = state.effects();
      worker = execution.start("checkpoint-" + options.number(), this::work);
    }
  }

  private void work() {
    boolean isDone = false;
    try {
      isDone = (execution.hasThreads() ? maintenance.follow() : maintenance.work()).isEmpty();
    } finally {
      outcome = Optional.of(isDone);
    }
  }

  private void end(boolean hasSucceeded) {
    outcome = Optional.empty();
    worker = null;
    isMade = hasSucceeded;
    if (hasSucceeded) {
      state.covered(coveredBytes, coveredEffects);
      state.finished().forgetThrough(state.local().timeIn(making().low()));
      long at = state.local().timeIn(making().at());
      state.sessions().dropExpired(Timestamp.epochMillis(at));
    } else {
      failedAtNanos = clock.nanoTime();
    }
  }

  /** Abandons the current work: the replica may soon lead. */
  void abandon() {
    maintenance.abandon();
  }

  /** Abandons the current work and ends. */
  @Override
  public void close() {
    abandon();
    Runnable running = worker;
    if (running != null) {
      running.run();
    }
    maintenance.close();
  }
}
