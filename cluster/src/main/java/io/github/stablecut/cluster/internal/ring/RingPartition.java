package io.github.stablecut.cluster.internal.ring;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.ConflictException;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.ConditionalWrites;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.journal.JournalFailedException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A partition of the ring: the partition itself if it is on this node, and questions to its owner
 * if it is not. Thread-safe.
 */
final class RingPartition implements PartitionAccess {
  private static final Duration CHECKPOINT_TIMEOUT = Duration.ofMinutes(10);

  /** A held snapshot is asked for again after this time. */
  private static final long RENEW_NANOS = 5_000_000_000L;

  /** So often others may be faster than a conditional write. */
  private static final int MAX_ATTEMPTS = 1_000;

  private static final AtomicLong CLAIMS = new AtomicLong(ThreadLocalRandom.current().nextLong());

  /** What the partitions of a node share. */
  record Node(
      Owner owner,
      Asks asks,
      RingView view,
      NodeClock clock,
      StoreOptions options,
      Executor executor) {}

  private final int number;
  private final Node node;
  private final Map<Long, VectorClock> held = new ConcurrentHashMap<>();
  private volatile long renewed = System.nanoTime();

  /** The epoch of the owner that was asked last to keep what is held. */
  private volatile long renewedFor;

  /** The greatest frontier that the owner has told; whatever is at or before it is pruned alike. */
  private volatile VectorClock frontier = VectorClock.ZERO;

  RingPartition(int number, Node node) {
    this.number = number;
    this.node = node;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public Optional<Partition> local() {
    return node.owner.find(number).map(OpenPartition::partition);
  }

  private @Nullable OpenPartition here() {
    return node.owner.find(number).orElse(null);
  }

  private Duration readTimeout() {
    return node.options.timeouts().read().plusSeconds(5);
  }

  private Duration commitTimeout() {
    return node.options.timeouts().commit().plusSeconds(5);
  }

  @Override
  public VectorClock stable() {
    return node.clock.snapshot();
  }

  @Override
  public VectorClock newest() {
    return node.clock.snapshot();
  }

  @Override
  public VectorClock snapshot() {
    return node.clock.snapshot();
  }

  @Override
  public VectorClock snapshotAfter(VectorClock vector) {
    if (vector.size() <= 1 && node.clock.admits(vector.max())) {
      node.clock.observe(vector.max());
    }
    return node.clock.snapshot();
  }

  @Override
  public VectorClock now() {
    return node.clock.snapshot();
  }

  @Override
  public VectorClock present() {
    OpenPartition here = here();
    return observed(here == null ? askPresent() : here.read(Partition::now, this::askPresent));
  }

  private VectorClock askPresent() {
    return ((Reply.At) node.asks.join(number, new Question.Present(), readTimeout())).vector();
  }

  @Override
  public boolean admits(VectorClock snapshot) {
    OpenPartition here = here();
    return here == null || here.partition().admits(snapshot);
  }

  @Override
  public void check(VectorClock snapshot) {
    OpenPartition here = here();
    if (here != null) {
      here.partition().check(snapshot);
    } else if (isOld(snapshot) && node.view.owner(number).isReachable()) {
      var unused = node.asks.join(number, new Question.Check(snapshot), readTimeout());
    }
  }

  /** Whether a snapshot is not kept by its age alone. */
  private boolean isOld(VectorClock snapshot) {
    return Timestamp.epochMillis(node.clock.now()) - Timestamp.epochMillis(snapshot.max())
        > node.options.maxTransactionAge().toMillis();
  }

  @Override
  public Claim hold(VectorClock snapshot) {
    long claim = CLAIMS.incrementAndGet();
    if (here() == null) {
      var unused = node.asks.join(number, new Question.Hold(claim, snapshot), readTimeout());
    }
    var unused = held.put(claim, snapshot);
    return () -> {
      var unusedToo = held.remove(claim);
      if (here() == null) {
        node.asks.tell(number, new Question.Release(claim));
      }
    };
  }

  @Override
  public @Nullable Version hit(Bytes id, VectorClock snapshot) {
    Partition here = local().orElse(null);
    // Above the stable vector a look is not enough: a later commit could still come below it.
    return here != null && snapshot.isAtOrBefore(here.stable()) ? here.hit(id, snapshot) : null;
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    OpenPartition here = here();
    return here == null
        ? askVersion(id, snapshot)
        : here.read(partition -> partition.versionAt(id, snapshot), () -> askVersion(id, snapshot));
  }

  private Optional<Version> askVersion(Bytes id, VectorClock snapshot) {
    Reply.Found found =
        (Reply.Found) node.asks.join(number, new Question.Read(id, snapshot), readTimeout());
    raise(found.frontier());
    return found.version();
  }

  private synchronized void raise(VectorClock told) {
    frontier = frontier.join(told);
  }

  @Override
  public VectorClock pruneFrontier(VectorClock snapshot) {
    OpenPartition here = here();
    return here == null
        ? frontier.meet(snapshot)
        : here.read(partition -> partition.pruneFrontier(snapshot), () -> frontier.meet(snapshot));
  }

  @Override
  public VectorClock commit(CommitRequest request) {
    OpenPartition here = here();
    if (here != null) {
      try {
        return observed(here.partition().commit(request));
      } catch (RuntimeException e) {
        checkUnwritten(here, e);
      }
    }
    Question commit = new Question.Commit(request.toWire());
    return observed(((Reply.At) node.asks.join(number, commit, commitTimeout())).vector());
  }

  /** Whether a write that has failed is to be sent to the next owner; throws if it is not. */
  private static void checkUnwritten(OpenPartition here, RuntimeException failure) {
    if (here.isServing() || failure instanceof JournalFailedException) {
      throw failure;
    }
  }

  private VectorClock observed(VectorClock committed) {
    node.clock.observe(committed.max());
    return committed;
  }

  @Override
  public CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    OpenPartition here = here();
    if (here != null) {
      try {
        return here.partition().commitAsync(request, executor).thenApply(this::observed);
      } catch (RuntimeException e) {
        checkUnwritten(here, e);
      }
    }
    return node.asks
        .ask(number, new Question.Commit(request.toWire()), commitTimeout())
        .thenApplyAsync(reply -> observed(((Reply.At) Asks.checked(reply)).vector()), executor);
  }

