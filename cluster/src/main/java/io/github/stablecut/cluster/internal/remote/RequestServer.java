package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.cluster.internal.wire.TransactionMessageCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.ConditionalBatchCodec;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Executes requests to the partitions of this node. Requests that may block run on pools of
 * threads; reads do not queue behind writes. Thread-safe.
 */
public final class RequestServer {
  private static final Logger LOG = Log.of(RequestServer.class);
  private static final LogLimit FAILURES = new LogLimit();

  /** A page of a scan ends with the object that reaches this size. */
  private static final int PAGE_BYTES = 512 << 10;

  private final PartitionedPool reads;
  private final PartitionedPool writes;

  /** Also on the pool for writes: a decision must not queue behind writes that wait for it. */
  private final PartitionedPool deliveries;

  private final Map<Integer, OpenPartition> partitions = new ConcurrentHashMap<>();
  private final Object fencing = new Object();
  private final SnapshotLeases leases;
  private final ObjectCalls calls;
  private final Consumer<VectorClock> read;

  /**
   * A pool, and the partitions' shares of it.
   *
   * @param of the share of each partition
   */
  private record PartitionedPool(Executor threads, Map<Integer, Bulkhead> of) {}

  /**
   * @param active the snapshots that this node holds
   * @param reads the pool for reads
   * @param writes the pool for requests that may wait for a disk
   * @param calls executes object operations
   * @param read records the snapshots that transactions of other nodes have read
   */
  RequestServer(
      ActiveSnapshots active,
      Executor reads,
      Executor writes,
      ObjectCalls calls,
      Consumer<VectorClock> read) {
    this.read = read;
    this.calls = calls;
    this.leases = new SnapshotLeases(active, System::nanoTime);
    this.reads = new PartitionedPool(reads, new ConcurrentHashMap<>());
    this.writes = new PartitionedPool(writes, new ConcurrentHashMap<>());
    this.deliveries = new PartitionedPool(writes, new ConcurrentHashMap<>());
  }

  /** Starts to serve a partition. */
  void add(OpenPartition opened) {
    partitions.put(opened.partition().number(), opened);
  }

  /**
   * Fences a partition: from now on, nothing of it is reported. Partitions are fenced one at a
   * time, as messages between partitions pass through the gates of both. Two that were fenced at
   * once would wait for each other's messages.
   */
  void fence(OpenPartition ending) {
    synchronized (fencing) {
      ending.fence();
    }
  }

  /** Stops serving a partition. */
  public void remove(OpenPartition closed) {
    partitions.remove(closed.partition().number(), closed);
  }

  /** Returns a partition, if this node serves it. */
  public Optional<OpenPartition> find(int partition) {
    return Optional.ofNullable(partitions.get(partition));
  }

  /** Returns the partitions that this node serves. */
  public List<OpenPartition> all() {
    return List.copyOf(partitions.values());
  }

  /**
   * An encoded request to a partition.
   *
   * @param epoch the partition's epoch as the sender knows it
   * @param clock the sender's clock, already admitted
   */
  record EncodedRequest(int partition, long epoch, long clock, Bytes request) {}

  /** Ends expired snapshot leases, and answers object calls that take too long. */
  public void tick() {
    leases.tick();
    calls.tick();
  }

