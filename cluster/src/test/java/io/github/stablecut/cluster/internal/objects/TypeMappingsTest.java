package io.github.stablecut.cluster.internal.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ProtocolException;
import io.github.stablecut.cluster.internal.antidote.WireMapKey;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Maps AntidoteDB's types and operations to those of a store. */
final class TypeMappingsTest {
  private static final WireOperation RESET = new WireOperation.Reset();
  private static final Set<WireType> WITH_RESET =
      EnumSet.of(
          WireType.FATCOUNTER,
          WireType.ORSET,
          WireType.RWSET,
          WireType.MVREG,
          WireType.FLAG_EW,
          WireType.FLAG_DW,
          WireType.RRMAP,
          WireType.LWWREG);

  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Bytes utf8(String text) {
    return Bytes.utf8(text);
  }

  private static BoundObject object(WireType type) {
    return new BoundObject(utf8(type.name()), type, utf8("bucket"));
  }

  private void update(WireType type, WireOperation... operations) {
    for (WireOperation operation : operations) {
      store.update(TypeMappings.of(type).update(object(type), operation));
    }
  }

  private WireValue read(WireType type) {
    return TypeMappings.of(type).read(store, object(type));
  }

  private static WireOperation add(String... elements) {
    return new WireOperation.Elements(true, bytes(elements));
  }

  private static WireOperation remove(String... elements) {
    return new WireOperation.Elements(false, bytes(elements));
  }

  private static WireOperation count(long amount) {
    return new WireOperation.Count(amount);
  }

  private static WireOperation assign(String value) {
    return new WireOperation.Assign(utf8(value));
  }

  private static WireOperation flag(boolean value) {
    return new WireOperation.Flag(value);
  }

  private static WireMapKey mapKey(String key, WireType type) {
    return new WireMapKey(utf8(key), type);
  }

  private static WireOperation.Nested nested(String key, WireType type, WireOperation operation) {
    return new WireOperation.Nested(mapKey(key, type), operation);
  }

  private static WireOperation map(WireOperation.Nested... updates) {
    return new WireOperation.Entries(List.of(updates), List.of());
  }

  private static WireOperation removal(WireMapKey... removed) {
    return new WireOperation.Entries(List.of(), List.of(removed));
  }

  private static List<Bytes> bytes(String... texts) {
    return Arrays.stream(texts).map(Bytes::utf8).toList();
  }

  private static WireValue elements(String... texts) {
    return new WireValue.Elements(bytes(texts));
  }

  private static WireValue registers(String... texts) {
    return new WireValue.Registers(bytes(texts));
  }

  private static WireValue entries(WireValue.Entry... entries) {
    return new WireValue.Entries(List.of(entries));
  }

  private static WireValue.Entry entry(String key, WireType type, WireValue value) {
    return new WireValue.Entry(mapKey(key, type), value);
  }

  @Test
  void countersCountAndOnlyTheFatCounterResets() {
    update(WireType.COUNTER, count(5), count(-7));
    update(WireType.FATCOUNTER, count(5), RESET, count(2));

    assertThat(read(WireType.COUNTER)).isEqualTo(new WireValue.Count(-2));
    assertThat(read(WireType.FATCOUNTER)).isEqualTo(new WireValue.Count(2));
  }

  @Test
  void aBoundedCounterDecreasesToZeroAndNotBelow() {
    update(WireType.BCOUNTER, count(5), count(-3));

    assertThat(read(WireType.BCOUNTER)).isEqualTo(new WireValue.Count(2));
    assertThatThrownBy(() -> update(WireType.BCOUNTER, count(-3)))
        .isInstanceOf(OperationRefusedException.class);
    update(WireType.BCOUNTER, count(-2));
    assertThat(read(WireType.BCOUNTER)).isEqualTo(new WireValue.Count(0));
  }

  @ParameterizedTest
  @EnumSource(names = {"ORSET", "RWSET"})
  void returnsSetsInAscendingOrderWithoutDuplicates(WireType set) {
    Bytes ff = Bytes.wrap(new byte[] {(byte) 0xff});
    update(
        set,
        add("b", "a", "a", ""),
        new WireOperation.Elements(true, List.of(ff, Bytes.wrap(new byte[1]))),
        add("aa", "B", "gone"),
        add(),
        remove(),
        remove("gone", "never"));

    assertThat(read(set))
        .isEqualTo(
            new WireValue.Elements(
                List.of(
                    Bytes.EMPTY,
                    Bytes.wrap(new byte[1]),
                    utf8("B"),
                    utf8("a"),
                    utf8("aa"),
                    utf8("b"),
                    ff)));
    update(set, RESET);
    assertThat(read(set)).isEqualTo(elements());
  }

