package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Records with added and removed components are read according to their codecs, and nothing else
 * is.
 */
class RecordCodecTest {
  /** A user's record. */
  record Item(String article, int count) {}

  /** A user's enum. */
  enum Colour {
    RED,
    GREEN
  }

  /** A user's record with components of all kinds. */
  record Order(
      UUID id,
      Colour colour,
      List<Item> items,
      Optional<String> note,
      double total,
      boolean express,
      long number,
      Instant placed,
      Bytes seal) {}

  /** A record in its first version. */
  record Person(String name, int age) {}

  /** The record later: in another order, without the age, with a town. */
  record PersonOfTown(String town, String name) {}

  /** The record with a renamed component. */
  record NamedPerson(int age, String fullName) {}

  /** A user's record that validates its values. */
  record Positive(int value) {
    Positive {
      if (value <= 0) {
        throw new IllegalArgumentException("not positive: " + value);
      }
    }
  }

  private static final RecordCodec<Order> ORDERS =
      RecordCodec.of(Order.class)
          .with("items", Codec.list(RecordCodec.of(Item.class).build()))
          .with("note", Codec.optional(Codec.string()))
          .build();

  private static final RecordCodec<Person> PERSONS = RecordCodec.of(Person.class).build();

  private static final RecordCodec<PersonOfTown> OF_TOWNS =
      RecordCodec.of(PersonOfTown.class).withDefault("town", "Ulm").build();

  private static Order order() {
    return new Order(
        new UUID(1, 2),
        Colour.GREEN,
        List.of(new Item("ship", 3), new Item("", -1)),
        Optional.of("soon"),
        9.5,
        true,
        -7,
        Instant.ofEpochSecond(8, 9),
        Bytes.wrap(new byte[] {1, 2}));
  }

  @Test
  void recordsRoundTrip() {
    assertThat(ORDERS.decode(ORDERS.encode(order()))).isEqualTo(order());
  }

  @Test
  void writesStableBytes() throws IOException {
    Path golden = Path.of("src/test/resources/value/record-1.txt");
    String hex = HexFormat.of().formatHex(ORDERS.encode(order()).toArray());

    assertThat(golden).as("golden file: %s", hex).content().isEqualTo(hex + "\n");
  }

  @Test
  void readsAddedComponentsAsTheirDefaults() {
    Bytes before = PERSONS.encode(new Person("eve", 7));

    assertThat(OF_TOWNS.decode(before)).isEqualTo(new PersonOfTown("Ulm", "eve"));
  }

  @Test
  void skipsUnknownComponents() {
    RecordCodec<Person> withDefault = RecordCodec.of(Person.class).withDefault("age", 18).build();

    assertThat(withDefault.decode(OF_TOWNS.encode(new PersonOfTown("Bonn", "eve"))))
        .isEqualTo(new Person("eve", 18));
  }

  @Test
  void keepsTheBytesOfAValueWhenAComponentIsAdded() {
    RecordCodec<Item> items = RecordCodec.of(Item.class).withDefault("count", 1).build();

    assertThat(items.encode(new Item("pen", 1)))
        .isEqualTo(RecordCodec.of(OnlyArticle.class).build().encode(new OnlyArticle("pen")))
        .isNotEqualTo(items.encode(new Item("pen", 2)));
  }

  @Test
  void keepsTheBytesOfAllValuesWhenAComponentGetsADefault() {
    RecordCodec<Person> learned = RecordCodec.of(Person.class).ifMissing("age", 18).build();
    Person young = new Person("eve", 18);

    assertThat(learned.encode(young)).isEqualTo(PERSONS.encode(young));
    assertThat(learned.decode(PERSONS.encode(young))).isEqualTo(young);
    assertThat(learned.decode(OF_TOWNS.encode(new PersonOfTown("Bonn", "eve")))).isEqualTo(young);
  }

  @Test
  void refusesTwoDefaultsOfOneComponent() {
    assertThatThrownBy(
            () -> RecordCodec.of(Person.class).ifMissing("age", 18).withDefault("age", 17).build())
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("component age")
        .hasMessageContaining("else .ifMissing");
  }

