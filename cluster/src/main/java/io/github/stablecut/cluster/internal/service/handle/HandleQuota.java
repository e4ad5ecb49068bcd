package io.github.stablecut.cluster.internal.service.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * The permits for one kind of client handle. One connection, one address and one user each get at
 * most a share of them. Thread-safe.
 */
final class HandleQuota {
  private static final int PERCENT = 100;

  private final Kind kind;
  private final int all;
  private final HandleShares shares;

  /** The number of permits of each holder: a connection or a {@link Group}. */
  @GuardedBy("this")
  private final Map<Object, Integer> acquired = new HashMap<>();

  @GuardedBy("this")
  private int count;

  /**
   * A kind of handle, as messages describe it.
   *
   * @param name the plural
   * @param limit what limits their total, such as a setting
   * @param remedy how a client releases permits
   * @param perConnection the maximum of one connection; empty for the share in the settings
   */
  record Kind(String name, String limit, String remedy, Optional<Limit> perConnection) {}

  /** A maximum, and the setting that determines it. */
  record Limit(int number, String setting) {}

  /** Connections with the same address or user. */
  private record Group(String what, String name) {}

  /** A holder's share: the maximum number of permits that it may hold. */
  private record Share(String whose, Object holder, String setting, int max) {}

  /**
   * @param all the number of permits
   */
  HandleQuota(Kind kind, int all, HandleShares shares) {
    this.kind = kind;
    this.all = all;
    this.shares = shares;
  }

  /** Closes handles of disconnected clients. */
  @FunctionalInterface
  interface Reclaimer {
    /**
     * Closes the handle of the client that has been disconnected for longest, if that is long
     * enough.
     *
     * @param isUseful selects the permits that would relieve the shortage
     * @return whether to try again to acquire a permit; false if no handle can be closed
     */
    boolean tryReclaim(Predicate<Permit> isUseful);
  }

  /**
   * The reason why no permit is available: all are in use, or these holders have used up their
   * share.
   */
  private record Shortage(BusyException refusal, List<Object> holders) {}

  /** A permit to hold a handle open. Thread-safe. */
  final class Permit {
    private final List<Share> holders;
    private final AtomicBoolean isReleased = new AtomicBoolean();

    private Permit(List<Share> holders) {
      this.holders = holders;
    }

    /** Returns whether it belongs to a quota and counts for each of some holders. */
    private boolean countsFor(HandleQuota quota, List<Object> all) {
      return quota == HandleQuota.this
          && holders.stream().map(Share::holder).toList().containsAll(all);
    }

    /** Releases the permit, once. */
    void release() {
      if (!isReleased.getAndSet(true)) {
        HandleQuota.this.release(holders);
      }
    }
  }

  /**
   * Acquires a permit.
   *
   * @throws BusyException if all permits are in use, or the client has used up its share
   */
  Permit acquire(Client client) {
    return acquire(client, isUseful -> false);
  }

  /**
   * Acquires a permit. If none is available, reclaims permits of the same address until one is.
   *
   * @throws BusyException as {@link #acquire(Client)}
   */
  Permit acquire(Client client, Reclaimer reclaimer) {
    List<Share> holders = holders(client);
    while (true) {
      Optional<Shortage> shortage = count(holders, addressOf(client));
      if (shortage.isEmpty()) {
        return new Permit(holders);
      }
      List<Object> scarce = shortage.get().holders;
      if (!reclaimer.tryReclaim(permit -> permit.countsFor(this, scarce))) {
        throw shortage.get().refusal;
      }
    }
  }

  /** Counts a permit for its holders, or returns why none is available. */
  private synchronized Optional<Shortage> count(List<Share> holders, Group address) {
    if (count >= all) {
      return Optional.of(
          new Shortage(
              new BusyException(
                  "%,d %s are open, as many as the server allows: %s, or raise %s"
                      .formatted(count, kind.name, kind.remedy, kind.limit)),
              List.of(address)));
    }
    for (Share share : holders) {
      if (acquired.getOrDefault(share.holder, 0) >= share.max) {
        return Optional.of(new Shortage(exhausted(share), List.of(address, share.holder)));
      }
    }
    count++;
    holders.forEach(share -> acquired.merge(share.holder, 1, Integer::sum));
    return Optional.empty();
  }

  private BusyException exhausted(Share share) {
    return new BusyException(
        "%,d %s of %s are open, its share of the %,d that the server allows: %s, or raise %s or %s"
            .formatted(
                share.max, kind.name, share.whose, all, kind.remedy, share.setting, kind.limit));
  }

  private static Group addressOf(Client client) {
    return new Group("address", client.origin().address());
  }

  private List<Share> holders(Client client) {
    List<Share> holders = new ArrayList<>(3);
    Limit perConnection =
        kind.perConnection.orElseGet(
            () -> new Limit(share(shares.connection()), "handles.share-per-connection"));
    holders.add(new Share("this connection", client, perConnection.setting, perConnection.number));
    Origin origin = client.origin();
    holders.add(
        new Share(
            "this client's address",
            addressOf(client),
            "handles.share-per-address",
            share(shares.address())));
    origin
        .user()
        .ifPresent(
            user ->
                holders.add(
                    new Share(
                        "this user",
                        new Group("user", user),
                        "handles.share-per-user",
                        share(shares.user()))));
    return holders;
  }

  /** Returns a share of the permits, at least one, so that a small total still serves everyone. */
  private int share(int percent) {
    return (int) Math.max(1, (long) all * percent / PERCENT);
  }

  private synchronized void release(List<Share> holders) {
    count--;
    for (Share share : holders) {
      acquired.computeIfPresent(share.holder, (any, n) -> n == 1 ? null : n - 1);
    }
  }

  /** Returns the number of acquired permits. */
  synchronized int count() {
    return count;
  }
}
