package io.github.stablecut.sql;

import java.io.Reader;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParserImplFactory;
import org.apache.calcite.sql.parser.impl.SqlParserImpl;
import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlDelegatingConformance;

/**
 * Creates Calcite's parser, which here also accepts {@code i % 2}: no conformance whose arithmetic
 * fails on overflow does. Calcite instantiates this by name. Immutable.
 */
public final class SqlParsers implements SqlParserImplFactory {
  /** For Calcite. */
  public SqlParsers() {}

  @Override
  public SqlAbstractParserImpl getParser(Reader query) {
    return new SqlParserImpl(query) {
      @Override
      public void setConformance(SqlConformance conformance) {
        super.setConformance(new RemainderConformance(conformance));
      }
    };
  }

  private static final class RemainderConformance extends SqlDelegatingConformance {
    RemainderConformance(SqlConformance conformance) {
      super(conformance);
    }

    @Override
    public boolean isPercentRemainderAllowed() {
      return true;
    }
  }
}
