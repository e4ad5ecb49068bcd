package io.github.stablecut.crdt.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Editors;
import io.github.stablecut.crdt.Editors.Habit;
import io.github.stablecut.crdt.Editors.Site;
import io.github.stablecut.crdt.PlainSequence;
import io.github.stablecut.crdt.internal.sequence.Run;
import io.github.stablecut.crdt.internal.sequence.Run.Deleted;
import io.github.stablecut.crdt.sequence.Rga.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Compares the text with the simplest sequence, on longer histories and texts than those of the
 * common harness, and checks the strong list specification.
 */
class RgaProperties {
  /** The ordinary number of histories, and of their steps. */
  static final int TRIES = 300;

  static final int STEPS = 600;

  /** Enough for some 800 runs, which are three levels of nodes. */
  private static final int LONG = 3000;

  @Property(tries = TRIES, edgeCases = EdgeCasesMode.NONE)
  void equalsThePlainSequenceOnConflicts(@ForAll long seed) {
    Editors editors = new Editors(RgaText.TYPE, Habit.MEET, seed);
    editors.run(STEPS, RgaProperties::check);
    checkEnd(editors);
  }

  @Property(tries = 20, edgeCases = EdgeCasesMode.NONE)
  void equalsThePlainSequenceWhileTyping(@ForAll long seed) {
    Editors editors = new Editors(RgaText.TYPE, Habit.TYPE, seed);
    editors.run(STEPS, RgaProperties::check);
    checkEnd(editors);
  }

  @Property(tries = 3, edgeCases = EdgeCasesMode.NONE)
  void equalsThePlainSequenceWhenLarge(@ForAll long seed) {
    Editors editors = new Editors(RgaText.TYPE, Habit.TYPE, seed);
    editors.run(LONG, RgaProperties::checkPlaces);
    editors.sites.forEach(RgaProperties::check);
    checkEnd(editors);
  }

  /**
   * Attiya et al. 2016, definition 3.2: there is one order of all inserted elements that every
   * observed list agrees with.
   */
  @Property(tries = 50, edgeCases = EdgeCasesMode.NONE)
  void keepsOneOrderOfAllElementsForever(@ForAll long seed) {
    Editors editors = new Editors(RgaText.TYPE, Habit.MEET, seed);
    Map<Dot, Set<Dot>> followers = new HashMap<>();

    editors.run(
        STEPS,
        site -> {
          List<Dot> seen = site.visibleIds();
          for (int i = 0; i < seen.size(); i++) {
            Set<Dot> next = followers.computeIfAbsent(seen.get(i), id -> new LinkedHashSet<>());
            next.addAll(seen.subList(Math.min(i + 1, seen.size()), Math.min(i + 2, seen.size())));
          }
        });

    assertThat(inSomeOrder(followers)).hasSameSizeAs(followers.keySet());
  }

  /** The elements in an order in which each is before its followers, as far as there is one. */
  private static List<Dot> inSomeOrder(Map<Dot, Set<Dot>> followers) {
    Map<Dot, Integer> predecessors = new HashMap<>();
    followers.keySet().forEach(id -> predecessors.put(id, 0));
    followers.values().forEach(next -> next.forEach(id -> predecessors.merge(id, 1, Integer::sum)));
    Deque<Dot> ready = new ArrayDeque<>();
    predecessors.forEach(
        (id, count) -> {
          if (count == 0) {
            ready.add(id);
          }
        });
    List<Dot> ordered = new ArrayList<>();
    while (!ready.isEmpty()) {
      Dot id = ready.remove();
      ordered.add(id);
      for (Dot next : followers.getOrDefault(id, Set.of())) {
        if (predecessors.merge(next, -1, Integer::sum) == 0) {
          ready.add(next);
        }
      }
    }
    return ordered;
  }

  /** The visible value is the same as without pruning. */
  static void checkValue(Site site) {
    assertThat(RgaText.TYPE.value(site.state, VectorClock.ZERO)).hasToString(site.whole.text());
  }

  /** A lookup by position finds what a walk from the beginning finds there. */
  private static void checkPlaces(Site site) {
    List<Dot> ids = site.visibleIds();
    assertThat(site.state.size()).isEqualTo(ids.size());
    for (int place = ids.size() / 7; place < ids.size(); place += 1 + ids.size() / 7) {
      assertThat(site.state.elements().idAt(place)).isEqualTo(ids.get(place));
    }
    assertThat(RgaText.TYPE.value(site.state, VectorClock.ZERO))
        .hasToString(site.state.elements().visible());
  }

  private static void check(Site site) {
    checkValue(site);
    assertThat(elements(site.state)).isEqualTo(elements(site.pruned));
  }

  private static void checkEnd(Editors editors) {
    editors.settle();
    for (Site site : editors.sites) {
      check(site);
      assertThat(site.state).isEqualTo(editors.sites.get(0).state);
      assertThat(site.pruned.elements()).allMatch(PlainSequence.Element::isVisible);
    }
  }

  /** Each element's dot, and that of the transaction that deleted it. */
  private static List<List<Dot>> elements(State<String> state) {
    List<List<Dot>> elements = new ArrayList<>();
    for (Run<String> run : state.elements().longestRuns()) {
      for (int i = 0; i < run.size(); i++) {
        Dot id = run.ids().get(i);
        boolean deleted = run instanceof Deleted<String>;
        elements.add(deleted ? List.of(id, ((Deleted<String>) run).by().get(i)) : List.of(id));
      }
    }
    return elements;
  }

  private static List<List<Dot>> elements(PlainSequence sequence) {
    return sequence.elements().stream()
        .map(e -> e.by().map(by -> List.of(e.id(), by)).orElse(List.of(e.id())))
        .toList();
  }
}
