package io.github.stablecut.crdt;

import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.crdt.stream.EntryStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The registry of data types, by type id. */
public final class CrdtTypes {
  private static final List<CrdtType<?, ?, ?, ?>> PLAIN =
      List.of(
          PnCounter.TYPE,
          LwwRegister.TYPE,
          AddWinsSet.TYPE,
          FatCounter.TYPE,
          BoundedCounter.TYPE,
          MvRegister.TYPE,
          GrowOnlySet.TYPE,
          RemoveWinsSet.TYPE,
          EnableWinsFlag.TYPE,
          DisableWinsFlag.TYPE,
          GrowOnlyMap.TYPE,
          RecursiveResetMap.TYPE,
          CounterMap.TYPE,
          LwwRecord.TYPE,
          RgaList.TYPE,
          RgaText.TYPE,
          EntryStream.TYPE);

  private static final List<CrdtType<?, ?, ?, ?>> ALL =
      Stream.concat(PLAIN.stream(), PLAIN.stream().map(Expiring::of))
          .<CrdtType<?, ?, ?, ?>>map(type -> type)
          .toList();

  private static final Map<Integer, CrdtType<?, ?, ?, ?>> BY_ID =
      ALL.stream().collect(Collectors.toUnmodifiableMap(CrdtType::typeId, Function.identity()));

  private CrdtTypes() {}

  /** All types, in ascending order of their ids. */
  public static List<CrdtType<?, ?, ?, ?>> all() {
    return ALL;
  }

  /** The type with an id; empty if this version has none. */
  public static Optional<CrdtType<?, ?, ?, ?>> byId(long typeId) {
    return typeId != (int) typeId ? Optional.empty() : Optional.ofNullable(BY_ID.get((int) typeId));
  }

  /**
   * The type of stored states with an id: a type of objects, or {@link SeveralTypes}. Empty if this
   * version has none.
   */
  public static Optional<CrdtType<?, ?, ?, ?>> ofStates(long typeId) {
    return typeId == SeveralTypes.TYPE.typeId() ? Optional.of(SeveralTypes.TYPE) : byId(typeId);
  }
}
