package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * A map of objects in pages equals the same map in memory, while pages replace pages many times
 * over: whichever values are in pages of their own, however deep, and whether they were read,
 * changed, moved to another node or neither.
 */
class PagedMapProperties {
  private static final RecursiveResetMap TYPE = RecursiveResetMap.TYPE;

  /** The oldest version, counted backwards, that a concurrent transaction has seen. */
  private static final int MAX_LAG = 4;

  /**
   * One operation, and the action after it.
   *
   * @param path a key in the map, and in maps in it
   * @param bytes the size of the assigned, added or inserted value
   * @param lag the number of preceding operations that the transaction has not seen
   */
  record Step(List<Integer> path, int kind, int bytes, int lag, NextAction then) {}

  /** The action after an operation. */
  enum NextAction {
    NOTHING,
    STORE,

    /** Everything is read and rewritten, as if the state did not stem from those pages. */
    STORE_ELSEWHERE,
    PRUNE_AND_STORE
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<List<Integer>> path =
        Arbitraries.integers().between(0, 6).list().ofMinSize(1).ofMaxSize(3);
    return Combinators.combine(
            path,
            Arbitraries.integers().between(0, 9),
            Arbitraries.integers().between(0, 40),
            Arbitraries.integers().between(0, MAX_LAG),
            Arbitraries.frequency(
                Tuple.of(3, NextAction.NOTHING),
                Tuple.of(6, NextAction.STORE),
                Tuple.of(1, NextAction.STORE_ELSEWHERE),
                Tuple.of(2, NextAction.PRUNE_AND_STORE)))
        .as(Step::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(80);
  }

  @Provide
  Arbitrary<MemoryPages.Sizes> sizes() {
    return Combinators.combine(Arbitraries.of(1, 2, 4, 64), Arbitraries.of(4, 12, 30, 100))
        .as(MemoryPages.Sizes::new);
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void equalsTheMapInMemory(
      @ForAll("steps") List<Step> steps, @ForAll("sizes") MemoryPages.Sizes sizes) {
    Run run = new Run(sizes);
    steps.forEach(run::take);
    run.store();
  }

  private static final class Run {
    private final List<RecursiveResetMap.State> seen = new ArrayList<>();
    private final MemoryPages.Sizes sizes;
    private MemoryPages<RecursiveResetMap.State> pages;
    private RecursiveResetMap.State inPages;
    private RecursiveResetMap.State plain = TYPE.initial();
    private long time;

    Run(MemoryPages.Sizes sizes) {
      this.sizes = sizes;
      pages = MemoryPages.of(TYPE, plain, sizes);
      inPages = pages.state(TYPE);
    }

    void take(Step step) {
      int back = Math.min(step.lag, seen.size());
      RecursiveResetMap.Operation operation = operation(step.path, step);
      RecursiveResetMap.Effect effect;
      if (back > 0) {
        effect = effect(operation, seen.get(seen.size() - back));
      } else {
        effect = effect(operation, inPages);
        assertThat(effect).isEqualTo(effect(operation, plain));
      }
      seen.add(plain);
      EffectOrigin origin = new EffectOrigin(back > 0 ? 1 : 0, ++time, VectorClock.ZERO);
      plain = TYPE.apply(plain, effect, origin);
      inPages = TYPE.apply(inPages, effect, origin);
      if (step.then == NextAction.PRUNE_AND_STORE) {
        VectorClock frontier = VectorClock.of(time).with(1, time);
        plain = TYPE.prune(plain, frontier);
        inPages = TYPE.prune(inPages, frontier);
      }
      if (step.then == NextAction.STORE_ELSEWHERE) {
        pages = MemoryPages.of(TYPE, inPages, sizes);
        inPages = pages.state(TYPE);
      } else if (step.then != NextAction.NOTHING) {
        store();
      }
    }

    private static RecursiveResetMap.Effect effect(
        RecursiveResetMap.Operation operation, RecursiveResetMap.State state) {
      return TYPE.downstream(
          operation, state, new OperationContext(0, VectorClock.ZERO, new SelfDots()));
    }

    void store() {
      pages = pages.replacedBy(TYPE, inPages);
      inPages = pages.state(TYPE);
      byte[] whole = CrdtCodec.encodeState(TYPE, plain);
      assertThat(CrdtCodec.encodeState(TYPE, inPages)).isEqualTo(whole);
      assertThat(CrdtCodec.measureState(TYPE, inPages)).isEqualTo(whole.length);
      assertThat(TYPE.value(inPages, VectorClock.of(time)).keySet())
          .isEqualTo(TYPE.value(plain, VectorClock.of(time)).keySet());
    }

    private static RecursiveResetMap.Operation operation(List<Integer> path, Step step) {
      Bytes key = Bytes.utf8("key" + path.get(0));
      if (path.size() > 1) {
        RecursiveResetMap.Operation inside = operation(path.subList(1, path.size()), step);
        return new RecursiveResetMap.Update<>(new MapKey<>(key, TYPE), inside);
      }
      Bytes said = Bytes.wrap(new byte[step.bytes]);
      return switch (step.kind) {
        case 0, 1 ->
            new RecursiveResetMap.Update<>(
                new MapKey<>(key, LwwRegister.TYPE), new LwwRegister.Assign(said));
        case 2 -> new RecursiveResetMap.Remove(new MapKey<>(key, LwwRegister.TYPE));
        case 3 ->
            new RecursiveResetMap.Update<>(
                new MapKey<>(key, MvRegister.TYPE), new MvRegister.Assign(said));
        case 4 ->
            new RecursiveResetMap.Update<>(
                new MapKey<>(key, GrowOnlySet.TYPE), new GrowOnlySet.Add(List.of(said)));
        case 5 ->
            new RecursiveResetMap.Update<>(
                new MapKey<>(key, RgaList.TYPE), RgaList.insert(0, List.of(said, Bytes.EMPTY)));
        case 6 -> new RecursiveResetMap.Remove(new MapKey<>(key, RgaList.TYPE));
        case 7 -> new RecursiveResetMap.Remove(new MapKey<>(key, TYPE));
        case 8 ->
            new RecursiveResetMap.Update<>(
                new MapKey<>(key, GrowOnlyMap.TYPE),
                GrowOnlyMap.Update.of(
                    new MapKey<>(said, LwwRegister.TYPE), new LwwRegister.Assign(said)));
        default ->
            new RecursiveResetMap.Update<>(
                new MapKey<>(key, RemoveWinsSet.TYPE), new RemoveWinsSet.Remove(List.of(said)));
      };
    }
  }
}