  @Override
  public void awaitCapacity() {
    local().ifPresent(Partition::awaitCapacity);
  }

  @Override
  public void receive(Message.ToPartition message) {
    OpenPartition here = here();
    RingView.Owner owner = node.view.owner(number);
    if (here != null) {
      here.receive(message);
    } else if (owner.isReachable()) {
      node.asks.tell(number, new Question.Deliver(message));
    } else if (message instanceof Message.Open open) {
      refuse(open.driver(), new Message.Refused(number, Asks.unavailable(owner)));
    } else if (message instanceof Message.Prepare prepare) {
      refuse(prepare.driver(), new Message.Refused(number, Asks.unavailable(owner)));
    } else if (message instanceof Message.Decide decide) {
      refuse(
          decide.driver(),
          new Message.Refused(
              number,
              new OutcomeUnknownException(
                  "node %s, which owns partition %d, can't be reached any more: read to find out whether the transaction is committed"
                      .formatted(owner.node(), number))));
    }
  }

  /** Not at once: a driver is not told anything while it sends. */
  private void refuse(Message.Driver driver, Message.Refused answer) {
    node.executor.execute(() -> driver.tell(answer));
  }

  @Override
  public ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      Collection<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    OpenPartition here = here();
    if (here != null) {
      try {
        ConditionalWrites.Outcome outcome = here.partition().writeIf(claimed, ids, body);
        if (outcome.isWritten() || here.isServing()) {
          var unused = observed(outcome.at());
          return outcome;
        }
      } catch (RuntimeException e) {
        checkUnwritten(here, e);
      }
    }
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      Optional<ConditionalWrites.Outcome> outcome = tryWriteIf(claimed, List.copyOf(ids), body);
      if (outcome.isPresent()) {
        var unused = observed(outcome.get().at());
        return outcome.get();
      }
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000L * Math.min(attempt, 50)));
    }
    throw new ConflictException(
        "objects %s were changed by others %d times between reading and writing: try again later"
            .formatted(ids, MAX_ATTEMPTS));
  }

  private Optional<ConditionalWrites.Outcome> tryWriteIf(
      VectorClock claimed,
      List<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    Reply.Latest told =
        (Reply.Latest) node.asks.join(number, new Question.Latest(claimed, ids), readTimeout());
    raise(told.frontier());
    ConditionalWrites.Latest latest =
        new ConditionalWrites.Latest(told.at(), told.versions(), told.seen());
    Optional<CommitRequest> request = body.apply(latest);
    Question next =
        request
            .<Question>map(write -> new Question.CommitIf(told.seen(), write.toWire()))
            .orElseGet(() -> new Question.AwaitDurable(told.epoch(), latest.newest()));
    Reply reply = node.asks.join(number, next, commitTimeout());
    if (reply instanceof Reply.Changed) {
      return Optional.empty();
    }
    return Optional.of(
        reply instanceof Reply.At at
            ? new ConditionalWrites.Outcome(true, at.vector())
            : new ConditionalWrites.Outcome(false, told.at()));
  }

  @Override
  public FoundObjects scan(IdRange range, VectorClock snapshot) {
    return new RemoteScan(this::page, range, snapshot);
  }

  /** Page by page here too: between two of them the partition may be given away. */
  private Reply.Page page(Question.Scan scan) {
    OpenPartition here = here();
    return here == null
        ? askPage(scan)
        : here.read(partition -> Owner.page(partition, scan), () -> askPage(scan));
  }

  private Reply.Page askPage(Question.Scan scan) {
    return (Reply.Page) node.asks.join(number, scan, readTimeout());
  }

  /** Asks again for what is held, and has the partition send again what was not answered. */
  @Override
  public void tick() {
    OpenPartition here = here();
    long epoch = node.view.owner(number).epoch();
    boolean isNewOwner = epoch != renewedFor;
    renewedFor = epoch;
    if (here != null) {
      here.partition().tick();
    } else if (!held.isEmpty() && (isNewOwner || System.nanoTime() - renewed > RENEW_NANOS)) {
      renewed = System.nanoTime();
      held.forEach((claim, snapshot) -> node.asks.tell(number, new Question.Hold(claim, snapshot)));
    }
  }

  @Override
  public void checkpoint() {
    OpenPartition here = here();
    if (here == null) {
      askCheckpoint();
    } else {
      var unused =
          here.read(
              partition -> {
                partition.checkpoint();
                return new Reply.Done();
              },
              this::askCheckpoint);
    }
  }

  @CanIgnoreReturnValue
  private Reply.Done askCheckpoint() {
    return (Reply.Done) node.asks.join(number, new Question.Checkpoint(), CHECKPOINT_TIMEOUT);
  }

  private static void close(Partition partition) {
    try {
      partition.endClock();
    } catch (ReopenException e) {
      // The journal has failed or is closed; the next clock begins further ahead.
    }
    partition.close();
  }

  @Override
  public void close() {
    local().ifPresent(RingPartition::close);
  }
}
