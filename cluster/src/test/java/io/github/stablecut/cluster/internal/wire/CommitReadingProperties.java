package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.internal.watch.CommitFilter;
import io.github.stablecut.internal.watch.CommitReadRequest;
import io.github.stablecut.internal.watch.CommittedWrites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The requests of watches to other nodes are decoded as encoded, and malformed bytes are refused.
 */
class CommitReadingProperties {
  private static VectorClock vector(Random random) {
    return VectorClock.of(1L + random.nextInt(1_000));
  }

  private static Bytes id(Random random) {
    byte[] id = new byte[1 + random.nextInt(8)];
    random.nextBytes(id);
    return Bytes.wrap(id);
  }

  private static CommitReadRequest reading(Random random) {
    Bytes prefix = id(random);
    IdRange range = random.nextBoolean() ? IdRange.prefix(prefix) : IdRange.from(prefix);
    return new CommitReadRequest(
        random.nextLong(),
        random.nextLong(),
        vector(random),
        new CommitFilter(range, random.nextBoolean()),
        vector(random),
        512);
  }

  private static CommitReadRequest.Piece piece(Random random) {
    List<CommittedWrites> writes = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      Set<CommittedWrites.WrittenObject> objects = new LinkedHashSet<>();
      for (int j = random.nextInt(4); j > 0; j--) {
        objects.add(
            new CommittedWrites.WrittenObject(
                id(random),
                random.nextBoolean() ? PnCounter.TYPE : AddWinsSet.TYPE,
                random.ints(random.nextInt(3)).mapToObj(any -> id(random)).toList()));
      }
      writes.add(new CommittedWrites(vector(random), objects));
    }
    return new CommitReadRequest.Piece(
        random.nextLong(), writes, vector(random), random.nextBoolean());
  }

  private static Request request(byte[] bytes) {
    return RequestCodec.ofNode().decode(Bytes.wrap(bytes), Long.MAX_VALUE);
  }

  private static Reply reply(byte[] bytes) {
    return ReplyCodec.decode(Bytes.wrap(bytes), Long.MAX_VALUE);
  }

  @Property
  void decodesItsOwnEncoding(@ForAll long seed) {
    Random random = new Random(seed);
    Request.Commits asked = new Request.Commits(reading(random));
    Reply.Commits told = new Reply.Commits(piece(random));

    assertThat(request(RequestCodec.encode(asked).toArray()))
        .usingRecursiveComparison()
        .isEqualTo(asked);
    assertThat(reply(ReplyCodec.encode(told).toArray())).isEqualTo(told);
  }

  @Property
  void refusesMalformedBytesWithoutOtherExceptions(@ForAll long seed) {
    Random random = new Random(seed);
    assertRefused(
        random,
        RequestCodec.encode(new Request.Commits(reading(random))),
        CommitReadingProperties::request);
    assertRefused(
        random,
        ReplyCodec.encode(new Reply.Commits(piece(random))),
        CommitReadingProperties::reply);
  }

  private static void assertRefused(Random random, Bytes message, Function<byte[], Object> decode) {
    byte[] whole = message.toArray();
    byte[] bad = random.nextBoolean() ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole;
    for (int i = random.nextInt(4); i > 0 && bad.length > 1; i--) {
      bad[1 + random.nextInt(bad.length - 1)] = (byte) random.nextInt();
    }
    try {
      assertThat(decode.apply(bad)).isNotNull();
    } catch (BadMessageException e) {
      assertThat(e).hasMessageStartingWith("malformed message between nodes");
    }
  }
}
