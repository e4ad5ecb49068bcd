package io.github.stablecut.replication;

import java.time.Instant;
import java.util.Optional;

/**
 * A data centre as another one sees it. Immutable.
 *
 * @param number its number, which no other ever has
 * @param storeId the store that it is
 * @param state whether it takes part
 * @param address where it is reached; empty if nobody reaches it, or it was not told yet
 * @param isHeard whether a message has come from it within the last two seconds; true for this one
 * @param received up to when everything that it has committed is here
 * @param acknowledged up to when it has told to have everything that was committed here. What is
 *     later is kept for it: journal files are not dropped, and states not pruned
 * @param problem why messages do not come or go; empty if they do
 */
public record DataCentre(
    int number,
    long storeId,
    State state,
    Optional<String> address,
    boolean isHeard,
    Instant received,
    Instant acknowledged,
    Optional<String> problem) {
  /** Whether a data centre takes part. */
  public enum State {
    /** It has a number, and was not heard yet. */
    JOINING,
    /** It takes part. */
    MEMBER,
    /** It takes part no more. To come back, it joins again with an empty directory. */
    DETACHED
  }
}
