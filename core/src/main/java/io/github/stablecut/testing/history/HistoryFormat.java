package io.github.stablecut.testing.history;

import java.util.Locale;
import java.util.Optional;

/**
 * The text format of a history, for any checker: UTF-8, one JSON object per line. A line with a
 * {@code type} describes the history; every other line is a transaction. Operations are {@code
 * reg.w}, {@code reg.r} (a last-writer-wins register; null is never written), {@code set.add},
 * {@code set.rem}, {@code set.r}, {@code ctr.inc} and {@code ctr.r}. A transaction has its {@code
 * node} if it is known. A transaction that read after all others had ended has {@code
 * "final":true}.
 *
 * <pre>
 *   {"type":"meta","format":"tcch/1","what":"transactions --threads 8"}
 *   {"session":"c7","id":"c7-12","start":812345,"end":815002,"outcome":"ok","ops":[
 *     {"op":"set.r","key":"s1","values":["c1-3"]},{"op":"set.add","key":"s1","value":"c7-12"},
 *     {"op":"reg.r","key":"r2","value":null},{"op":"ctr.inc","key":"c9","by":8}]}   (one line)
 * </pre>
 *
 * <p>The lines of each session are in the session's order.
 */
final class HistoryFormat {
  private static final String VALUE = "value";

  private HistoryFormat() {}

  /** The line that describes the history; it is the first one. */
  static String meta(String what) {
    StringBuilder line = new StringBuilder("{");
    text(line, "type", "meta");
    text(line, "format", "tcch/1");
    text(line, "what", what);
    return end(line, "}\n");
  }

  /** The line of a transaction. */
  static String line(RecordedTransaction transaction) {
    StringBuilder line = new StringBuilder("{");
    text(line, "session", transaction.session());
    text(line, "id", transaction.id());
    transaction.node().ifPresent(node -> text(line, "node", node));
    number(line, "start", transaction.start());
    number(line, "end", transaction.end());
    text(line, "outcome", transaction.outcome().name().toLowerCase(Locale.ROOT));
    if (transaction.isFinal()) {
      line.append("\"final\":true,");
    }
    line.append("\"ops\":[");
    transaction.operations().forEach(operation -> append(line, operation));
    return end(line, "]}\n");
  }

  private static void append(StringBuilder line, RecordedOperation operation) {
    line.append('{');
    if (operation instanceof RecordedOperation.RegisterWrite write) {
      name(line, "reg.w", write);
      text(line, VALUE, write.value());
    } else if (operation instanceof RecordedOperation.RegisterRead read) {
      name(line, "reg.r", read);
      optional(line, read.value());
    } else if (operation instanceof RecordedOperation.SetAdd add) {
      name(line, "set.add", add);
      text(line, VALUE, add.value());
    } else if (operation instanceof RecordedOperation.SetRemove remove) {
      name(line, "set.rem", remove);
      text(line, VALUE, remove.value());
    } else if (operation instanceof RecordedOperation.SetRead read) {
      name(line, "set.r", read);
      line.append("\"values\":[");
      read.values().stream().sorted().forEach(value -> line.append(quoted(value)).append(','));
      closeList(line);
    } else if (operation instanceof RecordedOperation.CounterIncrement increment) {
      name(line, "ctr.inc", increment);
      number(line, "by", increment.by());
    } else if (operation instanceof RecordedOperation.CounterRead read) {
      name(line, "ctr.r", read);
      number(line, VALUE, read.value());
    }
    line.setLength(line.length() - 1);
    line.append("},");
  }

  private static void name(StringBuilder line, String name, RecordedOperation operation) {
    text(line, "op", name);
    text(line, "key", operation.key());
  }

  private static void optional(StringBuilder line, Optional<String> value) {
    line.append("\"value\":").append(value.map(HistoryFormat::quoted).orElse("null")).append(',');
  }

  private static void text(StringBuilder line, String name, String value) {
    line.append('"').append(name).append("\":").append(quoted(value)).append(',');
  }

  private static void number(StringBuilder line, String name, long value) {
    line.append('"').append(name).append("\":").append(value).append(',');
  }

  private static void closeList(StringBuilder line) {
    dropComma(line);
    line.append("],");
  }

  private static String end(StringBuilder line, String closing) {
    dropComma(line);
    return line.append(closing).toString();
  }

  private static void dropComma(StringBuilder line) {
    if (line.charAt(line.length() - 1) == ',') {
      line.setLength(line.length() - 1);
    }
  }

  /** Quotes a JSON string. */
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
