package io.github.stablecut.internal.replication;

import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import java.util.function.Consumer;

/**
 * The known state of the group that this data centre belongs to. Thread-safe.
 *
 * <p>Invariant: the membership that {@link #known()} returns is durable, and this data centre
 * retains what its members may need.
 */
public final class GroupState {
  private final int own;
  private final Consumer<Membership> prepare;
  private final Consumer<Membership> save;
  private volatile ChecksummedMembership current;
  private volatile boolean isStopped;

  /** A membership and its checksum. */
  private record ChecksummedMembership(Membership membership, int sum) {
    static ChecksummedMembership of(Membership membership) {
      return new ChecksummedMembership(membership, membership.sum());
    }
  }

  /**
   * @param own the number of this data centre
   * @param prepare makes this data centre retain what the members of a membership may need; called
   *     before {@code save}
   * @param save makes a membership durable
   */
  public GroupState(
      int own, Membership known, Consumer<Membership> prepare, Consumer<Membership> save) {
    this.own = own;
    this.current = ChecksummedMembership.of(known);
    this.prepare = prepare;
    this.save = save;
  }

  /** The number of this data centre. */
  public int own() {
    return own;
  }

  /** The known membership. */
  public Membership known() {
    return current.membership;
  }

  /** The checksum of the known membership. */
  int sum() {
    return current.sum;
  }

  /** Whether this data centre takes part. */
  public boolean takesPart() {
    return !isStopped && member(own).takesPart();
  }

  /** Ends this data centre's participation, regardless of what the others know. */
  public void stop() {
    isStopped = true;
  }

  private Member member(int number) {
    return current.membership.member(number);
  }

  /**
   * Merges the membership that another member knows.
   *
   * @throws IllegalArgumentException if it belongs to another group, or a number was assigned twice
   *     by a data centre that did not know of its detachment. If that is this data centre, it is
   *     detached now
   */
  public synchronized void learn(Membership received) {
    try {
      change(current.membership.with(received));
    } catch (IllegalArgumentException e) {
      Member ofOwn = received.members().get(own);
      if (received.group() == current.membership.group()
          && ofOwn != null
          && ofOwn.storeId() == member(own).storeId()
          && !ofOwn.takesPart()) {
        detach(own);
      }
      throw e;
    }
  }

  /** Assigns a number to a new data centre that starts from this one's state. */
  public synchronized int admit(long storeId) {
    int number = current.membership.next();
    change(current.membership.with(number, new Member(storeId, Member.State.JOINING, 0, "")));
    return number;
  }

  /** Runs an action while the membership can't change. */
  public synchronized void whileUnchanged(Runnable action) {
    action.run();
  }

  /** Records that a member's message arrived, which completes its join. */
  synchronized void heard(int number) {
    Member member = member(number);
    if (member.state() == Member.State.JOINING) {
      change(current.membership.with(number, member.in(Member.State.MEMBER)));
    }
  }

  /** Sets the address where others reach this data centre. */
  public synchronized void announce(String address) {
    change(current.membership.with(own, member(own).at(address)));
  }

  /** Detaches a member from the group. */
  public synchronized void detach(int number) {
    change(current.membership.with(number, member(number).in(Member.State.DETACHED)));
  }

  private void change(Membership changed) {
    if (!changed.equals(current.membership)) {
      prepare.accept(changed);
      save.accept(changed);
      current = ChecksummedMembership.of(changed);
    }
  }
}
