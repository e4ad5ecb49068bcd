package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The information in the heads of two strings that are equal before the position of the heads. */
class HeadsProperties {
  private static final int SHOWN = 7;

  /** Few different bytes, including zero, and lengths around that of a head. */
  @Provide
  Arbitrary<byte[]> rests() {
    return Arbitraries.of((byte) 0, (byte) 1, (byte) -1).array(byte[].class).ofMaxSize(10);
  }

  private static Bytes string(int prefix, byte[] rest) {
    byte[] array = new byte[prefix + rest.length];
    Arrays.fill(array, 0, prefix, (byte) 'p');
    System.arraycopy(rest, 0, array, prefix, rest.length);
    return Bytes.wrap(array);
  }

  @Property
  void areOrderedLikeTheStrings(
      @ForAll @IntRange(max = 9) int from,
      @ForAll("rests") byte[] one,
      @ForAll("rests") byte[] other) {
    long head = Heads.of(string(from, one), from);
    long otherHead = Heads.of(string(from, other), from);

    int order = Integer.signum(Arrays.compareUnsigned(one, other));
    assertThat(head).isNotNegative();
    assertThat(Long.compare(head, otherHead)).isIn(0, order);
    if (Arrays.mismatch(Arrays.copyOf(one, SHOWN), Arrays.copyOf(other, SHOWN)) >= 0) {
      assertThat(Long.compare(head, otherHead)).isEqualTo(order);
    }
  }

  @Property
  void identifyEqualStringsIfTheyAreWhole(
      @ForAll @IntRange(max = 9) int from,
      @ForAll("rests") byte[] one,
      @ForAll("rests") byte[] other) {
    long head = Heads.of(string(from, one), from);
    long otherHead = Heads.of(string(from, other), from);

    assertThat(Heads.isComplete(head)).isEqualTo(one.length <= SHOWN);
    if (Heads.isComplete(head)) {
      assertThat(head == otherHead).isEqualTo(Arrays.equals(one, other));
    }
  }

  @Property
  void tellTheNumberOfCommonBytes(@ForAll("rests") byte[] one, @ForAll("rests") byte[] other) {
    int mismatch = Arrays.mismatch(Arrays.copyOf(one, SHOWN), Arrays.copyOf(other, SHOWN));

    assertThat(Heads.commonLength(Heads.of(string(3, one), 3), Heads.of(string(3, other), 3)))
        .isEqualTo(mismatch < 0 ? SHOWN : mismatch);
  }

  @Property
  void showNothingOfAStringThatEndsBefore(@ForAll("rests") byte[] rest) {
    assertThat(Heads.of(Bytes.wrap(rest), rest.length + 1)).isZero();
  }
}