  /**
   * Executes a request, now or later. Never blocks.
   *
   * @param drivers looks up the drivers of transactions on the requesting node
   * @param to receives the reply; not called if there is none
   * @param done called once, when the bytes of the request are no longer needed
   */
  void answer(
      EncodedRequest incoming,
      LongFunction<Message.Driver> drivers,
      Consumer<Reply> to,
      Runnable done) {
    OpenPartition open = partitions.get(incoming.partition);
    long epoch = open == null ? 0 : open.epoch();
    if (open == null || epoch != incoming.epoch) {
      done.run();
      to.accept(new Reply.Stale(epoch));
      return;
    }
    AtomicBoolean isDone = new AtomicBoolean();
    Runnable once =
        () -> {
          if (!isDone.getAndSet(true)) {
            done.run();
          }
        };
    try {
      bulkhead(pool(incoming.request), incoming.partition)
          .execute(
              () -> {
                try {
                  read(open, incoming, drivers, to)
                      .ifPresent(request -> answerSafely(open, request, to));
                } finally {
                  once.run();
                }
              });
    } catch (RejectedExecutionException e) {
      once.run();
      to.accept(
          new Reply.Failed(
              new PartitionUnavailableException(
                  "partition %d is overloaded: try again later".formatted(incoming.partition))));
    } catch (RuntimeException | Error e) {
      // A thread may or may not have accepted it.
      once.run();
      throw e;
    }
  }

  /** Decodes a request; replies with the failure if it is malformed. */
  private Optional<Request> read(
      OpenPartition open,
      EncodedRequest incoming,
      LongFunction<Message.Driver> drivers,
      Consumer<Reply> to) {
    try {
      TransactionMessageCodec protocol =
          new TransactionMessageCodec(
              drivers,
              wire -> {
                TransactionPart part =
                    TransactionPart.fromWire(wire, open.partition()::pruneFrontier);
                // The next request for the present has to see it.
                read.accept(part.snapshot());
                return part;
              });
      return Optional.of(new RequestCodec(protocol).decode(incoming.request, incoming.clock));
    } catch (BadMessageException | FormatException e) {
      to.accept(new Reply.Failed(new StoreIoException(String.valueOf(e.getMessage()), e)));
    } catch (RuntimeException | Error e) {
      // The partition may be closed meanwhile.
      to.accept(checked(open, new Request.Present(), fault(open, false, e)));
    }
    return Optional.empty();
  }

  private PartitionedPool pool(Bytes request) {
    if (RequestCodec.isDelivery(request)) {
      return deliveries;
    }
    return RequestCodec.isForWriters(request) ? writes : reads;
  }

  /** Returns a partition's share of a pool. */
  private static Bulkhead bulkhead(PartitionedPool pool, int partition) {
    return pool.of.computeIfAbsent(partition, number -> new Bulkhead(pool.threads));
  }

  private void answerSafely(OpenPartition open, Request request, Consumer<Reply> to) {
    Consumer<Reply> checked = reply -> to.accept(checked(open, request, reply));
    try {
      answer(open, request, checked);
    } catch (StablecutException e) {
      checked.accept(new Reply.Failed(e));
    } catch (RuntimeException | Error e) {
      // The sender of a message repeats it if it needs the outcome.
      boolean mayBeWritten = request.isWrite() && !(request instanceof Request.Deliver);
      checked.accept(fault(open, mayBeWritten, e));
    }
  }

  /**
   * Handles an unexpected failure. Logged unless the partition was closed meanwhile.
   *
   * @param isWrite whether something may have been written
   */
  private static Reply fault(OpenPartition open, boolean isWrite, Throwable cause) {
    int partition = open.partition().number();
    if (open.isServing()) {
      FAILURES.ifAdmitted(
          more -> LOG.error("a request to partition {} has failed{}", partition, more, cause));
    }
    StoreIoException failure = NodeFaults.ofPartition(partition, cause);
    return new Reply.Failed(isWrite ? NodeFaults.unknownOutcome(failure) : failure);
  }

  /**
   * Returns the reply to send although the partition may have been handed off meanwhile. A write is
   * durable, and the next owner has it; a read, or a failed write, is repeated at the next owner.
   */
  private static Reply checked(OpenPartition open, Request request, Reply reply) {
    if (open.isServing()) {
      return reply;
    }
    boolean isNothingWritten =
        (reply instanceof Reply.Failed failed
                && !(failed.failure() instanceof JournalFailedException)
                && !(failed.failure() instanceof OutcomeUnknownException))
            || (reply instanceof Reply.ConditionalOutcome tried && !tried.isWritten());
    return isNothingWritten || !request.isWrite() ? new Reply.Stale(0) : reply;
  }

