package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** The codecs of single values round-trip, and preserve the order of values. */
class CodecProperties {
  private static <T> void assertReturns(Codec<T> codec, T value) {
    assertThat(codec.decode(codec.encode(value))).isEqualTo(value);
  }

  private static <T extends Comparable<T>> void assertOrders(Codec<T> codec, T one, T other) {
    assertThat(Integer.signum(codec.encode(one).compareTo(codec.encode(other))))
        .isEqualTo(Integer.signum(one.compareTo(other)));
  }

  @Property
  void numbersRoundTripInOrder(@ForAll long one, @ForAll long other) {
    assertReturns(Codec.int64(), one);
    assertOrders(Codec.int64(), one, other);
  }

  @Property
  void shortNumbersRoundTripInOrder(@ForAll int one, @ForAll int other) {
    assertReturns(Codec.int32(), one);
    assertOrders(Codec.int32(), one, other);
  }

  @Provide
  Arbitrary<Instant> moments() {
    return Combinators.combine(
            Arbitraries.longs()
                .between(Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond())
                .edgeCases(edges -> edges.add(-1L, 0L, 1L)),
            Arbitraries.integers().between(0, 999_999_999))
        .as(Instant::ofEpochSecond);
  }

  @Property
  void instantsRoundTripInOrder(@ForAll("moments") Instant one, @ForAll("moments") Instant other) {
    assertReturns(Codec.instant(), one);
    assertOrders(Codec.instant(), one, other);
  }

  @Property
  void listsAndOptionalsRoundTrip(@ForAll List<@Size(max = 5) List<Integer>> lists) {
    assertReturns(Codec.list(Codec.list(Codec.int32())), lists);
    assertReturns(Codec.optional(Codec.list(Codec.int32())), lists.stream().findFirst());
    assertReturns(Codec.optional(Codec.optional(Codec.bytes())), Optional.of(Optional.empty()));
  }

  @Property
  void refusesInvalidListsAndInstants(@ForAll @Size(max = 30) byte[] bytes) {
    for (Codec<?> codec : List.of(Codec.list(Codec.int32()), Codec.instant())) {
      refusesOrReturns(codec, Bytes.copyOf(bytes));
    }
  }

  /** Readable bytes are written back unchanged. */
  private static <T> void refusesOrReturns(Codec<T> codec, Bytes bytes) {
    T value;
    try {
      value = codec.decode(bytes);
    } catch (FormatException expected) {
      return;
    }
    assertThat(codec.encode(value)).isEqualTo(bytes);
  }

  @Provide
  Arbitrary<Double> doubles() {
    return Arbitraries.oneOf(
        Arbitraries.doubles(),
        Arbitraries.of(
            0.0,
            -0.0,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE,
            -Double.MIN_VALUE));
  }

  @Property
  void floatingPointNumbersRoundTripInOrder(
      @ForAll("doubles") double one, @ForAll("doubles") double other) {
    assertReturns(Codec.float64(), one);
    assertOrders(Codec.float64(), one, other);
  }

  @Property
  void hasOneNan(@ForAll long bits) {
    double value = Double.longBitsToDouble(bits);

    assertThat(Codec.float64().encode(value).equals(Codec.float64().encode(Double.NaN)))
        .isEqualTo(Double.isNaN(value));
  }

  @Property
  void textsRoundTripInOrderOfCodePoints(
      @ForAll("texts") String one, @ForAll("texts") String other) {
    assertReturns(Codec.string(), one);
    assertThat(Integer.signum(Codec.string().encode(one).compareTo(Codec.string().encode(other))))
        .isEqualTo(Integer.signum(compareCodePoints(one, other)));
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("aéz\uffff").ofMaxLength(6).map(s -> s + "😀");
  }

  private static int compareCodePoints(String one, String other) {
    int[] left = one.codePoints().toArray();
    int[] right = other.codePoints().toArray();
    return java.util.Arrays.compare(left, right);
  }

  @Property
  void uuidsRoundTrip(@ForAll long most, @ForAll long least) {
    assertReturns(Codec.uuid(), new UUID(most, least));
    assertThat(Codec.uuid().encode(new UUID(most, least)).length()).isEqualTo(16);
  }

  @Property
  void bytesRoundTrip(@ForAll byte[] bytes) {
    assertReturns(Codec.bytes(), Bytes.copyOf(bytes));
  }

  @Example
  void booleansRoundTrip() {
    assertReturns(Codec.bool(), true);
    assertReturns(Codec.bool(), false);
    assertOrders(Codec.bool(), false, true);
  }

  @Property
  void refusesOtherBytes(@ForAll byte[] bytes) {
    Bytes input = Bytes.copyOf(bytes);

    for (Codec<?> codec :
        new Codec<?>[] {
          Codec.string(), Codec.int64(), Codec.float64(), Codec.bool(), Codec.uuid()
        }) {
      assertReturnsOrRefuses(codec, input);
    }
  }

  private static <T> void assertReturnsOrRefuses(Codec<T> codec, Bytes input) {
    T value;
    try {
      value = codec.decode(input);
    } catch (FormatException e) {
      return;
    }
    assertThat(codec.encode(value)).isEqualTo(input);
  }

  @Example
  void refusesUnpairedSurrogates() {
    assertThatThrownBy(() -> Codec.string().encode("ab\ud83d!"))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("U+D83D")
        .hasMessageContaining("index 2");
    assertThatThrownBy(() -> Codec.string().encode("\ude00"))
        .isInstanceOf(ValueRefusedException.class);
    assertThatThrownBy(() -> Codec.string().decode(Bytes.wrap(new byte[] {(byte) 0xc0, 0x01})))
        .isInstanceOf(FormatException.class);
  }

  @Example
  @SuppressWarnings("NullAway") // what a caller without a null checker does
  void refusesNull() {
    @Nullable String nothing = null;
    assertThatThrownBy(() -> Codec.string().encode(nothing))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("value");
  }

  @Example
  void mapsValues() {
    Codec<Integer> codec = Codec.int64().map(Integer::longValue, Math::toIntExact);

    assertReturns(codec, 42);
    Codec<Thread.State> states = Codec.string().map(Enum::name, Thread.State::valueOf);
    assertReturns(states, Thread.State.NEW);
    assertThatThrownBy(() -> states.decode(Bytes.utf8("nonsense")))
        .isInstanceOf(FormatException.class);
  }
}
