package io.github.stablecut.sql;

import io.github.stablecut.error.PrintableText;
import java.io.PrintWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints rows in aligned columns: numbers on the right, everything else on the left. The first
 * thousand rows determine the widths.
 */
final class AlignedRows {
  private static final int FIRST = 1_000;
  private static final String GAP = "  ";

  private final Columns columns;
  private final PrintWriter out;
  private final List<List<String>> first = new ArrayList<>();
  private final int[] widths;

  private AlignedRows(Columns columns, PrintWriter out) {
    this.columns = columns;
    this.out = out;
    this.widths = new int[columns.count()];
  }

  static void print(ResultSet found, PrintWriter out) throws SQLException {
    new AlignedRows(Columns.of(found), out).print();
  }

  private void print() throws SQLException {
    take(columns.names());
    long rows = 0;
    while (columns.found().next()) {
      rows++;
      List<String> row = row();
      if (rows < FIRST) {
        take(row);
      } else {
        printFirst();
        printRow(row);
      }
    }
    printFirst();
    out.printf("(%,d %s)%n", rows, rows == 1 ? "row" : "rows");
  }

  private List<String> row() throws SQLException {
    List<String> row = new ArrayList<>();
    for (int i = 0; i < columns.count(); i++) {
      String text = columns.text(i);
      row.add(text == null ? "NULL" : PrintableText.of(text));
    }
    return row;
  }

  private void take(List<String> row) {
    first.add(row);
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], length(row.get(i)));
    }
  }

  private void printFirst() {
    boolean hasHead = !first.isEmpty();
    for (List<String> row : first) {
      printRow(row);
      if (hasHead) {
        List<String> line = new ArrayList<>();
        for (int width : widths) {
          line.add("-".repeat(width));
        }
        out.println(String.join(GAP, line));
        hasHead = false;
      }
    }
    first.clear();
  }

  private void printRow(List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String text = row.get(i);
      String room = " ".repeat(Math.max(0, widths[i] - length(text)));
      line.append(i == 0 ? "" : GAP);
      line.append(columns.isNumber(i) ? room + text : text + room);
    }
    out.println(line.toString().stripTrailing());
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
