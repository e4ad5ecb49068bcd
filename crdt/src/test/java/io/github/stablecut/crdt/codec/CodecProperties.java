package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/**
 * Users' values: what is written is read, and bytes that nobody has written are refused and cost
 * nothing.
 */
final class CodecProperties {
  /** A user's class with one of everything. */
  public static final class Order {
    String customer = "";
    int count;
    long[] prices = {};
    List<Object> lines = new ArrayList<>();
    Set<Object> marks = new LinkedHashSet<>();
    Map<Object, Object> notes = new HashMap<>();
    String[] words = {};
    Object[] parts = {};

    @Override
    public boolean equals(Object other) {
      return other instanceof Order that
          && customer.equals(that.customer)
          && count == that.count
          && Arrays.equals(prices, that.prices)
          && lines.equals(that.lines)
          && marks.equals(that.marks)
          && notes.equals(that.notes)
          && Arrays.equals(words, that.words)
          && Arrays.deepEquals(parts, that.parts);
    }

    @Override
    public int hashCode() {
      return customer.hashCode() + count;
    }
  }

  /** A record. */
  public record Place(String name, int number, List<String> tags) {}

  private static final KryoCodec<Order> ORDERS =
      KryoCodec.of(Order.class)
          .register(Order.class, 10)
          .register(long[].class, 11)
          .register(ArrayList.class, 12)
          .register(LinkedHashSet.class, 13)
          .register(HashMap.class, 14)
          .register(Object[].class, 15)
          .register(String[].class, 16)
          .build();

  private static final KryoCodec<Place> PLACES =
      KryoCodec.of(Place.class)
          .register(Place.class, 10)
          .register(List.of().getClass(), 11)
          .register(List.of(1).getClass(), 12)
          .build();

  private static Order order(String customer, int count, List<String> lines) {
    Order order = new Order();
    order.customer = customer;
    order.count = count;
    order.prices = new long[] {count, -1, Long.MAX_VALUE};
    order.lines.addAll(lines);
    order.marks.addAll(lines);
    lines.forEach(line -> order.notes.put(line, line.length()));
    order.words = lines.toArray(String[]::new);
    order.parts = new Object[] {customer, List.copyOf(lines).size()};
    return order;
  }

  @Property
  void objectsOfRegisteredClassesSurvive(
      @ForAll String customer, @ForAll int count, @ForAll @Size(max = 20) List<String> lines) {
    Order order = order(customer, count, lines);

    assertThat(ORDERS.decode(ORDERS.encode(order))).isEqualTo(order);
    Place place = new Place(customer, count, List.copyOf(lines));
    assertThat(PLACES.decode(PLACES.encode(place))).isEqualTo(place);
    assertThat(PLACES.encode(place))
        .isEqualTo(PLACES.encode(new Place(customer, count, List.copyOf(lines))));
  }

  @Property(tries = 5_000)
  void changedBytesAreReadOrRefusedAndNothingElseIsThrown(
      @ForAll int place, @ForAll byte value, @ForAll boolean cut, @ForAll byte second) {
    byte[] bytes = ORDERS.encode(order("x", 7, List.of("a", "bä", "c"))).toArray();
    int at = Math.floorMod(place, bytes.length);
    bytes[at] = value;
    bytes[(at + 1) % bytes.length] = second;
    readOrRefuse(cut ? Arrays.copyOf(bytes, at) : bytes);
  }

  @Property(tries = 5_000)
  void anyBytesAreReadOrRefusedAndNothingElseIsThrown(@ForAll byte[] bytes) {
    readOrRefuse(bytes);
  }

  private static void readOrRefuse(byte[] bytes) {
    try {
      assertThat(ORDERS.decode(Bytes.copyOf(bytes))).isNotNull();
    } catch (FormatException e) {
      assertThat(e).hasMessageContaining(" ");
    }
  }