  /** An {@link Item} before it had a count. */
  record OnlyArticle(String article) {}

  @Test
  void keepsTheEncodedNameOfARenamedComponent() {
    RecordCodec<NamedPerson> renamed =
        RecordCodec.of(NamedPerson.class).storedAs("fullName", "name").build();
    Bytes before = PERSONS.encode(new Person("eve", 7));

    assertThat(renamed.decode(before)).isEqualTo(new NamedPerson(7, "eve"));
    assertThat(renamed.encode(new NamedPerson(7, "eve"))).isEqualTo(before);
  }

  @Test
  void namesAMissingComponentWithoutDefault() {
    Bytes later = OF_TOWNS.encode(new PersonOfTown("Ulm", "eve"));

    assertThatThrownBy(() -> PERSONS.decode(later))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("no component age")
        .hasMessageContaining(".ifMissing(\"age\"");
  }

  @Test
  void namesTheComponentWithUnreadableBytes() {
    RecordCodec<Person> other = RecordCodec.of(Person.class).with("age", Codec.int64()).build();
    Bytes bytes = PERSONS.encode(new Person("eve", 7));

    assertThatThrownBy(() -> other.decode(bytes))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("component age of " + Person.class.getName());
  }

  @Test
  void refusesCodecValuesOfAnotherClass() {
    RecordCodec<Person> texts =
        RecordCodec.of(Person.class)
            .with("age", Codec.string().<Object>map(String::valueOf, text -> text))
            .build();
    RecordCodec<Person> longs = RecordCodec.of(Person.class).with("age", Codec.int64()).build();
    Bytes bytes = texts.encode(new Person("eve", 7));

    assertThatThrownBy(() -> texts.decode(bytes))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("another class");
    assertThatThrownBy(() -> longs.encode(new Person("eve", 7)))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("component age")
        .hasMessageContaining("java.lang.Integer");
    assertThatThrownBy(() -> RecordCodec.of(Person.class).withDefault("age", "old").build())
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("default old");
  }

  @Test
  void refusesComponentsThatDoNotFitTheRecord() {
    assertThatThrownBy(() -> RecordCodec.of(Order.class).build())
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("component items")
        .hasMessageContaining(".with(\"items\"");
    assertThatThrownBy(() -> RecordCodec.of(Person.class).with("town", Codec.string()))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("it has name, age");
    assertThatThrownBy(() -> RecordCodec.of(Person.class).storedAs("age", "name").build())
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("both stored as name");
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without a null checker does
  void refusesNull() {
    @Nullable String nothing = null;
    assertThatThrownBy(() -> PERSONS.encode(new Person(nothing, 1)))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("component name of " + Person.class.getName() + " is null");
  }

  @Test
  void refusesValuesThatTheirOwnClassRefuses() {
    RecordCodec<Positive> codec = RecordCodec.of(Positive.class).build();
    byte[] bytes = codec.encode(new Positive(1)).toArray();
    bytes[bytes.length - 1] = 0;

    assertThatThrownBy(() -> codec.decode(Bytes.wrap(bytes)))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("not positive: 0");
  }

  @Test
  void refusesForeignBytes() {
    byte[] bytes = PERSONS.encode(new Person("eve", 7)).toArray();
    byte[] later = bytes.clone();
    later[0] = 2;

    assertThatThrownBy(() -> PERSONS.decode(Bytes.wrap(later))).hasMessageContaining("version");
    for (int end = 0; end < bytes.length; end++) {
      Bytes cut = Bytes.copyOf(bytes).slice(0, end);
      assertThatThrownBy(() -> PERSONS.decode(cut)).isInstanceOf(FormatException.class);
    }
    Bytes twice = Bytes.wrap(HexFormat.of().parseHex("0102016100016100"));
    assertThatThrownBy(() -> PERSONS.decode(twice))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("not in ascending order");
  }
}
