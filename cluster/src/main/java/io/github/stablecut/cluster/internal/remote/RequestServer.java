package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.cluster.internal.wire.TransactionMessageCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.partition.ConditionalWrites;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.TransactionPart;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests about the partitions of this node. What blocks runs on threads of its own; reads
 * do not queue behind writes. Thread-safe.
 */
public final class RequestServer {
  private static final Logger LOG = LoggerFactory.getLogger(RequestServer.class);

  /** A page of a scan ends with the object that reaches this. */
  private static final int PAGE_BYTES = 512 << 10;

  private final Shares reads;
  private final Shares writes;

  /** Of the pool for writes: a decision must not queue behind those that wait for it. */
  private final Shares deliveries;

  private final Map<Integer, OpenPartition> partitions = new ConcurrentHashMap<>();
  private final SnapshotLeases held;

  /**
   * A pool, and what partitions have of it.
   *
   * @param of by partition
   */
  private record Shares(Executor threads, Map<Integer, Bulkhead> of) {}

  /**
   * @param active the claims of this node
   * @param reads for what reads
   * @param writes for what may wait for a disk
   */
  RequestServer(ActiveSnapshots active, Executor reads, Executor writes) {
    this.held = new SnapshotLeases(active);
    this.reads = new Shares(reads, new ConcurrentHashMap<>());
    this.writes = new Shares(writes, new ConcurrentHashMap<>());
    this.deliveries = new Shares(writes, new ConcurrentHashMap<>());
  }

  /** From now on a partition is here. */
  void add(OpenPartition opened) {
    var unused = partitions.put(opened.partition().number(), opened);
  }

  /** From now on a partition is not here. */
  public void remove(OpenPartition closed) {
    boolean unused = partitions.remove(closed.partition().number(), closed);
  }

  /** A partition, if it is here. */
  public Optional<OpenPartition> find(int partition) {
    return Optional.ofNullable(partitions.get(partition));
  }

  /** Those that are here. */
  public List<OpenPartition> all() {
    return List.copyOf(partitions.values());
  }

  /**
   * A request about a partition, in the epoch that the sender knows.
   *
   * @param clock of the sender, which may be adopted
   */
  record Asked(int partition, long epoch, long clock, Bytes request) {}

  /** Lets go of snapshots whose holders have disappeared. */
  public void tick() {
    held.tick();
  }

  /**
   * Answers a request, now or later. Never blocks.
   *
   * @param drivers the drivers of transactions on the node that asks
   * @param to takes the reply; not called if there is none
   * @param done called once, when the request's bytes are not needed any more
   */
  void answer(Asked ask, LongFunction<Message.Driver> drivers, Consumer<Reply> to, Runnable done) {
    OpenPartition here = partitions.get(ask.partition);
    long epoch = here == null ? 0 : here.epoch();
    if (here == null || epoch != ask.epoch) {
      done.run();
      to.accept(new Reply.Stale(epoch));
      return;
    }
    try {
      bulkhead(pool(ask.request), ask.partition)
          .execute(
              () -> {
                try {
                  read(here, ask, drivers, to)
                      .ifPresent(request -> answerSafely(here, request, to));
                } finally {
                  done.run();
                }
              });
    } catch (RejectedExecutionException e) {
      done.run();
      to.accept(
          new Reply.Failed(
              new PartitionUnavailableException(
                  "partition %d has too much to do: try again later".formatted(ask.partition))));
    }
  }

  /** The request that was asked; what is none is answered. */
  private static Optional<Request> read(
      OpenPartition here, Asked ask, LongFunction<Message.Driver> drivers, Consumer<Reply> to) {
    try {
      TransactionMessageCodec protocol =
          new TransactionMessageCodec(
              drivers, wire -> TransactionPart.fromWire(wire, here.partition()::pruneFrontier));
      return Optional.of(new RequestCodec(protocol).decode(ask.request, ask.clock));
    } catch (BadMessageException | FormatException e) {
      to.accept(new Reply.Failed(new StoreIoException(String.valueOf(e.getMessage()), e)));
    } catch (RuntimeException | Error e) {
      // The checkpoints may be closed under it.
      to.accept(checked(here, new Request.Present(), fault(here, e)));
    }
    return Optional.empty();
  }

  private Shares pool(Bytes request) {
    if (RequestCodec.isDelivery(request)) {
      return deliveries;
    }
    return RequestCodec.isForWriters(request) ? writes : reads;
  }

  /** A partition's share of a pool. */
  private static Bulkhead bulkhead(Shares pool, int partition) {
    return pool.of.computeIfAbsent(partition, number -> new Bulkhead(pool.threads));
  }

  private void answerSafely(OpenPartition here, Request request, Consumer<Reply> to) {
    Consumer<Reply> checked = reply -> to.accept(checked(here, request, reply));
    try {
      answer(here, request, checked);
    } catch (StablecutException e) {
      checked.accept(new Reply.Failed(e));
    } catch (RuntimeException | Error e) {
      checked.accept(fault(here, e));
    }
  }

