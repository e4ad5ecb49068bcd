package io.github.stablecut.cluster.internal.handoff;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
import io.github.stablecut.log.Log;
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

/**
 * Sends handoffs: lets another node copy a partition, closes the partition when the copy is nearly
 * complete, and gives it away permanently ({@link
 * io.github.stablecut.internal.recovery.MovedPartitions}). If the receiver is silent for too long
 * before that, this node reopens the partition. Thread-safe.
 */
public final class HandoffSender {
  private static final Logger LOG = Log.of(HandoffSender.class);

  /**
   * The number by which a move raises a partition's epoch. A copy of this directory from before the
   * move would have to be restarted that often before its epoch exceeds the new owner's. Nodes that
   * know the new owner would have to miss each restart.
   */
  private static final long EPOCHS_PER_MOVE = 1_000;

  /** A handoff of a partition in progress. */
  private static final class Handoff {
    private final Request.StartHandoff copy;
    private final OpenPartition open;
    private final HandoffEvent event = new HandoffEvent();
    private volatile long heardNanos = System.nanoTime();

    /** Whether this node has stopped serving the partition. */
    private volatile boolean isClosed;

    /** Whether a check of the receiver's silence is queued. */
    private final AtomicBoolean isCheckQueued = new AtomicBoolean();

    Handoff(Request.StartHandoff copy, OpenPartition open) {
      this.copy = copy;
      this.open = open;
    }
  }

  private final NodePartitions partitions;
  private final Executor reads;
  private final PartitionSteps steps;

  private final long silenceNanos;

  /** Held while a handoff begins. */
  private final Object beginning = new Object();

  /** Whether moves of partitions have ended. */
  @GuardedBy("beginning")
  private boolean isEnded;

  private final Map<Integer, Handoff> handoffs = new ConcurrentHashMap<>();

  /**
   * @param reads reads files
   * @param steps runs the steps that open, close or delete partitions
   * @param silence how long the receiver may be silent before the handoff is aborted
   */
  public HandoffSender(
      NodePartitions partitions, Executor reads, Executor steps, Duration silence) {
    this.partitions = partitions;
    this.reads = reads;
    this.steps = new PartitionSteps(steps);
    this.silenceNanos = silence.toNanos();
  }

