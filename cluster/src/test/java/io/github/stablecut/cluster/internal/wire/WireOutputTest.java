package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireOutputTest {
  private final WireOutput out = new WireOutput();

  private static Bytes random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  @Test
  void decodesFieldsOfAllSizes() {
    for (int length = 1; length < 1 << 20; length = 3 * length + 1) {
      out.number(length).bytes(random(length)).kind(7).bytes(random(length / 2)).size(length);
    }

    WireInput in = WireInput.untimed(out.toArray());

    for (int length = 1; length < 1 << 20; length = 3 * length + 1) {
      assertThat(in.number()).isEqualTo(length);
      assertThat(in.bytes()).isEqualTo(random(length));
      assertThat(in.kind()).isEqualTo(7);
      assertThat(in.bytes()).isEqualTo(random(length / 2));
      assertThat(in.small()).isEqualTo(length);
    }
    assertThat(in.<String>end("read")).isEqualTo("read");
  }

  @Test
  void decodesManySmallFields() {
    int fields = 100_000;
    for (int i = 0; i < fields; i++) {
      out.kind(i & 0x7f).number(i);
    }

    WireInput in = WireInput.untimed(out.toArray());

    for (int i = 0; i < fields; i++) {
      assertThat(in.kind()).isEqualTo(i & 0x7f);
      assertThat(in.number()).isEqualTo(i);
    }
    assertThat(in.<String>end("read")).isEqualTo("read");
  }

  @Test
  void refusesOversizedMessagesBeforeCopyingThem() {
    Bytes part = Bytes.wrap(new byte[1 << 20]);
    for (int i = 0; i < 512; i++) {
      out.bytes(part);
    }

    assertThatThrownBy(out::toArray)
        .isInstanceOf(BadMessageException.class)
        .hasMessageEndingWith("536,872,960 bytes, at most 536,870,912 go between nodes");
  }
}
