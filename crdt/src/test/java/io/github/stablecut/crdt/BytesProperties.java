package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Byte strings are ordered as unsigned bytes, prefixes first. */
class BytesProperties {
  /** Few different bytes, so that strings share prefixes; longer than eight bytes. */
  @Provide
  Arbitrary<byte[]> arrays() {
    return Arbitraries.of((byte) 0, (byte) 1, (byte) 127, (byte) -128, (byte) -1)
        .array(byte[].class)
        .ofMaxSize(20);
  }

  @Property
  void isOrderedAsUnsignedBytes(@ForAll("arrays") byte[] one, @ForAll("arrays") byte[] other) {
    Bytes left = Bytes.copyOf(one);
    Bytes right = Bytes.copyOf(other);

    assertThat(Integer.signum(left.compareTo(right)))
        .isEqualTo(Integer.signum(Arrays.compareUnsigned(one, other)));
    assertThat(left.equals(right)).isEqualTo(Arrays.equals(one, other));
    assertThat(left.hashCode() == right.hashCode() || !left.equals(right)).isTrue();
    assertThat(left.seededHash() == right.seededHash()).isEqualTo(left.equals(right));
  }

  @Example
  void stringsOfTheSameHashAreFarApartInTheSeededHash() {
    Set<Integer> hashes = new HashSet<>();
    Set<Integer> seeded = new HashSet<>();
    Set<Integer> buckets = new HashSet<>();
    Set<Integer> slots = new HashSet<>();
    for (int i = 0; i < 1 << 16; i++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 0; bit < 16; bit++) {
        text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      Bytes bytes = Bytes.utf8(text.toString());
      hashes.add(bytes.hashCode());
      seeded.add(bytes.seededHash());
      buckets.add(bytes.seededHash() >>> 16);
      slots.add(bytes.seededHash() & 0xffff);
    }

    assertThat(hashes).hasSize(1);
    assertThat(seeded.size()).isGreaterThan((1 << 16) - 30);
    // 63 % of 65,536 for a random distribution.
    assertThat(buckets.size()).isBetween(40_400, 42_400);
    assertThat(slots.size()).isBetween(40_000, 48_000);
  }

  /** Of a block and its complement: one of two neighbours is odd, whatever the seed is. */
  @Example
  void stringsOfDifferentHashesDifferUnderEverySeed() {
    for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
      for (long block = 6; block <= 7; block++) {
        assertThat(threeBlocks(order, block, 4).seededHash())
            .isNotEqualTo(threeBlocks(order, ~block ^ 1, 5).seededHash());
      }
    }
  }

  private static Bytes threeBlocks(ByteOrder order, long first, long second) {
    ByteBuffer blocks = ByteBuffer.allocate(3 * Long.BYTES).order(order);
    return Bytes.wrap(blocks.putLong(first).putLong(second).putLong(8).array());
  }

  @Property
  void startsWithItsPrefixes(@ForAll("arrays") byte[] one, @ForAll("arrays") byte[] other) {
    boolean prefix =
        other.length <= one.length && Arrays.equals(Arrays.copyOf(one, other.length), other);

    assertThat(Bytes.copyOf(one).startsWith(Bytes.copyOf(other))).isEqualTo(prefix);
  }

  @Property
  void isIndependentOfTheArrayItWasCopiedFrom(@ForAll("arrays") byte[] array) {
    byte[] before = array.clone();
    Bytes bytes = Bytes.copyOf(array);
    Arrays.fill(array, (byte) 42);
    Arrays.fill(bytes.toArray(), (byte) 43);

    assertThat(bytes.toArray()).isEqualTo(before);
  }

  @Property
  void copiesItself(@ForAll("arrays") byte[] array) {
    byte[] target = new byte[array.length + 2];
    Bytes.copyOf(array).copyInto(target, 1);

    assertThat(Arrays.copyOfRange(target, 1, array.length + 1)).isEqualTo(array);
  }

  @Property
  void showsEightBytesFromAnyPosition(
      @ForAll("arrays") byte[] array, @ForAll @IntRange(max = 21) int from) {
    byte[] longer = Arrays.copyOf(array, array.length + 30);

    assertThat(Bytes.copyOf(array).eightBytesAt(from))
        .isEqualTo(ByteBuffer.wrap(longer).getLong(from));
  }

  @Example
  void isReadable() {
    assertThat(Bytes.utf8("text")).hasToString("\"text\"");
    assertThat(Bytes.wrap(new byte[] {0, -1})).hasToString("0x00ff");
    assertThat(Bytes.utf8("x".repeat(100)).toString()).endsWith("… (100 bytes)");
    assertThat(Bytes.utf8("é").toUtf8()).isEqualTo("é");
    assertThat(Bytes.utf8("é").at(0)).isEqualTo(0xc3);
  }
}
