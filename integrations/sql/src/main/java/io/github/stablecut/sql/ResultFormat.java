package io.github.stablecut.sql;

import java.io.PrintWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import picocli.CommandLine;

/** The output format of a query's result. */
enum ResultFormat {
  /** Aligned columns for people. */
  TABLE {
    @Override
    void print(ResultSet found, PrintWriter out) throws SQLException {
      AlignedRows.print(found, out);
    }
  },
  /** CSV (RFC 4180) with a header; null is empty, an empty text is "". */
  CSV {
    @Override
    void print(ResultSet found, PrintWriter out) throws SQLException {
      PlainRows.printCsv(found, out);
    }
  },
  /** One JSON object per line. */
  JSON {
    @Override
    void print(ResultSet found, PrintWriter out) throws SQLException {
      PlainRows.printJson(found, out);
    }
  };

  /** Writes all rows. */
  abstract void print(ResultSet found, PrintWriter out) throws SQLException;

  /** Parses the command line's option. */
  static final class Converter implements CommandLine.ITypeConverter<ResultFormat> {
    @Override
    public ResultFormat convert(String said) {
      for (ResultFormat format : values()) {
        if (format.name().equalsIgnoreCase(said)) {
          return format;
        }
      }
      throw new CommandLine.TypeConversionException(
          "unknown format %s: use table, csv or json".formatted(said));
    }
  }
}