  /** What nobody has foreseen. The log has it, unless it comes of a partition that is closed. */
  private static Reply fault(OpenPartition here, Throwable cause) {
    int partition = here.partition().number();
    if (here.isServing()) {
      LOG.error("a request about partition {} can't be answered", partition, cause);
    }
    return new Reply.Failed(NodeFaults.ofPartition(partition, cause));
  }

  /**
   * A reply that holds though the partition may have been given away meanwhile: what is written is
   * written, and the next owner has it; what was only read, or not written, is to be asked again.
   */
  private static Reply checked(OpenPartition here, Request request, Reply reply) {
    if (here.isServing()) {
      return reply;
    }
    boolean isNothingWritten =
        reply instanceof Reply.Failed failed
            && !(failed.failure() instanceof JournalFailedException);
    return isNothingWritten || !request.isWrite() ? new Reply.Stale(0) : reply;
  }

  private void answer(OpenPartition here, Request request, Consumer<Reply> to) {
    Partition partition = here.partition();
    if (request instanceof Request.Read read) {
      to.accept(
          new Reply.Found(
              partition.versionAt(read.id(), read.at()), partition.pruneFrontier(read.at())));
    } else if (request instanceof Request.Present) {
      to.accept(new Reply.At(partition.now()));
    } else if (request instanceof Request.PresentOf present) {
      to.accept(new Reply.At(partition.present(present.id())));
    } else if (request instanceof Request.Check check) {
      partition.check(check.at());
      to.accept(new Reply.Done());
    } else if (request instanceof Request.Hold hold) {
      held.hold(partition, hold);
      to.accept(new Reply.Done());
    } else if (request instanceof Request.Release release) {
      held.release(release.claim());
      to.accept(new Reply.Done());
    } else if (request instanceof Request.Commit commit) {
      commit(here, commit, to);
    } else if (request instanceof Request.Latest latest) {
      to.accept(latest(here, latest));
    } else if (request instanceof Request.CommitIf commit) {
      to.accept(commitIf(partition, commit));
    } else if (request instanceof Request.AwaitDurable await) {
      to.accept(awaitDurable(here, await));
    } else if (request instanceof Request.Scan scan) {
      to.accept(page(partition, scan));
    } else if (request instanceof Request.Checkpoint) {
      partition.checkpoint();
      to.accept(new Reply.Done());
    } else if (request instanceof Request.Deliver deliver) {
      here.receive(deliver.message());
    }
  }

  private void commit(OpenPartition here, Request.Commit commit, Consumer<Reply> to) {
    var unused =
        here.partition()
            .commitAsync(commit.request(), writes.threads)
            .whenComplete((vector, failure) -> to.accept(outcome(here, vector, failure)));
  }

  private static Reply outcome(
      OpenPartition here,
      VectorClock vector,
      @org.jspecify.annotations.Nullable Throwable failure) {
    if (failure == null) {
      return new Reply.At(vector);
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof StablecutException known ? new Reply.Failed(known) : fault(here, cause);
  }

  private static Reply latest(OpenPartition here, Request.Latest request) {
    ConditionalWrites.Latest latest =
        here.partition().conditional().latest(request.claimed(), request.ids());
    return new Reply.Latest(
        here.epoch(),
        latest.at(),
        here.partition().pruneFrontier(latest.at()),
        latest.versions(),
        latest.seen());
  }

  private static Reply commitIf(Partition partition, Request.CommitIf commit) {
    return partition
        .conditional()
        .commitIf(commit.request(), commit.seen())
        .<Reply>map(Reply.At::new)
        .orElseGet(Reply.Changed::new);
  }

  private static Reply awaitDurable(OpenPartition here, Request.AwaitDurable await) {
    if (here.epoch() != await.epoch()) {
      return new Reply.Changed();
    }
    here.partition().conditional().awaitDurable(await.time());
    return new Reply.Done();
  }

  static Reply.Page page(Partition partition, Request.Scan scan) {
    IdRange range =
        scan.until()
            .map(until -> IdRange.between(scan.from(), until))
            .orElseGet(() -> IdRange.from(scan.from()));
    List<ObjectScan.Found> page = new ArrayList<>();
    long bytes = 0;
    partition.check(scan.at());
    try (FoundObjects objects = partition.scan(range, scan.at())) {
      Optional<ObjectScan.Found> next = objects.next();
      while (next.isPresent() && bytes < PAGE_BYTES) {
        page.add(next.get());
        bytes += next.get().id().length() + 64 + next.get().version().bytes();
        next = objects.next();
      }
      partition.check(scan.at());
      return new Reply.Page(page, next.map(ObjectScan.Found::id));
    }
  }
}
