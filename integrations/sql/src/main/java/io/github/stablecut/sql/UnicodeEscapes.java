package io.github.stablecut.sql;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.parser.impl.SimpleCharStream;
import org.apache.calcite.sql.parser.impl.SqlParserImplConstants;
import org.apache.calcite.sql.parser.impl.SqlParserImplTokenManager;
import org.apache.calcite.sql.parser.impl.Token;

/**
 * Finds Unicode escapes that Calcite misreads. It reads six-digit escapes such as {@code \+01F600}
 * as four-digit ones ({@code U&'\00E9'}), and so another text. Confined to one thread.
 */
final class UnicodeEscapes {
  private final SqlParserImplTokenManager tokens;
  private Token token;

  private UnicodeEscapes(String query) {
    this.tokens =
        new SqlParserImplTokenManager(
            new SimpleCharStream(new StringReader(query)), SqlParserImplConstants.DQID);
    this.token = tokens.getNextToken();
  }

  /**
   * Returns the beginning of the first escape in a query that does not have four digits.
   *
   * @param query that Calcite can parse
   */
  static Optional<String> misread(String query) {
    return new UnicodeEscapes(query).misread();
  }

  private Optional<String> misread() {
    Optional<String> found = Optional.empty();
    while (found.isEmpty() && token.kind != SqlParserImplConstants.EOF) {
      found =
          switch (token.kind) {
            case SqlParserImplConstants.UNICODE_STRING_LITERAL -> misreadIn(texts());
            case SqlParserImplConstants.UNICODE_QUOTED_IDENTIFIER -> misreadIn(List.of(name()));
            default -> {
              next();
              yield Optional.empty();
            }
          };
    }
    return found;
  }

  private void next() {
    token = tokens.getNextToken();
  }

  /** A text literal and those that continue it. */
  private List<String> texts() {
    List<String> texts = new ArrayList<>();
    do {
      texts.add(SqlParserUtil.parseString(token.image));
      next();
    } while (token.kind == SqlParserImplConstants.QUOTED_STRING);
    return texts;
  }

  private String name() {
    String quoted = token.image.substring(token.image.indexOf('"'));
    next();
    return SqlParserUtil.strip(quoted, "\"", "\"", "\"\"", Casing.UNCHANGED);
  }

  private Optional<String> misreadIn(List<String> texts) {
    char escape = '\\';
    if (token.kind == SqlParserImplConstants.UESCAPE) {
      next();
      escape = SqlParserUtil.parseString(token.image).charAt(0);
      next();
    }
    for (String text : texts) {
      for (int at = text.indexOf(escape); at >= 0; at = text.indexOf(escape, at + 2)) {
        char first = text.charAt(at + 1);
        if (first != escape && (first == '+' || first == '-')) {
          return Optional.of("" + escape + first);
        }
      }
    }
    return Optional.empty();
  }
}
