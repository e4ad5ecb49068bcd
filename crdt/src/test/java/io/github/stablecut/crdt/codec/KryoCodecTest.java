package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Values of users' classes round-trip, and nothing else is read or written. */
class KryoCodecTest {
  /** A user's class. */
  record Item(String name, int count) {}

  /** A user's class that holds another. */
  record Order(UUID id, Colour colour, List<Item> items, double total) {}

  /** A user's enum. */
  enum Colour {
    RED,
    GREEN
  }

  /** A user's class with fields. */
  static final class Node {
    String name = "";
    @Nullable Node next;
    List<Node> children = new ArrayList<>();
  }

  /** A user's class that can hold anything. */
  record Box(@Nullable Object content) {}

  /** A user's class that validates its values. */
  record Positive(int value) {
    Positive {
      if (value <= 0) {
        throw new IllegalArgumentException("not positive: " + value);
      }
    }
  }

  private static final KryoCodec<Order> ORDERS =
      KryoCodec.of(Order.class, 100).register(Item.class, 101).register(Colour.class, 102).build();

  private static final KryoCodec<Box> BOXES =
      KryoCodec.of(Box.class, 100)
          .register(Item.class, 101)
          .register(Item[].class, 102)
          .register(Colour.class, 103)
          .build();

  private static Order order() {
    return new Order(
        new UUID(1, 2), Colour.GREEN, List.of(new Item("ship", 3), new Item("", -1)), 9.5);
  }

  @Test
  void recordsRoundTrip() {
    assertThat(ORDERS.decode(ORDERS.encode(order()))).isEqualTo(order());
  }

  @Test
  void writesStableBytes() throws IOException {
    Path golden = Path.of("src/test/resources/value/1.txt");
    String hex = HexFormat.of().formatHex(ORDERS.encode(order()).toArray());

    assertThat(golden).as("golden file: %s", hex).content().isEqualTo(hex + "\n");
  }

  @Test
  void knownClassesOfTheJdkRoundTrip() {
    List<Object> contents =
        List.of(
            "text",
            1,
            2L,
            3.0,
            4.0f,
            true,
            'c',
            (byte) 5,
            (short) 6,
            new UUID(7, 8),
            BigInteger.TEN.pow(50),
            new BigDecimal("1.50"),
            Optional.of("x"),
            Optional.empty(),
            Instant.ofEpochSecond(9, 10),
            Duration.ofSeconds(11, 12),
            LocalDate.of(2026, 11, 20),
            LocalTime.of(13, 14),
            LocalDateTime.of(2026, 11, 20, 15, 16),
            Colour.RED,
            new ArrayList<>(List.of(1, 2)),
            new HashSet<>(Set.of(1)),
            new LinkedHashSet<>(List.of(2, 1)),
            new TreeSet<>(List.of(2, 1)),
            new HashMap<>(Map.of("a", 1)),
            new LinkedHashMap<>(Map.of("a", 1)),
            new TreeMap<>(Map.of("b", 1, "a", 2)),
            Arrays.asList(1, null),
            List.of(),
            List.of(1),
            List.of(1, 2, 3),
            Arrays.asList(1, 2).stream().toList(),
            Set.of(),
            Set.of(1),
            Set.of(1, 2, 3),
            Map.of(),
            Map.of(1, 2),
            Map.of(1, 2, 3, 4));
    for (Object content : contents) {
      Box box = new Box(content);
      Box returned = BOXES.decode(BOXES.encode(box));
      assertThat(returned).as(content.getClass().getName()).isEqualTo(box);
      assertThat(BOXES.encode(returned).length()).isEqualTo(BOXES.encode(box).length());
    }
  }

  @Test
  void arraysRoundTrip() {
    List<Object> arrays =
        List.of(
            new byte[] {1},
            new short[] {1},
            new char[] {'a'},
            new int[] {1, -1},
            new long[] {1},
            new float[] {1},
            new double[] {1},
            new boolean[] {true},
            new String[] {"a", "é"},
            new Item[] {new Item("a", 1)});
    for (Object array : arrays) {
      assertThat(BOXES.decode(BOXES.encode(new Box(array))).content()).isEqualTo(array);
    }
    Box queue = new Box(new ArrayDeque<>(List.of(1, 2)));
    assertThat(BOXES.decode(BOXES.encode(queue)).content())
        .isInstanceOf(ArrayDeque.class)
        .extracting(content -> List.copyOf((Collection<?>) content))
        .isEqualTo(List.of(1, 2));
    assertThat(BOXES.decode(BOXES.encode(new Box(null)))).isEqualTo(new Box(null));
  }

  @Test
  void namesTheUnregisteredClass() {
    KryoCodec<Box> codec = KryoCodec.of(Box.class, 100).build();

    assertThatThrownBy(() -> codec.encode(new Box(new Item("a", 1))))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining(Item.class.getName())
        .hasMessageContaining(".register(Item.class, ");
  }

  @Test
  void refusesAValueAboveItsLimit() {
    KryoCodec<Box> codec = KryoCodec.of(Box.class, 100).maxBytes(1000).build();

    assertThatThrownBy(() -> codec.encode(new Box(new byte[2000])))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("1000");
    assertThat(codec.decode(codec.encode(new Box(new byte[900])))).isNotNull();
  }

