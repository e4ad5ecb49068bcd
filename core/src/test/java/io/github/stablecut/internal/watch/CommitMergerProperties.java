package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Commits of several partitions come out in one order, whole and once, whatever their order of
 * arrival.
 */
final class CommitMergerProperties {
  @Property(tries = 500)
  void commitsInAnyOrderComeOutInOrderOfTime(
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
      for (OrderedCommit merged : merger.release()) {
        CommittedWrites out = merged.writes();
        assertThat(untold.stream().flatMap(List::stream)).allMatch(time -> time > out.time());
        released.add(out);
      }
    }
    for (int partition = 0; partition < partitions; partition++) {
      merger.complete(partition, VectorClock.of(transactions));
    }
    merger.release().forEach(merged -> released.add(merged.writes()));

    assertThat(merger.heldCommits()).isZero();
    assertThat(merger.heldSize()).isZero();
    assertThat(released.stream().map(CommittedWrites::time))
        .containsExactlyElementsOf(
            written.stream().flatMap(List::stream).distinct().sorted().toList());
    for (CommittedWrites out : released) {
      assertThat(out.objects())
          .extracting(CommittedWrites.WrittenObject::id)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, partitions)
                  .filter(partition -> written.get(partition).contains(out.time()))
                  .mapToObj(CommitMergerProperties::id)
                  .toList());
    }
  }

  /** A transaction, and the partitions that it writes in. */
  private record Transaction(VectorClock snapshot, int dataCentre, long time, Set<Integer> parts) {
    VectorClock vector() {
      return snapshot.with(dataCentre, time);
    }
  }

  /** Each data centre reads what it has of others, or an older state, and commits. */
  private static List<Transaction> historyOf(int partitions, int size, Random random) {
    List<VectorClock> known = new ArrayList<>(Collections.nCopies(3, VectorClock.ZERO));
    List<Transaction> history = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int dataCentre = random.nextInt(3);
      VectorClock have = known.get(dataCentre);
      VectorClock snapshot =
          random.nextBoolean()
              ? have
              : have.meet(known.get(dataCentre).with(random.nextInt(3), random.nextInt(10)));
      long time = Math.max(snapshot.max(), have.get(dataCentre)) + 1 + random.nextInt(3);
      Set<Integer> parts = new HashSet<>();
      parts.add(random.nextInt(partitions));
      parts.add(random.nextInt(partitions));
      history.add(new Transaction(snapshot, dataCentre, time, parts));
      known.set(dataCentre, have.with(dataCentre, time));
      int from = random.nextInt(3);
      long reached = known.get(from).get(from);
      known.set(dataCentre, known.get(dataCentre).with(from, Math.max(reached, have.get(from))));
    }
    return history;
  }

  @Property(tries = 500)
  void visibleCommitsOfSeveralDataCentresComeOutOnceAndAfterTheirCauses(
      @ForAll @IntRange(min = 1, max = 3) int partitions,
      @ForAll @IntRange(min = 0, max = 40) int size,
      @ForAll long seed) {
    Random random = new Random(seed);
    List<Transaction> history = historyOf(partitions, size, random);
    CommitMerger merger = new CommitMerger(LocalDataCentre.FIRST, partitions, VectorClock.ZERO);
    VectorClock[] complete = new VectorClock[partitions];
    Arrays.fill(complete, VectorClock.ZERO);
    Set<VectorClock> released = new LinkedHashSet<>();
    VectorClock token = VectorClock.ZERO;
    for (int step = 0; step < 60; step++) {
      int partition = random.nextInt(partitions);
      int dataCentre = random.nextInt(3);
      long until = complete[partition].get(dataCentre) + random.nextInt(12);
      for (Transaction one : history) {
        if (one.parts.contains(partition)
            && one.dataCentre == dataCentre
            && one.time <= until + random.nextInt(3)) {
          merger.add(writes(one.vector(), partition));
        }
      }
      complete[partition] = complete[partition].with(dataCentre, until);
      merger.complete(partition, complete[partition]);
      for (OrderedCommit merged : merger.release()) {
        VectorClock vector = merged.writes().at();
        assertThat(released.add(vector)).isTrue();
        for (Transaction one : history) {
          boolean isCause = one.vector().isAtOrBefore(vector) && !one.vector().equals(vector);
          assertThat(!isCause || released.contains(one.vector())).isTrue();
          assertThat(!one.vector().isAtOrBefore(merged.token()) || released.contains(one.vector()))
              .isTrue();
        }
        boolean isExact = vector.isAtOrBefore(merged.token());
        assertThat(token.isAtOrBefore(merged.token())).isTrue();
        assertThat(!isExact || released.stream().allMatch(at -> at.isAtOrBefore(merged.token())))
            .isTrue();
        assertThat(vector.isAtOrBefore(merged.seen())).isTrue();
        token = merged.token();
        assertThat(merged.writes().objects()).hasSize(partsOf(vector, history));
      }
      VectorClock bound = merger.complete();
      assertThat(merger.position()).isEqualTo(bound);
      assertThat(token.isAtOrBefore(bound)).isTrue();
      assertThat(released)
          .containsExactlyInAnyOrderElementsOf(
              history.stream()
                  .map(Transaction::vector)
                  .filter(at -> at.isAtOrBefore(bound))
                  .toList());
    }
  }

  private static int partsOf(VectorClock vector, List<Transaction> history) {
    return history.stream()
        .filter(one -> one.vector().equals(vector))
        .findFirst()
        .orElseThrow()
        .parts
        .size();
  }

  private static CommittedWrites writes(VectorClock vector, int partition) {
    return new CommittedWrites(
        vector, Set.of(new CommittedWrites.WrittenObject(id(partition), PnCounter.TYPE)));
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
    return writes(VectorClock.of(time), partition);
  }
}
