package io.github.stablecut.sql;

import io.github.stablecut.error.StablecutException;
import java.util.Optional;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Translates failures of queries to messages of this program. */
final class SqlFailures {
  private static final int MAX_QUERY = 200;

  private SqlFailures() {}

  /**
   * Parses a text that must be a single query, and returns it without a closing semicolon.
   *
   * @throws SqlException if it is not SQL, or would change something
   */
  static String checkQuery(String text) {
    String query = withoutEnd(text);
    SqlNode parsed = parsed(query);
    Optional<String> misread = UnicodeEscapes.misread(query);
    if (misread.isPresent()) {
      throw new SqlException(
          "%s: write the character itself, or its surrogates, such as U&'\\D83D\\DE00', in place of %s"
              .formatted(shortened(query), misread.get()));
    }
    if (parsed.getKind() == SqlKind.EXPLICIT_TABLE) {
      throw new SqlException(
          "%s: write SELECT * FROM in place of TABLE".formatted(shortened(query)));
    }
    if (!SqlKind.QUERY.contains(parsed.getKind()) && parsed.getKind() != SqlKind.EXPLAIN) {
      throw new SqlException(
          "%s is no query, and SQL is read-only here: change tables with TableMap"
              .formatted(parsed.getKind().sql));
    }
    return query;
  }

  /**
   * Checks that a query has no parameters.
   *
   * @throws SqlException if it has, or is none
   */
  static void checkComplete(String query) {
    parsed(withoutEnd(query))
        .accept(
            new SqlBasicVisitor<@Nullable Void>() {
              @Override
              public @Nullable Void visit(SqlDynamicParam parameter) {
                throw new SqlException(
                    "%s: the parameter ? has no value: write the value instead"
                        .formatted(shortened(query)));
              }
            });
  }

  private static String withoutEnd(String text) {
    String stripped = text.strip();
    String query = stripped.endsWith(";") ? stripped.substring(0, stripped.length() - 1) : text;
    if (query.isBlank()) {
      throw new SqlException("not SQL: the query is empty");
    }
    return query;
  }

  private static SqlNode parsed(String query) {
    try {
      return SqlParser.create(
              query,
              SqlParser.config()
                  .withParserFactory(new SqlParsers())
                  .withConformance(StablecutSql.CONFORMANCE)
                  .withUnquotedCasing(Casing.UNCHANGED)
                  .withQuotedCasing(Casing.UNCHANGED))
          .parseStmt();
    } catch (SqlParseException e) {
      throw new SqlException("not SQL: %s: %s".formatted(shortened(query), withPlace(e)), e);
    }
  }

  /** The first cause of a failure, in one line. */
  static String words(Throwable failure) {
    return firstLine(root(failure).getMessage());
  }

  /** The exception for a failed query; the store's own exceptions pass unchanged. */
  static StablecutException of(String query, Throwable failure) {
    Throwable words = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StablecutException own) {
        return own;
      }
      if (cause instanceof CalciteContextException context) {
        words = context;
      }
    }
    if (words instanceof CalciteContextException context && context.getCause() != null) {
      return new SqlException(
          "%s: %s%s"
              .formatted(
                  shortened(query),
                  firstLine(context.getCause().getMessage()),
                  place(context.getPosLine(), context.getPosColumn())),
          failure);
    }
    return new SqlException("%s: %s".formatted(shortened(query), words(failure)), failure);
  }

  private static String withPlace(SqlParseException failure) {
    String words = firstLine(failure.getMessage());
    boolean isSaid = words.contains(" at line ") || failure.getPos() == null;
    return isSaid
        ? words
        : words + place(failure.getPos().getLineNum(), failure.getPos().getColumnNum());
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static String place(int line, int column) {
    return line > 0 ? " (line %d, column %d)".formatted(line, column) : "";
  }

  private static String shortened(String query) {
    String line = query.strip().replaceAll("\\s+", " ");
    return line.length() <= MAX_QUERY ? line : line.substring(0, MAX_QUERY) + "…";
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "no reason given" : message.lines().findFirst().orElse(message);
  }
}
