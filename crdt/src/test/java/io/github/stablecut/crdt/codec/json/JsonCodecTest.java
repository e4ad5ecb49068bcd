package io.github.stablecut.crdt.codec.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.ValueRefusedException;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Values round-trip through JSON, equal ones have equal bytes, and properties may be added and
 * removed.
 */
final class JsonCodecTest {
  /** A user's record. */
  record Item(String article, int count) {}

  /** The record later. */
  record ColouredItem(@Nullable String colour, String article) {}

  /** A user's class. */
  static final class Mutable {
    public String zebra = "z";
    public Map<String, Integer> counts = new HashMap<>();
  }

  private static final JsonCodec<Item> ITEMS = JsonCodec.of(Item.class);

  @Test
  void valuesRoundTrip() {
    JsonCodec<List<Item>> lists = JsonCodec.of(new TypeReference<List<Item>>() {});
    List<Item> items = List.of(new Item("pen", 3), new Item("é\u0000", -1));

    assertThat(lists.decode(lists.encode(items))).isEqualTo(items);
  }

  @Test
  void namesOfAnyCharactersRoundTrip() {
    JsonCodec<Map<String, Integer>> maps = JsonCodec.of(new TypeReference<>() {});
    Map<String, Integer> names = Map.of("😀", 1, "\uD83D\uDE00 𝄞", 2, "é€", 3, "\"\\\u0000", 4);

    assertThat(maps.decode(maps.encode(names))).isEqualTo(names);
  }

  @Test
  void refusesBytesThatAreNoText() {
    Bytes broken = Bytes.wrap(new byte[] {'"', (byte) 0xC3, '(', '"'});

    assertThatThrownBy(() -> JsonCodec.of(String.class).decode(broken))
        .isInstanceOf(FormatException.class);
  }

  @Test
  void writesJsonOrderedByName() {
    Mutable value = new Mutable();
    value.counts = new LinkedHashMap<>();
    value.counts.put("b", 1);
    value.counts.put("a", 2);

    assertThat(JsonCodec.of(Mutable.class).encode(value).toUtf8())
        .isEqualTo("{\"counts\":{\"a\":2,\"b\":1},\"zebra\":\"z\"}");
  }

  @Test
  void readsValuesFromBeforeAPropertyWasAddedOrRemoved() {
    JsonCodec<ColouredItem> later = JsonCodec.of(ColouredItem.class);
    Bytes before = ITEMS.encode(new Item("pen", 3));

    assertThat(later.decode(before)).isEqualTo(new ColouredItem(null, "pen"));
    assertThat(ITEMS.decode(later.encode(new ColouredItem("red", "pen"))))
        .isEqualTo(new Item("pen", 0));
    assertThat(later.encode(new ColouredItem(null, "pen")).toUtf8())
        .isEqualTo("{\"article\":\"pen\"}");
  }

  @Test
  void writesAsTheUsersMapperDoes() {
    JsonMapper mapper =
        JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
            .build();

    assertThat(JsonCodec.of(Item.class, mapper).encode(new Item("pen", 3)).toUtf8())
        .isEqualTo("{\"Article\":\"pen\",\"Count\":3}");
  }

  /** A user's class of long values. */
  record Lengthy(BigInteger number, Map<String, String> texts) {}

  @Test
  void longValuesRoundTrip() {
    Lengthy value =
        new Lengthy(BigInteger.TEN.pow(1_500), Map.of("k".repeat(60_000), "v".repeat(20_100_000)));
    StreamReadConstraints strict = StreamReadConstraints.builder().maxStringLength(10).build();
    JsonMapper users =
        JsonMapper.builder(JsonFactory.builder().streamReadConstraints(strict).build()).build();

    for (JsonCodec<Lengthy> codec :
        List.of(JsonCodec.of(Lengthy.class), JsonCodec.of(Lengthy.class, users))) {
      assertThat(codec.decode(codec.encode(value))).isEqualTo(value);
    }
    assertThat(users.getFactory().streamReadConstraints().getMaxStringLength()).isEqualTo(10);
  }

  @Test
  void refusesInvalidJson() {
    for (String text : List.of("", "null", "[]", "{\"count\":\"many\"}", "{} {}", "{\"count\":")) {
      assertThatThrownBy(() -> ITEMS.decode(Bytes.utf8(text)))
          .as(text)
          .isInstanceOf(FormatException.class)
          .hasMessageContaining(Item.class.getSimpleName());
    }
  }

  @Test
  void refusesValuesThatJacksonDoesNotWrite() {
    JsonCodec<Object> any = JsonCodec.of(Object.class);
    Map<String, Object> cycle = new HashMap<>();
    cycle.put("itself", cycle);

    assertThatThrownBy(() -> any.encode(cycle))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("can't be written as JSON");
    assertThat(any.decode(any.encode("a\ud800"))).as("half a character").isEqualTo("a\ud800");
  }
}