  @Test
  void refusesAValueThatNestsTooDeepOrRefersToItself() {
    KryoCodec<Node> codec = KryoCodec.of(Node.class, 100).build();
    Node node = new Node();
    node.next = node;

    assertThatThrownBy(() -> codec.encode(node)).isInstanceOf(ValueRefusedException.class);
    Node shallow = new Node();
    shallow.name = "a";
    assertThat(codec.decode(codec.encode(shallow)).name).isEqualTo("a");
  }

  @Test
  void keepsReferencesOnRequest() {
    KryoCodec<Node> codec = KryoCodec.of(Node.class, 100).references().build();
    Node node = new Node();
    node.next = node;
    node.children.add(node);

    Node returned = codec.decode(codec.encode(node));
    assertThat(returned.next).isSameAs(returned);
    assertThat(returned.children.get(0)).isSameAs(returned);
  }

  @Test
  void refusesACycleThroughARecord() {
    KryoCodec<Box> codec =
        KryoCodec.of(Box.class, 100).register(Node.class, 101).references().build();
    List<Object> list = new ArrayList<>();
    Box box = new Box(list);
    list.add(box);

    assertThatThrownBy(() -> codec.encode(box))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("itself");
  }

  @Test
  void refusesAComparatorThatItCannotWrite() {
    TreeSet<String> set = new TreeSet<>(Comparator.reverseOrder());
    set.add("a");

    assertThatThrownBy(() -> BOXES.encode(new Box(set)))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("comparator");
  }

  @Test
  void refusesUnsupportedClasses() {
    assertThatThrownBy(() -> KryoCodec.of(Item.class, 99)).hasMessageContaining("reserved");
    assertThatThrownBy(() -> KryoCodec.of(BitSet.class, 100)).hasMessageContaining("BitSet");
    assertThatThrownBy(() -> KryoCodec.of(Runnable.class, 100))
        .isInstanceOf(ValueRefusedException.class);
    assertThatThrownBy(() -> KryoCodec.of(Codec.class, 100)).hasMessageContaining("no instances");
    assertThatThrownBy(() -> KryoCodec.of(KryoCodec.class, 100))
        .hasMessageContaining("no constructor without parameters");
    assertThatThrownBy(() -> KryoCodec.of(Item.class, 100).register(Order.class, 100))
        .hasMessageContaining("stands for");
    assertThatThrownBy(() -> KryoCodec.of(Item.class, 100).maxBytes(0))
        .isInstanceOf(ValueRefusedException.class);
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without a null checker does
  void refusesNull() {
    @Nullable Order nothing = null;
    assertThatThrownBy(() -> ORDERS.encode(nothing))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("value");
  }

  @Test
  void refusesAnotherClassThanItsOwn() {
    KryoCodec<Item> items = KryoCodec.of(Item.class, 101).register(Order.class, 100).build();
    KryoCodec<Order> orders =
        KryoCodec.of(Order.class, 100)
            .register(Item.class, 101)
            .register(Colour.class, 102)
            .build();
    Bytes item = items.encode(new Item("a", 1));

    assertThatThrownBy(() -> orders.decode(item))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("not a " + Order.class.getName());
  }

  @Test
  void refusesValuesThatTheirOwnClassRefuses() {
    KryoCodec<Positive> codec = KryoCodec.of(Positive.class, 100).build();
    byte[] bytes = codec.encode(new Positive(1)).toArray();
    bytes[bytes.length - 1] = 0; // the number 0

    assertThatThrownBy(() -> codec.decode(Bytes.wrap(bytes))).isInstanceOf(FormatException.class);
  }

  @Test
  void loadsNoClassByItsName() {
    // version, "a class by its name follows" (1 = NAME + 2), id of the name, the name
    byte[] name =
        "io.github.stablecut.crdt.codec.KryoCodecTest$Trap"
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    byte[] bytes = new byte[3 + name.length];
    bytes[0] = 1;
    bytes[1] = 1;
    System.arraycopy(name, 0, bytes, 3, name.length);
    bytes[bytes.length - 1] |= (byte) 0x80; // the end of an ASCII text

    assertThatThrownBy(() -> BOXES.decode(Bytes.wrap(bytes)))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("by its name");
  }

  @Test
  void isThreadSafe() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        results.add(
            threads.submit(
                () -> {
                  for (int j = 0; j < 2000; j++) {
                    if (!ORDERS.decode(ORDERS.encode(order())).equals(order())) {
                      return false;
                    }
                  }
                  return true;
                }));
      }
      for (Future<Boolean> result : results) {
        assertThat(result.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void refusesLengthsThatFitOnlySeparately() {
    byte[] bytes = new byte[300_000];
    for (int i = 1; i + 4 <= bytes.length; i += 4) {
      bytes[i] = 102; // the class with number 100
      bytes[i + 1] = (byte) 0x80;
      bytes[i + 2] = (byte) 0x80;
      bytes[i + 3] = 8;
    }
    bytes[0] = 1;
    KryoCodec<Object[]> codec = KryoCodec.of(Object[].class, 100).build();

    assertThatThrownBy(() -> codec.decode(Bytes.copyOf(bytes)))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("131072 elements, but only");
  }
}
