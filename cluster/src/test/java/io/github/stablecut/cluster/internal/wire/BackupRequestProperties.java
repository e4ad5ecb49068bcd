package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.BackupReadRequest;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A backup's requests to other nodes are decoded as encoded, and malformed bytes are refused. */
class BackupRequestProperties {
  private static Request.Backup request(Random random) {
    return new Request.Backup(
        new BackupReadRequest(
            random.nextLong(),
            VectorClock.of(1L + random.nextInt(1_000)),
            random.nextBoolean() ? "run-7" : "",
            random.nextLong(Long.MAX_VALUE)));
  }

  private static Request decode(byte[] bytes) {
    return RequestCodec.ofNode().decode(Bytes.wrap(bytes), Long.MAX_VALUE);
  }

  @Property
  void decodesItsOwnEncoding(@ForAll long seed) {
    Request.Backup asked = request(new Random(seed));
    Bytes encoded = RequestCodec.encode(asked);

    assertThat(decode(encoded.toArray())).isEqualTo(asked);
    // It waits for commits to become durable and must not delay reads.
    assertThat(RequestCodec.isForWriters(encoded)).isTrue();
  }

  @Property
  void refusesMalformedBytesWithoutOtherExceptions(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] whole = RequestCodec.encode(request(random)).toArray();
    byte[] bad = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
    if (bad.length > 1) {
      bad[1 + random.nextInt(bad.length - 1)] = (byte) random.nextInt();
    }
    try {
      assertThat(decode(bad)).isNotNull();
    } catch (BadMessageException e) {
      assertThat(e).hasMessageStartingWith("malformed message between nodes");
    }
  }
}
