package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.PnCounter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Commits of several partitions come out in one order, whole and once, in whatever order told. */
final class CommitMergerProperties {
  @Property(tries = 500)
  void whatIsToldInAnyOrderComesOutInThatOfTime(
      @ForAll @IntRange(min = 1, max = 4) int partitions,
      @ForAll @IntRange(min = 0, max = 40) int transactions,
      @ForAll long seed) {
    Random random = new Random(seed);
    List<List<Long>> written = writtenBy(partitions, transactions, random);
    CommitMerger merger = new CommitMerger(LocalDataCentre.FIRST, partitions, VectorClock.ZERO);
    List<List<Long>> untold = written.stream().map(times -> shuffled(times, random)).toList();
    List<CommittedWrites> released = new ArrayList<>();

    while (!untold.stream().allMatch(List::isEmpty)) {
      int partition = random.nextInt(partitions);
      List<Long> rest = untold.get(partition);
      if (!rest.isEmpty()) {
        merger.add(writes(rest.remove(0), partition));
        long bound = rest.stream().mapToLong(Long::longValue).min().orElse(transactions + 1) - 1;
        merger.complete(partition, VectorClock.of(bound));
      }
      for (CommittedWrites out : merger.release()) {
        assertThat(untold.stream().flatMap(List::stream)).allMatch(time -> time > out.time());
        released.add(out);
      }
    }
    for (int partition = 0; partition < partitions; partition++) {
      merger.complete(partition, VectorClock.of(transactions));
    }
    released.addAll(merger.release());

    assertThat(merger.oldestHeld()).isEmpty();
    assertThat(released.stream().map(CommittedWrites::time))
        .containsExactlyElementsOf(
            written.stream().flatMap(List::stream).distinct().sorted().toList());
    for (CommittedWrites out : released) {
      assertThat(out.objects())
          .extracting(CommittedWrites.Written::id)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, partitions)
                  .filter(partition -> written.get(partition).contains(out.time()))
                  .mapToObj(CommitMergerProperties::id)
                  .toList());
    }
  }

  /** The times of the transactions that write in each partition. */
  private static List<List<Long>> writtenBy(int partitions, int transactions, Random random) {
    List<List<Long>> written = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      List<Long> times = new ArrayList<>();
      for (long time = 1; time <= transactions; time++) {
        if (random.nextBoolean()) {
          times.add(time);
        }
      }
      written.add(times);
    }
    return written;
  }

  private static List<Long> shuffled(List<Long> times, Random random) {
    List<Long> shuffled = new ArrayList<>(times);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  private static Bytes id(int partition) {
    return Bytes.utf8("object of " + partition);
  }

  private static CommittedWrites writes(long time, int partition) {
    return new CommittedWrites(
        VectorClock.of(time), Set.of(new CommittedWrites.Written(id(partition), PnCounter.TYPE)));
  }
}
