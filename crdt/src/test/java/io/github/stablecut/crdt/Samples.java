package io.github.stablecut.crdt;

import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Small operands, few enough that operations meet. */
final class Samples {
  /** All elements, keys and values. */
  static final List<Bytes> ELEMENTS = Stream.of("", "a", "b", "bc").map(Bytes::utf8).toList();

  /** The most that an encoded element takes. */
  static final int ELEMENT_BYTES = 3;

  /** The most that the encoded dot of a test takes. */
  static final int DOT_BYTES = 8;

  private Samples() {}

  static Arbitrary<Bytes> elements() {
    return Arbitraries.of(ELEMENTS);
  }

  static Arbitrary<Long> amounts() {
    return Arbitraries.of(1L, -1L, 2L, -2L, 0L, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  static Arbitrary<List<Bytes>> elementLists() {
    return elements().list().ofMaxSize(3);
  }
}
