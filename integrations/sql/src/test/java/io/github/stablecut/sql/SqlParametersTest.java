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
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the parameters of queries and the result types that a program requests: no value is
 * changed. The build runs the tests in a time zone other than UTC.
 */
@SuppressWarnings("NullAway.Init") // by connect
final class SqlParametersTest {
  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("id", ColumnType.INT)
          .column("b", ColumnType.BIGINT)
          .column("d", ColumnType.DOUBLE)
          .column("f", ColumnType.FLOAT)
          .column("tx", ColumnType.TEXT)
          .column("dt", ColumnType.DATE)
          .column("tm", ColumnType.TIME)
          .column("ts", ColumnType.TIMESTAMP)
          .column("yes", ColumnType.BOOLEAN);

  private static final LocalDate DAY = LocalDate.of(2024, 7, 1);
  private static final LocalTime TIME = LocalTime.of(0, 30, 0, 5_000_000);

  @TempDir private static Path directory;

  private static Store store;
  private static Pin pin;
  private static Connection connection;

  @BeforeAll
  static void connect() throws SQLException {
    store = Stablecut.open(directory.resolve("data"));
    TableMap map = TableMap.over(store);
    map.createNamespace("n");
    map.createTable(TABLE);
    map.mutate(
        Put.of(TABLE.key(1))
            .value("b", Long.MAX_VALUE)
            .value("d", 0.1)
            .value("f", 0.1f)
            .value("tx", "ab")
            .value("dt", DAY)
            .value("tm", TIME)
            .value("ts", DAY.atTime(TIME))
            .value("yes", true),
        Put.of(TABLE.key(2))
            .value("b", 2L)
            .value("dt", LocalDate.of(1500, 2, 28))
            .value("ts", LocalDateTime.of(1500, 2, 28, 1, 2, 3)));
    pin = store.pin(store.snapshot().token());
    connection = StablecutSql.connect(pin);
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
    pin.close();
    store.close();
  }

