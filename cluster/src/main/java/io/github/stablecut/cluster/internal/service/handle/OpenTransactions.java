package io.github.stablecut.cluster.internal.service.handle;

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
 * The open interactive transactions of all connections, by descriptor. Descriptors are valid on any
 * connection and can't be guessed. A transaction that is unused for too long is aborted.
 * Thread-safe.
 */
public final class OpenTransactions {
  /** A descriptor starts with the hash of the name of the node that issued it. */
  private static final int NODE_BYTES = Integer.BYTES;

  private static final int RANDOM_BYTES = 12;

  /** The reason why a transaction was aborted. */
  private enum AbortReason {
    IDLE,
    ABANDONED
  }

  /** The number of remembered descriptors of aborted transactions. */
  private static final int REMEMBERED = 10_000;

  private final TransactionLimits limits;
  private final NanoClock clock;
  private final String node;
  private final Supplier<Set<String>> nodes;
  private final SecureRandom random = new SecureRandom();
  private final Map<Bytes, OpenTransaction> open = new ConcurrentHashMap<>();
  private final BufferLimit buffers;
  private final HandleQuota quota;

  /** The newest aborted transactions, and why they were aborted. */
  private final Map<Bytes, AbortReason> aborted =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Bytes, AbortReason> eldest) {
              return size() > REMEMBERED;
            }
          });

  /**
   * Creates an empty table.
   *
   * @param node the name of this node; empty outside a cluster
   * @param nodes supplies the names of the reachable nodes
   */
  public OpenTransactions(
      TransactionLimits limits, NanoClock clock, String node, Supplier<Set<String>> nodes) {
    this.limits = limits;
    this.clock = clock;
    this.node = node;
    this.nodes = nodes;
    this.quota =
        new HandleQuota(
            new HandleQuota.Kind(
                "transactions",
                "transactions.max-open",
                "commit or abort some",
                Optional.of(
                    new HandleQuota.Limit(
                        limits.perConnection(), "transactions.max-per-connection"))),
            limits.all(),
            limits.shares());
    this.buffers = new BufferLimit(limits.bytes(), BusyException::new);
  }

  /**
   * Begins a transaction.
   *
   * @return its descriptor
   * @throws BusyException if the quota is exhausted
   */
  public Bytes begin(Client client, Supplier<Transaction> begin) {
    HandleQuota.Permit permit = quota.acquire(client, this::tryReclaim);
    try {
      Transaction transaction = begin.get();
      try {
        return keep(client, permit, transaction);
      } catch (RuntimeException | Error e) {
        transaction.close();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      permit.release();
      throw e;
    }
  }

  private Bytes keep(Client client, HandleQuota.Permit permit, Transaction transaction) {
    if (transaction instanceof BufferLimit.LimitedTransaction counted) {
      counted.countIn(buffers);
    }
    Bytes descriptor = descriptor(Clocks.of(transaction.snapshot()));
    open.put(descriptor, new OpenTransaction(client, permit, transaction, clock.nanos()));
    return descriptor;
  }

  /** Aborts the transaction of the client that has been disconnected for longest. */
  private boolean tryReclaim(Predicate<HandleQuota.Permit> isUseful) {
    long nowNanos = clock.nanos();
    Predicate<OpenTransaction> isReclaimable =
        transaction ->
            isUseful.test(transaction.permit())
                && isAbandoned(transaction, nowNanos, HandleShares.RECLAIMABLE_AFTER.toNanos());
    Optional<OpenTransaction> longestGone =
        Client.longestGone(
            open.values().stream().filter(isReclaimable), OpenTransaction::user, nowNanos);
    longestGone.ifPresent(
        found ->
            abort(
                AbortReason.ABANDONED,
                transaction -> transaction == found && isReclaimable.test(transaction)));
    return longestGone.isPresent();
  }

  private static boolean isAbandoned(OpenTransaction transaction, long nowNanos, long nanos) {
    return transaction.user().isGone(nowNanos, nanos) && transaction.isIdle(nowNanos, nanos);
  }

  /**
   * Creates a descriptor: the node's hash, random bytes, and the snapshot's clock, which
   * Stablecut's own clients read.
   */
  private Bytes descriptor(Bytes clock) {
    byte[] own = new byte[RANDOM_BYTES];
    random.nextBytes(own);
    ByteBuffer descriptor = ByteBuffer.allocate(NODE_BYTES + RANDOM_BYTES + clock.length());
    descriptor.putInt(node.hashCode()).put(own);
    clock.copyInto(descriptor.array(), descriptor.position());
    return Bytes.wrap(descriptor.array());
  }

  /** Returns the error message for a descriptor of another node; empty for one of this node. */
  private Optional<String> wrongNode(Bytes descriptor) {
    if (node.isEmpty() || descriptor.length() < NODE_BYTES + RANDOM_BYTES) {
      return Optional.empty();
    }
    int issuer = ByteBuffer.wrap(descriptor.toArray()).getInt();
    if (issuer == node.hashCode()) {
      return Optional.empty();
    }
    return Optional.of(
        nodes.get().stream()
            .filter(other -> other.hashCode() == issuer)
            .findFirst()
            .map(
                other ->
                    "the transaction was begun at node %s, and this is node %s: use it at the node where it was begun, or begin another"
                        .formatted(other, node))
            .orElseGet(
                () ->
                    "the transaction was begun at a node that node %s can't reach now: use it at the node where it was begun, or begin another"
                        .formatted(node)));
  }

  /**
   * Returns an open transaction.
   *
   * @param client the connection that uses it
   * @throws TransactionExpiredException if the server aborted it
   * @throws TransactionEndedException if no such transaction is open
   */
  public OpenTransaction get(Client client, Bytes descriptor) {
    OpenTransaction found = open.get(descriptor);
    if (found == null) {
      throw missing(descriptor);
    }
    found.usedBy(client);
    return found;
  }

  /** Removes a transaction, which the caller ends. Throws as {@link #get}. */
  public OpenTransaction remove(Bytes descriptor) {
    OpenTransaction found = open.remove(descriptor);
    if (found == null) {
      throw missing(descriptor);
    }
    found.releasePermit();
    return found;
  }

  /** Aborts a transaction, if it is open. */
  public void close(Bytes descriptor) {
    OpenTransaction found = open.remove(descriptor);
    if (found != null) {
      found.releasePermit();
      found.close();
    }
  }

  private RuntimeException missing(Bytes descriptor) {
    Optional<String> wrongNode = wrongNode(descriptor);
    if (wrongNode.isPresent()) {
      return new TransactionEndedException(wrongNode.get());
    }
    AbortReason reason = aborted.get(descriptor);
    if (reason == null) {
      return new TransactionEndedException(
          "no transaction is open with this descriptor: it was committed or aborted, or the"
              + " server was restarted; begin another");
    }
    return new TransactionExpiredException(
        switch (reason) {
          case IDLE ->
              "the transaction was unused for more than %s and was aborted: begin again, or raise transactions.idle-timeout"
                  .formatted(DurationWords.of(limits.idle()));
          case ABANDONED ->
              "the transaction was aborted: the connection that used it last was closed, and no other used it for %s, or the server had reached its limit of open transactions; begin again, or raise handles.disconnected-timeout"
                  .formatted(DurationWords.of(limits.shares().disconnected()));
        });
  }

  /** Renews a transaction for a connection; returns whether the transaction is open. */
  public boolean renew(Client client, Bytes descriptor) {
    OpenTransaction found = open.get(descriptor);
    if (found != null) {
      found.usedBy(client);
      found.renew(clock);
    }
    return found != null;
  }

  /** Aborts transactions that were idle, or whose client was disconnected, for too long. */
  public void abortIdle() {
    long nowNanos = clock.nanos();
    abort(AbortReason.IDLE, transaction -> transaction.isIdle(nowNanos, limits.idle().toNanos()));
    long disconnectedNanos = limits.shares().disconnected().toNanos();
    abort(
        AbortReason.ABANDONED,
        transaction -> isAbandoned(transaction, nowNanos, disconnectedNanos));
  }

  private void abort(AbortReason reason, Predicate<OpenTransaction> which) {
    open.forEach(
        (descriptor, transaction) -> {
          if (which.test(transaction) && open.remove(descriptor, transaction)) {
            aborted.put(descriptor, reason);
            transaction.releasePermit();
            transaction.close();
          }
        });
  }

  /** Aborts all transactions. */
  public void abortAll() {
    open.forEach(
        (descriptor, transaction) -> {
          if (open.remove(descriptor, transaction)) {
            transaction.releasePermit();
            transaction.close();
          }
        });
  }

  /** Returns the number of open transactions. */
  public int count() {
    return open.size();
  }

  /** Returns how many bytes the buffered updates of all transactions occupy. */
  public long bytes() {
    return buffers.reservedBytes();
  }

  /** Returns the certification of transactions whose client chooses none. */
  public Certification certification() {
    return limits.certification();
  }

  public NanoClock clock() {
    return clock;
  }
}