  @Test
  void registersHoldTheLastValueOrAllConcurrentOnes() {
    update(WireType.LWWREG, assign("x"), assign("y"));
    BoundObject object = object(WireType.MVREG);
    TypeMapping<?, ?> register = TypeMappings.of(WireType.MVREG);
    try (Transaction left = store.begin();
        Transaction middle = store.begin();
        Transaction right = store.begin()) {
      left.update(register.update(object, assign("b")));
      middle.update(register.update(object, assign("a")));
      right.update(register.update(object, assign("b")));
      left.commit();
      middle.commit();
      right.commit();
    }

    assertThat(read(WireType.LWWREG)).isEqualTo(new WireValue.Register(utf8("y")));
    assertThat(read(WireType.MVREG)).isEqualTo(registers("a", "b", "b"));
    update(WireType.MVREG, RESET);
    assertThat(read(WireType.MVREG)).isEqualTo(registers());
  }

  @ParameterizedTest
  @EnumSource(names = {"FLAG_EW", "FLAG_DW"})
  void flagsAreSetClearedAndReset(WireType type) {
    assertThat(read(type)).isEqualTo(new WireValue.Flag(false));
    update(type, flag(true));
    assertThat(read(type)).isEqualTo(new WireValue.Flag(true));
    update(type, flag(false));
    assertThat(read(type)).isEqualTo(new WireValue.Flag(false));
    update(type, flag(true), RESET);
    assertThat(read(type)).isEqualTo(new WireValue.Flag(false));
  }

  @ParameterizedTest
  @EnumSource(names = {"GMAP", "RRMAP"})
  void mapsListEntriesByKeyAndThenInAntidotesOrderOfTypes(WireType type) {
    for (WireType one : WireType.values()) {
      WireOperation operation =
          switch (one) {
            case BCOUNTER, FATCOUNTER, COUNTER -> count(1);
            case FLAG_DW, FLAG_EW -> flag(true);
            case GMAP, RRMAP -> map(nested("x", WireType.COUNTER, count(1)));
            case LWWREG, MVREG -> assign("v");
            case ORSET, RWSET -> add("e");
          };
      update(type, map(nested("k", one, operation)));
    }
    update(type, map(nested("j", WireType.RWSET, add("e"))), map());

    List<WireMapKey> mapKeys =
        ((WireValue.Entries) read(type)).entries().stream().map(WireValue.Entry::place).toList();
    assertThat(mapKeys.get(0)).isEqualTo(mapKey("j", WireType.RWSET));
    assertThat(mapKeys.subList(1, mapKeys.size()).stream().map(WireMapKey::type))
        .containsExactly(
            WireType.BCOUNTER,
            WireType.FATCOUNTER,
            WireType.COUNTER,
            WireType.FLAG_DW,
            WireType.FLAG_EW,
            WireType.GMAP,
            WireType.RRMAP,
            WireType.LWWREG,
            WireType.MVREG,
            WireType.ORSET,
            WireType.RWSET);
  }

  @ParameterizedTest
  @EnumSource
  void anEntryOfARecursiveResetMapIsRemovedWhateverItsType(WireType type) {
    WireOperation operation =
        switch (type) {
          case BCOUNTER, FATCOUNTER, COUNTER -> count(1);
          case FLAG_DW, FLAG_EW -> flag(true);
          case GMAP, RRMAP -> map(nested("x", WireType.COUNTER, count(1)));
          case LWWREG, MVREG -> assign("v");
          case ORSET, RWSET -> add("e");
        };
    update(WireType.RRMAP, map(nested("k", type, operation)));
    assertThat(read(WireType.RRMAP)).isNotEqualTo(entries());

    update(WireType.RRMAP, removal(mapKey("k", type)));

    assertThat(read(WireType.RRMAP)).isEqualTo(entries());
    update(WireType.RRMAP, map(nested("k", type, operation)), RESET);
    assertThat(read(WireType.RRMAP)).isEqualTo(entries());
  }

  @Test
  void aRecursiveResetMapHidesEmptyEntriesAndShowsZeros() {
    update(
        WireType.RRMAP,
        map(
            nested("a", WireType.COUNTER, count(0)),
            nested("b", WireType.FATCOUNTER, count(0)),
            nested("c", WireType.LWWREG, assign("")),
            nested("d", WireType.GMAP, map()),
            nested("e", WireType.FLAG_DW, flag(false)),
            nested("f", WireType.RWSET, remove("x")),
            nested("g", WireType.ORSET, remove("x")),
            nested("h", WireType.FLAG_EW, flag(false)),
            nested("i", WireType.RRMAP, map()),
            nested("j", WireType.MVREG, assign("x")),
            nested("k", WireType.FATCOUNTER, count(3))),
        map(nested("j", WireType.MVREG, RESET), nested("k", WireType.FATCOUNTER, RESET)));

    assertThat(read(WireType.RRMAP))
        .isEqualTo(
            entries(
                entry("a", WireType.COUNTER, new WireValue.Count(0)),
                entry("b", WireType.FATCOUNTER, new WireValue.Count(0)),
                entry("c", WireType.LWWREG, new WireValue.Register(Bytes.EMPTY)),
                entry("d", WireType.GMAP, entries()),
                entry("e", WireType.FLAG_DW, new WireValue.Flag(false)),
                entry("f", WireType.RWSET, elements())));
  }

