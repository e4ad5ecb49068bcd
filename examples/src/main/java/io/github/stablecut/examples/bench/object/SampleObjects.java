package io.github.stablecut.examples.bench.object;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Objects that resemble a store's: ordered ids of twenty bytes and incompressible states.
 * Immutable.
 *
 * @param count the number of objects
 * @param bytes the length of each state
 */
public record SampleObjects(long count, int bytes) {
  private static final String BUCKET = "objects";
  private static final int DIGITS = 12;
  private static final int POOL_BYTES = 1 << 20;
  private static final byte[] POOL = new byte[POOL_BYTES];

  static {
    new Random(1).nextBytes(POOL);
  }

  /** The id of an object. */
  byte[] id(long number) {
    byte[] id = (BUCKET + "/" + "0".repeat(DIGITS)).getBytes(US_ASCII);
    long rest = number;
    for (int i = id.length - 1; rest > 0; i--) {
      id[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return id;
  }

  /** The state of an object. */
  byte[] state(long number) {
    byte[] state = new byte[bytes];
    int from = (int) (number * 61 % (POOL_BYTES - bytes));
    System.arraycopy(POOL, from, state, 0, bytes);
    return state;
  }

  /** The same object as a register of a store. */
  public RegisterKey<Bytes> key(long number) {
    String key = new String(id(number), BUCKET.length() + 1, DIGITS, US_ASCII);
    return Key.register(BUCKET, key, Codec.bytes());
  }

  /** The value of the register. */
  public Bytes value(long number) {
    return Bytes.wrap(state(number));
  }

  /** The id of a random object. */
  public byte[] anyId(SplittableRandom random) {
    return id(random.nextLong(count));
  }
}
