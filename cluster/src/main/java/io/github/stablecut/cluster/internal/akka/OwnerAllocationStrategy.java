package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorRef;
import akka.actor.Address;
import akka.cluster.sharding.ShardCoordinator;
import akka.dispatch.Futures;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import scala.collection.immutable.IndexedSeq;
import scala.concurrent.Future;

/**
 * Allocates the entity of each partition to the partition's owner, and to no node while the owner
 * is unreachable: no other node has the data. Thread-safe.
 */
final class OwnerAllocationStrategy extends ShardCoordinator.AbstractShardAllocationStrategy {
  private final MembershipView view;
  private final String self;

  /**
   * @param self this node's address, as {@code host:port}
   */
  OwnerAllocationStrategy(MembershipView view, String self) {
    this.view = view;
    this.self = self;
  }

  @Override
  public Future<ActorRef> allocateShard(
      ActorRef requester, String shardId, Map<ActorRef, IndexedSeq<String>> current) {
    String ownerAddress = view.owner(Integer.parseInt(shardId)).address();
    Optional<ActorRef> region =
        current.keySet().stream().filter(one -> ownerAddress.equals(address(one))).findFirst();
    // Akka retries; it would log each failure as an error.
    return region.map(Futures::successful).orElseGet(OwnerAllocationStrategy::never);
  }

  private static <T> Future<T> never() {
    return Futures.<T>promise().future();
  }

  @Override
  public Future<Set<String>> rebalance(
      Map<ActorRef, IndexedSeq<String>> current, Set<String> inProgress) {
    Set<String> misplaced = new HashSet<>();
    current.forEach(
        (region, shards) -> {
          for (int i = 0; i < shards.size(); i++) {
            String shard = shards.apply(i);
            MembershipView.Owner owner = view.owner(Integer.parseInt(shard));
            if (owner.isReachable()
                && !owner.address().equals(address(region))
                && !inProgress.contains(shard)) {
              misplaced.add(shard);
            }
          }
        });
    return Futures.successful(misplaced);
  }

  private String address(ActorRef region) {
    Address address = region.path().address();
    return address.hasLocalScope() ? self : address.hostPort().replaceFirst(".*@", "");
  }
}
