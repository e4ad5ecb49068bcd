package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * The checkpoints of a replica: those that it makes while it follows ({@link FollowerCheckpoints}),
 * the one that others fetch while it leads ({@link CheckpointSource}), and the one that it fetches
 * itself ({@link CheckpointFetch}). Confined to the replica's thread.
 */
final class ReplicaCheckpoints {
  private static final Logger LOG = Log.of(PartitionReplica.class);

  /** Delay before a failed fetch is retried. */
  private static final long RETRY_NANOS = 10_000_000_000L;

  private final PartitionOptions options;
  private final ReplicaContext context;
  private final ReplicaTiming clock;
  private Optional<FollowerCheckpoints> followed = Optional.empty();
  private Optional<CheckpointSource> source = Optional.empty();
  private Optional<CheckpointFetch> fetch = Optional.empty();
  private long failedAtNanos;

  ReplicaCheckpoints(PartitionOptions options, ReplicaContext context) {
    this.options = options;
    this.context = context;
    this.clock = context.clock();
    this.failedAtNanos = clock.nanoTime() - RETRY_NANOS;
  }

  /**
   * The replica follows, with a log that was opened.
   *
   * @return the horizon of reads while it follows
   */
  Horizon follow(PartitionLog log) {
    FollowerCheckpoints next = new FollowerCheckpoints(options, log, clock, context.execution());
    followed = Optional.of(next);
    return next.horizon();
  }

  /** The replica leads: only the partition makes checkpoints. */
  void lead() {
    followed.ifPresent(FollowerCheckpoints::close);
    followed = Optional.empty();
    endFetch();
  }

  /** Ends all activity, before the log is closed. */
  void end() {
    lead();
    source.ifPresent(CheckpointSource::close);
    source = Optional.empty();
  }

  /** Ends a fetch and deletes its files. */
  private void endFetch() {
    if (fetch.isPresent()) {
      closeFetch();
      try {
        context.dropIncoming();
      } catch (StablecutException e) {
        LOG.info("files of an abandoned checkpoint fetch could not be deleted: {}", e.getMessage());
      }
    }
  }

  private void closeFetch() {
    try {
      if (fetch.isPresent()) {
        fetch.get().close();
      }
    } catch (IOException e) {
      LOG.info("a file of a checkpoint fetch could not be closed: {}", e.toString());
    }
    fetch = Optional.empty();
  }

  /**
   * Starts a due checkpoint; called after records may have been applied.
   *
   * @param isFollowing whether the replica follows; otherwise it may soon lead, and abandons its
   *     checkpoint
   */
  void look(boolean isFollowing) {
    if (isFollowing) {
      followed.ifPresent(FollowerCheckpoints::look);
    } else {
      followed.ifPresent(FollowerCheckpoints::abandon);
    }
  }

  /** Resends requests of a fetch, and releases files that no replica fetches. */
  void tick() {
    fetch.ifPresent(CheckpointFetch::tick);
    source.ifPresent(CheckpointSource::tick);
  }

  /** Starts to fetch a checkpoint from the leader of an epoch, unless a fetch is in progress. */
  void fetch(String leader, long epoch, LogEnd end) {
    boolean isContinued = fetch.isPresent() && fetch.get().tryContinue(leader, epoch, end);
    if (isContinued || clock.nanoTime() - failedAtNanos < RETRY_NANOS) {
      return;
    }
    endFetch();
    try {
      fetch =
          Optional.of(
              new CheckpointFetch(
                  leader,
                  epoch,
                  end,
                  context.incoming(),
                  options.checkpoints().options(),
                  clock,
                  message -> context.send(leader, message)));
    } catch (StablecutException e) {
      failed(e);
    }
  }

  /** The leader listed the files of its checkpoint. */
  void fetched(String from, ReplicaMessage.CheckpointListing files) {
    if (fetch.isPresent() && fetch.get().isOf(from)) {
      try {
        fetch.get().files(files);
      } catch (IOException | StablecutException e) {
        failed(e);
      }
    }
  }

  /** The leader sent a chunk of a file. */
  void fetched(String from, ReplicaMessage.FileChunk part) {
    if (fetch.isPresent() && fetch.get().isOf(from)) {
      try {
        fetch.get().part(part);
      } catch (IOException | StablecutException e) {
        failed(e);
      }
    }
  }

  private void failed(Exception why) {
    LOG.warn(
        "the replica of partition {} can't fetch a checkpoint from its leader, and will retry: {}",
        options.number(),
        why.toString());
    failedAtNanos = clock.nanoTime();
    endFetch();
  }

  /** The fetched checkpoint, once it is complete. */
  Optional<CheckpointFetch> complete() {
    return fetch.filter(CheckpointFetch::isComplete);
  }

  /** Discards the fetched checkpoint. */
  void drop() {
    endFetch();
  }

  /** Ends the fetch and keeps its files, which are about to be used. */
  void take() {
    closeFetch();
  }

  /** Serves a request of another replica. */
  void serve(PartitionLog log, String to, ReplicaMessage.CheckpointRequest request) {
    CheckpointSource serving =
        source.orElseGet(() -> new CheckpointSource(log, context.checkpoints(), clock));
    source = Optional.of(serving);
    serving.answer(to, request).ifPresent(answer -> context.send(to, answer));
  }
}
