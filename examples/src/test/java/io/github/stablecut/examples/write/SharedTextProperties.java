package io.github.stablecut.examples.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.examples.trace.Trace.Patch;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A recorded author's edits keep their effect whatever others do to the text. */
final class SharedTextProperties {
  /**
   * The first code point. Each one is inserted once, so that it identifies its author; some take
   * two chars.
   */
  private static final int FIRST = 0xFFD0;

  private int inserted;

  @Property(tries = 300)
  void othersEditsMoveItsEditsWithoutChangingThem(@ForAll long seed) {
    Random random = new Random(seed);
    SharedText shared = new SharedText();
    Set<Integer> foreign = new HashSet<>();
    Set<Integer> deletedByOthers = new HashSet<>();
    inserted = FIRST;
    String recorded = "";
    String actual = "";
    for (int i = 0; i < 60; i++) {
      if (random.nextInt(3) == 0) {
        Patch patch = patch(random, actual);
        patch.inserted().codePoints().forEach(foreign::add);
        int[] points = actual.codePoints().toArray();
        for (int at = patch.position(); at < patch.position() + patch.deleted(); at++) {
          deletedByOthers.add(points[at]);
        }
        actual = Texts.with(actual, patch);
        shared.becomes(actual);
      } else {
        Patch patch = patch(random, recorded);
        recorded = Texts.with(recorded, patch);
        for (Patch part : shared.edit(patch)) {
          actual = Texts.with(actual, part);
        }
      }

      assertThat(shared.text()).isEqualTo(actual);
      assertThat(without(foreign, actual)).isEqualTo(without(deletedByOthers, recorded));
    }
  }

  private Patch patch(Random random, String text) {
    int length = text.codePointCount(0, text.length());
    int position = random.nextInt(length + 1);
    int deleted = random.nextInt(2) * random.nextInt(Math.min(9, length - position) + 1);
    StringBuilder added = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      added.appendCodePoint(inserted++);
    }
    return new Patch(position, deleted, added.toString());
  }

  private static String without(Set<Integer> some, String text) {
    return text.codePoints()
        .filter(point -> !some.contains(point))
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }
}
