package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.OpenPartition;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.PartitionImage;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The old owner's side of moves: lets another node copy a partition, closes it when the other has
 * nearly all, and gives it away for good ({@link
 * io.github.stablecut.internal.recovery.MovedPartitions}). If the other is silent for too long
 * before that, the partition is opened here again. Thread-safe.
 */
public final class HandoffSender {
  private static final Logger LOG = LoggerFactory.getLogger(HandoffSender.class);

  /** So long a switch waits for transactions that the partition decides. */
  private static final Duration DRAIN = Duration.ofMillis(250);

  /**
   * So much greater is a partition's epoch after a move. A copy of this directory from before the
   * move would have to be started so often, always without one of those who know better, until it
   * looked newer than what the new owner has.
   */
  private static final long EPOCHS_PER_MOVE = 1_000;

  /** A partition on its way to another node. */
  private static final class Way {
    private final Request.Copy begun;
    private final OpenPartition open;
    private volatile long heard = System.nanoTime();

    /** Whether this node serves it no more. */
    private volatile boolean isClosed;

    /** Whether it is about to be taken back, if the other node is still silent then. */
    private final AtomicBoolean isDoubted = new AtomicBoolean();

    Way(Request.Copy begun, OpenPartition open) {
      this.begun = begun;
      this.open = open;
    }
  }

  private final NodePartitions partitions;
  private final Executor reads;
  private final PartitionSteps steps;

  /** Held while a partition is fenced: two at a time could wait for each other. */
  private final Object fencing = new Object();

  private final long silenceNanos;
  private final Map<Integer, Way> ways = new ConcurrentHashMap<>();

  /**
   * @param reads reads files
   * @param steps the threads of what changes partitions
   * @param silence after so long without a word the other node is given up
   */
  public HandoffSender(
      NodePartitions partitions, Executor reads, Executor steps, Duration silence) {
    this.partitions = partitions;
    this.reads = reads;
    this.steps = new PartitionSteps(steps);
    this.silenceNanos = silence.toNanos();
  }

  /** Answers what the node asks that gets a partition. Does not block. */
  public void answer(int partition, Request.OfMove request, Consumer<Reply> to) {
    Runnable answering = () -> to.accept(answer(partition, request));
    try {
      if (request instanceof Request.ReadFile) {
        reads.execute(answering);
      } else {
        steps.execute(partition, answering);
      }
    } catch (RejectedExecutionException e) {
      to.accept(
          new Reply.Failed(new PartitionUnavailableException("the node is stopping or busy")));
    }
  }

  private Reply answer(int partition, Request.OfMove request) {
    try {
      if (request instanceof Request.Copy copy) {
        return copy(partition, copy);
      } else if (request instanceof Request.Give give) {
        return give(partition, give);
      }
      Way way = ways.get(partition);
      if (way == null || way.begun.move() != request.move()) {
        return new Reply.Changed();
      }
      if (request instanceof Request.Keep) {
        takeBack(partition, way);
        return new Reply.Done();
      }
      way.heard = System.nanoTime();
      if (request instanceof Request.ReadFile read) {
        byte[] bytes = partitions.image(partition).read(read.name(), read.from(), read.length());
        return new Reply.FilePart(Bytes.wrap(bytes), checksum(bytes));
      }
      if (request instanceof Request.Quiet) {
        way.open.partition().maintenance().suspend();
      } else if (request instanceof Request.HandOver && !way.isClosed) {
        handOver(way);
      }
      Reply files = files(partition, way);
      // What took long was this node.
      way.heard = System.nanoTime();
      return files;
    } catch (StablecutException e) {
      return new Reply.Failed(e);
    } catch (IOException e) {
      return notGiven(partition, IoReason.of(e), e);
    } catch (RuntimeException | Error e) {
      LOG.error("partition {} can't be given away", partition, e);
      return notGiven(partition, "a fault of the program, and the log of its node says where", e);
    }
  }

  private static Reply notGiven(int partition, String why, Throwable cause) {
    return new Reply.Failed(
        new StoreIoException("partition " + partition + " can't be given away: " + why, cause));
  }

