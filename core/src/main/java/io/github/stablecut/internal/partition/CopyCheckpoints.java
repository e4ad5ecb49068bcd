package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.copies.CopyMessage;
import io.github.stablecut.internal.copies.LogEnd;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a copy: those that it makes while it follows ({@link FollowedCheckpoints}),
 * those that others get of it while it leads ({@link CheckpointSource}), and the one that it gets
 * itself ({@link CheckpointFetch}). Confined to the copy's thread.
 */
final class CopyCheckpoints {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionCopy.class);

  /** So long after a checkpoint could not be got it is tried again, in nanoseconds. */
  private static final long PAUSE_NANOS = 10_000_000_000L;

  private final PartitionOptions options;
  private final PartitionCopy.Place place;
  private Optional<FollowedCheckpoints> followed = Optional.empty();
  private Optional<CheckpointSource> source = Optional.empty();
  private Optional<CheckpointFetch> fetch = Optional.empty();
  private long failedAt = System.nanoTime() - PAUSE_NANOS;

  CopyCheckpoints(PartitionOptions options, PartitionCopy.Place place) {
    this.options = options;
    this.place = place;
  }

  /** The copy follows, with a log that was opened. */
  void follow(PartitionLog log) {
    followed = Optional.of(new FollowedCheckpoints(options, log));
  }

  /** The copy leads: it makes no others than the partition makes. */
  void lead() {
    followed.ifPresent(FollowedCheckpoints::close);
    followed = Optional.empty();
    endFetch();
  }

  /** Ends what it does, before the log is closed. */
  void end() {
    lead();
    source.ifPresent(CheckpointSource::close);
    source = Optional.empty();
  }

  private void endFetch() {
    try {
      if (fetch.isPresent()) {
        fetch.get().close();
      }
    } catch (IOException e) {
      LOG.info("a file of a checkpoint of another copy was closed: {}", e.toString());
    }
    fetch = Optional.empty();
  }

  /** Some records may have been applied. */
  void look() {
    followed.ifPresent(FollowedCheckpoints::look);
  }

  /** Time has passed. */
  void tick() {
    fetch.ifPresent(CheckpointFetch::tick);
    source.ifPresent(CheckpointSource::tick);
  }

  /** Begins to get one from the leader of an epoch, if it does not already. */
  void fetch(String leader, long epoch, LogEnd end) {
    boolean isUnderWay = fetch.isPresent() && fetch.get().goesOn(leader, epoch, end);
    if (isUnderWay || System.nanoTime() - failedAt < PAUSE_NANOS) {
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
                  message -> place.send(leader, message)));
    } catch (StablecutException e) {
      failed(e);
    }
  }

  /** The leader has told of its checkpoint. */
  void fetched(String from, CopyMessage.Files files) {
    if (fetch.isPresent() && fetch.get().isOf(from)) {
      try {
        fetch.get().files(files);
      } catch (IOException | StablecutException e) {
        failed(e);
      }
    }
  }

  /** A part of it has come. */
  void fetched(String from, CopyMessage.Part part) {
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
        "the copy of partition {} can't get a checkpoint from its leader, and tries again in a"
            + " while: {}",
        options.number(),
        why.toString());
    failedAt = System.nanoTime();
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

  /** Gives a part of one to another copy. */
  void serve(PartitionLog log, String to, CopyMessage.Fetch asked) {
    CheckpointSource serving =
        source.orElseGet(() -> new CheckpointSource(log, place.checkpoints()));
    source = Optional.of(serving);
    serving.answer(to, asked).ifPresent(answer -> place.send(to, answer));
  }
}