  private static List<String> found(String query, Object... values) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          rows.add(found.getString(1));
        }
      }
    }
    return rows;
  }

  private static void assertRefused(String query, Object... values) {
    assertThatThrownBy(() -> found(query, values))
        .as(query)
        .isInstanceOfSatisfying(
            SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo("22003"));
  }

  @Test
  void refusesParametersThatTheirTypeDoesNotHold() throws SQLException {
    String byId = "SELECT id FROM n.t WHERE id = ?";
    assertRefused(byId, 4_294_967_298L);
    assertRefused(byId, new BigDecimal("2.5"));
    assertRefused(byId, 2.9);
    assertRefused(byId, "2");
    assertRefused("SELECT id FROM n.t WHERE b < ?", new BigDecimal("18446744073709551618"));
    assertRefused("SELECT id FROM n.t WHERE b = ?", 9.3e18);
    assertRefused("SELECT id FROM n.t WHERE id BETWEEN ? AND ?", 0, 5_000_000_000L);
    assertRefused("SELECT id + ? FROM n.t", 4_294_967_296L);
    assertRefused("SELECT CAST(? AS INTEGER) FROM n.t", 3e9);
    assertRefused("SELECT CAST(? AS DECIMAL(10, 2)) FROM n.t", new BigDecimal("10.005"));
    assertRefused("SELECT id FROM n.t WHERE d = ?", (1L << 53) + 1);
    assertRefused("SELECT id FROM n.t WHERE f = ?", 0.1);
    assertRefused("SELECT id FROM n.t WHERE yes = ?", 1);
    assertRefused("SELECT id FROM n.t WHERE 'ab' = ?", "abc");
    assertRefused("SELECT id FROM n.t WHERE 'abc' LIKE ?", "a%");
    assertRefused("SELECT id FROM n.t WHERE dt = ?", LocalDateTime.of(2024, 7, 1, 1, 0));
    assertRefused("SELECT id FROM n.t WHERE ts > ?", Instant.ofEpochSecond(0, 1_000));

    assertThatThrownBy(() -> found(byId, 4_294_967_298L))
        .hasMessageContaining("INTEGER, which does not hold 4294967298 of Long: write CAST(? AS");
    assertThatThrownBy(() -> found("SELECT id FROM n.t WHERE 1.5 < ?", new BigDecimal("1.25")))
        .hasMessageContaining("DECIMAL(2, 1), which does not hold 1.25 of BigDecimal");
    assertThatThrownBy(() -> found("SELECT id FROM n.t WHERE tx = ?", 5))
        .hasMessageContaining("VARCHAR, which does not hold 5 of Integer");
  }

  @Test
  void parametersKeepTheirValues() throws SQLException {
    assertThat(found("SELECT id FROM n.t WHERE id = ?", 2L)).containsExactly("2");
    assertThat(found("SELECT id FROM n.t WHERE id = ?", new BigDecimal("2.0")))
        .containsExactly("2");
    assertThat(found("SELECT id FROM n.t WHERE id < CAST(? AS BIGINT)", 4_294_967_298L))
        .containsExactly("1", "2");
    assertThat(found("SELECT id FROM n.t WHERE b = ?", Long.MAX_VALUE)).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE d = ?", new BigDecimal("0.1"))).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE f = ?", 0.1f)).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE tx = ?", "ab")).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE tx = ?", "ab".repeat(40_000))).isEmpty();
    assertThat(found("SELECT id FROM n.t WHERE id = 1 AND 'ab' = ?", "ab")).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE 'abc' LIKE CAST(? AS VARCHAR)", "a%"))
        .containsExactly("1", "2");
    assertThat(found("SELECT id FROM n.t WHERE yes = ?", true)).containsExactly("1");
    assertThat(found("SELECT CAST(? AS DECIMAL(10, 2)) FROM n.t WHERE id = 1", 10.25))
        .containsExactly("10.25");
    assertThat(found("SELECT id FROM n.t ORDER BY id LIMIT ? OFFSET ?", 1, 1)).containsExactly("2");
  }

  @Test
  void datesAndTimesOfParametersUseTheProgramsTimeZone() throws SQLException {
    String byDate = "SELECT id FROM n.t WHERE dt = ?";
    assertThat(found(byDate, DAY)).containsExactly("1");
    assertThat(found(byDate, Date.valueOf(DAY))).containsExactly("1");
    assertThat(found(byDate, Date.valueOf("1500-02-28"))).containsExactly("2");
    String byTime = "SELECT id FROM n.t WHERE ts = ?";
    assertThat(found(byTime, DAY.atTime(TIME))).containsExactly("1");
    assertThat(found(byTime, Timestamp.valueOf(DAY.atTime(TIME)))).containsExactly("1");
    assertThat(found(byTime, Timestamp.valueOf("1500-02-28 01:02:03"))).containsExactly("2");
    assertThat(found(byTime, Instant.parse("2024-07-01T00:30:00.005Z"))).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE tm = ?", TIME)).containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE tm < ?", Time.valueOf("00:31:00")))
        .containsExactly("1");
    assertThat(found("SELECT id FROM n.t WHERE tm < ?", Time.valueOf("00:30:00"))).isEmpty();
  }

  @Test
  void datesAndTimesOfResultsUseTheProgramsTimeZone() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT dt, tm, ts FROM n.t ORDER BY id")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getDate(1)).isEqualTo(Date.valueOf(DAY));
      assertThat(row.getTime("tm").toLocalTime()).isEqualTo(LocalTime.of(0, 30));
      assertThat(row.getTimestamp(3)).isEqualTo(Timestamp.valueOf(DAY.atTime(TIME)));
      assertThat(row.getTimestamp(3, Calendar.getInstance(TimeZone.getTimeZone("UTC"))))
          .isEqualTo(Timestamp.from(Instant.parse("2024-07-01T00:30:00.005Z")));
      assertThat(row.getObject(3)).isEqualTo(Timestamp.valueOf(DAY.atTime(TIME)));
      assertThat(row.getObject(1, LocalDate.class)).isEqualTo(DAY);
      assertThat(row.getObject(2, LocalTime.class)).isEqualTo(TIME);
      assertThat(row.getObject(3, LocalDateTime.class)).isEqualTo(DAY.atTime(TIME));
      assertThat(row.getString(3)).isEqualTo("2024-07-01 00:30:00.005");
      assertThat(row.next()).isTrue();
      assertThat(row.getTimestamp(3)).isEqualTo(Timestamp.valueOf("1500-02-28 01:02:03"));
      assertThat(row.getDate(1)).isEqualTo(Date.valueOf("1500-02-28"));
      assertThat(row.getTime(2)).isNull();
    }
  }

  @Test
  void requestedNumbersDoNotOverflow() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT SUM(b) * 2, SUM(b) * 1e0, MAX(b), 2147483647, 1e300, SQRT(-1e0), 300, -2.5 FROM n.t")) {
      assertThat(row.next()).isTrue();
      for (int column : List.of(1, 2, 6)) {
        assertOutOfRange(() -> row.getLong(column));
      }
      assertOutOfRange(() -> row.getInt(3));
      assertOutOfRange(() -> row.getShort(4));
      assertOutOfRange(() -> row.getFloat(5));
      assertOutOfRange(() -> row.getByte(7));
      assertThat(row.getLong(3)).isEqualTo(Long.MAX_VALUE);
      assertThat(row.getInt(4)).isEqualTo(Integer.MAX_VALUE);
      assertThat(row.getShort(7)).isEqualTo((short) 300);
      assertThat(row.getInt(8)).isEqualTo(-2);
      assertThat(row.getFloat(6)).isNaN();
    }
  }

  private static void assertOutOfRange(ThrowingCallable get) {
    assertThatThrownBy(get)
        .isInstanceOfSatisfying(
            SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo("22003"));
  }
}
