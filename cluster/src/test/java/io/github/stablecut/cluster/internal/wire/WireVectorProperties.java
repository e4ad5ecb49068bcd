package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Vectors of any valid size are decoded as encoded, and all others are refused. */
class WireVectorProperties {
  private static final long CLOCK = 1L << 60;

  @Provide
  Arbitrary<VectorClock> vectors() {
    return Arbitraries.longs()
        .between(0, CLOCK)
        .array(long[].class)
        .ofMaxSize(20)
        .map(VectorClock::ofEntries);
  }

  private static WireInput read(byte[] bytes) {
    return new WireInput(bytes, CLOCK);
  }

  private static byte[] entries(int count) {
    WireOutput out = new WireOutput().size(count);
    for (int i = 0; i < count; i++) {
      out.number(i + 1);
    }
    return out.toArray();
  }

  @Property
  void decodesItsOwnEncoding(@ForAll("vectors") VectorClock vector) {
    WireInput in = read(new WireOutput().vector(vector).toArray());

    assertThat(in.end(in.vector())).isEqualTo(vector);
  }

  @Property
  void refusesMalformedBytesWithoutOtherExceptions(
      @ForAll("vectors") VectorClock vector,
      @ForAll int position,
      @ForAll byte value,
      @ForAll boolean cut) {
    byte[] bytes = new WireOutput().vector(vector).toArray();
    int at = Math.floorMod(position, bytes.length);
    byte[] bad = cut ? Arrays.copyOf(bytes, at) : bytes;
    if (!cut) {
      bad[at] = value;
    }

    readOrRefuse(bad);
  }

  @Property
  void decodesOrRefusesAnyBytes(@ForAll byte[] bytes) {
    readOrRefuse(bytes);
  }

  private static void readOrRefuse(byte[] bytes) {
    try {
      VectorClock vector = read(bytes).vector();
      assertThat(vector.size()).isLessThanOrEqualTo(bytes.length / Long.BYTES);
      assertThat(vector.isBefore(CLOCK + 1)).isTrue();
    } catch (BadMessageException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @Example
  void decodesTheLargestVectorAndRefusesALargerOne() {
    assertThat(read(entries(VectorClock.MAX_DATA_CENTRES)).vector().size())
        .isEqualTo(VectorClock.MAX_DATA_CENTRES);
    assertThatThrownBy(() -> read(entries(VectorClock.MAX_DATA_CENTRES + 1)).vector())
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("1025 data centres, at most 1024");
  }

  @Example
  void refusesEntriesLaterThanTheSendersClock() {
    byte[] bytes = new WireOutput().vector(VectorClock.ofEntries(5, 9, 7)).toArray();

    assertThat(new WireInput(bytes, 9).vector()).isEqualTo(VectorClock.ofEntries(5, 9, 7));
    assertThatThrownBy(() -> new WireInput(bytes, 8).vector())
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("ahead of its sender's clock");
  }
}
