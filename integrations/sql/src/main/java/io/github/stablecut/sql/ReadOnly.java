package io.github.stablecut.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.calcite.runtime.Hook;
import org.apache.calcite.tools.Program;
import org.apache.calcite.util.Holder;
import org.jspecify.annotations.Nullable;

/**
 * A read-only wrapper of Calcite's connection, and of its statements and results. It refuses
 * everything but queries, plans queries with {@link WideSums}, and passes parameters and results
 * unchanged. All failures are {@link SQLException}s; Calcite itself lets exceptions of its compiled
 * queries pass as they are.
 */
final class ReadOnly implements InvocationHandler {
  private static final List<Class<?>> KINDS =
      List.of(
          Connection.class,
          PreparedStatement.class,
          Statement.class,
          ResultSet.class,
          DatabaseMetaData.class);

  /** The methods whose first argument is a query. */
  private static final Set<String> PLANNING =
      Set.of(
          "prepareStatement",
          "prepareCall",
          "execute",
          "executeQuery",
          "executeUpdate",
          "executeLargeUpdate",
          "addBatch");

  private final Object target;

  private ReadOnly(Object target) {
    this.target = target;
  }

  static Connection of(Connection connection) {
    return (Connection) wrapped(connection);
  }

  private static Object wrapped(Object target) {
    for (Class<?> kind : KINDS) {
      if (kind.isInstance(target)) {
        return Proxy.newProxyInstance(
            ReadOnly.class.getClassLoader(), new Class<?>[] {kind}, new ReadOnly(target));
      }
    }
    return target;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (method.getName().equals("isReadOnly")) {
      return true;
    }
    if (method.getName().equals("equals")) {
      return args != null && args[0] != null && isOfSame(args[0]);
    }
    try {
      if (target instanceof ResultSet row && args != null && method.getName().startsWith("get")) {
        Optional<Object> shown = shown(row, method.getName(), args);
        if (shown.isPresent()) {
          return shown.get();
        }
      }
      if (target instanceof PreparedStatement statement
          && args != null
          && args.length > 1
          && method.getName().startsWith("set")
          && Parameters.set(statement, args)) {
        return null;
      }
      Object result =
          args != null && args[0] instanceof String query && PLANNING.contains(method.getName())
              ? planned(method, query, args)
              : method.invoke(target, args);
      return result == null || method.getName().equals("unwrap") ? result : wrapped(result);
    } catch (InvocationTargetException e) {
      throw sqlException(e.getTargetException());
    } catch (RuntimeException e) {
      throw sqlException(e);
    }
  }

  /** The value of a column, if it differs from what Calcite returns. */
  private static Optional<Object> shown(ResultSet row, String method, @Nullable Object[] arguments)
      throws SQLException {
    Object argument = Objects.requireNonNull(arguments[0]);
    int column = argument instanceof Integer number ? number : row.findColumn((String) argument);
    Optional<String> text = ShownDates.check(row, column);
    if (text.isPresent() && method.equals("getString")) {
      return Optional.of(text.get());
    }
    ShownNumbers.check(row, column, method);
    return LocalTimes.of(row, column, method, arguments.length > 1 ? arguments[1] : null);
  }

  private boolean isOfSame(Object other) {
    return Proxy.isProxyClass(other.getClass())
        && Proxy.getInvocationHandler(other) instanceof ReadOnly handler
        && handler.target == target;
  }

  @SuppressWarnings("try") // the hook is in force while it is open
  private @Nullable Object planned(Method method, String query, @Nullable Object[] args)
      throws ReflectiveOperationException {
    args[0] = SqlFailures.checkQuery(query);
    Consumer<Holder<Program>> planning = program -> program.set(WideSums.program());
    try (Hook.Closeable planner = Hook.PROGRAM.addThread(planning);
        Hook.Closeable simple = Hook.REL_BUILDER_SIMPLIFY.addThread(Hook.propertyJ(false))) {
      return method.invoke(target, args);
    }
  }

  private static Throwable sqlException(Throwable failure) {
    boolean isOfQuery =
        failure instanceof RuntimeException || failure instanceof ExceptionInInitializerError;
    return isOfQuery ? new SQLException(SqlFailures.words(failure), failure) : failure;
  }
}
