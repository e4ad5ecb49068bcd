package io.github.stablecut.cluster.internal.membership;

import java.util.Optional;

/** What happens to the membership of a node. Immutable. */
public sealed interface MembershipEvent {
  /** Time has passed, or the node's own facts have changed. */
  record Tick() implements MembershipEvent {}

  /**
   * A message has come.
   *
   * @param sender who is answered; only compared and handed back
   */
  record Received(MembershipMessage message, Object sender) implements MembershipEvent {}

  /** A node has become a member. */
  record Joined(String address) implements MembershipEvent {}

  /** Some member does not reach another one. */
  record Suspected(String address) implements MembershipEvent {}

  /** All members reach that one again. */
  record Trusted(String address) implements MembershipEvent {}

  /** A member is about to be removed. */
  record Downed(String address) implements MembershipEvent {}

  /** A node is no member any more, and all members know. */
  record Removed(String address) implements MembershipEvent {}

  /** Something else about the members has changed. */
  record Changed() implements MembershipEvent {}

  /** Another node takes nothing from this one any more: the cluster has removed it. */
  record Quarantined() implements MembershipEvent {}

  /** The node's partitions are open, or can't be opened. */
  record Opened(Optional<RuntimeException> failure) implements MembershipEvent {}
}
