package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * The checkpoints of a copy: those that it makes while it follows ({@link FollowerCheckpoints}),
 * those that others get of it while it leads ({@link CheckpointSource}), and the one that it gets
 * itself ({@link CheckpointFetch}). Confined to the copy's thread.
 */
final class ReplicaCheckpoints {
  private static final Logger LOG = Log.of(PartitionReplica.class);

  /** So long after a checkpoint could not be got it is tried again, in nanoseconds. */
  private static final long PAUSE_NANOS = 10_000_000_000L;

  private final PartitionOptions options;
  private final ReplicaContext place;
  private final ReplicaTiming clock;
  private Optional<FollowerCheckpoints> followed = Optional.empty();
  private Optional<CheckpointSource> source = Optional.empty();
  private Optional<CheckpointFetch> fetch = Optional.empty();
  private long failedAt;

  ReplicaCheckpoints(PartitionOptions options, ReplicaContext place) {
    this.options = options;
    this.place = place;
    this.clock = place.clock();
    this.failedAt = clock.nanoTime() - PAUSE_NANOS;
  }

  /**
   * The copy follows, with a log that was opened.
   *
   * @return the oldest snapshot that can be read here as long as it follows
   */
  Horizon follow(PartitionLog log) {
    FollowerCheckpoints next = new FollowerCheckpoints(options, log, clock);
    followed = Optional.of(next);
    return next.horizon();
  }

  /** The copy leads: it makes no others than the partition makes. */
  void lead() {
    followed.ifPresent(FollowerCheckpoints::close);
    followed = Optional.empty();
    endFetch();
  }

  /** Ends what it does, before the log is closed. */
  void end() {
    lead();
    source.ifPresent(CheckpointSource::close);
    source = Optional.empty();
  }

  /** What was fetched, and is not used, is deleted. */
  private void endFetch() {
    if (fetch.isPresent()) {
      closeFetch();
      try {
        place.dropIncoming();
      } catch (StablecutException e) {
        LOG.info("a part of a checkpoint of another replica is left: {}", e.getMessage());
      }
    }
  }

  private void closeFetch() {
    try {
      if (fetch.isPresent()) {
        fetch.get().close();
      }
    } catch (IOException e) {
      LOG.info("a file of a checkpoint of another replica was closed: {}", e.toString());
    }
    fetch = Optional.empty();
  }

  /**
   * Some records may have been applied.
   *
   * @param isFollowing whether the copy follows; otherwise it may lead soon, and waits for nothing
   */
  void look(boolean isFollowing) {
    if (isFollowing) {
      followed.ifPresent(FollowerCheckpoints::look);
    } else {
      followed.ifPresent(FollowerCheckpoints::abandon);
    }
  }

  /** Time has passed. */
  void tick() {
    fetch.ifPresent(CheckpointFetch::tick);
    source.ifPresent(CheckpointSource::tick);
  }

  /** Begins to get one from the leader of an epoch, if it does not already. */
  void fetch(String leader, long epoch, LogEnd end) {
    boolean isUnderWay = fetch.isPresent() && fetch.get().goesOn(leader, epoch, end);
    if (isUnderWay || clock.nanoTime() - failedAt < PAUSE_NANOS) {
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
                  place.incoming(),
                  options.checkpoints().options(),
                  clock,
                  message -> place.send(leader, message)));
    } catch (StablecutException e) {
      failed(e);
    }
  }

  /** The leader has told of its checkpoint. */
  void fetched(String from, ReplicaMessage.CheckpointListing files) {
    if (fetch.isPresent() && fetch.get().isOf(from)) {
      try {
        fetch.get().files(files);
      } catch (IOException | StablecutException e) {
        failed(e);
      }
    }
  }

  /** A part of it has come. */
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
        "the replica of partition {} can't get a checkpoint from its leader, and tries again in a"
            + " while: {}",
        options.number(),
        why.toString());
    failedAt = clock.nanoTime();
    endFetch();
  }

  /** The one that was got, once all of it is there. */
  Optional<CheckpointFetch> complete() {
    return fetch.filter(CheckpointFetch::isComplete);
  }

  /** It is not used. */
  void drop() {
    endFetch();
  }

  /** It is about to be used: its files stay. */
  void take() {
    closeFetch();
  }

  /** Gives a part of one to another copy. */
  void serve(PartitionLog log, String to, ReplicaMessage.CheckpointRequest asked) {
    CheckpointSource serving =
        source.orElseGet(() -> new CheckpointSource(log, place.checkpoints(), clock));
    source = Optional.of(serving);
    serving.answer(to, asked).ifPresent(answer -> place.send(to, answer));
  }
}
