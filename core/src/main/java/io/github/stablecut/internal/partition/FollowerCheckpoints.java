package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.ReplicaCheckpointAgreement;
import io.github.stablecut.internal.truncation.Watermarks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a copy while it follows: those that the leader tells of in its log, each of
 * which every copy makes from what it has applied, and the truncation after them. On a thread that
 * lives as long as there is something to do. Confined to the copy's thread.
 *
 * <p>Invariant: nothing is dropped that the leader needs, so that this copy may take its place: no
 * snapshot that it can read, unless an earlier leader has said that it can't, and no record that it
 * has.
 */
final class FollowerCheckpoints implements AutoCloseable {
  /** After a failure it is tried again, in nanoseconds. */
  private static final long RETRY_NANOS = 5_000_000_000L;

  private final PartitionOptions options;
  private final PartitionLog log;
  private final ReplicaTiming clock;
  private final PartitionState state;
  private final CheckpointStore checkpoints;
  private final Horizon horizon;
  private final Maintenance maintenance;
  private @Nullable Thread worker;

  /** Whether the worker has done all that it was to do; empty while it works. */
  private volatile Optional<Boolean> outcome = Optional.empty();

  /** The checkpoint that the worker makes or has made last. */
  private volatile @Nullable CheckpointRecord making;

  private boolean isMade = true;
  private long failedAt;
  private long coveredBytes;
  private long coveredEffects;

  FollowerCheckpoints(PartitionOptions options, PartitionLog log, ReplicaTiming clock) {
    this.clock = clock;
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

  /** The oldest snapshot that can be read here. */
  Horizon horizon() {
    return horizon;
  }

  private Maintenance maintenance() {
    return Maintenance.of(
        new Maintenance.Parts(
            state.index(), log.versions(), checkpoints, log.journal(), state.segments(), horizon),
        new Maintenance.Times(
            () -> making().at(),
            at -> making().last(),
            UnaryOperator.identity(),
            this::clockCeiling,
            this::watermarks,
            InstantSource.system()),
        new Maintenance.Needs(this::oldestNeeded, low -> {}, limit -> limit.meet(making().low())),
        ReplicaCheckpointAgreement.ledBy(
            () -> new Checkpoint(making().at(), making().frontier(), 0, making().last())),
        new Maintenance.Setup(
            options.number(),
            // How old what is dropped must be is the leader's to say.
            options.checkpoints().policy().withRetention(Duration.ZERO),
            options.waits().commit(),
            Runtime.getRuntime().maxMemory(),
            new FaultLog()));
  }

  private CheckpointRecord making() {
    CheckpointRecord told = making;
    if (told == null) {
      throw new IllegalStateException("no checkpoint was told of");
    }
    return told;
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

  /** The position of a record that the leader has still, or may have. */
  private long oldestNeeded() {
    return log.journal().positionAtOrBefore(making().oldest());
  }

  /** Some records were applied, or time has passed. */
  @SuppressWarnings("ReferenceEquality") // the same once more is another one
  void look() {
    if (outcome.isPresent()) {
      end(outcome.get());
    }
    Optional<CheckpointRecord> told = state.told();
    boolean isDue =
        told.isPresent()
            && (told.get() != making || (!isMade && clock.nanoTime() - failedAt > RETRY_NANOS));
    if (isDue && worker == null) {
      making = told.get();
      isMade = false;
      maintenance.goOn();
      coveredBytes = state.bytes();
      coveredEffects = state.effects();
      Thread next = Threads.daemon("checkpoint-" + options.number(), this::work);
      worker = next;
      next.start();
    }
  }

  private void work() {
    boolean isDone = false;
    try {
      isDone = maintenance.follow().isEmpty();
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
      failedAt = clock.nanoTime();
    }
  }

  /** Drops what it does: the copy may lead soon. */
  void abandon() {
    maintenance.abandon();
  }

  /** Drops what it does, and ends. */
  @Override
  public void close() {
    abandon();
    Thread running = worker;
    if (running != null) {
      Threads.join(running);
    }
    maintenance.close();
  }
}