  static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  private Reply copy(int partition, Request.Copy copy) throws IOException {
    Way way = ways.get(partition);
    if (way != null && way.begun.move() != copy.move()) {
      return new Reply.Failed(
          new PartitionUnavailableException(
              "partition %d is being moved to node %s already: wait for that"
                  .formatted(partition, way.begun.to())));
    }
    if (way == null) {
      Optional<OpenPartition> open = partitions.owner().find(partition);
      if (open.isEmpty()) {
        return new Reply.Failed(
            new PartitionUnavailableException(
                "partition %d is not on node %s any more: look at the cluster's status"
                    .formatted(partition, partitions.name())));
      }
      way = new Way(copy, open.get());
      var unused = ways.put(partition, way);
    }
    way.heard = System.nanoTime();
    return files(partition, way);
  }

  private Reply files(int partition, Way way) throws IOException {
    PartitionImage image = partitions.image(partition);
    List<CopiedFile> files = image.list(way.open.partition().journalStatus(), way.isClosed);
    return new Reply.Files(partitions.storeId(), files);
  }

  /** Ends this node's service of a partition; all that was told of it is in its files then. */
  private void handOver(Way way) {
    way.open.partition().maintenance().suspend();
    way.open.drain(DRAIN);
    synchronized (fencing) {
      way.open.fence();
    }
    way.isClosed = true;
    partitions.owner().remove(way.open);
    try {
      way.open.partition().endClock();
    } finally {
      // Also if its journal has failed: it is opened again here then.
      way.open.partition().close();
    }
  }

  private Reply give(int partition, Request.Give give) throws IOException {
    Way way = ways.get(partition);
    Optional<MoveMark> given = given(partition, give.move());
    if (way == null || way.begun.move() != give.move() || !way.isClosed) {
      return given.<Reply>map(mark -> new Reply.Given(mark.epoch())).orElseGet(Reply.Changed::new);
    }
    long newest = Math.max(way.open.epoch(), partitions.newestEpoch());
    long epoch = Math.max(newest + EPOCHS_PER_MOVE, give.minEpoch());
    MoveMark mark = given.orElseGet(() -> new MoveMark(give.move(), partition, give.to(), epoch));
    commit(way, mark);
    return new Reply.Given(mark.epoch());
  }

  /** What says that a partition was given away by a move. */
  private Optional<MoveMark> given(int partition, long move) throws IOException {
    return partitions.moved().given(partition).filter(mark -> mark.move() == move);
  }

  /**
   * The commit point. A mark whose directory could not be forced is there, and may be gone after a
   * loss of power; so it is written again, and nobody is told of it before.
   */
  private void commit(Way way, MoveMark mark) throws IOException {
    int partition = mark.number();
    partitions.moved().give(mark);
    boolean unused = ways.remove(partition, way);
    partitions.gave(mark);
    LOG.info("partition {} was given to node {} at epoch {}", partition, mark.node(), mark.epoch());
    deleteLater(partition);
  }

  private void deleteLater(int partition) {
    steps.execute(
        partition,
        () -> {
          try {
            partitions.moved().delete(partition);
          } catch (IOException e) {
            LOG.warn("partition {} was given away, and is deleted at the next start", partition, e);
          }
        });
  }

  /** Takes back what another node has begun to copy and is silent about. */
  public void tick() {
    ways.forEach(
        (partition, way) -> {
          if (System.nanoTime() - way.heard > silenceNanos
              && way.isDoubted.compareAndSet(false, true)) {
            steps.execute(partition, () -> takeBackIfSilent(partition, way));
          }
        });
  }

  private void takeBackIfSilent(int partition, Way way) {
    way.isDoubted.set(false);
    if (System.nanoTime() - way.heard > silenceNanos) {
      takeBack(partition, way);
    }
  }

  /**
   * Whether it is marked as given, though nobody was told: it would be deleted at the next start.
   */
  private boolean isGiven(int partition, Way way) {
    try {
      Optional<MoveMark> given = given(partition, way.begun.move());
      if (given.isPresent()) {
        commit(way, given.get());
      }
      return given.isPresent();
    } catch (IOException e) {
      LOG.warn("partition {} can neither be given away nor taken back yet", partition, e);
      way.heard = System.nanoTime();
      return true;
    }
  }

  private void takeBack(int partition, Way way) {
    if (ways.get(partition) != way || isGiven(partition, way)) {
      return;
    }
    boolean unused = ways.remove(partition, way);
    LOG.warn("node {} does not take partition {}, which stays here", way.begun.to(), partition);
    if (!way.isClosed) {
      way.open.partition().maintenance().resume();
      return;
    }
    try {
      partitions.reopen(partition);
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("partition {} can't be opened again: start the node again", partition, e);
    }
  }
}
