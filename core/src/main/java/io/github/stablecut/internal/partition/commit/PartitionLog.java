package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.internal.truncation.MultiTypeNote;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * The open files of a partition: its checkpoints, its journal, and the state to which the journal's
 * records are applied. A process that commits to the partition applies all records when it opens
 * the log. A follower applies them as they become committed.
 *
 * <p>Confined to one thread, until a partition is made of it.
 */
public final class PartitionLog {
  private static final Logger LOG = Log.of(PartitionLog.class);

  private final PartitionOptions options;
  private final CheckpointStore checkpoints;
  private final PartitionState state;
  private final Journal journal;
  private final VersionCache cache;
  private final Materializer versions;
  private volatile GroupListener listener = GroupListener.NOBODY;

  /** The records below it are applied. */
  private long applied;

  private boolean isStarted;
  private boolean isTailDropped;

  /** Forwards the journal's events. */
  private final class JournalListener implements GroupListener {
    private final Runnable tailDropped;

    JournalListener(Runnable tailDropped) {
      this.tailDropped = tailDropped;
    }

    @Override
    public void tailDropped() {
      isTailDropped = true;
      tailDropped.run();
    }

    @Override
    public void durable(List<PendingRecord> group) {
      listener.durable(group);
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      listener.failed(group, failure);
    }
  }

  /**
   * Opens the files and applies all records.
   *
   * @param journalFiles closed with the journal, and if this throws
   */
  public static PartitionLog open(
      PartitionOptions options, SegmentStore journalFiles, Directory checkpointFiles) {
    return open(options, journalFiles, checkpointFiles, true, () -> {});
  }

  /**
   * Like {@link #open}, but applies no records, as it is unknown which are committed.
   *
   * @param tailDropped as {@link GroupListener#tailDropped}
   */
  public static PartitionLog follow(
      PartitionOptions options,
      SegmentStore journalFiles,
      Directory checkpointFiles,
      Runnable tailDropped) {
    PartitionLog opened = open(options, journalFiles, checkpointFiles, false, tailDropped);
    try {
      opened.start();
      return opened;
    } catch (RuntimeException | Error e) {
      Closeables.after(e, opened::close);
      throw e;
    }
  }

  private static PartitionLog open(
      PartitionOptions options,
      SegmentStore journalFiles,
      Directory checkpointFiles,
      boolean appliesAll,
      Runnable tailDropped) {
    CheckpointStore checkpoints;
    try {
      checkpoints = openCheckpoints(options, journalFiles, checkpointFiles);
    } catch (RuntimeException | Error e) {
      Closeables.after(e, journalFiles);
      throw e;
    }
    try {
      return new PartitionLog(options, journalFiles, checkpoints, appliesAll, tailDropped);
    } catch (RuntimeException | Error e) {
      Closeables.after(e, checkpoints);
      throw e;
    }
  }

  private static CheckpointStore openCheckpoints(
      PartitionOptions options, SegmentStore journalFiles, Directory checkpointFiles) {
    List<Integer> present = journalFiles.segments();
    try {
      return CheckpointStore.open(
          checkpointFiles, options.checkpoints().options(), present.isEmpty() ? 1 : present.get(0));
    } catch (IOException e) {
      throw new StoreIoException(
          "the checkpoints can't be read: %s; remove the cause, and open the store again"
              .formatted(IoReason.of(e)),
          e);
    }
  }

  @SuppressWarnings("this-escape") // the listener is called only after records are appended
  private PartitionLog(
      PartitionOptions options,
      SegmentStore journalFiles,
      CheckpointStore checkpoints,
      boolean appliesAll,
      Runnable tailDropped) {
    this.options = options;
    this.checkpoints = checkpoints;
    this.state = newState(options, checkpoints.status().manifest());
    this.journal =
        Journal.open(
            journalFiles,
            options.journal().options(),
            new JournalListener(tailDropped),
            record -> {
              if (appliesAll) {
                state.apply(record);
              }
            });
    this.cache =
        VersionCache.of(options.memory().cache(), options.memory().maxCacheBytes(), state.index());
    this.versions =
        new Materializer(
            state.index(),
            cache,
            checkpoints,
            new PagedStates(options.memory().pageBytes()),
            journal);
    this.applied = appliesAll ? journal.nextRecord() : journal.firstRecord();
  }

  private static PartitionState newState(PartitionOptions options, Manifest manifest) {
    ObjectIndex index = new ObjectIndex(options.memory().index().isEnabled());
    // The files have everything up to this vector, for every readable snapshot.
    index.beginAfter(manifest.lowWatermark().join(manifest.historyTime()));
    return new PartitionState(
        options.local(),
        index,
        new SessionTable(
            options.sessions().lifetime(),
            SessionTable.Limits.of(
                options.memory().partitions(),
                options.sessions().all(),
                options.sessions().perClient())),
        manifest.checkpointTime(),
        options.foldAfter());
  }

  /** Makes the checkpoints writable, after the partition was checked. Idempotent. */
  public void start() {
    if (isStarted) {
      return;
    }
    checkpoints.start(change -> {});
    checkpoints
        .status()
        .problems()
        .forEach(
            problem ->
                LOG.warn(
                    "partition {}: ignored a problem, nothing is lost: {}",
                    options.number(),
                    problem));
    try (CheckpointView view = checkpoints.view()) {
      MultiTypeNote.decode(view.notes()).forEach(state.index()::noteSeveralTypes);
    }
    isStarted = true;
  }

  public CheckpointStore checkpoints() {
    return checkpoints;
  }

  public PartitionState state() {
    return state;
  }

  public Journal journal() {
    return journal;
  }

  public VersionCache cache() {
    return cache;
  }

  public Materializer versions() {
    return versions;
  }

  /** Sets the listener for durable groups. */
  public void setListener(GroupListener newListener) {
    listener = newListener;
  }

  /**
   * Applies the committed records below a number, for a limited time so that the caller can handle
   * other events.
   *
   * @param nanoTime the monotonic clock that measures the time
   * @return whether all are applied
   */
  public boolean applyBelow(long next, long nanos, LongSupplier nanoTime) {
    if (applied >= next) {
      return true;
    }
    long beganAtNanos = nanoTime.getAsLong();
    journal.scanNumbers(
        applied,
        (number, record) -> {
          state.apply(record);
          state.segments().known(Position.segment(record.position()));
          applied = number + 1;
          return applied < next && nanoTime.getAsLong() - beganAtNanos < nanos;
        });
    return applied >= next;
  }

  /** The records below it are applied. */
  public long applied() {
    return applied;
  }

  /** Whether the opening may have dropped acknowledged records. */
  public boolean isTailDropped() {
    return isTailDropped;
  }

  /** Closes the files. */
  public void close() {
    try {
      journal.close();
    } finally {
      checkpoints.close();
    }
  }
}