  private void answer(OpenPartition open, Request request, Consumer<Reply> to) {
    request.handTo(new Answer(open, to));
  }

  /** Executes a request and passes on its reply. */
  private final class Answer implements Request.Receiver, Request.PartitionReceiver {
    private final OpenPartition open;
    private final Partition partition;
    private final Consumer<Reply> to;

    Answer(OpenPartition open, Consumer<Reply> to) {
      this.open = open;
      this.partition = open.partition();
      this.to = to;
    }

    @Override
    public void present(Request.Present request) {
      to.accept(new Reply.Vector(partition.sharedNow()));
    }

    @Override
    public void toPartition(Request.ToPartition request) {
      request.handTo((Request.PartitionReceiver) this);
    }

    @Override
    public void toNode(Request.ToNode request) {
      throw new StoreIoException(
          "a request about a move names an epoch of partition %d: run the same version on all nodes"
              .formatted(partition.number()));
    }

    @Override
    public void read(Request.Read request) {
      Footprint part = QuestionCodec.decodeFootprint(request.part());
      to.accept(
          new Reply.ObjectVersion(
              partition.versionAt(request.id(), request.at()).map(found -> found.narrowed(part)),
              partition.pruneFrontier(request.at())));
    }

    @Override
    public void query(Request.Query request) {
      Question<?> question = QuestionCodec.decodeQuestion(request.question());
      if (question instanceof NamedQuestion<?> call) {
        calls.execute(call, known -> answered(() -> answer(request, known)), to);
      } else {
        to.accept(answer(request, question));
      }
    }

    private Reply answered(Supplier<Reply> answer) {
      try {
        return answer.get();
      } catch (StablecutException e) {
        return new Reply.Failed(e);
      } catch (Throwable e) {
        return fault(open, false, e); // also a checked exception that code of users has thrown
      }
    }

    private <A> Reply answer(Request.Query request, Question<A> question) {
      A answer = partition.ask(request.id(), request.type(), question, request.at());
      return new Reply.Answer(QuestionCodec.encodeAnswer(question, answer));
    }

    @Override
    public void downstream(Request.Downstream request) {
      Object operation = CallTypes.decodeOperation(request.type(), request.operation().unwrap());
      SelfDots dots = new SelfDots(request.dots());
      OperationContext context = new OperationContext(partition.dataCentre(), request.at(), dots);
      Object effect = partition.downstream(request.id(), request.type(), operation, context);
      to.accept(
          new Reply.Effect(
              Bytes.wrap(CallTypes.encodeEffect(request.type(), effect)),
              dots.taken(),
              partition.pruneFrontier(request.at())));
    }

    @Override
    public void presentOf(Request.PresentOf request) {
      to.accept(new Reply.Vector(partition.present(request.id())));
    }

    @Override
    public void check(Request.Check request) {
      partition.check(request.at());
      to.accept(new Reply.Done());
    }

    @Override
    public void holdLease(Request.HoldLease request) {
      leases.hold(partition, request);
      to.accept(new Reply.Done());
    }

    @Override
    public void releaseLease(Request.ReleaseLease request) {
      leases.release(request.lease());
      to.accept(new Reply.Done());
    }

    @Override
    public void commit(Request.Commit request) {
      RequestServer.this.commit(open, request, to);
    }

    @Override
    public void latest(Request.Latest request) {
      to.accept(RequestServer.latest(open, request));
    }

    @Override
    public void commitIf(Request.CommitIf request) {
      to.accept(RequestServer.commitIf(partition, request));
    }

    @Override
    public void execute(Request.Execute request) {
      to.accept(RequestServer.execute(partition, request));
    }

    @Override
    public void awaitDurable(Request.AwaitDurable request) {
      to.accept(RequestServer.awaitDurable(open, request));
    }

