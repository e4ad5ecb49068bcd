package io.github.stablecut.crdt.internal.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** A sequence of dots equals a plain list of them. */
class DotsProperties {
  private static final int DATA_CENTRE = 1;

  /** Ascending dots with few different steps, so that spans are long and short. */
  @Provide
  Arbitrary<List<Dot>> ascending() {
    Arbitrary<Integer> timeStep = Arbitraries.of(0, 0, 1, 1, 1, 3);
    Arbitrary<Integer> index = Arbitraries.of(0, 0, 1, 2);
    return Combinators.combine(timeStep, index)
        .as(List::of)
        .list()
        .ofMinSize(1)
        .ofMaxSize(30)
        .map(
            steps -> {
              List<Dot> dots = new ArrayList<>();
              Dot last = new Dot(DATA_CENTRE, 10, 0);
              for (List<Integer> step : steps) {
                last =
                    step.get(0) == 0
                        ? last.plus(1 + step.get(1))
                        : new Dot(DATA_CENTRE, last.time() + step.get(0), step.get(1));
                dots.add(last);
              }
              return dots;
            });
  }

  @Provide
  Arbitrary<List<Dot>> any() {
    return Combinators.combine(
            Arbitraries.longs().between(0, 3), Arbitraries.integers().between(0, 3))
        .as((time, index) -> new Dot(DATA_CENTRE, time, index))
        .list()
        .ofMinSize(1)
        .ofMaxSize(12);
  }

  private static Dots dotsOf(List<Dot> list) {
    return Dots.joined(list.stream().map(dot -> Dots.following(dot, 1)).toList()).get(0);
  }

  @Property
  void isSplitLikeItsParts(@ForAll("any") List<Dot> list, @ForAll long seed) {
    Dots dots = dotsOf(list);
    NavigableSet<Integer> ends = new TreeSet<>(List.of(dots.size()));
    new Random(seed).ints(3, 1, dots.size() + 1).forEach(ends::add);

    List<Dots> parts =
        ends.stream()
            .map(end -> dots.part(Objects.requireNonNullElse(ends.lower(end), 0), end))
            .toList();

    assertThat(dots.cut(ends)).isEqualTo(parts);
  }

  private static List<Dot> listOf(Dots dots) {
    return IntStream.range(0, dots.size()).mapToObj(dots::get).toList();
  }

  @Property
  void equalsItsSourceList(@ForAll("any") List<Dot> list) {
    Dots dots = dotsOf(list);

    assertThat(listOf(dots)).isEqualTo(list);
    assertThat(dots.first()).isEqualTo(list.get(0));
    assertThat(dots.last()).isEqualTo(list.get(list.size() - 1));
    assertThat(dots.isAscending())
        .isEqualTo(
            IntStream.range(1, list.size())
                .allMatch(i -> list.get(i - 1).compareTo(list.get(i)) < 0));
  }

  @Property
  void isTheSameHoweverItWasComposed(
      @ForAll("any") List<Dot> list, @ForAll @IntRange(max = 12) int at) {
    int cut = Math.min(at, list.size());
    Dots dots = dotsOf(list);

    if (cut > 0) {
      assertThat(dots.part(0, cut)).isEqualTo(dotsOf(list.subList(0, cut)));
    }
    if (cut < list.size()) {
      assertThat(dots.part(cut, list.size())).isEqualTo(dotsOf(list.subList(cut, list.size())));
    }
    if (cut > 0 && cut < list.size()) {
      assertThat(dots.part(0, cut).plus(dots.part(cut, list.size()))).isEqualTo(dots);
    }
  }

  @Property
  void countsEqualStepsOnce(@ForAll("any") List<Dot> list) {
    List<List<Long>> steps = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    for (int i = 1; i < list.size(); i++) {
      Dot from = list.get(i - 1);
      Dot to = list.get(i);
      List<Long> step = List.of(to.time() - from.time(), (long) to.index() - from.index());
      int end = steps.size() - 1;
      if (end >= 0 && steps.get(end).equals(step)) {
        counts.set(end, counts.get(end) + 1);
      } else {
        steps.add(step);
        counts.add(1);
      }
    }

    List<List<Long>> seen = new ArrayList<>();
    List<Integer> repeats = new ArrayList<>();
    dotsOf(list)
        .forEachStep(
            (timeStep, indexStep, times) -> {
              seen.add(List.of(timeStep, (long) indexStep));
              repeats.add(times);
            });

    assertThat(seen).isEqualTo(steps);
    assertThat(repeats).isEqualTo(counts);
  }

  @Property
  void findsDotsAtOrBelow(
      @ForAll("ascending") List<Dot> list,
      @ForAll @IntRange(min = 8, max = 50) int time,
      @ForAll @IntRange(max = 4) int index,
      @ForAll @IntRange(max = 2) int dataCentre) {
    Dots dots = dotsOf(list);
    Dot dot = new Dot(dataCentre, time, index);
    VectorClock vector = VectorClock.ofEntries(99, time, 99);

    assertThat(dots.floor(dot) + 1)
        .isEqualTo((int) list.stream().filter(other -> other.compareTo(dot) <= 0).count());
    assertThat(dots.countAtOrBefore(vector))
        .isEqualTo((int) list.stream().filter(other -> other.isAtOrBefore(vector)).count());
    for (int i = 0; i < dots.spanCount(); i++) {
      DotSpan span = dots.span(i);
      List<Dot> own =
          IntStream.range(0, span.size()).mapToObj(j -> span.dot(j, DATA_CENTRE)).toList();
      assertThat(span.countBelow(dot, DATA_CENTRE))
          .isEqualTo((int) own.stream().filter(other -> other.compareTo(dot) < 0).count());
    }
  }

  @Property
  void resolvesToTheTransactionsDotsAtTheCommit(@ForAll @IntRange(min = 1, max = 9) int size) {
    Dots own = Dots.following(Dot.self(3), size);
    EffectOrigin origin = new EffectOrigin(DATA_CENTRE, 77, VectorClock.ZERO);

    assertThat(own.resolve(origin)).isEqualTo(Dots.following(new Dot(DATA_CENTRE, 77, 3), size));
    assertThat(own.countAtOrBefore(VectorClock.ofEntries(99, 99, 99))).isZero();
  }
}