  @Test
  void keepsAnUpdateInTheSameOperationAsTheRemovalOfItsEntry() {
    update(WireType.RRMAP, map(nested("k", WireType.ORSET, add("old"))));

    update(
        WireType.RRMAP,
        new WireOperation.Entries(
            List.of(nested("k", WireType.ORSET, add("new"))),
            List.of(mapKey("k", WireType.ORSET))));

    assertThat(read(WireType.RRMAP))
        .isEqualTo(entries(entry("k", WireType.ORSET, elements("new"))));
  }

  @ParameterizedTest
  @EnumSource
  void resetsOnlyTypesWithAReset(WireType type) {
    if (WITH_RESET.contains(type)) {
      update(type, RESET);
    } else {
      assertThatThrownBy(() -> update(type, RESET))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("a " + type + " has no operation resetop");
      assertThatThrownBy(() -> update(WireType.RRMAP, map(nested("k", type, RESET))))
          .isInstanceOf(ProtocolException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesAnOperationOfAnotherTypeWithoutUsingTheStore(WireType type) {
    for (WireOperation operation : List.of(count(1), add("e"), assign("v"), flag(true), map())) {
      boolean fits =
          switch (type) {
            case BCOUNTER, FATCOUNTER, COUNTER -> operation instanceof WireOperation.Count;
            case FLAG_DW, FLAG_EW -> operation instanceof WireOperation.Flag;
            case GMAP, RRMAP -> operation instanceof WireOperation.Entries;
            case LWWREG, MVREG -> operation instanceof WireOperation.Assign;
            case ORSET, RWSET -> operation instanceof WireOperation.Elements;
          };
      if (!fits) {
        assertThatThrownBy(() -> TypeMappings.of(type).update(object(type), operation))
            .isInstanceOf(ProtocolException.class)
            .hasMessageContaining("has no operation");
      }
    }
    assertThatThrownBy(() -> update(WireType.GMAP, removal(mapKey("k", WireType.COUNTER))))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void refusesAKeyOfAnotherTypeHarmlessly() {
    BoundObject asSet = new BoundObject(utf8("k"), WireType.ORSET, utf8("b"));
    BoundObject asCounter = new BoundObject(utf8("k"), WireType.COUNTER, utf8("b"));
    assertThat(TypeMappings.of(WireType.ORSET).read(store, asSet)).isEqualTo(elements());

    store.update(TypeMappings.of(WireType.COUNTER).update(asCounter, count(1)));

    assertThatThrownBy(() -> TypeMappings.of(WireType.ORSET).read(store, asSet))
        .isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store.update(TypeMappings.of(WireType.ORSET).update(asSet, add("x"))))
        .isInstanceOf(TypeMismatchException.class);
    assertThat(TypeMappings.of(WireType.COUNTER).read(store, asCounter))
        .isEqualTo(new WireValue.Count(1));
  }

  @Test
  void refusesByNameAMapWithTypesThatTheProtocolLacks() {
    ObjectKey<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> map =
        Key.of(utf8("bucket"), utf8(WireType.RRMAP.name()), RecursiveResetMap.TYPE);
    store.update(
        map.update(
            new RecursiveResetMap.Update<>(
                new MapKey<>(utf8("body"), GrowOnlySet.TYPE), new GrowOnlySet.Add(bytes("x")))));

    assertThatThrownBy(() -> read(WireType.RRMAP))
        .isInstanceOf(NotInProtocolException.class)
        .hasMessageContaining("no grow-only set")
        .hasMessageContaining("\"body\"");
  }

  @Test
  void theStoreHasEachTypeOfTheProtocol() {
    for (WireType type : WireType.values()) {
      assertThat(TypeMappings.of(type).wireType()).isEqualTo(type);
      assertThat(TypeMappings.of(TypeMappings.of(type).type())).contains(TypeMappings.of(type));
    }
    assertThat(CrdtTypes.all().stream().filter(type -> TypeMappings.of(type).isPresent()))
        .hasSize(WireType.values().length);
  }
}
