package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.cluster.internal.wire.TransactionMessageCodec;
import io.github.stablecut.internal.partition.commit.Message;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Admits requests of other nodes unless their clock is too far ahead. Thread-safe.
 *
 * @param server executes the requests
 * @param clock this node's clock
 * @param writes lets each write be executed once
 * @param view the view that knows which nodes are lost
 */
public record RequestGate(
    RequestServer server,
    NodeClock clock,
    ReplySender replies,
    ReceivedWrites writes,
    MembershipView view) {
  /**
   * Answers a complete request.
   *
   * @param done called once its bytes are no longer needed
   */
  public void answer(RequestEnvelope request, Runnable done) {
    // These callbacks don't capture the request: a wait for the outcome of a large commit must not
    // retain its bytes.
    Requester from = request.from();
    long number = request.number();
    Consumer<Reply> to = reply -> replies.send(from, number, reply);
    boolean isCommit = RequestCodec.isCommit(request.request());
    if (isCommit) {
      if (!writes.begin(from, number)) {
        done.run();
        return;
      }
      to = reply -> writes.end(from, number, reply);
    }
    if (!clock.admits(request.clock())) {
      done.run();
      to.accept(refusal(request));
      return;
    }
    clock.observe(request.clock());
    try {
      server.answer(
          new RequestServer.EncodedRequest(
              request.partition(), request.epoch(), request.clock(), request.request()),
          driver -> new RemoteDriver(driver, from, clock, view),
          to,
          done);
    } catch (RuntimeException | Error e) {
      if (isCommit) {
        // A thread may or may not have accepted it; repetitions must not wait for it.
        to.accept(
            new Reply.Failed(
                NodeFaults.unknownOutcome(NodeFaults.ofPartition(request.partition(), e))));
      }
      throw e;
    }
  }

  /**
   * Answers a complete request at once if that neither waits nor takes long, or if it is refused.
   *
   * @return whether the request is answered
   */
  public boolean answerAtOnce(RequestEnvelope request) {
    if (!RequestCodec.isReadOfObject(request.request())) {
      return false;
    }
    if (!clock.admits(request.clock())) {
      replies.send(request, refusal(request));
      return true;
    }
    clock.observe(request.clock());
    Optional<Reply> reply =
        CacheHitReads.answer(
            server,
            new RequestServer.EncodedRequest(
                request.partition(), request.epoch(), request.clock(), request.request()));
    reply.ifPresent(known -> replies.send(request, known));
    return reply.isPresent();
  }

  private Reply refusal(RequestEnvelope request) {
    return new Reply.Failed(ClockDrift.of(request.clock(), clock));
  }

  /** The driver of a transaction on another node. */
  private record RemoteDriver(long number, Requester node, NodeClock clock, MembershipView view)
      implements Message.Driver {
    @Override
    public boolean isLost() {
      return view.isLost(node.address());
    }

    @Override
    public void tell(Message.ToDriver answer) {
      node.tellDriver(number, clock.now(), TransactionMessageCodec.encode(answer));
    }
  }
}
