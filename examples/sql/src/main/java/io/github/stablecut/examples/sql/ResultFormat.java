package io.github.stablecut.examples.sql;

import java.io.PrintWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import picocli.CommandLine;

/** How the answer to a query is written. */
enum ResultFormat {
  /** In columns for people. */
  TABLE {
    @Override
    void print(ResultSet found, PrintWriter out) throws SQLException {
      AlignedRows.print(found, out);
    }
  },
  /** Lines of values between commas (RFC 4180), heads first; null is nothing, an empty text "". */
  CSV {
    @Override
    void print(ResultSet found, PrintWriter out) throws SQLException {
      PlainRows.printCsv(found, out);
    }
  },
  /** An object of JSON per line. */
  JSON {
    @Override
    void print(ResultSet found, PrintWriter out) throws SQLException {
      PlainRows.printJson(found, out);
    }
  };

  /** Writes all rows. */
  abstract void print(ResultSet found, PrintWriter out) throws SQLException;

  /** Reads what the command line says. */
  static final class Converter implements CommandLine.ITypeConverter<ResultFormat> {
    @Override
    public ResultFormat convert(String said) {
      for (ResultFormat format : values()) {
        if (format.name().equalsIgnoreCase(said)) {
          return format;
        }
      }
      throw new CommandLine.TypeConversionException(
          "there is no format %s: use table, csv or json".formatted(said));
    }
  }
}
