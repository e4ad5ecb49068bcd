package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * Brings this node's requests to partitions and to nodes; large ones go to nodes, in pieces. What
 * is sent before it is connected is lost, and asked again as any that gets no answer. Thread-safe.
 */
public final class OutboundRequests implements PendingRequests.Post {
  private final MembershipView view;
  private final NodeClock clock;
  private final NodePartitions partitions;
  private final OutboundFragments outbox;
  private volatile Optional<Transport> transport = Optional.empty();

  public OutboundRequests(
      MembershipView view, NodeClock clock, NodePartitions partitions, OutboundFragments outbox) {
    this.view = view;
    this.clock = clock;
    this.partitions = partitions;
    this.outbox = outbox;
  }

  /** From now on nodes can be asked. */
  public void connect(Transport connected) {
    transport = Optional.of(connected);
  }

  @Override
  public void send(int partition, long epoch, long number, Bytes request) {
    transport.ifPresent(
        way -> way.sendToPartition(envelope(way, partition, epoch, number, request)));
  }

  @Override
  public void sendTo(
      String address, int partition, long epoch, long number, Bytes request, Runnable done) {
    if (transport.isEmpty()) {
      done.run();
      return;
    }
    Transport way = transport.get();
    if (!OutboundFragments.isLarge(request)) {
      way.send(address, envelope(way, partition, epoch, number, request));
      done.run();
      return;
    }
    outbox.send(
        address,
        number,
        request,
        (part, isLast) ->
            way.send(
                address,
                isLast
                    ? envelope(way, partition, epoch, number, Bytes.EMPTY).with(part)
                    : new NodeMessage.FragmentMessage(partition, number, way.self(), part)),
        done);
  }

  @Override
  public void forget(long number) {
    outbox.forget(number);
  }

  private NodeMessage.RequestEnvelope envelope(
      Transport way, int partition, long epoch, long number, Bytes request) {
    Fragment whole = new Fragment(0, request);
    return new NodeMessage.RequestEnvelope(
        partition, epoch, number, clock.now(), way.self(), whole);
  }

  /**
   * Sends a request on to the partition's next owner, if the sender knows it and Akka does not yet.
   */
  public boolean forward(NodeMessage.RequestEnvelope ask) {
    MembershipView.Owner next = view.owner(ask.partition());
    boolean isElsewhere =
        ask.epoch() == next.epoch()
            && next.isReachable()
            && !next.node().equals(partitions.name())
            && partitions.owner().find(ask.partition()).isEmpty();
    if (isElsewhere) {
      transport.ifPresent(way -> way.send(next.address(), ask));
    }
    return isElsewhere;
  }
}
