package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.transaction.BufferLimit;
import io.github.stablecut.option.Certification;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The interactive transactions of all connections, by descriptor. A descriptor is good on any
 * connection, and can't be guessed. Whoever is not heard of for too long is aborted. Thread-safe.
 */
public final class OpenTransactions {
  /** A descriptor begins with the hash of the name of the node that it is good at. */
  private static final int NODE_BYTES = Integer.BYTES;

  private static final int RANDOM_BYTES = 12;

  /** Why a transaction was aborted. */
  private enum Why {
    IDLE,
    ABANDONED
  }

  /** So many descriptors of transactions that the server has aborted are remembered. */
  private static final int REMEMBERED = 10_000;

  private final TransactionLimits limits;
  private final NanoClock clock;
  private final String node;
  private final Supplier<Set<String>> nodes;
  private final SecureRandom random = new SecureRandom();
  private final Map<Bytes, OpenTransaction> open = new ConcurrentHashMap<>();
  private final BufferLimit room;
  private final HandleQuota places;

  /** Those that were aborted, and why. */
  private final Map<Bytes, Why> aborted =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Bytes, Why> eldest) {
              return size() > REMEMBERED;
            }
          });

  /**
   * None yet.
   *
   * @param node the name of this node; empty if the server is in no cluster
   * @param nodes the names of the nodes that can be reached
   */
  public OpenTransactions(
      TransactionLimits limits, NanoClock clock, String node, Supplier<Set<String>> nodes) {
    this.limits = limits;
    this.clock = clock;
    this.node = node;
    this.nodes = nodes;
    this.places =
        new HandleQuota(
            new HandleQuota.Kind(
                "transactions",
                "transactions.max-open",
                "commit or abort some",
                Optional.of(
                    new HandleQuota.Most(
                        limits.perConnection(), "transactions.max-per-connection"))),
            limits.all(),
            limits.shares());
    this.room = new BufferLimit(limits.bytes(), BusyException::new);
  }

  /**
   * Begins one.
   *
   * @return its descriptor
   * @throws BusyException if there are as many as allowed
   */
  Bytes begin(Client client, Supplier<Transaction> begin) {
    HandleQuota.Place place = places.take(client, this::tryReclaim);
    try {
      Transaction transaction = begin.get();
      try {
        return keep(client, place, transaction);
      } catch (RuntimeException | Error e) {
        transaction.close();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      place.free();
      throw e;
    }
  }

  private Bytes keep(Client client, HandleQuota.Place place, Transaction transaction) {
    if (transaction instanceof BufferLimit.Counted counted) {
      counted.countIn(room);
    }
    Bytes descriptor = descriptor(Clocks.of(transaction.snapshot()));
    open.put(descriptor, new OpenTransaction(client, place, transaction, clock.nanos()));
    return descriptor;
  }

  /** Aborts the transaction of the client that has been disconnected for longest. */
  private boolean tryReclaim(Predicate<HandleQuota.Place> isUseful) {
    long now = clock.nanos();
    Predicate<OpenTransaction> isReclaimable =
        one ->
            isUseful.test(one.place())
                && isAbandoned(one, now, HandleShares.RECLAIMABLE_AFTER.toNanos());
    Optional<OpenTransaction> longestGone =
        Client.longestGone(
            open.values().stream().filter(isReclaimable), OpenTransaction::user, now);
    longestGone.ifPresent(
        found -> abort(Why.ABANDONED, one -> one == found && isReclaimable.test(one)));
    return longestGone.isPresent();
  }

  private static boolean isAbandoned(OpenTransaction one, long nowNanos, long nanos) {
    return one.user().isGone(nowNanos, nanos) && one.isIdle(nowNanos, nanos);
  }

  /** The node, random bytes, and then the snapshot's clock, for clients that know Stablecut. */
  private Bytes descriptor(Bytes clock) {
    byte[] own = new byte[RANDOM_BYTES];
    random.nextBytes(own);
    ByteBuffer descriptor = ByteBuffer.allocate(NODE_BYTES + RANDOM_BYTES + clock.length());
    descriptor.putInt(node.hashCode()).put(own);
    clock.copyInto(descriptor.array(), descriptor.position());
    return Bytes.wrap(descriptor.array());
  }

  /** What is said of a descriptor that is of another node; empty if it is not. */
  private Optional<String> elsewhere(Bytes descriptor) {
    if (node.isEmpty() || descriptor.length() < NODE_BYTES + RANDOM_BYTES) {
      return Optional.empty();
    }
    int begun = ByteBuffer.wrap(descriptor.toArray()).getInt();
    if (begun == node.hashCode()) {
      return Optional.empty();
    }
    return Optional.of(
        nodes.get().stream()
            .filter(other -> other.hashCode() == begun)
            .findFirst()
            .map(
                other ->
                    "the transaction was begun at node %s, and this is node %s: use it at the node that has begun it, or begin another"
                        .formatted(other, node))
            .orElseGet(
                () ->
                    "the transaction was begun at a node that node %s can't reach now: use it at the node that has begun it, or begin another"
                        .formatted(node)));
  }

  /**
   * An open one.
   *
   * @param client the connection that uses it
   * @throws TransactionExpiredException if it was aborted for idleness
   * @throws TransactionEndedException if there is none
   */
  OpenTransaction get(Client client, Bytes descriptor) {
    OpenTransaction found = open.get(descriptor);
    if (found == null) {
      throw missing(descriptor);
    }
    found.usedBy(client);
    return found;
  }

  /** Takes one out: it ends, whatever comes. Throws as {@link #get}. */
  OpenTransaction remove(Bytes descriptor) {
    OpenTransaction found = open.remove(descriptor);
    if (found == null) {
      throw missing(descriptor);
    }
    found.freePlace();
    return found;
  }

  /** Ends one without effect, if there is such a one. */
  void letGo(Bytes descriptor) {
    OpenTransaction found = open.remove(descriptor);
    if (found != null) {
      found.freePlace();
      found.close();
    }
  }

  private RuntimeException missing(Bytes descriptor) {
    Optional<String> elsewhere = elsewhere(descriptor);
    if (elsewhere.isPresent()) {
      return new TransactionEndedException(elsewhere.get());
    }
    Why why = aborted.get(descriptor);
    if (why == null) {
      return new TransactionEndedException(
          "no transaction is open with this descriptor: it was committed or aborted, or the"
              + " server was started again since; begin another");
    }
    return new TransactionExpiredException(
        switch (why) {
          case IDLE ->
              "the transaction was unused for more than %s and was aborted: begin again, or raise transactions.idle-timeout"
                  .formatted(DurationWords.of(limits.idle()));
          case ABANDONED ->
              "the connection that had used the transaction last was closed, no other one used it for %s or its place was needed, and it was aborted: begin again, or raise handles.disconnected-timeout"
                  .formatted(DurationWords.of(limits.shares().disconnected()));
        });
  }

  /** One is still needed by a connection; returns whether it is there. */
  boolean renew(Client client, Bytes descriptor) {
    OpenTransaction found = open.get(descriptor);
    if (found != null) {
      found.usedBy(client);
      found.renew(clock);
    }
    return found != null;
  }

  /** Aborts those that nobody has used for too long, and those of clients that do not come back. */
  public void abortIdle() {
    long now = clock.nanos();
    abort(Why.IDLE, one -> one.isIdle(now, limits.idle().toNanos()));
    long disconnected = limits.shares().disconnected().toNanos();
    abort(Why.ABANDONED, one -> isAbandoned(one, now, disconnected));
  }

  private void abort(Why why, Predicate<OpenTransaction> which) {
    open.forEach(
        (descriptor, transaction) -> {
          if (which.test(transaction) && open.remove(descriptor, transaction)) {
            aborted.put(descriptor, why);
            transaction.freePlace();
            transaction.close();
          }
        });
  }

  /** Aborts all. */
  public void abortAll() {
    open.forEach(
        (descriptor, transaction) -> {
          if (open.remove(descriptor, transaction)) {
            transaction.freePlace();
            transaction.close();
          }
        });
  }

  /** How many are open. */
  public int count() {
    return open.size();
  }

  /** How much the updates of all take in memory. */
  public long bytes() {
    return room.taken();
  }

  /** What makes the commit of a client fail that says nothing else. */
  Certification certification() {
    return limits.certification();
  }

  NanoClock clock() {
    return clock;
  }
}
