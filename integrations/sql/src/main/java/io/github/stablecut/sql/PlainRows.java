package io.github.stablecut.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Prints rows as CSV or JSON, for programs. */
final class PlainRows {
  private static final ObjectMapper JSON = new ObjectMapper();

  private PlainRows() {}

  static void printCsv(ResultSet found, PrintWriter out) throws SQLException {
    Columns columns = Columns.of(found);
    StringJoiner heads = new StringJoiner(",");
    columns.names().forEach(name -> heads.add(quoted(name)));
    out.print(heads + "\r\n");
    while (found.next()) {
      StringJoiner line = new StringJoiner(",");
      for (int i = 0; i < columns.count(); i++) {
        line.add(quoted(columns.text(i)));
      }
      out.print(line + "\r\n");
    }
    out.flush();
  }

  private static String quoted(@Nullable String text) {
    if (text == null) {
      return "";
    }
    boolean isPlain =
        !text.isEmpty()
            && text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
    return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  static void printJson(ResultSet found, PrintWriter out) throws SQLException {
    Columns columns = Columns.of(found);
    Set<String> names = new HashSet<>();
    for (String name : columns.names()) {
      if (!names.add(name)) {
        throw new SqlException(
            "two columns are called %s, but names in a JSON object must be unique: rename one by AS"
                .formatted(name));
      }
    }
    while (found.next()) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      for (int i = 0; i < columns.count(); i++) {
        Object value = columns.value(i);
        boolean isOfJson = value instanceof Number || value instanceof Boolean;
        row.put(columns.names().get(i), isOfJson ? value : columns.text(i));
      }
      try {
        out.println(JSON.writeValueAsString(row));
      } catch (JsonProcessingException e) {
        throw new SQLException("a row could not be written as JSON: " + e.getMessage(), e);
      }
    }
  }
}
