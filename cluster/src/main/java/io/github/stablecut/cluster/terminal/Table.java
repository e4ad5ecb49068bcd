package io.github.stablecut.cluster.terminal;

import io.github.stablecut.error.PrintableText;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of numbers with a name at the end of each row. Numbers are right-aligned; names have any
 * length. Confined to one thread.
 */
public final class Table {
  private static final String GAP = "  ";

  private final List<String> heads;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * @param heads the columns' heads, that of the name last
   */
  public Table(String... heads) {
    this.heads = List.of(heads);
  }

  /** Adds a row. */
  public void add(String name, long... numbers) {
    if (numbers.length != heads.size() - 1) {
      throw new IllegalArgumentException(
          numbers.length + " numbers for the columns " + heads + " of which the last is the name");
    }
    List<String> row = new ArrayList<>();
    for (long number : numbers) {
      row.add("%,d".formatted(number));
    }
    row.add(PrintableText.of(name));
    rows.add(row);
  }

  /** The lines, the heads first. */
  public List<String> lines() {
    List<List<String>> all = new ArrayList<>();
    all.add(heads);
    all.addAll(rows);
    List<String> lines = new ArrayList<>();
    for (List<String> row : all) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size() - 1; column++) {
        String cell = row.get(column);
        line.append(GAP).append(" ".repeat(width(all, column) - cell.length())).append(cell);
      }
      lines.add(line.append(GAP).append(row.get(row.size() - 1)).toString());
    }
    return lines;
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
