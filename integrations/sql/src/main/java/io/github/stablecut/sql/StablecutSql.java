package io.github.stablecut.sql;

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
 * <p>Names are case-sensitive, and quoted as {@code "..."} if they are SQL keywords. Besides the
 * namespaces there is the table {@code stablecut.objects} of all objects, or {@code
 * stablecut.all_objects} if the store has a table of that name.
 */
public final class StablecutSql {
  /** The conformance nearest to the default whose arithmetic fails on overflow. */
  static final SqlConformanceEnum CONFORMANCE = SqlConformanceEnum.SQL_SERVER_2008;

  private StablecutSql() {}

  /**
   * Opens a read-only connection to a snapshot of a store.
   *
   * @param snapshot must stay readable until the connection is closed: a pin, or a store without
   *     writers
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

  /** Connects as the driver does, but with the entire {@link SqlTypeSystem}, not a part of it. */
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
