package io.github.stablecut.cluster.internal.membership;

import java.util.Optional;

/** What happens to the membership of a node. Immutable. */
public sealed interface MembershipEvent {
  /** Calls the receiver's method for this kind. */
  void handTo(Receiver receiver);

  /** What a membership does with each kind of event. */
  interface Receiver {
    /** Time has passed. */
    void tick(Tick event);

    /** A message has come. */
    void received(Received event);

    /** A node has become a member. */
    void joined(Joined event);

    /** Some member does not reach another one. */
    void suspected(Suspected event);

    /** All members reach one again. */
    void trusted(Trusted event);

    /** A member is about to be removed. */
    void downed(Downed event);

    /** A node is no member any more. */
    void removed(Removed event);

    /** Something else about the members has changed. */
    void changed(Changed event);

    /** The cluster has removed this node. */
    void quarantined(Quarantined event);

    /** The node's partitions are open, or can't be opened. */
    void opened(Opened event);
  }

  /** Time has passed, or the node's own facts have changed. */
  record Tick() implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.tick(this);
    }
  }

  /**
   * A message has come.
   *
   * @param sender who is answered; only compared and handed back
   */
  record Received(MembershipMessage message, Object sender) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.received(this);
    }
  }

  /** A node has become a member. */
  record Joined(String address) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.joined(this);
    }
  }

  /** Some member does not reach another one. */
  record Suspected(String address) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.suspected(this);
    }
  }

  /** All members reach that one again. */
  record Trusted(String address) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.trusted(this);
    }
  }

  /** A member is about to be removed. */
  record Downed(String address) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.downed(this);
    }
  }

  /** A node is no member any more, and all members know. */
  record Removed(String address) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.removed(this);
    }
  }

  /** Something else about the members has changed. */
  record Changed() implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.changed(this);
    }
  }

  /** Another node takes nothing from this one any more: the cluster has removed it. */
  record Quarantined() implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.quarantined(this);
    }
  }

  /** The node's partitions are open, or can't be opened. */
  record Opened(Optional<RuntimeException> failure) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.opened(this);
    }
  }
}
