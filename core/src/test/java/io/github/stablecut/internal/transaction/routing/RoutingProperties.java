package io.github.stablecut.internal.transaction.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.PartitionKeys;
import io.github.stablecut.option.ScanOptions;
import java.util.List;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.NotEmpty;

/** The partition of a range is that of all its objects. */
class RoutingProperties {
  private static final int PARTITIONS = 5;
  private final Routing routing = new Routing(7, PARTITIONS);

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of("{", "}", "a", "b", "\0", "|", "~").list().ofMaxSize(6).map(this::joined);
  }

  private String joined(List<String> parts) {
    return String.join("", parts);
  }

  @Provide
  Arbitrary<Bytes> ids() {
    return Combinators.combine(names(), names())
        .as((bucket, key) -> Key.id(Bytes.utf8(bucket), Bytes.utf8(key)));
  }

  @Property(tries = 5_000)
  void allObjectsOfARangeWithAPartitionAreThere(
      @ForAll("ids") Bytes one, @ForAll("ids") Bytes other, @ForAll("names") String behind) {
    Bytes from = one.compareTo(other) <= 0 ? one : other;
    Bytes until = one.compareTo(other) <= 0 ? other : one;
    for (IdRange range : List.of(IdRange.between(from, until), IdRange.prefix(one))) {
      OptionalInt only = routing.partition(range);
      for (Bytes id : List.of(from, longer(from, behind), longer(one, behind), until)) {
        if (only.isPresent() && range.contains(id)) {
          assertThat(routing.partition(id)).as("%s in %s", id, range).isEqualTo(only.getAsInt());
        }
      }
    }
  }

  /** So a tool that inspects an object asks only its partition. */
  @Property(tries = 1_000)
  void aRangeOfOneObjectIsWhereTheObjectIs(@ForAll("ids") Bytes id) {
    ScanOptions one =
        ScanOptions.bucket(Key.bucketOf(id)).from(Key.keyOf(id)).through(Key.keyOf(id));

    assertThat(routing.partition(IdRange.between(one.fromId(), one.untilId())))
        .hasValue(routing.partition(id));
  }

  private static Bytes longer(Bytes id, String behind) {
    return Key.id(Key.bucketOf(id), Bytes.utf8(Key.keyOf(id).toUtf8() + behind));
  }

  @Provide
  Arbitrary<Bytes> keys() {
    Arbitrary<Bytes> any =
        Arbitraries.of(0, 1, 255, (int) 'P', (int) '{', (int) '}', (int) 'a')
            .list()
            .ofMaxSize(6)
            .map(RoutingProperties::bytes);
    Arbitrary<Bytes> marked =
        Combinators.combine(any, any.filter(key -> !PartitionKeys.isMarked(key)))
            .as(
                (part, rest) ->
                    Key.withPartitionKey(part, Key.of(Bytes.EMPTY, rest, PnCounter.TYPE)).key());
    return Arbitraries.oneOf(any, marked, marked.map(key -> key.slice(0, key.length() * 2 / 3)));
  }

  private static Bytes bytes(List<Integer> values) {
    byte[] bytes = new byte[values.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = values.get(i).byteValue();
    }
    return Bytes.wrap(bytes);
  }

  @Property(tries = 5_000)
  void keysOfBytesAreWhereTheirRangeSays(
      @ForAll("keys") Bytes one, @ForAll("keys") Bytes other, @ForAll("keys") Bytes third) {
    List<Bytes> ids =
        List.of(one, other, third).stream().map(key -> Key.id(Bytes.utf8("b"), key)).toList();
    for (Bytes from : ids) {
      for (Bytes until : ids) {
        for (IdRange range : List.of(IdRange.between(from, until), IdRange.prefix(from))) {
          OptionalInt only = routing.partition(range);
          ids.stream()
              .filter(id -> only.isPresent() && range.contains(id))
              .forEach(
                  id ->
                      assertThat(routing.partition(id))
                          .as("%s in %s", id, range)
                          .isEqualTo(only.getAsInt()));
        }
      }
    }
  }

  @Property(tries = 1_000)
  void aPartitionKeyIsWhereTheTagIs(@ForAll @AlphaChars @NotEmpty String part) {
    Bytes bucket = Bytes.utf8("b");
    ObjectKey<?, ?> key =
        Key.withPartitionKey(Bytes.utf8(part), Key.of(bucket, Bytes.utf8("x{y}"), PnCounter.TYPE));

    assertThat(key.partitionKey()).hasValue(Bytes.utf8(part));
    assertThat(routing.partition(key.id()))
        .isEqualTo(routing.partition(Key.id(bucket, Bytes.utf8("{" + part + "}"))));
    ScanOptions all = ScanOptions.bucket(bucket, Bytes.utf8(part));
    assertThat(routing.partition(IdRange.between(all.fromId(), all.untilId())))
        .hasValue(routing.partition(key.id()));
  }

  @Example
  void aRangeOfOneTagHasOnePartition() {
    Bytes bucket = Bytes.utf8("b");
    Bytes tagged = Key.id(bucket, Bytes.utf8("user:{42}:"));

    assertThat(routing.partition(IdRange.prefix(tagged))).hasValue(routing.partition(tagged));
    assertThat(routing.partition(IdRange.prefix(Key.id(bucket, Bytes.utf8("user:{42}")))))
        .hasValue(routing.partition(tagged));
    assertThat(routing.partition(IdRange.prefix(Key.id(bucket, Bytes.utf8("user:{42"))))).isEmpty();
    assertThat(routing.partition(IdRange.prefix(Key.id(bucket, Bytes.EMPTY)))).isEmpty();
    assertThat(routing.partition(IdRange.all())).isEmpty();
  }
}
