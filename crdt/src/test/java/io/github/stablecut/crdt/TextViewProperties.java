package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Editors.Habit;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.sequence.Text;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A text equals the string of its characters, in every part. */
class TextViewProperties {
  @Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
  void anEditedTextEqualsItsString(@ForAll long seed) {
    Editors editors = new Editors(RgaText.TYPE, seed % 2 == 0 ? Habit.MEET : Habit.TYPE, seed);
    editors.run(400, site -> {});
    Random random = new Random(seed);
    editors.sites.forEach(
        site ->
            assertSame(
                RgaText.TYPE.value(site.state, VectorClock.ZERO), site.whole.text(), random));
  }

  @Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
  void aTextOfAnyCharactersEqualsItsString(@ForAll long seed) {
    Random random = new Random(seed);
    StringBuilder characters = new StringBuilder();
    random
        .ints(random.nextInt(1_500), 0, 4)
        .mapToObj(kind -> new String[] {"a", "é", "漢", "😀"}[kind])
        .forEach(characters::append);
    assertSame(Text.of(characters), characters.toString(), random);
  }

  private static void assertSame(Text text, String string, Random random) {
    assertThat(text).hasToString(string);
    assertThat(text.length()).isEqualTo(string.length());
    assertThat(text.hashCode()).isEqualTo(string.hashCode());
    assertThat(text.contentEquals(string)).isTrue();
    assertThat(text).isEqualTo(Text.of(string));
    assertThat(text.codePoints().toArray()).isEqualTo(string.codePoints().toArray());
    for (int i = 0; i < 30; i++) {
      int from = random.nextInt(string.length() + 1);
      int to = from + random.nextInt(string.length() + 1 - from);
      assertSamePart(text.subSequence(from, to), string.substring(from, to), random);
    }
    int points = string.codePointCount(0, string.length());
    for (int i = 0; i < 30; i++) {
      int from = random.nextInt(points + 1);
      int to = from + random.nextInt(points + 1 - from);
      int begin = string.offsetByCodePoints(0, from);
      int end = string.offsetByCodePoints(begin, to - from);
      assertSamePart(text.slice(from, to), string.substring(begin, end), random);
    }
  }

  /** A part may begin or end in the middle of a code point. */
  private static void assertSamePart(Text part, String string, Random random) {
    assertThat(part).hasToString(string);
    int points = string.codePointCount(0, string.length());
    assertThat(part.codePointCount()).isEqualTo(points);
    if (!string.isEmpty()) {
      int index = random.nextInt(string.length());
      assertThat(part.charAt(index)).isEqualTo(string.charAt(index));
      int position = random.nextInt(points);
      assertThat(part.codePointAt(position))
          .isEqualTo(string.codePointAt(string.offsetByCodePoints(0, position)));
    }
  }

  @Example
  void refusesPositionsOutsideTheText() {
    Text text = Text.of("a😀");

    assertThatThrownBy(() -> text.charAt(3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> text.codePointAt(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> text.slice(1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> text.subSequence(2, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(text).isNotEqualTo(Text.of("a")).isNotEqualTo("a😀");
    assertThatThrownBy(() -> Text.of("\uD83D")).isInstanceOf(IllegalArgumentException.class);
  }

  @Example
  void aPartThatSplitsASurrogatePairIsSlicedLikeItsString() {
    for (String whole : List.of("a😀b", "a😀")) {
      Text part = Text.of(whole).subSequence(0, 2);

      assertThat(part.codePointCount()).isEqualTo(2);
      assertThat(part.slice(0, 2)).hasToString("a\ud83d");
      assertThat(part.slice(1, 2)).hasToString("\ud83d");
    }
  }
}
