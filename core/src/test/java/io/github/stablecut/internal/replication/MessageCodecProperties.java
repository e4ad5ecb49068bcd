package io.github.stablecut.internal.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Messages round-trip; other bytes are refused without any other exception. */
final class MessageCodecProperties {
  private static final int KINDS = 6;

  @Property(tries = 500)
  void roundTrips(@ForAll long seed) {
    ReplicationMessage message = message(new Random(seed));

    Bytes bytes = MessageCodec.encode(message);

    ReplicationMessage read = MessageCodec.decode(bytes);
    assertThat(read).hasSameClassAs(message);
    // Transactions' records are arrays, which are equal by identity only.
    assertThat(MessageCodec.encode(read)).isEqualTo(bytes);
  }

  @Property(tries = 2_000)
  void changedBytesAreAMessageOrRefused(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = MessageCodec.encode(message(random)).toArray();
    for (int i = random.nextInt(4); i >= 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    int length = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length);

    checkRead(Bytes.wrap(Arrays.copyOf(bytes, length)));
  }

  @Property(tries = 2_000)
  void anyBytesAreAMessageOrRefused(@ForAll byte[] bytes) {
    checkRead(Bytes.wrap(bytes));
  }

  private static void checkRead(Bytes bytes) {
    try {
      ReplicationMessage read = MessageCodec.decode(bytes);
      assertThat(MessageCodec.decode(MessageCodec.encode(read))).hasSameClassAs(read);
    } catch (FormatException e) {
      assertThat(e).hasMessageNotContaining("null");
    }
  }

  private static ReplicationMessage message(Random random) {
    int from = random.nextInt(3);
    int source = random.nextInt(3);
    ReplicationMessage.Head head =
        new ReplicationMessage.Head(from, random.nextInt(), random.nextInt(8), vector(random));
    long last = random.nextInt(1_000);
    return switch (random.nextInt(KINDS)) {
      case 0 ->
          new ReplicationMessage.StreamRequest(
              head,
              source,
              new StreamReader.Start(last, last + random.nextInt(10), random.nextLong(last + 1)),
              random.nextInt(1 << 20),
              random.nextBoolean(),
              vector(random),
              random.nextLong());
      case 1 ->
          new ReplicationMessage.StreamPart(
              head,
              new StreamBatch(
                  source, last, last + random.nextInt(10), records(random), vector(random)),
              random.nextLong());
      case 2 -> new ReplicationMessage.Truncated(head, source, last);
      case 3 -> new ReplicationMessage.Forked(head, source, last);
      case 4 -> new ReplicationMessage.Members(from, membership(random));
      default ->
          new ReplicationMessage.RightsRequest(
              from, Bytes.wrap(bytes(random)), 1 + random.nextInt(100), vector(random));
    };
  }

  private static List<byte[]> records(Random random) {
    return IntStream.range(0, random.nextInt(4)).mapToObj(i -> bytes(random)).toList();
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static VectorClock vector(Random random) {
    return VectorClock.ofEntries(random.longs(random.nextInt(4), 0, Long.MAX_VALUE).toArray());
  }

  private static Membership membership(Random random) {
    TreeMap<Integer, Member> members = new TreeMap<>();
    for (int number = 0; number <= random.nextInt(3); number++) {
      Member.State state = random.nextBoolean() ? Member.State.MEMBER : Member.State.DETACHED;
      members.put(number, new Member(random.nextLong(), state, 0, "host:" + number));
    }
    return new Membership(random.nextLong(), members);
  }
}
