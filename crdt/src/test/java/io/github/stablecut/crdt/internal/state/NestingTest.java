package io.github.stablecut.crdt.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Expiring;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.ThreeDataCentres;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Properties of an object hold for it inside other objects, too. */
class NestingTest {
  private static final BoundedCounter.Operation INCREMENT = new BoundedCounter.Increment(1);
  private static final BoundedCounter.Operation DECREMENT = new BoundedCounter.Decrement(1);
  private static final BoundedCounter.Operation TRANSFER = new BoundedCounter.Transfer(1, 1);

  private static <O> boolean isCertifiedInAGrowOnlyMap(CrdtType<?, O, ?, ?> type, O operation) {
    MapKey<O, ?> place = new MapKey<>(Samples.A, type);
    return GrowOnlyMap.TYPE.needsCertification(GrowOnlyMap.Update.of(place, operation));
  }

  private static <O> boolean isCertifiedInARecursiveResetMap(
      CrdtType<?, O, ?, ?> type, O operation) {
    var update = new RecursiveResetMap.Update<>(new MapKey<>(Samples.A, type), operation);
    boolean alone = RecursiveResetMap.TYPE.needsCertification(update);
    RecursiveResetMap.EntryOperation other = new RecursiveResetMap.Remove(update.place());
    assertThat(
            RecursiveResetMap.TYPE.needsCertification(
                new RecursiveResetMap.Batch(List.of(other, update))))
        .isEqualTo(alone);
    return alone;
  }

  /** Otherwise two transactions of a data centre could spend the same rights. */
  @Test
  void operationsThatSpendRightsAreCertifiedWhereverTheCounterIs() {
    CrdtType<?, BoundedCounter.Operation, ?, Long> counter = BoundedCounter.TYPE;
    var expiring = Expiring.of(counter);
    for (var spending : List.of(DECREMENT, TRANSFER)) {
      var update = GrowOnlyMap.Update.of(new MapKey<>(Samples.A, counter), spending);

      assertThat(expiring.needsCertification(new Expiring.Update<>(spending))).isTrue();
      assertThat(isCertifiedInAGrowOnlyMap(counter, spending)).isTrue();
      assertThat(isCertifiedInAGrowOnlyMap(expiring, new Expiring.Update<>(spending))).isTrue();
      assertThat(isCertifiedInAGrowOnlyMap(GrowOnlyMap.TYPE, update)).isTrue();
      assertThat(isCertifiedInARecursiveResetMap(counter, spending)).isTrue();
      assertThat(isCertifiedInARecursiveResetMap(GrowOnlyMap.TYPE, update)).isTrue();
    }
    assertThat(expiring.needsCertification(new Expiring.Update<>(INCREMENT))).isFalse();
    assertThat(expiring.needsCertification(new Expiring.Persist<>())).isFalse();
    assertThat(isCertifiedInAGrowOnlyMap(counter, INCREMENT)).isFalse();
    assertThat(isCertifiedInARecursiveResetMap(counter, INCREMENT)).isFalse();
    assertThat(RecursiveResetMap.TYPE.needsCertification(new RecursiveResetMap.Reset())).isFalse();
  }

  @Test
  void expiringObjectsAndTheirContainersDependOnTime() {
    for (CrdtType<?, ?, ?, ?> type : CrdtTypes.all()) {
      boolean isMap = type instanceof GrowOnlyMap || type instanceof RecursiveResetMap;

      assertThat(type.dependsOnTime()).as(type.name()).isEqualTo(isMap || type instanceof Expiring);
      assertThat(type.resettable().dependsOnTime()).isEqualTo(type.dependsOnTime());
    }
  }

  @Test
  void refusesObjectsNestedAboveTheLimit() {
    byte[] deepest = countersInMaps(Encoder.MAX_DEPTH);

    assertThat(CrdtCodec.encodeState(GrowOnlyMap.TYPE, decoded(deepest))).isEqualTo(deepest);
    assertThatThrownBy(() -> decoded(countersInMaps(Encoder.MAX_DEPTH + 1)))
        .isInstanceOf(FormatException.class)
        .hasMessage("nested deeper than 64 levels");
  }

  private static GrowOnlyMap.State decoded(byte[] bytes) {
    return CrdtCodec.decodeState(GrowOnlyMap.TYPE, bytes);
  }

  /** A counter in that many maps: each has one entry, whose key is empty. */
  private static byte[] countersInMaps(int maps) {
    byte[] bytes = new byte[2 + 3 * maps + 1];
    bytes[0] = 1;
    bytes[1] = (byte) GrowOnlyMap.TYPE.typeId();
    for (int map = 0; map < maps; map++) {
      bytes[2 + 3 * map] = 1;
      bytes[4 + 3 * map] = (byte) GrowOnlyMap.TYPE.typeId();
    }
    bytes[bytes.length - 2] = (byte) PnCounter.TYPE.typeId();
    return bytes;
  }

  @Test
  void aTransferConcurrentWithARemovalStays() {
    var place = new MapKey<>(Samples.A, BoundedCounter.TYPE);
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    map.at(0, new RecursiveResetMap.Update<>(place, new BoundedCounter.Increment(10)));
    map.meet();
    map.at(1, new RecursiveResetMap.Remove(place));
    map.at(0, new RecursiveResetMap.Update<>(place, new BoundedCounter.Transfer(5, 1)));
    map.meet();
    assertThat(place.in(map.value(0))).contains(5L);

    map.at(0, new RecursiveResetMap.Update<>(place, new BoundedCounter.Increment(6)));
    map.at(1, new RecursiveResetMap.Update<>(place, new BoundedCounter.Decrement(5)));
    map.meet();

    assertThat(place.in(map.value(0))).contains(1L);
  }

  /** It would be written as nothing. */
  @Test
  void refusesAnAbsentEntry() {
    byte[] entry = {1, 12, 1, 0, (byte) EnableWinsFlag.TYPE.typeId(), 0, 0};

    assertThatThrownBy(() -> CrdtCodec.decodeState(RecursiveResetMap.TYPE, entry))
        .isInstanceOf(FormatException.class)
        .hasMessage("an entry of a map is absent: it has no dots and an initial object");
  }
}
