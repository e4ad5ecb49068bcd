package io.github.stablecut.internal.replication;

import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import java.util.function.Consumer;

/**
 * The group that this data centre belongs to, as far as it is known here. Thread-safe.
 *
 * <p>Invariant: what {@link #known} gives is durable, and for every member in it this data centre
 * keeps what that may need.
 */
public final class GroupState {
  private final int own;
  private final Consumer<Membership> prepare;
  private final Consumer<Membership> save;
  private volatile Known known;
  private volatile boolean isStopped;

  /** A membership and its sum. */
  private record Known(Membership membership, int sum) {
    static Known of(Membership membership) {
      return new Known(membership, membership.sum());
    }
  }

  /**
   * @param own the number of this data centre
   * @param prepare has everything kept from now on that the members of a membership may need;
   *     called before {@code save}
   * @param save makes a membership durable
   */
  public GroupState(
      int own, Membership known, Consumer<Membership> prepare, Consumer<Membership> save) {
    this.own = own;
    this.known = Known.of(known);
    this.prepare = prepare;
    this.save = save;
  }

  /** The number of this data centre. */
  public int own() {
    return own;
  }

  /** What is known. */
  public Membership known() {
    return known.membership;
  }

  /** Its sum. */
  int sum() {
    return known.sum;
  }

  /** Whether this data centre takes part. */
  public boolean takesPart() {
    return !isStopped && member(own).takesPart();
  }

  /** From now on this data centre takes no part, whatever the others know. */
  public void stop() {
    isStopped = true;
  }

  private Member member(int number) {
    return known.membership.member(number);
  }

  /**
   * Takes note of what another member knows.
   *
   * @throws IllegalArgumentException if that is of another group, or one number was given twice: by
   *     somebody who did not know yet that it was detached. If that is this data centre, it knows
   *     now
   */
  public synchronized void learn(Membership told) {
    try {
      change(known.membership.with(told));
    } catch (IllegalArgumentException e) {
      Member ofOwn = told.members().get(own);
      if (told.group() == known.membership.group()
          && ofOwn != null
          && ofOwn.storeId() == member(own).storeId()
          && !ofOwn.takesPart()) {
        detach(own);
      }
      throw e;
    }
  }

  /** Gives a number to a store that begins with what is here. */
  public synchronized int admit(long storeId) {
    int number = known.membership.next();
    change(known.membership.with(number, new Member(storeId, Member.State.JOINING, 0, "")));
    return number;
  }

  /** Does something while nothing changes. */
  public synchronized void whileUnchanged(Runnable action) {
    action.run();
  }

  /** A member was heard. */
  synchronized void heard(int number) {
    Member member = member(number);
    if (member.state() == Member.State.JOINING) {
      change(known.membership.with(number, member.in(Member.State.MEMBER)));
    }
  }

  /** Says where others reach this data centre. */
  public synchronized void announce(String address) {
    change(known.membership.with(own, member(own).at(address)));
  }

  /** Takes a member out of the group. */
  public synchronized void detach(int number) {
    change(known.membership.with(number, member(number).in(Member.State.DETACHED)));
  }

  private void change(Membership changed) {
    if (!changed.equals(known.membership)) {
      prepare.accept(changed);
      save.accept(changed);
      known = Known.of(changed);
    }
  }
}
