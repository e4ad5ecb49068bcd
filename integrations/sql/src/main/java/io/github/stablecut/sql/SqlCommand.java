package io.github.stablecut.sql;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut sql}: queries the tables and objects of a store with SQL. */
@Command(
    name = "stablecut sql",
    description = {
      "Queries the tables and objects of a store with SQL, at one snapshot: of a closed directory,"
          + " or of a running server or cluster. Changes no data.",
      "Tables are NAMESPACE.TABLE, with case-sensitive names, in \"...\" if they are keywords of"
          + " SQL; stablecut.objects has all objects. Without a query, lists the tables.",
      "Exit code 0 if all queries succeeded, 1 if one failed, 2 if there is no store, it is in"
          + " use, or the token is invalid."
    })
public final class SqlCommand extends ShellCommand {
  @Option(
      names = "--at",
      paramLabel = "TOKEN",
      description =
          "query the state at this time, if it is still retained; default: the current state")
  private @Nullable String at;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      converter = ResultFormat.Converter.class,
      description = "table, csv or json, one object per line (${DEFAULT-VALUE})")
  private ResultFormat format = ResultFormat.TABLE;

  @Parameters(
      index = "0",
      paramLabel = "DATA",
      description = "directory of the store, or stablecut://HOST:PORT of its server")
  private String data = "";

  @Parameters(index = "1..*", paramLabel = "QUERY", description = "queries, such as SELECT ...")
  private List<String> queries = List.of();

  SqlCommand() {}

  /** Creates the command. */
  public static Object command() {
    return new SqlCommand();
  }

  /**
   * Runs queries and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    if (System.getProperty("stablecut.log") == null) {
      System.setProperty("stablecut.log", "ERROR");
    }
    System.exit(CommandRunner.run(new SqlCommand(), args));
  }

  @Override
  public Integer call() {
    try (Store store = open();
        Pin pin = store.pin(at == null ? store.snapshot().token() : CausalToken.parse(at));
        Connection connection = StablecutSql.connect(pin)) {
      if (queries.isEmpty()) {
        new TableList(TableMap.at(pin)).print(out());
      }
      for (String query : queries) {
        execute(connection, query);
      }
      err().println("as of " + pin.token().toText());
    } catch (SQLException e) {
      throw SqlFailures.of("the connection", e);
    }
    return 0;
  }

  private Store open() {
    return data.contains("://")
        ? Stablecut.connect(data)
        : Stablecut.openExisting(Path.of(data), StoreOptions.forTools());
  }

  private void execute(Connection connection, String query) {
    SqlFailures.checkComplete(query);
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      format.print(found, out());
    } catch (SQLException e) {
      throw SqlFailures.of(query, e);
    }
  }
}
