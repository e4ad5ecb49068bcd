package io.github.stablecut.replication;

import java.time.Instant;
import java.util.Optional;

/**
 * A data centre as another one sees it. Immutable.
 *
 * @param number its number, which is never reused
 * @param storeId the id of its store
 * @param state whether it is a member
 * @param address its address; empty if no data centre can reach it, or if the address is not known
 *     yet
 * @param isReachable whether a message from it has arrived within the last two seconds; true for
 *     this one
 * @param received the time up to which this data centre has received all its commits
 * @param acknowledged the time up to which it has acknowledged all commits of this data centre.
 *     Later commits are retained for it: journal files are not truncated, and states not pruned
 * @param problem why messages are not exchanged with it; empty if they are
 */
public record DataCentre(
    int number,
    long storeId,
    State state,
    Optional<String> address,
    boolean isReachable,
    Instant received,
    Instant acknowledged,
    Optional<String> problem) {
  /** The membership of a data centre. */
  public enum State {
    /** It has a number, and no message from it has arrived yet. */
    JOINING,
    /** It is a member of the group. */
    MEMBER,
    /** It has left the group. To return, it joins again with an empty directory. */
    DETACHED
  }
}