    @Override
    public void scan(Request.Scan request) {
      to.accept(page(partition, request));
    }

    @Override
    public void commits(Request.Commits request) {
      to.accept(new Reply.Commits(partition.commits(request.reading())));
    }

    @Override
    public void backup(Request.Backup request) {
      to.accept(new Reply.Answer(partition.backup(request.reading()).encode()));
    }

    @Override
    public void checkpoint(Request.Checkpoint request) {
      partition.checkpoint();
      to.accept(new Reply.Done());
    }

    @Override
    public void deliver(Request.Deliver request) {
      open.receive(request.message());
    }
  }

  private void commit(OpenPartition open, Request.Commit commit, Consumer<Reply> to) {
    FireAndForget.whenDone(
        open.partition().commitAsync(commit.request(), writes.threads),
        (vector, failure) -> to.accept(outcome(open, vector, failure)));
  }

  private static Reply outcome(
      OpenPartition open, VectorClock vector, @Nullable Throwable failure) {
    if (failure == null) {
      return new Reply.Vector(vector);
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof StablecutException known
        ? new Reply.Failed(known)
        : fault(open, true, cause);
  }

  private static Reply latest(OpenPartition open, Request.Latest request) {
    ConditionalWrites.Latest latest =
        open.partition().conditional().latest(request.claimed(), request.ids());
    return new Reply.Latest(
        open.epoch(),
        latest.at(),
        open.partition().pruneFrontier(latest.at()),
        latest.versions(),
        latest.seen());
  }

  private static Reply commitIf(Partition partition, Request.CommitIf commit) {
    return partition
        .conditional()
        .commitIf(commit.request(), commit.seen())
        .<Reply>map(Reply.Vector::new)
        .orElseGet(Reply.PreconditionFailed::new);
  }

  private static Reply execute(Partition partition, Request.Execute request) {
    ConditionalBatch batch = ConditionalBatchCodec.decode(request.batch());
    Bytes[] answers = {Bytes.EMPTY};
    // Encoded before the write: afterwards, no failure may suggest that nothing was written.
    ConditionalWrites.Outcome outcome =
        batch.executeOn(
            partition,
            request.claimed(),
            found -> answers[0] = ConditionalBatchCodec.encodeAnswers(batch, found));
    return new Reply.ConditionalOutcome(outcome.isWritten(), outcome.at(), answers[0]);
  }

  private static Reply awaitDurable(OpenPartition open, Request.AwaitDurable await) {
    if (open.epoch() != await.epoch()) {
      return new Reply.PreconditionFailed();
    }
    open.partition().conditional().awaitDurable(await.seen());
    return new Reply.Done();
  }

  static Reply.Page page(Partition partition, Request.Scan scan) {
    partition.check(scan.at());
    Reply.Page page = page(partition::scan, scan);
    partition.check(scan.at());
    return page;
  }

  /** Like {@link #page(Partition, Request.Scan)}, for any source of the objects of a range. */
  static Reply.Page page(
      BiFunction<ScanPlan, VectorClock, FoundObjects> objectsAt, Request.Scan scan) {
    IdRange range =
        scan.until()
            .map(until -> IdRange.between(scan.from(), until))
            .orElseGet(() -> IdRange.from(scan.from()));
    ScanPlan plan = new ScanPlan(range, scan.isDescending(), scan.isKeysOnly(), scan.maxObjects());
    List<FoundObject> page = new ArrayList<>();
    long bytes = 0;
    try (FoundObjects objects = objectsAt.apply(plan, scan.at())) {
      Optional<FoundObject> next = objects.next();
      while (next.isPresent() && bytes < PAGE_BYTES && page.size() < plan.maxObjects()) {
        page.add(next.get());
        bytes +=
            next.get().id().length()
                + 64
                + next.get().version().map(Version::wholeBytes).orElse(0L);
        next = objects.next();
      }
      return new Reply.Page(page, next.map(FoundObject::id));
    }
  }
}
