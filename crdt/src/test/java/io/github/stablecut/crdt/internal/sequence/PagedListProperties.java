package io.github.stablecut.crdt.internal.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.MemoryPages;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.internal.sequence.RunNode.Inner;
import io.github.stablecut.crdt.internal.sequence.RunNode.Leaf;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * A list of elements of any size in pages equals the same list in memory, while pages replace pages
 * many times over; and no run or leaf exceeds its limit.
 */
class PagedListProperties {
  private static final RgaList TYPE = RgaList.TYPE;

  /** The sizes of adjacent elements: many in a run, few, one, and one that fills a leaf. */
  private static final List<Bytes> ELEMENTS =
      List.of(
          Bytes.EMPTY,
          Bytes.utf8("small"),
          Bytes.wrap(new byte[1_000]),
          Bytes.wrap(new byte[20 << 10]),
          Bytes.wrap(new byte[70 << 10]),
          Bytes.wrap(new byte[300 << 10]));

  /**
   * An operation.
   *
   * @param place the approximate part of the list, of 100
   * @param count the number of elements to insert, or to delete if it is below 0
   * @param element the inserted element
   * @param isLate whether the transaction has not seen the operation before
   * @param isStored whether the list is then stored
   */
  record Step(int place, int count, int element, boolean isLate, boolean isStored) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 100),
            Arbitraries.integers().between(-12, 20),
            Arbitraries.integers().between(0, ELEMENTS.size() - 1),
            Arbitraries.of(true, false, false, false),
            Arbitraries.of(true, false))
        .as(Step::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(60);
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void equalsTheListInMemory(@ForAll("steps") List<Step> steps) {
    Rga.State<List<Bytes>> plain = TYPE.initial();
    Rga.State<List<Bytes>> before = plain;
    MemoryPages<Rga.State<List<Bytes>>> pages =
        MemoryPages.of(TYPE, plain, new MemoryPages.Sizes(64, 64 << 10));
    Rga.State<List<Bytes>> inPages = pages.state(TYPE);
    long time = 0;
    for (Step step : steps) {
      Rga.State<List<Bytes>> seen = step.isLate ? before : plain;
      var effect =
          TYPE.downstream(
              operation(step, seen.size()),
              seen,
              new OperationContext(0, VectorClock.ZERO, new SelfDots()));
      EffectOrigin origin = new EffectOrigin(step.isLate ? 1 : 0, ++time, VectorClock.ZERO);
      before = plain;
      plain = TYPE.apply(plain, effect, origin);
      inPages = TYPE.apply(inPages, effect, origin);
      if (step.isStored) {
        pages = pages.replacedBy(TYPE, inPages);
        inPages = pages.state(TYPE);
      }
      check(inPages.elements().tree());
    }
    byte[] whole = CrdtCodec.encodeState(TYPE, plain);
    assertThat(CrdtCodec.encodeState(TYPE, inPages)).isEqualTo(whole);
    assertThat(CrdtCodec.measureState(TYPE, plain)).isEqualTo(whole.length);
    check(CrdtCodec.decodeState(TYPE, whole).elements().tree());
    VectorClock frontier = VectorClock.of(time).with(1, time);
    Rga.State<List<Bytes>> pruned = TYPE.prune(plain, frontier);
    check(pruned.elements().tree());
    assertThat(TYPE.value(pruned, frontier)).isEqualTo(TYPE.value(inPages, frontier));
  }

  private static Rga.Operation<List<Bytes>> operation(Step step, int size) {
    int place = size * step.place / 100;
    return step.count > 0
        ? RgaList.insert(place, Collections.nCopies(step.count, ELEMENTS.get(step.element)))
        : Rga.delete(place, Math.min(-step.count, size - place));
  }

  private static void check(RunTree<List<Bytes>> tree) {
    Set<Leaf<List<Bytes>>> leaves = Collections.newSetFromMap(new IdentityHashMap<>());
    if (tree.size() > 0) {
      RunCursor<List<Bytes>> cursor = tree.start();
      do {
        if (leaves.add(cursor.leaf())) {
          for (RunPath<List<Bytes>> up = cursor.path(); up != null; up = up.above()) {
            check(up.node());
          }
        }
      } while (cursor.moveToNextRun());
    }
    long all = 0;
    for (Leaf<List<Bytes>> leaf : leaves) {
      long bytes = 0;
      for (Run<List<Bytes>> run : leaf.runs) {
        assertThat(run.visibleSize() == 1 || run.visibleBytes() <= Run.MAX_BYTES).isTrue();
        bytes += run.visibleBytes();
      }
      assertThat(leaf.bytes).isEqualTo(bytes);
      assertThat(leaf.runs.length == 1 || bytes <= 4 * Run.MAX_BYTES).isTrue();
      all += bytes;
    }
    assertThat(tree.visibleBytes()).isEqualTo(all);
  }

  private static void check(Inner<List<Bytes>> inner) {
    long bytes = 0;
    for (int slot = 0; slot < inner.slots(); slot++) {
      bytes += inner.stored(slot).bytes;
    }
    assertThat(inner.bytes).isEqualTo(bytes);
  }
}
