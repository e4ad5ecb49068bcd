package io.github.stablecut.cluster.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Aligns tables, and escapes their cells. */
final class TableTest {
  @Test
  void alignsNumbersAtTheRightAndNamesAtTheLeft() {
    Table table = new Table("commits", "n", "file");
    table.add("a.txt", 1, 1234567);
    table.add("a much longer name", 12, 0);

    assertThat(table.lines())
        .containsExactly(
            "  commits          n  file",
            "        1  1,234,567  a.txt",
            "       12          0  a much longer name");
  }

  @Test
  void escapesControlCharactersInNames() {
    Table table = new Table("name");
    table.add("a\u001b[31mb\nc");

    assertThat(table.lines()).containsExactly("  name", "  a\\u001b[31mb\\nc");
  }

  @Test
  void refusesRowsOfAnotherWidth() {
    assertThatThrownBy(() -> new Table("n", "name").add("x"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
