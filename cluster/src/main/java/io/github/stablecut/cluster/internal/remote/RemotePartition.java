package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.ConditionalWrites;
import io.github.stablecut.internal.partition.Message;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A partition on another node: what is asked of its owner, whoever that is. Thread-safe; but for
 * {@link #tell} and {@link #receive} everything waits for the answer.
 */
final class RemotePartition {
  private static final Duration CHECKPOINT_TIMEOUT = Duration.ofMinutes(10);

  /** The owner waits as long as its options say, and the answer takes a while. */
  private static final Duration WAY = Duration.ofSeconds(5);

  /** So often others may be faster than a conditional write. */
  private static final int MAX_ATTEMPTS = 1_000;

  private final int number;
  private final ClusterPartition.Node node;
  private final Duration readTimeout;
  private final Duration commitTimeout;

  /** The greatest frontier that the owner has told; whatever is at or before it is pruned alike. */
  private volatile VectorClock frontier = VectorClock.ZERO;

  RemotePartition(int number, ClusterPartition.Node node) {
    this.number = number;
    this.node = node;
    this.readTimeout = node.options().timeouts().read().plus(WAY);
    this.commitTimeout = node.options().timeouts().commit().plus(WAY);
  }

  VectorClock present(Bytes id) {
    return ((Reply.At) ask(new Request.PresentOf(id))).vector();
  }

  void check(VectorClock snapshot) {
    var unused = ask(new Request.Check(snapshot));
  }

  void hold(long claim, VectorClock snapshot) {
    var unused = ask(new Request.Hold(claim, snapshot));
  }

  Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    Reply.Found found = (Reply.Found) ask(new Request.Read(id, snapshot));
    raise(found.frontier());
    return found.version();
  }

  Reply.Page page(Request.Scan scan) {
    return (Reply.Page) ask(scan);
  }

  private Reply ask(Request request) {
    return node.asks().join(number, request, readTimeout);
  }

  private synchronized void raise(VectorClock told) {
    frontier = frontier.join(told);
  }

  VectorClock pruneFrontier(VectorClock snapshot) {
    return frontier.meet(snapshot);
  }

  @CanIgnoreReturnValue
  Reply.Done checkpoint() {
    return (Reply.Done) node.asks().join(number, new Request.Checkpoint(), CHECKPOINT_TIMEOUT);
  }

  VectorClock commit(CommitRequest request) {
    Request commit = new Request.Commit(request);
    return ((Reply.At) node.asks().join(number, commit, commitTimeout)).vector();
  }

  CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    return node.asks()
        .ask(number, new Request.Commit(request), commitTimeout)
        .thenApplyAsync(reply -> ((Reply.At) PendingRequests.checked(reply)).vector(), executor);
  }

  /** Reads, has the write made of that, and has it written if nobody was faster; or again. */
  ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      List<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      Optional<ConditionalWrites.Outcome> outcome = tryWriteIf(claimed, ids, body);
      if (outcome.isPresent()) {
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
    Reply.Latest told = (Reply.Latest) ask(new Request.Latest(claimed, ids));
    raise(told.frontier());
    ConditionalWrites.Latest latest =
        new ConditionalWrites.Latest(told.at(), told.versions(), told.seen());
    Optional<CommitRequest> request = body.apply(latest);
    Request next =
        request
            .<Request>map(write -> new Request.CommitIf(told.seen(), write))
            .orElseGet(() -> new Request.AwaitDurable(told.epoch(), latest.newest()));
    Reply reply = node.asks().join(number, next, commitTimeout);
    if (reply instanceof Reply.Changed) {
      return Optional.empty();
    }
    return Optional.of(
        reply instanceof Reply.At at
            ? new ConditionalWrites.Outcome(true, at.vector())
            : new ConditionalWrites.Outcome(false, told.at()));
  }

  /** Sends something that has no answer. */
  void tell(Request request) {
    node.asks().tell(number, request);
  }

  /** Sends a message of a driver; answers at once if the owner can't be reached. */
  void receive(Message.ToPartition message) {
    MembershipView.Owner owner = node.view().owner(number);
    if (owner.isReachable()) {
      tell(new Request.Deliver(message));
    } else if (message instanceof Message.Open open) {
      refuse(open.driver(), new Message.Refused(number, PendingRequests.unavailable(owner)));
    } else if (message instanceof Message.Prepare prepare) {
      refuse(prepare.driver(), new Message.Refused(number, PendingRequests.unavailable(owner)));
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
    node.executor().execute(() -> driver.tell(answer));
  }
}