  /** Answers a request of the receiver of a partition. Does not block. */
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
          new Reply.Failed(
              new PartitionUnavailableException("the node is overloaded or closing: try again")));
    }
  }

  private Reply answer(int partition, Request.OfMove request) {
    try {
      return request.handTo(new Answer(partition));
    } catch (StablecutException e) {
      return new Reply.Failed(e);
    } catch (IOException e) {
      return notGiven(partition, IoReason.of(e), e);
    } catch (RuntimeException | Error e) {
      LOG.error("partition {} can't be handed off", partition, e);
      return notGiven(partition, "an internal error: see the log of its owner", e);
    }
  }

  /** Executes a request about the handoff of a partition. */
  private final class Answer implements Request.MoveReceiver<Reply, IOException> {
    private final int partition;

    Answer(int partition) {
      this.partition = partition;
    }

    @Override
    public Reply startHandoff(Request.StartHandoff request) throws IOException {
      return begin(partition, request);
    }

    @Override
    public Reply completeHandoff(Request.CompleteHandoff request) throws IOException {
      return HandoffSender.this.give(partition, request);
    }

    @Override
    public Reply abortHandoff(Request.AbortHandoff request) throws IOException {
      return during(
          request,
          handoff -> {
            takeBack(partition, handoff);
            return new Reply.Done();
          });
    }

    @Override
    public Reply readFile(Request.ReadFile request) throws IOException {
      return during(
          request,
          handoff -> {
            byte[] bytes =
                partitions.image(partition).read(request.name(), request.from(), request.length());
            return new Reply.FilePart(Bytes.wrap(bytes), checksum(bytes));
          });
    }

    @Override
    public Reply suspendCheckpoints(Request.SuspendCheckpoints request) throws IOException {
      return during(
          request,
          handoff -> {
            handoff.open.partition().maintenance().suspend();
            return files(partition, handoff);
          });
    }

    @Override
    public Reply fence(Request.Fence request) throws IOException {
      return during(
          request,
          handoff -> {
            if (!handoff.isClosed) {
              HandoffSender.this.handOver(handoff);
            }
            return files(partition, handoff);
          });
    }

    /** Executes a step of a handoff in progress, and records that the receiver is alive. */
    private Reply during(Request.OfMove request, Step step) throws IOException {
      Handoff handoff = handoffs.get(partition);
      if (handoff == null || handoff.copy.move() != request.move()) {
        return new Reply.PreconditionFailed();
      }
      handoff.heardNanos = System.nanoTime();
      Reply reply = step.execute(handoff);
      // The step may have taken long at this node; the receiver was not silent.
      handoff.heardNanos = System.nanoTime();
      return reply;
    }
  }

  /** A step of a handoff. */
  @FunctionalInterface
  private interface Step {
    Reply execute(Handoff handoff) throws IOException;
  }

  private static Reply notGiven(int partition, String why, Throwable cause) {
    return new Reply.Failed(
        new StoreIoException("partition " + partition + " can't be handed off: " + why, cause));
  }

  static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  private Reply begin(int partition, Request.StartHandoff copy) throws IOException {
    Handoff handoff = handoffs.get(partition);
    if (handoff != null && handoff.copy.move() != copy.move()) {
      return new Reply.Failed(
          new PartitionUnavailableException(
              "partition %d is already being moved to node %s: wait for that"
                  .formatted(partition, handoff.copy.to())));
    }
    if (handoff == null) {
      return begin(copy, partition);
    }
    handoff.heardNanos = System.nanoTime();
    return files(partition, handoff);
  }

  private Reply begin(Request.StartHandoff copy, int partition) throws IOException {
    Handoff handoff;
    synchronized (beginning) {
      if (isEnded || partitions.isReplicated()) {
        return new Reply.Failed(
            new PartitionUnavailableException(
                "the partitions are getting replicas, and can no longer be moved: rebalance the"
                    + " cluster instead"));
      }
      Optional<OpenPartition> open = partitions.server().find(partition);
      if (open.isEmpty()) {
        return new Reply.Failed(
            new PartitionUnavailableException(
                "partition %d is no longer on node %s: check the status of the cluster"
                    .formatted(partition, partitions.name())));
      }
      handoff = new Handoff(copy, open.get());
      handoffs.put(partition, handoff);
    }
    handoff.heardNanos = System.nanoTime();
    return files(partition, handoff);
  }

  /**
   * Stops giving partitions away, as moves have ended.
   *
   * @return false if one is being given away; then nothing has changed
   */
  boolean end() {
    synchronized (beginning) {
      isEnded = handoffs.isEmpty();
      return isEnded;
    }
  }

  /** Gives partitions away again after {@link #end}. */
  void resume() {
    synchronized (beginning) {
      isEnded = false;
    }
  }

  private Reply files(int partition, Handoff handoff) throws IOException {
    PartitionImage image = partitions.image(partition);
    List<CopiedFile> files = image.list(handoff.open.partition().journalStatus(), handoff.isClosed);
    return new Reply.Files(partitions.storeId(), files);
  }

  /** Fences and closes a partition: everything that this node has reported is then in its files. */
  private void handOver(Handoff handoff) {
    handoff.event.begin();
    // Also after a failure of the journal: this node then reopens the partition.
    partitions.end(handoff.open, () -> handoff.isClosed = true);
  }

  private Reply give(int partition, Request.CompleteHandoff give) throws IOException {
    Handoff handoff = handoffs.get(partition);
    Optional<MoveMark> known = findMark(partition, give.move());
    if (handoff == null || handoff.copy.move() != give.move() || !handoff.isClosed) {
      return known
          .<Reply>map(mark -> new Reply.HandoffCompleted(mark.epoch()))
          .orElseGet(Reply.PreconditionFailed::new);
    }
    long newest = Math.max(handoff.open.epoch(), partitions.newestEpoch());
    long epoch = Math.max(newest + EPOCHS_PER_MOVE, give.minEpoch());
    MoveMark mark = known.orElseGet(() -> new MoveMark(give.move(), partition, give.to(), epoch));
    commit(handoff, mark);
    return new Reply.HandoffCompleted(mark.epoch());
  }

  /** Returns the mark that a move has given the partition away. */
  private Optional<MoveMark> findMark(int partition, long move) throws IOException {
    return partitions.moved().findMark(partition).filter(mark -> mark.move() == move);
  }

  /**
   * The commit point. A mark whose directory could not be synced may disappear in a power failure.
   * It is therefore written again, and no other node learns of it before that succeeds.
   */
  private void commit(Handoff handoff, MoveMark mark) throws IOException {
    int partition = mark.number();
    partitions.moved().give(mark);
    handoffs.remove(partition, handoff);
    partitions.recordHandoff(mark);
    handoff.event.handedOff(partition, mark.node(), mark.epoch());
    LOG.info(
        "partition {} was handed off to node {} in epoch {}", partition, mark.node(), mark.epoch());
    deleteLater(partition);
  }

  private void deleteLater(int partition) {
    steps.execute(
        partition,
        () -> {
          try {
            partitions.moved().delete(partition);
          } catch (IOException e) {
            LOG.warn(
                "partition {} was handed off; the next start deletes its files here", partition, e);
          }
        });
  }

  /** Aborts handoffs whose receivers are silent. */
  public void tick() {
    handoffs.forEach(
        (partition, handoff) -> {
          if (System.nanoTime() - handoff.heardNanos > silenceNanos
              && handoff.isCheckQueued.compareAndSet(false, true)) {
            steps.execute(partition, () -> takeBackIfSilent(partition, handoff));
          }
        });
  }

  private void takeBackIfSilent(int partition, Handoff handoff) {
    handoff.isCheckQueued.set(false);
    if (System.nanoTime() - handoff.heardNanos > silenceNanos) {
      takeBack(partition, handoff);
    }
  }

  /**
   * Completes the handoff if its mark is on disk although no other node has learned of it: the next
   * start would delete the partition.
   */
  private boolean finishIfGiven(int partition, Handoff handoff) {
    try {
      Optional<MoveMark> known = findMark(partition, handoff.copy.move());
      if (known.isPresent()) {
        commit(handoff, known.get());
      }
      return known.isPresent();
    } catch (IOException e) {
      LOG.warn(
          "partition {} can be neither handed off nor reopened; this node retries", partition, e);
      handoff.heardNanos = System.nanoTime();
      return true;
    }
  }

  /**
   * Reopens the partition. The move stays in progress until then, so that no other step opens it.
   */
  private void takeBack(int partition, Handoff handoff) {
    if (handoffs.get(partition) != handoff || finishIfGiven(partition, handoff)) {
      return;
    }
    LOG.warn(
        "node {} did not take partition {}, which stays on this node",
        handoff.copy.to(),
        partition);
    try {
      stay(partition, handoff);
    } finally {
      handoffs.remove(partition, handoff);
    }
  }

  private void stay(int partition, Handoff handoff) {
    if (!handoff.isClosed) {
      handoff.open.partition().maintenance().resume();
      return;
    }
    try {
      partitions.reopen(partition);
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("partition {} can't be reopened: restart the node", partition, e);
    }
  }
}
