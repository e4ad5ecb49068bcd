package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.KryoException;
import io.github.stablecut.crdt.Bytes;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bytes written in pieces are the written bytes. */
class BytesOutputTest {
  private static final int LARGE = 100_000;

  private static Bytes random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  /** Writes numbers and bytes of all lengths, and the same to a plain stream. */
  private static byte[] write(BytesOutput out, Random random, int writes) {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    for (int i = 0; i < writes; i++) {
      if (random.nextBoolean()) {
        int value = random.nextInt(128);
        out.writeVarInt(value, true);
        plain.write(value);
      } else {
        Bytes bytes = random(random, random.nextInt(random.nextInt(4) == 0 ? LARGE : 5_000));
        out.writeBytes(bytes);
        plain.writeBytes(bytes.toArray());
      }
    }
    return plain.toByteArray();
  }

  private static byte[] joined(List<Bytes> pieces) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    pieces.forEach(piece -> joined.writeBytes(piece.toArray()));
    return joined.toByteArray();
  }

  @Test
  void theBytesAndThePiecesEqualTheWrittenBytes() {
    Random random = new Random(1);
    BytesOutput out = new BytesOutput();
    for (int round = 0; round < 50; round++) {
      byte[] expected = write(out, random, random.nextInt(100));
      assertThat(out.toBytes()).isEqualTo(expected);
      assertThat(joined(out.toPieces())).isEqualTo(expected);
      out.reset();
    }
  }

  @Test
  void largeBytesAreAPieceThemselves() {
    BytesOutput out = new BytesOutput();
    Bytes large = random(new Random(2), LARGE);
    out.writeByte(1);
    out.writeBytes(large);
    out.writeByte(2);

    List<Bytes> pieces = out.toPieces();

    assertThat(pieces).hasSize(3);
    assertThat(pieces.get(1)).isSameAs(large);
    assertThat(out.isReusable()).isFalse();
    out.reset();
    assertThat(out.isReusable()).isTrue();
    assertThat(out.toPieces()).isEmpty();
  }

  @Test
  void acceptsBytesUpToTheLimit() {
    for (int size : List.of(0, 10, LARGE)) {
      BytesOutput out = new BytesOutput(2L * size + 1);
      out.writeBytes(random(new Random(3), size));
      out.writeByte(1);
      out.writeBytes(random(new Random(4), size));
      assertThat(out.toBytes()).hasSize(2 * size + 1);

      out.writeByte(1);
      assertThatThrownBy(out::toBytes).isInstanceOf(KryoException.class);
      assertThatThrownBy(out::toPieces).isInstanceOf(KryoException.class);
    }
    BytesOutput out = new BytesOutput(LARGE);
    assertThatThrownBy(() -> write(out, new Random(5), 10_000)).isInstanceOf(KryoException.class);
  }
}
