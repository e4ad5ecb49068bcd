package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** Sends nodes requests that need no reply. They may be lost. Thread-safe. */
final class OneWayRequests {
  private final MembershipView view;
  private final PendingRequests.Sender sender;
  private final LongSupplier numbers;
  private final Executor executor;

  /**
   * @param numbers the numbers of further requests
   * @param executor continues requests that have waited for memory; does not block
   */
  OneWayRequests(
      MembershipView view, PendingRequests.Sender sender, LongSupplier numbers, Executor executor) {
    this.view = view;
    this.sender = sender;
    this.numbers = numbers;
    this.executor = executor;
  }

  /** Sends a small request. */
  void tell(String node, int partition, Request request) {
    String address = view.nodes().get(node);
    if (address != null) {
      tell(new To(node, address, partition), request, () -> {});
    }
  }

  /**
   * Sends a request, once there is memory for it if it is large.
   *
   * @param memory of such requests, from their encoding until they are with the network
   * @param done called when it is with the network, or lost; perhaps twice
   * @return whether the node is there
   */
  boolean tell(String node, int partition, Request request, TrafficBudget memory, Runnable done) {
    String address = view.nodes().get(node);
    if (address == null) {
      done.run();
      return false;
    }
    To to = new To(node, address, partition);
    if (request.largeBytes() <= Links.MAX_MESSAGE_BYTES) {
      tell(to, request, done);
      return true;
    }
    TrafficBudget.whenGranted(
        memory.request(request.largeBytes()),
        executor,
        (reservation, failure) -> {
          if (reservation == null) {
            done.run();
          } else {
            tell(to, request, reservation, done);
          }
        });
    return true;
  }

  private record To(String node, String address, int partition) {}

  private void tell(To to, Request request, TrafficBudget.Reservation reservation, Runnable done) {
    try {
      tell(
          to,
          request,
          () -> {
            reservation.close();
            done.run();
          });
    } catch (RuntimeException | Error e) {
      reservation.close();
      done.run();
      throw e;
    }
  }

  /**
   * @param done called when it is with the network, or lost; perhaps twice
   */
  private void tell(To to, Request request, Runnable done) {
    try {
      Bytes encoded = RequestCodec.encode(request);
      if (Links.carryMessage(encoded) && sender.tellOnLink(to.node, to.partition, encoded)) {
        done.run();
      } else {
        sender.sendTo(
            to.address, to.partition, 0, numbers.getAsLong(), encoded, isSent -> done.run());
      }
    } catch (RuntimeException | Error e) {
      // Nobody else may say so: without memory, say, it does not come as far as the network.
      done.run();
      throw e;
    }
  }
}
