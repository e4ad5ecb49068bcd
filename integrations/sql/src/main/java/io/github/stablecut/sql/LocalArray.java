package io.github.stablecut.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.TimeZone;
import org.apache.calcite.avatica.util.ArrayImpl;
import org.jspecify.annotations.Nullable;

/**
 * An array of dates or times that shows the column's values in the time zone of the program, as
 * single values do ({@link LocalTimes}). Calcite's arrays show UTC, or are taken for numbers.
 */
final class LocalArray implements InvocationHandler {
  private final ArrayImpl array;

  private LocalArray(ArrayImpl array) {
    this.array = array;
  }

  static Array of(ArrayImpl array) {
    return (Array)
        Proxy.newProxyInstance(
            LocalArray.class.getClassLoader(), new Class<?>[] {Array.class}, new LocalArray(array));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (method.getName().equals("getArray")) {
      List<?> all = ShownDates.elements(array);
      return args != null && args[0] instanceof Long first && args[1] instanceof Integer number
          ? elements(all.subList(Math.toIntExact(first - 1), Math.toIntExact(first - 1 + number)))
          : elements(all);
    }
    if (method.getName().equals("getResultSet")) {
      throw new SQLFeatureNotSupportedException(
          "an array of dates or times can't be a ResultSet: use getArray");
    }
    try {
      return method.invoke(array, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private static @Nullable Object[] elements(List<?> elements) {
    return elements.stream().map(LocalArray::element).toArray();
  }

  private static @Nullable Object element(@Nullable Object element) {
    if (element instanceof ArrayImpl nested) {
      return of(nested);
    }
    return element instanceof java.util.Date date
        ? LocalTimes.in(TimeZone.getDefault(), date)
        : element;
  }
}
