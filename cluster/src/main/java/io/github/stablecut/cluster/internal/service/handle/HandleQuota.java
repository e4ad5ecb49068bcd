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
 * The places for one kind of client handle. One connection, one address and one user each get at
 * most a share of them. Thread-safe.
 */
final class HandleQuota {
  private static final int PERCENT = 100;

  private final Kind kind;
  private final int all;
  private final HandleShares shares;

  /** The places taken by each holder: a connection or a {@link Group}. */
  @GuardedBy("this")
  private final Map<Object, Integer> taken = new HashMap<>();

  @GuardedBy("this")
  private int count;

  /**
   * A kind of handle, as messages describe it.
   *
   * @param name the plural
   * @param limit what limits their total, such as a setting
   * @param remedy how a client gives places back
   * @param ofConnection the maximum of one connection; empty for the share in the settings
   */
  record Kind(String name, String limit, String remedy, Optional<Most> ofConnection) {}

  /** A maximum, and the setting that determines it. */
  record Most(int number, String setting) {}

  /** Connections with the same address or user. */
  private record Group(String what, String name) {}

  /** A holder's share: the maximum number of places that it may take. */
  private record Share(String whose, Object holder, String setting, int most) {}

  /**
   * @param all the number of places
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
     * @param isUseful selects the places that would relieve the shortage
     * @return whether to try again to take a place; false if no handle can be closed
     */
    boolean tryReclaim(Predicate<Place> isUseful);
  }

  /** Why no place is available: all are taken, or these holders have used up their share. */
  private record Shortage(BusyException refusal, List<Object> holders) {}

  /** A taken place. Thread-safe. */
  final class Place {
    private final List<Share> holders;
    private final AtomicBoolean isFree = new AtomicBoolean();

    private Place(List<Share> holders) {
      this.holders = holders;
    }

    /** Returns whether it belongs to a quota and counts for each of some holders. */
    private boolean countsFor(HandleQuota quota, List<Object> all) {
      return quota == HandleQuota.this
          && holders.stream().map(Share::holder).toList().containsAll(all);
    }

    /** Gives the place back, once. */
    void free() {
      if (!isFree.getAndSet(true)) {
        HandleQuota.this.free(holders);
      }
    }
  }

  /**
   * Takes a place.
   *
   * @throws BusyException if all places are taken, or the client has used up its share
   */
  Place take(Client client) {
    return take(client, isUseful -> false);
  }

  /**
   * Takes a place. If none is available, reclaims places of the same address until one is.
   *
   * @throws BusyException as {@link #take(Client)}
   */
  Place take(Client client, Reclaimer reclaimer) {
    List<Share> holders = holders(client);
    while (true) {
      Optional<Shortage> shortage = count(holders, addressOf(client));
      if (shortage.isEmpty()) {
        return new Place(holders);
      }
      List<Object> scarce = shortage.get().holders;
      if (!reclaimer.tryReclaim(place -> place.countsFor(this, scarce))) {
        throw shortage.get().refusal;
      }
    }
  }

  /** Counts a place for its holders, or returns why none is available. */
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
      if (taken.getOrDefault(share.holder, 0) >= share.most) {
        return Optional.of(new Shortage(exhausted(share), List.of(address, share.holder)));
      }
    }
    count++;
    holders.forEach(share -> taken.merge(share.holder, 1, Integer::sum));
    return Optional.empty();
  }

  private BusyException exhausted(Share share) {
    return new BusyException(
        "%,d %s of %s are open, its share of the %,d that the server allows: %s, or raise %s or %s"
            .formatted(
                share.most, kind.name, share.whose, all, kind.remedy, share.setting, kind.limit));
  }

  private static Group addressOf(Client client) {
    return new Group("address", client.origin().address());
  }

  private List<Share> holders(Client client) {
    List<Share> holders = new ArrayList<>(3);
    Most ofConnection =
        kind.ofConnection.orElseGet(
            () -> new Most(share(shares.connection()), "handles.share-per-connection"));
    holders.add(new Share("this connection", client, ofConnection.setting, ofConnection.number));
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

  /** Returns a share of the places, at least one, so that a small total still serves everyone. */
  private int share(int percent) {
    return (int) Math.max(1, (long) all * percent / PERCENT);
  }

  private synchronized void free(List<Share> holders) {
    count--;
    for (Share share : holders) {
      taken.computeIfPresent(share.holder, (any, n) -> n == 1 ? null : n - 1);
    }
  }

  /** Returns the number of taken places. */
  synchronized int count() {
    return count;
  }
}
