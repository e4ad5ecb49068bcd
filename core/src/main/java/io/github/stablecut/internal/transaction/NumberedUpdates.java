package io.github.stablecut.internal.transaction;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.key.Update;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * Detects a session's request number that is reused with other updates. The partition that executed
 * a request knows the digest of its updates. Other updates may go to a partition that does not, so
 * this class compares them with the session object's last request as well. Confined to one thread
 * at a time.
 */
public final class NumberedUpdates {
  private static final int HEADER_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;

  private long executedNumber;
  private Digest executedUpdates = new Digest(0, 0);

  /**
   * Returns the digest of a request's updates: of the id, the type and the encoded operation of
   * each, in order.
   *
   * @throws IllegalArgumentException if the number is below 1
   * @throws RequestMismatchException if this object has executed other updates under the number
   */
  public Digest check(long number, Update... updates) {
    if (number < 1) {
      throw new IllegalArgumentException("requests are numbered from 1, not " + number);
    }
    Digest digest = digest(updates);
    if (number == executedNumber && !digest.equals(executedUpdates)) {
      throw new RequestMismatchException(
          "request %d of this session committed with other updates, and these were not executed: give each request its own number, and repeat a request with the same updates"
              .formatted(number));
    }
    return digest;
  }

  /** Records that a request was executed, now or before. */
  public void executed(long number, Digest updates) {
    executedNumber = number;
    executedUpdates = updates;
  }

  private static Digest digest(Update... updates) {
    MessageDigest sha256 = Sha256.begin();
    for (Update update : updates) {
      Bytes id = update.key().id();
      byte[] operation = CallTypes.encodeOperation(update.key().type(), update.operation());
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
      header.putInt(id.length()).putLong(update.key().type().typeId()).putInt(operation.length);
      sha256.update(header.array());
      sha256.update(id.toArray());
      sha256.update(operation);
    }
    return Digest.of(sha256.digest());
  }
}
