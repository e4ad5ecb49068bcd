package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.ConditionalBatchCodec;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Any bytes that another node sends decode to a conditional write or are refused. */
final class ConditionalBatchProperties {
  private static final List<Condition> CONDITIONS =
      new ArrayList<>(ConditionTest.conditions().keySet());

  /** Every kind of operation on every kind of object. */
  private static List<Update> updates() {
    RecursiveMapKey map = Key.map("b", "map");
    RecursiveMapKey inner = map.map("inner");
    BoundedCounterKey rights = Key.boundedCounter("b", "rights");
    ExpiringKey<RegisterKey<String>> expiring =
        Key.expiring(Key.register("b", "expiring", Codec.string()));
    return List.of(
        Key.counter("b", "counter").increment(-5),
        Key.resettableCounter("b", "resettable").increment(5),
        Key.resettableCounter("b", "resettable").reset(),
        rights.increment(1),
        rights.decrement(2),
        rights.transfer(3, 4),
        Key.register("b", "register", Codec.string()).assign("value"),
        Key.multiValueRegister("b", "values", Codec.string()).assign("value"),
        Key.multiValueRegister("b", "values", Codec.string()).clear(),
        Key.growOnlySet("b", "grow", Codec.string()).add("x"),
        Key.addWinsSet("b", "set", Codec.string()).addAll(List.of("y", "x")),
        Key.addWinsSet("b", "set", Codec.string()).remove("x"),
        Key.addWinsSet("b", "set", Codec.string()).clear(),
        Key.removeWinsSet("b", "removes", Codec.string()).add("x"),
        Key.removeWinsSet("b", "removes", Codec.string()).remove("x"),
        Key.enableWinsFlag("b", "flag").enable(),
        Key.disableWinsFlag("b", "other").reset(),
        Key.counterMap("b", "counts", Codec.string()).increment("x", 3),
        Key.list("b", "list", Codec.string()).insert(2, "x"),
        Key.list("b", "list", Codec.string()).delete(2, 3),
        Key.text("b", "text").insert(0, "words \u00e9\ud83d\ude00"),
        Key.text("b", "text").clear(),
        Key.growOnlyMap("b", "grown").counter("c").increment(),
        map.remove(inner),
        inner.counter("deep").increment(7),
        inner.clear(),
        expiring.object().assign("soon gone"),
        expiring.expireAt(Instant.ofEpochMilli(-3)),
        expiring.expireAfter(Duration.ofNanos(1_000_000_001)),
        expiring.persist(),
        expiring.reset());
  }

  private static final List<Update> UPDATES = updates();

  private static Bytes encoded(int condition) {
    return ConditionalBatchCodec.encode(
        new ConditionalBatch(
            CONDITIONS.get(Math.floorMod(condition, CONDITIONS.size())), UPDATES, 100, 1_000));
  }

  @Property(tries = 100)
  void roundTrips(@ForAll int condition) {
    Bytes sent = encoded(condition);
    ConditionalBatch arrived = ConditionalBatchCodec.decode(sent);

    assertThat(arrived.updates())
        .extracting(Update::operation)
        .isEqualTo(UPDATES.stream().map(Update::operation).toList());
    assertThat(arrived.ids())
        .isEqualTo(
            new ConditionalBatch(
                    CONDITIONS.get(Math.floorMod(condition, CONDITIONS.size())), UPDATES, 1, 1)
                .ids());
    assertThat(ConditionalBatchCodec.encode(arrived)).isEqualTo(sent);
  }

  @Property(tries = 5_000)
  void readsOrRefusesDamagedBytes(
      @ForAll int condition,
      @ForAll @IntRange(min = 0, max = 2_000) int place,
      @ForAll byte replacement,
      @ForAll boolean isCut) {
    byte[] bytes = encoded(condition).toArray();
    int at = place % bytes.length;
    byte[] damaged = isCut ? Arrays.copyOf(bytes, at) : bytes;
    if (!isCut) {
      damaged[at] = replacement;
    }

    Optional<ConditionalBatch> read = read(Bytes.wrap(damaged));

    read.ifPresent(
        batch -> {
          assertThat(batch.updates()).isNotEmpty();
          assertThat(Map.of("ids", batch.ids())).isNotEmpty();
        });
  }

  @Property(tries = 2_000)
  void readsOrRefusesAnyBytes(@ForAll byte[] bytes) {
    assertThat(read(Bytes.wrap(bytes)).map(ConditionalBatch::updates))
        .satisfiesAnyOf(
            updates -> assertThat(updates).isEmpty(),
            updates -> assertThat(updates.orElseThrow()).isNotEmpty());
  }

  private static Optional<ConditionalBatch> read(Bytes bytes) {
    try {
      return Optional.of(ConditionalBatchCodec.decode(bytes));
    } catch (FormatException e) {
      return Optional.empty();
    }
  }
}
