package io.github.stablecut.key;

import io.github.stablecut.crdt.Expiring;
import io.github.stablecut.crdt.OperationRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The name of an object that expires at a settable time ({@link Expiring}). Its content is read and
 * updated with the key of the {@link #object}; this key sets the time, and reads it: empty if none
 * is set or it has passed.
 *
 * <p>An object has expired in snapshots at or after the time, regardless of clocks at the time of
 * the read. Updating an expired object creates a new one, which does not expire unless a time is
 * set again.
 *
 * @param <K> the key of its content
 */
public final class ExpiringKey<K extends Key<?>> extends Key<Optional<Instant>> {
  private final K object;

  @SuppressWarnings("unchecked") // a key elsewhere is one of the same class
  ExpiringKey(K example) {
    super(
        example.place(),
        Expiring.of(example.ownType()),
        Expiring.deadlineOf(example.ownType()),
        deadline -> deadline);
    this.object = (K) example.at(example.place().then(new PathStep.Inside()));
  }

  /** The key of what it holds, for its values and operations. */
  public K object() {
    return object;
  }

  /**
   * Sets the time at which the object expires, replacing the previous one. Of concurrent ones that
   * of the later transaction counts.
   *
   * @param time counted in whole milliseconds; a time in the past makes the object expire at once
   * @throws OperationRefusedException if its milliseconds since 1970 are not between -2^63 and
   *     2^63-1
   */
  public Update expireAt(Instant time) {
    return updateBy(new Expiring.ExpireAt<>(epochMillis(time)));
  }

  private static long epochMillis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      throw new OperationRefusedException(
          "expiring object: " + time + " is too far away; persist says never");
    }
  }

  /**
   * Makes the object expire some time after the transaction's snapshot.
   *
   * @param time above 0; rounded up to whole milliseconds
   * @throws OperationRefusedException if it isn't above 0
   */
  public Update expireAfter(Duration time) {
    return updateBy(new Expiring.ExpireAfter<>(time));
  }

  /** Removes the time: the object does not expire. */
  public Update persist() {
    return updateBy(new Expiring.Persist<>());
  }

  /** Resets the object's updates that the transaction sees, and removes the time. */
  public Update reset() {
    return updateBy(new Expiring.Reset<>());
  }

  @Override
  ExpiringKey<K> at(ObjectPath other) {
    return new ExpiringKey<>(exampleAt(other));
  }

  @SuppressWarnings("unchecked") // a key elsewhere is one of the same class
  private K exampleAt(ObjectPath other) {
    return (K) object.at(other);
  }
}
