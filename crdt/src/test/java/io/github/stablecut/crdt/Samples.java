package io.github.stablecut.crdt;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Small operands, few enough that operations conflict. */
public final class Samples {
  public static final Bytes A = Bytes.utf8("a");
  public static final Bytes B = Bytes.utf8("b");

  /** All elements, keys and values. */
  public static final List<Bytes> ELEMENTS = List.of(Bytes.EMPTY, A, B, Bytes.utf8("bc"));

  /** The maximum size of an encoded element. */
  public static final int ELEMENT_BYTES = 3;

  /** The maximum size of an encoded dot in tests. */
  public static final int DOT_BYTES = 8;

  /** The maximum size of an encoded number. */
  public static final int NUMBER_BYTES = 10;

  /** Version, type, and the number of entries. */
  public static final int COUNT_BYTES = 3;

  /** Large, but a history has too few of it to leave the range of a {@code long}. */
  private static final long LARGE = 1L << 50;

  private Samples() {}

  /** The maximum size of an encoded set of dots. */
  public static int dotsBytes(int count) {
    return 1 + count * DOT_BYTES;
  }

  /** The number of events that no other one has seen. */
  public static int newest(Events<?> events) {
    return (int) events.stream().filter(event -> !events.isFollowed(event, later -> true)).count();
  }

  public static Arbitrary<Bytes> elements() {
    return Arbitraries.of(ELEMENTS);
  }

  public static Arbitrary<Long> amounts() {
    return Arbitraries.of(1L, -1L, 2L, -2L, 0L, LARGE, -LARGE);
  }

  public static Arbitrary<List<Bytes>> elementLists() {
    return elements().list().ofMaxSize(3);
  }
}
