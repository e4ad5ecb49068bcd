package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.partition.BackupReadRequest.Contents;
import io.github.stablecut.internal.partition.BackupReadRequest.Piece;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The partition data of a backup round-trips, and anything else is refused. */
final class BackupReadRequestProperties {
  private static Contents contents(Random random) {
    TreeMap<String, Bytes> heads = new TreeMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      byte[] head = new byte[random.nextInt(50)];
      random.nextBytes(head);
      heads.put("MANIFEST-" + i, Bytes.wrap(head));
    }
    return new Contents(
        heads, List.of(new Contents.Run("run-1", random.nextInt()), new Contents.Run("run-2", 7)));
  }

  @Property
  void roundTrips(@ForAll long seed) {
    Contents contents = contents(new Random(seed));
    Piece piece = Piece.last(contents.encode());

    assertThat(Piece.decode(piece.encode())).isEqualTo(piece);
    assertThat(Contents.decode(piece)).isEqualTo(contents);
  }

  @Property
  void refusesOtherBytesWithoutAnyOtherException(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] contents = contents(random).encode();
    byte[] sent = Piece.last(contents).encode().toArray();
    byte[] damaged = Arrays.copyOf(sent, random.nextInt(sent.length + 1));
    if (damaged.length > 0) {
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
    }
    contents[random.nextInt(contents.length)] ^= (byte) (1 + random.nextInt(255));

    try {
      assertThat(Piece.decode(Bytes.wrap(damaged)).next()).isNotEqualTo(Piece.DONE);
    } catch (FormatException e) {
      assertThat(e).hasMessageContaining("malformed");
    }
    try {
      assertThat(Contents.decode(Piece.last(contents))).isNotNull();
    } catch (FormatException e) {
      assertThat(e).hasMessageContaining("malformed");
    }
  }
}
