package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends this node's requests to partitions and nodes; large requests go to nodes, in fragments. A
 * request before {@link #connect} is lost, and retried like any lost request. Thread-safe.
 */
public final class OutboundRequests implements PendingRequests.Sender {
  private final MembershipView view;
  private final NodeClock clock;
  private final NodePartitions partitions;
  private final OutboundFragments fragments;
  private volatile Optional<Transport> transport = Optional.empty();
  private volatile Links links = Links.NONE;

  public OutboundRequests(
      MembershipView view,
      NodeClock clock,
      NodePartitions partitions,
      OutboundFragments fragments) {
    this.view = view;
    this.clock = clock;
    this.partitions = partitions;
    this.fragments = fragments;
  }

  /** Connects this node to the others. */
  public void connect(Transport connected) {
    transport = Optional.of(connected);
  }

  /** Uses direct connections, where available, for small requests that change nothing. */
  public void connect(Links direct) {
    links = direct;
  }

  @Override
  public Links.@Nullable Link link(String node) {
    return links.to(node);
  }

  @Override
  public boolean tellOnLink(String node, int partition, Bytes message) {
    return links.tell(node, partition, message);
  }

  @Override
  public void send(int partition, long epoch, long number, Bytes request) {
    transport.ifPresent(
        connection ->
            connection.sendToPartition(envelope(connection, partition, epoch, number, request)));
  }

  @Override
  public void sendTo(
      String address,
      int partition,
      long epoch,
      long number,
      Bytes request,
      Consumer<Boolean> done) {
    if (transport.isEmpty()) {
      done.accept(false);
      return;
    }
    Transport connection = transport.get();
    if (!OutboundFragments.isLarge(request)) {
      connection.send(address, envelope(connection, partition, epoch, number, request));
      done.accept(true);
      return;
    }
    fragments.send(
        address,
        number,
        request,
        (part, isLast) ->
            connection.send(
                address,
                isLast
                    ? envelope(connection, partition, epoch, number, Bytes.EMPTY).with(part)
                    : new NodeMessage.FragmentMessage(partition, number, connection.self(), part)),
        done);
  }

  @Override
  public void forget(long number) {
    fragments.forget(number);
  }

  private NodeMessage.RequestEnvelope envelope(
      Transport connection, int partition, long epoch, long number, Bytes request) {
    Fragment whole = new Fragment(0, request);
    return new NodeMessage.RequestEnvelope(
        partition, epoch, number, clock.now(), connection.self(), whole);
  }

  /**
   * Forwards a request to the partition's next owner if the sender knows that owner already and
   * Akka's sharding does not. Returns whether the request was forwarded.
   */
  public boolean forward(NodeMessage.RequestEnvelope request) {
    MembershipView.Owner next = view.owner(request.partition());
    boolean isElsewhere =
        request.epoch() == next.epoch()
            && next.isReachable()
            && !next.node().equals(partitions.name())
            && partitions.server().find(request.partition()).isEmpty();
    if (isElsewhere) {
      transport.ifPresent(connection -> connection.send(next.address(), request));
    }
    return isElsewhere;
  }
}
