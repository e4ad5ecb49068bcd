package io.github.stablecut.examples.sql;

import io.github.stablecut.Snapshot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.AvaticaFactory;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalciteJdbc41Factory;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.sql.validate.SqlConformanceEnum;

/**
 * JDBC connections to the tables and objects of a store.
 *
 * <pre>{@code
 * try (Pin pin = store.pin(store.snapshot().token());
 *     Connection connection = StablecutSql.connect(pin);
 *     ResultSet found = connection.createStatement().executeQuery(
 *         "SELECT owner, SUM(balance) FROM bank.accounts GROUP BY owner")) { ... }
 * }</pre>
 *
 * <p>Names are those of the tables, letter by letter; {@code "..."} around one that is a word of
 * SQL. Beside the namespaces there is the table {@code stablecut.objects} of all objects; if a
 * table of the store is called so, {@code stablecut.all_objects}.
 */
public final class StablecutSql {
  /**
   * Of the conformances whose arithmetic fails instead of overflowing, the one nearest to the
   * default.
   */
  static final SqlConformanceEnum CONFORMANCE = SqlConformanceEnum.SQL_SERVER_2008;

  private StablecutSql() {}

  /**
   * A connection that sees a store as a snapshot has it, and changes nothing.
   *
   * @param snapshot is to stay readable until the connection is closed: a pin, or a store that is
   *     not written to
   */
  public static Connection connect(Snapshot snapshot) throws SQLException {
    return connect(new StoreSchema(snapshot));
  }

  static Connection connect(StoreSchema schema) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("unquotedCasing", "UNCHANGED");
    settings.setProperty("quotedCasing", "UNCHANGED");
    settings.setProperty("caseSensitive", "true");
    settings.setProperty("timeZone", "UTC");
    settings.setProperty("typeSystem", SqlTypeSystem.class.getName());
    settings.setProperty("fun", "standard,postgresql");
    settings.setProperty("parserFactory", SqlParsers.class.getName());
    settings.setProperty("conformance", CONFORMANCE.name());
    Connection connection = connection(settings);
    SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
    schema.addTo(root);
    return ReadOnly.of(connection);
  }

  /** As the driver connects, but with all that {@link SqlTypeSystem} says: it would ask a part. */
  private static Connection connection(Properties settings) throws SQLException {
    Driver driver = new Driver();
    AvaticaFactory factory = new CalciteJdbc41Factory();
    AvaticaConnection connection =
        new CalciteJdbc41Factory()
            .newConnection(
                driver,
                factory,
                "jdbc:calcite:",
                settings,
                null,
                new JavaTypeFactoryImpl(new SqlTypeSystem()));
    driver.handler.onConnectionInit(connection);
    return connection;
  }
}
