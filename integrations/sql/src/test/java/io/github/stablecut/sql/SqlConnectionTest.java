package io.github.stablecut.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.jdbc.CalciteConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests queries through JDBC, which return correct answers or throw an SQL exception. */
@SuppressWarnings("NullAway.Init") // by connect
final class SqlConnectionTest {
  private static final Table NUMBERS =
      Table.named("n", "t")
          .partitionKey("id", ColumnType.INT)
          .column("i", ColumnType.INT)
          .column("b", ColumnType.BIGINT)
          .column("d", ColumnType.DOUBLE)
          .column("tx", ColumnType.TEXT)
          .column("dt", ColumnType.DATE)
          .column("ts", ColumnType.TIMESTAMP);

  @TempDir private Path directory;

  private Store store;
  private Pin pin;
  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    store = Stablecut.open(directory.resolve("data"));
    TableMap map = TableMap.over(store);
    map.createNamespace("n");
    map.createTable(NUMBERS);
    map.mutate(
        Put.of(NUMBERS.key(1))
            .value("i", Integer.MAX_VALUE)
            .value("b", Long.MAX_VALUE)
            .value("d", -0.0)
            .value("tx", "\u017c\u00f3\u0142\u0107")
            .value("dt", LocalDate.of(9999, 12, 31))
            .value("ts", LocalDateTime.of(1, 1, 1, 0, 0)),
        Put.of(NUMBERS.key(2)).value("i", 1).value("b", 1L).value("d", 0.0),
        Put.of(NUMBERS.key(3)).value("i", 2).value("tx", "\ud83d\ude00"),
        Put.of(NUMBERS.key(4)).value("dt", LocalDate.of(12_026, 1, 1)),
        Put.of(NUMBERS.key(5)).value("ts", LocalDateTime.of(0, 12, 31, 23, 59)));
    pin = store.pin(store.snapshot().token());
    connection = StablecutSql.connect(pin);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    pin.close();
    store.close();
  }

  private List<String> found(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      Columns columns = Columns.of(found);
      while (found.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < columns.count(); i++) {
          row.add(String.valueOf(columns.text(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  private void assertFails(String query, String words) {
    assertThatThrownBy(() -> found(query))
        .as(query)
        .isInstanceOf(SQLException.class)
        .hasStackTraceContaining(words);
  }

  @Test
  void sumsAndAveragesAreExact() throws SQLException {
    assertThat(found("SELECT SUM(i), SUM(b), SUM(b) * 2, SUM(DISTINCT b) FROM n.t"))
        .containsExactly("2147483650|9223372036854775808|18446744073709551616|9223372036854775808");
    assertThat(found("SELECT AVG(i), STDDEV(i), AVG(i - 1.5) FROM n.t WHERE id IN (2, 3)"))
        .containsExactly("1.5|0.7071067812|0");
    assertThat(found("SELECT (SELECT SUM(b) FROM n.t) - 1")).containsExactly("9223372036854775807");
    assertThat(found("SELECT SUM(b) OVER () FROM n.t WHERE id < 3"))
        .containsExactly("9223372036854775808", "9223372036854775808");
    assertThat(found("SELECT id FROM n.t WHERE b = 1.0")).containsExactly("2");
    assertThat(found("SELECT COALESCE(0.4, SUM(b)) FROM n.t")).containsExactly("0.4");
  }

  @Test
  void aCommonTypeKeepsFractions() throws SQLException {
    String whole = "CAST(id AS DECIMAL(38, 0))";
    assertThat(found("SELECT id FROM n.t WHERE " + whole + " = 1.4")).isEmpty();
    assertThat(found("SELECT id FROM n.t WHERE " + whole + " IN (1.4, 2.0)")).containsExactly("2");
    assertThat(found("SELECT id FROM n.t JOIN (VALUES 1.4, 3.0) AS v (x) ON x = " + whole))
        .containsExactly("3");
    assertThat(found("SELECT id FROM n.t WHERE 1.4 IN (SELECT " + whole + " FROM n.t)")).isEmpty();
    assertThat(found("SELECT id FROM n.t WHERE " + whole + " BETWEEN 1.4 AND 2.4"))
        .containsExactly("2");
    assertThat(found("SELECT COALESCE(0.4, " + whole + ") FROM n.t WHERE id = 1"))
        .containsExactly("0.4");
    assertThat(found("SELECT CASE id WHEN 1 THEN 0.4 ELSE " + whole + " END FROM n.t WHERE id < 3"))
        .containsExactly("0.4", "2");
    assertThat(found("SELECT " + whole + " FROM n.t WHERE id = 1 UNION ALL VALUES 0.4"))
        .containsExactly("1", "0.4");
    assertThat(found("SELECT COALESCE(0.001, SUM(CAST(id AS DECIMAL(9, 2)))) FROM n.t"))
        .containsExactly("0.001");
    assertThat(found("SELECT id FROM n.t WHERE id < 2 AND 0.4 < " + "9".repeat(37)))
        .containsExactly("1");
    assertFails(
        "SELECT COALESCE(CAST('" + "9".repeat(38) + "' AS DECIMAL(38, 0)), id / 10.0) FROM n.t",
        "cannot be represented as a DECIMAL(38, 6)");
  }

  @Test
  void quotientsHaveAllTheirDigits() throws SQLException {
    assertThat(found("SELECT AVG(b), SUM(b) / 4.0 FROM n.t"))
        .containsExactly("4611686018427387904|2305843009213693952");
    assertThat(found("SELECT SUM(b) / 2.0, SUM(b) / 3 FROM n.t WHERE id = 2"))
        .containsExactly("0.5|0.333333");
    assertThat(found("SELECT b / 3.0 FROM n.t WHERE id = 1"))
        .containsExactly("3074457345618258602.333333");
    assertThat(found("SELECT VAR_SAMP(i + 1000000000000000) FROM n.t WHERE id IN (2, 3)"))
        .containsExactly("0.5");
    assertThat(found("SELECT COVAR_POP(b, b) FROM n.t WHERE id = 2")).containsExactly("0");
  }

  @Test
  void quotientsHaveTheDigitsOfTheirTypes() throws SQLException {
    assertThat(found("SELECT STDDEV_SAMP((id - id + 100000000) / 7.0) FROM n.t"))
        .containsExactly("0");
    assertThat(found("SELECT CAST(i / 3.0 AS VARCHAR), (i / 3.0) * 3 FROM n.t WHERE id = 2"))
        .containsExactly(".333333|0.999999");
    assertThat(found("SELECT id FROM n.t WHERE i / 3.0 > 0.3333330001 AND i < 2")).isEmpty();
    assertThat(found("SELECT AVG(i / 7.0), REGR_SXX(id, id) FROM n.t WHERE id IN (2, 3, 7)"))
        .containsExactly("0.2142855|0.5");
    assertThat(found("SELECT AVG(i / 7.0) OVER () FROM n.t WHERE id IN (2, 3)"))
        .containsExactly("0.2142855", "0.2142855");
    assertThat(
            found("SELECT VAR_POP(id), REGR_SXX(id, id), AVG(id) FROM n.t WHERE id IN (1, 2, 4)"))
        .containsExactly("1.5555555556|4.6666666667|2.3333333333");
    assertThat(found("SELECT VAR_POP(id) OVER (), AVG(id) OVER () FROM n.t WHERE id IN (1, 2, 4)"))
        .containsOnly("1.5555555556|2.3333333333")
        .hasSize(3);
  }

  @Test
  void roundedNumbersStayWithinTheirType() throws SQLException {
    assertFails("SELECT ROUND(i, -1) FROM n.t", "2147483650 out of range");
    assertFails("SELECT ROUND(b, -19) FROM n.t", "Overflow");
    assertThat(found("SELECT ROUND(b, -1), ROUND(i - 6, -1), ROUND(-i - i) FROM n.t WHERE id = 2"))
        .containsExactly("0|-10|-2");
  }

  @Test
  void anIntervalDoesNotWrapAround() throws SQLException {
    String words = "an interval is too long";
    assertFails("SELECT i * INTERVAL '2' DAY FROM n.t", words);
    assertFails("SELECT INTERVAL '2' YEAR * i FROM n.t", words);
    assertFails("SELECT id FROM n.t WHERE dt + i * INTERVAL '1' YEAR > dt", words);
    assertFails("SELECT TIMESTAMPADD(SECOND, b, ts) FROM n.t", words);
    assertFails("SELECT INTERVAL '357913941' YEAR(10)", words);
    assertFails("SELECT INTERVAL '357913941' YEAR(10), id FROM n.t", words);
    assertFails("SELECT (ts - TIMESTAMP '2024-01-01 00:00:00') SECOND FROM n.t", words);
    assertFails("SELECT CAST(i AS INTERVAL YEAR) FROM n.t", "write x * INTERVAL '1' DAY");
    assertFails("SELECT d * INTERVAL '1' DAY FROM n.t", "whole numbers only");
    assertFails("SELECT TIMESTAMPDIFF(DAY, dt, ts) FROM n.t", "cast it to TIMESTAMP");
    assertFails("SELECT id FROM n.t WHERE dt + INTERVAL '1' DAY > dt", "+12026-01-01 is found");
    assertThat(
            found(
                "SELECT i * INTERVAL '2' DAY, - INTERVAL '2' YEAR / i, DATE '2024-01-31' + i *"
                    + " INTERVAL '1' MONTH FROM n.t WHERE id = 3"))
        .containsExactly("+4|-1|2024-03-31");
    assertThat(
            found(
                "SELECT (dt - DATE '9999-01-01') DAY, TIMESTAMPADD(SECOND, 1 - i + i, ts),"
                    + " TIMESTAMPDIFF(MONTH, ts, ts) FROM n.t WHERE id = 1"))
        .containsExactly("+364|0001-01-01 00:00:01.000|0");
  }

  @Test
  void refusesInvalidCasts() throws SQLException {
    for (String type : List.of("INTEGER", "SMALLINT", "BIGINT", "DECIMAL(10, 2)")) {
      assertFails("SELECT CAST(SQRT(-i) AS " + type + ") FROM n.t", "NaN can't be cast");
    }
    assertThat(
            found(
                "SELECT CAST(d + 2.5e0 AS INTEGER), CAST(-2.5e0 - d AS BIGINT), CAST(d + 2.4e0 AS"
                    + " SMALLINT), CAST(CAST(2.5 AS REAL) AS INTEGER), CAST(2.5 AS INTEGER),"
                    + " CAST(2.5e0 AS INTEGER) FROM n.t WHERE id = 2"))
        .containsExactly("3|-3|2|3|3|3");
    assertFails("SELECT CAST(d + 3e9 AS INTEGER) FROM n.t", "out of range");
    assertFails("SELECT CAST(12345 AS VARCHAR(3))", "12345 is longer than 3 characters");
    assertFails("SELECT CAST(-b AS CHAR(3)) FROM n.t WHERE id = 1", "is longer than 3 characters");
    assertFails("SELECT CAST(dt AS CHAR(4)) FROM n.t WHERE id = 1", "is longer than 4 characters");
    assertThat(
            found(
                "SELECT CAST(d AS INTEGER), CAST(dt AS CHAR(10)), CAST(id AS CHAR(2)), CAST(tx AS"
                    + " VARCHAR(2)) FROM n.t WHERE id = 1"))
        .containsExactly("0|9999-12-31|1 |\u017c\u00f3");
  }

  @Test
  void refusesADateThatWouldBecomeANumber() throws SQLException {
    for (String shown :
        List.of(
            "MAP['a', dt]",
            "MAP['a', ARRAY[ts]]",
            "ARRAY[INTERVAL '1' DAY]",
            "JSON_OBJECT('a': dt)",
            "JSON_OBJECT('a': JSON_ARRAY(ts))",
            "JSON_ARRAYAGG(dt)",
            "JSON_OBJECTAGG('a': dt)")) {
      assertFails("SELECT " + shown + " FROM n.t WHERE id = 1", "cast it to VARCHAR");
    }
    assertThat(
            found(
                "SELECT MAP['a', 1], MAP['a', dt]['a'], JSON_OBJECT('a': CAST(dt AS VARCHAR)) FROM"
                    + " n.t WHERE id = 1"))
        .containsExactly("{a=1}|9999-12-31|{\"a\":\"9999-12-31\"}");
  }

  @Test
  void aJoinMayMatchNothing() throws SQLException {
    assertThat(found("SELECT COUNT(*) FROM n.t x LEFT JOIN n.t y ON x.id = y.id AND 1 = 0"))
        .containsExactly("5");
  }

  @Test
  void refusesOverflows() {
    assertFails("SELECT i + 1 FROM n.t", "integer overflow");
    assertFails("SELECT b * 2 FROM n.t", "long overflow");
    assertFails("SELECT id FROM n.t WHERE b + 1 > 2", "long overflow");
    assertFails("SELECT CAST(b AS INTEGER) FROM n.t", "out of range");
    assertFails("SELECT ABS(-i - 1) FROM n.t", "integer overflow");
    assertFails("SELECT (i + 1) * 1.0 FROM n.t", "integer overflow");
    assertFails("SELECT (b * 2) / 3.0 FROM n.t", "long overflow");
    assertFails("SELECT 1 / (id - 2) FROM n.t", "/ by zero");
  }

  @Test
  void textsAreUnicode() throws SQLException {
    assertThat(found("SELECT id FROM n.t WHERE tx = '\u017c\u00f3\u0142\u0107'"))
        .containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE tx LIKE '\u017c%' OR tx = U&'\\D83D\\DE00'"))
        .containsExactly("1", "3");
    assertThat(found("SELECT '\ud83d\ude00' || tx FROM n.t WHERE tx IN ('x', '\ud83d\ude00')"))
        .containsExactly("\ud83d\ude00\ud83d\ude00");
  }

  @Test
  void refusesEscapesThatCalciteMisreads() throws SQLException {
    String words = "such as U&'\\D83D\\DE00', in place of ";
    assertFails("SELECT u&'a''\\+01F600'", words + "\\+");
    assertFails("SELECT U&'\\-001'", words + "\\-");
    assertFails("SELECT U&'!+01F600' UESCAPE '!'", words + "!+");
    assertFails("SELECT U&'''+01F600' UESCAPE /* ' */ ''''", words + "'+");
    assertFails("SELECT U&'a' -- U&'\n '\\\\\\+01F600'", words + "\\+");
    assertFails("SELECT 1 AS U&\"\\+01F600\"", words + "\\+");
    assertFails("SELECT 1 AS U&\"$+01F600\" UESCAPE '$'", words + "$+");

    assertThat(found("SELECT U&'\\\\+01F600', U&'--+1' UESCAPE '-', U&'\\+a' UESCAPE '!'"))
        .containsExactly("\\+01F600|-+1|\\+a");
    assertThat(found("SELECT 'U&''\\+01F600' /* U&'\\+01F600' */ AS \"U&'\\+\" -- U&'\\+"))
        .containsExactly("U&'\\+01F600");
    assertThat(found("SELECT CHAR_LENGTH(U&'" + "a".repeat(50_000) + "')"))
        .containsExactly("50000");
  }

  @Test
  void refusesToShowADateOfAYearThatSqlLacks() throws SQLException {
    assertThat(found("SELECT dt, ts, CAST(dt AS VARCHAR) FROM n.t WHERE id = 1"))
        .containsExactly("9999-12-31|0001-01-01 00:00:00.000|9999-12-31");
    String words = "the years 1 to 9999";
    assertFails("SELECT dt FROM n.t ORDER BY dt", "+12026-01-01 is found, and SQL's DATE");
    assertFails("SELECT id FROM n.t WHERE CAST(dt AS VARCHAR) LIKE '2026%'", words);
    assertFails("SELECT MIN(ts) FROM n.t", "0000-12-31T23:59 is found, and SQL's TIMESTAMP");
    assertFails("SELECT dt + INTERVAL '1' DAY FROM n.t WHERE id = 1", words);
    assertFails("SELECT ARRAY[ARRAY[dt]] FROM n.t", "+12026-01-01 is found");
    assertFails("SELECT COLLECT(ts) FROM n.t", "0000-12-31T23:59 is found");
    assertThat(found("SELECT id FROM n.t WHERE dt > DATE '9999-12-31'")).containsExactly("4");
    assertThat(found("SELECT id FROM n.t WHERE id IN (1, 4) ORDER BY dt DESC"))
        .containsExactly("4", "1");
    assertThat(found("SELECT id FROM n.t WHERE id IN (1, 5) ORDER BY ts"))
        .containsExactly("5", "1");
    assertThat(found("SELECT CARDINALITY(ARRAY[dt]) FROM n.t WHERE id = 4")).containsExactly("1");
    assertThat(found("SELECT COUNT(*) FROM n.t")).containsExactly("5");
  }

  @Test
  void theTextOfATimeHasItsMilliseconds() throws SQLException {
    assertThat(
            found(
                "SELECT CAST(TIMESTAMP '1500-03-01 01:02:03.456' AS VARCHAR), CAST(TIME"
                    + " '12:00:00.005' AS VARCHAR(12)), CAST(ts AS CHAR(19)), '' || CAST(TIME"
                    + " '12:00:00' AS VARCHAR), CAST(NULLIF(ts, ts) AS VARCHAR) FROM n.t WHERE id ="
                    + " 1"))
        .containsExactly("1500-03-01 01:02:03.456|12:00:00.005|0001-01-01 00:00:00|12:00:00|null");
    assertFails("SELECT CAST(ts AS VARCHAR) FROM n.t WHERE id = 5", "the years 1 to 9999");
    assertFails("SELECT CAST(TIME '12:00:00.005' AS VARCHAR(8))", "12:00:00.005 is longer than 8");
  }

  @Test
  void showsDatesInAnArrayLikeOthers() throws SQLException {
    assertThat(
            found(
                "SELECT ARRAY[ts, TIMESTAMP '1500-03-01 01:02:03.456', NULL], ARRAY[ARRAY[dt]] FROM"
                    + " n.t WHERE id = 1"))
        .containsExactly("[0001-01-01 00:00:00, 1500-03-01 01:02:03.456, null]|[[9999-12-31]]");
    assertThat(
            found(
                "SELECT ARRAY[DATE '1582-10-04', DATE '1582-10-15'], ARRAY[1, 2],"
                    + " ARRAY[ARRAY['a']], ARRAY[TIME '12:00:00', TIME '12:00:00.5']"))
        .containsExactly("[1582-10-04, 1582-10-15]|[1, 2]|[[a]]|[12:00:00, 12:00:00.5]");
  }

  @Test
  void datesInAnArrayUseTheProgramsTimeZone() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT ARRAY[DATE '2020-07-01', DATE '1500-03-01'],"
                    + " ARRAY[TIMESTAMP '2020-07-01 10:00:00', NULL], ARRAY[TIME '10:00:00'],"
                    + " ARRAY[ARRAY[DATE '2020-07-01']], ARRAY[1, 2]")) {
      assertThat(row.next()).isTrue();

      assertThat((Object[]) row.getArray(1).getArray())
          .containsExactly(Date.valueOf("2020-07-01"), Date.valueOf("1500-03-01"));
      assertThat((Object[]) row.getArray(1).getArray(2, 1))
          .containsExactly(Date.valueOf("1500-03-01"));
      assertThat((Object[]) row.getArray(2).getArray())
          .containsExactly(Timestamp.valueOf("2020-07-01 10:00:00"), null);
      assertThat((Object[]) ((Array) row.getObject(3)).getArray())
          .containsExactly(Time.valueOf("10:00:00"));
      Object[] nested = (Object[]) row.getArray(4).getArray();
      assertThat((Object[]) ((Array) nested[0]).getArray())
          .containsExactly(Date.valueOf("2020-07-01"));
      assertThat(row.getArray(5).getArray()).isEqualTo(new int[] {1, 2});
    }
  }

  @Test
  void thereIsOneZero() throws SQLException {
    assertThat(found("SELECT d, COUNT(*) FROM n.t WHERE id < 3 GROUP BY d"))
        .containsExactly("0.0|2");
  }

  @Test
  void theConnectionIsReadOnly() throws SQLException {
    assertThat(connection.isReadOnly()).isTrue();
    assertThat(connection.unwrap(CalciteConnection.class)).isNotNull();
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.getConnection()).isEqualTo(connection);
      for (String change : List.of("DELETE FROM n.t", "UPDATE n.t SET i = 1")) {
        assertThatThrownBy(() -> statement.executeUpdate(change))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("is no query, and SQL is read-only here");
      }
    }
    try (var prepared = connection.prepareStatement("SELECT b FROM n.t WHERE id = ?;")) {
      prepared.setInt(1, 2);
      try (ResultSet found = prepared.executeQuery()) {
        assertThat(found.next()).isTrue();
        assertThat(found.getLong(1)).isEqualTo(1);
        assertThatThrownBy(() -> found.getLong(2)).isInstanceOf(SQLException.class);
      }
    }
  }

  @Test
  void supportsRemaindersAndFunctionsOfPostgresql() throws SQLException {
    assertThat(found("SELECT i % 2, -5.5 % 2, LENGTH(tx), LEFT(tx, 1) FROM n.t WHERE id = 1"))
        .containsExactly("1|-1.5|4|\u017c");
    assertThat(found("SELECT id FROM n.t WHERE id % 2 = 0 ORDER BY id")).containsExactly("2", "4");
    assertFails("SELECT i % (i - i) FROM n.t", "/ by zero");
    assertFails("SELECT TO_CHAR(ts, 'YYYY') FROM n.t", "TO_CHAR is not supported: use CAST");
    assertFails("SELECT TO_TIMESTAMP('2020', 'YYYY')", "TO_TIMESTAMP is not supported");
  }

  @Test
  void theLogarithmOfAPowerOfTenIsWhole() throws SQLException {
    assertThat(found("SELECT LOG10(1000), LOG10(999 + i), LOG(100 * i) FROM n.t WHERE id = 2"))
        .containsExactly("3.0|3.0|2.0");
    assertThat(found("SELECT LOG10(i) FROM n.t WHERE id = 4")).containsExactly("null");
    assertFails("SELECT LOG10(i - 1) FROM n.t WHERE id = 2", "there is no logarithm of 0.0");
  }

  @Test
  void nanEqualsItselfAndIsTheGreatestNumber() throws SQLException {
    String numbers =
        "(SELECT id, CASE id WHEN 1 THEN SQRT(-1) WHEN 2 THEN 2.5 ELSE NULL END AS x FROM n.t) AS"
            + " t";

    assertThat(
            found("SELECT x = x, x > 1, NOT (x > 1), x <> CAST('NaN' AS DOUBLE) FROM " + numbers))
        .containsExactly(
            "true|true|false|false",
            "true|true|false|true",
            "null|null|null|null",
            "null|null|null|null",
            "null|null|null|null");
    assertThat(found("SELECT MIN(x), MAX(x), COUNT(DISTINCT x) FROM " + numbers))
        .containsExactly("2.5|NaN|2");
    assertThat(found("SELECT MIN(x) OVER (ORDER BY id DESC) FROM " + numbers + " WHERE id < 3"))
        .containsExactlyInAnyOrder("2.5", "2.5");
    assertThat(found("SELECT GREATEST(x, 9e0), LEAST(x, 9e0) FROM " + numbers + " WHERE id < 3"))
        .containsExactly("NaN|9.0", "9.0|2.5");
    assertThat(found("SELECT COUNT(*) FROM " + numbers + " JOIN " + numbers + "2 USING (x)"))
        .containsExactly("2");
  }
}
