package io.github.stablecut.cluster.internal.membership;

import java.util.Optional;

/** An event for {@link Membership}. Immutable. */
public sealed interface MembershipEvent {
  /** Calls the receiver's method for this kind. */
  void handTo(Receiver receiver);

  /** Handles each kind of event. */
  interface Receiver {
    /** {@link Tick}. */
    void tick(Tick event);

    /** {@link Received}. */
    void received(Received event);

    /** {@link Joined}. */
    void joined(Joined event);

    /** {@link Suspected}. */
    void suspected(Suspected event);

    /** {@link Trusted}. */
    void trusted(Trusted event);

    /** {@link Downed}. */
    void downed(Downed event);

    /** {@link Removed}. */
    void removed(Removed event);

    /** {@link Changed}. */
    void changed(Changed event);

    /** {@link Quarantined}. */
    void quarantined(Quarantined event);

    /** {@link Opened}. */
    void opened(Opened event);
  }

  /** Time has passed, or the node's own state has changed. */
  record Tick() implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.tick(this);
    }
  }

  /**
   * A message has arrived.
   *
   * @param sender the recipient of the answer, which is passed back with {@link
   *     MembershipAction.Answer}
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

  /** Some member has lost the connection to this one. */
  record Suspected(String address) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.suspected(this);
    }
  }

  /** All members reach this one again. */
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

  /** A member was removed, and all members know. */
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

  /** Another node has quarantined this one: the cluster has removed it. */
  record Quarantined() implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.quarantined(this);
    }
  }

  /**
   * The node has opened its partitions, or failed to.
   *
   * @param failure the reason for the failure; empty on success
   */
  record Opened(Optional<RuntimeException> failure) implements MembershipEvent {
    @Override
    public void handTo(Receiver receiver) {
      receiver.opened(this);
    }
  }
}
