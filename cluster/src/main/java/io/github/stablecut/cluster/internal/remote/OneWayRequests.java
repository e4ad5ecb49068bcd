package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Sends nodes requests that need no reply. They may be lost. The sender of a recent request is
 * notified if the receiver refused it. Thread-safe.
 */
final class OneWayRequests {
  /** The most requests whose refusal is tracked; a refusal arrives soon or not at all. */
  private static final int MAX_REFUSABLE = 1_000;

  /** Receives the outcome of a request. */
  @FunctionalInterface
  interface SendListener {
    /** The request is with the network, or lost. May be called twice. */
    void done();

    /** The receiver had no memory for the request and has dropped it. */
    default void refused() {}
  }

  private final MembershipView view;
  private final Supplier<Links> links;
  private final LongSupplier numbers;
  private final Executor executor;

  @GuardedBy("this")
  private final Map<Long, SendListener> refusable = new LinkedHashMap<>();

  /**
   * @param links the present connections
   * @param numbers generates the numbers of requests
   * @param executor resumes requests that have waited for memory; does not block
   */
  OneWayRequests(
      MembershipView view, Supplier<Links> links, LongSupplier numbers, Executor executor) {
    this.view = view;
    this.links = links;
    this.numbers = numbers;
    this.executor = executor;
  }

  /** Sends a small request. */
  void tell(String node, int partition, Request request) {
    if (view.nodes().containsKey(node)) {
      tell(new Destination(node, partition), request, () -> {});
    }
  }

  /**
   * Sends a request; a large one is sent once there is memory for it.
   *
   * @param memory the budget of such requests, from their encoding until they are with the network
   * @param listener receives the outcome
   * @return whether the node is reachable
   */
  boolean tell(
      String node, int partition, Request request, TrafficBudget memory, SendListener listener) {
    if (!view.nodes().containsKey(node)) {
      listener.done();
      return false;
    }
    Destination to = new Destination(node, partition);
    if (request.largeBytes() <= Links.MAX_MESSAGE_BYTES) {
      tell(to, request, listener);
      return true;
    }
    TrafficBudget.whenGranted(
        memory.request(request.largeBytes()),
        executor,
        (reservation, failure) -> {
          if (reservation == null) {
            listener.done();
          } else {
            tell(to, request, reservation, listener);
          }
        });
    return true;
  }

  private record Destination(String node, int partition) {}

  /** Releases memory once a request is with the network. */
  private record ReleasingListener(SendListener listener, TrafficBudget.Reservation reservation)
      implements SendListener {
    @Override
    public void done() {
      reservation.close();
      listener.done();
    }

    @Override
    public void refused() {
      listener.refused();
    }
  }

  private void tell(
      Destination to,
      Request request,
      TrafficBudget.Reservation reservation,
      SendListener listener) {
    try {
      tell(to, request, new ReleasingListener(listener, reservation));
    } catch (RuntimeException | Error e) {
      reservation.close();
      listener.done();
      throw e;
    }
  }

  private void tell(Destination to, Request request, SendListener listener) {
    try {
      Bytes encoded = RequestCodec.encode(request);
      if (Links.carryMessage(encoded)) {
        links.get().tell(to.node, to.partition, encoded);
        listener.done();
      } else {
        long number = numbers.getAsLong();
        if (request.largeBytes() > TrafficBudget.SMALL_BYTES) {
          remember(number, listener);
        }
        links.get().send(to.node, to.partition, 0, number, encoded, isSent -> listener.done());
      }
    } catch (RuntimeException | Error e) {
      // No other code reports it: for example, without memory the request never reaches the
      // network.
      listener.done();
      throw e;
    }
  }

  private synchronized void remember(long number, SendListener listener) {
    refusable.put(number, listener);
    if (refusable.size() > MAX_REFUSABLE) {
      refusable.remove(refusable.keySet().iterator().next());
    }
  }

  /** The receiver of a request has no memory for it. */
  void refused(long number) {
    SendListener listener;
    synchronized (this) {
      listener = refusable.remove(number);
    }
    if (listener != null) {
      listener.refused();
    }
  }
}