  @Example
  void aHugeLengthInAFewBytesIsRefusedBeforeAnythingIsAllocatedForIt() {
    byte[] huge = {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07};
    for (int id = 10; id <= 16; id++) {
      byte[] bytes = new byte[6];
      bytes[0] = (byte) (id + 2);
      System.arraycopy(huge, 0, bytes, 1, huge.length);

      assertThatThrownBy(() -> ORDERS.decode(Bytes.copyOf(bytes)))
          .isInstanceOf(FormatException.class);
    }
  }

  @Example
  void lengthsThatFitEachButNotTogetherAreRefused() {
    // An array of arrays, each of which announces as many elements as there are bytes left.
    byte[] bytes = new byte[300_000];
    for (int i = 0; i + 4 <= bytes.length; i += 4) {
      bytes[i] = 17;
      bytes[i + 1] = (byte) 0x80;
      bytes[i + 2] = (byte) 0x80;
      bytes[i + 3] = 8;
    }

    assertThatThrownBy(() -> ORDERS.decode(Bytes.copyOf(bytes)))
        .isInstanceOf(FormatException.class);
  }

  @Example
  void aClassThatIsNotRegisteredIsNamed() {
    Order order = new Order();
    order.lines.add(new java.util.BitSet());

    assertThatThrownBy(() -> ORDERS.encode(order))
        .isInstanceOf(UnencodableValueException.class)
        .hasMessageContaining("java.util.BitSet")
        .hasMessageContaining("register");
  }

  @Example
  void anObjectDeeperThanAllowedIsRefused() {
    List<Object> deep = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      deep = new ArrayList<>(List.<Object>of(deep));
    }
    Order order = new Order();
    order.lines.addAll(deep);

    assertThatThrownBy(() -> ORDERS.encode(order)).isInstanceOf(UnencodableValueException.class);
  }

  @Example
  void aValueAboveTheLargestSizeIsRefused() {
    Order order = new Order();
    order.prices = new long[KryoCodec.MAX_VALUE_BYTES / 8 + 1];
    Arrays.fill(order.prices, Long.MIN_VALUE);

    assertThatThrownBy(() -> ORDERS.encode(order)).isInstanceOf(UnencodableValueException.class);
  }

  @Example
  void anIdThatIsTakenOrKryosOwnIsRefused() {
    KryoCodec.Builder<Order> builder = KryoCodec.of(Order.class).register(Order.class, 10);

    assertThatThrownBy(() -> builder.register(ArrayList.class, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("id 10");
    assertThatThrownBy(() -> builder.register(ArrayList.class, 9))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void scalarsSurviveAndSortByValue(@ForAll long a, @ForAll long b, @ForAll boolean bool) {
    Codec<Long> numbers = Codec.int64();

    assertThat(numbers.decode(numbers.encode(a))).isEqualTo(a);
    assertThat(Integer.signum(numbers.encode(a).compareTo(numbers.encode(b))))
        .isEqualTo(Long.compare(a, b));
    assertThat(Codec.bool().decode(Codec.bool().encode(bool))).isEqualTo(bool);
    UUID uuid = new UUID(a, b);
    assertThat(Codec.uuid().decode(Codec.uuid().encode(uuid))).isEqualTo(uuid);
  }

  @Property
  void textsSurviveOrAreRefused(@ForAll String text) {
    try {
      assertThat(Codec.string().decode(Codec.string().encode(text))).isEqualTo(text);
    } catch (UnencodableValueException e) {
      assertThat(text.chars().anyMatch(unit -> Character.isSurrogate((char) unit))).isTrue();
    }
  }

  @Example
  void bytesThatAreNoScalarAreRefused() {
    Bytes one = Bytes.copyOf(new byte[] {(byte) 0xc0});

    assertThatThrownBy(() -> Codec.string().decode(one)).isInstanceOf(FormatException.class);
    assertThatThrownBy(() -> Codec.int64().decode(one)).isInstanceOf(FormatException.class);
    assertThatThrownBy(() -> Codec.uuid().decode(one)).isInstanceOf(FormatException.class);
    assertThatThrownBy(() -> Codec.bool().decode(one)).isInstanceOf(FormatException.class);
  }
}
