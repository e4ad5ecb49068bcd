package io.github.stablecut.key;

import io.github.stablecut.crdt.Expiring;
import io.github.stablecut.crdt.OperationRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The key of an object that expires at a settable time ({@link Expiring}). The key of the {@link
 * #object} reads and updates its content; this key sets and reads the expiry time, which is empty
 * if none is set or it has passed.
 *
 * <p>An object has expired in snapshots at or after the time, regardless of clocks at the time of
 * the read. Updating an expired object creates a new one, which does not expire unless a time is
 * set again.
 *
 * @param <K> the key of the content
 */
public final class ExpiringKey<K extends Key<?>> extends Key<Optional<Instant>> {
  private final K object;

  @SuppressWarnings("unchecked") // at() returns a key of the same class
  ExpiringKey(K example) {
    super(
        example.path(),
        Expiring.of(example.ownType()),
        Expiring.deadlineOf(example.ownType()),
        deadline -> deadline);
    this.object = (K) example.at(example.path().then(new PathStep.Inside()));
  }

  /** The key of the content, for its values and operations. */
  public K object() {
    return object;
  }

  /**
   * Sets the time at which the object expires, replacing the previous one. Of concurrent settings,
   * that of the later transaction wins.
   *
   * @param time truncated to milliseconds; a time in the past makes the object expire at once
   * @throws OperationRefusedException if the time in milliseconds since 1970 exceeds {@code long}
   */
  public Update expireAt(Instant time) {
    return updateBy(new Expiring.ExpireAt<>(epochMillis(time)));
  }

  private static long epochMillis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      throw new OperationRefusedException(
          "expiry time "
              + time
              + " is out of range: use persist() for an object that never expires");
    }
  }

  /**
   * Makes the object expire some time after the transaction's snapshot.
   *
   * @param time above 0; rounded up to whole milliseconds
   * @throws OperationRefusedException if the time is not above 0
   */
  public Update expireAfter(Duration time) {
    return updateBy(new Expiring.ExpireAfter<>(time));
  }

  /** Removes the expiry time: the object does not expire. */
  public Update persist() {
    return updateBy(new Expiring.Persist<>());
  }

  /** Resets the object's updates that the transaction sees, and removes the expiry time. */
  public Update reset() {
    return updateBy(new Expiring.Reset<>());
  }

  @Override
  ExpiringKey<K> at(ObjectPath other) {
    return new ExpiringKey<>(exampleAt(other));
  }

  @SuppressWarnings("unchecked") // at() returns a key of the same class
  private K exampleAt(ObjectPath other) {
    return (K) object.at(other);
  }
}
