package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A state and its successor share most of their memory: one more operation on a large object
 * allocates little more than on a small one.
 */
class SharingTest {
  private static final int SMALL = 1_000;
  private static final int LARGE = 100_000;
  private static final int MEASURED = 200;

  /** A list of that many elements would take roughly as much if it were copied. */
  private static final long MAX_BYTES = 8_000;

  /** The bytes of an object's own operations grow with the depth of its tree. */
  private static final int MAX_GROWTH = 2;

  /** Operations that fill an object, and one more operation. */
  private record Filling<O>(CrdtType<?, O, ?, ?> type, IntFunction<O> operation) {}

  @TestFactory
  List<DynamicTest> addingOneElementToManyCopiesFew() {
    return List.of(
        test(new Filling<>(AddWinsSet.TYPE, i -> new AddWinsSet.Add(List.of(name(i))))),
        test(new Filling<>(RemoveWinsSet.TYPE, i -> new RemoveWinsSet.Add(List.of(name(i))))),
        test(new Filling<>(GrowOnlySet.TYPE, i -> new GrowOnlySet.Add(List.of(name(i))))),
        test(new Filling<>(CounterMap.TYPE, i -> new CounterMap.Add(Map.of(name(i), 1L)))),
        test(
            new Filling<>(
                GrowOnlyMap.TYPE, i -> GrowOnlyMap.Update.of(place(i), new PnCounter.Add(1)))),
        test(
            new Filling<>(
                RecursiveResetMap.TYPE,
                i -> new RecursiveResetMap.Update<>(place(i), new PnCounter.Add(1)))),
        test(new Filling<>(RgaList.TYPE, i -> RgaList.insert(i / 2, List.of(name(i))))),
        test(new Filling<>(RgaText.TYPE, i -> RgaText.insert(i / 2, "x"))));
  }

  private static DynamicTest test(Filling<?> filling) {
    return DynamicTest.dynamicTest(
        filling.type.name(),
        () -> {
          long small = bytesPerOperation(filling.type, filling, SMALL);
          long large = bytesPerOperation(filling.type, filling, LARGE);

          assertThat(large).isLessThan(MAX_BYTES).isLessThan(MAX_GROWTH * small);
        });
  }

  /** In a pseudorandom order, each once. */
  private static Bytes name(int i) {
    return Bytes.utf8("element-%08x".formatted(Integer.reverse(i)));
  }

  private static MapKey<PnCounter.Add, Long> place(int i) {
    return new MapKey<>(name(i), PnCounter.TYPE);
  }

  @SuppressWarnings("unchecked") // a type receives its own operations
  private static <S, O, E> long bytesPerOperation(
      CrdtType<S, ?, E, ?> any, Filling<O> filling, int size) {
    CrdtType<S, O, E, ?> type = (CrdtType<S, O, E, ?>) any;
    S state = type.initial();
    for (int i = 0; i < size; i++) {
      state = after(type, state, filling.operation.apply(i), i);
    }
    List<O> more = IntStream.range(size, size + MEASURED).mapToObj(filling.operation).toList();
    long before = allocatedBytes();
    for (int i = 0; i < MEASURED; i++) {
      state = after(type, state, more.get(i), size + i);
    }
    return (allocatedBytes() - before) / MEASURED;
  }

  private static <S, O, E> S after(CrdtType<S, O, E, ?> type, S state, O operation, long time) {
    OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
    E effect = type.downstream(operation, state, context);
    return type.apply(state, effect, new EffectOrigin(0, time + 1, VectorClock.ZERO));
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
